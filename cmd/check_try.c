/* Every benchmark for a few seconds: does it run, how noisy is it, do its counts repeat? */
#include "cmd/check.h"

#include "app/measure/functions.h"
#include "app/measure/suite_port.h"
#include "app/measure/trial.h"
#include "analysis/compare/functions.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

enum { NOISE_RUNS = 10 };

/* Runs of one benchmark stop after this, however few they were. */
static const uint64_t NOISE_BUDGET_NS = 5ull * 1000 * 1000 * 1000;

/* The first count that two runs differ by; NULL: none, and where a run failed. */
static const struct pe_metric *find_inexact(const struct pe_run runs[2])
{
	for (size_t i = 0; i < runs[0].n_samples && i < runs[1].n_samples; i++)
		if (fabs(runs[0].samples[i].value - runs[1].samples[i].value) >
		    pe_metric_tolerance(runs[0].samples[i].metric) * fabs(runs[0].samples[i].value))
			return runs[0].samples[i].metric;
	return NULL;
}

static void add_code(struct pe_text *text, const char *name)
{
	pe_text_add(text, text->len > 0 ? ", `" : "`");
	pe_text_add_columns(text, name, 40);
	pe_text_add(text, "`");
}

/* Which functions two runs differ by, those that differ most: "`f` in a.c, `g` and 3 more". */
static const char *find_varying(const struct pe_run runs[2], const char *tree,
				struct pe_arena *arena)
{
	enum { NAMED = 3 };
	struct pe_function_ranges ranges[2], none = {NULL, 0, 0};
	struct pe_function_changes changes;
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t r = 0; r < 2; r++) {
		struct pe_function_counts named =
			pe_functions_name(&runs[r].functions, tree, arena);

		if (named.n == 0)
			return NULL;
		ranges[r].at = pe_arena_new(arena, struct pe_function_range, named.n);
		ranges[r].n = named.n;
		for (size_t i = 0; i < named.n; i++)
			ranges[r].at[i] = (struct pe_function_range){
				named.at[i].name, named.at[i].signature, named.at[i].component,
				named.at[i].instructions, named.at[i].instructions};
	}
	pe_functions_compare(&changes, &ranges[0], &ranges[1], &none, arena);
	for (size_t i = 0; i < changes.n && i < NAMED; i++)
		add_code(&text, changes.at[i].name);
	if (changes.n > NAMED)
		pe_text_addf(&text, " and %zu more", changes.n - NAMED);
	return changes.n > 0 ? pe_arena_strdup(arena, pe_text_str(&text)) : NULL;
}

/* Why a run's allocations are not counted; NULL: they are. */
static const char *why_uncounted(const struct pe_run *run)
{
	static const char start[] = "allocations are not counted: ";

	if (run->outcome == PE_NOT_COUNTABLE)
		return run->log;
	if (run->outcome != PE_MEASURED)
		return pe_outcome_name(run->outcome);
	return run->uncounted != NULL && pe_starts_with(run->uncounted, start)
		       ? run->uncounted + strlen(start)
		       : NULL;
}

static int try_counts(struct pe_tried *tried, struct pe_spending *spent, struct pe_check *check,
		      const char *tree)
{
	struct pe_run runs[PE_COUNTED_ROUNDS];
	struct pe_session *session = &check->session;

	if (!pe_runner_counts(&session->runner, tried->benchmark))
		return PE_OK;
	for (int i = 0; i < PE_COUNTED_ROUNDS; i++) {
		runs[i] = (struct pe_run){.kind = PE_RUN_COUNTED};
		PE_TRY(pe_trial_run_once(&runs[i], spent, session, tried->benchmark, tree, false));
		tried->not_countable = why_uncounted(&runs[i]);
		if (runs[i].outcome != PE_MEASURED)
			return PE_OK;
	}
	tried->inexact = find_inexact(runs);
	if (tried->inexact != NULL)
		tried->varying = find_varying(runs, tree, session->arena);
	return PE_OK;
}

/* The value of a metric in a run; NaN: it has none. */
static double find_value(const struct pe_run *run, const struct pe_metric *metric)
{
	for (size_t i = 0; i < run->n_samples; i++)
		if (run->samples[i].metric == metric)
			return run->samples[i].value;
	return NAN;
}

/* A metric in some runs; n is 0 where none has it. */
static struct pe_summary summarize(const struct pe_run *runs, size_t n,
				   const struct pe_metric *metric)
{
	double values[NOISE_RUNS];
	size_t given = 0;

	for (size_t i = 0; i < n; i++) {
		double value = find_value(&runs[i], metric);

		if (isfinite(value))
			values[given++] = value;
	}
	return given > 0 ? pe_summarize(values, given) : (struct pe_summary){0};
}

static int try_runs(struct pe_tried *tried, struct pe_spending *spent, struct pe_check *check,
		    const char *tree)
{
	struct pe_session *session = &check->session;
	const struct pe_benchmark *benchmark = tried->benchmark;
	struct pe_run runs[NOISE_RUNS];
	double spent_ns = 0;
	size_t n = 0;

	/* The first run warms up; the others are taken while the budget lasts. */
	for (int i = 0; i <= NOISE_RUNS && (n < 3 || spent_ns < (double)NOISE_BUDGET_NS); i++) {
		if (*session->app->interrupts > 0)
			return pe_fail(session->app->err, PE_ESTOPPED, "stopped");
		tried->run = (struct pe_run){.kind = PE_RUN_TIMED};
		PE_TRY(pe_trial_run_once(&tried->run, spent, session, benchmark, tree, i == 0));
		/* Old commits may lack a metric; where the config is written, all of them are expected. */
		if (tried->run.uncounted != NULL)
			tried->run.outcome = PE_METRIC_MISSING;
		if (tried->run.outcome != PE_MEASURED)
			return PE_OK;
		spent_ns += tried->run.samples[0].value;
		if (i > 0)
			runs[n++] = tried->run;
	}
	tried->wall = summarize(runs, n, runs[0].samples[0].metric);
	tried->customs = pe_arena_new(session->arena, struct pe_tried_metric, benchmark->n_customs);
	for (size_t i = 0; i < benchmark->n_customs; i++)
		tried->customs[i] =
			(struct pe_tried_metric){&benchmark->customs[i].metric,
						 summarize(runs, n, &benchmark->customs[i].metric)};
	return PE_OK;
}

static int try_one(struct pe_tried *tried, struct pe_check *check, const char *tree)
{
	struct pe_session *session = &check->session;
	int rc = pe_runner_set_up(&tried->run, &session->runner, tried->benchmark, tree,
				  session->arena, session->app->err);
	const unsigned left_behind = tried->run.left_behind;
	struct pe_spending spent = {0};

	tried->format = pe_suite_port_format_of(tried->benchmark, tree, session->arena);
	if (rc == PE_OK && tried->run.outcome == PE_MEASURED)
		rc = try_runs(tried, &spent, check, tree);
	if (rc == PE_OK && tried->run.outcome == PE_MEASURED)
		rc = try_counts(tried, &spent, check, tree);
	/* By that `perfevo track --dry-run` can tell what measuring takes. */
	if (rc == PE_OK && tried->run.outcome == PE_MEASURED)
		rc = pe_store_add_costs(session->app->store, session->machine_key,
					tried->benchmark->key, &spent, session->app->err);
	tried->run.left_behind += left_behind;
	pe_runner_explain_left(&tried->run, session->arena);
	return pe_runner_clean_up(rc, &session->runner, tried->benchmark, tree, session->arena,
				  session->app->err);
}

int pe_check_try(struct pe_check *check, const char *tree)
{
	struct pe_session *session = &check->session;

	check->tried = pe_arena_new(session->arena, struct pe_tried, session->benchmarks.n);
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_tried *tried = &check->tried[check->n_tried];

		/* A process of a suite is measured by its benchmarks' results, not by its duration. */
		if (session->benchmarks.data[w]->suite != NULL)
			continue;
		check->n_tried++;
		tried->benchmark = session->benchmarks.data[w];
		PE_TRY(pe_session_report_run(session, check->revision, tried->benchmark->name, w,
					     session->benchmarks.n));
		PE_TRY(try_one(tried, check, tree));
	}
	return PE_OK;
}
