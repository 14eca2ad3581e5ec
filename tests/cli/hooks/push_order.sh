# Identical builds are not run, and counts answer before times.
command -v sqlite3 >/dev/null || exit 77

empty_repo
cat >perfevo.yml <<'END'
build: cc -O1 -o tool tool.c && cc -O1 -o other other.c
metrics: {wall: {judge: false}, max-rss: {judge: false}}
defaults: {warmup: 0, repeats: 2, allocations: false}
benchmarks:
  first:
    command: ./tool first
    metrics: {score: {unit: points, better: lower, regex: 'score ([0-9]+)'}}
  second:
    command: ./tool second
    metrics: {score: {unit: points, better: lower, regex: 'score ([0-9]+)'}}
  memory:
    command: ./tool memory
    allocations: true
  apart:
    command: ./other
    allocations: true
END
# tool FIRST SECOND ALLOCATIONS
tool()
{
	cat >tool.c <<END
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int do_first(void)
{
	return $1;
}

static int do_second(void)
{
	return $2;
}

static int do_memory(void)
{
	void *volatile kept;

	for (int i = 0; i < $3; i++)
		kept = malloc(100 + i);
	return kept != NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "memory") == 0)
		return !do_memory();
	printf("score %d\n", argc > 1 && strcmp(argv[1], "first") == 0 ? do_first() : do_second());
	return 0;
}
END
}
echo 'int main(void) { return 0; }' >other.c
tool 100 100 10
git add -A
git commit -q -m start
hub
perfevo hooks install --pre-push >/dev/null
echo 'main;do_first 5' >../first.folded
echo 'main;do_second 5' >../second.folded
echo 'main;do_memory 5' >../memory.folded
for name in first second memory; do
	perfevo import -b $name ../$name.folded >/dev/null 2>&1
done

said()
{
	grep -v 'builds\{0,1\} done\|^error: \|^$' ../said | sed "s/[0-9a-f]\{8,10\}/ID/g; s/   */  /g"
}

# order: the benchmarks of the last window, as they were run first
order()
{
	sqlite3 .git/perfevo/perfevo.db "SELECT b.name FROM runs r JOIN benchmarks b ON b.key = r.benchmark
		WHERE r.batch = (SELECT max(key) FROM batches) GROUP BY 1 ORDER BY min(r.sequence)" | tr '\n' ' '
	echo
}

echo '--- the second is affected'
tool 100 90 10
git commit -q -a -m 'second'
git push -q origin main 2>../said
said
order
echo '--- more than methods changed'
sed -i '1i #define SOMETHING 1' tool.c
echo x >Makefile
git add -A
git commit -q -m 'anything'
git push -q origin main 2>../said
said
echo '--- memory, and both of the others'
tool 150 100 20
git commit -q -a -m 'much worse'
git push -q origin main 2>../said && fail 'it was not stopped'
# How much the shell and the library allocate beside differs.
said | sed '/memory/s/+[0-9.]* %/+N %/; /memory/s/[0-9.]* → [0-9.]*/N → M/' | sort
