/*
 * Ways out that no exit hook sees: longjmp over three functions, into a function that goes on calling, again
 * and again; _longjmp, and siglongjmp out of a handler.
 *
 *   longjmp x1
 *     main x1
 *       round_trip @round x3
 *         outer @outer x3
 *           middle @middle x3
 *             inner @inner x3 +3:24
 *         after @after x3 -3
 *         again @again x3
 *           after @again_after x3
 *       leave_handler @leave x2
 *         raise_it @raise x2
 *           handler @* x2
 *             inner_of_handler @inner_of_handler x2
 *         landed @landed x2
 *       last @last x1
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static jmp_buf target;
static sigjmp_buf out;
static void *volatile block;

static void inner(void)
{
	block = malloc(8);
	longjmp(target, 1);
}

static void middle(void)
{
	inner(); /* <inner> */
}

static void outer(void)
{
	middle(); /* <middle> */
}

static void after(void)
{
	free(block);
	block = NULL;
}

static void again(void)
{
	after(); /* <again_after> */
}

static void round_trip(void)
{
	if (_setjmp(target) == 0)
		outer(); /* <outer> */
	after();         /* <after> */
	again();         /* <again> */
}

static void inner_of_handler(void)
{
	siglongjmp(out, 1);
}

static void handler(int number)
{
	(void)number;
	inner_of_handler(); /* <inner_of_handler> */
}

static void raise_it(void)
{
	raise(SIGUSR1);
}

static void landed(void)
{
}

static void leave_handler(void)
{
	if (sigsetjmp(out, 1) == 0)
		raise_it(); /* <raise> */
	landed();           /* <landed> */
}

static void last(void)
{
}

int main(void)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < 3; i++)
		round_trip(); /* <round> */
	for (int i = 0; i < 2; i++)
		leave_handler(); /* <leave> */
	last();                  /* <last> */
	return 0;
}
