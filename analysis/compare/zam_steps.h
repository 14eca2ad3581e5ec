/* The steps of pe_zam_make(), each in a file of its own. Private to the room. */
#ifndef PE_COMPARE_ZAM_STEPS_H
#define PE_COMPARE_ZAM_STEPS_H

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

/* --- zam_gain.c --- */

/** Values of a tree by node: own, and inclusive. */
struct zam_values {
	double *own, *total;
};

/** Find the times of a tree, or of its waiting nodes alone. */
struct zam_values pe_zam_times(const struct pe_cct *cct, bool waiting, struct pe_arena *arena);

/**
 * The additional time of each call of the new tree, where work moved as well, as from a loop to the callbacks of timers, or
 * from one caller to another. A call in a new context gains at most as much as its method gains over all contexts; the rest
 * was done before, elsewhere.
 */
struct zam_gain {
	double *ns; /**< by new node, inclusive: gain over its partner, without work that moved here */
	double *moved; /**< by new node, inclusive: work that moved here */
	double *own; /**< by new node: gain of its own, at most that of its method over all contexts */
};

/** Find the gain of each new node. @param key  by frame, of methods */
void pe_zam_gain_find(struct zam_gain *out, const struct pe_match *match,
		      const struct zam_values *old_values, const struct zam_values *new_values,
		      const uint32_t *key, struct pe_arena *arena);

/* --- zam_graph.c --- */

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

/* --- zam_noise.c --- */

/** Find the three mu of out, from the differences between runs of one side. */
void pe_zam_noise_find(struct pe_zam *out, const struct zam_profiles *profiles,
		       const struct pe_match_opts *opts);

/* --- zam_pair.c, scattered.c --- */

/** Make the graph of one pair of profiles, in the arena, by the three mu. Without a given mu, scattered methods are in it. */
struct pe_zam_graph pe_zam_pair_graph(const struct pe_match *match, const struct pe_zam *mu,
				      struct pe_arena *arena);

/**
 * Add scattered methods below leaves: a method with at least half of the leaf's gain, and the mu of own times, in several
 * contexts, each too small to be detected alone. Below a root without other nodes, one context is enough, because gains
 * elsewhere may have hidden it. A new call is its own cause, whatever its callees are.
 *
 * @param new_node  by node of the graph: its node in the new tree
 * @param key       by frame, of methods
 */
struct pe_zam_graph pe_zam_with_scattered(const struct pe_zam_graph *graph,
					  const uint32_t *new_node, const struct pe_match *match,
					  const uint32_t *key, double min_own_ns,
					  struct pe_arena *arena);

/* --- zam_weak.c --- */

/**
 * Remove weak causes from a graph: those within noise, over all pairs and over all leaves of one method, and those small
 * compared with the largest one. The next lowest node above one becomes a cause, if it is not weak itself.
 */
struct pe_zam_graph pe_zam_without_weak(const struct pe_zam_graph *graph,
					const struct zam_profiles *profiles,
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

#endif
