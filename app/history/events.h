/*
 * Events: the jumps of an evolution, grouped by cause (core/stats/events.h). It joins the stored changed methods and
 * executed functions of benchmarks with the places of the jumps.
 */
#ifndef PE_APP_HISTORY_EVENTS_H
#define PE_APP_HISTORY_EVENTS_H

#include "app/app.h"
#include "app/history/series.h"
#include "configs/accepted.h"

struct pe_events_query {
	const struct pe_chain *chains; /**< first-parent lines of the evolution's revisions */
	size_t n_chains;
	const int64_t *benchmarks; /**< keys, one a line of the evolution */
	int64_t machine;           /**< whose profiles have the executed functions */
	const struct pe_accepted_list *accepted;
};

/**
 * Fill in evolution->events and the `event` of each jump. Jumps of an event whose commit is accepted as a whole (an entry
 * for every benchmark) are accepted, wherever in the event they are.
 *
 * Only stored changed methods and profiles are used, none are computed: without them jumps are neither separated nor
 * joined.
 *
 * @param evolution  with its revisions, lines and jumps; the events are in app->arena
 */
int pe_events_of(struct pe_evolution *evolution, struct pe_app *app,
		 const struct pe_events_query *asked);

#endif
