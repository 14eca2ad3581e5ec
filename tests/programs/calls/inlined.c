/*
 * Calls that are inlined: the same function from two places in one function, within each other, and out of
 * line through a pointer. At -O0 nothing is inlined, and the tree is the same.
 *
 *   inlined x1
 *     main x1
 *       host @host x10
 *         outer @outer_first x10
 *           inner @inner x10
 *         outer @outer_second x10
 *           inner @inner x10
 *         inner @direct x10 +10:80 -10
 *       outer @pointer x1
 *         inner @inner x1
 */
#include <stdlib.h>

static void *volatile block;
static volatile int allocates;

static inline void inner(void)
{
	if (allocates) {
		block = malloc(8);
		free(block);
	}
}

static inline void outer(void)
{
	inner(); /* <inner> */
}

__attribute__((noinline)) static void host(void)
{
	allocates = 0;
	outer(); /* <outer_first> */
	outer(); /* <outer_second> */
	allocates = 1;
	inner(); /* <direct> */
	allocates = 0;
}

static void (*volatile pointer)(void) = outer;

int main(void)
{
	for (int i = 0; i < 10; i++)
		host(); /* <host> */
	pointer();      /* <pointer> */
	return 0;
}
