/*
 * Events: the jumps of an evolution, shared out among their causes (core/stats/events.h). Here what the store knows of
 * changed methods and of what benchmarks execute meets the places of the jumps.
 */
#ifndef PE_APP_HISTORY_EVENTS_H
#define PE_APP_HISTORY_EVENTS_H

#include "app/app.h"
#include "app/history/series.h"
#include "configs/accepted.h"

struct pe_events_asked {
	const struct pe_chain *chains; /**< first-parent lines of the evolution's revisions */
	size_t n_chains;
	const int64_t *benchmarks; /**< keys, one a line of the evolution */
	int64_t machine;           /**< whose profiles say what benchmarks execute */
	const struct pe_accepted_list *accepted;
};

/**
 * Fill in evolution->events and the `event` of each jump. Jumps of an event whose commit is accepted as a whole (an entry
 * for every benchmark) are accepted, wherever they themselves lie.
 *
 * Nothing is computed of changed methods, and nothing of profiles but what they execute: what the store does not know
 * yet does not part or join anything.
 *
 * @param evolution  with its revisions, lines and jumps; the events are in app->arena
 */
int pe_events_of(struct pe_evolution *evolution, struct pe_app *app,
		 const struct pe_events_asked *asked);

#endif
