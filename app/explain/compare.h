/*
 * Comparing: two executions on their way to a verdict. Shared by the files of compare_*.c: revisions come
 * from a session, files from the importers; what is done with two trees is the same.
 */
#ifndef PE_APP_EXPLAIN_COMPARE_H
#define PE_APP_EXPLAIN_COMPARE_H

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
	bool page;     /**< for a page: with critical graph and stages */
	bool kept;     /**< of what the store has: nothing is built, measured or profiled */
	bool anybodys; /**< with kept: also of other machines, where this one has no profiles of both */
	bool worktree;                  /**< new is the uncommitted tree */
	const char *bench;              /**< REGEX; NULL: all */
	const struct pe_strings *names; /**< only benchmarks with these names; NULL: all */
	const char *with;               /**< name of the benchmark that is new */
	size_t top;         /**< most causes of a benchmark, pairs of a weight; 0: default */
	double min_change;  /**< share of the old execution; 0: default */
	uint64_t decide_ns; /**< how long undecided metrics are measured on; 0: not at all */
	double threshold;   /**< overlap at which PARCS stops adjusting; 0: own noise */
};

/** The files that differ between two revisions, and where their lines went. */
struct pe_comparing_file {
	struct pe_changed_file file;
	struct pe_line_map map;
	bool read;
};

/** One side of a pair: its trees. The first is the one to show. */
struct pe_comparing_trees {
	struct pe_cct **at;
	size_t n;
};

/** Old and new. */
struct pe_comparing_sides {
	struct pe_comparing_trees at[2];
};

static inline bool pe_comparing_has_trees(const struct pe_comparing_sides *sides)
{
	return sides->at[0].n > 0 && sides->at[1].n > 0;
}

struct pe_comparing {
	struct pe_app *app;
	const struct pe_comparing_opts *opts;
	struct pe_frames frames;
	struct pe_compare out;
	PE_VEC(struct pe_compare_pair) pairs;
	PE_VEC(struct pe_comparing_sides) sides; /**< by pair */
	uint32_t
		n_old_frames; /**< frames before the first tree of new was read: their lines are old's */
	const struct pe_revision *revisions; /**< old and new; NULL: files */
	struct pe_changes changes;           /**< at is NULL: nothing is known */
	const uint32_t *renamed;             /**< by frame, or NULL: pe_comparing_renamed() */
	uint32_t n_renamed;              /**< frames that were there when changes were looked for */
	struct pe_comparing_file *files; /**< by path; NULL: call sites stay where they are */
	size_t n_files;
	double confidence; /**< of intervals; 0: that of PE_COMPARE_DEFAULTS */
	uint64_t spent_ns; /**< of opts->decide_ns */
	bool no_code; /**< with opts->kept: nothing is stored of the machine code of the pair */
	bool unmeasurable;             /**< something could not be measured: there is a note */
	int64_t machine_key;           /**< in the store */
	char recipe_hash[PE_HASH_HEX]; /**< of what decides the builds; "": files */
};

/* --- app/explain/compare_trees.c --- */

/** With opts->min_change samples are taken and looked at so often. */
enum { PE_COMPARING_LOOKS = 3 };

/** Match, take apart and judge every pair that has trees; then rank the verdict. */
void pe_comparing_decide_trees(struct pe_comparing *comparing);

/**
 * What makes the times of trees differ that are not shown yet, with what is known of changes by now. Trees stay as they are.
 *
 * @return  false: times are not known
 */
bool pe_comparing_attribute_early(struct pe_attribution *out, const struct pe_compare_pair *pair,
				  struct pe_comparing *comparing,
				  const struct pe_comparing_sides *sides, struct pe_arena *arena);

/** How pairs are matched, as far as it was asked for. */
struct pe_match_opts pe_comparing_match_opts(struct pe_comparing *comparing);

/* --- app/explain/compare_machine.c --- */

struct pe_comparing_couple;

/**
 * The machine whose results are compared where nothing is measured: the session's, unless opts->anybodys, and another one
 * has profiles of both revisions and it has not. Then comparing->out.origin says whose they are.
 *
 * @param couples  by pair
 * @param ids      of old and new
 */
int pe_comparing_machine(int64_t *out, struct pe_comparing *comparing,
			 const struct pe_session *session,
			 const struct pe_comparing_couple *couples, const char *const ids[2]);

/* --- app/explain/compare_charges.c --- */

/**
 * Where functions execute so much more or fewer instructions that it may be a cause, find out which methods these are, by a run
 * of each side, or from the store. Trees are known by then.
 *
 * @param sides  with trees
 */
int pe_comparing_charges(struct pe_compare_pair *pair, struct pe_comparing *comparing,
			 const struct pe_collected sides[2], struct pe_session *session,
			 const struct pe_session_revision *const revisions[2],
			 const struct pe_session_benchmark *benchmark);

/* --- app/explain/compare_functions.c --- */

/** Join that with what is known of the frames' changes: pair->changes becomes a list of the pair's own. */
void pe_comparing_join_functions(struct pe_compare_pair *pair, struct pe_comparing *comparing);

/* --- app/explain/compare_decide.c --- */

/** What a pair consists of: its benchmarks, of the session. */
struct pe_comparing_couple {
	const struct pe_session_benchmark *benchmarks[2];
};

/**
 * Measure the pairs on that have an undecided metric, until each is decided or opts->decide_ns is over.
 *
 * @param couples  by pair
 * @param fill     makes the values of all pairs anew
 * @return         PE_ESTOPPED after Ctrl-C; those of the session and of fill
 */
int pe_comparing_decide(struct pe_comparing *comparing, struct pe_session *session,
			const struct pe_comparing_couple *couples, int (*fill)(void *payload),
			void *payload);

/* --- app/explain/compare_samples.c --- */

/**
 * With opts->min_change, sample both sides of a pair further until changes of methods of that size are decided, or
 * opts->decide_ns is spent; source changes are known by then. Does nothing where the pair was not sampled.
 *
 * @param sides  as pe_collect_beside() left them
 */
int pe_comparing_sample_more(struct pe_collected sides[2], struct pe_comparing *comparing,
			     struct pe_session *session, size_t pair,
			     const struct pe_session_revision *const revisions[2],
			     const struct pe_session_benchmark *const benchmarks[2]);

/* --- app/explain/compare_layout.c --- */

/** Whether a time differs, and nothing that is known so far says that the work does. */
bool pe_comparing_asks_layout(const struct pe_comparing *comparing);

/**
 * Compare the machine code of those pairs, and say of their values what is layout. Builds both revisions.
 *
 * @param at  the session's indices of old and new
 * @return    PE_ESTOPPED after Ctrl-C
 */
int pe_comparing_layout(struct pe_comparing *comparing, struct pe_session *session,
			const size_t at[2]);

/* --- app/explain/compare_scale.c --- */

/**
 * Give both sides' trees of samples the processor time and the waiting of the pair's values, which come from
 * rounds that both were in; and say in pair->scale_error how sure the ratio of both is.
 */
void pe_comparing_scale(struct pe_compare_pair *pair, const struct pe_comparing_sides *sides);

/* --- app/explain/compare_changes.c --- */

/**
 * Find out what the sources and the machine code say of the frames of all trees, and where call sites went.
 * Builds both revisions for the machine code, and stores what it says; with opts->kept it is what was stored of the
 * pair, or unknown. Must not be called while a session is open. What is unknown is a note.
 */
int pe_comparing_changes(struct pe_comparing *comparing, const struct pe_revision *old_revision,
			 const struct pe_revision *new_revision);

/** Which methods were renamed, as far as changes were looked for: by frame, of all that there are by now; NULL: none was. */
const uint32_t *pe_comparing_renamed(struct pe_comparing *comparing);

/** Likewise of the sources alone: no session is opened, so that one may be open. */
int pe_comparing_source_changes(struct pe_comparing *comparing,
				const struct pe_revision *old_revision,
				const struct pe_revision *new_revision);

/** Where a call site of the old revision stands in the new one: a pe_site_map_fn over struct pe_comparing. */
uint32_t pe_comparing_site(uint32_t caller, uint32_t line, void *payload);

/* --- app/explain/compare_largest.c --- */

enum { PE_COMPARING_MOST = 10 }; /**< benchmarks that are profiled, where there are more */

/**
 * Leave out what is not to be profiled, where there are more benchmarks than PE_COMPARING_MOST: those that did not
 * change, and those that changed less than so many others. Values are known by then. Stored profiles are all taken.
 */
void pe_comparing_leave_small(struct pe_comparing *comparing);

/* --- app/explain/compare_certainty.c --- */

/** Whether both sides have counts, and one of fewer runs than PE_COLLECT_SURE_RUNS. */
bool pe_comparing_is_unsure(const struct pe_collected sides[2]);

/** Count more runs of a pair that is unsure, where its counts differ and no source did; changes are known by then. */
int pe_comparing_make_sure(struct pe_collected sides[2], struct pe_comparing *comparing,
			   struct pe_session *session,
			   const struct pe_session_revision *const revisions[2],
			   const struct pe_session_benchmark *const benchmarks[2]);

/* --- app/explain/compare_revisions.c, app/explain/compare_files.c --- */

/**
 * Measure and profile what is missing of two revisions, or of two benchmarks of one.
 *
 * With opts->kept nothing is: benchmarks of which the store lacks values or trees stay without them, those of
 * `tests:` are left out, and machine code is unknown unless it was stored.
 */
int pe_comparing_revisions(struct pe_comparing *comparing, const char *old_spec,
			   const char *new_spec);

/**
 * Read the profiles of old and new: one pair, whose times are means of each side's profiles.
 *
 * @param sides  each with a path or more; borrowed
 * @return       as pe_recorded_read()
 */
int pe_comparing_files(struct pe_comparing *comparing, const struct pe_recorded_paths sides[2],
		       struct pe_recorded_opts *opts);

/** Free the lists and frames of a comparison; what lies in the application's arena stays. */
void pe_comparing_release(struct pe_comparing *comparing);

#endif
