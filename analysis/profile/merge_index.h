/* Merge index: finds a method near a node of the counting tree. */
#ifndef PE_PROFILE_MERGE_INDEX_H
#define PE_PROFILE_MERGE_INDEX_H

#include "analysis/profile/merge_names.h"

#include <stdbool.h>

/** More than one, of which none can be chosen. */
#define PE_MERGE_SEVERAL (UINT32_MAX - 1)

struct pe_merge_index {
	const struct pe_cct *cct;
	const struct pe_merge_names *names;
	uint32_t *folded; /**< by node: the nearest folded one, itself or above */
	uint32_t *only;   /**< by class: its only node; PE_MERGE_SEVERAL */
};

/** Make an index in the arena; the tree and the names are borrowed. Linear. */
struct pe_merge_index pe_merge_index_new(const struct pe_cct *cct,
					 const struct pe_merge_names *names,
					 struct pe_arena *arena);

/**
 * Find the child of a node with a class, by call site, else the one with the nearest site, or without a site the
 * one called most; PE_CCT_NONE: none.
 *
 * @param site   0: unknown
 * @param exact  set to whether the call site agrees
 */
uint32_t pe_merge_index_child(const struct pe_merge_index *index, uint32_t node, uint32_t class,
			      uint32_t site, bool *exact);

/** Find a class among the folded nodes from here to the root, nearest first; else as pe_merge_index_child(). */
uint32_t pe_merge_index_folded(const struct pe_merge_index *index, uint32_t node, uint32_t class,
			       uint32_t site, bool *exact);

/** Find the only grandchild of a class; PE_CCT_NONE: none. */
uint32_t pe_merge_index_grandchild(const struct pe_merge_index *index, uint32_t node,
				   uint32_t class);

#endif
