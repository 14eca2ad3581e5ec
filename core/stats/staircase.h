/*
 * Staircase: find the commits that begin a new level, by all of their readings and the law of a run's noise. A level can be
 * a single build, without neighbours as evidence, and its few readings contain outliers, or one mode of two.
 *
 * A hidden Markov model: the level goes from commit to commit, and at each gap it stays, or moves by a step whose size is
 * log-uniform, up or down. Levels are points of a grid; the emission of a commit is the likelihood of its
 * readings under the law, blurred by the deviation between builds of equal speed. The likeliest path is found by Viterbi's
 * algorithm (Rabiner, "A tutorial on hidden Markov models", Proceedings of the IEEE 77 (1989), section III).
 *
 * The law is chosen from a family (skewed and nearly symmetric ones, and some with a second mode, of many
 * sizes) as the one under which the scatter of readings about the level of their own commit is likeliest.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/location.h"

#include <stdbool.h>

/** Commits, oldest first. */
struct pe_staircase {
	struct pe_samples samples; /**< each commit's sorted */
	double builds;             /**< deviation between builds of equal speed */
	/** one a commit: variance of the offset of its batches, which it may share with others; NULL: none */
	const double *block_variance;
};

/** What noise adds to the level of a run: a density on the points of a grid. */
struct pe_run_law {
	double grid;
	const double *at; /**< its logarithm at (i - zero) grids; finite */
	size_t n, zero;
};

/** What is thought of steps beforehand. */
struct pe_staircase_steps {
	/** size on the scale, log-uniform in between; `most` is what the readings span at least */
	double least, most;
	double chance; /**< of a step at a gap between neighbours */
};

/**
 * The law from the family that fits best: of a seventh to 1.2 of what readings are off the median of their commit, but
 * no narrower than a fourth of what builds differ by.
 */
struct pe_run_law pe_staircase_law(const struct pe_staircase *stairs, struct pe_arena *arena);

/** The likelihood of each commit's level under a law, from which paths and detection limits are computed. */
struct pe_staircase_model;

/**
 * Make one: most of the work that a staircase is.
 *
 * @param stairs  whose samples and variances it borrows, like the law's table
 * @param arena   owns it, and what is worked out from it
 */
struct pe_staircase_model *pe_staircase_model_of(const struct pe_staircase *stairs,
						 const struct pe_run_law *law,
						 const struct pe_staircase_steps *steps,
						 struct pe_arena *arena);

/**
 * The commits that begin a level on the likeliest path.
 *
 * @param is_step  one a commit; false for the first
 * @return         logarithm of the path's probability, comparable for one law
 */
double pe_staircase_find(bool *is_step, const struct pe_staircase_model *model);

/**
 * How far the readings of a commit that is alone at its level have to move, on the scale, to be seen at all: what nine
 * in ten of the commits would need against the two before them. INFINITY for a single commit.
 *
 * @param level  of each commit, by which they differ already
 */
double pe_staircase_least(const struct pe_staircase_model *model, const double *level);
