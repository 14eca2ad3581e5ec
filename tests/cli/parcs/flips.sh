# A program that tosses coins: what they change is non-determinism, what a modified method changes by a global is not.
# shellcheck source=tests/cli/profile/lib.sh
. "$CASE_DIR/../profile/lib.sh"
# shellcheck source=tests/cli/page.sh
. "$SOURCE_DIR/tests/cli/page.sh"
needs gcc
git init -q repo
cd repo
# The coin is the number of the counting run, so that no run of this test is lucky: only two of the second revision come to rare().
cat >flip.c <<'END'
#include <stdio.h>
#include <stdlib.h>

static int mode;
static volatile int sink;

__attribute__((noinline)) void work(int n) { sink += n; }
__attribute__((noinline)) void heads(void) { work(1); }
__attribute__((noinline)) void tails(void) { work(2); }
__attribute__((noinline)) void rare(void) { free(malloc(10)); }
__attribute__((noinline)) void extra(void) { work(3); }
__attribute__((noinline)) void toss(int coin)
{
	if (coin & 1)
		heads();
	else
		tails();
	for (int i = 0; i < coin % 4; i++)
		work(4);
	if (coin == 5 || coin == 7)
		rare();
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
build: gcc -O2 flip.c -o flip
benchmarks: {flip: '[ -z "$PERFEVO_CALLS_DIR" ] || echo $$ >>$HOME/runs; ./flip $(wc -l <$HOME/runs)'}
profile: {mode: counting}
END
: >"$HOME/runs"
save first
sed -i 's/{ mode = 0; }/{ mode = 1; }/' flip.c
save second
cat >../fields <<'END'
SELECT value ->> 'reason', value ->> 'in', value ->> 'function', value ->> 'differs_in' > 0
FROM json_each(readfile('../one'), '$.benchmarks[0].cuts');
SELECT 'counting runs', value > 2 FROM json_each(readfile('../one'), '$.benchmarks[0].counting_runs');
SELECT key, value ->> 'threshold' < 1, value ->> 'own_noise', json_array_length(value, '$.pairs')
FROM json_each(readfile('../one'), '$.benchmarks[0].weights');
END
for _ in 1 2; do
	perfevo parcs -q -b flip --format json HEAD~1 >../one 2>/dev/null
	sqlite3 -separator ' | ' :memory: <../fields
done
# The page has them by node of each tree, as the rows of the stages do.
perfevo compare -q -b flip --format html -o ../page.html HEAD~1 2>/dev/null
page_block ../page.html c0 >../c0
sqlite3 -separator ' | ' :memory: "
	SELECT 'runs', p ->> '\$.trees[1].counting_runs' = r FROM (SELECT readfile('../c0') -> '\$.pairs[0]' p,
		readfile('../one') ->> '\$.benchmarks[0].counting_runs[1]' r);
	SELECT c.value ->> 'function', c.value ->> 'differs_in' = d.value ->> 1
		FROM json_each(readfile('../c0'), '\$.pairs[0].parcs.cuts') c,
			json_each(readfile('../c0'), '\$.pairs[0].trees[1].differs') d
		WHERE c.value ->> 'in' = 'new' AND c.value ->> 'node' = d.value ->> 0"
