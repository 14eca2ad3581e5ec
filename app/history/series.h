/*
 * Series: one benchmark and metric along the lines of a history: its values by revision, its states, and the
 * detected changes.
 *
 * A *state* is a stretch of neighbouring revisions that execute the same: one that was measured and those that
 * were reused from it. The detection sees one commit a state, so that copies of one measurement do not pass
 * for agreement; a jump lies between the last revision of one state and the first of the next. A state may
 * come back (a revert): then it is seen again, with the same readings.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/xxh.h"
#include "core/stats/changepoint.h"
#include "report/evolution.h"
#include "store/store.h"

/** A series on its way into the evolution: its line, its values by revision, and what the search found. */
struct pe_series_values {
	struct pe_line line;
	const struct pe_observation *at;
	size_t n, n_revisions;
	size_t *by_revision; /**< indices of observations, grouped */
	size_t *from;        /**< n_revisions + 1: where each revision's group starts */
	/** By revision: the one whose values count for it; itself when measured; SIZE_MAX: none. */
	size_t *source;
	/**
	 * By revision: another one that executes the same and was measured too (`track --again`); SIZE_MAX:
	 * none. What such a pair differs by is noise.
	 */
	size_t *twin;
	struct pe_series_found *found; /**< one a chain, once it is searched */
	struct pe_search_key *keys;    /**< by chain, in the cache (search_cache.h) */
	struct pe_arena scratch;       /**< of the values and of the search */
};

/**
 * Group observations by revision. The other members of *out stay as they are.
 *
 * @param place    for each observation the position of its revision; SIZE_MAX: not shown
 * @param reused  by revision: the position of the one that it takes its results from; SIZE_MAX: none. A
 *                 revision that has values of its own keeps to them; a source without values is no source
 */
void pe_series_group(struct pe_series_values *out, const struct pe_observation *at, size_t n,
		     const size_t *place, const size_t *reused, size_t n_revisions,
		     struct pe_arena *arena);

/** The line's points with the values that were measured, in the arena; levels are NaN. */
void pe_series_points(struct pe_line *line, const struct pe_series_values *values,
		      struct pe_arena *arena);

/**
 * A stored value as a reading of the commit. Counting runs do not depend on when they are made: all of them are of one
 * round of one batch, as long as no module that they execute from outside of the tree was replaced: an epoch is a
 * batch.
 */
struct pe_reading pe_series_reading(size_t commit, const struct pe_observation *one,
				    const struct pe_metric *metric);

/**
 * A chain is a first-parent line of revisions; what the search found for a series along it. Its commits are states:
 * neighbouring revisions of the chain that execute the same.
 */
struct pe_series_found {
	size_t *chain; /**< revisions of the evolution, oldest first */
	size_t n_chain;
	size_t base; /**< 1 when the first one belongs to another chain and only serves as the first predecessor */
	const char *name; /**< of the benchmark */
	const struct pe_metric *metric;
	int64_t benchmark;                   /**< key */
	const struct pe_revision *revisions; /**< of the evolution: positions are theirs */
	size_t *source;                      /**< by state: the revision whose values it has */
	size_t *first, *last;                /**< by state: revisions */
	size_t n_states;
	struct pe_readings readings;
	struct pe_changepoints found;
	/** a metric that does not vary (its kind, by app/measure/exactness.h): what was found needs no confirmation */
	bool exact;
	/** as struct pe_series_values has it; NULL: what is the same by code is searched like all else */
	const size_t *twin;
	/** from the cache (search_cache.h): of `found.commits` only the members that pe_series_apply() reads are set */
	bool remembered;
};

/**
 * What is searched along one chain: its states and their readings. Everything lives in `scratch`.
 *
 * @param out  with its chain, and the members that name the series; the others are 0
 */
void pe_series_read(struct pe_series_found *out, const struct pe_series_values *values,
		    struct pe_arena *scratch);

/** The digest of all that pe_series_search() depends on but for its own code. */
void pe_series_digest(struct pe_xxh *hash, const struct pe_series_found *series,
		      const struct pe_series_values *values, struct pe_arena *scratch);

/** Search what was read. */
void pe_series_search(struct pe_series_found *series, const struct pe_series_values *values,
		      struct pe_arena *scratch);

/** A copy of what was found along a chain that lives as long as the arena and the evolution. */
struct pe_series_found *pe_series_keep(const struct pe_series_found *found, struct pe_arena *arena);

/** Whether a detected change reaches its metric's smallest change to report. */
bool pe_series_reportable(const struct pe_metric *metric, const struct pe_changepoint *change);

/**
 * Whether both commits of a change execute the same code: a difference of their times is placement in memory, or the
 * machine. Its jump has PE_LAYOUT_ONLY.
 */
bool pe_series_is_same_code(const struct pe_series_found *found,
			    const struct pe_changepoint *change);

/** The point of a line at a revision; NULL: it has none. */
struct pe_point *pe_line_point(const struct pe_line *line, size_t revision);

/**
 * Put what was found into a line: its points' levels, what would have been seen at each, and of a metric that varies the
 * values that were judged, in place of those that were measured; its jumps are appended (`commits` is left to the caller). Those of a metric that varies are suspects.
 *
 * @param line  with metric and points; line->jumps has room for one jump a point of the chain
 * @return      whether some of its revisions never shared a round with the others
 */
bool pe_series_apply(struct pe_line *line, const struct pe_series_found *found);
