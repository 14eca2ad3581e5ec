/* Results of an engine's runs: stored, entered into its cells, and noted at the end. */
#include "app/measure/engine_internal.h"

#include "app/measure/functions.h"

#include <unistd.h>

static int put_run(struct pe_engine *engine, struct pe_cell at, const struct pe_run *run,
		   struct pe_err *err)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_run named = *run;

	named.functions =
		pe_functions_name(&run->functions, engine->trees[at.revision].tree, &work);
	return pe_store_put_run(engine->session->app->store, engine->batch,
				engine->revisions[at.revision].of->key,
				engine->benchmark_keys[at.benchmark], &named, err);
}

static void tell_uncounted(struct pe_engine *engine, struct pe_cell at, const char *why,
			   bool has_log)
{
	struct pe_session *session = engine->session;

	pe_trouble_add(&session->uncounted, engine->revisions[at.revision].of->revision,
		       pe_arena_printf(session->arena, "%s: %s",
				       engine->benchmarks[at.benchmark]->name, why),
		       has_log, session->arena);
}

/*
 * Keep the reason why a counting run failed. Only the timed runs will show whether the program fails without counting,
 * too.
 */
static void note_uncounted(struct pe_engine *engine, struct pe_cell at, const struct pe_run *run)
{
	struct pe_arena *arena = engine->session->arena;
	struct pe_measured_cell *cell = &engine->revisions[at.revision].cells[at.benchmark];

	if (run->outcome != PE_MEASURED && run->outcome != PE_NOT_COUNTABLE &&
	    run->outcome != PE_ABSENT)
		cell->count_failed =
			pe_arena_printf(arena, "counting run: %s", pe_outcome_name(run->outcome));
	if (run->uncounted != NULL)
		cell->uncounted = pe_arena_strdup(arena, run->uncounted);
}

void pe_engine_tell_uncounted(struct pe_engine *engine)
{
	for (size_t r = 0; r < engine->n_revisions; r++) {
		const struct pe_measured_cell *cells = engine->revisions[r].cells;

		for (size_t w = 0; cells != NULL && w < engine->n_benchmarks; w++) {
			if (cells[w].at.failed)
				continue;
			if (cells[w].count_failed != NULL)
				tell_uncounted(engine, (struct pe_cell){r, w},
					       cells[w].count_failed, true);
			if (cells[w].uncounted != NULL)
				tell_uncounted(engine, (struct pe_cell){r, w}, cells[w].uncounted,
					       false);
			if (cells[w].not_simulated != NULL)
				tell_uncounted(engine, (struct pe_cell){r, w},
					       cells[w].not_simulated, false);
		}
	}
}

static int keep_run(struct pe_cell at, const struct pe_run *run, void *payload, struct pe_err *err)
{
	struct pe_engine *engine = payload;
	struct pe_session *session = engine->session;
	const struct pe_measured_revision *one = &engine->revisions[at.revision];

	PE_TRY(put_run(engine, at, run, err));
	engine->runs++;
	if (run->kind == PE_RUN_COUNTED)
		note_uncounted(engine, at, run);
	else
		pe_trouble_add_run(&session->troubles, one->of->revision,
				   engine->benchmarks[at.benchmark]->name, run, session->arena);
	if (run->kind == PE_RUN_TIMED && run->outcome == PE_MEASURED && run->uncounted != NULL)
		tell_uncounted(engine, at, run->uncounted, false);
	for (size_t i = 0; i < run->n_samples; i++)
		pe_engine_add_value(&one->cells[at.benchmark], run->round,
				    run->samples[i].metric->name, run->samples[i].value);
	return PE_OK;
}

static int begin_runs(void *payload, struct pe_err *err)
{
	struct pe_engine *engine = payload;

	return pe_store_begin(engine->session->app->store, err);
}

static int end_runs(int rc, void *payload, struct pe_err *err)
{
	struct pe_engine *engine = payload;

	if (rc == PE_OK)
		return pe_store_commit(engine->session->app->store, err);
	pe_store_rollback(engine->session->app->store);
	return rc;
}

/* Whether the newest commit of the session has a file. */
static bool has_newest(const struct pe_session *session, const char *path)
{
	const struct pe_strings paths = {&path, 1};
	const struct pe_session_revision *newest = &session->revisions[session->n_revisions - 1];
	struct pe_err why = PE_ERR_INIT;
	char id[1][PE_OID_HEX];

	return pe_repo_path_ids(id, session->app->repo, newest->revision->id, &paths, &why) ==
		       PE_OK &&
	       id[0][0] != '\0';
}

/*
 * Whether an input is missing only because the revision is older than it. A product of the build is in no commit: it is
 * searched in the other loaded builds. Where an earlier one has it, the commit has lost it, which is a failure.
 */
static bool is_younger(struct pe_cell at, const char *missing, void *payload)
{
	const struct pe_engine *engine = payload;
	const struct pe_session_revision *this = engine->revisions[at.revision].of;
	bool later = false;

	for (size_t r = 0; r < engine->n_revisions; r++) {
		pe_auto_text path = PE_TEXT_INIT;

		if (engine->revisions[r].slot == NULL)
			continue;
		pe_text_addf(&path, "%s/%s", engine->trees[r].tree, missing);
		if (access(path.data, F_OK) < 0)
			continue;
		if (engine->revisions[r].of < this)
			return false;
		later = true;
	}
	return later || has_newest(engine->session, missing);
}

struct pe_sink pe_engine_sink(struct pe_engine *engine)
{
	return (struct pe_sink){.run = keep_run,
				.begin = begin_runs,
				.end = end_runs,
				.is_younger = is_younger,
				.payload = engine};
}
