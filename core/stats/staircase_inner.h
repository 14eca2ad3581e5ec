/*
 * Inner parts of a staircase: curves (functions of the level, on the points of the grid where they are not negligible)
 * and the model, which the passes share. For staircase.c and run_likelihood.c.
 */
#pragma once

#include "core/stats/staircase.h"

/** at[i] is of level (first + i) grids, and to be multiplied by exp(scale). */
struct pe_staircase_curve {
	double *at, scale;
	long first;
	size_t n;
};

struct pe_staircase_model {
	struct pe_run_law law;
	struct pe_staircase stairs;
	struct pe_staircase_curve *seen; /**< of each build */
	double stay;                     /**< probability of no step */
	double *step;                    /**< by its size in grid points, up; down is the same */
	double *step_most;               /**< the likeliest step of at least this size */
	long n_step;
	struct pe_arena *arena;
};

/** A curve as seen through a deviation, in grids; of a maximum of 1, without ends that are next to nothing. */
struct pe_staircase_curve pe_staircase_blur(const struct pe_staircase_curve *in, double deviation,
					    struct pe_arena *arena);

/**
 * Add the logarithms of the density at a value, and at 1, 2, up to n - 1 grids below it. Outside the table they are that
 * of its nearer end.
 */
void pe_run_law_add(double *out, const struct pe_run_law *law, double value, size_t n);
