/*
 * Merge: one tree from two sources, because one alone is wrong. Counts come from an instrumented build, whose
 * times would be false; times come from samples of the native build, which cannot count. They are joined by
 * path, from the root down, one frame of the sampled stack after the other:
 *
 *  - Methods that the counting tree does not have at all were not instrumented (libc, system headers,
 *    excluded files). They are skipped, and their time is added to the nearest instrumented caller.
 *  - A method that it has is searched for among the children of the current node, and among the folded
 *    nodes above it (recursion): first with the call site, then by name alone, nearest line first, because
 *    optimisation moves lines.
 *  - The method of the current node itself, if it never called itself there, is the other part of a function that
 *    the native build split in two.
 *  - If no child, but exactly one grandchild is this method, the native build has lost a
 *    frame in between (a call in tail position, code shared between functions), and that one is taken.
 *  - Else the frame is set aside, and the next one tried from the same node: a function that the counting
 *    build had inlined before it was instrumented. When the stack ends with frames set aside, these become
 *    nodes of their own, PE_CCT_UNCOUNTED, and the sample is counted as lost: its time stays on the right
 *    method, but the path was not the one that was counted.
 *
 * Names are compared without the suffixes that compilers append to copies (".isra.0", ".cold", "[clone .part.1]"), and
 * mangled constructors and destructors without their variants (C1, C2, C4; D0, D1, D2).
 */
#pragma once

#include "analysis/profile/cct.h"

/** Numbers of samples. */
struct pe_merge_stats {
	uint64_t samples; /**< all */
	/** of these: ended in a method that the counting tree has on other paths only; or were cut */
	uint64_t lost;
};

struct pe_merge_opts {
	/** duration of the unsampled timed runs; self times sum to it exactly. 0: samples times their interval */
	uint64_t duration_ns;
	/**
	 * Part of it in which nothing ran (sleeping, input and output, locks). Samples are taken of running threads, so
	 * this is separate: the part beyond the waits in the samples' own times goes to a node PE_FRAME_WAITING, the
	 * last child of the root. 0: no such node.
	 */
	uint64_t waiting_ns;
	/** Runs behind the samples: the processes that they started are counted per run. 0: one. */
	uint32_t runs;
	/** facts.source of the result, static or in the arena; NULL: "counting+samples", or "samples" */
	const char *source;
};

/**
 * Add times from samples to a counting tree. Each node's self_ns is its share of all samples of the duration,
 * rounded so that the sum is exact; pe_cct_self_interval() has its uncertainty.
 * facts.samples and samples_lost are set. Both trees share one table of frames. Linear but for the children of a node, which are searched.
 *
 * @param counting  with calls or allocations; its nodes keep their order, new ones follow their siblings
 * @param samples   from pe_samples_read(), or from any importer: with values PE_CCT_SAMPLES
 * @param stats     NULL is allowed
 */
struct pe_cct *pe_merge_samples(const struct pe_cct *counting, const struct pe_cct *samples,
				const struct pe_merge_opts *opts, struct pe_merge_stats *stats,
				struct pe_arena *arena);

/**
 * Make a tree of samples alone, where there is no counting build, with times, and recursion folded as in the counting
 * tree. Calls and allocations are unknown.
 */
struct pe_cct *pe_merge_samples_alone(const struct pe_cct *samples,
				      const struct pe_merge_opts *opts, struct pe_arena *arena);

/*
 * Counting runs of one build, joined: the values of the first, and the differences of the others from them
 * (struct pe_cct_range), which distinguish the program's own variation from the effect of a change of its code.
 * Contexts that only later runs have are there with zeros, as the first called them zero times, and
 * follow the sibling that they followed there.
 */
struct pe_merge_joint;

/**
 * Begin a joint. @param first  a run, or a tree of pe_merge_joint_finish(), with times or without; not needed after the call
 */
struct pe_merge_joint *pe_merge_joint_new(const struct pe_cct *first);

/**
 * Add one more run over the same frames; it is not needed after the call.
 *
 * @return  contexts that differ from the first run for the first time
 */
uint32_t pe_merge_joint_add(struct pe_merge_joint *joint, const struct pe_cct *run);

/** Return the tree, with facts.counting_runs set. The joint is freed. */
struct pe_cct *pe_merge_joint_finish(struct pe_merge_joint *joint, struct pe_arena *arena);

/** Free a joint that is not finished; NULL is allowed. */
void pe_merge_joint_free(struct pe_merge_joint *joint);

/**
 * Split a total in proportion to weights, in whole units that sum to it exactly: each gets the whole units that the sum of
 * the shares reaches with it, less than one more or less than its share.
 *
 * @param weights  their sum must stay below 2^64; all zero: everything goes to the first
 */
void pe_merge_apportion(uint64_t *out, const uint64_t *weights, size_t n, uint64_t total);

/* --- Steps of the merges, private to analysis/profile/ --- */

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
