/*
 * Scattered: finds a slowdown of one method in many contexts, each too small to be detected alone. Private to the room.
 */
#ifndef PE_COMPARE_SCATTERED_H
#define PE_COMPARE_SCATTERED_H

#include "analysis/compare/match.h"

/** Sums of own times by method, reused from one call to the next. */
struct scatter {
	const struct pe_match *match;
	const uint32_t *key;     /**< by frame; below n */
	double *old_ns, *new_ns; /**< by key; all 0 between calls */
	double *most;     /**< by key: the largest gain of one context; all 0 between calls */
	uint32_t *places; /**< by key: contexts that gained; all 0 between calls */
	uint32_t *touched;
	uint32_t n_touched;
};

/** @param n  frames of the table */
void pe_scatter_init(struct scatter *out, const struct pe_match *match, const uint32_t *key,
		     uint32_t n, struct pe_arena *arena);

/** A method by its key, and its own times over all contexts below a call. */
struct scattered {
	uint32_t key;
	double old_ns, new_ns;
	uint32_t
		places; /**< contexts that gained; 1 or 0: not scattered, also where one has most of the gain */
};

/** The method that became slower most below a node of the new tree and its partner. Linear in their subtrees. */
struct scattered pe_scatter_find(struct scatter *scatter, uint32_t new_node);

#endif
