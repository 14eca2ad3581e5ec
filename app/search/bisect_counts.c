/*
 * Following counts: where both ends differ by an exact count, the count is bisected first. It takes one run of each probed
 * revision, in builds that the times would have needed, too.
 */
#include "app/search/bisect_internal.h"
#include "app/measure/thresholds.h"

#include "app/measure/exactness.h"

#include <math.h>

/* With fewer commits the times are quicker. */
enum { LEAST_COMMITS = 4, COUNTS = 4, AT_ENDS = 2 };

static const enum pe_metric_id ids[COUNTS] = {PE_ALLOCATIONS, PE_ALLOCATED_BYTES, PE_ALLOCATED_PEAK,
					      PE_SIMULATED_INSTRUCTIONS};

/* The readings of each count. */
struct counts {
	struct pe_bisect_run *run;
	pe_bisect_readings at[COUNTS];
	struct pe_steps *search; /* of the one that is followed */
	bool failed;             /* a run gave no counts */
};

static bool applies(const struct pe_bisect_run *run)
{
	const struct pe_bisecting *out = run->out;

	return out->n > LEAST_COMMITS && out->metric->kind != PE_METRIC_DETERMINISTIC &&
	       !pe_metric_is_counted(out->metric) &&
	       pe_runner_counts(&run->session.runner, run->benchmark);
}

/* --- Readings --- */

static int count_once(struct counts *counts, size_t i)
{
	struct pe_bisect_run *run = counts->run;
	double value;

	PE_TRY(pe_bisect_run_once(&value, run, i, &pe_metrics[PE_ALLOCATIONS]));
	run->out->count.runs++;
	/* Stored counts of another epoch cannot be compared with today's: the times decide. */
	counts->failed = isnan(value) || run->moved;
	for (size_t m = 0; m < COUNTS && !counts->failed; m++) {
		/* Instructions are not counted in each run. */
		value = pe_bisect_run_value(run, i, &pe_metrics[ids[m]]);
		if (!isnan(value))
			pe_vec_push(&counts->at[m],
				    ((struct pe_bisect_reading){i, INT64_MAX, value, false}));
	}
	return PE_OK;
}

/* The first value of a revision, and how many there are. */
static double value_of(const struct counts *counts, size_t m, size_t i, size_t *n)
{
	double value = NAN;

	*n = 0;
	for (size_t k = 0; k < counts->at[m].n; k++) {
		if (counts->at[m].data[k].revision != i)
			continue;
		value = *n == 0 ? counts->at[m].data[k].value : value;
		++*n;
	}
	return value;
}

static int count_ends(struct counts *counts)
{
	const size_t ends[] = {0, counts->run->out->n - 1};

	for (size_t times = 1; times <= AT_ENDS; times++)
		for (size_t e = 0; e < 2 && !counts->failed; e++) {
			bool fit = true, spent;
			size_t n;

			value_of(counts, 0, ends[e], &n);
			if (n >= times)
				continue;
			PE_TRY(pe_bisect_run_look_up(&spent, counts->run));
			if (!counts->run->built[ends[e]])
				PE_TRY(pe_bisect_run_build(&fit, counts->run, ends[e]));
			counts->failed = spent || !fit;
			if (!counts->failed)
				PE_TRY(count_once(counts, ends[e]));
		}
	return PE_OK;
}

/* --- The count --- */

/* The exact count that moved furthest from one end to the other; COUNTS: none moved by what matters. */
static int choose(size_t *out, struct counts *counts)
{
	struct pe_bisect_run *run = counts->run;
	struct pe_app *app = run->out->app;
	double most = 0;

	*out = COUNTS;
	for (size_t m = 0; m < COUNTS; m++) {
		const struct pe_metric *metric =
			pe_thresholds_metric(&(bool){false}, app, &pe_metrics[ids[m]]);
		struct pe_exactness kept;
		size_t n;
		double from = value_of(counts, m, 0, &n);
		double to = value_of(counts, m, run->out->n - 1, &n);
		double step = fabs(to - from), size = fmax(fabs(from), fabs(to));

		PE_TRY(pe_exactness_load(&kept, app->store, run->session.machine_key,
					 run->benchmark->key, metric, app->err));
		if (!(step > 0) || !pe_bisect_run_is_exact(kept.most, metric, step / size) ||
		    step < metric->min_absolute || step < metric->min_relative * fabs(from) ||
		    step / size <= most)
			continue;
		most = step / size;
		*out = m;
		run->out->count.metric = metric;
		run->out->count.old_value = from;
		run->out->count.new_value = to;
	}
	return PE_OK;
}

static void begin(struct counts *counts, size_t m)
{
	struct pe_bisect_run *run = counts->run;
	struct pe_bisecting *out = run->out;
	struct pe_steps_opts opts = {PE_BISECT_DEFAULTS, out->opts->want, PE_BISECTING_LEAST_SHARE};

	opts.bisect.exact = true;
	opts.bisect.min_effect = 0;
	opts.bisect.max_runs = SIZE_MAX;
	counts->search = pe_steps_new(run->line, &opts, out->app->arena);
	for (size_t k = 0; k < counts->at[m].n; k++)
		pe_steps_feed(counts->search, &counts->at[m].data[k]);
}

/* Build and count a revision. *uncounted: it gives no count, and is not asked again. */
static int ask(bool *uncounted, struct counts *counts, size_t m, size_t i)
{
	struct pe_bisect_run *run = counts->run;
	size_t n = counts->at[m].n;
	bool fit = true;

	if (!run->built[i])
		PE_TRY(pe_bisect_run_build(&fit, run, i));
	if (!fit)
		return PE_OK;
	PE_TRY(count_once(counts, i));
	*uncounted = counts->at[m].n == n;
	if (*uncounted)
		run->line->skipped[i] = true;
	else
		pe_steps_feed(counts->search, &counts->at[m].data[n]);
	return PE_OK;
}

/* Ask until the place is known. *known stays false where the time is spent. */
static int probe(bool *known, struct counts *counts, size_t m, bool *uncounted)
{
	struct pe_bisect_run *run = counts->run;
	bool spent;
	size_t i;

	for (;;) {
		PE_TRY(pe_bisect_run_add_costs(run));
		*known = pe_steps_next(counts->search, &i) != PE_BISECT_GO_ON;
		if (*known)
			return PE_OK;
		PE_TRY(pe_bisect_run_look_up(&spent, run));
		if (spent)
			return PE_OK;
		PE_TRY(ask(&uncounted[i], counts, m, i));
	}
}

static int search(struct counts *counts, size_t m)
{
	struct pe_bisect_run *run = counts->run;
	struct pe_bisecting_count *count = &run->out->count;
	struct pe_arena *arena = run->out->app->arena;
	bool *uncounted = pe_arena_new(arena, bool, run->line->n), known = false;
	struct pe_steps_result found = {.n = 0};
	const int rc = probe(&known, counts, m, uncounted);

	if (known)
		found = pe_steps_result(counts->search, 0, arena);
	count->groups = pe_arena_new(arena, struct pe_bisect_group, found.n);
	for (size_t k = 0; k < found.n; k++)
		count->groups[count->n_groups++] = found.steps[k].result.group;
	/* From here on: the times may ask them all the same. */
	for (size_t i = 0; i < run->line->n; i++)
		run->line->skipped[i] = run->line->skipped[i] && !uncounted[i];
	return rc;
}

static int follow(struct counts *counts)
{
	size_t m;

	for (m = 0; m < COUNTS; m++)
		PE_TRY(pe_bisect_run_load_stored(&counts->at[m], counts->run, &pe_metrics[ids[m]]));
	PE_TRY(count_ends(counts));
	if (counts->failed)
		return PE_OK;
	PE_TRY(choose(&m, counts));
	if (m == COUNTS)
		return PE_OK;
	begin(counts, m);
	return search(counts, m);
}

int pe_bisect_run_counts(struct pe_bisect_run *run)
{
	struct counts counts = {.run = run};
	const int rc = applies(run) ? follow(&counts) : PE_OK;

	pe_steps_free(counts.search);
	for (size_t i = 0; i < COUNTS; i++)
		pe_vec_release(&counts.at[i]);
	return rc;
}
