/* The builds and runs of collecting, and what one timed run takes. */
#include "app/profiling/collect_internal.h"

#include "core/base/files.h"
#include "core/stats/order.h"

#include <stdlib.h>

/* Runs of the timed build where nothing timed is stored: enough for a median. */
enum { DURATION_RUNS = 5 };

/* --- Builds --- */

int pe_collecting_build(struct pe_slot **slot, struct pe_collecting *collecting,
			enum pe_build_variant variant)
{
	static const char *const stages[] = {
		[PE_BUILD_VARIANT_COUNTING] = "counting build",
		[PE_BUILD_VARIANT_SAMPLED] = "sampled build",
		[PE_BUILD_VARIANT_NATIVE] = "build with debug information",
	};
	struct pe_app *app = collecting->session->app;
	struct pe_build_request request;
	struct pe_build build;

	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped while collecting");
	PE_TRY(pe_collecting_request(&request, collecting, collecting->revision, variant));
	PE_TRY(pe_session_build_by(slot, &build, collecting->session, &request));
	if (build.outcome != PE_MEASURED) {
		*slot = NULL;
		pe_collecting_fail(collecting, stages[variant], build.outcome, build.status,
				   build.log);
		return PE_OK;
	}
	return *slot != NULL
		       ? PE_OK
		       : pe_fail(app->err, PE_EFULL, "no room for a build: raise 'disk:' in %s",
				 app->config->path);
}

/* --- Runs --- */

int pe_collecting_folder(const char **out, struct pe_collecting *collecting, const char *name)
{
	const struct pe_runner *runner = &collecting->session->runner;
	pe_auto_fd scratch = pe_files_open_below(runner->trusted, runner->scratch, true);

	*out = pe_arena_printf(collecting->arena, "%s/%s", runner->scratch, name);
	if (scratch < 0 || pe_files_make_fresh(scratch, name) != 0)
		return pe_fail_errno(collecting->session->app->err, "cannot make the folder %s",
				     *out);
	return PE_OK;
}

int pe_collecting_set_up(struct pe_collecting *collecting, const struct pe_collecting_place *place)
{
	const struct pe_session *session = collecting->session;
	struct pe_run run = {.kind = PE_RUN_TIMED};

	PE_TRY(pe_runner_set_up(&run, &session->runner, collecting->benchmark, place->tree,
				collecting->arena, session->app->err));
	if (run.outcome != PE_MEASURED)
		pe_collecting_fail(collecting, place->stage, run.outcome, run.status, run.log);
	return PE_OK;
}

int pe_collecting_clean_up(int rc, struct pe_collecting *collecting,
			   const struct pe_collecting_place *place)
{
	const struct pe_session *session = collecting->session;

	return pe_runner_clean_up(rc, &session->runner, collecting->benchmark, place->tree,
				  collecting->arena, session->app->err);
}

int pe_collecting_run(struct pe_run *run, struct pe_collecting *collecting,
		      const struct pe_collecting_place *place, const struct pe_strings *extra)
{
	const struct pe_session *session = collecting->session;
	struct pe_benchmark benchmark = *collecting->benchmark;

	if (place->samples && benchmark.sampled.argv != NULL)
		benchmark.command = benchmark.sampled;
	if (place->command != NULL)
		benchmark.command = *place->command;
	if (place->profiler)
		benchmark.expected_status = 0;
	benchmark.timeout_ns *= place->patience;
	PE_TRY(pe_session_report_run(session, collecting->revision, benchmark.name,
				     collecting->done, collecting->total));
	PE_TRY(pe_runner_look(run, &session->runner, &benchmark, place->tree, extra,
			      collecting->arena, session->app->err));
	collecting->done++;
	if (run->outcome != PE_MEASURED)
		pe_collecting_fail(collecting, place->stage, run->outcome, run->status, run->log);
	return PE_OK;
}

double pe_collecting_cost(const struct pe_run *run, enum pe_metric_id metric)
{
	for (size_t i = 0; i < run->n_samples; i++)
		if (run->samples[i].metric == &pe_metrics[metric])
			return run->samples[i].value;
	return 0;
}

/* --- What one timed run takes --- */

/* Where results of a revision come from: itself, or the one whose results it took over. */
static int source_of(int64_t *out, const struct pe_collecting *collecting)
{
	const struct pe_session *session = collecting->session;
	const struct pe_coverage *found;
	struct pe_coverage *reused;
	size_t n;

	PE_TRY(pe_store_reused(&reused, &n, session->app->store, session->machine_key,
			       collecting->arena, session->app->err));
	found = pe_coverage_find(reused, n, collecting->revision->key, collecting->benchmark->key);
	*out = found != NULL ? found->source : collecting->revision->key;
	return PE_OK;
}

/* A metric of the stored timed runs: its median and its least value; 0: there are none. */
struct spent {
	double median, least;
};

static struct spent spent_of(double *values, size_t n)
{
	struct spent out = {0, 0};

	if (n == 0)
		return out;
	out.median = pe_order_median(values, n);
	out.least = values[0];
	for (size_t i = 1; i < n; i++)
		if (values[i] < out.least)
			out.least = values[i];
	return out;
}

static int stored_spent(struct spent *out, const struct pe_collecting *collecting,
			enum pe_metric_id metric)
{
	const struct pe_session *session = collecting->session;
	const struct pe_series_query query = {
		.machine = session->machine_key,
		.benchmark = collecting->benchmark->key,
		.metric = pe_metrics[metric].name,
	};
	struct pe_observation *observations;
	pe_auto_free PE_VEC(double) values = {NULL, 0, 0};
	int64_t source;
	size_t n;

	PE_TRY(source_of(&source, collecting));
	PE_TRY(pe_store_get_series(&observations, &n, session->app->store, &query,
				   collecting->arena, session->app->err));
	for (size_t i = 0; i < n; i++)
		if (observations[i].revision == source)
			pe_vec_push(&values, observations[i].value);
	*out = spent_of(values.data, values.n);
	return PE_OK;
}

/*
 * The part of a run without computing, by the least of both: on a loaded machine most runs wait for a processor, but
 * hardly each of them. Below a twentieth it is start-up.
 */
static void set_duration(struct pe_collecting_duration *out, struct spent wall, struct spent cpu)
{
	double waiting = wall.least - cpu.least;

	out->total_ns = (uint64_t)wall.median;
	out->waiting_ns = cpu.least > 0 && waiting > 0.05 * wall.least ? (uint64_t)waiting : 0;
}

static int run_for_duration(struct pe_collecting_duration *out, struct pe_collecting *collecting,
			    const char *tree)
{
	static const struct pe_strings nothing = {NULL, 0};
	const struct pe_collecting_place place = {
		.tree = tree, .patience = 1, .stage = "timed run"};
	double wall[DURATION_RUNS], cpu[DURATION_RUNS];
	struct pe_run run;
	int rc = pe_collecting_set_up(collecting, &place);

	for (int i = -1; rc == PE_OK && i < DURATION_RUNS && pe_collecting_goes_on(collecting);
	     i++) {
		rc = pe_collecting_run(&run, collecting, &place, &nothing);
		if (i < 0)
			continue; /* the first one warms up */
		wall[i] = pe_collecting_cost(&run, PE_WALL);
		cpu[i] = pe_collecting_cost(&run, PE_CPU);
	}
	PE_TRY(pe_collecting_clean_up(rc, collecting, &place));
	if (pe_collecting_goes_on(collecting))
		set_duration(out, spent_of(wall, DURATION_RUNS), spent_of(cpu, DURATION_RUNS));
	return PE_OK;
}

int pe_collecting_stored_duration(struct pe_collecting_duration *out,
				  const struct pe_collecting *collecting)
{
	struct spent wall, cpu;

	*out = (struct pe_collecting_duration){0, 0};
	PE_TRY(stored_spent(&wall, collecting, PE_WALL));
	PE_TRY(stored_spent(&cpu, collecting, PE_CPU));
	set_duration(out, wall, cpu);
	return PE_OK;
}

int pe_collecting_take_duration(struct pe_collecting_duration *out,
				struct pe_collecting *collecting)
{
	struct pe_slot *slot;

	PE_TRY(pe_collecting_stored_duration(out, collecting));
	if (out->total_ns > 0)
		return PE_OK;
	PE_TRY(pe_collecting_timed_build(&slot, collecting));
	return slot != NULL ? run_for_duration(out, collecting, slot->tree) : PE_OK;
}
