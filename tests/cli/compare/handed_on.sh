# A function whose source is what it was executes more by exact counts: the modified function that hands on the work is blamed,
# also where the compiler put the argument into the callee, and the one that left it other data where none above it was modified.
with_valgrind
export PERFEVO_SAMPLE_CLOCK=never # counts are what is asked here: no sample of a busy machine has another opinion
empty_repo
cat >prog.c <<'END2'
static volatile unsigned sink, queued;
__attribute__((noipa)) static void repeat(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink++;
}
__attribute__((noinline)) static void always(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink++;
}
__attribute__((noinline)) static void drain(void)
{
	for (unsigned i = 0; i < queued; i++)
		sink++;
}
__attribute__((noinline)) static void first(void)
{
	repeat(700000);
}
__attribute__((noinline)) static void second(void)
{
	repeat(1000001);
}
__attribute__((noinline)) static void third(void)
{
	always(1000003);
}
__attribute__((noinline)) static void queue(void)
{
	queued = 1000002;
}
int main(void)
{
	first();
	second();
	third();
	queue();
	drain();
	return 0;
}
END2
cat >perfevo.yml <<'END2'
build: gcc -O2 -g prog.c -o prog
benchmarks: {prog: {command: [./prog], warmup: 0, repeats: 2, allocations: false}}
profile: {runs: 12}
run: {instructions: simulated}
metrics: {wall: {judge: false}, max-rss: {judge: false}}
END2
save start
sed -i 's/1000001/1030001/' prog.c
save 'second has more repeated'
sed -i 's/1000003/1030003/' prog.c
save 'third has more of always'
sed -i 's/1000002/1030002/' prog.c
save 'queue leaves more'
# show FUNCTION BLAMED OLD NEW: the verdict of the function that executes more
show()
{
	perfevo compare -q --format json "$3" "$4" >answer.json
	same "verdict: $1" "$2" "$(sqlite3 :memory: "SELECT DISTINCT v.value ->> 'blamed'
		FROM json_each(readfile('answer.json'), '\$.benchmarks[0].verdict') v WHERE v.value ->> 'function' = '$1'")"
}
show repeat second HEAD~3 HEAD~2
perfevo compare -q --stored HEAD~3 HEAD~2 >../out 2>&1
has 'who has it do more' ../out '`repeat`, longer work: 5,100,008 → 5,190,008 instructions'
show always third HEAD~2 HEAD~1
show drain queue HEAD~1 HEAD
perfevo compare -q --stored HEAD~1 HEAD >../out 2>&1
has 'by way of data' ../out 'by way of data: `drain`, longer work'
