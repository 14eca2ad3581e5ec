# Two runs of each revision that agree may be luck: where no source accounts for a difference, more runs are counted.
# shellcheck source=tests/cli/profile/lib.sh
. "$CASE_DIR/../profile/lib.sh"
needs gcc
git init -q repo
cd repo
# The first two counting runs of the old revision do not come to late(), those of the new one do; later ones do or not.
cat >luck.c <<'END'
#include <stdlib.h>

static int mode;
static volatile int sink;

__attribute__((noinline)) void late(void) { sink++; }
__attribute__((noinline)) void extra(void) { sink--; }
__attribute__((noinline)) void toss(int coin)
{
	if (coin == 3 || coin == 4 || coin == 6 || coin == 9)
		late();
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
	return 0;
}
END
cat >perfevo.yml <<'END'
build: gcc -O2 luck.c -o luck
benchmarks: {luck: '[ -z "$PERFEVO_CALLS_DIR" ] || echo $$ >>$HOME/runs; ./luck $(wc -l <$HOME/runs)'}
profile: {mode: counting}
END
: >"$HOME/runs"
save first
sed -i 's/{ mode = 0; }/{ mode = 1; }/' luck.c
save second
perfevo parcs -q -b luck --format json HEAD~1 >../one 2>/dev/null
sqlite3 -separator ' | ' :memory: "
	SELECT value ->> 'reason', value ->> 'function' FROM json_each(readfile('../one'), '\$.benchmarks[0].cuts');
	SELECT 'counting runs', value > 2 FROM json_each(readfile('../one'), '\$.benchmarks[0].counting_runs');"
