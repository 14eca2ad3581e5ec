/* The steps of pe_zam_make(), each in a file of its own. Private to the room. */
#ifndef PE_COMPARE_ZAM_STEPS_H
#define PE_COMPARE_ZAM_STEPS_H

#include "analysis/compare/zam.h"
#include "analysis/compare/zam_graph.h"

/** Causes below this share of the largest one are removed. */
#define ZAM_MIN_SHARE 0.2

/** The profiles of one call, pruned. */
struct zam_profiles {
	const struct pe_cct **olds, **news;
	uint32_t n;
};

/** The least differences that count. */
struct zam_bound {
	double min_ns, min_waiting_ns, min_own_ns;
	bool scattered; /**< look below leaves */
};

/* --- zam_noise.c --- */

/** Find the three mu of out, from the differences between runs of one side. */
void pe_zam_noise_find(struct pe_zam *out, const struct zam_profiles *profiles,
		       const struct pe_match_opts *opts);

/* --- zam_pair.c --- */

/** Make the graph of one pair of profiles, in the arena. */
struct pe_zam_graph pe_zam_pair_graph(const struct pe_match *match, const struct zam_bound *bound,
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

#endif
