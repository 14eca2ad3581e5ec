/* ZAM's graph in the making. Private to the room. */
#ifndef PE_COMPARE_ZAM_GRAPH_H
#define PE_COMPARE_ZAM_GRAPH_H

#include "compare/zam.h"

/** Its nodes as a tree that can be matched, and their times. */
struct graph {
	struct pe_cct *cct;
	double *old_ns, *new_ns;     /**< sums over the pairs so far */
	double *old_own, *new_own;   /**< likewise, of own times */
	double *old_wait, *new_wait; /**< likewise, of waiting in it and below */
	uint8_t *seen;               /**< some pair has it in the old profile */
	/** contexts that gained, where it stands for a method in all of these below its parent; 0: it does not */
	uint32_t *places;
};

/** The profiles of one call, pruned. */
struct profiles {
	const struct pe_cct **olds, **news;
	uint32_t n;
};

struct graph graph_new(struct pe_frames *frames, uint32_t n, struct pe_arena *arena);

/** Copy what a graph knows of a node, but for its place, which is at the given parent. */
void graph_copy(struct graph *to, uint32_t at, const struct graph *from, uint32_t node,
		uint32_t parent);

/** Fill in the ends of the nodes, from their parents. */
void graph_close(struct pe_cct *cct);

/**
 * The graph without causes that are not worth saying: those that noise explains, over all pairs and over all leaves
 * of one method, and crumbs beside the greatest one. Above them the next lowest becomes a cause, if it is one.
 * What is known of noise is in opts.
 */
struct graph graph_without_weak(const struct graph *graph, const struct profiles *profiles,
				const struct pe_zam_opts *opts, struct pe_arena *arena);

#endif
