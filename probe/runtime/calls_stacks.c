/*
 * Machine stacks. A program may run on several in one thread (coroutines, handlers on stacks of their own),
 * and no call announces a switch. The stack pointer shows it: an address outside of the
 * known bounds of the current stack is on another one, with open calls of its own.
 *
 * The bounds of the thread's own stack are the kernel's. Those of others are estimated from their calls: from a little
 * above the first call downwards to a little below the last. So one machine stack may be taken for two, where
 * a method has a large frame; that does no harm, because calls on a stack that was empty go below the method
 * that was running when it was entered, which is the caller.
 */
#include "probe/runtime/calls.h"

#include "probe/runtime/touch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	FIRST_FRAMES = 200, /* two pages */
	FIRST_STACKS = 32,
	BELOW = 2048, /* what a call may take without being taken for another stack */
	ABOVE = 256,
	MOST_STACKS = 1 << 20,
	MAPS_BYTES = 1 << 20, /* of /proc/self/maps: 10,000 mappings */
};

/* Of a mapping of this process. */
struct region {
	uintptr_t low, high;
	bool is_main; /* the first thread's stack */
	uintptr_t end_before;
};

/* The text of /proc/self/maps in memory of its own, for the stack may have little room. NULL: it cannot be read. */
static char *read_maps(void)
{
	char *text = pe_calls_map(MAPS_BYTES);
	int fd = pe_touch_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	ssize_t got = 1;
	size_t n = 0;

	while (text != NULL && fd >= 0 && got > 0 && n < MAPS_BYTES - 1) {
		got = read(fd, text + n, MAPS_BYTES - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static bool find_region(struct region *out, uintptr_t address)
{
	char *text = read_maps(), *end;
	bool found = false;

	*out = (struct region){0};
	for (char *line = text; line != NULL && *line != '\0' && !found; line = end) {
		out->end_before = out->high;
		out->low = strtoul(line, &end, 16);
		out->high = strtoul(end + 1, &end, 16);
		end += strcspn(end, "\n");
		found = address >= out->low && address < out->high;
		out->is_main = found && end - line > 7 && memcmp(end - 7, "[stack]", 7) == 0;
		end += *end == '\n';
	}
	if (text != NULL)
		munmap(text, MAPS_BYTES);
	return found;
}

/* The first thread's stack grows until the limit, or the mapping below. */
static uintptr_t lowest(const struct region *region)
{
	struct rlimit limit;
	uintptr_t low;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur < region->high)
		low = region->high - limit.rlim_cur;
	else
		low = region->end_before;
	if (low < region->end_before)
		low = region->end_before;
	return low < region->low ? low : region->low;
}

/* Whether an address is on the stack that the kernel or the thread library gave to this thread. */
static bool find_native(struct region *out, uintptr_t sp)
{
	uintptr_t thread = (uintptr_t)__builtin_thread_pointer();

	if (!find_region(out, sp))
		return false;
	if (out->is_main) {
		out->low = lowest(out);
		return getpid() == (pid_t)syscall(SYS_gettid);
	}
	/* The C library keeps its data about a thread at the upper end of its stack. */
	if (thread < sp || thread > out->high)
		return false;
	out->high = thread;
	return true;
}

static bool has_frames(struct pe_calls_stack *stack, struct pe_trace_node *base)
{
	if (stack->bottom == NULL) {
		stack->bottom = pe_calls_map(FIRST_FRAMES * sizeof(*stack->bottom));
		if (stack->bottom == NULL)
			return false;
		stack->limit = stack->bottom + FIRST_FRAMES;
	}
	stack->top = stack->bottom;
	stack->bottom->node = base;
	stack->bottom->sp = UINTPTR_MAX;
	stack->bottom->function = NULL;
	return true;
}

static void save(struct pe_calls_thread *thread)
{
	struct pe_calls_stack *stack = &thread->stacks[thread->current];

	stack->top = thread->hot.top;
	stack->limit = thread->hot.limit;
}

static void make_current(struct pe_calls_thread *thread, uint32_t at)
{
	struct pe_calls_stack *stack = &thread->stacks[at];

	thread->current = at;
	thread->hot.top = stack->top;
	thread->hot.limit = stack->limit;
	thread->hot.recent = thread->tree->recent;
	thread->hot.high = stack->high;
	thread->hot.span = stack->high - stack->low + (stack->native ? 0 : BELOW);
}

/* The first stack that ends at or above an address. */
static uint32_t find_place(const struct pe_calls_thread *thread, uintptr_t sp)
{
	uint32_t low = 0, high = thread->n_stacks;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (thread->stacks[middle].high < sp)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_room(struct pe_calls_thread *thread)
{
	size_t size = sizeof(*thread->stacks);
	uint32_t most = thread->max_stacks != 0 ? 2 * thread->max_stacks : FIRST_STACKS;
	void *at;

	if (thread->n_stacks < thread->max_stacks)
		return true;
	if (most > MOST_STACKS)
		return false;
	at = thread->stacks == NULL ? pe_calls_map(most * size)
				    : mremap(thread->stacks, thread->max_stacks * size, most * size,
					     MREMAP_MAYMOVE);
	if (at == NULL || at == MAP_FAILED)
		return false;
	thread->stacks = at;
	thread->max_stacks = most;
	return true;
}

/* A stack at its place in the order; those above move up. */
static bool insert(struct pe_calls_thread *thread, const struct pe_calls_stack *stack,
		   uint32_t place)
{
	if (!has_room(thread))
		return false;
	memmove(thread->stacks + place + 1, thread->stacks + place,
		(thread->n_stacks - place) * sizeof(*stack));
	thread->stacks[place] = *stack;
	thread->n_stacks++;
	if (thread->n_stacks > 1 && thread->current >= place)
		thread->current++;
	return true;
}

static bool add_stack(struct pe_calls_thread *thread, uintptr_t sp, struct pe_trace_node *base)
{
	struct pe_calls_stack stack = {.high = sp + ABOVE, .low = sp};
	struct region region;
	uint32_t place;

	if (!thread->native_known && find_native(&region, sp)) {
		stack.native = thread->native_known = true;
		stack.high = region.high;
		stack.low = region.low;
	}
	place = find_place(thread, stack.high);
	if (!has_frames(&stack, base) || !insert(thread, &stack, place))
		return false;
	make_current(thread, place);
	return true;
}

/* Whether an address is on a stack, or a little below its known bounds. */
static bool reaches(const struct pe_calls_stack *stack, uintptr_t sp)
{
	uintptr_t low = stack->low;

	if (stack->native)
		return sp <= stack->high && sp >= low;
	if (stack->top > stack->bottom && stack->top->sp < low)
		low = stack->top->sp;
	return sp <= stack->high && sp + BELOW >= low;
}

bool pe_calls_stacks_begin(struct pe_calls_thread *thread, uintptr_t sp)
{
	thread->n_stacks = thread->current = 0;
	thread->native_known = false;
	return add_stack(thread, sp, pe_calls_node(thread->tree->root));
}

void pe_calls_stacks_end(struct pe_calls_thread *thread)
{
	for (uint32_t i = 0; i < thread->n_stacks; i++) {
		struct pe_calls_stack *stack = &thread->stacks[i];

		munmap(stack->bottom, (size_t)((char *)stack->limit - (char *)stack->bottom));
	}
	if (thread->stacks != NULL)
		munmap(thread->stacks, thread->max_stacks * sizeof(*thread->stacks));
	thread->stacks = NULL;
	thread->n_stacks = thread->max_stacks = 0;
}

bool pe_calls_stack_switch(struct pe_calls_thread *thread, uintptr_t sp, bool make)
{
	struct pe_trace_node *from = thread->hot.top->node;
	struct pe_calls_stack *stack;
	uint32_t place;

	/* A handler within a hook has one stack for all. */
	if (thread->level > 0)
		return true;
	save(thread);
	place = find_place(thread, sp);
	if (place == thread->n_stacks || !reaches(&thread->stacks[place], sp))
		return make && add_stack(thread, sp, from);
	stack = &thread->stacks[place];
	if (sp < stack->low)
		stack->low = sp;
	/* An empty one is entered from where the thread was; the thread's own begins at its root. */
	if (stack->top == stack->bottom && !stack->native && place != thread->current)
		stack->bottom->node = from;
	make_current(thread, place);
	return true;
}

static struct pe_calls_frame *grown(struct pe_calls_frame *bottom, size_t n, size_t most)
{
	int error = errno;
	void *at = mremap(bottom, n * sizeof(*bottom), most * sizeof(*bottom), MREMAP_MAYMOVE);

	errno = error;
	return at != MAP_FAILED ? at : NULL;
}

bool pe_calls_stack_grow(struct pe_calls_thread *thread)
{
	struct pe_calls_hot *hot = &thread->hot;
	struct pe_calls_frame **bottom = thread->level > 0
						 ? &thread->nested[thread->level - 1].bottom
						 : &thread->stacks[thread->current].bottom;
	size_t n = (size_t)(hot->limit - *bottom), used = (size_t)(hot->top - *bottom);
	struct pe_calls_frame *at = grown(*bottom, n, 2 * n);

	if (at == NULL)
		return false;
	*bottom = at;
	hot->top = at + used;
	hot->limit = at + 2 * n;
	if (thread->level > 0)
		thread->nested[thread->level - 1].n_frames = 2 * n;
	return true;
}

struct pe_calls_frame *pe_calls_stack_peek(struct pe_calls_thread *thread, uintptr_t sp)
{
	const struct pe_calls_hot *hot = &thread->hot;
	struct pe_calls_frame *frame = hot->top;

	if (hot->high - sp > hot->span && thread->level == 0) {
		uint32_t place = find_place(thread, sp);

		/* On a stack without calls, or an unknown one, it is still the work of who entered it. */
		if (place != thread->n_stacks && reaches(&thread->stacks[place], sp) &&
		    thread->stacks[place].top > thread->stacks[place].bottom)
			frame = thread->stacks[place].top;
		else
			return frame;
	}
	while (frame->sp < sp)
		frame--;
	return frame;
}

/* Copies that were made: recursion has the same few nodes in thousands of frames. A child has one thread. */
static struct {
	const struct pe_trace_node *old;
	struct pe_trace_node *copy;
} copies[256];

/* The copy of a node of the parent's trace, with the path that leads to it; NULL: stopped. */
static struct pe_trace_node *copy_path(struct pe_calls_thread *thread, const char *old_base,
				       const struct pe_trace_node *old)
{
	size_t slot = ((uintptr_t)old / PE_TRACE_SLOT) % (sizeof(copies) / sizeof(*copies));
	const struct pe_trace_node *path = old;
	struct pe_trace_node *node = pe_calls_node(thread->tree->root);
	uint32_t depth = 0;

	if (copies[slot].old == old)
		return copies[slot].copy;
	while (path->function != 0) {
		path = (const void *)(old_base + (size_t)path->parent * PE_TRACE_SLOT);
		depth++;
	}
	/* Downwards, with no memory for the path: for each step the way up is gone again. */
	for (; depth > 0 && node != NULL; depth--) {
		path = old;
		for (uint32_t i = 1; i < depth; i++)
			path = (const void *)(old_base + (size_t)path->parent * PE_TRACE_SLOT);
		node = pe_calls_child(thread->tree, node, path->function, path->site);
	}
	copies[slot].old = old;
	copies[slot].copy = node;
	return node;
}

static bool adopt_stack(struct pe_calls_thread *thread, struct pe_calls_stack *stack,
			const char *old_base)
{
	const struct pe_trace_node *before = NULL;
	struct pe_trace_node *copy = NULL;

	for (struct pe_calls_frame *frame = stack->bottom; frame <= stack->top; frame++) {
		const struct pe_trace_node *old = frame->node;
		const void *parent = old_base + (size_t)old->parent * PE_TRACE_SLOT;

		if (before != NULL && old != before && old->function != 0 && parent == before)
			copy = pe_calls_child(thread->tree, copy, old->function, old->site);
		else if (old != before)
			copy = copy_path(thread, old_base, old);
		if (copy == NULL)
			return false;
		before = old;
		frame->node = copy;
	}
	return true;
}

bool pe_calls_stacks_adopt(struct pe_calls_thread *thread, char *old_base)
{
	memset(copies, 0, sizeof(copies));
	for (int i = 0; i < PE_CALLS_NESTED; i++)
		thread->nested[i].tree = NULL;
	save(thread);
	thread->tree = pe_calls_tree_take();
	if (thread->tree == NULL)
		return false;
	for (uint32_t i = 0; i < thread->n_stacks; i++)
		if (!adopt_stack(thread, &thread->stacks[i], old_base))
			return false;
	make_current(thread, thread->current);
	return true;
}
