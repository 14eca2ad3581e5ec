/*
 * The hooks. The short path has no unexpected branch: the thread records, the stack pointer is on
 * the current stack and below its last open call, and the same call was made from the same node before.
 *
 * A call that has not returned but whose stack is gone (longjmp, exceptions, a vforked child that became
 * another program) is recognised by its stack pointer, which is below that of the next caller; where the
 * unwinding itself can be seen (calls_exits.c), the call is removed at once.
 */
#include "probe/runtime/calls.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#define PUBLIC __attribute__((visibility("default")))
/* Hooks are called from everywhere; what they rarely need stays out of their way. */
#define RARE        __attribute__((noinline, cold))
#define ALWAYS      static inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define BARRIER()   __asm__ volatile("" ::: "memory")

PUBLIC void __cyg_profile_func_enter(void *function, void *site);
PUBLIC void __cyg_profile_func_exit(void *function, void *site);

enum { NESTED_FRAMES = 100, PLAIN_KEYS = 32 };

_Thread_local struct pe_calls_thread pe_calls_self = {.epoch = PE_CALLS_NEW};

static pthread_key_t thread_end;
static bool has_thread_end;

/*
 * On another stack, or on memory of which it is not known yet that it is this stack's. The same hook again
 * with the same stack pointer, while its call is open: that was another coroutine, whose memory this one has.
 */
RARE static bool change_stack(struct pe_calls_thread *thread, const void *function, uint64_t pc,
			      uintptr_t sp)
{
	int error = errno;
	bool changed = pe_calls_stack_switch(thread, sp, true);
	const struct pe_calls_frame *top = thread->hot.top;

	errno = error;
	if (!changed)
		return false;
	if (top->sp == sp && top->function == function && top->node->function == pc)
		thread->hot.top--;
	return true;
}

RARE static void drop_stale(struct pe_calls_thread *thread, uintptr_t sp)
{
	struct pe_calls_frame *frame = thread->hot.top;

	while (frame->sp < sp)
		frame--;
	thread->hot.top = frame;
}

RARE static void give_up(struct pe_calls_thread *thread)
{
	pe_calls_stop();
	pe_calls_lose(PE_TRACE_STOPPED);
	thread->epoch = PE_CALLS_NEW;
}

ALWAYS void push(struct pe_calls_hot *hot, struct pe_trace_node *node, const void *function,
		 uintptr_t sp)
{
	struct pe_calls_frame *top = hot->top + 1;

	node->calls++;
	top->node = node;
	top->sp = sp;
	top->function = function;
	/* A handler that comes now must find the frame, or not, but never half of it. */
	BARRIER();
	hot->top = top;
}

/* The thread is PE_CALLS_BUSY; false: it cannot record any more. */
static bool record_enter(struct pe_calls_thread *thread, const void *function, uint64_t pc,
			 uint64_t site, uintptr_t sp)
{
	struct pe_calls_hot *hot = &thread->hot;
	struct pe_trace_node *child;

	if (hot->high - sp > hot->span && !change_stack(thread, function, pc, sp))
		return false;
	if (hot->top->sp < sp)
		drop_stale(thread, sp);
	if (hot->top + 1 == hot->limit && !pe_calls_stack_grow(thread))
		return false;
	child = pe_calls_child(thread->tree, hot->top->node, pc, site);
	if (child == NULL)
		return false;
	push(hot, child, function, sp);
	return true;
}

static void end_thread(void *payload)
{
	struct pe_calls_thread *thread = payload;
	uint32_t epoch = thread->epoch;

	if (epoch != PE_CALLS_RUNNING)
		return;
	thread->epoch = PE_CALLS_BUSY;
	pe_calls_stacks_end(thread);
	for (int i = 0; i < PE_CALLS_NESTED; i++) {
		struct pe_calls_nested *nested = &thread->nested[i];

		if (nested->tree != NULL)
			pe_calls_tree_leave(nested->tree);
		if (nested->bottom != NULL)
			munmap(nested->bottom, nested->n_frames * sizeof(*nested->bottom));
		*nested = (struct pe_calls_nested){0};
	}
	thread->level = 0;
	if (pe_calls_load_phase() == PE_CALLS_RUNNING)
		pe_calls_tree_leave(thread->tree);
	thread->epoch = PE_CALLS_NEW;
}

/* Keys beyond the first few have their values in memory that is allocated for them. */
__attribute__((constructor)) static void watch_threads(void)
{
	if (has_thread_end || pthread_key_create(&thread_end, end_thread) != 0)
		return;
	has_thread_end = thread_end < PLAIN_KEYS;
}

static bool begin_thread(struct pe_calls_thread *thread, uintptr_t sp)
{
	thread->epoch = PE_CALLS_BUSY;
	thread->level = 0;
	thread->tree = pe_calls_tree_take();
	if (thread->tree == NULL || !pe_calls_stacks_begin(thread, sp)) {
		give_up(thread);
		return false;
	}
	__atomic_fetch_add(&pe_calls_header()->threads, 1, __ATOMIC_RELAXED);
	watch_threads();
	if (has_thread_end)
		pthread_setspecific(thread_end, thread);
	BARRIER();
	thread->epoch = PE_CALLS_RUNNING;
	return true;
}

/* A handler has interrupted a hook: below the method that ran, with a tree and a stack of its own. */
static bool begin_nested(struct pe_calls_thread *thread)
{
	struct pe_calls_nested *nested = &thread->nested[thread->level];
	struct pe_trace_node *base = thread->hot.top->node;

	if (nested->bottom == NULL) {
		nested->bottom = pe_calls_map(NESTED_FRAMES * sizeof(*nested->bottom));
		nested->n_frames = NESTED_FRAMES;
	}
	if (nested->tree == NULL)
		nested->tree = pe_calls_tree_take();
	if (nested->bottom == NULL || nested->tree == NULL)
		return false;
	nested->interrupted = thread->hot;
	nested->interrupted_tree = thread->tree;
	nested->bottom->node = base;
	nested->bottom->sp = UINTPTR_MAX;
	nested->bottom->function = NULL;
	thread->tree = nested->tree;
	thread->hot = (struct pe_calls_hot){
		.top = nested->bottom,
		.limit = nested->bottom + nested->n_frames,
		.high = UINTPTR_MAX,
		.span = UINTPTR_MAX,
		.recent = nested->tree->recent,
	};
	thread->level++;
	return true;
}

/* The handler returns, and the hook that it interrupted goes on; or is never to be finished. */
static void end_nested(struct pe_calls_thread *thread, uint32_t epoch)
{
	const struct pe_calls_nested *nested = &thread->nested[--thread->level];

	thread->tree = nested->interrupted_tree;
	thread->hot = nested->interrupted;
	BARRIER();
	thread->epoch = epoch;
}

/* The first call of a handler that interrupted a hook. What marks its frame makes its exit take the long way. */
static const void *marked(const void *function)
{
	return (const void *)((uintptr_t)function ^ (UINTPTR_MAX / 2 + 1));
}

static void enter_nested(struct pe_calls_thread *thread, const void *function, uint64_t pc,
			 uint64_t site, uintptr_t sp)
{
	if (thread->level == PE_CALLS_NESTED || !begin_nested(thread)) {
		pe_calls_lose(PE_TRACE_LOST);
		return;
	}
	if (!record_enter(thread, marked(function), pc, site, sp)) {
		end_nested(thread, PE_CALLS_BUSY);
		pe_calls_stop();
		pe_calls_lose(PE_TRACE_STOPPED);
		return;
	}
	BARRIER();
	thread->epoch = PE_CALLS_RUNNING;
}

/* Whether this thread can record now: begins the process's trace and the thread's tree where needed. */
static bool ready(struct pe_calls_thread *thread, uintptr_t sp, bool call)
{
	uint32_t phase = pe_calls_load_phase();

	if (phase == PE_CALLS_ABSENT || phase == PE_CALLS_BEING_MADE)
		phase = pe_calls_begin(thread);
	if (phase == PE_CALLS_STOPPED && call)
		pe_calls_lose(PE_TRACE_STOPPED);
	if (phase != PE_CALLS_RUNNING)
		return false;
	return thread->epoch != PE_CALLS_NEW || begin_thread(thread, sp);
}

RARE static void enter_slow(struct pe_calls_thread *thread, const void *function, uint64_t pc,
			    uint64_t site, uintptr_t sp)
{
	int error = errno;
	uint32_t epoch;

	if (!ready(thread, sp, true)) {
		errno = error;
		return;
	}
	epoch = thread->epoch;
	if (epoch == PE_CALLS_BUSY) {
		enter_nested(thread, function, pc, site, sp);
		errno = error;
		return;
	}
	thread->epoch = PE_CALLS_BUSY;
	BARRIER();
	if (!record_enter(thread, function, pc, site, sp)) {
		give_up(thread);
	} else {
		BARRIER();
		thread->epoch = epoch;
	}
	errno = error;
}

/* The thread is PE_CALLS_BUSY, and a condition of the short path does not hold. */
__attribute__((noinline)) static void enter_other(struct pe_calls_thread *thread,
						  const void *function, uint64_t pc, uint64_t site,
						  uintptr_t sp)
{
	if (!record_enter(thread, function, pc, site, sp)) {
		give_up(thread);
		return;
	}
	BARRIER();
	thread->epoch = PE_CALLS_RUNNING;
}

void __cyg_profile_func_enter(void *function, void *site)
{
	struct pe_calls_thread *thread = &pe_calls_self;
	struct pe_calls_hot *hot = &thread->hot;
	uint64_t pc = (uintptr_t)__builtin_return_address(0);
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	uint32_t epoch = thread->epoch;
	const struct pe_trace_node *parent;
	const struct pe_calls_recent *recent;

	if (UNLIKELY(epoch != *(volatile uint32_t *)pe_calls_phase)) {
		enter_slow(thread, function, pc, (uintptr_t)site, sp);
		return;
	}
	thread->epoch = PE_CALLS_BUSY;
	BARRIER();
	parent = hot->top->node;
	recent = pe_calls_recent(hot->recent, parent, pc, (uintptr_t)site);
	if (UNLIKELY(recent->parent != parent || recent->function != pc ||
		     recent->site != (uintptr_t)site || hot->high - sp > hot->span ||
		     hot->top->sp < sp || hot->top + 1 == hot->limit)) {
		enter_other(thread, function, pc, (uintptr_t)site, sp);
		return;
	}
	push(hot, recent->node, function, sp);
	BARRIER();
	thread->epoch = epoch;
}

/* The open call that returns, at or below the top; NULL: none, it was made before anything was recorded. */
static struct pe_calls_frame *find_open(const struct pe_calls_thread *thread, const void *function)
{
	struct pe_calls_frame *frame = thread->hot.top;

	for (; frame->sp != UINTPTR_MAX; frame--)
		if (frame->function == function || frame->function == marked(function))
			return frame;
	return NULL;
}

RARE static void exit_slow(struct pe_calls_thread *thread, const void *function, uintptr_t sp)
{
	int error = errno;
	struct pe_calls_frame *frame;
	uint32_t epoch = thread->epoch;

	/* A call that a hook was interrupted for returns with the thread as it was: never busy. */
	if (pe_calls_load_phase() == PE_CALLS_STOPPED || epoch == PE_CALLS_BUSY ||
	    epoch == PE_CALLS_NEW || !ready(thread, sp, false)) {
		errno = error;
		return;
	}
	thread->epoch = PE_CALLS_BUSY;
	BARRIER();
	if (thread->hot.high - sp <= thread->hot.span || pe_calls_stack_switch(thread, sp, false)) {
		frame = find_open(thread, function);
		if (frame != NULL) {
			bool handler_ends = frame->function != function;

			thread->hot.top = frame - 1;
			if (handler_ends && thread->level > 0) {
				end_nested(thread, PE_CALLS_BUSY);
				errno = error;
				return;
			}
		}
	}
	BARRIER();
	thread->epoch = epoch;
	errno = error;
}

void __cyg_profile_func_exit(void *function, void *site)
{
	struct pe_calls_thread *thread = &pe_calls_self;
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	struct pe_calls_frame *top = thread->hot.top;

	(void)site;
	if (UNLIKELY(thread->epoch != *(volatile uint32_t *)pe_calls_phase) ||
	    UNLIKELY(thread->hot.high - sp > thread->hot.span) ||
	    UNLIKELY(top->function != function)) {
		exit_slow(thread, function, sp);
		return;
	}
	thread->hot.top = top - 1;
}

/* A coroutine that goes elsewhere is resumed one day; a handler on a stack of its own is not. */
static void leave_signal_stack(struct pe_calls_thread *thread)
{
	struct pe_calls_stack *stack = &thread->stacks[thread->current];
	stack_t own;

	if (sigaltstack(NULL, &own) == 0 && (own.ss_flags & SS_ONSTACK) != 0 &&
	    stack->high >= (uintptr_t)own.ss_sp &&
	    stack->low < (uintptr_t)own.ss_sp + own.ss_size && !stack->native)
		thread->hot.top = stack->bottom;
}

void pe_calls_unwound(uintptr_t sp)
{
	struct pe_calls_thread *thread = &pe_calls_self;
	uint32_t epoch = thread->epoch;
	struct pe_calls_frame *frame;

	if (pe_calls_load_phase() != PE_CALLS_RUNNING || epoch == PE_CALLS_NEW)
		return;
	/* A hook that its handler never returns to. */
	if (epoch == PE_CALLS_BUSY)
		epoch = PE_CALLS_RUNNING;
	while (thread->level > 0) {
		const struct pe_calls_frame *first = thread->nested[thread->level - 1].bottom + 1;
		uintptr_t here = (uintptr_t)__builtin_frame_address(0);

		if (thread->hot.top >= first && sp >= here && sp <= first->sp)
			break;
		end_nested(thread, PE_CALLS_BUSY);
		epoch = PE_CALLS_RUNNING;
	}
	thread->epoch = PE_CALLS_BUSY;
	BARRIER();
	if (thread->hot.high - sp > thread->hot.span)
		leave_signal_stack(thread);
	if (thread->hot.high - sp <= thread->hot.span || pe_calls_stack_switch(thread, sp, false)) {
		frame = thread->hot.top;
		while (frame->sp < sp)
			frame--;
		/* Of calls that were inlined into one frame of the machine, the frame's own method is left. */
		while (frame->sp == sp && frame[-1].sp == sp)
			frame--;
		thread->hot.top = frame;
	}
	BARRIER();
	thread->epoch = epoch;
}

size_t pe_calls_depth(void)
{
	struct pe_calls_thread *thread = &pe_calls_self;

	if (pe_calls_load_phase() != PE_CALLS_RUNNING || thread->epoch == PE_CALLS_NEW ||
	    thread->level > 0)
		return SIZE_MAX;
	return (size_t)(thread->hot.top - thread->stacks[thread->current].bottom);
}

void pe_calls_forget_above(size_t depth)
{
	struct pe_calls_thread *thread = &pe_calls_self;
	size_t now = pe_calls_depth();

	if (depth != SIZE_MAX && now != SIZE_MAX && depth < now)
		thread->hot.top = thread->stacks[thread->current].bottom + depth;
}

/* The node of the running method, for an allocation; NULL: none. */
static struct pe_trace_node *running(uintptr_t sp)
{
	struct pe_calls_thread *thread = &pe_calls_self;
	uint32_t phase = pe_calls_load_phase();

	if (phase == PE_CALLS_OFF || phase == PE_CALLS_STOPPED)
		return NULL;
	if (UNLIKELY(phase != PE_CALLS_RUNNING || thread->epoch == PE_CALLS_NEW)) {
		int error = errno;
		bool recording = ready(thread, sp, false);

		errno = error;
		if (!recording)
			return NULL;
	}
	return pe_calls_stack_peek(thread, sp)->node;
}

void pe_calls_allocated(uint64_t bytes)
{
	struct pe_trace_node *node = running((uintptr_t)__builtin_frame_address(0));

	if (node == NULL) {
		pe_calls_unplaced(1, bytes, 0);
		return;
	}
	node->allocations++;
	node->allocated_bytes += bytes;
}

void pe_calls_freed(void)
{
	struct pe_trace_node *node = running((uintptr_t)__builtin_frame_address(0));

	if (node == NULL)
		pe_calls_unplaced(0, 0, 1);
	else
		node->frees++;
}

/* Begin at start-up, so that a program without calls leaves a trace, too, and handlers find all initialised. */
__attribute__((constructor)) static void begin(void)
{
	int error = errno;

	watch_threads();
	if (pe_calls_load_phase() == PE_CALLS_ABSENT)
		pe_calls_begin(&pe_calls_self);
	errno = error;
}
