# Instructions are counted on valgrind's processor. Of a program that asks which processor it has, and executes other functions
# on this one, the counts are marked, and pass no change of such a function.
with_valgrind
# Valgrind's processor has a name of its own.
grep -q 'i7-4910MQ' /proc/cpuinfo && exit 77
[ "$(uname -m)" = x86_64 ] || exit 77

# program GENERIC HERE: how many turns either function makes
program()
{
	cat >prog.c <<END
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
static volatile unsigned x;
__attribute__((noinline)) void sum_generic(void)
{
	for (unsigned i = 0; i < $1; i++)
		x += i;
}
__attribute__((noinline)) void sum_here(void)
{
	for (unsigned i = 0; i < $2; i++)
		x += i;
}
int main(void)
{
	unsigned brand[13] = {0};

	for (unsigned i = 0; i < 3; i++)
		__get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2], &brand[4 * i + 3]);
	if (strstr((const char *)brand, "i7-4910MQ") != NULL)
		sum_generic();
	else
		sum_here();
	return malloc(16) == NULL;
}
END
}
empty_repo
cat >perfevo.yml <<'END'
build: cc -O1 prog.c -o prog
benchmarks: {prog: {command: [./prog], warmup: 0}}
END
program 1000000 1000000
save start
git switch -q -c topic

# ci STATUS: of the last commit; the row of the instructions
ci()
{
	status=0
	perfevo ci --base HEAD~1 --counts --no-profile --json ../ci.json >../out 2>../err || status=$?
	[ "$status" = "$1" ] || fail "exit status $status, not $1: $(cat ../out ../err)"
}
mark="counts of the generic code: 'sum_here' runs on this processor, and not where they are taken"

program 900000 1300000
save 'fewer instructions there, more here'
ci 125
grep -q "inconclusive: $mark" ../out || fail "not marked: $(cat ../out)"
has "as JSON" ../ci.json '"generic":true'
has "why" ../err 'counts alone do not decide (status 125)'

program 1000000 1300000
save 'another function that is not executed here'
ci 0
grep -q 'no change in' ../out || fail "what does not run here: $(cat ../out)"

program 1200000 1500000
save 'more instructions in both'
ci 1
grep -q "regressed.*$mark" ../out || fail "not marked: $(cat ../out)"

sed -i 's/malloc(16)/malloc(17)/' prog.c
save 'neither of them'
ci 0
grep -q '"answer":"passed".*"generic":true' ../ci.json || fail "not marked: $(cat ../ci.json)"

# Who does not ask is not marked.
sed -i '/__get_cpuid/d; s/for (unsigned i = 0; i < 3; i++)$//' prog.c
save 'without the question'
sed -i 's/malloc(17)/malloc(18)/' prog.c
save 'and again'
ci 0
has "as JSON" ../ci.json '"answer":"passed"'
has_not "a mark" ../ci.json '"generic":true'
