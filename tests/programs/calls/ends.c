/*
 * Ends: what was counted is there however the program ends: by exit in a deep function with functions to be
 * called then, _exit, a crash, or a signal that cannot be caught. The argument says which.
 *
 *   ends x1
 *     main x1
 *       outer @outer x1 +1:24
 *         inner @inner x1
 *           at_exit @* x1 [exit]
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile block;

__attribute__((noinline)) static void inner(const char *how)
{
	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "_exit") == 0)
		_exit(3);
	if (strcmp(how, "crash") == 0)
		*(volatile int *)8 = 1;
	kill(getpid(), SIGKILL);
}

__attribute__((noinline)) static void outer(const char *how)
{
	block = malloc(24);
	inner(how); /* <inner> */
}

static void at_exit(void)
{
}

int main(int argc, char **argv)
{
	(void)argc;
	atexit(at_exit);
	outer(argv[1]); /* <outer> */
	return 0;
}
