# What cases of non-determinism share: a program that tosses coins by the number of the counting run, so that no run of a
# test is lucky.
. "$CASE_DIR/../profile/lib.sh"

# coin_repo: two commits of `flip`, in the current folder then. On standard input is toss(int coin), with what it calls;
# each counting run has the next coin. Between the commits choose() is modified, so that unchanged() calls extra().
coin_repo()
{
	empty_repo
	{
		cat <<'END'
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

static int mode;
static volatile int sink;

APART void work(int n) { sink += n; }
APART void extra(void) { work(3); }
END
		cat
		cat <<'END'
APART void unchanged(void)
{
	if (mode)
		extra();
}
APART void choose(void) { mode = 0; }

int main(int argc, char **argv)
{
	choose();
	toss(argc > 1 ? atoi(argv[1]) : 0);
	unchanged();
	return 0;
}
END
	} >flip.c
	cat >perfevo.yml <<'END'
build: gcc -O2 flip.c -o flip
benchmarks: {flip: '[ -z "$PERFEVO_CALLS_DIR" ] || echo $$ >>$HOME/runs; ./flip $(wc -l <$HOME/runs)'}
profile: {mode: counting}
END
	: >"$HOME/runs"
	save first
	sed -i 's/{ mode = 0; }/{ mode = 1; }/' flip.c
	save second
}
