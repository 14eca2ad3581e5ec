/* Programs that nobody wrote: trees whose differences are known, for the pages of the browser tests. */
#pragma once

#include "analysis/compare/changes.h"
#include "report/page.h"

enum { FIXTURE_RUNS = 3 };

/** Profiles of both sides over one table of frames, and what became of the sources. */
struct fixture_trees {
	struct pe_frames *frames;
	const struct pe_cct *at[2][FIXTURE_RUNS]; /**< old, new */
	uint32_t n;                               /**< runs of a side */
	struct pe_changes changes;
	struct pe_page_source *sources;
	size_t n_sources;
};

/** What a written program is made with. */
struct fixture_trees_opts {
	bool hostile; /**< names and texts that would be markup, or turn the line around */
	bool swapped; /**< the improvement: old and new change places */
	bool sampled; /**< times only: no calls, no allocations, no call sites */
};

/**
 * A parser of some twenty methods: `hash_probe` is called three times as often from a modified `intern`,
 * `check_token` came, `legacy_scan` went, `normalise` stands between, `pool_alloc` is dearer though nobody
 * touched it, `write_number` is cheaper; times of three runs vary by about one percent.
 */
void fixture_trees_written(struct fixture_trees *out, struct pe_frames *frames,
			   const struct fixture_trees_opts *opts, struct pe_arena *arena);

/** A program of n contexts and 600 methods drawn from a seed, of which some came, went and changed. */
void fixture_trees_drawn(struct fixture_trees *out, struct pe_frames *frames, uint32_t n,
			 uint64_t seed, struct pe_arena *arena);
