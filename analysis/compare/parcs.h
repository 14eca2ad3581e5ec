/*
 * PARCS: finds why the trees of two revisions differ, in three stages, and which common nodes differ in weight (Mostafa and
 * Krintz, "Offline framework for performance comparison of software revisions", UCSB TR 2008-19, sections 3.3 to 3.5).
 */
#pragma once

#include "analysis/compare/changes.h"
#include "analysis/compare/match.h"
#include "analysis/compare/runs.h"

/** Why a subtree is in one tree only; in the order of the stages. */
enum pe_parcs_reason {
	PE_PARCS_DELETED,        /**< stage 1: its method is not in the new revision */
	PE_PARCS_ADDED,          /**< stage 1: its method is not in the old one */
	PE_PARCS_MODIFIED,       /**< stage 2: below a modified method: direct modification */
	PE_PARCS_SIDE_EFFECT,    /**< stage 3: indirect; all runs of both revisions agree here */
	PE_PARCS_NONDETERMINISM, /**< stage 3: runs of one revision differ here as well */
	PE_N_PARCS_REASONS
};

/** "deleted method", "added method", "direct modification", "side effect", "non-determinism". */
const char *pe_parcs_reason_name(enum pe_parcs_reason reason);

/** A subtree that only one tree has, or that was cut there. */
struct pe_parcs_cut {
	enum pe_parcs_reason reason;
	bool in_new;     /**< of the new tree, else of the old */
	uint32_t node;   /**< its root there */
	uint32_t nodes;  /**< its size, without subtrees that were cut before */
	uint32_t caller; /**< parent of `node`; PE_CCT_NONE: `node` is the root */
	/** nodes of modified methods on the path from `node` up to the root, nearest first */
	const uint32_t *modified;
	uint32_t n_modified;
};

/** The weight of nodes. */
enum pe_parcs_weight {
	PE_PARCS_TIME,        /**< total time (mean times calls: inclusive) */
	PE_PARCS_CALLS,       /**< invocations */
	PE_PARCS_ALLOCATIONS, /**< allocations of the node itself and below */
	PE_N_PARCS_WEIGHTS
};

/** A pair whose weights differ. */
struct pe_parcs_pair {
	uint32_t old_node, new_node;
	double old_share, new_share; /**< of the sum of all weights of its common tree, in [0, 1] */
	double overlap;              /**< after this pair and all before it were adjusted */
};

/** One weight over the common tree (section 3.4). */
struct pe_parcs_overlap {
	bool known;
	double initial;   /**< in [0, 1] */
	double adjusted;  /**< after the reported pairs */
	double threshold; /**< where adjusting stopped */
	bool own_noise;   /**< the threshold is the overlap of two runs of the new revision */
	/** pairs left out: runs of one revision differ there by as much (pe_steady_own_doing()) */
	uint32_t own_doing;
	/** pairs left out: for time, no cause shows in a method there or below */
	uint32_t unchanged;
	struct pe_parcs_pair *pairs; /**< the report, largest difference first */
	uint32_t n_pairs;
};

struct pe_parcs_opts {
	struct pe_match_opts match;       /**< rule and cuts are ignored: stages use `relaxed` */
	const struct pe_changes *changes; /**< NULL: no method is known to have changed */
	double threshold; /**< overlap in (0, 1] that ends adjusting; 0: that of two runs of new, 1 if new ran once */
	uint32_t top; /**< most pairs of each report; 0: 1000, or 10 where no threshold is known */
	/** by frame: a cause of time shows in it (attribution.h); NULL: unknown. Other differences of time are left out */
	const bool *shows;
};

struct pe_parcs {
	struct pe_parcs_cut *cuts; /**< by reason, then old before new, then preorder */
	uint32_t n_cuts;
	/** Table 3: the number of subtrees cut for each reason, and their nodes. */
	uint32_t subtrees[PE_N_PARCS_REASONS], nodes[PE_N_PARCS_REASONS];
	struct pe_match common; /**< the common tree: the pairs that are left */
	double common_share;    /**< its size as a share of the old tree, in [0, 1] */
	struct pe_parcs_overlap weights[PE_N_PARCS_WEIGHTS];
};

/**
 * Run the three stages, and compare the weights.
 *
 * The paper does not separate side effects from non-determinism; here, several profiles of one revision show which nodes
 * differ between its own runs.
 *
 * @param arena  owns the arrays
 */
void pe_parcs_make(struct pe_parcs *out, const struct pe_runs *old_runs,
		   const struct pe_runs *new_runs, const struct pe_parcs_opts *opts,
		   struct pe_arena *arena);

/**
 * Find the overlap of two matched trees over their pairs, and adjust it (section 3.4). Time is left out where `shows` has no
 * cause; NULL is allowed.
 */
void pe_parcs_overlap(struct pe_parcs_overlap *out, const struct pe_match *match,
		      enum pe_parcs_weight weight, const bool *shows, double threshold,
		      uint32_t top, struct pe_arena *arena);

/**
 * Find the overlap of two executions of one revision (section 3.4), in [0, 1]. Shares are of all weights of a tree, so that
 * nodes without a partner lower it.
 *
 * @param known  set to false, with 1 returned, where all weights are 0 or unknown
 */
double pe_parcs_own_overlap(const struct pe_match *match, enum pe_parcs_weight weight, bool *known);
