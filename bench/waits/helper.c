/* What the walk starts: works on a number and prints it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define APART __attribute__((noinline))

APART static unsigned digest(unsigned seed)
{
	for (int i = 0; i < 3000000; i++)
		seed = seed * 1664525 + 1013904223;
	return seed;
}

APART static void look_up(void)
{
	usleep(3000);
}

int main(int argc, char **argv)
{
	look_up();
	printf("%u\n", digest(argc > 1 ? (unsigned)atoi(argv[1]) : 0));
	return 0;
}
