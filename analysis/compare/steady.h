/*
 * Steady: finds differences between two revisions that are no larger than those between runs of one revision, where threads,
 * time, random numbers or addresses decide the program's work (PARCS section 3.3, reason 4).
 */
#pragma once

#include "analysis/compare/changes.h"
#include "analysis/compare/delta.h"

/**
 * Whether counting runs of one build do not all have a node, or not all in the same order among its siblings, or only
 * samples have seen it, which is chance.
 */
bool pe_steady_comes_and_goes(const struct pe_runs *runs, uint32_t node);

/**
 * Whether the ranges of a node's counts on both sides overlap. A range is from the least to the greatest of all
 * counting runs of a revision; a side that lacks the node counts zero. Where both revisions count the same in every run, the
 * answer is false.
 *
 * @param old_node, new_node  PE_CCT_NONE: that side lacks it
 */
bool pe_steady_own_doing(const struct pe_cct *old_cct, uint32_t old_node,
			 const struct pe_cct *new_cct, uint32_t new_node, enum pe_cct_count count);

/** Whether a node's calls, allocations or bytes differ by more than runs of one build; a side that lacks it has 0. */
bool pe_steady_counts_differ(const struct pe_delta *delta, uint32_t node);

/** By node: distance of the least and the greatest inclusive count of all runs from the stored one, at most. */
struct pe_steady_sums {
	uint64_t *less, *more;
};

/** Sum the ranges of a count over subtrees. Linear. */
struct pe_steady_sums pe_steady_sum(const struct pe_cct *cct, enum pe_cct_count count,
				    struct pe_arena *arena);

/**
 * Count the contexts whose counts differ without a changed method on their path: a side effect, or variation between runs,
 * which a few more counting runs can separate.
 */
uint32_t pe_steady_doubtful(const struct pe_delta *delta, const struct pe_changes *changes);
