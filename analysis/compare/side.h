/*
 * Side: one of the two trees of a match, with the data that pairing needs. Content alone decides which tree is left and
 * which is right, so that a match and its mirror image are equal. Private to the room.
 */
#ifndef PE_COMPARE_SIDE_H
#define PE_COMPARE_SIDE_H

#include "analysis/compare/match.h"

/** The compared data of a node: half a cache line, because children are spread over the tree. */
struct side_node {
	uint32_t key;  /**< method, with the same number on both sides */
	uint32_t site; /**< call site, mapped to the new revision */
	/** Hash of the subtree's methods, whatever the order of siblings of one method. */
	uint64_t shape;
	uint64_t content; /**< hash of the subtree's methods, sites and values, in the same way */
	double weight;    /**< share of time; of calls where times are unknown */
};

struct side {
	const struct pe_cct *cct;
	const uint8_t *cut; /**< or NULL */
	struct side_node *nodes;
	uint32_t *partner; /**< by node: its partner, or PE_CCT_NONE */
};

/**
 * Fill a side, except partner.
 *
 * @param key_of   by frame
 * @param carry    its map_site maps lines to the new revision; NULL: lines stay
 */
void pe_side_make(struct side *side, const struct pe_cct *cct, const uint8_t *cut,
		  const uint32_t *key_of, const struct pe_match_opts *carry, bool sites,
		  struct pe_arena *arena);

/** Number methods by frame; `renamed` is for frames of the old tree, or NULL. With by_name (`hybrid`), methods of one
 * component and name have one number. */
uint32_t *pe_side_keys(const struct pe_frames *frames, const uint32_t *renamed, bool by_name,
		       struct pe_arena *arena);

/** Compare two trees by content to choose the left one: below 0, 0 when they are equal, above 0. */
int pe_side_compare(const struct side *a, const struct side *b);

static inline bool pe_side_skips(const struct side *side, uint32_t node)
{
	return side->cut != NULL && side->cut[node] != 0;
}

#endif
