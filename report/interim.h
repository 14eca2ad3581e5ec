/*
 * Interim: the results of a history while it is being measured: both ends, the largest difference, and the commits that
 * are excluded as its cause. A few short lines for the waiting user.
 */
#ifndef PE_REPORT_INTERIM_H
#define PE_REPORT_INTERIM_H

#include "core/base/text.h"
#include "report/evolution.h"

/** Results so far of the requested revisions. */
struct pe_interim {
	size_t known, revisions; /**< with a value of some judged line; of the request */
	/** where the largest difference is; NULL: no judged line has values of two revisions */
	const struct pe_line *line;
	const struct pe_jump
		*jump; /**< NULL: no jump is seen, and this is about the line's two ends */
	const struct pe_point *oldest, *newest; /**< measured ones of that line */
	double relative, low,
		high;    /**< the difference and its 95 % interval; NaN: too few runs for one */
	size_t excluded; /**< of the revisions: the jump is not theirs */
	size_t others;   /**< jumps beside it */
};

/**
 * Find it.
 *
 * @param evolution  borrowed
 */
struct pe_interim pe_interim_of(const struct pe_evolution *evolution);

/** Whether the second differs enough to be printed: another place, or a size outside of the first's interval. */
bool pe_interim_differs(const struct pe_interim *old, const struct pe_interim *now);

/** Append two lines, each ended: how many have results, and the results. */
void pe_interim_add(struct pe_text *out, const struct pe_evolution *evolution,
		    const struct pe_interim *interim);

#endif
