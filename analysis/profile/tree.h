/* Tree: a calling context tree without call sites or names that say nothing, and what two of them are together. */
#ifndef PE_PROFILE_TREE_H
#define PE_PROFILE_TREE_H

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

#endif
