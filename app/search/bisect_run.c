/*
 * The measuring half of bisect: what the arithmetic asks for (core/stats/steps.h) is built and run
 * (bisect_resident.c), or found to execute the same as another revision, or left out (bisect_known.c).
 */
#include "app/search/bisect_internal.h"
#include "app/measure/thresholds.h"

#include "app/measure/exactness.h"
#include "core/base/clock.h"

#include <math.h>
#include <string.h>

/* --- What is measured --- */

/* A benchmark's metric by its name, or the one to take when no name is given. PE_EINVALID lists them. */
static int choose_metric(const struct pe_metric **out, struct pe_app *app,
			 const struct pe_benchmark *benchmark, const char *name)
{
	size_t n = PE_N_METRICS + benchmark->n_customs;
	const struct pe_metric *only = NULL, *wall = NULL;
	pe_auto_text names = PE_TEXT_INIT;
	size_t judged_customs = 0;

	*out = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct pe_metric *one =
			i < PE_N_METRICS ? pe_benchmark_metric(benchmark, (enum pe_metric_id)i)
					 : &benchmark->customs[i - PE_N_METRICS].metric;
		bool judged;
		const struct pe_metric *tuned = pe_thresholds_metric(&judged, app, one);

		if (name != NULL && strcmp(one->name, name) == 0)
			*out = tuned;
		if (judged && i == PE_WALL)
			wall = tuned;
		if (judged && i >= PE_N_METRICS) {
			only = tuned;
			judged_customs++;
		}
		pe_text_addf(&names, "%s%s", i > 0 ? ", " : "", one->name);
	}
	if (name == NULL)
		*out = wall != NULL ? wall : judged_customs == 1 ? only : NULL;
	if (*out == NULL && name != NULL)
		pe_fail(app->err, PE_EINVALID, "'%s' has no metric '%s'; it has %s",
			benchmark->name, name, pe_text_str(&names));
	else if (*out == NULL)
		pe_fail(app->err, PE_EINVALID, "by which metric? --metric takes one of %s",
			pe_text_str(&names));
	return *out != NULL ? PE_OK : PE_EINVALID;
}

static int choose_benchmark(struct pe_bisect_run *run)
{
	struct pe_session *session = &run->session;
	pe_auto_text names = PE_TEXT_INIT;

	for (size_t w = 0; w < session->benchmarks.n; w++)
		pe_text_addf(&names, "%s%s", w > 0 ? ", " : "", session->benchmarks.data[w]->name);
	if (session->benchmarks.n == 0)
		return pe_session_fail_without(session, run->out->opts->bench);
	if (session->benchmarks.n > 1)
		return pe_fail(run->out->app->err, PE_EINVALID,
			       "one benchmark is bisected at a time: --bench is to match one of %s",
			       pe_text_str(&names));
	run->benchmark = session->benchmarks.data[0];
	run->out->bench = run->benchmark->name;
	PE_TRY(choose_metric(&run->out->metric, run->out->app, run->benchmark,
			     run->out->opts->metric));
	if (run->out->opts->counts && !pe_metric_is_counted(run->out->metric))
		return pe_fail(run->out->app->err, PE_EINVALID,
			       "%s is not counted: leave --simulated out, or name a count with -m",
			       run->out->metric->label);
	return PE_OK;
}

/* --- Measuring --- */

/* Each build of this session also improves the estimates of its neighbours' costs. */
static int load_costs(struct pe_bisect_run *run)
{
	if (run->costs.build_s != NULL && run->costs_of == run->out->builds)
		return PE_OK;
	run->costs_of = run->out->builds;
	PE_TRY(pe_known_load(&run->known, &run->session));
	return pe_session_costs_load(&run->costs, &run->session, &run->known);
}

int pe_bisect_run_add_costs(struct pe_bisect_run *run)
{
	double run_s = run->runs > 0 ? (double)run->run_ns / (double)run->runs : NAN;

	PE_TRY(load_costs(run));
	run_s = isnan(run_s) ? run->costs.cell[0].timed_s : run_s / 1e9;
	/* What takes no time at all still takes an answer. */
	run_s = run_s > 1e-4 ? run_s : isnan(run_s) ? 1 : 1e-4;
	for (size_t i = 0; i < run->out->n; i++) {
		double build_s = run->costs.build_s[i];

		run->line->run_cost[i] = run_s;
		run->line->build_cost[i] = run->built[i] || isnan(build_s) ? 0 : build_s;
	}
	return PE_OK;
}

static int measure(struct pe_bisect_run *run, size_t i)
{
	uint64_t before_ns;
	double value;
	bool fit = true;

	if (!run->built[i])
		PE_TRY(pe_bisect_run_build(&fit, run, i));
	if (!fit)
		return PE_OK;
	before_ns = pe_clock_ns();
	PE_TRY(pe_bisect_run_once(&value, run, i, run->out->metric));
	run->run_ns += pe_clock_ns() - before_ns;
	run->runs++;
	if (isfinite(value)) {
		pe_bisect_run_feed(run, i, value);
		return PE_OK;
	}
	run->out->failing++;
	run->line->skipped[i] = true;
	pe_app_note(run->out->app, "%.10s %s gives no %s: skipped", run->out->line[i].id,
		    run->out->line[i].subject, run->out->metric->label);
	return PE_OK;
}

int pe_bisect_run_look_up(bool *spent, struct pe_bisect_run *run)
{
	const struct pe_bisecting *out = run->out;

	*spent = out->opts->budget_ns > 0 && pe_clock_ns() - run->started_ns > out->opts->budget_ns;
	if (!*spent && *out->app->interrupts > 0)
		return pe_fail(out->app->err, PE_ESTOPPED, "stopped");
	return PE_OK;
}

static int measure_all(struct pe_bisect_run *run)
{
	struct pe_bisecting *out = run->out;
	bool spent;
	size_t i;

	for (;;) {
		enum pe_bisect_answer answer = pe_steps_next(run->search, &i);

		out->now = pe_steps_now(run->search);
		if (answer != PE_BISECT_GO_ON)
			return PE_OK;
		PE_TRY(pe_bisect_run_look_up(&spent, run));
		if (spent) {
			out->end = PE_BISECTING_BUDGET;
			return PE_OK;
		}
		/* Both ends differ: from here on the place of the change matters. */
		if (!run->weighed && i != 0 && i + 1 != out->n) {
			PE_TRY(pe_bisect_run_weigh(run));
			continue;
		}
		PE_TRY(pe_bisect_run_add_costs(run));
		PE_TRY(measure(run, i));
	}
}

/* --- From end to end --- */

/* Instructions that an option names are simulated, whatever the config, as for `ci --simulated`. */
static int open_session(struct pe_bisect_run *run, bool measure)
{
	struct pe_app *app = run->out->app;
	const char *name = run->out->opts->metric;
	enum pe_instructions *instructions = &app->config->surroundings.instructions;
	const enum pe_instructions usual = *instructions;
	int rc;

	if (name != NULL && strcmp(name, pe_metrics[PE_SIMULATED_INSTRUCTIONS].name) == 0)
		*instructions = PE_INSTRUCTIONS_SIMULATED;
	rc = pe_session_open(&run->session, app, measure);
	*instructions = usual;
	return rc;
}

static int open_run(struct pe_bisect_run *run, bool measure)
{
	struct pe_bisecting *out = run->out;
	const struct pe_revisions line = {(struct pe_revision *)out->line, out->n, false, 0};
	struct pe_exactness kept;

	PE_TRY(open_session(run, measure));
	run->session.names = out->opts->names;
	run->session.unanchored = true;
	PE_TRY(pe_session_choose(&run->session, &line, out->opts->bench));
	PE_TRY(pe_session_discover(&run->session, out->opts->bench));
	PE_TRY(choose_benchmark(run));
	run->built = pe_arena_new(out->app->arena, bool, out->n);
	run->line = pe_bisect_line_new(out->n, out->app->arena);
	for (size_t i = 0; i < out->n; i++)
		run->built[i] = pe_slots_find(&run->session.slots, out->line[i].id,
					      run->session.recipe_hash) != NULL;
	out->inexact = false;
	out->min_change = out->opts->min_change;
	if (isnan(out->min_change))
		out->min_change = out->metric->min_relative;
	if (!(out->min_change > 0) && out->metric->kind != PE_METRIC_DETERMINISTIC)
		out->min_change = 0.005;
	PE_TRY(pe_exactness_load(&kept, out->app->store, run->session.machine_key,
				 run->benchmark->key, out->metric, out->app->err));
	run->counted_once =
		pe_metric_is_counted(out->metric) && kept.broken == 0 && kept.builds > 1;
	if (kept.broken > 0 && !pe_bisect_run_is_exact(kept.most, out->metric, out->min_change))
		pe_bisect_run_call_noisy(out);
	PE_TRY(pe_known_load(&run->known, &run->session));
	pe_bisect_run_use_reused(run);
	pe_bisect_run_skip_failures(run);
	if (measure)
		PE_TRY(pe_reuse_new(&run->reuse, &run->session));
	PE_TRY(pe_store_latest_epoch(&run->epoch, out->app->store, run->session.machine_key,
				     run->benchmark->key, out->app->err));
	PE_TRY(pe_bisect_run_load_stored(&run->readings, run, out->metric));
	out->stored = run->readings.n;
	pe_bisect_run_feed_all(run);
	return PE_OK;
}

static void close_run(struct pe_bisect_run *run)
{
	pe_session_close(&run->session);
	pe_vec_release(&run->readings);
	pe_steps_free(run->search);
}

static void conclude(struct pe_bisect_run *run)
{
	struct pe_bisecting *out = run->out;

	out->spent_ns = pe_clock_ns() - run->started_ns;
	if (run->search != NULL)
		out->found = pe_steps_result(run->search, 0.001, out->app->arena);
}

/*
 * Ask the store alone: planned in a transaction that leaves nothing behind, and without the machine's lock, which another
 * perfevo may hold for hours.
 *
 * @param enough  no run is needed
 */
static int ask_store(bool *enough, struct pe_bisecting *out)
{
	struct pe_bisect_run run = {.out = out, .started_ns = pe_clock_ns()};
	struct pe_app *app = out->app;
	size_t i;

	*enough = false;
	PE_TRY(pe_store_begin(app->store, app->err));
	if (open_run(&run, false) == PE_OK)
		*enough = pe_steps_next(run.search, &i) != PE_BISECT_GO_ON;
	if (*enough)
		conclude(&run);
	close_run(&run);
	pe_store_rollback(app->store);
	/* Nothing was listed, or built: measuring reports the fault. */
	return PE_OK;
}

int pe_bisecting_run(struct pe_bisecting *out)
{
	struct pe_bisect_run run = {.out = out, .started_ns = pe_clock_ns()};
	bool enough;
	int rc;

	PE_TRY(ask_store(&enough, out));
	if (enough)
		return PE_OK;
	rc = open_run(&run, true);
	if (rc == PE_OK)
		rc = measure_all(&run);
	if (rc == PE_OK || rc == PE_ESTOPPED)
		conclude(&run);
	rc = pe_engine_close(rc, run.engine, true);
	pe_reuse_free(run.reuse);
	close_run(&run);
	return rc;
}

static bool overlap(const struct pe_bisect_group *a, const struct pe_bisect_group *b)
{
	return a->first <= b->last && b->first <= a->last;
}

bool pe_bisecting_has_step(const struct pe_bisecting *bisecting,
			   const struct pe_bisect_group *count)
{
	for (size_t k = 0; k < bisecting->found.n; k++)
		if (overlap(&bisecting->found.steps[k].result.group, count))
			return true;
	return false;
}

bool pe_bisecting_count_held(const struct pe_bisecting *bisecting)
{
	const struct pe_bisecting_count *count = &bisecting->count;

	for (size_t k = 0; k < bisecting->found.n; k++) {
		size_t c = 0;

		while (c < count->n_groups &&
		       !overlap(&bisecting->found.steps[k].result.group, &count->groups[c]))
			c++;
		if (c == count->n_groups)
			return false;
	}
	return pe_bisecting_is_found(bisecting);
}

bool pe_bisecting_is_whole(const struct pe_bisecting *bisecting)
{
	return bisecting->found.n == 1 && !bisecting->found.partial &&
	       bisecting->found.n_rests == 0;
}

int pe_bisecting_branch(struct pe_bisecting_branch *out, const struct pe_bisecting *bisecting,
			size_t merge)
{
	const struct pe_revision *revision = &bisecting->line[merge];
	struct pe_app *app = bisecting->app;
	struct pe_range range = {0};
	struct pe_revisions branch;

	*out = (struct pe_bisecting_branch){NULL, NULL, 0};
	if (revision->n_parents < 2)
		return PE_OK;
	range.spec =
		pe_arena_printf(app->arena, "%s..%s", revision->parents[0], revision->parents[1]);
	PE_TRY(pe_repo_walk(&branch, app->repo, &range, app->arena, app->err));
	if (branch.n > 0 && branch.at[0].n_parents > 0)
		*out = (struct pe_bisecting_branch){branch.at[0].parents[0], revision->parents[1],
						    branch.n};
	return PE_OK;
}

bool pe_bisecting_look_inside(struct pe_text *command, size_t *n,
			      const struct pe_bisecting *bisecting, size_t merge)
{
	const struct pe_bisecting_opts *opts = bisecting->opts;
	struct pe_bisecting_branch branch;

	if (pe_bisecting_branch(&branch, bisecting, merge) != PE_OK || branch.n == 0)
		return false;
	*n = branch.n;
	pe_text_addf(command, "perfevo bisect %.10s %.10s -b ", branch.good, branch.bad);
	pe_text_add_word(command, opts->bench != NULL ? opts->bench : bisecting->bench);
	if (opts->metric != NULL) {
		pe_text_add(command, " -m ");
		pe_text_add_word(command, opts->metric);
	}
	return true;
}

bool pe_bisecting_is_found(const struct pe_bisecting *bisecting)
{
	return bisecting->end == PE_BISECTING_ANSWERED &&
	       bisecting->found.answer == PE_BISECT_FOUND;
}

bool pe_bisecting_is_regression(const struct pe_bisecting *bisecting,
				const struct pe_bisect_result *result)
{
	bool higher = result->new_level > result->old_level;

	return higher == (bisecting->metric->better == PE_LOWER_IS_BETTER);
}
