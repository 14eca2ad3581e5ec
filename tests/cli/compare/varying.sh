# A count that varies from run to run is paired run by run: the first run of new does not stand for all of them.
with_valgrind
empty_repo
cat >prog.c <<'END2'
#include <stdlib.h>
static void *volatile kept;
int main(int argc, char **argv)
{
	for (int i = 0; i < (argc > 1 ? 100 * atoi(argv[1]) : 1); i++)
		kept = malloc(16);
	return 0;
}
END2
# Runs of either side make 1,000 and 1,100 allocations in turn.
cat >turn.sh <<'END2'
echo >>"$HOME/runs.$(cat side)"
echo $((10 + $(wc -l <"$HOME/runs.$(cat side)") % 2))
END2
cat >perfevo.yml <<'END2'
build: gcc -O1 prog.c -o prog
benchmarks: {prog: {command: './prog $(. ./turn.sh)', repeats: 1, warmup: 0}}
run: {instructions: off}
END2
echo old >side
save first
echo new >side
save second
perfevo track -q --all >../log 2>&1 || cat ../log
perfevo compare -q --counts --format json HEAD~1 >../one 2>../err || cat ../err
sqlite3 :memory: "SELECT value ->> 'name', value ->> 'exact', round(abs(value ->> 'relative'), 3), value ->> 'new' - value ->> 'old'
	FROM json_each(readfile('../one'), '$.benchmarks[0].metrics') WHERE value ->> 'name' = 'allocations'"
