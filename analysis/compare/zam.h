/*
 * ZAM: the critical graph. It has the lowest calls that became slower over several pairs of old and new profiles (Ocariza and
 * Zhao, "Localizing software performance regressions in web applications by comparing execution timelines", sections 2.2
 * and 3).
 */
#pragma once

#include "analysis/compare/attribution.h"
#include "analysis/compare/match.h"

struct pe_zam_opts {
	struct pe_match_opts match; /**< the paper's rule is PE_MATCH_HYBRID */
	/** mu: the least difference in inclusive time that counts, ns. 0: derived from noise */
	uint64_t min_ns;
	bool keep_nameless; /**< do not prune methods with blank, anonymous or one-letter names */
};

#define PE_ZAM_DEFAULTS                                                                            \
	{                                                                                          \
		.match = {.rule = PE_MATCH_HYBRID }                                                \
	}

/** A node of the critical graph, which is a tree in preorder; node 0 is the root. */
struct pe_zam_node {
	uint32_t parent, end;
	uint32_t frame;
	uint32_t node; /**< of the delta tree that pe_zam_of_causes() took */
	bool added;    /**< no pair has it in the old profile */
	bool cause; /**< a leaf: the lowest slower call; in pe_zam_of_causes(), a cause shows here */
	/**
	 * Number of contexts of a method that stands here for them, with its own times there: none of them became slower
	 * by mu, but together they did by at least half of their parent's gain. 0: an ordinary node. Only without a
	 * given mu.
	 */
	uint32_t places;
	/**
	 * Of a cause: the node to look at. It is the nearest context above it of the causing method; the node itself where
	 * there is none, or changes are unknown. PE_CCT_NONE of other nodes.
	 */
	uint32_t blamed;
	double old_ns,
		new_ns; /**< inclusive, means over the pairs; old_ns of a new call: time moved there, if it is most of it */
	double old_waiting_ns, new_waiting_ns; /**< waiting part of these */
};

/** Time outside of calls: means over the pairs. */
struct pe_zam_rest {
	double waiting_ns; /**< nothing ran, and no method is known to have waited */
	double engine_ns;  /**< "(program)" and "(garbage collector)" */
};

/** A method whose own time over all contexts increased by its mu. */
struct pe_zam_method {
	uint32_t frame;
	double old_ns, new_ns; /**< own time, means over the pairs */
	uint32_t contexts;     /**< in the new profiles, at most */
	bool in_graph;         /**< it is among the causes, too */
};

struct pe_zam {
	struct pe_zam_node *nodes; /**< only the root when no call became slower */
	uint32_t n;
	uint32_t causes;
	struct pe_zam_method *methods; /**< largest difference first */
	uint32_t n_methods;
	struct pe_zam_rest old_rest, new_rest; /**< part of the whole execution, outside of calls */
	uint64_t min_ns;                       /**< the mu that was used */
	uint64_t min_waiting_ns;               /**< the mu of waiting time */
	uint64_t min_own_ns;                   /**< the mu of a method's own time */
	bool min_from_noise;
	uint32_t pairs;    /**< of profiles */
	uint64_t nodes_in; /**< of all new profiles together, for the compression ratio */
};

/**
 * Make the critical graph of n pairs of profiles, aggregated: nodes in every pair's graph are kept.
 *
 * Without a given mu, it is derived from noise: the greatest difference of any node between two neighbouring profiles of one
 * side, the median of these over both sides, and at least 1 % of the old execution. Waiting has a mu of its own, because it
 * varies less than processing on a busy machine. Methods' own times over all contexts have one, too, from all pairs of runs
 * of a side, because small variations in each call add up to much. Noise is not a cause: leaves within three standard errors
 * of their samples over all pairs are removed, and so are those with less than a fifth of the largest gain; the next lowest
 * calls above them become leaves. The rest must also be in the graph of each old profile and the next pair's new one.
 *
 * Waiting and the engine's time outside of calls are left out first, and recursion is folded. Work that only moved to another
 * context is no slowdown: a call in a new context counts up to the gain of its method over all contexts. The search goes on
 * below it where it has moved work, or waits.
 *
 * In timelines of samples, a method whose own time increased by the mu of own times over all contexts, and by as much in one,
 * is in the graph there also if a call above it became faster. Definition 2 of the paper requires all calls above a cause to
 * be slower.
 *
 * The paper misses a slowdown spread over many contexts, each under mu; `methods` has it.
 *
 * @param olds, news  n each, in the order of their names, over one table of frames, with times
 * @return            PE_EINVALID when a profile has no times or n is 0
 */
int pe_zam_make(struct pe_zam *out, const struct pe_cct *const *olds,
		const struct pe_cct *const *news, uint32_t n, const struct pe_zam_opts *opts,
		struct pe_arena *arena, struct pe_err *err);

/**
 * Make the critical graph where changes are known: the paths from the root to the causes that increase the time, so that
 * graph and verdict have the same causes. `methods` has those whose contexts with a cause gained at least least_ns together.
 *
 * @param causes    an attribution of this delta tree: of time or, where it has no cause, of instructions
 * @param least_ns  the least time that matters
 */
void pe_zam_of_causes(struct pe_zam *out, const struct pe_delta *delta,
		      const struct pe_attribution *causes, int64_t least_ns,
		      struct pe_arena *arena);
