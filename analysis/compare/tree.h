/* Tree: what is done to a calling context tree before it is compared, and what two of them are together. */
#ifndef PE_COMPARE_TREE_H
#define PE_COMPARE_TREE_H

#include "analysis/profile/cct.h"

/** Add what a node itself did: counts, own time and samples, as far as its tree knows them. */
void pe_tree_add_values(struct pe_cct_values *to, const struct pe_cct *cct, uint32_t node);

/**
 * The same execution without call sites: children of one method are one child, with the sum of their
 * values (PARCS section 5.2, tables 4 and 5). Deviations are dropped: they do not add up.
 *
 * @param arena  owns the tree
 */
struct pe_cct *pe_tree_without_sites(const struct pe_cct *cct, struct pe_arena *arena);

/**
 * The tree without methods whose name says nothing: blank, "(anonymous)", or one character, and without those of
 * JavaScript's event loop. Their children
 * and their own values go to their caller, so the whole stays what it was (ZAM section 3.1). Children that
 * come to stand beside one of their own method and call site stay apart.
 */
struct pe_cct *pe_tree_pruned(const struct pe_cct *cct, struct pe_arena *arena);

/**
 * Two samplings of one build as one: times are means, weighted by samples, which add up. Counts, which both have in common,
 * are those of the first; of contexts that only the second one found, its own. Deviations are dropped.
 *
 * @param first, second  over one table of frames, with times and samples
 * @param arena          owns the tree
 */
struct pe_cct *pe_tree_pooled(const struct pe_cct *first, const struct pe_cct *second,
			      struct pe_arena *arena);

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
