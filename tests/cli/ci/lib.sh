# A main branch and a topic branch, whose benchmark prints a figure of its own.

# figures FIGURE: what the benchmark prints from now on
figures()
{
	echo "echo score $1" >prog.sh
}

# topic_repo: main at 100 points, with a commit that topic does not have; topic is checked out where it left
topic_repo()
{
	empty_repo
	score_config 'sh build.sh'
	echo 'exit 0' >build.sh
	figures 100
	save start
	git switch -q -c topic
	git switch -q main
	figures 50
	save 'main goes on'
	git switch -q topic
}

# Figures of fresh runs say how many there were; the machine is left out.
ci()
{
	perfevo ci --base main --no-profile "$@" || echo "status $?"
}

# on_other_processor: skip the case unless valgrind runs and its processor, which has a name of its own, is another one
on_other_processor()
{
	with_valgrind
	grep -q 'i7-4910MQ' /proc/cpuinfo && exit 77
	[ "$(uname -m)" = x86_64 ] || exit 77
}

# asking GENERIC HERE [ASKS]: prog.c, which asks which processor it has (0: does not) and executes one of two functions, of so
# many turns
asking()
{
	cat >prog.c <<END
#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
static volatile unsigned x;
__attribute__((noinline)) void sum_generic(void) { for (unsigned i = 0; i < $1; i++) x += i; }
__attribute__((noinline)) void sum_here(void) { for (unsigned i = 0; i < $2; i++) x += i; }
int main(void)
{
	unsigned brand[13] = {0};

	for (unsigned i = 0; ${3:-1} && i < 3; i++)
		__get_cpuid(0x80000002 + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2], &brand[4 * i + 3]);
	if (!${3:-1} || strstr((const char *)brand, "i7-4910MQ") != NULL)
		sum_generic();
	else
		sum_here();
	return malloc(16) == NULL;
}
END
}
