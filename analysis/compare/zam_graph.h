/* ZAM's critical graph while it is made. Private to the room. */
#ifndef PE_COMPARE_ZAM_GRAPH_H
#define PE_COMPARE_ZAM_GRAPH_H

#include "analysis/profile/cct.h"

/** Times of a node of the graph, ns: sums over the pairs so far. */
struct graph_times {
	double old_ns, new_ns;     /**< inclusive */
	double old_own, new_own;   /**< its own */
	double old_wait, new_wait; /**< waiting in it and below */
};

/** The graph: a tree that can be matched, and its times. */
struct pe_zam_graph {
	struct pe_cct *cct;
	struct graph_times *times;
	uint8_t *seen; /**< by node: an old profile has it */
	/** number of contexts that gained, of a node that stands for a method in all of these; 0: an ordinary node */
	uint32_t *places;
};

/** Make an empty graph with room for n nodes, in the arena. */
struct pe_zam_graph pe_zam_graph_new(struct pe_frames *frames, uint32_t n, struct pe_arena *arena);

/** Copy a node of another graph, and set its parent. */
void pe_zam_graph_copy(struct pe_zam_graph *to, uint32_t at, const struct pe_zam_graph *from,
		       uint32_t node, uint32_t parent);

/** Fill in the ends of the nodes, from their parents. */
void pe_zam_graph_close(struct pe_cct *cct);

/** Clear the times, so that another graph can be added as a filter. */
void pe_zam_graph_forget_times(struct pe_zam_graph *graph);

/** Find the common nodes of two graphs, level by level, by component and name, in any order (ZAM section 3.2). */
struct pe_zam_graph pe_zam_graph_shared(const struct pe_zam_graph *a, const struct pe_zam_graph *b,
					struct pe_arena *arena);

#endif
