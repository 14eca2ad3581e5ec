/*
 * main
 *   top      into which outer and, into that, inner are inlined at every level of optimisation
 *   twin     of this file, and after it one of another file
 */
#include "mark.h"

int other_twin(int x);

#define INLINED static inline __attribute__((always_inline))

INLINED int inner(int x)
{
	mark("inner"); /* @inner */
	return x + 1;
}

INLINED int outer(int x)
{
	x *= 3;
	return inner(x) * 2; /* @outer */
}

__attribute__((noinline)) int top(int x)
{
	int y = outer(x); /* @top */

	mark("top"); /* @after */
	return y - 3;
}

static __attribute__((noinline)) int twin(int x)
{
	mark("twin"); /* @twin */
	return x + 5;
}

int main(int argc, char **argv)
{
	(void)argv;
	argc = top(argc); /* @call */
	argc += twin(argc);
	argc += other_twin(argc);
	mark("main"); /* @main */
	return argc == 0;
}
