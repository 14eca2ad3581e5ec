/* The steps of pe_zam_make(). Private to the room. */
#pragma once

#include "analysis/compare/zam.h"

/** The profiles of one call, pruned. */
struct zam_profiles {
	const struct pe_cct **olds, **news;
	uint32_t n;
};

/* --- timeline.c --- */

/**
 * Make the tree of calls that ZAM compares. Nodes that are no calls are removed: idle time without a known waiting method, and
 * the engine's "(program)" and "(garbage collector)". Recursion is folded: a method that is already on the path returns to its
 * node there, so that a library that continues from callbacks, one call deeper each step, has the same tree as one that loops.
 *
 * @param rest  receives the removed times
 */
struct pe_cct *pe_timeline_calls(const struct pe_cct *cct, struct pe_zam_rest *rest,
				 struct pe_arena *arena);

/* --- zam_graph.c --- */

/** Values of a tree by node: own, and inclusive. */
struct zam_values {
	double *own, *total;
};

/** Find the times of a tree, or of its waiting nodes alone. */
struct zam_values pe_zam_times(const struct pe_cct *cct, bool waiting, struct pe_arena *arena);

/** A node of a critical graph while it is made. Times are of old and new, in ns: sums over the pairs so far. */
struct zam_place {
	double ns[2];   /**< inclusive */
	double own[2];  /**< its own */
	double wait[2]; /**< waiting in it and below */
	bool seen;      /**< an old profile has it */
	/** number of contexts that gained, of a node that stands for a method in all of these; 0: an ordinary node */
	uint32_t places;
};

/** The graph: a tree that can be matched. */
struct pe_zam_graph {
	struct pe_cct *cct;
	struct zam_place *at; /**< by node */
};

/** Make an empty graph with room for n nodes, in the arena. */
struct pe_zam_graph pe_zam_graph_new(struct pe_frames *frames, uint32_t n, struct pe_arena *arena);

/** Add a node, in preorder; the number of the node is returned. Ends are filled in by pe_zam_graph_close(). */
uint32_t pe_zam_graph_add(struct pe_zam_graph *graph, uint32_t parent, uint32_t frame,
			  const struct zam_place *place);

/** Fill in the ends of the nodes, from their parents. */
void pe_zam_graph_close(struct pe_zam_graph *graph);

/**
 * Find the common nodes of two graphs, level by level, by component and name, in any order (ZAM section 3.2).
 *
 * @param filter  b only decides which nodes stay: its times are not added
 */
struct pe_zam_graph pe_zam_graph_shared(const struct pe_zam_graph *a, const struct pe_zam_graph *b,
					bool filter, struct pe_arena *arena);

/** Make the graph of one pair of profiles, in the arena, by the three mu. Without a given mu, scattered methods are in it. */
struct pe_zam_graph pe_zam_pair_graph(const struct pe_match *match, const struct pe_zam *mu,
				      struct pe_arena *arena);

/* --- zam_methods.c --- */

/** Sum bottom-up, to find slowdowns spread over many contexts, each under mu, for out->methods. */
void pe_zam_methods_sum(struct pe_zam *out, const struct zam_profiles *profiles,
			struct pe_arena *arena);

/**
 * Keep the methods that gained out->min_own_ns, largest first, as out->methods.
 *
 * @param all    by frame; n of them, in the arena of out
 * @param gains  by frame, in ns
 */
void pe_zam_methods_keep(struct pe_zam *out, struct pe_zam_method *all, const double *gains,
			 uint32_t n);
