# Projects whose calls are known, for the cases of 'perfevo profile'. Nothing is inlined, so that all compilers
# count alike.

# sources: a program of two files in which each function is called so often
sources()
{
	cat >work.h <<'END'
#define APART __attribute__((noinline))
APART int leaf(int x);
APART int work(int n);
END
	cat >work.c <<'END'
#include "work.h"

volatile int sink;

int leaf(int x)
{
	sink += x;
	return sink;
}

int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(i);
	return sum;
}
END
	cat >prog.c <<'END'
#include "work.h"

static APART int twice(int n)
{
	return work(n) + work(n + 1) + leaf(n);
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		twice(i);
	for (volatile long i = 0; i < 30000000; i++)
		;
	return 0;
}
END
}

# calls: the counting tree of HEAD, one line a context, by name
# shellcheck disable=SC2120
calls()
{
	perfevo profile --quiet --mode counting --format folded -w calls "$@" | LC_ALL=C sort
}
