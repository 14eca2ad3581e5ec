/*
 * Side: one of the two trees of a match, with what pairing asks of its nodes. Which tree is left and which
 * right depends on their content alone, so that a match and its mirror image come out alike. Private to
 * the room.
 */
#ifndef PE_COMPARE_SIDE_H
#define PE_COMPARE_SIDE_H

#include "analysis/compare/match.h"

/** What is compared of a node: half a line of the cache, as children lie all over the tree. */
struct side_node {
	uint32_t key;  /**< method, the same number on both sides */
	uint32_t site; /**< call site, reused to the new revision */
	/** Of the subtree's methods. Does not depend on the order of siblings of one method. */
	uint64_t shape;
	uint64_t content; /**< of the subtree's methods, sites and values; likewise */
	double weight;    /**< share of time; of calls where times are unknown */
};

struct side {
	const struct pe_cct *cct;
	const uint8_t *cut; /**< or NULL */
	struct side_node *nodes;
	uint32_t *partner; /**< by node: its partner, or PE_CCT_NONE */
};

/**
 * Fill everything but partner, which is all PE_CCT_NONE.
 *
 * @param key_of   by frame
 * @param carry    opts whose map_site carries lines; NULL: they stay
 */
void pe_side_make(struct side *side, const struct pe_cct *cct, const uint8_t *cut,
		  const uint32_t *key_of, const struct pe_match_opts *carry, bool sites,
		  struct pe_arena *arena);

/** Numbers of methods by frame: of the old tree where renamed is given. Under `hybrid`, methods of one
 * component and name have one number. */
uint32_t *pe_side_keys(const struct pe_frames *frames, const uint32_t *renamed, bool by_name,
		       struct pe_arena *arena);

/** Which of two trees is the left one, by content: below 0, 0 when they are alike, above 0. */
int pe_side_compare(const struct side *a, const struct side *b);

static inline bool pe_side_skips(const struct side *side, uint32_t node)
{
	return side->cut != NULL && side->cut[node] != 0;
}

#endif
