/* Tree: operations on calling context trees: without call sites, without some methods, and two trees pooled. */
#pragma once

#include "analysis/profile/cct.h"

/**
 * Copy a tree without call sites: children of one method are one child, with the sum of their
 * values (PARCS section 5.2, tables 4 and 5).
 *
 * @param arena  owns the tree
 */
struct pe_cct *pe_tree_without_sites(const struct pe_cct *cct, struct pe_arena *arena);

/**
 * Map a line of the old revision to the new one, by the diff of the sources.
 *
 * @param caller  frame of the old tree whose source has the line
 * @return        0 when the line was deleted or is unknown
 */
typedef uint32_t (*pe_site_map_fn)(uint32_t caller, uint32_t line, void *payload);

/** How methods and call sites of an old tree are found in a new one. */
struct pe_sites {
	/** by old frame: its frame in the new tree; PE_FRAME_NONE: the same. NULL: none was renamed */
	const uint32_t *renamed;
	pe_site_map_fn map_site; /**< NULL: lines are unchanged */
	void *payload;
};

/**
 * Replace the trees of two sides by copies in which moved calls can be compared. A site is the same where the line is. Where
 * one method calls another on some lines of old that new lacks, and on a different number of lines that old lacks, no site
 * stands for one of the other side; where it calls as often as before from a different number of sites, calls moved between
 * them. These calls are one child, without a site. Sites are those of the first trees, which have
 * counted calls; without these, nothing is replaced.
 *
 * @param at, n  trees of old and of new, at least one each, over one table of frames
 * @param arena  owns the copies
 */
void pe_tree_align_sites(const struct pe_cct **at[2], const uint32_t n[2],
			 const struct pe_sites *by, struct pe_arena *arena);

/**
 * Copy a tree without methods of meaningless names: blank, "(anonymous)", or one character, and without those of
 * JavaScript's event loop. Their children and their own values except calls go to their caller, so the whole stays the
 * same (ZAM section 3.1). Children that become siblings of one of the same method and call site stay apart.
 */
struct pe_cct *pe_tree_pruned(const struct pe_cct *cct, struct pe_arena *arena);

/**
 * Remove some methods from a tree: their children become those of their callers, called from where the removed
 * method was, and their own values except calls are added to the caller's. Siblings that then have the same
 * method and call site are one node. Near-linear.
 *
 * @param excluded  by number of the frame, n of them; later frames stay, and so does the root
 * @return          the tree itself when it has no such node, else one in the arena
 */
const struct pe_cct *pe_tree_without_methods(const struct pe_cct *cct, const bool *excluded,
					     uint32_t n, struct pe_arena *arena);

/**
 * Pool two samplings of one build: times are means, weighted by samples, which add up. Counts of common nodes
 * are those of the first; nodes that only the second has keep theirs.
 *
 * @param first, second  over one table of frames, with times and samples
 * @param arena          owns the tree
 */
struct pe_cct *pe_tree_pooled(const struct pe_cct *first, const struct pe_cct *second,
			      struct pe_arena *arena);
