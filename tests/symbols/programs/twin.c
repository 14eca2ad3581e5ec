#include "mark.h"

int other_twin(int x);

static __attribute__((noinline)) int twin(int x)
{
	mark("other"); /* @other */
	return x + 7;
}

__attribute__((noinline)) int other_twin(int x)
{
	return twin(x) + 1;
}
