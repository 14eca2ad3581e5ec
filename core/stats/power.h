/*
 * Power: what an answer of "no change" is worth, and what it takes to turn "undecided" into an answer. Nine
 * times in ten throughout.
 *
 * For the commits of a line the search says it itself (pe_commit_level.least); here are two samples, and how
 * many readings a commit would have to have.
 */
#ifndef PE_CORE_STATS_POWER_H
#define PE_CORE_STATS_POWER_H

#include "core/stats/changepoint.h"
#include "core/stats/compare.h"

struct pe_power {
	/**
	 * The smallest relative change, either way, that pe_compare_samples() calls a change nine times in ten
	 * with as many values of this noise. INFINITY when so few values can never be called apart; NAN without
	 * values, or where relative changes are undefined.
	 */
	double least;
	/**
	 * About how many more values *each* side needs for an answer nine times in ten, if the truth is the
	 * estimate: to be told from nothing when it reaches the smallest effect, or else from that effect (a
	 * truth next to it cannot be told from it: a quarter of it is as close as is asked). 0 when the verdict
	 * is not undecided; SIZE_MAX when no number does: no values to judge by, or no smallest effect.
	 */
	size_t more;
};

/**
 * The power of a comparison.
 *
 * The noise is that of the samples: deviations of both from their medians, drawn from with a little smoothing
 * (Silverman and Young, "The bootstrap: to smooth or not to smooth?", Biometrika 74 (1987)), from a fixed
 * seed: the same samples give the same answer. Each draw shows at once the smallest shift with which it would
 * have been called a change, for a shift moves all differences alike. Few values show little of their noise:
 * with five a side, the figure itself is good to a factor of about 1.5.
 *
 * @param opts  as given to pe_compare_samples(); NULL: PE_COMPARE_DEFAULTS
 */
struct pe_power pe_power_of(const double *base, size_t nb, const double *head, size_t nh,
			    const struct pe_compare_opts *opts);

/**
 * How many readings a commit of a line would need, its neighbours as many, for a step of `want` to be found
 * there nine times in ten.
 *
 * @param want  relative, > 0
 * @return      at least 1; 0 when no number is enough (builds differ too much, or the smallest effect of
 *              the search is larger) or nothing is known of the commit
 */
size_t pe_power_repeats(const struct pe_changepoints *found, size_t commit, double want);

#endif
