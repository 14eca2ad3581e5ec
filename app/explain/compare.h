/*
 * Comparing: takes two executions to a verdict. Shared by the files of compare_*.c. Revisions come from a session, files from
 * the importers; two trees are then compared in the same way.
 */
#pragma once

#include "app/changes/changed_methods.h"
#include "app/history/cells.h"
#include "app/profiling/collect.h"
#include "app/profiling/profile_files.h"
#include "core/base/vec.h"
#include "report/compare.h"
#include "vcs/lines.h"

struct pe_comparing_opts {
	int rule;  /**< enum pe_match_rule */
	int basis; /**< enum pe_basis */
	bool no_call_sites, stages, again;
	bool critical; /**< make the critical graph too */
	bool page;     /**< make a page: with critical graph and stages */
	bool kept;     /**< use stored results alone: nothing is built, measured or profiled */
	bool anybodys; /**< with kept: use another machine's results where this one lacks profiles of either side */
	bool worktree;                  /**< new is the uncommitted tree */
	const char *bench;              /**< REGEX; NULL: all */
	const struct pe_strings *names; /**< only benchmarks with these names; NULL: all */
	const char *with;               /**< name of the benchmark for new */
	size_t top;         /**< most causes of a benchmark, pairs of a weight; 0: default */
	double min_change;  /**< share of the old execution; 0: default */
	uint64_t decide_ns; /**< budget for measuring undecided metrics further; 0: none */
	double threshold;   /**< overlap at which PARCS stops adjusting; 0: own noise */
};

enum {
	PE_COMPARING_MOST = 10, /**< most benchmarks that are profiled */
	PE_COMPARING_EARLY = 2, /**< most that are profiled before they are measured */
};

/** A file that differs between two revisions, and the map of its lines. */
struct pe_comparing_file {
	struct pe_changed_file file;
	struct pe_line_map map;
	bool read;
};

/** One pair while it is measured: the benchmark of old and of new, and what was collected of them. */
struct pe_comparing_couple {
	struct pe_benchmark *benchmarks[2];
	struct pe_collected sides[2];
	bool sure; /**< pe_comparing_make_sure() was done */
};

struct pe_comparing {
	struct pe_app *app;
	const struct pe_comparing_opts *opts;
	struct pe_frames frames;
	struct pe_compare out;
	PE_VEC(struct pe_compare_pair) pairs;
	uint32_t n_old_frames; /**< frames of old's trees alone: their lines are old's */
	const struct pe_revision
		*revisions;        /**< old and new; equal with two benchmarks; NULL: files */
	struct pe_session session; /**< of revisions; after its end, its keys alone */
	const struct pe_revision *chosen[2]; /**< old and new, in the session */
	struct pe_comparing_couple *couples; /**< by pair */
	struct pe_changes changes;           /**< at is NULL: unknown */
	const uint32_t *renamed;             /**< by frame; NULL: none was, or unknown */
	struct pe_comparing_file *files;     /**< by path; NULL: call sites keep their lines */
	size_t n_files;
	double confidence; /**< of intervals; 0: that of PE_COMPARE_DEFAULTS */
	uint64_t spent_ns; /**< of opts->decide_ns */
	bool early;        /**< the trees of all pairs are collected before the first run */
	size_t sampled;    /**< the pair that is sampled in turns */
	bool no_code;      /**< with opts->kept: no machine code of the pair is stored */
	bool unmeasurable; /**< a measurement failed: there is a note */
};

/* --- app/explain/compare_trees.c --- */

/** Whether both sides of a pair have trees. */
static inline bool pe_comparing_has_trees(const struct pe_comparing *comparing, size_t pair)
{
	const struct pe_collected *sides = comparing->couples[pair].sides;

	return sides[0].n_trees > 0 && sides[1].n_trees > 0;
}

/** Match, analyse and judge every pair that has trees; then rank the verdict. */
void pe_comparing_decide_trees(struct pe_comparing *comparing);

/**
 * Attribute the time of trees before the verdict, with the changes known so far. The trees are not modified.
 *
 * @return  false: times are unknown
 */
bool pe_comparing_attribute_early(struct pe_attribution *out, const struct pe_compare_pair *pair,
				  struct pe_comparing *comparing,
				  const struct pe_collected sides[2], struct pe_arena *arena);

/** The options for matching pairs, as requested. */
struct pe_match_opts pe_comparing_match_opts(struct pe_comparing *comparing);

/* --- app/explain/compare_charges.c --- */

/**
 * Where functions execute so many more or fewer instructions that it may be a cause, find their methods, by a run of each
 * side, or from the store. Both sides' trees are collected by then.
 */
int pe_comparing_charges(struct pe_comparing *comparing, size_t pair);

/* --- app/explain/compare_decide.c --- */

/**
 * Measure pairs with an undecided metric further, until each is decided or opts->decide_ns is over.
 *
 * @return  PE_ESTOPPED after Ctrl-C; errors of the session
 */
int pe_comparing_decide(struct pe_comparing *comparing);

/* --- app/explain/compare_samples.c --- */

/** Count more runs of both sides where they have few and counts differ although no source did, once. */
int pe_comparing_make_sure(struct pe_comparing *comparing, size_t pair);

/** Both profiles of a pair, to be sampled in turns. */
struct pe_collect_pair pe_comparing_collected(struct pe_comparing *comparing, size_t pair);

/**
 * With opts->min_change, sample both sides of a pair further until changes of methods of that size are decided, or
 * opts->decide_ns is spent. Does nothing where the pair was not sampled.
 */
int pe_comparing_sample_more(struct pe_comparing *comparing, size_t pair);

/* --- app/explain/compare_layout.c --- */

/** Whether a time differs in any pair although, as far as known, its work does not. */
bool pe_comparing_asks_layout(const struct pe_comparing *comparing);

/**
 * Compare the machine code of those pairs, and mark differences of their values that are layout. Builds both revisions.
 *
 * @return  PE_ESTOPPED after Ctrl-C
 */
int pe_comparing_layout(struct pe_comparing *comparing);

/* --- app/explain/compare_scale.c --- */

/**
 * Scale both sides' trees of samples to the processor time and the waiting time of the pair's values, which come from
 * rounds with both sides; set pair->scale_error to the error of their ratio.
 */
void pe_comparing_scale(struct pe_compare_pair *pair, const struct pe_collected sides[2]);

/** Whether all trees of a side are of samples. */
bool pe_comparing_is_sampled(const struct pe_collected *trees);

/** Make all time of one side's trees processor time: before the timed runs, waits may be for a processor. */
void pe_comparing_leave_waits(const struct pe_collected *trees);

/* --- app/explain/compare_changes.c --- */

/**
 * Find changes of source and machine code for the frames of all trees, and the map of call sites. A note names what is
 * unknown.
 *
 * @param code  compare the machine code too: build both revisions, and store the result; with opts->kept, the stored one is
 *              used, or it is unknown. No session may be open.
 */
int pe_comparing_changes(struct pe_comparing *comparing, bool code);

/** Map a call site of the old revision to the new one: a pe_site_map_fn over struct pe_comparing. */
uint32_t pe_comparing_site(uint32_t caller, uint32_t line, void *payload);

/* --- app/explain/compare_revisions.c, app/explain/compare_files.c --- */

/**
 * Compare two revisions, or two benchmarks of one: measure and profile what the store lacks.
 *
 * With opts->kept nothing is measured: benchmarks of which the store lacks values or trees have none, those of
 * `tests:` are left out, and machine code is unknown unless it was stored.
 */
int pe_comparing_revisions(struct pe_comparing *comparing, const char *old_spec,
			   const char *new_spec);

/** Fill in the values of all pairs again. A metric that a confirmed jump decides is not measured further. */
int pe_comparing_fill(struct pe_comparing *comparing);

/**
 * Read the profiles of old and new: one pair, whose times are means of each side's profiles.
 *
 * @param sides  each with a path or more; borrowed
 * @return       as pe_recorded_read()
 */
int pe_comparing_files(struct pe_comparing *comparing, const struct pe_recorded_paths sides[2],
		       struct pe_recorded_opts *opts);

/** Free the lists and frames of a comparison; memory in the application's arena stays. */
void pe_comparing_release(struct pe_comparing *comparing);

#define pe_auto_comparing __attribute__((cleanup(pe_comparing_release))) struct pe_comparing
