/*
 * Match: which node of one calling context tree is which of another. Four rules behind one door, all of them
 * one-to-one, over one method a pair, roots together.
 *
 * Promises, which the tests cite:
 *  (1) pairs keep ancestry: a node's nearest paired ancestor is paired with its partner's nearest one;
 *  (2) from the root to a pair, the old path has only removed nodes or the new path only added ones;
 *  (3) a tree matched with itself pairs every node;
 *  (4) swapping the inputs swaps added and removed;
 *  (5) the number of pairs never falls from strict to relaxed to subsequence;
 *  (6) in which order siblings of one method and call site are stored makes no difference;
 *  (7) work grows with n log n at most, whatever the trees look like.
 */
#ifndef PE_COMPARE_MATCH_H
#define PE_COMPARE_MATCH_H

#include "analysis/profile/cct.h"

/** When the children of two paired nodes are pairs. */
enum pe_match_rule {
	/** those below, and what one side has put between: inner nodes come and go (Blueprint section V) */
	PE_MATCH_SUBSEQUENCE,
	PE_MATCH_RELAXED, /**< in the same order: a longest common subsequence (PARCS definition 2) */
	PE_MATCH_STRICT, /**< at the same position (PARCS definition 1) */
	/** relaxed, but the k-th of a component and name is the k-th where order means nothing (ZAM alg. 3) */
	PE_MATCH_HYBRID,
	PE_N_MATCH_RULES
};

/** "subsequence", "relaxed", "strict", "hybrid". */
const char *pe_match_rule_name(enum pe_match_rule rule);

/**
 * Where a line of the old revision stands in the new one, as the diff of the sources tells.
 *
 * @param caller  frame whose source the line is in; of the old tree
 * @return        0 when the line is gone or nothing is known
 */
typedef uint32_t (*pe_site_map_fn)(uint32_t caller, uint32_t line, void *payload);

struct pe_match_opts {
	enum pe_match_rule rule;
	/**
	 * Leave call sites out: siblings of one method are alike. Otherwise a call site decides between
	 * pairings of equal size, and never stands in the way of one. For trees that have no two such
	 * siblings see pe_tree_without_sites().
	 */
	bool no_call_sites;
	/** by old frame: its frame in the new tree; PE_FRAME_NONE: its own. NULL: none was renamed */
	const uint32_t *renamed;
	pe_site_map_fn map_site; /**< NULL: lines are taken as they are */
	void *payload;
	/**
	 * Most cells of the table of one level's longest common subsequence; above it, keys that stand
	 * in order are paired by occurrence, and a longest increasing subsequence of these stays.
	 * 0: PE_MATCH_CELLS
	 */
	uint64_t cells;
	/** By node: not 0 where it and everything below is left out. NULL: nothing is. */
	const uint8_t *cut_old, *cut_new;
	/**
	 * Pairs to start from in place of the roots, none below another; NULL: the roots. Nothing is
	 * searched outside of them, and `subsequence` is `relaxed` there.
	 */
	const struct pe_match_start *starts;
	uint32_t n_starts;
};

struct pe_match_start {
	uint32_t old_node, new_node;
};

/** 256 children against 256: at most 128 cells a node, whatever the tree. */
#define PE_MATCH_CELLS (UINT64_C(1) << 16)

struct pe_match {
	const struct pe_cct *old_cct, *new_cct; /**< borrowed */
	uint32_t *to_new; /**< by old node: its partner, or PE_CCT_NONE: removed or cut */
	uint32_t *to_old; /**< by new node: likewise; added or cut */
	uint32_t pairs;
	uint32_t levels;   /**< pairs of nodes whose children were compared */
	uint32_t shortcut; /**< of these: passed the budget of cells */
};

/**
 * Match two trees over one table of frames.
 *
 * Both trees are first brought into an order of their own, so that promise (4) holds whatever ties there
 * are. Of all longest common subsequences of a level the one with the most equal call sites and equal
 * subtrees is taken. Should `strict` pair more nodes in all, its pairs stand where it does (5). Under
 * `subsequence` a left-over child looks for itself below the other side's left-over children: the
 * shallowest, of these one with the same subtree, else the nearest share of time, else the first.
 *
 * @param arena  owns the two arrays
 */
void pe_match_make(struct pe_match *out, const struct pe_cct *old_cct, const struct pe_cct *new_cct,
		   const struct pe_match_opts *opts, struct pe_arena *arena);

#endif
