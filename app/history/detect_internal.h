/* Detecting: shared by the files of pe_detect_load() alone. */
#ifndef PE_APP_HISTORY_DETECT_INTERNAL_H
#define PE_APP_HISTORY_DETECT_INTERNAL_H

#include "app/history/detect.h"
#include "app/history/search_cache.h"
#include "app/history/series.h"
#include "core/base/key_index.h"

/** A line that is loaded, and waits to be searched with others. */
struct pe_waiting_line {
	struct pe_line line;
	struct pe_series_values values;
	struct pe_series_found *found; /**< one a chain, once it is searched */
	struct pe_search_key *keys;    /**< by chain */
	struct pe_arena scratch;       /**< of the values and of the search */
};

/** Lines that are searched at a time, or fewer when they have more values: all of these are in memory. */
enum { PE_WAITING_LINES = 64, PE_WAITING_VALUES = 500000 };

/** Lines of one benchmark that are read together. */
enum { PE_LINES_AT_ONCE = 9 };

/** A benchmark's metrics that are to be read from the store. */
struct pe_unread_lines {
	const struct pe_stored_benchmark *benchmark;
	const struct pe_metric *metrics[PE_LINES_AT_ONCE];
	struct pe_series series[PE_LINES_AT_ONCE]; /**< once read; in the arenas */
	struct pe_arena scratch[PE_LINES_AT_ONCE]; /**< those of the waiting lines to be */
	size_t n;
	int rc;
	struct pe_err err;
};

/** Groups that are read side by side, and threads that read them, at most. */
enum { PE_READ_TOGETHER = 16, PE_READERS = 4 };

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
	struct pe_waiting_line waiting[PE_WAITING_LINES];
	size_t n_waiting, n_values; /**< all of theirs */
	struct pe_unread_lines unread[PE_READ_TOGETHER];
	size_t n_unread;
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

/**
 * Load the lines of a benchmark, one a shown metric. Once enough are to be read they are, and once enough wait they are
 * judged, those that are to be judged, and appended to the evolution's. As the store.
 */
int pe_detection_add_lines(struct pe_detection *detection,
			   const struct pe_stored_benchmark *benchmark);

/**
 * Read, judge and append what is left of the lines: judged are those that wait, searching on all processors. As the
 * store.
 */
int pe_detection_finish_lines(struct pe_detection *detection);

/** Forget the lines that are to be read, and those that wait. */
void pe_detection_release_lines(struct pe_detection *detection);

/**
 * Read the series of all unread lines, on several processors where they are many. The result of each is its `rc` and
 * `err`.
 */
void pe_detection_read(struct pe_detection *detection);

/** Close what that opened. */
void pe_detection_close_readers(struct pe_detection *detection);

/**
 * Group the jumps by cause (core/stats/events.h): fill in the evolution's events, and the `event` of each jump. Jumps of an
 * event whose commit is accepted as a whole (an entry for every benchmark) are accepted, wherever in the event they are.
 *
 * Only stored changed methods and profiles are used, none are computed: without them jumps are neither separated nor
 * joined.
 */
int pe_detection_find_events(struct pe_detection *detection);

#endif
