/*
 * Calls: the calling context tree of this process, made by the hooks that -finstrument-functions calls.
 *
 *   struct pe_calls_frame   a call that has not returned: its node, where the machine stack was, its function
 *   struct pe_calls_stack   the open calls of one machine stack, in private memory
 *   struct pe_calls_recent  a call that was made lately, so that most need no search
 *   struct pe_calls_tree    where the nodes of one thread come from; it outlives the thread, for a later one
 *   struct pe_calls_thread  thread-local: the open calls, copied out of the current stack for the hooks
 *
 * Nodes are in the mapped trace (probe/formats/trace.h) and are referred to by number or address.
 *
 * Rules. Nothing here allocates, takes a lock, or calls what is not async-signal-safe: a hook runs wherever
 * the program runs, in its malloc and in its signal handlers. A handler may interrupt a hook at any
 * instruction: a hook that changes anything but the top of the stack sets PE_CALLS_BUSY meanwhile, and a hook
 * that finds this state works in a tree and on a stack of its own (struct pe_calls_nested), below
 * the interrupted node.
 */
#pragma once

#include "probe/formats/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The process's phase; and what a thread believes. Recording goes on where both are equal. */
enum pe_calls_phase {
	PE_CALLS_ABSENT, /**< not begun; also the value of a page that the kernel wiped for a forked child */
	PE_CALLS_BEING_MADE, /**< by another thread */
	PE_CALLS_RUNNING,
	PE_CALLS_STOPPED, /**< there is a trace, and it cannot grow */
	PE_CALLS_OFF,     /**< not requested, or the trace cannot be written */
	/* Threads only: */
	PE_CALLS_NEW,  /**< has no tree yet */
	PE_CALLS_BUSY, /**< in a hook */
};

struct pe_calls_frame {
	struct pe_trace_node *node;
	uintptr_t sp; /**< of the method, at its hook */
	const void *function;
};

/** bottom[0] is no call: its node is what calls on this stack are below of, its sp above all others. */
struct pe_calls_stack {
	struct pe_calls_frame *bottom, *top, *limit;
	uintptr_t high, low; /**< known bounds of its addresses */
	bool native;         /**< the thread's own: high and low are its bounds */
};

/** A call that was made lately, and the node that it is counted at. parent NULL: free. */
struct pe_calls_recent {
	const struct pe_trace_node *parent;
	uint64_t function, site;
	struct pe_trace_node *node;
};

enum { PE_CALLS_RECENT_BITS = 10 };

/** Its place among a tree's recent calls: a hash of all three, by Fibonacci's multiplier. */
static inline struct pe_calls_recent *pe_calls_recent(struct pe_calls_recent *recent,
						      const struct pe_trace_node *parent,
						      uint64_t function, uint64_t site)
{
	uint64_t mixed = function ^ site << 5 ^ (uintptr_t)parent / PE_TRACE_SLOT << 16;

	return &recent[mixed * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PE_CALLS_RECENT_BITS)];
}

struct pe_calls_tree {
	uint32_t taken;     /**< by a living thread */
	uint32_t root;      /**< node */
	uint32_t next, end; /**< free nodes of the newest chunk */
	uint32_t pages;     /**< size of that chunk */
	uint32_t table_used, table_size;
	uint32_t *table; /**< its nodes by parent, function and site */
	struct pe_calls_recent *recent;
};

/** What the hooks need of a stack; copied back when another one becomes current. */
struct pe_calls_hot {
	struct pe_calls_frame *top, *limit;
	uintptr_t high, span;
	struct pe_calls_recent *recent; /**< of the tree */
};

enum { PE_CALLS_NESTED = 4 };

/** A signal handler that interrupted a hook. */
struct pe_calls_nested {
	struct pe_calls_hot interrupted;
	struct pe_calls_tree *interrupted_tree;
	struct pe_calls_tree *tree;
	struct pe_calls_frame *bottom; /**< of its own stack, kept for the next time */
	size_t n_frames;
};

struct pe_calls_thread {
	uint32_t epoch; /**< enum pe_calls_phase */
	struct pe_calls_hot hot;
	struct pe_calls_tree *tree;
	struct pe_calls_stack *stacks; /**< by address */
	uint32_t n_stacks, max_stacks, current;
	uint32_t level; /**< nested handlers */
	bool native_known;
	struct pe_calls_nested nested[PE_CALLS_NESTED];
};

extern _Thread_local struct pe_calls_thread pe_calls_self
	__attribute__((tls_model("initial-exec")));

/** In a page of its own that is wiped in forked children. */
extern uint32_t *pe_calls_phase;
/** Address of node 0. */
extern char *pe_calls_base;

static inline struct pe_trace_node *pe_calls_node(uint32_t number)
{
	return (struct pe_trace_node *)(void *)(pe_calls_base + (size_t)number * PE_TRACE_SLOT);
}

static inline uint32_t pe_calls_number(const struct pe_trace_node *node)
{
	return (uint32_t)((size_t)((const char *)node - pe_calls_base) / PE_TRACE_SLOT);
}

static inline uint32_t pe_calls_load_phase(void)
{
	return __atomic_load_n(pe_calls_phase, __ATOMIC_ACQUIRE);
}

/* calls_file.c: the trace of this process. */

/** Begin the trace, if somebody asked for one; in a forked child, a new one. The phase afterwards. */
uint32_t pe_calls_begin(struct pe_calls_thread *thread);

/** The header; NULL without a trace. */
struct pe_trace_header *pe_calls_header(void);

/** Pages at the end of the trace, zero but for their head; the number of the head's slot, or 0: stopped. */
uint32_t pe_calls_chunk(enum pe_trace_chunk_kind kind, uint32_t pages);

/** Record no more: the trace so far stays, marked as incomplete. */
void pe_calls_stop(void);

/** Calls that are not recorded. */
void pe_calls_lose(enum pe_trace_flags flag);

/** Count allocations and frees that cannot be added to a thread's tree. */
void pe_calls_unplaced(uint64_t allocations, uint64_t bytes, uint64_t frees);

/** Zeroed private memory; NULL: none. */
void *pe_calls_map(size_t bytes);

/* calls_nodes.c: the tree. */

/** A tree for a new thread, of one that has ended or a new one; NULL: stopped. */
struct pe_calls_tree *pe_calls_tree_take(void);
void pe_calls_tree_leave(struct pe_calls_tree *tree);

/** In a forked child: forget the parent's trees. */
void pe_calls_trees_forget(void);

/** The child for a call, made when it is new; of a recursive call, the node it is folded to. NULL: stopped. */
struct pe_trace_node *pe_calls_child(struct pe_calls_tree *tree, struct pe_trace_node *parent,
				     uint64_t function, uint64_t site);

/* calls_modules.c */

/** Write down the module of an address, once a module. */
void pe_calls_module_of(uint64_t address);
void pe_calls_modules_forget(void);

/** Some library may have been unloaded. */
void pe_calls_unloaded(void);

/* calls_stacks.c */

/** The thread's first stack. @return false: no memory */
bool pe_calls_stacks_begin(struct pe_calls_thread *thread, uintptr_t sp);
void pe_calls_stacks_end(struct pe_calls_thread *thread);

/** Make the stack of an address current. @return false: it is new, and `make` is false */
bool pe_calls_stack_switch(struct pe_calls_thread *thread, uintptr_t sp, bool make);

/** Room for one more frame. @return false: no memory */
bool pe_calls_stack_grow(struct pe_calls_thread *thread);

/** The frame that a call at this address would be made from; changes nothing. */
struct pe_calls_frame *pe_calls_stack_peek(struct pe_calls_thread *thread, uintptr_t sp);

/** In a forked child: everything open goes on in the new trace, at copies of its nodes. */
bool pe_calls_stacks_adopt(struct pe_calls_thread *thread, char *old_base);

/* calls_hooks.c */

/** Forget the calls of which the machine stack was unwound, so that its pointer is now sp. */
void pe_calls_unwound(uintptr_t sp);

/** How many calls are open on the current stack; and to forget all but so many. SIZE_MAX: not recording. */
size_t pe_calls_depth(void);
void pe_calls_forget_above(size_t depth);

/** An allocation, or a free, by whatever method is running. */
void pe_calls_allocated(uint64_t bytes);
void pe_calls_freed(void);

/** The most bytes in use so far. */
void pe_calls_peak(uint64_t bytes);

/** The allocator is the program's own. */
void pe_calls_bypassed(void);
