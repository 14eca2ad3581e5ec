/* Tree: operations on calling context trees: without call sites, without meaningless names, and two trees pooled. */
#ifndef PE_PROFILE_TREE_H
#define PE_PROFILE_TREE_H

#include "analysis/profile/cct.h"

/**
 * Copy a tree without call sites: children of one method are one child, with the sum of their
 * values (PARCS section 5.2, tables 4 and 5). Deviations are dropped: they do not add up.
 *
 * @param arena  owns the tree
 */
struct pe_cct *pe_tree_without_sites(const struct pe_cct *cct, struct pe_arena *arena);

/**
 * Copy a tree without methods of meaningless names: blank, "(anonymous)", or one character, and without those of
 * JavaScript's event loop. Their children and their own values except calls go to their caller, so the whole stays the
 * same (ZAM section 3.1). Children that become siblings of one of the same method and call site stay apart.
 */
struct pe_cct *pe_tree_pruned(const struct pe_cct *cct, struct pe_arena *arena);

/**
 * Pool two samplings of one build: times are means, weighted by samples, which add up. Counts of common nodes
 * are those of the first; nodes that only the second has keep theirs. Deviations are dropped.
 *
 * @param first, second  over one table of frames, with times and samples
 * @param arena          owns the tree
 */
struct pe_cct *pe_tree_pooled(const struct pe_cct *first, const struct pe_cct *second,
			      struct pe_arena *arena);

#endif
