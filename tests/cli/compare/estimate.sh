# A verdict explains the time that the table has, also where most of it is waiting; its causes and the rest add up to its
# difference.
needs cc
empty_repo
cat >perfevo.yml <<'END2'
build: cc -O1 -g main.c -o prog
profile: {runs: 60}
benchmarks:
  naps: {command: [./prog], repeats: 20, warmup: 0}
END2
# program MILLISECONDS: it computes for some 6 ms, and a child waits for so many
program()
{
	cat >main.c <<END2
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>

__attribute__((noinline)) static unsigned compute(unsigned n)
{
	unsigned x = 1;

	while (n-- > 0)
		x = x * 1664525u + (x >> 7);
	return x;
}

__attribute__((noinline)) static void nap(void)
{
	if (fork() == 0) {
		usleep($1 * 1000);
		_exit(0);
	}
	wait(NULL);
}

int main(void)
{
	unsigned x = compute(3000000);

	nap();
	return x == 42;
}
END2
	save "nap $1"
}
program 4
program 24
perfevo compare -q --budget 1ns --format json HEAD~1 >../one.json 2>../err || fail compare
grep -q '"unit":"ns","text"' ../one.json || exit 77 # no times here: no sampler, or nothing was decided
sqlite3 :memory: "
	WITH wall AS (SELECT value AS m FROM json_each(readfile('../one.json'), '\$.benchmarks[0].metrics') WHERE value ->> 'name' = 'wall'),
		whole AS (SELECT value AS j FROM json_each(readfile('../one.json'), '\$.benchmarks[0].judged') WHERE value ->> 'unit' = 'ns')
	SELECT 'old', abs((j ->> 'old') - (m ->> 'old')) <= 10, 'verdict', m ->> 'verdict' FROM wall, whole;
	WITH whole AS (SELECT value AS j FROM json_each(readfile('../one.json'), '\$.benchmarks[0].judged') WHERE value ->> 'unit' = 'ns')
	SELECT 'causes', (j ->> 'rest') + (SELECT coalesce(sum(value ->> 'amount_ns'), 0) FROM json_each(readfile('../one.json'), '\$.verdict'))
		= j ->> 'difference' FROM whole;"
