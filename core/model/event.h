/*
 * Event: one cause, whichever and however many benchmarks and metrics it moves. Its jumps name it (struct pe_jump.event);
 * its commits are indices of the evolution's revisions.
 */
#ifndef PE_CORE_MODEL_EVENT_H
#define PE_CORE_MODEL_EVENT_H

#include "core/stats/events.h"

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
