/* ZAM's graph in the making. Private to the room. */
#ifndef PE_COMPARE_ZAM_GRAPH_H
#define PE_COMPARE_ZAM_GRAPH_H

#include "analysis/profile/cct.h"

/** Times of a node of the graph, ns: sums over the pairs so far. */
struct graph_times {
	double old_ns, new_ns;     /**< inclusive */
	double old_own, new_own;   /**< its own */
	double old_wait, new_wait; /**< waiting in it and below */
};

/** Its nodes as a tree that can be matched, and their times. */
struct pe_zam_graph {
	struct pe_cct *cct;
	struct graph_times *times;
	uint8_t *seen; /**< some pair has it in the old profile */
	/** contexts that gained, where it stands for a method in all of these below its parent; 0: it does not */
	uint32_t *places;
};

/** An empty graph with room for n nodes, in the arena. */
struct pe_zam_graph pe_zam_graph_new(struct pe_frames *frames, uint32_t n, struct pe_arena *arena);

/** Copy what a graph knows of a node, but for its place, which is at the given parent. */
void pe_zam_graph_copy(struct pe_zam_graph *to, uint32_t at, const struct pe_zam_graph *from,
		       uint32_t node, uint32_t parent);

/** Fill in the ends of the nodes, from their parents. */
void pe_zam_graph_close(struct pe_cct *cct);

/** What is left says only which calls got slower. */
void pe_zam_graph_forget_times(struct pe_zam_graph *graph);

/** What both graphs have, level by level, by component and name, in any order (ZAM section 3.2). */
struct pe_zam_graph pe_zam_graph_shared(const struct pe_zam_graph *a, const struct pe_zam_graph *b,
					struct pe_arena *arena);

#endif
