/* Running a bisection: shared by the files of pe_bisecting_run() alone. */
#pragma once

#include "app/measure/costs.h"
#include "app/search/bisect.h"
#include "core/base/vec.h"

/** Builds that stay side by side; the ends are always among them. */
enum { PE_BISECT_RUN_RESIDENT = 16 };

/** Steps below this part of what the ends differ by are not looked for, unless the smallest change is named. */
#define PE_BISECTING_LEAST_SHARE 0.02

/** Readings of one metric, stored ones first. */
typedef PE_VEC(struct pe_bisect_reading) pe_bisect_readings;

/** A bisection while it lasts. */
struct pe_bisect_run {
	struct pe_bisecting *out;
	struct pe_session session; /**< its revisions are the line */
	struct pe_known known;
	struct pe_session_costs costs;
	size_t costs_of; /**< builds of this session that are in them */
	struct pe_reuse *reuse;
	const struct pe_benchmark *benchmark;
	unsigned epoch;    /**< of stored counts (store/modules.c); 0: there are none */
	bool counted_once; /**< its counts are exact: one run of each end is enough */
	bool moved; /**< a run of this session is of another one: stored counts do not count */
	struct pe_bisect_line
		*line; /**< of the arithmetic, of times and of a count that is followed */
	bool weighed;  /**< its weights are filled in */
	pe_bisect_readings readings;
	struct pe_steps *search;  /**< that they were fed to */
	struct pe_engine *engine; /**< over the whole line; NULL: nothing is measured yet */
	size_t resident
		[PE_BISECT_RUN_RESIDENT]; /**< of the session; the newest first, then the ends */
	size_t n_resident;
	bool *taken;       /**< had its timed run in this round */
	unsigned *counted; /**< counting runs of each in this batch */
	unsigned round;
	bool *built;
	uint64_t started_ns, build_ns, run_ns;
	size_t runs;
};

/**
 * Read what the store has of the line's readings of a metric, with the time of each; those that vary are thinned out where
 * there are many.
 */
int pe_bisect_run_load_stored(pe_bisect_readings *out, const struct pe_bisect_run *run,
			      const struct pe_metric *metric);

/** Forget readings of the store, where it is counts that are bisected, and begin anew. */
void pe_bisect_run_forget_stored(struct pe_bisect_run *run);

/**
 * Mark revisions that execute the same: there is no change between two of them, which would have to be
 * undone again.
 */
void pe_bisect_run_use_reused(struct pe_bisect_run *run);

/** Leave out revisions that the store knows as such that cannot be measured. */
void pe_bisect_run_skip_failures(struct pe_bisect_run *run);

/** Begin the arithmetic anew and feed it with all readings so far. */
void pe_bisect_run_feed_all(struct pe_bisect_run *run);

/** From now on the metric is a noisy one: runs of one build differ. */
void pe_bisect_run_call_noisy(struct pe_bisecting *out);

/**
 * Whether a count is exact enough to find a step by: values of one build differ by far less.
 *
 * @param spread, step  relative to the values
 */
bool pe_bisect_run_is_exact(double spread, const struct pe_metric *metric, double step);

/** Add to the arithmetic a reading of this session. */
void pe_bisect_run_feed(struct pe_bisect_run *run, size_t i, double value);

/**
 * Have the build of a revision in its slot.
 *
 * @param fit  it can be run; else it does not build, or executes the same as another
 * @return     PE_EFULL: there is no room for it; else as the session
 */
int pe_bisect_run_build(bool *fit, struct pe_bisect_run *run, size_t i);

/**
 * Weigh the commits, once, and begin anew with the weights: by the methods that they changed, and by where a count moved.
 * Called once the ends differ: before, the work might be useless.
 */
int pe_bisect_run_weigh(struct pe_bisect_run *run);

/**
 * Where the ends differ by an exact count, bisect that, and put the commits at which it moved into out->count. A build
 * and a run a revision decide, where times take several.
 */
int pe_bisect_run_counts(struct pe_bisect_run *run);

/** Add the costs of runs and builds to the arithmetic: the stored ones, and this session's. */
int pe_bisect_run_add_costs(struct pe_bisect_run *run);

/** Whether the time is spent. PE_ESTOPPED after Ctrl-C. */
int pe_bisect_run_look_up(bool *spent, struct pe_bisect_run *run);

/**
 * Run the benchmark once on a built revision, under the counting library where the metric needs it; stored.
 *
 * @param value  the metric's; NaN: the run gave none
 */
int pe_bisect_run_once(double *value, struct pe_bisect_run *run, size_t i,
		       const struct pe_metric *metric);

/** The value of that run in another metric of the same kind; NaN: none. */
double pe_bisect_run_value(const struct pe_bisect_run *run, size_t i,
			   const struct pe_metric *metric);
