#include "app/history/cells.h"

#include "app/measure/thresholds.h"
#include "app/measure/exactness.h"
#include "app/history/series.h"

#include "core/stats/order.h"
#include "report/gate.h"
#include "report/query.h"
#include "store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the runs of both cells measured of one metric. */
struct series {
	struct pe_reading *at[2];
	size_t n[2];
	bool same; /* both are one cell, and have its readings */
};

static int load(struct series *series, struct pe_app *app, int64_t machine,
		const struct pe_calls_cell cells[2], const struct pe_metric *metric)
{
	series->same =
		cells[0].benchmark == cells[1].benchmark && cells[0].revision == cells[1].revision;
	for (size_t side = 0; side < 2; side++) {
		const struct pe_series_query query = {machine, cells[side].benchmark, metric->name};
		struct pe_observation *at;
		size_t n;

		PE_TRY(pe_store_get_series(&at, &n, app->store, &query, app->arena, app->err));
		series->at[side] = pe_arena_new(app->arena, struct pe_reading, n);
		series->n[side] = 0;
		for (size_t i = 0; i < n; i++)
			if (at[i].revision == cells[side].revision)
				series->at[side][series->n[side]++] =
					pe_series_reading(side, &at[i], metric);
	}
	return PE_OK;
}

/* The other side's reading of the same round that is not taken yet; NULL: there is none. Counts are all of one round. */
static const struct pe_reading *take_partner(const struct series *series, size_t side,
					     const struct pe_reading *reading, bool *taken)
{
	for (size_t i = 0; i < series->n[!side]; i++) {
		const struct pe_reading *other = &series->at[!side][i];

		if (taken[i] || other->batch != reading->batch || other->round != reading->round)
			continue;
		taken[i] = true;
		return other;
	}
	return NULL;
}

/* One value of each side by round, of the rounds that have one of both. */
struct pairs {
	double *values[2];
	size_t n;
};

static struct pairs find_pairs(const struct series *series, struct pe_arena *arena)
{
	const size_t n = series->n[0];
	struct pairs out = {{pe_arena_new(arena, double, n), pe_arena_new(arena, double, n)}, 0};
	bool *taken = pe_arena_new(arena, bool, series->n[1]);

	for (size_t i = 0; i < n && !series->same; i++) {
		const struct pe_reading *partner =
			take_partner(series, 0, &series->at[0][i], taken);

		if (partner == NULL)
			continue;
		out.values[0][out.n] = series->at[0][i].value;
		out.values[1][out.n++] = partner->value;
	}
	return out;
}

/* The latest batch that both sides have readings of; INT64_MIN: none. */
static int64_t shared_batch(const struct series *series)
{
	int64_t found = INT64_MIN;

	for (size_t i = 0; i < series->n[0]; i++)
		for (size_t k = 0; k < series->n[1]; k++)
			if (series->at[0][i].batch == series->at[1][k].batch &&
			    series->at[0][i].batch > found)
				found = series->at[0][i].batch;
	return found;
}

/* The values of one side as they were measured; batch is INT64_MIN: of all batches. */
static size_t values_of(double **out, const struct series *series, size_t side, int64_t batch,
			struct pe_arena *arena)
{
	size_t n = 0;

	*out = pe_arena_new(arena, double, series->n[side]);
	for (size_t i = 0; i < series->n[side]; i++)
		if (batch == INT64_MIN || series->at[side][i].batch == batch)
			(*out)[n++] = series->at[side][i].value;
	return n;
}

static double median_of(const double *values, size_t n, struct pe_arena *arena)
{
	double *copy = pe_arena_new(arena, double, n);

	memcpy(copy, values, n * sizeof(*copy));
	return pe_order_median(copy, n);
}

static enum pe_verdict direction(const struct pe_metric *metric, bool higher)
{
	return higher == (metric->better == PE_LOWER_IS_BETTER) ? PE_REGRESSED : PE_IMPROVED;
}

/* All runs of a build give one value (app/measure/exactness.h): any difference is a change. */
static void judge_exact(struct pe_compare_value *value, bool apart)
{
	double step = fabs(value->new_value - value->old_value);

	value->exact = true;
	if (pe_metric_agrees(value->metric, value->old_value, value->new_value))
		step = 0;
	value->verdict = PE_UNDECIDED;
	value->relative = value->low = value->high = NAN;
	if (apart)
		return;
	value->verdict = PE_UNCHANGED;
	value->relative = value->low = value->high =
		value->old_value != 0 ? value->new_value / value->old_value - 1 : NAN;
	if (step == 0)
		value->relative = value->low = value->high = 0;
	if (step > 0 && step >= value->metric->min_absolute &&
	    (isnan(value->relative) || fabs(value->relative) >= value->metric->min_relative))
		value->verdict = direction(value->metric, value->new_value > value->old_value);
}

/* The levels are those that the change is of: all three come from the same runs. */
static void judge_noisy(struct pe_compare_value *value, const double *olds, const double *news,
			double confidence)
{
	struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;
	struct pe_comparison comparison;

	opts.better = value->metric->better;
	opts.min_relative = value->metric->min_relative;
	if (confidence > 0)
		opts.confidence = confidence;
	comparison = pe_compare_paired(olds, news, value->old_n, &opts);
	value->old_value = comparison.base;
	value->new_value = comparison.base + comparison.shift;
	/* Trees have whole nanoseconds, and add up to them. */
	if (strcmp(value->metric->unit, "ns") == 0) {
		value->old_value = round(value->old_value);
		value->new_value = round(value->new_value);
	}
	value->relative = comparison.relative;
	value->way = comparison.way;
	value->low = comparison.low;
	value->high = comparison.high;
	value->verdict = comparison.verdict;
	if (fabs(value->new_value - value->old_value) < value->metric->min_absolute &&
	    value->verdict != PE_UNDECIDED)
		value->verdict = PE_UNCHANGED;
}

/* Runs of other rounds decide nothing: the load on the machine was another. */
static void judge_apart(struct pe_compare_value *value)
{
	value->verdict = PE_UNDECIDED;
	value->relative = value->old_value != 0 ? value->new_value / value->old_value - 1 : NAN;
	value->low = -1;
	value->high = INFINITY;
}

/* false: one side has no value. */
static bool compare_metric(struct pe_compare_value *out, bool *apart, const struct series *series,
			   double confidence, struct pe_arena *arena)
{
	const bool noisy = out->metric->kind != PE_METRIC_DETERMINISTIC;
	const struct pairs pairs = find_pairs(series, arena);
	const bool paired = noisy && pairs.n > 0;
	const int64_t batch = noisy ? INT64_MIN : shared_batch(series);
	/* One revision that both sides take their results from needs no round of both. */
	const bool tied = noisy ? paired || series->same : batch != INT64_MIN;
	double *values[2] = {pairs.values[0], pairs.values[1]};
	size_t n[2] = {pairs.n, pairs.n};

	for (size_t side = 0; side < 2 && !paired; side++)
		n[side] = values_of(&values[side], series, side, batch, arena);
	if (n[0] == 0 || n[1] == 0)
		return false;
	*apart = *apart || !tied;
	out->old_n = n[0];
	out->new_n = n[1];
	out->old_value = median_of(values[0], n[0], arena);
	out->new_value = median_of(values[1], n[1], arena);
	if (paired)
		judge_noisy(out, values[0], values[1], confidence);
	else if (noisy)
		judge_apart(out);
	else
		judge_exact(out, !tied);
	out->measured = out->relative;
	return true;
}

/* Mark counted instructions of a program that executes other functions on this processor. */
static int mark_generic(struct pe_compare_value *value, const struct pe_cells *cells)
{
	struct pe_app *app = cells->app;
	struct pe_chosen *chosen;
	size_t n;

	for (int side = 0; side < 2; side++) {
		PE_TRY(pe_store_chosen(&chosen, &n, app->store, cells->machine,
				       cells->at[side].benchmark, app->arena, app->err));
		for (size_t i = 0; i < n; i++)
			if (chosen[i].revision == cells->at[side].revision &&
			    chosen[i].function[0] != '\0')
				value->generic = pe_arena_printf(app->arena, PE_COUNTS_GENERIC,
								 chosen[i].function);
	}
	return PE_OK;
}

static int add_metric(struct pe_compare_pair *pair, bool *apart, const struct pe_cells *cells,
		      const struct pe_metric *metric)
{
	struct pe_app *app = cells->app;
	struct pe_compare_value value = {.old_n = 0};
	struct pe_exactness kept;
	struct series series;
	pe_auto_arena scratch = PE_ARENA_INIT;

	value.metric = pe_thresholds_metric(&value.judged, app, metric);
	/* A time of another session is none of what is asked for. */
	if (app->counts_only && !value.judged)
		return PE_OK;
	for (int side = 0; side < 2; side++) {
		PE_TRY(pe_exactness_load(&kept, app->store, cells->machine,
					 cells->at[side].benchmark, value.metric, app->err));
		value.metric = pe_exactness_metric(value.metric, &kept, app->arena);
	}
	PE_TRY(load(&series, app, cells->machine, cells->at, value.metric));
	if (!compare_metric(&value, apart, &series, cells->confidence, &scratch))
		return PE_OK;
	if (strcmp(metric->name, pe_metrics[PE_SIMULATED_INSTRUCTIONS].name) == 0)
		PE_TRY(mark_generic(&value, cells));
	if (strcmp(metric->name, pe_metrics[PE_WALL].name) == 0)
		pair->wall = value;
	if (strcmp(metric->name, pe_metrics[PE_CPU].name) == 0)
		pair->cpu = value;
	if (strcmp(metric->name, pe_metrics[PE_INVOLUNTARY_SWITCHES].name) == 0)
		pair->switches = value;
	if (value.judged)
		pair->values[pair->n_values++] = value;
	return PE_OK;
}

/* Where a cell's values come from: itself, or the revision whose results it took over. */
static int find_source(struct pe_calls_cell *cell, const struct pe_cells *cells)
{
	struct pe_app *app = cells->app;
	struct pe_coverage *coverage, *reused;
	const struct pe_coverage *found;
	size_t n, n_reused;

	PE_TRY(pe_store_coverage(&coverage, &n, app->store, cells->machine, app->arena, app->err));
	found = pe_coverage_find(coverage, n, cell->revision, cell->benchmark);
	if (found != NULL && found->timed > 0)
		return PE_OK;
	PE_TRY(pe_store_reused(&reused, &n_reused, app->store, cells->machine, app->arena,
			       app->err));
	found = pe_coverage_find(reused, n_reused, cell->revision, cell->benchmark);
	if (found != NULL)
		cell->revision = found->source;
	return PE_OK;
}

/* Instructions of a pair, where they are exact: relative. */
static double instructions_of(const struct pe_compare_pair *pair)
{
	for (size_t i = 0; i < pair->n_values; i++)
		if (pair->values[i].exact &&
		    strcmp(pair->values[i].metric->name,
			   pe_metrics[PE_SIMULATED_INSTRUCTIONS].name) == 0)
			return pair->values[i].relative;
	return NAN;
}

/* A wall time that the evidence of the same runs denies is undecided. */
static void weigh_evidence(struct pe_compare_pair *pair)
{
	const struct pe_compare_evidence evidence = {
		.cpu = pair->cpu.way,
		.switches = pair->switches.way,
		.counts_switches = pair->switches.old_n > 0,
		.instructions = instructions_of(pair),
	};

	for (size_t i = 0; i < pair->n_values; i++) {
		struct pe_compare_value *value = &pair->values[i];

		if (strcmp(value->metric->name, pe_metrics[PE_WALL].name) != 0 ||
		    (value->verdict != PE_REGRESSED && value->verdict != PE_IMPROVED) ||
		    !pe_compare_is_denied(value->relative, &evidence))
			continue;
		value->contradicted = true;
		value->verdict = PE_UNDECIDED;
	}
}

/* Both sides have the results of one revision, for they execute and read the same: how far these vary says nothing. */
static void equate(struct pe_compare_pair *pair)
{
	for (size_t i = 0; i < pair->n_values; i++) {
		struct pe_compare_value *value = &pair->values[i];

		value->verdict = PE_UNCHANGED;
		value->relative = value->low = value->high = value->measured = 0;
		value->new_value = value->old_value;
	}
}

/* --- Functions and system calls --- */

/* Compare two cells; NULL: one of them has no counts. */
static int compare_counts(struct pe_function_changes **out, enum pe_counts of,
			  const struct pe_cells *cells)
{
	struct pe_app *app = cells->app;
	struct pe_counts_query query = {.of = of, .machine = cells->machine};
	struct pe_function_ranges ranges[2], varying;

	*out = NULL;
	for (int side = 0; side < 2; side++) {
		query.benchmark = cells->at[side].benchmark;
		query.revision = cells->at[side].revision;
		PE_TRY(pe_store_counts(&ranges[side], app->store, &query, app->arena, app->err));
	}
	if (ranges[0].runs == 0 || ranges[1].runs == 0)
		return PE_OK;
	PE_TRY(pe_store_counts_varying(&varying, app->store, &query, app->arena, app->err));
	*out = pe_arena_new(app->arena, struct pe_function_changes, 1);
	pe_functions_compare(*out, &ranges[0], &ranges[1], &varying, app->arena);
	return PE_OK;
}

/* Whether an earlier line of the benchmark was measured there, too. */
static bool is_told(const struct pe_evolution *evolution, size_t line, size_t revision)
{
	for (size_t i = 0; i < line; i++)
		if (evolution->lines[i].benchmark_key == evolution->lines[line].benchmark_key &&
		    pe_line_at(&evolution->lines[i], revision) != NULL)
			return true;
	return false;
}

static int load_calls(struct pe_revision_calls *out, struct pe_app *app,
		      const struct pe_evolution *evolution, const struct pe_line *line,
		      size_t revision)
{
	const struct pe_point *before = pe_line_predecessor(evolution, line, revision);
	const int64_t machine = evolution->machine_key, key = evolution->revisions[revision].key;
	struct pe_cells cells = {
		app, machine, {{.benchmark = line->benchmark_key}, {line->benchmark_key, key}}, 0};
	const struct pe_counts_query calls = {PE_COUNTS_OF_CALLS, machine, line->benchmark_key,
					      key};

	*out = (struct pe_revision_calls){.benchmark = line->benchmark};
	PE_TRY(pe_store_counts(&out->calls, app->store, &calls, app->arena, app->err));
	if (before == NULL)
		return PE_OK;
	out->before = evolution->revisions[before->revision].id;
	cells.at[0].revision = evolution->revisions[before->revision].key;
	return compare_counts(&out->changes, PE_COUNTS_OF_CALLS, &cells);
}

int pe_calls_of_revision(struct pe_revision_calls **out, size_t *n, struct pe_app *app,
			 const struct pe_evolution *evolution, size_t revision)
{
	*n = 0;
	*out = pe_arena_new(app->arena, struct pe_revision_calls, evolution->n_lines);
	for (size_t i = 0; i < evolution->n_lines; i++) {
		if (pe_line_at(&evolution->lines[i], revision) == NULL ||
		    is_told(evolution, i, revision))
			continue;
		PE_TRY(load_calls(&(*out)[*n], app, evolution, &evolution->lines[i], revision));
		*n += (*out)[*n].calls.runs > 0;
	}
	return PE_OK;
}

/* --- The whole --- */

int pe_cells_compare(struct pe_compare_pair *pair, bool *apart, const struct pe_cells *cells)
{
	struct pe_cells from = *cells;
	struct pe_app *app = cells->app;
	struct pe_metric *metrics;
	size_t n;

	for (int side = 0; side < 2; side++)
		PE_TRY(find_source(&from.at[side], cells));
	PE_TRY(pe_store_benchmark_metrics(&metrics, &n, app->store, cells->machine,
					  cells->at[1].benchmark, app->arena, app->err));
	pair->values = pe_arena_new(app->arena, struct pe_compare_value, n);
	pair->n_values = 0;
	pair->same = from.at[0].benchmark == from.at[1].benchmark &&
		     from.at[0].revision == from.at[1].revision;
	for (size_t i = 0; i < n; i++)
		PE_TRY(add_metric(pair, apart, &from, &metrics[i]));
	if (pair->same)
		equate(pair);
	else
		weigh_evidence(pair);
	/* Stored counts: those of this comparison are among them. */
	PE_TRY(compare_counts(&pair->functions, PE_COUNTS_OF_FUNCTIONS, cells));
	return compare_counts(&pair->calls, PE_COUNTS_OF_CALLS, cells);
}
