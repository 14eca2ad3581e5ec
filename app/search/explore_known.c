/* The state of a long range, the rest of the budget, and the next revisions to measure. */
#include "app/search/explore_internal.h"
#include "app/measure/carry.h"
#include "app/measure/thresholds.h"

#include "core/base/clock.h"
#include "core/stats/bisect.h"
#include "app/measure/exactness.h"
#include "app/measure/stop_rule.h"
#include "app/history/series.h"

#include <math.h>
#include <stdlib.h>

enum {
	ENDS = 6,        /* revisions that the ends of a range and their company take */
	LEAST_SLOTS = 4, /* a new revision, and two measured ones with it */
};

/* The wanted revision that has a key; SIZE_MAX: none. */
static size_t place_of(const struct pe_exploring *all, int64_t key)
{
	const size_t revision = pe_session_revision_of(all->session, key);

	return revision != SIZE_MAX && revision >= all->first ? revision - all->first : SIZE_MAX;
}

/* --- State --- */

const struct pe_coverage *pe_exploring_cell(const struct pe_exploring *all, size_t i, size_t w)
{
	return pe_known_at(&all->known, all->session, all->first + i, w);
}

/* Nothing can be had of a cell: it failed, or is not there. */
static bool is_void(const struct pe_exploring *all, size_t i, size_t w)
{
	const struct pe_coverage *have = pe_exploring_cell(all, i, w);

	return have != NULL ? have->failure != PE_MEASURED && have->timed == 0
			    : all->lacks[i * all->width + w];
}

/* Whether a cell needs no more: it has its runs, another revision's results, or cannot be run. */
static int is_settled(bool *out, struct pe_exploring *all, size_t i, size_t w)
{
	const struct pe_session *session = all->session;
	const struct pe_coverage *have = pe_exploring_cell(all, i, w);

	*out = (have != NULL && have->timed > 0) || is_void(all, i, w) ||
	       pe_known_is_reused(&all->known, session->revisions[all->first + i].key,
				  session->benchmarks.data[w]->key);
	if (*out || have != NULL)
		return PE_OK;
	PE_TRY(pe_session_lacks(out, all->session, all->first + i, w));
	all->lacks[i * all->width + w] = *out;
	return PE_OK;
}

/*
 * Find the state of a wanted revision. It is measured if it has runs of its own and nothing more can be had; a benchmark
 * that the config was given since, or that only old revisions have, may still be to be measured. It is the same as another
 * one if all its benchmarks take its results. What has all of its results from several others is not asked, and nothing can
 * be had of one that does not build, or whose benchmarks all failed.
 */
static int find_state(struct pe_exploring *all, size_t i)
{
	const struct pe_session *session = all->session;
	const int64_t key = session->revisions[all->first + i].key;
	struct pe_explore_revision *at = &all->at[i];
	size_t from = SIZE_MAX, agreeing = 0, voids = 0;
	bool runs = false, reuses = false, settled = true;

	for (size_t w = 0; w < all->width; w++) {
		const struct pe_coverage *have = pe_exploring_cell(all, i, w);
		const int64_t source =
			pe_known_reused(&all->known, key, session->benchmarks.data[w]->key).source;
		const size_t place = source != 0 ? place_of(all, source) : SIZE_MAX;

		runs |= have != NULL && have->timed > 0;
		reuses |= source != 0;
		from = from == SIZE_MAX ? place : from;
		agreeing += place != SIZE_MAX && place == from;
	}
	for (size_t w = 0; (runs || reuses) && settled && w < all->width; w++)
		PE_TRY(is_settled(&settled, all, i, w));
	for (size_t w = 0; w < all->width; w++)
		voids += is_void(all, i, w);
	at->measured = runs && settled;
	at->same = !at->measured && agreeing > 0 && agreeing + voids == all->width ? from : i;
	all->settled[i] = reuses && !runs && settled && at->same == i;
	at->lost = all->settled[i] || (!at->measured && (pe_known_unbuildable(&all->known, key) ||
							 (all->width > 0 && voids == all->width)));
	return PE_OK;
}

/* Seconds of asking a revision: its build, its runs, and about as many again on either side of it. */
static void weigh_costs(struct pe_exploring *all)
{
	const struct pe_session *session = all->session;
	double run_s = 0;

	for (size_t w = 0; w < session->benchmarks.n; w++)
		run_s += pe_cell_cost_of(&all->costs.cell[w], session->benchmarks.data[w],
					 (double)all->repeats, 0, false);
	for (size_t i = 0; i < all->n; i++)
		all->at[i].cost = all->costs.build_s[all->first + i] + 3 * run_s;
}

int pe_exploring_look(struct pe_exploring *all)
{
	struct pe_session *session = all->session;
	int64_t *keys;
	size_t n;

	PE_TRY(pe_known_load(&all->known, session));
	if (all->lacks == NULL || all->width != session->benchmarks.n) {
		all->width = session->benchmarks.n;
		all->lacks = pe_arena_new(session->arena, bool, all->n * all->width);
	}
	if (all->reuse != NULL)
		PE_TRY(pe_carry_all(all->reuse, &all->known));
	PE_TRY(pe_store_explored(&keys, &n, session->app->store, session->machine_key,
				 session->arena, session->app->err));
	for (size_t k = 0; k < n; k++) {
		size_t i = place_of(all, keys[k]);

		if (i != SIZE_MAX)
			all->explored[i] = true;
	}
	for (size_t i = 0; i < all->n; i++)
		PE_TRY(find_state(all, i));
	PE_TRY(pe_session_costs_load(&all->costs, session, &all->known));
	weigh_costs(all);
	return PE_OK;
}

/* --- Series --- */

static int load_line(struct pe_exploring *all, size_t benchmark, const struct pe_metric *metric)
{
	struct pe_session *session = all->session;
	const struct pe_series_query query = {
		session->machine_key, session->benchmarks.data[benchmark]->key, metric->name};
	struct pe_explore_line line = {
		.benchmark = benchmark,
		.metric = pe_thresholds_metric(&(bool){false}, session->app, metric)};
	struct pe_observation *at;
	size_t n;

	PE_TRY(pe_store_get_series(&at, &n, session->app->store, &query, &all->scratch,
				   session->app->err));
	if (line.metric->kind == PE_METRIC_DETERMINISTIC) {
		const struct pe_exactness kept =
			pe_exactness_of(at, n, all->known.stored, all->known.n_stored,
					query.benchmark, line.metric);

		line.metric = pe_exactness_metric(line.metric, &kept, &all->scratch);
	}
	for (size_t i = 0; i < n; i++) {
		size_t position = place_of(all, at[i].revision);

		if (position != SIZE_MAX)
			pe_vec_push(&line.readings,
				    pe_series_reading(position, &at[i], line.metric));
	}
	pe_vec_push(&all->lines, line);
	return PE_OK;
}

void pe_exploring_drop_lines(struct pe_exploring *all)
{
	for (size_t i = 0; i < all->lines.n; i++)
		pe_vec_release(&all->lines.data[i].readings);
	all->lines.n = 0;
}

int pe_exploring_load_lines(struct pe_exploring *all)
{
	struct pe_session *session = all->session;

	pe_exploring_drop_lines(all);
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_metric *metrics;
		size_t n = 0;

		PE_TRY(pe_store_benchmark_metrics(
			&metrics, &n, session->app->store, session->machine_key,
			session->benchmarks.data[w]->key, &all->scratch, session->app->err));
		for (size_t m = 0; m < n; m++)
			if (pe_thresholds_wants(session->app, &metrics[m], session->metrics))
				PE_TRY(load_line(all, w, &metrics[m]));
	}
	return PE_OK;
}

static void search(struct pe_exploring *all, struct pe_explore_line *line)
{
	const struct pe_readings readings = {line->readings.data, line->readings.n, all->n};
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	const struct pe_deterministic_opts exact = {line->metric->min_relative,
						    line->metric->min_absolute};

	opts.alpha = PE_EXPLORE_ALPHA;
	line->found = line->metric->kind == PE_METRIC_DETERMINISTIC
			      ? pe_deterministic_find(&readings, &exact, &all->scratch)
			      : pe_changepoints_find(&readings, &opts, &all->scratch);
}

/* --- Budget --- */

/* Jumps in sight. One set of fresh runs is for all metrics of a benchmark. */
static size_t jumps_in_sight(const struct pe_exploring *all)
{
	size_t jumps = 0, most = 0;

	for (size_t i = 0; i < all->lines.n; i++) {
		const struct pe_explore_line *line = &all->lines.data[i];

		if (i > 0 && line->benchmark != all->lines.data[i - 1].benchmark) {
			jumps += most;
			most = 0;
		}
		most = line->found.n > most ? line->found.n : most;
	}
	return jumps + most;
}

size_t pe_exploring_runs_wanted(const struct pe_exploring *all)
{
	size_t runs = 0;

	for (size_t i = 0; i < all->n; i++)
		for (size_t w = 0; w < all->width; w++)
			if (!all->lacks[i * all->width + w])
				runs += pe_plan_wants(all->session, &all->known, all->first + i, w)
						.timed;
	return runs;
}

/* Timed runs that are left: of what the user gave, of all that the range would take, or of a share of that. */
size_t pe_exploring_runs_left(const struct pe_exploring *all)
{
	const struct pe_track_request *request = all->request;
	size_t whole = 0, spent = 0, cells = 0, budget;

	if (all->outcome->by_time)
		return all->plain_runs > all->outcome->runs ? all->plain_runs - all->outcome->runs
							    : 0;
	for (size_t i = 0; i < all->n; i++) {
		for (size_t w = 0; w < all->session->benchmarks.n; w++) {
			const struct pe_coverage *have = pe_exploring_cell(all, i, w);
			const unsigned repeats = all->session->benchmarks.data[w]->repeats;

			/* What was measured to the full is not of this campaign. */
			if (all->at[i].lost ||
			    (have != NULL && have->timed >= repeats && !all->explored[i]))
				continue;
			cells++;
			whole += repeats;
			spent += have != NULL ? have->timed : 0;
		}
	}
	/* The ends are measured before, and again beside the others. */
	budget = (size_t)(PE_EXPLORE_SHARE * (double)whole) +
		 2 * all->repeats * all->session->benchmarks.n;
	if (request->max_runs > 0) {
		budget = request->max_runs;
		spent = all->outcome->runs;
	}
	if (!request->no_confirm)
		budget -= pe_explore_reserve(budget, cells, jumps_in_sight(all));
	return budget > spent ? budget - spent : 0;
}

/* Of the time that the user gave, what is kept for confirming the jumps in sight: as many runs as of a budget of runs. */
static uint64_t reserved_ns(const struct pe_exploring *all)
{
	double run, runs;

	if (all->request->no_confirm || all->outcome->runs == 0)
		return 0;
	run = (double)(pe_clock_ns() - all->began_ns) / (double)all->outcome->runs;
	runs = (double)(all->deadline_ns - all->began_ns) / run;
	/* Time is over when it is: so this is kept however few runs there is time for. */
	return (uint64_t)(run * (double)pe_explore_reserve((size_t)runs, 0, jumps_in_sight(all)));
}

uint64_t pe_exploring_ends_ns(const struct pe_exploring *all)
{
	uint64_t reserved = all->deadline_ns != 0 ? reserved_ns(all) : 0;

	return all->deadline_ns > reserved ? all->deadline_ns - reserved : all->deadline_ns != 0;
}

bool pe_exploring_is_out_of_time(const struct pe_exploring *all)
{
	return all->deadline_ns != 0 && pe_clock_ns() >= pe_exploring_ends_ns(all);
}

/* The smallest change that the config wants detected, of the metrics that decide when a benchmark has enough runs. */
static double least_change(const struct pe_exploring *all, double otherwise)
{
	const struct pe_session *session = all->session;
	double least = INFINITY;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_metric *metric =
			pe_stop_rule_metric(session, session->benchmarks.data[w]);

		if (metric != NULL)
			metric = pe_thresholds_metric(&(bool){false}, session->app, metric);
		if (metric != NULL && metric->min_relative > 0)
			least = fmin(least, metric->min_relative);
	}
	return isfinite(least) ? least : otherwise;
}

/* Of as many builds side by side as a batch may have those that there is time for: what they hold up is the first answer. */
static size_t slots_in_time(const struct pe_exploring *all)
{
	const uint64_t ends_ns = pe_exploring_ends_ns(all), now_ns = pe_clock_ns();
	double sum_s = 0, n = 0, fit;

	for (size_t i = 0; i < all->n; i++) {
		if (all->at[i].measured || all->at[i].lost || all->at[i].same != i)
			continue;
		sum_s += all->costs.build_s[all->first + i];
		n++;
	}
	if (all->deadline_ns == 0 || !(sum_s > 0))
		return all->slots;
	fit = ends_ns > now_ns ? (double)(ends_ns - now_ns) / 1e9 / (sum_s / n) : 0;
	fit = fmax(fit * pe_session_workers(all->session), LEAST_SLOTS);
	return fit < (double)all->slots ? (size_t)fit : all->slots;
}

/* What the next batch is chosen by. */
static struct pe_explore_opts opts_of(const struct pe_exploring *all)
{
	struct pe_explore_opts opts = PE_EXPLORE_DEFAULTS;
	size_t left = pe_exploring_runs_left(all), benchmarks = all->session->benchmarks.n;
	bool ends = (!all->at[0].measured && !all->at[0].lost) ||
		    (!all->at[all->n - 1].measured && !all->at[all->n - 1].lost &&
		     all->at[all->n - 1].same == all->n - 1);

	opts.slots = slots_in_time(all);
	opts.repeats = all->repeats;
	opts.ends_first = true;
	opts.min_effect = least_change(all, opts.min_effect);
	if (all->request->max_runs == 0 && !(all->request->budget_s > 0))
		opts.least_gap = PE_EXPLORE_LEAST_GAP;
	/* What some places weigh more, others do not weigh less. */
	if (all->supposes)
		opts.least_gap *= 1 - PE_BISECT_TRUST;
	opts.runs_left = left / (benchmarks > 0 ? benchmarks : 1);
	/* A commit that was added is always looked at, whatever was spent on those before it. */
	if (ends && all->request->max_runs == 0 && opts.runs_left < ENDS * all->repeats)
		opts.runs_left = ENDS * all->repeats;
	return opts;
}

int pe_exploring_next(struct pe_explore_batch *out, struct pe_exploring *all)
{
	const struct pe_changepoints **found;
	struct pe_explore_opts opts;

	PE_TRY(pe_exploring_load_lines(all));
	pe_exploring_suppose(all);
	found = pe_arena_new(&all->scratch, const struct pe_changepoints *, all->lines.n);
	for (size_t i = 0; i < all->lines.n; i++) {
		search(all, &all->lines.data[i]);
		found[i] = &all->lines.data[i].found;
	}
	opts = opts_of(all);
	*out = pe_explore_next(all->at, all->n, found, all->lines.n, &opts, &all->scratch);
	/* All that measuring the whole range would run was run: exploring adds nothing to it. */
	if (pe_exploring_runs_wanted(all) == 0)
		out->answer = PE_EXPLORE_COMPLETE;
	all->outcome->open = out->open;
	all->outcome->decided = out->answer == PE_EXPLORE_DECIDED;
	all->outcome->complete = out->answer == PE_EXPLORE_COMPLETE;
	return PE_OK;
}
