/* Event: one cause, whichever and however many benchmarks and metrics it moves. */
#ifndef PE_CORE_MODEL_EVENT_H
#define PE_CORE_MODEL_EVENT_H

#include <stddef.h>

/** Its jumps name it (struct pe_jump.event). Commits are indices of the evolution's revisions. */
struct pe_event {
	size_t commit;      /**< where the new levels begin, most likely */
	size_t first, last; /**< commits that hold it with 95 % */
	double sure;        /**< probability of `commit`; NaN: unknown */
};

/**
 * Shift an event after `by` of the oldest revisions were dropped, `n` being left. A place beyond them moves to their
 * edge.
 */
static inline void pe_event_shift(struct pe_event *event, size_t by, size_t n)
{
	size_t *const places[] = {&event->commit, &event->first, &event->last};

	for (size_t i = 0; i < 3; i++) {
		const size_t place = *places[i] > by ? *places[i] - by : 0;

		*places[i] = place < n ? place : n > 0 ? n - 1 : 0;
	}
}

#endif
