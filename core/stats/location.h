/*
 * Location: where each commit's readings lie, and how uncertain that is. A commit lies at its lower quartile, which
 * says least of skew and of slow outliers. Under simulated noise of all kinds (bench/simulate_judge.c), taking of the
 * quartile, the median, the trimmed mean and Hodges and Lehmann's estimate the one under which commits differ least
 * finds the same changes.
 */
#pragma once

#include "core/base/arena.h"

#include <stddef.h>

/** Values by owner: those of owner i are value[start[i]] up to value[start[i + 1]]. */
struct pe_samples {
	const double *value;
	const size_t *start; /**< n + 1 */
	size_t n;            /**< owners, each with one value at least */
};

/** From the least of all values to the greatest; -INFINITY without any. */
double pe_samples_range(const struct pe_samples *samples);

struct pe_located {
	double *at;       /**< one an owner */
	double *variance; /**< one an owner: square of the standard error of `at` */
	double freedom;   /**< degrees of freedom that the variances rest on, all together */
};

/**
 * Locate every owner's values.
 *
 * The standard error of a quartile is 1.36 * 1.4826 * MAD / sqrt(n). The MAD of few values is
 * both biased and very uncertain, so the deviations of all owners are pooled, and each owner's own
 * variance is shrunk towards the pooled one, which counts as four values (an empirical Bayes
 * estimate with fixed weight), and kept within a factor of four of it. With one value an owner
 * it is unknown: variance 0, freedom 0.
 *
 * @param arena  owns the arrays
 */
struct pe_located pe_locate_all(const struct pe_samples *samples, struct pe_arena *arena);
