/*
 * Compare fold: which nodes of a delta tree are shown, and a summary of the others. Private to the room: the terminal's
 * tree and the picture share it.
 */
#pragma once

#include "report/compare.h"

struct pe_compare_fold {
	bool *shown;      /**< by node; the way from the root to a shown one is shown */
	uint32_t *level;  /**< by node: 0 for the root */
	uint32_t *last;   /**< by node: its last child that is shown; PE_CCT_NONE: none is */
	uint32_t *folded; /**< by node: children that are not shown */
	uint32_t *mark; /**< by node: number of the line of the verdict that is about it; 0: none */
	uint32_t n_folded; /**< nodes that are not shown */
	enum pe_cost
		cost;   /**< what differences are reported of: time, else allocations, else calls */
	double highest; /**< of the shown nodes' heights */
};

/** Fold the tree of a pair that has one, by compare->view. Linear. */
void pe_compare_fold(struct pe_compare_fold *out, const struct pe_compare *compare, size_t pair,
		     struct pe_arena *arena);

/** The height of a node's box before the bars: how it differs by compare->basis. */
double pe_compare_height(const struct pe_compare_pair *pair, uint32_t node);

/** The height in words: a share, where heights add up, else a change. */
void pe_compare_add_height(struct pe_text *out, enum pe_basis basis,
			   const struct pe_compare_pair *pair, uint32_t node);

/** What became of a node's method: a sign of one column, or a blank; without unicode in ASCII. */
const char *pe_compare_sign(const struct pe_compare_pair *pair, uint32_t node, bool unicode);

/** The next node that is shown, in preorder: below a shown one, or past all that is below a folded one. */
uint32_t pe_compare_next_shown(const struct pe_compare_fold *fold,
			       const struct pe_compare_pair *pair, uint32_t node);
