# What counts say is said of a method once, under its new name, as its own doing or of whoever has it called, in either
# direction; and for the trees that are compared, which have no calls where samples alone were taken.
with_valgrind
empty_repo
cat >prog.c <<'END2'
#define APART __attribute__((noipa)) static
static volatile unsigned sink;
APART void alone(void)
{
	for (unsigned i = 0; i < 300000; i++)
		sink++;
}
APART void other(void)
{
	for (unsigned i = 0; i < 1500000; i++)
		sink++;
}
APART void often(void)
{
	for (unsigned i = 0; i < 1003; i++)
		sink++;
}
APART void seldom(void)
{
	for (unsigned i = 0; i < 1003; i++)
		sink++;
}
APART void same(void)
{
	for (unsigned i = 0; i < 1000000; i++)
		sink++;
}
APART unsigned deep(unsigned n)
{
	for (unsigned i = 0; i < 12000; i++)
		sink++;
	return n == 0 ? 0 : deep(n - 1) + 1;
}
int main(void)
{
	same();
	alone();
	other();
	for (unsigned i = 0; i < 100; i++)
		often();
	for (unsigned i = 0; i < 800; i++)
		seldom();
	return deep(50) == 0;
}
END2
cat >perfevo.yml <<'END2'
build: gcc -O2 -g prog.c -o prog
benchmarks: {prog: {command: [./prog], warmup: 0, repeats: 2, allocations: false}}
profile: {runs: 3}
run: {instructions: simulated}
metrics: {wall: {judge: false}, max-rss: {judge: false}}
END2
save start
sed -i 's/alone/lonely/; s/1500000/2100000/' prog.c
save 'alone has another name, other has more to do'
sed -i 's/i < 100; /i < 1100; /; s/i < 800; /i < 100; /' prog.c
save 'main calls one more often and another one less often'
sed -i 's/return n == 0 ?/return n + 50 == 0 ?/' prog.c
save 'deep goes deeper'

# query SQL: of JSON in the file pair
query()
{
	sqlite3 :memory: "$1" | LC_ALL=C sort
}

# explain OLD NEW: the verdict's causes, by whom, and what methods execute more
explain()
{
	echo "$1 to $2:"
	perfevo compare -q --no-open --format json "$1" "$2" >../pair
	query "SELECT DISTINCT 'cause ' || (s.value ->> 'function') || ' of ' || (v.value ->> 'blamed') || iif(s.value ->> 'amount' > 0, ': more', ': less')
		FROM json_each(readfile('../pair'), '\$.verdict') v, json_each(v.value, '\$.shows') s
		WHERE s.value ->> 'function' IN ('other', 'often', 'seldom', 'deep')"
	query "SELECT 'method ' || (m.value ->> 'name') || ' ' || (m.value ->> 'instructions')
		FROM json_each(readfile('../pair'), '\$.benchmarks[0].methods') m WHERE abs(m.value ->> 'instructions') > 5000"
}
# Without samples, of which those of a busy machine have another opinion.
export PERFEVO_SAMPLE_CLOCK=never
explain HEAD~3 HEAD~2
explain HEAD~2 HEAD~1
explain HEAD~1 HEAD
unset PERFEVO_SAMPLE_CLOCK

# Samples alone, of which some trees have methods that others lack; then more of them, for which is counted anew.
cd ..
mkdir sampled
cd sampled
git init -q
{
	echo 'static volatile unsigned sink;'
	for i in 10 11 12 13 14 15 16 17 18 19; do
		echo "__attribute__((noipa)) static void f$i(void) { for (unsigned i = 0; i < 40$i; i++) sink++; }"
	done
	echo 'int main(void) { for (unsigned k = 0; k < 300; k++) {'
	echo 'f10(); f11(); f12(); f13(); f14(); f15(); f16(); f17(); f18(); f19(); } return 0; }'
} >prog.c
sed 's/runs: 3/mode: samples, runs: 1/' ../repo/perfevo.yml >perfevo.yml
save start
sed -i 's/i < 401\([0-3]\);/i < 441\1;/' prog.c
save 'four have more to do'
perfevo compare -q --no-open --format json HEAD~1 HEAD >../pair
perfevo compare -q --no-open --stored --format json HEAD~1 HEAD >../pair
sed -i 's/runs: 1/runs: 40/' perfevo.yml
for revision in HEAD~1 HEAD; do
	perfevo profile -q --again "$revision" >/dev/null
done
perfevo compare -q --no-open --format json HEAD~1 HEAD >../pair
echo 'samples alone:'
query "SELECT 'cause ' || (v.value ->> 'function') || ' of ' || (v.value ->> 'blamed')
	FROM json_each(readfile('../pair'), '\$.verdict') v WHERE v.value ->> 'counted'"
