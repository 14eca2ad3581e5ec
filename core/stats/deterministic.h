/*
 * Deterministic: change points of metrics that are the same in every run of one build, such as counts of
 * calls and allocations. No statistics: any difference beyond what runs of one build show is a change.
 */
#ifndef PE_CORE_STATS_DETERMINISTIC_H
#define PE_CORE_STATS_DETERMINISTIC_H

#include "core/base/arena.h"
#include "core/stats/changepoint.h"
#include "core/stats/reading.h"

/** Smallest change worth reporting: both must be reached. 0 and 0: any. */
struct pe_deterministic_opts {
	double min_relative; /**< of the old value; a change from 0 reaches any */
	double min_absolute; /**< in the metric's unit */
};

#define PE_DETERMINISTIC_DEFAULTS                                                                  \
	{                                                                                          \
		0, 0                                                                               \
	}

/**
 * Compare each measured commit with the measured one before it.
 *
 * A commit is the range of the values that its runs gave, most often a single number. It changed when the
 * ranges of the two commits do not touch, and the gap between them reaches the minimum effect and is larger
 * than the metric's noise: the wider of the two ranges, and the 90 % quantile (type 7) of all commits'
 * ranges. The latter is 0 as long as the metric keeps its promise in nine commits of ten; otherwise two
 * runs that happened to agree do not pass for exactness.
 *
 * In the result: `location` is the middle of the range, `error` half its width; levels are the middles of
 * the two neighbours, `low` and `high` the extremes that their ranges allow, `strength` 0, for nothing was
 * estimated. A commit's `level` is its location. Rounds and windows are of no account: n_components is 1,
 * or 0 without readings.
 *
 * @param readings  in the metric's unit; values that are not finite are left out
 * @param opts      NULL: PE_DETERMINISTIC_DEFAULTS
 * @param arena     owns the arrays of the result
 */
struct pe_changepoints pe_deterministic_find(const struct pe_readings *readings,
					     const struct pe_deterministic_opts *opts,
					     struct pe_arena *arena);

#endif
