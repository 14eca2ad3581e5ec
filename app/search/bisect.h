/*
 * Bisecting: a line of revisions, measured here and there until the one is found at which a benchmark moved.
 * Shared by the files of bisect_*.c.
 */
#pragma once

#include "app/measure/reuse.h"
#include "app/measure/plan.h"
#include "app/search/prior.h"
#include "app/measure/engine.h"
#include "app/measure/session.h"
#include "core/stats/steps.h"

struct pe_bisecting_opts {
	const char *bench;              /**< REGEX; NULL: the only one */
	const struct pe_strings *names; /**< that one, by its name; NULL: it is not known */
	const char *metric;             /**< NULL: wall time, or the only one that is judged */
	double min_change;              /**< NaN: the metric's own */
	enum pe_steps_want want;
	bool all_parents; /**< the caller searches inside merges itself */
	bool counts; /**< count and time nothing: simulated instructions, unless `metric` is another count */
	double confidence;
	size_t max_runs;
	uint64_t budget_ns; /**< 0: none */
};

/** How a bisection ended. */
enum pe_bisecting_end {
	PE_BISECTING_ANSWERED, /**< see found.answer */
	PE_BISECTING_BUDGET,   /**< the time is spent */
};

/** A count that both ends differ by: where it moved, the other metric is expected to have moved. */
struct pe_bisecting_count {
	const struct pe_metric *metric; /**< NULL: there is none */
	double old_value, new_value;
	size_t runs; /**< counting runs that were made for it, those of no use included */
	struct pe_bisect_group *groups; /**< where it moved, from the old end on */
	size_t n_groups;                /**< 0: that was not found */
};

/** One bisection. Everything lives in the context's arena. */
struct pe_bisecting {
	struct pe_app *app;
	const struct pe_bisecting_opts *opts;
	const struct pe_revision *line; /**< oldest first: the good end, ..., the bad end */
	size_t n;
	const char *bench; /**< name */
	const struct pe_metric *metric;
	bool inexact; /**< a metric that is exact as a rule varies for this benchmark: its kind is noisy */
	double min_change;
	/* The result. */
	enum pe_bisecting_end end;
	struct pe_bisect_result now;  /**< where the search stands, while it lasts */
	struct pe_steps_result found; /**< at its end */
	struct pe_prior prior;        /**< what the weights of the commits rest on */
	struct pe_bisecting_count count;
	size_t unbuildable, failing, stored, builds, reused;
	uint64_t spent_ns;
};

/**
 * Measure until there is an answer; readings of the store are used first. Every run is stored at once, so the
 * same call goes on after a stop.
 *
 * @param out  with app, opts, line and n; the rest zeroed
 * @return     PE_ESTOPPED after Ctrl-C: the result so far is filled in
 */
int pe_bisecting_run(struct pe_bisecting *out);

/** Whether all required steps were found. */
bool pe_bisecting_is_found(const struct pe_bisecting *bisecting);

/** Whether it is a single step, and all that the ends differ by. */
bool pe_bisecting_is_whole(const struct pe_bisecting *bisecting);

/** Where to search among the commits that a merge of the line brought: a good and a bad one. Empty: it brought none. */
struct pe_bisecting_branch {
	const char *good, *bad;
	size_t n;
};

/** PE_OK also where it is no merge. */
int pe_bisecting_branch(struct pe_bisecting_branch *out, const struct pe_bisecting *bisecting,
			size_t merge);

/**
 * The command that searches among the commits that a merge brought.
 *
 * @param n  how many they are
 * @return   false: it is no merge, or brought none
 */
bool pe_bisecting_look_inside(struct pe_text *command, size_t *n,
			      const struct pe_bisecting *bisecting, size_t merge);

/** Whether new is worse than old, of a step or of the ends. */
bool pe_bisecting_is_regression(const struct pe_bisecting *bisecting,
				const struct pe_bisect_result *result);

/** Whether one of the steps may be where a count moved. */
bool pe_bisecting_has_step(const struct pe_bisecting *bisecting,
			   const struct pe_bisect_group *count);

/** Whether a count moved wherever the bisected metric did: false also where either is unknown. */
bool pe_bisecting_count_held(const struct pe_bisecting *bisecting);
