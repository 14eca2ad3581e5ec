/* The metrics of two cells, compared by the rounds that both ran in: other commits and sessions have no part in it. */
#include "app/explain/compare.h"
#include "app/measure/thresholds.h"
#include "app/measure/exactness.h"
#include "app/history/series.h"

#include "core/stats/order.h"
#include "core/stats/rounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value in the making: which cell, and where it was read. */
struct reading {
	struct pe_comparing_cell cell;
	const struct pe_observation *from;
	bool shared; /* the other side has a reading of the same round */
};

struct series {
	PE_VEC(struct reading) at;
	struct pe_reading *readings; /* beside them */
	size_t n_commits, commits[2];
	bool logs; /* readings are logarithms */
};

static int compare_cells(const void *a, const void *b)
{
	const struct reading *x = a, *y = b;

	if (x->cell.benchmark != y->cell.benchmark)
		return x->cell.benchmark < y->cell.benchmark ? -1 : 1;
	if (x->cell.revision != y->cell.revision)
		return x->cell.revision < y->cell.revision ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static bool is_cell(const struct reading *reading, const struct pe_comparing_cell *cell)
{
	return reading->cell.benchmark == cell->benchmark &&
	       reading->cell.revision == cell->revision;
}

static int load(struct series *series, struct pe_app *app, int64_t machine, int64_t benchmark,
		const char *metric)
{
	const struct pe_series_query query = {machine, benchmark, metric};
	struct pe_observation *at;
	size_t n;
	int rc = pe_store_get_series(&at, &n, app->store, &query, app->arena, app->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		const struct reading one = {{benchmark, at[i].revision}, &at[i], false};

		pe_vec_push(&series->at, one);
	}
	return rc;
}

/* Number the cells as the statistics want their commits. */
static void number(struct series *series, const struct pe_comparing_cell cells[2],
		   const struct pe_metric *metric, struct pe_arena *arena)
{
	size_t n = series->at.n;

	series->n_commits = 0;
	series->commits[0] = series->commits[1] = SIZE_MAX;
	series->readings = pe_arena_new(arena, struct pe_reading, n);
	series->logs = true;
	if (n > 0)
		qsort(series->at.data, n, sizeof(*series->at.data), compare_cells);
	for (size_t i = 0; i < n; i++) {
		const struct reading *one = &series->at.data[i];

		if (i > 0 && !is_cell(one, &one[-1].cell))
			series->n_commits++;
		series->logs = series->logs && one->from->value > 0;
		for (int side = 0; side < 2; side++)
			if (is_cell(one, &cells[side]))
				series->commits[side] = series->n_commits;
	}
	series->n_commits += n > 0;
	for (size_t i = 0, commit = 0; i < n; i++) {
		const struct reading *one = &series->at.data[i];
		double value = one->from->value;

		commit += i > 0 && !is_cell(one, &one[-1].cell);
		series->readings[i] = pe_series_reading(commit, one->from, metric);
		series->readings[i].value = series->logs ? log(value) : value;
	}
}

/* One value of each side by round, of the rounds that have one of both. */
struct pairs {
	double *values[2];
	size_t n;
};

static bool is_in_round(const struct pe_reading *a, const struct pe_reading *b)
{
	return a->batch == b->batch && a->round == b->round;
}

static void find_pairs(struct pairs *out, const struct series *series, struct pe_arena *arena)
{
	const size_t n = series->at.n;

	*out = (struct pairs){{pe_arena_new(arena, double, n), pe_arena_new(arena, double, n)}, 0};
	for (size_t i = 0; i < n && series->commits[0] != series->commits[1]; i++) {
		if (series->readings[i].commit != series->commits[0])
			continue;
		for (size_t k = 0; k < n; k++) {
			if (series->readings[k].commit != series->commits[1] ||
			    !is_in_round(&series->readings[i], &series->readings[k]))
				continue;
			out->values[0][out->n] = series->at.data[i].from->value;
			out->values[1][out->n++] = series->at.data[k].from->value;
			break;
		}
	}
}

/* Leave the readings of the two commits in rounds of both. */
static void keep_shared_rounds(struct series *series)
{
	size_t kept = 0;

	for (size_t i = 0; i < series->at.n; i++) {
		const struct pe_reading *one = &series->readings[i];
		bool shared = false;

		for (int side = 0; side < 2; side++)
			for (size_t k = 0; k < series->at.n && !shared; k++)
				shared = one->commit == series->commits[side] &&
					 series->readings[k].commit == series->commits[!side] &&
					 is_in_round(one, &series->readings[k]);
		series->at.data[i].shared = shared;
	}
	for (size_t i = 0; i < series->at.n; i++)
		if (series->at.data[i].shared)
			series->at.data[kept++] = series->at.data[i];
	series->at.n = kept;
}

/* The latest batch that both sides have readings of; INT64_MIN: none. */
static int64_t shared_batch(const struct series *series)
{
	int64_t found = INT64_MIN;

	for (size_t i = 0; i < series->at.n; i++)
		for (size_t k = 0; k < series->at.n; k++)
			if (series->readings[i].commit == series->commits[0] &&
			    series->readings[k].commit == series->commits[1] &&
			    series->readings[i].batch == series->readings[k].batch &&
			    series->readings[i].batch > found)
				found = series->readings[i].batch;
	return found;
}

/* The values of one side that do not vary; batch is INT64_MIN: all of them. */
static size_t exact_values_of(double **out, const struct series *series, int side, int64_t batch,
			      struct pe_arena *arena)
{
	size_t n = 0;

	*out = pe_arena_new(arena, double, series->at.n);
	for (size_t i = 0; i < series->at.n; i++)
		if (series->readings[i].commit == series->commits[side] &&
		    (batch == INT64_MIN || series->readings[i].batch == batch))
			(*out)[n++] = series->at.data[i].from->value;
	return n;
}

/* The values of one side; corrected is NULL: as they were measured. */
static size_t values_of(double **out, const struct series *series, int side,
			const struct pe_rounds *corrected, struct pe_arena *arena)
{
	size_t n = 0;

	*out = pe_arena_new(arena, double, series->at.n);
	for (size_t i = 0; i < series->at.n; i++) {
		if (series->readings[i].commit != series->commits[side])
			continue;
		if (corrected == NULL)
			(*out)[n++] = series->at.data[i].from->value;
		else if (corrected->used[i])
			(*out)[n++] = series->logs ? exp(corrected->value[i]) : corrected->value[i];
	}
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
			bool paired, double confidence)
{
	const bool time = strcmp(value->metric->unit, "ns") == 0;
	struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;
	struct pe_comparison comparison;

	opts.better = value->metric->better;
	opts.min_relative = value->metric->min_relative;
	if (confidence > 0)
		opts.confidence = confidence;
	comparison = paired ? pe_compare_paired(olds, news, value->old_n, &opts)
			    : pe_compare_samples(olds, value->old_n, news, value->new_n, &opts);
	/* Load moves times: where too few runs are paired, they are decided at the level of pairs. */
	opts.confidence = 1 - (1 - opts.confidence) * PE_COMPARE_DECIDED_PART;
	if (!paired && time &&
	    pe_compare_samples(olds, value->old_n, news, value->new_n, &opts).verdict ==
		    PE_UNDECIDED)
		comparison.verdict = PE_UNDECIDED;
	value->old_value = comparison.base;
	value->new_value = comparison.base + comparison.shift;
	/* Trees have whole nanoseconds, and add up to them. */
	if (time) {
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

/* PE_ENOTFOUND: one side has no value. */
static int compare_metric(struct pe_compare_value *out, bool *apart, struct series *series,
			  const struct pe_comparing_cell cells[2], double confidence,
			  struct pe_arena *arena)
{
	bool noisy = out->metric->kind != PE_METRIC_DETERMINISTIC;
	struct pe_readings readings;
	int64_t batch;
	struct pe_rounds rounds;
	struct pairs pairs;
	double *values[2];
	size_t n[2];
	bool tied, paired;

	number(series, cells, out->metric, arena);
	if (series->commits[0] == SIZE_MAX || series->commits[1] == SIZE_MAX)
		return PE_ENOTFOUND;
	find_pairs(&pairs, series, arena);
	paired = noisy && pairs.n >= PE_COMPARE_LEAST_PAIRS;
	if (noisy && !paired && pairs.n > 0) {
		keep_shared_rounds(series);
		number(series, cells, out->metric, arena);
	}
	readings = (struct pe_readings){series->readings, series->at.n, series->n_commits};
	rounds = pe_rounds_remove(&readings, arena);
	batch = noisy ? INT64_MIN : shared_batch(series);
	/* One revision that both sides take their results from needs no round of both. */
	tied = noisy ? pairs.n > 0 || series->commits[0] == series->commits[1] : batch != INT64_MIN;
	for (int side = 0; side < 2; side++)
		n[side] =
			noisy ? values_of(&values[side], series, side, tied ? &rounds : NULL, arena)
			      : exact_values_of(&values[side], series, side, batch, arena);
	for (int side = 0; side < 2 && paired; side++) {
		values[side] = pairs.values[side];
		n[side] = pairs.n;
	}
	if (n[0] == 0 || n[1] == 0)
		return PE_ENOTFOUND;
	*apart = *apart || !tied;
	out->old_n = n[0];
	out->new_n = n[1];
	out->old_value = median_of(values[0], n[0], arena);
	out->new_value = median_of(values[1], n[1], arena);
	if (noisy)
		judge_noisy(out, values[0], values[1], paired, confidence);
	else
		judge_exact(out, !tied);
	out->measured = out->relative;
	return PE_OK;
}

static int add_metric(struct pe_compare_pair *pair, bool *apart, struct pe_comparing *comparing,
		      int64_t machine, const struct pe_comparing_cell cells[2],
		      const struct pe_metric *metric)
{
	struct pe_app *app = comparing->app;
	struct series series = {.n_commits = 0};
	struct pe_compare_value value = {.old_n = 0};
	struct pe_exactness kept;
	pe_auto_arena scratch = PE_ARENA_INIT;
	int rc;

	value.metric = pe_thresholds_metric(&value.judged, app, metric);
	/* A time of another session is none of what is asked for. */
	if (app->counts_only && !value.judged)
		return PE_OK;
	rc = load(&series, app, machine, cells[0].benchmark, metric->name);
	if (rc == PE_OK && cells[1].benchmark != cells[0].benchmark)
		rc = load(&series, app, machine, cells[1].benchmark, metric->name);
	for (int side = 0; rc == PE_OK && side < 2; side++) {
		rc = pe_exactness_load(&kept, app->store, machine, cells[side].benchmark,
				       value.metric, app->err);
		value.metric = pe_exactness_metric(value.metric, &kept, app->arena);
	}
	if (rc == PE_OK)
		rc = compare_metric(&value, apart, &series, cells, comparing->confidence, &scratch);
	pe_vec_release(&series.at);
	if (rc == PE_OK && strcmp(metric->name, pe_metrics[PE_WALL].name) == 0)
		pair->wall = value;
	if (rc == PE_OK && strcmp(metric->name, pe_metrics[PE_CPU].name) == 0)
		pair->cpu = value;
	if (rc == PE_OK && strcmp(metric->name, pe_metrics[PE_INVOLUNTARY_SWITCHES].name) == 0)
		pair->switches = value;
	if (rc == PE_OK && value.judged)
		pair->values[pair->n_values++] = value;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

/* Where a cell's values come from: itself, or the revision whose results it took over. */
static int find_source(struct pe_comparing_cell *cell, const struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_coverage *coverage;
	struct pe_reused *reused;
	size_t n, n_reused;
	int rc = pe_store_coverage(&coverage, &n, app->store, session->machine_key, app->arena,
				   app->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++)
		if (coverage[i].benchmark == cell->benchmark &&
		    coverage[i].revision == cell->revision && coverage[i].timed > 0)
			return PE_OK;
	if (rc == PE_OK)
		rc = pe_store_reused(&reused, &n_reused, app->store, session->machine_key,
				     app->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < n_reused; i++) {
		if (reused[i].benchmark == cell->benchmark &&
		    reused[i].revision == cell->revision) {
			cell->revision = reused[i].source;
			return PE_OK;
		}
	}
	return rc;
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

int pe_comparing_values(struct pe_compare_pair *pair, bool *apart, struct pe_comparing *comparing,
			const struct pe_session *session, struct pe_comparing_cell old_cell,
			struct pe_comparing_cell new_cell)
{
	struct pe_comparing_cell cells[2] = {old_cell, new_cell};
	struct pe_app *app = comparing->app;
	struct pe_metric *metrics;
	size_t n;
	int rc = find_source(&cells[0], session);

	if (rc == PE_OK)
		rc = find_source(&cells[1], session);
	if (rc == PE_OK)
		rc = pe_store_benchmark_metrics(&metrics, &n, app->store, session->machine_key,
						cells[1].benchmark, app->arena, app->err);
	if (rc != PE_OK)
		return rc;
	pair->values = pe_arena_new(app->arena, struct pe_compare_value, n);
	pair->n_values = 0;
	pair->same =
		cells[0].benchmark == cells[1].benchmark && cells[0].revision == cells[1].revision;
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		rc = add_metric(pair, apart, comparing, session->machine_key, cells, &metrics[i]);
	if (pair->same)
		equate(pair);
	else
		weigh_evidence(pair);
	return rc;
}
