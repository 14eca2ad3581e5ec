/*
 * A handler that comes at any moment, also in the middle of a hook. Where it comes is chance, so the tree is
 * not known, but the number of calls is: the program prints how often it called busy(), and how often tick()
 * was called. Each of them calls work(), which calls unit(), once.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define KEEP __attribute__((noinline))

enum { TICKS = 2000 };

static volatile unsigned long ticks, rounds;

KEEP static void unit(void)
{
	__asm__ volatile("");
}

KEEP static void work(void)
{
	unit();
}

KEEP static void tick(int number)
{
	(void)number;
	ticks++;
	work();
}

KEEP static void busy(void)
{
	rounds++;
	work();
}

int main(void)
{
	struct itimerval fast = {{0, 50}, {0, 50}}, off;
	struct sigaction action;

	memset(&off, 0, sizeof(off));
	memset(&action, 0, sizeof(action));
	action.sa_handler = tick;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &fast, NULL);
	while (ticks < TICKS)
		busy();
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_IGN);
	printf("%lu %lu\n", ticks, rounds);
	return 0;
}
