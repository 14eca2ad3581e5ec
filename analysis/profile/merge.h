/*
 * Merge: one tree from two sources, because one alone is wrong. Counts come from an instrumented build, whose
 * times would be false; times come from samples of the native build, which cannot count. They are joined by
 * path, from the root down, one frame of the sampled stack after the other:
 *
 *  - The methods that the counting tree does not know at all were not instrumented (libc, system headers,
 *    excluded files). They are passed over, and their time belongs to the nearest instrumented caller.
 *  - A method that it knows is looked for among the children of the node reached so far, and among the folded
 *    nodes above it (recursion): first with the call site, then by name alone, nearest line first, because
 *    optimisation moves lines.
 *  - The method of that very node, which never called itself there, is the other part of a function that the
 *    native build split in two.
 *  - If the children know it not, but exactly one grandchild is this method, the native build has lost a
 *    frame in between (a call in tail position, code shared between functions), and that one is taken.
 *  - Else the frame is set aside, and the next one tried from the same node: a function that the counting
 *    build had inlined before it was instrumented. When the stack ends with frames set aside, these become
 *    nodes of their own, PE_CCT_UNCOUNTED, and the sample is counted as lost: its time stays on the right
 *    method, but the path was not the one that was counted.
 *
 * Names are compared without what compilers append to copies (".isra.0", ".cold", "[clone .part.1]"), and
 * mangled constructors and destructors without their variants (C1, C2, C4; D0, D1, D2).
 */
#ifndef PE_PROFILE_MERGE_H
#define PE_PROFILE_MERGE_H

#include "analysis/profile/cct.h"

/** How samples found their way. All but the first are parts of it; `lost` of these found no path. */
struct pe_merge_stats {
	uint64_t samples; /**< all */
	uint64_t
		lost; /**< ended in a known method that the counting tree has not on this path; or were cut */
	uint64_t by_name; /**< found, but some call site disagreed */
	uint64_t bridged; /**< found, across frames that one of the two builds had not */
	uint64_t
		outside; /**< found, in no instrumented method at all: start-up, threads of libraries */
	uint64_t
		cut; /**< the stack lacked its beginning; those that could not be placed are lost */
};

struct pe_merge_opts {
	/** what the unsampled timed runs took; self times sum to it exactly. 0: samples times their interval */
	uint64_t duration_ns;
	/**
	 * Of these: nothing ran (sleeping, input and output, locks). Samples are taken of running threads, so
	 * this is separate: what of it has no place in the samples' own times stands in a node PE_FRAME_WAITING, the
	 * last child of the root. 0: no such node.
	 */
	uint64_t waiting_ns;
	/** Runs that the samples are of: processes that they started are counted by the run. 0: one. */
	uint32_t runs;
	/** facts.source of the result, static or in the arena; NULL: "counting+samples", or "samples" */
	const char *source;
};

/**
 * The counting tree with times from samples. Each node's self_ns is its share of all samples of the duration,
 * rounded so that the sum is exact (largest remainders); pe_cct_self_interval() tells how sure it is.
 * facts.samples and samples_lost are set. Both trees share one table of frames. Near-linear in their nodes.
 *
 * @param counting  with calls or allocations; its nodes keep their order, new ones follow their siblings
 * @param samples   as pe_samples_read() makes it, or from any importer: with values PE_CCT_SAMPLES
 * @param stats     may be NULL
 */
struct pe_cct *pe_merge_samples(const struct pe_cct *counting, const struct pe_cct *samples,
				const struct pe_merge_opts *opts, struct pe_merge_stats *stats,
				struct pe_arena *arena);

/**
 * Where there is no counting build: samples alone, recursion folded as the counting tree folds it, with
 * times. Calls and allocations are unknown.
 */
struct pe_cct *pe_merge_samples_alone(const struct pe_cct *samples,
				      const struct pe_merge_opts *opts, struct pe_arena *arena);

/*
 * Counting runs of one build, joined: the values of the first, and how far the others are from them
 * (struct pe_cct_range), so that what the program does differently by itself is known apart from what a change of
 * its code does. Contexts that only later runs have are there with zeros, as the first called them zero times, and
 * stand behind the sibling that they followed there.
 */
struct pe_merge_joint;

/** @param first  a run, or what came of pe_merge_joint_finish(), with times or without; not needed after the call */
struct pe_merge_joint *pe_merge_joint_new(const struct pe_cct *first);

/**
 * Add one more run over the same frames; it is not needed after the call.
 *
 * @return  contexts that differ from the first run for the first time
 */
uint32_t pe_merge_joint_add(struct pe_merge_joint *joint, const struct pe_cct *run);

/** The tree, facts.counting_runs of it set. The joint is freed. */
struct pe_cct *pe_merge_joint_finish(struct pe_merge_joint *joint, struct pe_arena *arena);

/** Free a joint that is not finished; NULL is welcome. */
void pe_merge_joint_free(struct pe_merge_joint *joint);

/**
 * Split a total in proportion to weights, in whole units that sum to it exactly: the floor of each share,
 * and one more for the largest remainders (Hamilton's method), earlier ones first where remainders are equal.
 *
 * @param weights  their sum must stay below 2^64; all zero: everything goes to the first
 */
void pe_merge_apportion(uint64_t *out, const uint64_t *weights, size_t n, uint64_t total);

#endif
