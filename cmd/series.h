/*
 * Series: one benchmark and metric along the lines of a history: its figures by revision, the states that it
 * went through, and where the judge says that it moved.
 *
 * A *state* is a stretch of neighbouring revisions that execute the same: one that was measured and those that
 * were carried over from it. The judge sees one commit a state, so that copies of one measurement do not pass
 * for agreement; a jump lies between the last revision of one state and the first of the next. A state may
 * come back (a revert): then it is seen again, with the same readings.
 */
#ifndef PE_CMD_SERIES_H
#define PE_CMD_SERIES_H

#include "core/base/arena.h"
#include "report/evolution.h"
#include "store/store.h"

/** One first-parent line: positions in the evolution's revisions, oldest first. */
struct pe_chain {
	size_t *at;
	size_t n;
	size_t base; /**< 1 when at[0] belongs to another line and only serves as the first predecessor */
};

/** The values of one series, by revision. */
struct pe_series_values {
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
};

/**
 * Group observations by revision.
 *
 * @param place    for each observation the position of its revision; SIZE_MAX: not shown
 * @param carried  by revision: the position of the one that it takes its results from; SIZE_MAX: none. A
 *                 revision that has values of its own keeps to them; a source without values is no source
 */
void pe_series_group(struct pe_series_values *out, const struct pe_observation *at, size_t n,
		     const size_t *place, const size_t *carried, size_t n_revisions,
		     struct pe_arena *arena);

/** The line's points, in the arena; levels are NaN. */
void pe_series_points(struct pe_line *line, const struct pe_series_values *values,
		      struct pe_arena *arena);

/**
 * Judge one chain: fills in its points' levels and appends its jumps (jumps' `commits` is left to the caller).
 *
 * @param line     with metric and points; line->jumps has room for one jump a point of the chain
 * @param scratch  for what is only needed meanwhile
 * @return         whether some of its revisions never shared a round with the others
 */
bool pe_series_judge(struct pe_line *line, const struct pe_chain *chain,
		     const struct pe_series_values *values, struct pe_arena *scratch);

#endif
