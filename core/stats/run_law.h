/*
 * Run law: what noise adds to the level of a run, as a density. Runs are skewed, some are outliers, and some programs
 * have a second mode.
 */
#ifndef PE_CORE_STATS_RUN_LAW_H
#define PE_CORE_STATS_RUN_LAW_H

#include "core/base/arena.h"

#include <stddef.h>

/** The core is a shifted lognormal of mean 0, outliers are exponential and added to it. Sizes on the scale. */
struct pe_run_shape {
	double deviation, skew;       /**< of the core; skew is the deviation of the logarithm */
	double mode_share, mode_size; /**< share of slower runs, and by how much */
	double slow, fast;            /**< shares of outliers on either side */
	double outlier_mean;
	double far_mean; /**< of the further half of them; 0: all are alike */
};

/** A density on the points of a grid. */
struct pe_run_law {
	double grid;
	const double *at; /**< its logarithm at (i - zero) grids; finite */
	size_t n, zero;
};

/**
 * Tabulate a shape.
 *
 * @param fine   points a deviation of the core
 * @param reach  how far from 0 the table goes, at least
 */
struct pe_run_law pe_run_law_of(const struct pe_run_shape *shape, size_t fine, double reach,
				struct pe_arena *arena);

/**
 * Add the logarithms of the density at a value, and at 1, 2, up to n - 1 grids below it. Outside the table they are that
 * of its nearer end.
 */
void pe_run_law_add(double *out, const struct pe_run_law *law, double value, size_t n);

#endif
