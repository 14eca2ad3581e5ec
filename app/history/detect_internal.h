/* Detecting: shared by the files of pe_detect_load() alone. */
#ifndef PE_APP_HISTORY_DETECT_INTERNAL_H
#define PE_APP_HISTORY_DETECT_INTERNAL_H

#include "app/history/detect.h"
#include "app/history/search_cache.h"
#include "app/history/series.h"
#include "core/base/key_index.h"

/** A line on its way into the evolution: asked for, read from the store, searched, filled in. */
struct pe_line_work {
	const struct pe_stored_benchmark *benchmark;
	struct pe_line line;     /**< with its metric from the beginning on */
	struct pe_series series; /**< once it is read; in `scratch` */
	int rc;                  /**< of reading it, of the first line of a benchmark */
	struct pe_err err;       /**< of reading it, where rc is no success */
	struct pe_series_values values;
	struct pe_series_found *found; /**< one a chain, once it is searched */
	struct pe_search_key *keys;    /**< by chain */
	struct pe_arena scratch;       /**< of the values and of the search */
};

enum {
	PE_LINES_TOGETHER = 64, /**< lines that are read at a time, at most */
	PE_VALUES_TOGETHER =
		500000, /**< fewer are searched at a time when they have more values: all of these are in memory */
	PE_LINES_A_PASS = 9, /**< lines of one benchmark that one pass over its runs reads */
	PE_READERS = 4,      /**< threads that read, at most */
};

/** An evolution while it is put together. */
struct pe_detection {
	struct pe_app *app;
	const struct pe_detect_opts *opts;
	struct pe_evolution *out;
	int64_t machine;
	bool farm;     /**< it is a class of machines */
	bool imported; /**< its results were read from files: no config defines its benchmarks */
	struct pe_key_index places; /**< of the evolution's revisions, by key */
	struct pe_chain *chains;
	size_t n_chains;
	struct pe_reused *reused;
	size_t n_reused;
	struct pe_jump_status status;
	size_t room;                   /**< for lines */
	struct pe_search_cache *cache; /**< NULL: all that is found is to be seen */
	bool apart;                    /**< some revisions never shared a round with the others */
	struct pe_line_work lines[PE_LINES_TOGETHER];
	size_t n_lines;
	struct pe_line_work *searched;        /**< of these, the first that is searched now */
	struct pe_store *readers[PE_READERS]; /**< the first is the app's own */
	size_t n_readers;                     /**< 0: none was opened yet */
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

/** Add the lines of a benchmark, one a shown metric: once enough are there, they are read, judged and appended. As the store. */
int pe_detection_add_lines(struct pe_detection *detection,
			   const struct pe_stored_benchmark *benchmark);

/** Read the lines that were added, search them, on all processors, and append them to the evolution's. As the store. */
int pe_detection_finish_lines(struct pe_detection *detection);

/** Forget the lines that were added and are not appended, and close what reading opened. */
void pe_detection_release_lines(struct pe_detection *detection);

/**
 * Group the jumps by cause (core/stats/events.h): fill in the evolution's events, and the `event` of each jump. Jumps of an
 * event whose commit is accepted as a whole (an entry for every benchmark) are accepted, wherever in the event they are.
 *
 * Only stored changed methods and profiles are used, none are computed: without them jumps are neither separated nor
 * joined.
 */
int pe_detection_find_events(struct pe_detection *detection);

#endif
