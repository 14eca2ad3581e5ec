/*
 * Stacks that are switched: by swapcontext, and by hand between small stacks that lie side by side in one
 * array. Each coroutine goes on where it was, below the function that was running when it was first entered.
 *
 *   coroutines x1
 *     main x1
 *       with_contexts @contexts x1
 *         body @* x2
 *           part @part x6
 *             yield_context @yield_context x6
 *           finish @finish x2
 *         resumed @resumed x8
 *       by_hand @hand x1
 *         switch_to @switch x24
 *         enter_by_hand @* x8
 *           turn @turn x16
 *             leaf @leaf x16
 *             give_way @give_way x16
 *               leaf @before x16
 *         leaf @scheduler x24
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <ucontext.h>

#define KEEP __attribute__((noinline))

enum { CONTEXTS = 2, PARTS = 3, FIBRES = 8, TURNS = 2, STACK = 16 * 1024 };

static ucontext_t scheduler, contexts[CONTEXTS];
static char context_stacks[CONTEXTS][64 * 1024];
static int current;

KEEP static void yield_context(void)
{
	swapcontext(&contexts[current], &scheduler);
}

KEEP static void part(void)
{
	yield_context(); /* <yield_context> */
}

KEEP static void finish(void)
{
	__asm__ volatile("");
}

KEEP static void body(void)
{
	for (int i = 0; i < PARTS; i++)
		part(); /* <part> */
	finish();       /* <finish> */
}

KEEP static void resumed(void)
{
	__asm__ volatile("");
}

KEEP static void with_contexts(void)
{
	for (int i = 0; i < CONTEXTS; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = context_stacks[i];
		contexts[i].uc_stack.ss_size = sizeof(context_stacks[i]);
		contexts[i].uc_link = &scheduler;
		makecontext(&contexts[i], body, 0);
	}
	for (int i = 0; i < CONTEXTS * (PARTS + 1); i++) {
		current = i % CONTEXTS;
		swapcontext(&scheduler, &contexts[current]);
		resumed(); /* <resumed> */
	}
}

/* By hand: what a callee has to keep goes to the stack, then the stacks change. */
void pe_switch(void **from, void *to);
__asm__(".text\n"
	".globl pe_switch\n"
	".type pe_switch, @function\n"
	"pe_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n	push %r13\n	push %r14\n	"
	"push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbx\n	"
	"pop %rbp\n"
	"	ret\n"
	".size pe_switch, .-pe_switch\n");

static _Alignas(64) char stacks[FIBRES][STACK];
static void *fibres[FIBRES], *home;

KEEP static void leaf(void)
{
	__asm__ volatile("");
}

KEEP static void give_way(void)
{
	leaf(); /* <before> */
	pe_switch(&fibres[current], home);
}

KEEP static void turn(void)
{
	leaf();     /* <leaf> */
	give_way(); /* <give_way> */
}

KEEP static void enter_by_hand(void)
{
	for (int i = 0; i < TURNS; i++)
		turn(); /* <turn> */
	pe_switch(&fibres[current], home);
	abort();
}

KEEP static void switch_to(int fibre)
{
	current = fibre;
}

KEEP static void by_hand(void)
{
	for (int i = 0; i < FIBRES; i++) {
		void **top = (void **)(void *)(stacks[i] + STACK) - 1;

		/* The first switch returns to the function, as if it had been called. */
		*--top = (void *)(size_t)enter_by_hand;
		fibres[i] = top - 6;
	}
	for (int i = 0; i < FIBRES * (TURNS + 1); i++) {
		switch_to(i % FIBRES); /* <switch> */
		pe_switch(&home, fibres[current]);
		leaf(); /* <scheduler> */
	}
}

int main(void)
{
	with_contexts(); /* <contexts> */
	by_hand();       /* <hand> */
	return 0;
}
