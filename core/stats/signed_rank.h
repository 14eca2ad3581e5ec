/*
 * Signed rank: differences of pairs, judged by the ranks of their sizes (Wilcoxon, "Individual comparisons by
 * ranking methods", Biometrics Bulletin 1 (1945)). Whatever moved both runs of a pair is gone from their
 * difference, and no outlier counts for more than its rank.
 *
 * When nothing changed and the order within each pair was drawn, every difference is as likely positive as
 * negative whatever its size: so the distribution under the null hypothesis is exact, for any noise.
 */
#pragma once

#include <stddef.h>

/**
 * The chance, if nothing changed, of a rank sum of the positive differences at least as large as this one.
 *
 * Exact, given the sizes: all 2^n signs are counted, by dynamic programming over doubled ranks. Equal sizes
 * share the mean of their ranks; differences of 0 are ranked and then left out (Pratt, "Remarks on zeros and
 * ties in the Wilcoxon signed rank procedures", JASA 54 (1959)). One-sided, towards positive differences.
 *
 * @param difference  finite
 * @param n           0 gives 1; takes n^3 steps
 */
double pe_signed_rank_p(const double *difference, size_t n);

struct pe_signed_rank_interval {
	double estimate; /**< median of the means of all pairs of differences (Hodges and Lehmann 1963) */
	double low,
		high; /**< -INFINITY and INFINITY where so few differences give none of that level */
	double level; /**< its chance of missing, exactly; at most the required one; 1 without bounds */
};

/**
 * An interval for the centre of the differences: the one that inverts the two-sided test (Hollander and Wolfe,
 * Nonparametric Statistical Methods (1999), section 3.3).
 *
 * Exact for a symmetric distribution; conservative where differences are equal.
 *
 * @param n      > 0
 * @param level  chance of missing that is allowed, in (0, 1)
 */
struct pe_signed_rank_interval pe_signed_rank_interval(const double *difference, size_t n,
						       double level);
