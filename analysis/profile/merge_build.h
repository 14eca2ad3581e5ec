/* Merge build: steps of the merges on a tree that is being built. */
#ifndef PE_PROFILE_MERGE_BUILD_H
#define PE_PROFILE_MERGE_BUILD_H

#include "analysis/profile/merge.h"

/**
 * Copy a whole tree into a new builder, values and flags included.
 *
 * @return  by node, its copy; in the arena
 */
uint32_t *pe_merge_copy(struct pe_cct_builder *builder, const struct pe_cct *cct,
			struct pe_arena *arena);

/**
 * Split a duration into self times in proportion to the times of the samples, waits included, or to their numbers.
 * Waiting time beyond the placed waits becomes a node of its own. There is at least one sample.
 *
 * @param samples  the source of the nodes' samples and times
 */
void pe_merge_spread_time(struct pe_cct_builder *builder, const struct pe_cct *samples,
			  uint64_t total_ns, const struct pe_merge_opts *opts);

/** The duration to split: that of the timed runs, else samples times their interval. */
uint64_t pe_merge_duration(const struct pe_cct *samples, const struct pe_merge_opts *opts,
			   uint64_t n_samples);

#endif
