/*
 * PARCS: why the trees of two revisions differ, in three stages, and which of the nodes that both have
 * weigh differently (Mostafa and Krintz, "Offline framework for performance comparison of software
 * revisions", UCSB TR 2008-19, sections 3.3 to 3.5).
 */
#ifndef PE_COMPARE_PARCS_H
#define PE_COMPARE_PARCS_H

#include "analysis/compare/changes.h"
#include "analysis/compare/match.h"
#include "analysis/compare/runs.h"

/** Why a subtree is in one tree only; in the order of the stages that find it. */
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

/** A subtree that only one tree has. */
struct pe_parcs_cut {
	enum pe_parcs_reason reason;
	bool in_new;     /**< of the new tree, else of the old */
	uint32_t node;   /**< its root there */
	uint32_t nodes;  /**< its size, without what had been cut out of it before */
	uint32_t caller; /**< parent of `node`; PE_CCT_NONE: it is the whole tree */
	/** nodes of modified methods on the path from `node` up to the root, nearest first */
	const uint32_t *modified;
	uint32_t n_modified;
};

/** What nodes weigh. */
enum pe_parcs_weight {
	PE_PARCS_TIME,        /**< total time (mean times calls: inclusive) */
	PE_PARCS_CALLS,       /**< invocations */
	PE_PARCS_ALLOCATIONS, /**< allocations of the node itself and below */
	PE_N_PARCS_WEIGHTS
};

/** A pair that weighs differently. */
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
	/** pairs that are left out: runs of one revision differ by as much there (pe_steady_own_doing()) */
	uint32_t own_doing;
	/** pairs that are left out: of time, where no cause shows in a method there or below */
	uint32_t unchanged;
	struct pe_parcs_pair *pairs; /**< the report, greatest difference first */
	uint32_t n_pairs;
};

struct pe_parcs_opts {
	struct pe_match_opts match;       /**< rule and cuts are ignored: stages use `relaxed` */
	const struct pe_changes *changes; /**< NULL: no method is known to have changed */
	double threshold; /**< overlap in (0, 1] at which adjusting stops; 0: own noise; 1 where the new revision ran once */
	uint32_t top; /**< most pairs of each report; 0: 1000, or 10 where no threshold is known */
	/** by frame: a cause of time shows there (analysis/compare/attribution.h); NULL: unknown. Time is not put down to others */
	const bool *shows;
};

struct pe_parcs {
	struct pe_parcs_cut *cuts; /**< by reason, then old before new, then preorder */
	uint32_t n_cuts;
	/** Table 3: how many subtrees went for each reason, and nodes with them. */
	uint32_t subtrees[PE_N_PARCS_REASONS], nodes[PE_N_PARCS_REASONS];
	struct pe_match common; /**< the common tree: the pairs that are left */
	double common_share;    /**< its size as a share of the old tree, in [0, 1] */
	struct pe_parcs_overlap weights[PE_N_PARCS_WEIGHTS];
};

/**
 * The three stages and the weights.
 *
 * The paper leaves side effects and non-determinism apart to its reader; here every revision that was
 * profiled twice shows which of its nodes come and go by themselves.
 *
 * @param arena  owns the arrays
 */
void pe_parcs_make(struct pe_parcs *out, const struct pe_runs *old_runs,
		   const struct pe_runs *new_runs, const struct pe_parcs_opts *opts,
		   struct pe_arena *arena);

/**
 * Overlap of two trees over their pairs, and its adjustment (section 3.4): for trees that are matched
 * already. Time is left out where `shows`, which may be NULL, says that no cause shows.
 */
void pe_parcs_overlap(struct pe_parcs_overlap *out, const struct pe_match *match,
		      enum pe_parcs_weight weight, const bool *shows, double threshold,
		      uint32_t top, struct pe_arena *arena);

/**
 * Overlap of two executions of one revision (section 3.4), in [0, 1]: each node's share is of all weights of its
 * tree, so that what only one of the two has lowers it.
 *
 * @param known  false, and 1 is returned, where nothing weighs
 */
double pe_parcs_own_overlap(const struct pe_match *match, enum pe_parcs_weight weight, bool *known);

#endif
