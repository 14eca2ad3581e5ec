/*
 * Turns of the event loop: which function scheduled the tasks that a thread runs. A timer, a frame, a response is
 * requested in one turn and runs in a later one; the code of that turn was called, in effect, by the requesting function,
 * and the time in between was waiting for it. So both are placed below that function: the code as a path that continues
 * over turns, and the wait as a node "(waiting: timer)".
 *
 * A function that schedules itself again does not make the tree deeper: a function that already is on the path leads
 * back to its node there.
 *
 * Numbers of timers and requests come from a file, and are not trusted: a task that was never requested
 * stays where it was, and so does idle time before it.
 */
#pragma once

#include "core/base/vec.h"
#include "core/base/hash_index.h"
#include "analysis/profile/import_v8.h"

struct pe_chrome_event;

/** An event that schedules a task on a thread, or runs it. Times are µs on the clock of the events. */
struct pe_turn_mark {
	int64_t at_us, end_us;
	uint64_t key, url_key; /**< of the task; url_key: the same task by its address */
	uint32_t thread, order;
	uint32_t stack; /**< of pe_turns.calls; PE_CCT_NONE: unknown */
	uint8_t row;    /**< of the table of events */
};

/** A call in a stack, by its caller: stacks share their common prefix. */
struct pe_turn_call {
	uint32_t caller, frame;
};

/** Zero-initialise; released by pe_turns_release(). */
struct pe_turns {
	PE_VEC(struct pe_turn_mark) marks;
	PE_VEC(struct pe_turn_call) calls;
	struct pe_map call_of;   /**< by caller and frame */
	struct pe_frames frames; /**< of calls; apart from those of the tree, which have lines */
	uint64_t unknown;        /**< tasks that no known function scheduled */
	bool is_sorted;
};

/** Keep an event of a thread, if it schedules a task or runs a scheduled one. */
void pe_turns_take(struct pe_turns *turns, struct pe_chrome_event *event, uint32_t thread);

/** Input and output of pe_turns_spread(). */
struct pe_turns_target {
	struct pe_v8 *v8; /**< with its runs; checked */
	struct pe_cct_builder *builder;
	struct pe_frames *frames;
	uint32_t thread, under; /**< number of the thread, and its node */
	int64_t start_us;       /**< of the profile */
};

/**
 * Move samples of scheduled tasks below the function that scheduled them, and idle time before them.
 *
 * @return  whether anything was moved; v8->is_spread is set to it
 */
bool pe_turns_spread(struct pe_turns *turns, const struct pe_turns_target *target);

/** Release all memory of the turns. Turns that are zero are allowed. */
void pe_turns_release(struct pe_turns *turns);
