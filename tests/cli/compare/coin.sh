# A call that only some runs of the new revision make is no cause in the critical graph, however long it takes.
needs gcc
empty_repo
cat >coin.c <<'END'
#include <stdlib.h>

static int mode;
static volatile int sink;

__attribute__((noinline)) void spin(int ms)
{
	for (volatile long i = 0; i < ms * 100000L; i++)
		;
}
__attribute__((noinline)) void heads(void) { spin(300); sink++; }
__attribute__((noinline)) void extra(void) { spin(300); sink--; }
__attribute__((noinline)) void toss(int coin)
{
	if (coin)
		heads();
}
__attribute__((noinline)) void unchanged(void)
{
	if (mode)
		extra();
}
__attribute__((noinline)) void choose(void) { mode = 0; }

int main(int argc, char **argv)
{
	choose();
	toss(argc > 1 ? atoi(argv[1]) : 0);
	unchanged();
	spin(300);
	return 0;
}
END
# Old's coin falls on one side, by chance. Of new's, counting runs see both in turn, and timed runs the other.
echo 'echo 0' >toss.sh
cat >perfevo.yml <<'END'
build: gcc -O1 -g coin.c -o coin
benchmarks: {coin: {command: './coin $(. ./toss.sh)', repeats: 1, warmup: 0}}
profile: {runs: 2}
END
save first
sed -i 's/{ mode = 0; }/{ mode = 1; }/' coin.c
cat >toss.sh <<'END'
[ -z "$PERFEVO_CALLS_DIR" ] || echo $$ >>"$HOME/runs"
[ -z "$PERFEVO_CALLS_DIR" ] && echo 1 || echo $(($(wc -l <"$HOME/runs") % 2))
END
save second
perfevo compare -q -b coin --format json HEAD~1 >../one 2>../err || cat ../err
sqlite3 :memory: "SELECT value ->> 'name' FROM json_each(readfile('../one'), '$.benchmarks[0].critical.nodes')
	WHERE value ->> 'name' IN ('toss', 'heads')"
