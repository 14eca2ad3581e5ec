/*
 * ZAM: the critical graph. From several pairs of old and new profiles, the lowest calls that got slower
 * (Ocariza and Zhao, "Localizing software performance regressions in web applications by comparing
 * execution timelines", sections 2.2 and 3).
 */
#ifndef PE_COMPARE_ZAM_H
#define PE_COMPARE_ZAM_H

#include "analysis/compare/attribution.h"
#include "analysis/compare/match.h"

struct pe_zam_opts {
	struct pe_match_opts match; /**< the paper's rule is PE_MATCH_HYBRID */
	/** mu: the least difference in inclusive time that counts, ns. 0: from noise */
	uint64_t min_ns;
	bool keep_nameless; /**< do not prune methods without a telling name */
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
	bool cause; /**< a leaf: the lowest that got slower; of pe_zam_of_causes() where a cause shows, leaf or not */
	/**
	 * Of a method in several contexts below its parent, with its own times there: none of them got slower by
	 * mu, but all together by at least half of what the parent did. So many contexts; 0: it stands for itself.
	 * Not when mu is given.
	 */
	uint32_t places;
	/**
	 * Of a cause: the node to look at: the nearest context above it of who made the difference; itself where there is none, or
	 * nothing is known of changes. PE_CCT_NONE of other nodes.
	 */
	uint32_t blamed;
	double old_ns,
		new_ns; /**< inclusive, means over the pairs; old_ns of a new call: what moved there, if that is most of it */
	double old_waiting_ns, new_waiting_ns; /**< of these, in which nothing ran */
};

/** What is no call: means over the pairs. */
struct pe_zam_rest {
	double waiting_ns; /**< nothing ran, and nobody is known to have waited for what came next */
	double engine_ns;  /**< "(program)" and "(garbage collector)" */
};

/** A method whose own times got slower by their mu when all its contexts are summed up. */
struct pe_zam_method {
	uint32_t frame;
	double old_ns, new_ns; /**< own time, means over the pairs */
	uint32_t contexts;     /**< in the new profiles, at most */
	bool in_graph;         /**< is among the causes as well */
};

struct pe_zam {
	struct pe_zam_node *nodes; /**< only the root when nothing got slower */
	uint32_t n;
	uint32_t causes;
	struct pe_zam_method *methods; /**< greatest difference first */
	uint32_t n_methods;
	struct pe_zam_rest old_rest, new_rest; /**< part of the whole execution, and of no call */
	uint64_t min_ns;                       /**< the mu that was used */
	uint64_t min_waiting_ns;               /**< likewise, of waiting alone */
	uint64_t min_own_ns;                   /**< likewise, of a method's own time */
	bool min_from_noise;
	uint32_t pairs;    /**< of profiles */
	uint64_t nodes_in; /**< of all new profiles together: the compression ratio's other half */
};

/**
 * The critical graph of n pairs of profiles, aggregated: only what is in every pair's graph stays.
 *
 * Without a mu, it is from noise: the greatest difference of any node between two neighbouring profiles of one side,
 * over both sides the middle one of these, and at least 1 % of the old execution; of waiting likewise, by itself,
 * because it varies less than processing on a busy machine, and of methods' own times over all contexts, of all runs of
 * a side with each other, because what varies a little in each call sums up to much above them. What the same program
 * does to itself is not a cause: leaves that are within three standard errors of their samples over all pairs go, and so do
 * those that are less than a fifth of the greatest one; above them the next lowest stays. And what is left must be in the graph of
 * each old profile and the next pair's new one.
 *
 * Time that is of no call, waiting and the engine's, is left out beforehand, and recursion is folded. Work that only
 * moved to another context is no slowdown: a call in a context that is new counts for as much as its method became
 * dearer over all contexts, and below it the search goes on where it holds such work, or waits.
 *
 * Of timelines of samples, a method whose own time became dearer by the mu of own times over all contexts, and by as
 * much in one, is in the graph there also where something above it got faster: definition 2 asks that all calls above a
 * cause got slower.
 *
 * What the paper misses, a slowdown spread over many contexts each under mu, shows in `methods`.
 *
 * @param olds, news  n each, in the order of their names, over one table of frames, with times
 * @return            PE_EINVALID when a profile has no times or n is 0
 */
int pe_zam_make(struct pe_zam *out, const struct pe_cct *const *olds,
		const struct pe_cct *const *news, uint32_t n, const struct pe_zam_opts *opts,
		struct pe_arena *arena, struct pe_err *err);

/**
 * The critical graph where changes are known: the ways from the root to where causes of more show, so that graph and verdict have
 * the same ones. `methods` are those of their contexts that together gained as much time as matters.
 *
 * @param causes    an attribution of this delta tree: of time or, where no cause of that is sure, of instructions
 * @param least_ns  the least time that matters
 */
void pe_zam_of_causes(struct pe_zam *out, const struct pe_delta *delta,
		      const struct pe_attribution *causes, int64_t least_ns,
		      struct pe_arena *arena);

#endif
