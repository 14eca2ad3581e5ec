/*
 * Steady: which differences between two revisions are no more than what runs of one revision differ by themselves,
 * because threads, time, random numbers or addresses decide what the program does (PARCS section 3.3, reason 4).
 */
#ifndef PE_COMPARE_STEADY_H
#define PE_COMPARE_STEADY_H

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"

/**
 * Whether counting runs of one build do not all have a node, or not all in the same order among its siblings; or
 * only samples know it, so that chance decides whether it is seen.
 */
bool pe_steady_comes_and_goes(const struct pe_runs *runs, uint32_t node);

/**
 * Whether the counts of a node lie within each other's ranges: from the least to the greatest of all counting runs of
 * a revision. A side that lacks the node counts zero in all runs. Where each revision counts the same in every run,
 * no difference is its own doing.
 *
 * @param old_node, new_node  PE_CCT_NONE: that side lacks it
 */
bool pe_steady_own_doing(const struct pe_cct *old_cct, uint32_t old_node,
			 const struct pe_cct *new_cct, uint32_t new_node, enum pe_cct_count count);

/** By node: how far the least and the greatest count with everything below are from the one shown. */
struct pe_steady_sums {
	uint64_t *less, *more; /**< NULL: no run differs from another */
};

/** Sum the ranges of a count over subtrees. Linear. */
struct pe_steady_sums pe_steady_sum(const struct pe_cct *cct, enum pe_cct_count count,
				    struct pe_arena *arena);

/**
 * Contexts whose counts or place differ although nothing that changed is on their path: a side effect, or the
 * program's own doing, which a few more counting runs tell apart.
 */
uint32_t pe_steady_doubtful(const struct pe_delta *delta, const struct pe_changes *changes);

#endif
