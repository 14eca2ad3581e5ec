/*
 * Commit blocks: the jumps of an evolution by the commit that causes them, for every writer: one block a commit, with all of
 * its jumps, regressions and improvements alike, and its class (core/model/commit_class.h).
 */
#pragma once

#include "core/model/commit_class.h"
#include "report/query.h"

struct pe_commit_block {
	size_t commit; /**< index of the revision: where the new levels begin, most likely */
	/**
	 * Benchmark by benchmark, the one with the leading jump first. Of each, what is confirmed leads, then time, memory,
	 * counts; of these the largest. One at least.
	 */
	const struct pe_ranked_jump *jumps;
	size_t n;
	struct pe_commit_class class;
};

/**
 * Every commit with a jump: confirmed ones, then suspects, then accepted ones; of each slower, mixed, faster, counts alone;
 * of these the largest change first. The arena owns the array.
 */
struct pe_commit_block *pe_commit_blocks(size_t *n, const struct pe_evolution *evolution,
					 struct pe_arena *arena);

/** Classify a block anew, after jumps were taken out of it. */
void pe_commit_block_classify(struct pe_commit_block *block, struct pe_arena *arena);

/** Count them by standing and class. */
struct pe_class_counts pe_commit_blocks_count(const struct pe_commit_block *blocks, size_t n);

/** How many blocks stand before those that are accepted. */
size_t pe_commit_blocks_open(const struct pe_commit_block *blocks, size_t n);

/** By event: the index of its commit's block; SIZE_MAX: no jump of it is shown. */
const size_t *pe_commit_blocks_by_event(const struct pe_evolution *evolution,
					struct pe_arena *arena);

/** Which rule of a gate a block's jump meets. */
enum pe_gate_rule pe_commit_block_rule(const struct pe_commit_block *block, size_t jump,
				       const struct pe_gate_limits *limits, struct pe_arena *arena);

/** Whether all jumps of a benchmark of a block follow each other from here on. @return  how many there are */
size_t pe_commit_block_run(const struct pe_commit_block *block, size_t from);

/** Append "2 slower, 1 faster in 30 commits of 6 benchmarks; 4 more change counts alone". */
void pe_commit_blocks_add_headline(struct pe_text *out, const struct pe_evolution *evolution,
				   const struct pe_commit_block *blocks, size_t n);

/** Append "slower: sort wall time +11.2 %, 2 more benchmarks": a block in short. */
void pe_commit_block_add_short(struct pe_text *out, const struct pe_commit_block *block);

/** Append "slower: sort wall time +11.2 %, 2 more benchmarks, at 02147f5a Sort in place": a block in one line. */
void pe_commit_block_add_line(struct pe_text *out, const struct pe_evolution *evolution,
			      const struct pe_commit_block *block);

/** Append "Ap_sort +3.1 M, Ap_sort_cmp +1.2 M and 3 more": the functions of a jump; nothing without them. */
void pe_jump_add_functions(struct pe_text *out, const struct pe_jump *jump);

struct pe_doc;

/**
 * Write the blocks as a table, a row a jump; on a terminal and in the mail with a line a commit above its rows.
 *
 * @param all  every benchmark of a block; else a terminal has the first few
 */
void pe_commit_blocks_put(struct pe_doc *doc, const struct pe_evolution *evolution,
			  const struct pe_commit_block *blocks, size_t n, bool all);

struct pe_json;

/** The members of one block, as below, of an object that is open. */
void pe_commit_block_json(struct pe_json *json, const struct pe_evolution *evolution,
			  const struct pe_commit_block *block);

/**
 * The members "headline" and "events" of an object: [{ commit: id, subject, first: id, last: id, sure, class, standing,
 * words, worse, better, summary, contradiction: text or null, jumps: [{ benchmark, metric, relative, regression, state, layout,
 * functions: [{ name, amount }] }] }].
 */
void pe_commit_blocks_json(struct pe_json *json, const struct pe_evolution *evolution);

/** Rows of CSV, one a jump: its commit, the class of that, and the change. */
void pe_commit_blocks_csv(struct pe_text *out, const struct pe_evolution *evolution);
