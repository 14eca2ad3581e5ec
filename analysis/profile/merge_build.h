/* Merge build: steps of the merges on a tree in the making. */
#ifndef PE_PROFILE_MERGE_BUILD_H
#define PE_PROFILE_MERGE_BUILD_H

#include "analysis/profile/merge.h"

/**
 * Put a whole tree into a new builder, values and flags included.
 *
 * @return  by node, what it became; in the arena
 */
uint32_t *pe_merge_copy(struct pe_cct_builder *builder, const struct pe_cct *cct,
			struct pe_arena *arena);

/**
 * Self times of a duration in proportion to the times that the samples have, waits included, or to their numbers. What is
 * waiting beyond the waits that have a place becomes a node of its own. There is at least one sample.
 *
 * @param samples  that the nodes have their samples and times of
 */
void pe_merge_spread_time(struct pe_cct_builder *builder, const struct pe_cct *samples,
			  uint64_t total_ns, const struct pe_merge_opts *opts);

/** The duration to spread: what the timed runs took, else samples times their interval. */
uint64_t pe_merge_duration(const struct pe_cct *samples, const struct pe_merge_opts *opts,
			   uint64_t n_samples);

#endif
