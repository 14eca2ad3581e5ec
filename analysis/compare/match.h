/*
 * Match: pairs the nodes of two calling context trees. There are four rules with one interface. All pairs are one-to-one,
 * have one method, and include the roots.
 *
 * Promises, which the tests cite:
 *  (1) pairs keep ancestry: a node's nearest paired ancestor is paired with its partner's nearest one;
 *  (2) from the root to a pair, the old path has only removed nodes or the new path only added ones;
 *  (3) a tree matched with itself pairs every node;
 *  (4) swapping the inputs swaps added and removed;
 *  (5) the number of pairs never falls from strict to relaxed to subsequence;
 *  (6) the stored order of siblings of one method and call site makes no difference;
 *  (7) work grows with n log n at most, for all trees.
 */
#pragma once

#include "analysis/profile/tree.h"

/** The rule by which children of two paired nodes are paired. */
enum pe_match_rule {
	/** relaxed, and across inner nodes that one side added or removed (Blueprint section V) */
	PE_MATCH_SUBSEQUENCE,
	PE_MATCH_RELAXED, /**< in the same order: a longest common subsequence (PARCS definition 2) */
	PE_MATCH_STRICT, /**< at the same position (PARCS definition 1) */
	/** relaxed, but by component, name and occurrence where order means nothing (ZAM alg. 3) */
	PE_MATCH_HYBRID,
	PE_N_MATCH_RULES
};

/** "subsequence", "relaxed", "strict", "hybrid". */
const char *pe_match_rule_name(enum pe_match_rule rule);

struct pe_match_opts {
	enum pe_match_rule rule;
	/**
	 * Ignore call sites: siblings of one method are alike. With call sites, equal ones decide between pairings
	 * of equal size, and different ones prevent no pair. For trees without two such siblings see
	 * pe_tree_without_sites().
	 */
	bool no_call_sites;
	struct pe_sites sites;
	/**
	 * Most cells of the table of one level's longest common subsequence. Beyond it, equal keys are paired by
	 * occurrence, and a longest increasing subsequence of these pairs is kept. 0: PE_MATCH_CELLS
	 */
	uint64_t cells;
	/** By node: not 0 where its subtree is left out. NULL: none is. */
	const uint8_t *cut_old, *cut_new;
	/**
	 * Pairs to start from in place of the roots, none below another; NULL: the roots. Nodes outside of them
	 * are not paired, and `subsequence` is `relaxed` there.
	 */
	const struct pe_match_start *starts;
	uint32_t n_starts;
};

struct pe_match_start {
	uint32_t old_node, new_node;
};

/** 256 children by 256: at most 128 cells a node, for all trees. */
#define PE_MATCH_CELLS (UINT64_C(1) << 16)

struct pe_match {
	const struct pe_cct *old_cct, *new_cct; /**< borrowed */
	uint32_t *to_new; /**< by old node: its partner; PE_CCT_NONE: removed or cut */
	uint32_t *to_old; /**< by new node: its partner; PE_CCT_NONE: added or cut */
	uint32_t pairs;
};

/**
 * Match two trees over one table of frames.
 *
 * The left tree is chosen by content, so that promise (4) holds with ties, too. Of all longest common subsequences of a
 * level, the one with the most equal call sites and equal subtrees is taken. Where `strict` pairs more nodes below a pair,
 * its pairs replace the others (5). Under `subsequence`, a left-over child is paired with one below the other side's
 * left-over children: the shallowest, of these one with an equal subtree, else the nearest share of time, else the first.
 *
 * @param arena  owns the two arrays
 */
void pe_match_make(struct pe_match *out, const struct pe_cct *old_cct, const struct pe_cct *new_cct,
		   const struct pe_match_opts *opts, struct pe_arena *arena);
