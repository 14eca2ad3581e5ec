# Instructions of a program that asks which processor it has, and executes another function on this one, are marked beside
# each of their jumps.
. "$CASE_DIR/../ci/lib.sh"
with_valgrind
# Valgrind's processor has a name of its own.
grep -q 'i7-4910MQ' /proc/cpuinfo && exit 77
[ "$(uname -m)" = x86_64 ] || exit 77

empty_repo
cat >perfevo.yml <<'END'
build: cc -O1 prog.c -o prog
benchmarks: {prog: {command: [./prog], warmup: 0}}
END
# commit ASKS TURNS: of either function
commit()
{
	cat >prog.c <<END
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
static volatile unsigned x;
__attribute__((noinline)) void sum_generic(void) { for (unsigned i = 0; i < $2; i++) x += i; }
__attribute__((noinline)) void sum_here(void) { for (unsigned i = 0; i < $2 + 1000; i++) x += i; }
int main(void)
{
	unsigned brand[13] = {0};

	for (unsigned i = 0; $1 && i < 3; i++)
		__get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2], &brand[4 * i + 3]);
	if (!$1 || strstr((const char *)brand, "i7-4910MQ") != NULL)
		sum_generic();
	else
		sum_here();
	return malloc(16) == NULL;
}
END
	save "asks $1, $2 turns"
}
mark="counts of the generic code: 'sum_here' runs on this processor, and not where they are taken"
commit 1 1000000
commit 1 2000000
perfevo track --counts --quiet >../out 2>../err || fail "$(cat ../err)"
has 'in the table' ../out "$mark"
perfevo track --counts --quiet --format md >../out
has 'as Markdown' ../out 'exact; sum\_generic (modified) +6.0 M; counts of the generic code: '
perfevo track --counts --quiet --format json >../out
same 'as JSON, of the series and of the commit' 2 "$(grep -o '"generic":true' ../out | wc -l)"
perfevo show HEAD >../out
has 'of one commit' ../out "$mark"
perfevo log --no-graph -b prog -m simulated-instructions >../out
has 'in the log' ../out "$mark"

# Who does not ask is not marked.
rm -rf .git/perfevo
commit 0 1000000
commit 0 2000000
perfevo track --counts --quiet --last 2 --format json >../out 2>../err || fail "$(cat ../err)"
has 'a jump' ../out '"regression":true'
has_not 'a mark' ../out '"generic":true'
