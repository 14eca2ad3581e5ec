/*
 * History: the commits of a repository as the commit graph shows them, measured or not, with the branches and
 * tags that point to them. Values only: app/history/commit_graph.c fills it in from the repository and the evolution.
 */
#pragma once

#include "report/estimate.h"
#include "report/evolution.h"
#include "report/lanes.h"

/** A commit of the graph: newest first, every commit before its parents. */
struct pe_history_commit {
	struct pe_revision revision;
	const char *const *refs; /**< short names: "HEAD", "main", "tag: v1.0", "origin/main" */
	size_t n_refs;
	/** The first parent; NULL: a root, or not shown. As pe_history_lay_out() finds it. */
	const struct pe_history_commit *parent;
	size_t point; /**< index among the evolution's revisions; SIZE_MAX: it has no results */
	int64_t mc;   /**< methods changed against its first parent; -1: unknown */
};

struct pe_history {
	const struct pe_evolution *evolution; /**< borrowed */
	struct pe_history_commit *commits;
	size_t n;
	struct pe_lanes lanes;
	bool cut; /**< there are older commits that are not shown */
	/** Changed methods from which on a spark circle's first sector is a step higher; NULL: by default. */
	const uint32_t *steps;
};

/** Find each commit's first parent and its place in the lanes, by the ids of its parents. The arena owns the lanes. */
void pe_history_lay_out(struct pe_history *history, struct pe_arena *arena);

/**
 * Append a row's dot and the lines through it: two columns a lane. A branch that a commit opens turns in the
 * commit's row, one that ends in a commit turns in that commit's row, so that a row needs one line of text.
 *
 * @param columns  to fill with the lanes that have room, and blanks behind; the last one is a sign where more
 *                 lanes were cut off
 */
void pe_history_graph(struct pe_text *out, const struct pe_history *history, size_t row,
		      size_t columns, const struct pe_term *term);

#define PE_N_SPARK_STEPS 5
extern const uint32_t pe_spark_steps[PE_N_SPARK_STEPS]; /**< 1, 3, 6, 11, 26 */

/** What one sector of a spark circle stands for (Spark Circle section III). */
enum pe_spark_metric { PE_SPARK_METHODS, PE_SPARK_ALLOCATIONS, PE_SPARK_TIME, PE_N_SPARK_METRICS };

/** One sector of a commit's spark circle. */
struct pe_spark_sector {
	bool known;
	double value; /**< methods changed, or the relative change against the first parent: 0.05 is +5 % */
	/**
	 * 0 to 1: six steps for methods (at 0, 1, 3, 6, 11, 26); else min(|change|, 1) of the judged level, which
	 * stands still where there is no jump, or of the value where nothing was judged.
	 */
	double height;
	bool dark; /**< the border: dark where the value is above 0 */
	/** A difference as it was measured, and no jump: it has a border of its own, and is not dark. */
	bool noise;
};

/**
 * The sectors of a commit for one benchmark: its changes against the nearest ancestor along first parents
 * that has values. A metric without values here or there is not known.
 *
 * @param benchmark  name of the benchmark
 */
void pe_spark_sectors(struct pe_spark_sector out[PE_N_SPARK_METRICS],
		      const struct pe_history *history, const struct pe_history_commit *commit,
		      const char *benchmark);

/** Height of a sector for a number of changed methods; 0 to 1. */
double pe_spark_methods_height(const struct pe_history *history, uint64_t methods);

/**
 * What a commit is compared with in one line: the nearest ancestor along first parents that has values; where they
 * lead out of the picture, the one before. NULL: there is none.
 */
const struct pe_point *pe_history_before(const struct pe_history *history,
					 const struct pe_history_commit *commit,
					 const struct pe_line *line);

/**
 * A commit's change in one line: its jump, else the difference to the nearest ancestor along first parents that
 * has values. Not known where the commit or all its ancestors have none.
 */
struct pe_change pe_history_change(const struct pe_history *history,
				   const struct pe_history_commit *commit,
				   const struct pe_line *line);

/** The benchmark that is shown alone: that of the worst jump, else the first; NULL: there is none. */
const char *pe_history_benchmark(const struct pe_history *history);

/**
 * The commit graph for a terminal, a row a commit, with a spark glyph of one benchmark in each.
 *
 * @return  some of enum pe_log_mark: the signs in it
 */
unsigned pe_history_term(struct pe_text *out, const struct pe_history *history,
			 const char *benchmark, const struct pe_term *term);

/** The document of pe_evolution_json() with the member "history", which is that of the page's index (report/page.h). */
void pe_history_json(struct pe_text *out, const struct pe_history *history);
