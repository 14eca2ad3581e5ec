/* Top cause: the function behind a change of a benchmark between two revisions, from what the store has. */
#ifndef PE_APP_HISTORY_TOP_CAUSE_H
#define PE_APP_HISTORY_TOP_CAUSE_H

#include "app/app.h"
#include "analysis/compare/top.h"

/** Two revisions of a benchmark, by their keys in the store. */
struct pe_top_cause_query {
	int64_t machine, benchmark;
	int64_t old_revision, new_revision; /**< keys */
	const char *old_id;                 /**< of the repository */
	const struct pe_revision *after;    /**< the newer one */
};

/**
 * Find the function that made the most of a change of instructions. Nothing is built, run or profiled; changed methods are looked
 * up, and read from the sources where the store lacks them. Strings and functions are in app->arena.
 *
 * @return  PE_ENOTFOUND: the store has no counts of both, or no function differs; as the repository and the store
 */
int pe_top_cause_find(struct pe_attribution_top *out, struct pe_app *app,
		      const struct pe_top_cause_query *query);

/** "`hash` (modified) +47.5 M instructions", "probably `queue` (modified): `drain` +210,000 instructions". */
void pe_top_cause_say(struct pe_text *out, const struct pe_attribution_top *top);

#endif
