/* Values: the stored and judged history as log, show and export ask for it. */
#pragma once

#include "app/app.h"
#include "app/history/detect.h"

struct pe_values_query {
	const char *range; /**< "A..B" or "B"; NULL: what is stored on HEAD's line */
	const char *bench; /**< regular expression; NULL: all */
	const char *
		machine; /**< its host's name, or that of imported results; NULL: as pe_detect_load() chooses */
	size_t newest;             /**< at most this many commits; 0: all */
	struct pe_strings metrics; /**< none: those that are judged by default */
	bool own_line; /**< a range is judged with the ancestors of its end alone, wherever HEAD is */
	bool decides; /**< it is acted upon: without results of others that are not trusted */
};

/**
 * The line of history that a revision is judged on: HEAD's where it is on it, because what was measured after a change
 * is evidence of it, too; else its own ancestors. Oldest first, in app->arena.
 */
int pe_values_line(struct pe_revisions *out, struct pe_app *app, const char *id);

/** The machine of that name whose results are the newest. PE_ENOTFOUND with the names that there are. */
int pe_values_machine(int64_t *key, struct pe_app *app, const char *name);

/** Load and judge. PE_ENOTFOUND for a range without commits, and as pe_detect_load(). */
int pe_values_load(struct pe_evolution *out, struct pe_app *app,
		   const struct pe_values_query *asked);

/**
 * The same values, with only those jumps, refuted changes and failures that are in the requested range, which begins at
 * its `first`. All stored values were judged, so that state and size of a jump do not depend on the requested
 * range.
 *
 * @param asked  oldest first; revisions that are not stored are skipped
 * @param arena  owns the copies
 */
struct pe_evolution pe_values_within(const struct pe_evolution *whole,
				     const struct pe_revisions *asked, struct pe_arena *arena);

/**
 * Leave the newest n revisions; with them go the points and failures of the others and the jumps that begin
 * there. n = 0 leaves all.
 */
void pe_values_keep_newest(struct pe_evolution *evolution, size_t n);
