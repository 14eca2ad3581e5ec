/* Detecting: shared by the files of pe_detect_load() alone. */
#pragma once

#include "app/history/detect.h"
#include "app/history/search_cache.h"
#include "app/history/series.h"
#include "core/base/key_index.h"
#include "core/base/vec.h"

/** An evolution while it is put together. */
struct pe_detection {
	struct pe_app *app;
	const struct pe_detect_opts *opts;
	struct pe_evolution *out;
	int64_t machine;
	bool farm;     /**< it is a class of machines */
	bool imported; /**< its results were read from files: no config defines its benchmarks */
	struct pe_key_index places;     /**< of the evolution's revisions, by key */
	struct pe_key_index stored;     /**< places in `known`, by key */
	struct pe_revision *known;      /**< all stored revisions, also those that are not shown */
	struct pe_series_found *chains; /**< without a series */
	size_t n_chains;
	struct pe_coverage *reused;
	size_t n_reused;
	struct pe_jump_status status;
	struct pe_stored_benchmark *benchmarks; /**< of the machine */
	size_t n_benchmarks;
	struct pe_search_cache *cache; /**< NULL: all that is found is to be seen */
	bool apart;                    /**< some revisions never shared a round with the others */
	PE_VEC(struct pe_series_values) lines; /**< that were read and are to be searched */
	size_t n_values;                       /**< of these */
	PE_VEC(struct pe_line) shown;          /**< the evolution's, once they are searched */
};

/** Choose the history to show, and keep of it what is stored: out->revisions, with their places and keys. */
int pe_detection_load_revisions(struct pe_detection *detection);

/**
 * Part the revisions into first-parent lines.
 *
 * Where a revision's first parent is not shown, history was thinned out (tags, a list, a date): the one shown
 * before it takes its place, so that a thinned history is one line and not as many as revisions. Only a
 * revision whose parent is shown, and already has a child on a line, starts a line of its own.
 */
void pe_detection_find_chains(struct pe_detection *detection);

/** Store the jumps of all lines, with their events, if the options want it. */
int pe_detection_keep_jumps(const struct pe_detection *detection);

/** Read the lines of a benchmark, one a shown metric; once enough are there, they are judged and appended. As the store. */
int pe_detection_add_lines(struct pe_detection *detection,
			   const struct pe_stored_benchmark *benchmark);

/** Search the lines that were read, on all processors, and append them to `shown`. */
void pe_detection_finish_lines(struct pe_detection *detection);

/** Release the lines. */
void pe_detection_release_lines(struct pe_detection *detection);

/**
 * Group the jumps by cause (core/stats/events.h): fill in the evolution's events, and the `event` of each jump. Jumps of an
 * event whose commit is accepted as a whole (an entry for every benchmark) are accepted, wherever in the event they are.
 *
 * Only stored changed methods and profiles are used, none are computed: without them jumps are neither separated nor
 * joined.
 */
int pe_detection_find_events(struct pe_detection *detection);
