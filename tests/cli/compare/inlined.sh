# What was inlined into a function, and what the C library does for it, is told of the method whose source it is, by exact
# counts: neither the function that it was compiled into nor nobody.
with_valgrind
empty_repo
cat >prog.c <<'END2'
#include <string.h>
#define APART __attribute__((noinline))
static volatile unsigned sink;
static volatile size_t length = 1000;
static char from[4096], to[4096];
static inline void step(void)
{
	for (unsigned i = 0; i < 2000; i++)
		sink++;
}
APART static void steps(void)
{
	for (unsigned i = 0; i < 5000; i++)
		step();
}
APART static void copy(void)
{
	for (unsigned i = 0; i < 20000; i++) {
		memcpy(to, from + i % 2, length);
		sink++;
	}
}
static void fill(void)
{
	copy();
}
int main(void)
{
	steps();
	fill();
	return 0;
}
END2
cat >perfevo.yml <<'END2'
build: gcc -O2 prog.c -o prog
benchmarks: {prog: {command: [./prog], warmup: 0, repeats: 2}}
run: {instructions: simulated}
profile: {runs: 4}
metrics: {wall: {judge: false}, max-rss: {judge: false}}
END2
save first
sed -i 's/2000; i++/2060; i++/' prog.c
save 'step does more'
sed -i 's/length);/2 * length);/' prog.c
save 'copy copies more'
echo 'int nobody(int x) { return x; }' >>prog.c
save 'nobody calls it'
# show NAME ...: whether the verdict has NAME among its causes
show()
{
	name=$1
	shift
	perfevo compare -q --format json "$@" >answer.json
	sqlite3 :memory: "SELECT DISTINCT 'blamed: $name' FROM json_each(readfile('answer.json'), '\$.verdict') v
		WHERE v.value ->> 'blamed' = '$name'"
}
show step HEAD~3 HEAD~2
show copy HEAD~2 HEAD~1
echo "by function: $(sqlite3 :memory: "SELECT group_concat(f.value ->> 'name') FROM json_each(readfile('answer.json'),
	'\$.benchmarks[0].functions.changed') f" | sed 's/__mem[a-z0-9_]*/memcpy/')"
# It is stored: nothing is run again.
show copy --stored HEAD~2 HEAD~1
sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM chargings'
sed -i 's/memcpy(to, from + i % 2, /memset(to, (int)i, /' prog.c
save 'copy fills'
perfevo compare -q HEAD~1 HEAD | grep -o 'calls `.* in place of .*:'
# Two that take each other's place do not hide a third that makes most of the difference.
sed -i 's/memset(to, (int)i, /sink += memchr(from, 1, length) != NULL, memcpy(to, from, /' prog.c
save 'copy looks'
perfevo compare -q HEAD~1 HEAD | grep -oE '(now calls .mem[a-z]*|itself|other functions in no call path)'
