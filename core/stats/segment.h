/*
 * Segment: the exact optimum of a penalised, robust segmentation of weighted values.
 *
 * Minimises, over all ways to cut the series and all levels,
 *
 *	sum over segments of ( penalty + sum over its values of loss((value - level) / sd) )
 *
 * with loss(u) = u^2 for |u| <= k, beyond that Huber's line 2 k |u| - k^2, but never more than the
 * value's own limit. With limit = k^2 this is the biweight loss of Fearnhead and Rigaill,
 *"Changepoint detection in the presence of outliers", JASA 114 (2019), under which a few wild
 * values never make a segment; with limit = INFINITY it is Huber's, under which a single value that
 * is far enough off does.
 *
 * The minimum is found by their functional pruning (section 3.2), which visits no more candidates
 * than PELT (Killick, Fearnhead and Eckley, JASA 107 (2012)) and usually far fewer: the best cost so
 * far is kept as a piecewise quadratic function of the last level.
 */
#pragma once

#include "core/base/arena.h"

#include <stddef.h>

struct pe_segment_value {
	double value; /**< finite */
	double sd;    /**< > 0 */
	double limit; /**< >= k^2: the most that this value can cost; INFINITY: no limit */
};

struct pe_segments {
	size_t *start; /**< index of each segment's first value, ascending; start[0] is 0 */
	size_t n;      /**< 0 for an empty series */
	double cost;   /**< the minimum reached, penalties of all n segments included */
};

/**
 * Segment a series.
 *
 * Cost: n times the number of pieces, which stays at a few dozen on real series (10,000 values take
 * some ten milliseconds); n^2 at worst.
 *
 * @param values   in order
 * @param n        may be 0
 * @param penalty  >= 0, for each segment
 * @param k        > 0, in standard deviations
 * @param arena    owns the answer
 */
struct pe_segments pe_segment(const struct pe_segment_value *values, size_t n, double penalty,
			      double k, struct pe_arena *arena);

/**
 * Huber's M-estimate of a segment's level: the minimum of the loss without limits, by reweighting
 * from the weighted median. Needs n > 0.
 */
double pe_segment_level(const struct pe_segment_value *values, size_t n, double k);
