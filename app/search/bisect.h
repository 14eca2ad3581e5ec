/*
 * Bisecting: a line of revisions, measured here and there until it is known at which one a benchmark moved.
 * Shared by the files of bisect_*.c.
 */
#ifndef PE_APP_SEARCH_BISECT_H
#define PE_APP_SEARCH_BISECT_H

#include "app/measure/reuse.h"
#include "app/measure/plan.h"
#include "app/search/prior.h"
#include "app/measure/engine.h"
#include "app/measure/session.h"
#include "core/stats/bisect.h"

struct pe_bisecting_opts {
	const char *bench;              /**< REGEX; NULL: the only one */
	const struct pe_strings *names; /**< that one, by its name; NULL: it is not known */
	const char *metric;             /**< NULL: wall time, or the only one that is judged */
	double min_change;              /**< NaN: the metric's own */
	double confidence;
	size_t max_runs;
	uint64_t budget_ns; /**< 0: none */
};

/** How a bisection ended. */
enum pe_bisecting_end {
	PE_BISECTING_ANSWERED, /**< see result.answer */
	PE_BISECTING_BUDGET,   /**< the time is spent */
};

/** A count that both ends differ by: where it moved, the other metric is expected to have moved. */
struct pe_bisecting_count {
	const struct pe_metric *metric; /**< NULL: there is none */
	double old_value, new_value;
	size_t runs; /**< counting runs that were made for it, those of no use included */
	struct pe_bisect_group group; /**< where it moved; first is 0 where that was not found */
};

/** One bisection. Everything lives in the context's arena, but for what pe_bisecting_release() frees. */
struct pe_bisecting {
	struct pe_app *app;
	const struct pe_bisecting_opts *opts;
	const struct pe_revision *line; /**< oldest first: the good end, ..., the bad end */
	size_t n;
	const char *bench; /**< name */
	const struct pe_metric *metric;
	bool inexact; /**< exact as a rule, and not of this benchmark: the metric's kind says noisy */
	double min_change;
	struct pe_bisect *bisect;
	/* What came of it. */
	enum pe_bisecting_end end;
	struct pe_bisect_result result;
	struct pe_bisect_group *groups; /**< runners-up and all, most probable first */
	size_t n_groups;
	struct pe_prior prior; /**< what the weights of the commits rest on */
	struct pe_bisecting_count count;
	size_t unbuildable, failing, stored, builds, reused;
	uint64_t spent_ns;
};

/**
 * Measure until there is an answer; readings of the store are used first. Every run is stored at once, so the
 * same call goes on after a stop.
 *
 * @param out  with app, opts, line and n; the rest zeroed
 * @return     PE_ESTOPPED after Ctrl-C: what is known so far is filled in
 */
int pe_bisecting_run(struct pe_bisecting *out);

/** Free what pe_bisecting_run() holds; values in the context's arena stay. */
void pe_bisecting_release(struct pe_bisecting *bisecting);

/** Whether new is worse than old. */
bool pe_bisecting_is_regression(const struct pe_bisecting *bisecting);

/** Whether a count moved where the bisected metric did: false also where nothing is known of either. */
bool pe_bisecting_count_held(const struct pe_bisecting *bisecting);

/** A benchmark's metric by its name, or the one to take when no name is given. PE_EINVALID lists them. */
int pe_bisecting_metric(const struct pe_metric **out, struct pe_app *app,
			const struct pe_benchmark *benchmark, const char *name);

#endif
