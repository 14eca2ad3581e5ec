# With --min-change both sides are sampled further, and samples of one pair of builds are pooled: all of them and each half.
command -v gcc >/dev/null || exit 77
empty_repo
cat >prog.c <<'END'
#define APART __attribute__((noinline))
static volatile unsigned sink;
APART static void hot(void)
{
	for (unsigned i = 0; i < 12000000; i++)
		sink++;
}
APART static void cool(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink++;
}
int main(void)
{
	hot();
	cool(4000000);
	return 0;
}
END
echo '{build: gcc -O1 -g prog.c -o prog, benchmarks: {prog: {command: [./prog], warmup: 0, repeats: 2}}, metrics: {wall: {judge: false}, max-rss: {judge: false}}, profile: {runs: 4}}' >perfevo.yml
save first
sed -i 's/4000000/4000100/' prog.c
save 'no more than nothing'
# By tree: the samples of the side that has fewer of those that were taken in turns.
samples()
{
	sqlite3 .git/perfevo/perfevo.db "SELECT t.repetition, min(t.samples) FROM trees t JOIN profiles p ON p.key = t.profile
		WHERE p.settings LIKE '% beside %' GROUP BY 1 ORDER BY 1" | tr '\n' ' '
}
# Few samples may agree by chance, so that nothing is undecided: others are taken then.
for attempt in 1 2 3 4 5; do
	rm -rf .git/perfevo
	perfevo compare -q --format json HEAD~1 HEAD >/dev/null
	before=$(samples)
	# A budget that a busy machine spends on other things is spent again, fourfold.
	for budget in 1500ms 6s 24s 96s; do
		perfevo compare --min-change 0.01% --budget "$budget" HEAD~1 HEAD >/dev/null 2>messages
		after=$(samples)
		grep -q undecided messages && [ "$after" = "$before" ] || break
	done
	[ "$after" = "$before" ] || break
done
grep -c 'undecided: sampling .* more, for .* at most (--budget)' messages | sed 's/[1-9]/some/'
echo "$before $after" | tr '|' ' ' | awk '{ print ($8 > $2 && $10 > $4 && $12 > $6 ? "more of all and of each half" : $0) }'
# And what was pooled is what is compared from then on.
perfevo compare -q --stored HEAD~1 HEAD >/dev/null
test "$(samples)" = "$after" && echo kept
