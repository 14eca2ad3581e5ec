/* Runs: several profiles of one revision, as one tree of means, and how steady each node is. */
#ifndef PE_COMPARE_RUNS_H
#define PE_COMPARE_RUNS_H

#include "analysis/profile/cct.h"

/**
 * Several profiles of one benchmark and one revision, as one: means, and how steady they are. The tree is
 * the first one's, with what only others have put behind it; a context that a profile lacks counts as zero
 * there.
 */
struct pe_runs {
	const struct pe_cct
		*cct; /**< means, rounded down; with one run that run itself, borrowed */
	uint32_t n;   /**< profiles */
	const struct pe_cct *const *at; /**< borrowed */
	uint32_t *const *node_of;       /**< by run and its node: node of cct; NULL: n is 1 */
	/** Standard deviation between runs of own time, of one run, in ns; NULL: unknown (one run, or no times). */
	float *self_deviation_ns;
	/**
	 * Standard error of all times together, as a share of them: how far this execution as a whole may have
	 * run faster or slower than it does. Set by the caller; 0: unknown.
	 */
	double scale_error;
	/** By node: not all runs have it, or not in the same order; NULL: n is 1 */
	bool *unsteady;
	/**
	 * Instructions of each node of cct, itself and with all below, and of the whole execution, which has more than its tree:
	 * pe_method_counts_lay(). NULL: unknown.
	 */
	const uint64_t *instructions, *total_instructions;
	uint64_t whole_instructions;
};

/**
 * Put profiles of one revision together. A column is known when all of them know it.
 *
 * @param at  n of them, at least one, over one table of frames; borrowed, as long as the result lives
 */
void pe_runs_make(struct pe_runs *out, const struct pe_cct *const *at, uint32_t n,
		  struct pe_arena *arena);

/** Variance of a node's own time in one run, ns squared; 0: unknown or none. What all times have in common is beside it. */
double pe_runs_variance(const struct pe_runs *runs, uint32_t node);

/**
 * Variance of a mean own time by its samples alone, ns squared, each of which stands for so much, and one more may have been
 * found: few runs may agree by chance, but a time is never known better. 0: there are no samples.
 */
double pe_runs_sampling_variance(const struct pe_runs *runs, double time_ns);

/** Whether anything is known about how times vary. */
static inline bool pe_runs_varies(const struct pe_runs *runs)
{
	return runs->self_deviation_ns != NULL ||
	       (runs->cct->self_ns != NULL && runs->cct->facts.samples > 0);
}

#endif
