/* Runs: several profiles of one revision, as one tree of means, and how steady each node is. */
#pragma once

#include "analysis/profile/cct.h"

/**
 * Several profiles of one benchmark and one revision, as one tree of means with its variation. The tree has the nodes of the
 * first profile, followed by those of the others; a profile counts as zero in contexts that it lacks.
 */
struct pe_runs {
	const struct pe_cct *cct; /**< means, rounded down; with one run, that run, borrowed */
	uint32_t n;               /**< profiles */
	const struct pe_cct *const *at; /**< borrowed */
	uint32_t *const *node_of;       /**< by run and its node: node of cct; NULL: n is 1 */
	/** Standard deviation between runs of own time, of one run, in ns; NULL: unknown (one run, or no times). */
	float *self_deviation_ns;
	/**
	 * Standard error that all times have in common, as a share of them: how far the whole execution may have
	 * run faster or slower. Set by the caller; 0: unknown.
	 */
	double scale_error;
	/** By node: not all runs have it in the same order; NULL: n is 1 */
	bool *unsteady;
	/**
	 * Instructions of each node of cct, own and inclusive, and of the whole execution, which has more than its
	 * tree: set by pe_method_counts_lay(). NULL: unknown.
	 */
	const uint64_t *instructions, *total_instructions;
	uint64_t whole_instructions;
};

/**
 * Merge profiles of one revision. A column is known when all profiles have it.
 *
 * @param at  n of them, at least one, over one table of frames; borrowed while the result is used
 */
void pe_runs_make(struct pe_runs *out, const struct pe_cct *const *at, uint32_t n,
		  struct pe_arena *arena);

/** Variance of a node's own time in one run, ns squared, without the common error of all times; 0: unknown or none. */
double pe_runs_variance(const struct pe_runs *runs, uint32_t node);

/**
 * Variance of a mean own time by its samples alone, ns squared: each sample stands for the same time, and one more is
 * assumed. It is a lower bound, because few runs may agree by chance. 0: there are no samples.
 */
double pe_runs_sampling_variance(const struct pe_runs *runs, double time_ns);

/** Whether the variation of times is known. */
static inline bool pe_runs_varies(const struct pe_runs *runs)
{
	return runs->self_deviation_ns != NULL ||
	       (runs->cct->self_ns != NULL && runs->cct->facts.samples > 0);
}
