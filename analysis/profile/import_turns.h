/*
 * Turns of the event loop: who scheduled what a thread runs. A timer, a frame, a response is asked for in one
 * turn and runs in a later one; what runs then was called, in the end, by the function that asked, and the time in
 * between was waiting for it. So both stand below that function: its call as a path that goes on over turns, and a
 * node "(waiting: timer)".
 *
 * A function that schedules itself again does not make the tree deeper: a function that stands on the path leads
 * back to its node there.
 *
 * Numbers of timers and requests are a file's, and nothing is believed of them: what runs without having been asked
 * for stays where it was, and so does idle time before it.
 */
#ifndef PE_PROFILE_IMPORT_TURNS_H
#define PE_PROFILE_IMPORT_TURNS_H

#include "core/base/vec.h"
#include "core/base/hash_index.h"
#include "analysis/profile/import_v8.h"

struct pe_chrome_event;

/** Events, and calls in stacks, that are kept at most: 80 MB in all. Later ones are passed over. */
enum { PE_TURNS_MOST_MARKS = 1 << 20, PE_TURNS_MOST_CALLS = 1 << 20 };

/** Something is scheduled on a thread, or runs there. Times are µs on the clock of the events. */
struct pe_turn_mark {
	int64_t at_us, end_us;
	uint64_t key, url_key; /**< what it is about; url_key: the same, known by its address */
	uint32_t thread, order;
	uint32_t stack; /**< of pe_turns.calls; PE_CCT_NONE: unknown */
	uint8_t row;    /**< of the table of events */
};

/** A call in a stack, by its caller: stacks share what they have in common. */
struct pe_turn_call {
	uint32_t caller, frame;
};

/** Zero-initialise; released by pe_turns_release(). */
struct pe_turns {
	PE_VEC(struct pe_turn_mark) marks;
	PE_VEC(struct pe_turn_call) calls;
	struct pe_map call_of;   /**< by caller and frame */
	struct pe_frames frames; /**< of calls; apart from those of the tree, which know lines */
	bool is_full, is_sorted;
};

/** Keep an event of a thread, if it schedules something or runs something that was. */
void pe_turns_take(struct pe_turns *turns, const struct pe_chrome_event *event, uint32_t thread);

/** What pe_turns_spread() works on. */
struct pe_turns_target {
	struct pe_v8 *v8; /**< with its runs; checked */
	struct pe_cct_builder *builder;
	struct pe_frames *frames;
	uint32_t thread, under; /**< number of the thread, and its node */
	int64_t start_us;       /**< of the profile */
};

/**
 * Move samples of what was scheduled below who scheduled it, and idle time before it.
 *
 * @return  whether anything was moved; then v8->is_spread says so as well
 */
bool pe_turns_spread(struct pe_turns *turns, const struct pe_turns_target *target);

void pe_turns_release(struct pe_turns *turns);

#endif
