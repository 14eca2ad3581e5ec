/* Results of an engine's runs: stored, entered into its cells, and noted at the end. */
#include "app/measure/engine_internal.h"

#include "app/measure/functions.h"

#include <assert.h>
#include <unistd.h>

static int put_run(struct pe_engine *engine, const struct pe_cell *cell, const struct pe_run *run,
		   struct pe_err *err)
{
	const struct pe_session *session = engine->session;
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_run named = *run;

	named.functions = pe_functions_name(&run->functions, pe_engine_tree(engine, cell), &work);
	return pe_store_put_run(session->app->store, engine->batch,
				session->revisions[cell->revision].key,
				session->benchmarks.data[cell->benchmark]->key, &named, err);
}

static void tell_uncounted(struct pe_engine *engine, const struct pe_cell *cell, const char *why,
			   bool has_log)
{
	struct pe_session *session = engine->session;

	pe_trouble_add(&session->uncounted, &session->revisions[cell->revision],
		       pe_arena_printf(session->arena, "%s: %s",
				       pe_engine_benchmark(engine, cell)->name, why),
		       has_log, session->arena);
}

/*
 * Keep the reason why a counting run failed. Only the timed runs will show whether the program fails without counting,
 * too.
 */
static void note_uncounted(struct pe_engine *engine, struct pe_cell *cell, const struct pe_run *run)
{
	struct pe_arena *arena = engine->session->arena;

	if (run->outcome != PE_MEASURED && run->outcome != PE_NOT_COUNTABLE &&
	    run->outcome != PE_ABSENT)
		cell->count_failed =
			pe_arena_printf(arena, "counting run: %s", pe_outcome_name(run->outcome));
	if (run->uncounted != NULL)
		cell->uncounted = pe_arena_strdup(arena, run->uncounted);
}

void pe_engine_tell_uncounted(struct pe_engine *engine)
{
	for (size_t r = 0; r < engine->n_order; r++) {
		const struct pe_cell *cells = engine->revisions[engine->order[r]].cells;

		for (size_t w = 0; cells != NULL && w < engine->n_benchmarks; w++) {
			const struct pe_cell *cell = &cells[engine->benchmarks[w]];

			if (cell->failed)
				continue;
			if (cell->count_failed != NULL)
				tell_uncounted(engine, cell, cell->count_failed, true);
			if (cell->uncounted != NULL)
				tell_uncounted(engine, cell, cell->uncounted, false);
			if (cell->not_simulated != NULL)
				tell_uncounted(engine, cell, cell->not_simulated, false);
		}
	}
}

static int keep_run(struct pe_engine *engine, struct pe_cell *cell, const struct pe_run *run,
		    struct pe_err *err)
{
	struct pe_session *session = engine->session;

	PE_TRY(put_run(engine, cell, run, err));
	engine->runs++;
	engine->counted += run->kind == PE_RUN_COUNTED;
	if (run->kind == PE_RUN_COUNTED)
		note_uncounted(engine, cell, run);
	else
		pe_trouble_add_run(&session->troubles, &session->revisions[cell->revision],
				   pe_engine_benchmark(engine, cell)->name, run, session->arena);
	if (run->kind == PE_RUN_TIMED && run->outcome == PE_MEASURED && run->uncounted != NULL)
		tell_uncounted(engine, cell, run->uncounted, false);
	for (size_t i = 0; i < run->n_samples; i++)
		pe_vec_push(&cell->values,
			    (struct pe_observation){.round = run->round,
						    .metric = run->samples[i].metric->name,
						    .value = run->samples[i].value});
	return PE_OK;
}

/* Whether the newest commit of the session has a file. */
static bool has_newest(const struct pe_session *session, const char *path)
{
	const struct pe_strings paths = {&path, 1};
	const struct pe_revision *newest = &session->revisions[session->n_revisions - 1];
	struct pe_err why = PE_ERR_INIT;
	char id[1][PE_OID_HEX];

	return pe_repo_path_ids(id, session->app->repo, newest->id, &paths, &why) == PE_OK &&
	       id[0][0] != '\0';
}

/*
 * Whether an input is missing only because the revision is older than it. A product of the build is in no commit: it is
 * searched in the other loaded builds. Where an earlier one has it, the commit has lost it, which is a failure.
 */
static bool is_younger(const struct pe_engine *engine, const struct pe_cell *cell,
		       const char *missing)
{
	bool later = false;

	for (size_t r = 0; r < engine->session->n_revisions; r++) {
		pe_auto_text path = PE_TEXT_INIT;

		if (engine->revisions[r].slot == NULL)
			continue;
		pe_text_addf(&path, "%s/%s", engine->revisions[r].tree, missing);
		if (access(path.data, F_OK) < 0)
			continue;
		if (r < cell->revision)
			return false;
		later = true;
	}
	return later || has_newest(engine->session, missing);
}

/* A command whose file no later commit has, either, is wrong: that stays a failure. */
static void mark_younger(struct pe_run *run, const struct pe_engine *engine,
			 const struct pe_cell *cell)
{
	if ((run->outcome == PE_EXIT_WRONG || run->outcome == PE_NOT_STARTED) &&
	    run->missing != NULL && is_younger(engine, cell, run->missing))
		run->outcome = PE_ABSENT;
}

/*
 * Whether other runs may have caused a failure. A benchmark that cannot be counted fails in the same way alone, and so
 * does one with too many system calls.
 */
static bool is_doubtful(const struct pe_engine_worker *worker, const struct pe_run *run)
{
	if (worker->job == NULL || !worker->job->beside ||
	    worker->engine->session->uncounted_is_fact)
		return false;
	return (run->outcome != PE_MEASURED && run->outcome != PE_NOT_COUNTABLE) ||
	       (run->simulate && run->uncounted != NULL && run->functions.n == 0);
}

void pe_engine_mark(struct pe_cell *cell, enum pe_run_kind kind, unsigned round,
		    enum pe_outcome outcome)
{
	const bool failed = outcome != PE_MEASURED;

	if (kind == PE_RUN_TIMED) {
		if (round < cell->rounds)
			cell->timed[round] = true;
		cell->failed |= failed;
		cell->absent |= outcome == PE_ABSENT;
		return;
	}
	/* A round beyond the usual ones: the counts were found to vary. */
	if (cell->counted != NULL && round < PE_COUNTED_ROUNDS_NOISY &&
	    round >= cell->counted_rounds && cell->counted_rounds > 0)
		cell->counted_rounds = PE_COUNTED_ROUNDS_NOISY;
	assert(cell->counted != NULL || cell->counted_rounds == 0);
	if (round < cell->counted_rounds)
		cell->counted[round] = true;
	cell->not_counted |= failed;
}

int pe_engine_keep(struct pe_engine_worker *worker, struct pe_cell *cell, struct pe_run *run)
{
	size_t before = pe_engine_missing(cell);
	int rc = PE_EBUSY;

	if (worker->beside == NULL)
		mark_younger(run, worker->engine, cell);
	run->left_behind += cell->program->left_behind;
	pe_runner_explain_left(run, &worker->scratch);
	pe_engine_enter(worker);
	worker->doubtful |= is_doubtful(worker, run);
	if (!worker->doubtful)
		rc = keep_run(worker->engine, cell, run, worker->err);
	pe_engine_leave(worker);
	PE_TRY(rc);
	pe_engine_mark(cell, run->kind, run->round, run->outcome);
	/* A failure takes what the cell still wanted off the list. */
	worker->count->done += before - pe_engine_missing(cell);
	return PE_OK;
}

int pe_engine_keep_failure(struct pe_engine_worker *worker, struct pe_cell *cell,
			   struct pe_run *run)
{
	int rc;

	run->kind = worker->kind;
	run->round = worker->round;
	for (unsigned i = cell->rounds; worker->kind == PE_RUN_COUNTED && i-- > 0;)
		if (!cell->timed[i]) {
			run->kind = PE_RUN_TIMED;
			run->round = i;
		}
	run->sequence = worker->count->sequence;
	run->n_samples = 0;
	rc = pe_engine_keep(worker, cell, run);
	cell->failed = true;
	return rc;
}
