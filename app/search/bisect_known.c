/*
 * The data of a bisection: readings of the store and of this session, revisions that execute the same, revisions that
 * cannot be measured. All of it is fed to the arithmetic (core/stats/steps.h), with what is expected before it is measured
 * between the ends: a commit that changed methods that the benchmark executes is likelier than one that changed a text, and
 * one at which a count moved is likelier than all others.
 */
#include "app/search/bisect_internal.h"

#include "app/measure/exactness.h"

#include "core/base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stored batches no further apart than this share what the machine is like. */
enum { SAME_TIME_S = 900 };
/* Readings of the store beyond these add little, and following them takes time. */
enum { STORED_READINGS = 600, STORED_REVISIONS = 200 };

/* --- The arithmetic --- */

static void begin_bisect(struct pe_bisect_run *run, double unit)
{
	struct pe_bisecting *out = run->out;
	struct pe_steps_opts opts = {PE_BISECT_DEFAULTS, out->opts->want, 0};
	const char *fixed = getenv("PERFEVO_SEED");

	opts.bisect.confidence = out->opts->confidence;
	opts.bisect.max_runs = out->opts->max_runs;
	opts.bisect.min_effect = out->min_change;
	opts.bisect.exact = out->metric->kind == PE_METRIC_DETERMINISTIC;
	opts.bisect.once = run->counted_once;
	opts.bisect.unit = unit;
	opts.bisect.seed = fixed != NULL ? strtoull(fixed, NULL, 10) : pe_clock_ns();
	if (isnan(out->opts->min_change))
		opts.least_share = PE_BISECTING_LEAST_SHARE;
	pe_steps_free(run->search);
	run->search = pe_steps_new(run->line, &opts, out->app->arena);
}

void pe_bisect_run_use_reused(struct pe_bisect_run *run)
{
	run->out->reused = 0;
	for (size_t i = 0; i < run->known.n_stored; i++) {
		const struct pe_coverage *one = &run->known.stored[i];
		size_t at = pe_session_revision_of(&run->session, one->revision),
		       source = pe_session_revision_of(&run->session, one->source);

		if (one->benchmark != run->benchmark->key || one->source == 0 || at == SIZE_MAX ||
		    source == SIZE_MAX || at == source)
			continue;
		for (size_t k = (at < source ? at : source) + 1; k <= at || k <= source; k++)
			pe_bisect_line_same(run->line, k);
		run->out->reused++;
	}
}

void pe_bisect_run_skip_failures(struct pe_bisect_run *run)
{
	struct pe_bisecting *out = run->out;

	out->unbuildable = out->failing = 0;
	for (size_t i = 0; i < out->n; i++) {
		const struct pe_coverage *have = pe_known_at(&run->known, &run->session, i, 0);
		const bool unbuildable =
			pe_known_unbuildable(&run->known, run->session.revisions[i].key);
		const bool failing = !unbuildable && have != NULL && have->failure != PE_MEASURED;

		out->unbuildable += unbuildable;
		out->failing += failing;
		run->line->skipped[i] = unbuildable || failing;
	}
}

/* --- Stored readings --- */

void pe_bisect_run_forget_stored(struct pe_bisect_run *run)
{
	size_t n = 0;

	if (!pe_metric_is_counted(run->out->metric))
		return;
	for (size_t i = 0; i < run->readings.n; i++)
		if (!run->readings.data[i].stored)
			run->readings.data[n++] = run->readings.data[i];
	run->readings.n = n;
	pe_bisect_run_feed_all(run);
}

/* A series' readings on this line, each with the first batch of its time. */
struct stored {
	struct pe_observation *at;
	size_t n;
	size_t *place;
};

static int group_batches(const struct pe_bisect_run *run, const struct stored *stored,
			 const struct pe_metric *metric)
{
	struct pe_app *app = run->out->app;
	int64_t last = 0, last_s = 0, first = 0;

	for (size_t i = 0; i < stored->n; i++) {
		int64_t batch = stored->at[i].batch;
		struct pe_batch read;

		if (stored->place[i] == SIZE_MAX)
			continue;
		/* Counting runs do not depend on when they are made. */
		if (pe_metric_is_counted(metric)) {
			stored->at[i].batch = INT64_MAX;
			continue;
		}
		if (batch != last) {
			PE_TRY(pe_store_get_batch(&read, app->store, batch, app->arena, app->err));
			if (first == 0 || read.created_s - last_s > SAME_TIME_S)
				first = batch;
			last = batch;
			last_s = read.created_s;
		}
		stored->at[i].batch = first;
	}
	return PE_OK;
}

/* Leave out revisions, then readings, where there are more than can be of use. */
static void thin_out(const struct pe_bisect_run *run, struct stored *stored)
{
	pe_auto_free size_t *count = pe_realloc(NULL, run->out->n, sizeof(*count));
	size_t measured = 0, step, most, k = 0;

	memset(count, 0, run->out->n * sizeof(*count));
	for (size_t i = 0; i < stored->n; i++)
		if (stored->place[i] != SIZE_MAX)
			measured += count[stored->place[i]]++ == 0;
	step = measured / STORED_REVISIONS + 1;
	most = measured > 0 ? STORED_READINGS / (measured / step + 1) : 0;
	for (size_t i = 0; i < run->out->n; i++) {
		bool kept = count[i] > 0 && (k++ % step == 0 || i == 0 || i + 1 == run->out->n);

		/* From here on: readings that may still be taken. */
		count[i] = !kept ? 0 : most > 2 ? most : 2;
	}
	for (size_t i = 0; i < stored->n; i++) {
		size_t place = stored->place[i];

		if (place != SIZE_MAX && count[place]-- == 0) {
			stored->place[i] = SIZE_MAX;
			count[place] = 0;
		}
	}
}

int pe_bisect_run_load_stored(pe_bisect_readings *out, const struct pe_bisect_run *run,
			      const struct pe_metric *metric)
{
	struct pe_app *app = run->out->app;
	const struct pe_series_query query = {run->session.machine_key, run->benchmark->key,
					      metric->name};
	struct stored stored;

	PE_TRY(pe_store_get_series(&stored.at, &stored.n, app->store, &query, app->arena,
				   app->err));
	stored.place = pe_arena_new(app->arena, size_t, stored.n);
	for (size_t i = 0; i < stored.n; i++)
		/* Counts of another epoch than the latest ones' cannot be compared with them. */
		stored.place[i] =
			pe_metric_is_counted(metric) && stored.at[i].epoch != run->epoch
				? SIZE_MAX
				: pe_session_revision_of(&run->session, stored.at[i].revision);
	PE_TRY(group_batches(run, &stored, metric));
	if (metric->kind != PE_METRIC_DETERMINISTIC)
		thin_out(run, &stored);
	for (size_t i = 0; i < stored.n; i++)
		if (stored.place[i] != SIZE_MAX)
			pe_vec_push(out,
				    ((struct pe_bisect_reading){stored.place[i], stored.at[i].batch,
								stored.at[i].value, true}));
	return PE_OK;
}

/* --- Feeding --- */

/* Values of 0 and below have no logarithm: then all are taken as shares of the largest. */
static double unit_of(const struct pe_bisect_run *run)
{
	double most = 0;
	bool positive = true;

	for (size_t i = 0; i < run->readings.n; i++) {
		double value = run->readings.data[i].value;

		positive = positive && value > 0;
		most = fmax(most, fabs(value));
	}
	return positive ? 0 : fmax(most, 1e-300);
}

void pe_bisect_run_feed_all(struct pe_bisect_run *run)
{
	begin_bisect(run, unit_of(run));
	for (size_t i = 0; i < run->readings.n; i++)
		pe_steps_feed(run->search, &run->readings.data[i]);
}

void pe_bisect_run_call_noisy(struct pe_bisecting *out)
{
	static const double least = 0.005;
	const struct pe_exactness kept = {.broken = 1};

	out->inexact = true;
	out->metric = pe_exactness_metric(out->metric, &kept, out->app->arena);
	if (isnan(out->opts->min_change))
		out->min_change = fmax(out->metric->min_relative, least);
}

bool pe_bisect_run_is_exact(double spread, const struct pe_metric *metric, double step)
{
	static const double far_below = 0.1;

	return spread <= fmax(pe_metric_tolerance(metric), far_below * step);
}

/* Two readings of one revision that differ by more than does not matter. */
static bool breaks_promise(const struct pe_bisect_run *run, size_t i, double value)
{
	const struct pe_bisecting *out = run->out;

	if (out->metric->kind != PE_METRIC_DETERMINISTIC)
		return false;
	for (size_t k = 0; k < run->readings.n; k++) {
		double other = run->readings.data[k].value;
		double size = fmax(fabs(value), fabs(other));

		if (run->readings.data[k].revision == i && size > 0 &&
		    !pe_bisect_run_is_exact(fabs(other - value) / size, out->metric,
					    out->min_change))
			return true;
	}
	return false;
}

void pe_bisect_run_feed(struct pe_bisect_run *run, size_t i, double value)
{
	const struct pe_bisect_reading reading = {i, INT64_MAX, value, false};
	bool noisy = breaks_promise(run, i, value);
	double unit = unit_of(run);

	pe_vec_push(&run->readings, reading);
	if (noisy)
		pe_bisect_run_call_noisy(run->out);
	if (noisy || (!(unit > 0) && unit_of(run) > 0))
		pe_bisect_run_feed_all(run);
	else
		pe_steps_feed(run->search, &reading);
}

/* --- Weights --- */

/* A step of `git bisect run` has commits in its line that do not follow each other. */
enum { STEP = 3 };

static int weigh_methods(struct pe_bisect_run *run)
{
	struct pe_bisecting *out = run->out;

	run->weighed = true;
	if (out->n <= STEP)
		return PE_OK;
	PE_TRY(pe_prior_weigh(run->line->weight, &out->prior, &run->session, 0));
	pe_bisect_temper(run->line->weight, out->n, PE_BISECT_TRUST);
	return PE_OK;
}

int pe_bisect_run_weigh(struct pe_bisect_run *run)
{
	const struct pe_bisecting_count *count = &run->out->count;

	PE_TRY(weigh_methods(run));
	PE_TRY(pe_bisect_run_counts(run));
	/* Alike, and all of them as much as is believed: each takes its part of those before it. */
	for (size_t k = 0; k < count->n_groups; k++) {
		double each = PE_BISECT_TRUST / (double)count->n_groups;

		pe_bisect_suppose(run->line->weight, run->line->n, count->groups[k].first,
				  count->groups[k].last,
				  each / (1 - each * (double)(count->n_groups - 1 - k)));
	}
	pe_bisect_run_feed_all(run);
	return PE_OK;
}
