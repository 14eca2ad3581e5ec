/* The steps of pe_zam_make(), each in a file of its own. Private to the room. */
#ifndef PE_COMPARE_ZAM_STEPS_H
#define PE_COMPARE_ZAM_STEPS_H

#include "analysis/compare/zam.h"
#include "analysis/compare/zam_graph.h"

/** A cause is a crumb when it is less than this beside the greatest one. */
#define ZAM_CRUMB 0.2

/** The profiles of one call, pruned. */
struct zam_profiles {
	const struct pe_cct **olds, **news;
	uint32_t n;
};

/** What makes a difference. */
struct zam_bound {
	double min_ns, min_waiting_ns, min_own_ns;
	bool scattered; /**< look below leaves */
};

/* --- zam_noise.c --- */

/** The three mu of out, from what runs of one side differ by. */
void pe_zam_noise_find(struct pe_zam *out, const struct zam_profiles *profiles,
		       const struct pe_match_opts *opts);

/* --- zam_pair.c --- */

/** The graph of one pair of profiles, in the arena. */
struct pe_zam_graph pe_zam_pair_graph(const struct pe_match *match, const struct zam_bound *bound,
				      struct pe_arena *arena);

/* --- zam_weak.c --- */

/**
 * The graph without causes that are not worth saying: those that noise explains, over all pairs and over all leaves
 * of one method, and small causes beside the greatest one. Above them the next lowest becomes a cause, if it is one.
 */
struct pe_zam_graph pe_zam_without_weak(const struct pe_zam_graph *graph,
					const struct zam_profiles *profiles,
					struct pe_arena *arena);

/* --- zam_methods.c --- */

/** Bottom-up: a slowdown spread over many contexts, each under mu, to out->methods. */
void pe_zam_methods_sum(struct pe_zam *out, const struct zam_profiles *profiles,
			struct pe_arena *arena);

#endif
