/*
 * Handlers that call functions: on the program's stack, on a stack of its own, and out of one of those for
 * good.
 *
 *   signals x1
 *     main x1
 *       plain @plain x1
 *         handler @* x1
 *           work @handler_work x1
 *             unit @unit x1
 *         work @plain_work x1
 *           unit @unit x1
 *       apart @apart x2
 *         handler @* x2
 *           work @handler_work x2
 *             unit @unit x2
 *         work @apart_work x2
 *           unit @unit x2
 *       leave @leave x2
 *         leaver @* x2
 *           work @leaver_work x2
 *             unit @unit x2
 *         work @leave_work x2
 *           unit @unit x2
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#define KEEP __attribute__((noinline))

static char own_stack[64 * 1024];
static sigjmp_buf out;

KEEP static void unit(void)
{
	__asm__ volatile("");
}

KEEP static void work(void)
{
	unit(); /* <unit> */
}

KEEP static void handler(int number)
{
	(void)number;
	work(); /* <handler_work> */
}

KEEP static void leaver(int number)
{
	(void)number;
	work(); /* <leaver_work> */
	siglongjmp(out, 1);
}

KEEP static void plain(void)
{
	raise(SIGUSR1);
	work(); /* <plain_work> */
}

KEEP static void apart(void)
{
	raise(SIGUSR2);
	work(); /* <apart_work> */
}

KEEP static void leave(void)
{
	if (sigsetjmp(out, 1) == 0)
		raise(SIGHUP);
	work(); /* <leave_work> */
}

int main(void)
{
	struct sigaction action;
	stack_t stack;

	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = own_stack;
	stack.ss_size = sizeof(own_stack);
	sigaltstack(&stack, NULL);
	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &action, NULL);
	action.sa_handler = leaver;
	sigaction(SIGHUP, &action, NULL);
	plain(); /* <plain> */
	for (int i = 0; i < 2; i++)
		apart(); /* <apart> */
	for (int i = 0; i < 2; i++)
		leave(); /* <leave> */
	return 0;
}
