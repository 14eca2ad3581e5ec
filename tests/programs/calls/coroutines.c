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
#ifdef __aarch64__
enum { FRAME = 20, ENTRY = 11 }; /* words; x30 among them */
__asm__(".text\n"
	".globl pe_switch\n"
	".type pe_switch, %function\n"
	"pe_switch:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp]\n	stp x21, x22, [sp, #16]\n	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n	stp x27, x28, [sp, #64]\n	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n	stp d14, d15, [sp, #144]\n"
	"	mov x2, sp\n"
	"	str x2, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp]\n	ldp x21, x22, [sp, #16]\n	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n	ldp x27, x28, [sp, #64]\n	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size pe_switch, .-pe_switch\n");
#else
enum { FRAME = 8, ENTRY = 6 }; /* words; the address to return to among them */
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
#endif

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
		void **frame = (void **)(void *)(stacks[i] + STACK) - FRAME;

		/* The first switch returns to the function, as if it had been called. */
		frame[ENTRY] = (void *)(size_t)enter_by_hand;
		fibres[i] = frame;
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
