/*
 * Rounds: what the machine did to a whole round of runs is estimated from all commits in it and
 * taken away, so that commits are compared as if they had run at one moment. This improves the results more than
 * any test does: see the numbers that bench/simulate_judge prints.
 *
 * The model of a reading is
 *
 *	value = commit + block + round + noise
 *
 * where a block is a part of a batch whose commits met each other in rounds, directly or through
 * others. `round` is found within each block by median polish (Tukey, Exploratory Data Analysis
 *(1977), chapter 11) of the readings' deviations from their commit's median, and shrunk by how much
 * the rounds of that block differ beyond chance: with a hundred commits in a round it is well estimated and
 * removed whole, with three it is mostly noise and mostly stays. `block` is how much later batches
 * are slower or faster as a whole: a weighted two-way fit over the cells (commit, block) with
 * Huber's weights (Huber 1964), which needs no balance: a later batch may hold one new commit and
 * four old ones.
 *
 * Commits that no chain of shared rounds ties together cannot be compared: the machine may have
 * been another in between. They come out as components, each on its own scale.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/design.h"

#include <stdbool.h>

/** Arrays live in the arena. */
struct pe_rounds {
	/** One a reading, in their order: the value without block and round, on the component's own
	 * scale. */
	double *value;
	/**
	 * One a reading: false for a reading that is no evidence about its commit: it is not finite,
	 * or it was taken in a batch of its commit alone while others tie that commit to the rest.
	 */
	bool *used;
	/** One a commit: numbered from 0 in the order of their oldest commits, or PE_NO_COMPONENT. */
	size_t *component;
	size_t n_components;
	/** One a commit: variance that comes from not knowing the blocks exactly; 0 with a single
	 * batch. */
	double *block_variance;
};

/**
 * Remove the common part of blocks and rounds.
 *
 * Commits of a component keep its overall level: its readings' blocks have the median 0. Rounds in
 * which a commit stood alone are left as they are. A commit that was only ever measured alone is a
 * component of its own and keeps its values.
 *
 * @param readings  on a scale where the machine adds: logarithms of times
 * @return          deterministic; independent of the order of the readings and, but for rounding,
 * of the numbers that batches and rounds have. About n log n and a few passes over the readings
 */
struct pe_rounds pe_rounds_remove(const struct pe_readings *readings, struct pe_arena *arena);
