/*
 * A round of an engine: setup and warm-ups of its cells come before all of its runs, every run is stored as soon as it is
 * over, and cleanup runs whenever setup ran.
 */
#include "app/measure/engine_internal.h"

#include "core/base/clock.h"

size_t pe_engine_missing(const struct pe_cell *cell)
{
	size_t missing = 0;

	for (unsigned i = 0; !cell->failed && i < cell->rounds; i++)
		missing += !cell->timed[i];
	for (unsigned i = 0; !cell->failed && !cell->not_counted && i < cell->counted_rounds; i++)
		missing += !cell->counted[i];
	return missing;
}

bool pe_engine_wants(const struct pe_cell *cell, enum pe_run_kind kind, unsigned round)
{
	if (cell->failed)
		return false;
	if (kind == PE_RUN_TIMED)
		return round < cell->rounds && !cell->timed[round];
	return !cell->not_counted && round < cell->counted_rounds && !cell->counted[round];
}

void pe_engine_report(struct pe_engine_worker *worker, enum pe_progress_phase phase,
		      const struct pe_cell *cell, size_t round, size_t rounds)
{
	const struct pe_engine *engine = worker->engine;
	const struct pe_progress *progress = &engine->session->app->progress;
	const struct pe_revision *revision = &engine->session->revisions[cell->revision];
	const struct pe_benchmark *benchmark = pe_engine_benchmark(engine, cell);
	const struct pe_session_count *count = worker->count;

	struct pe_progress_event event = {
		.phase = phase,
		.revision = revision->id,
		.subject = revision->subject,
		.commit = engine->revisions[cell->revision].place,
		.commits = engine->n_places,
		.benchmark = benchmark->suite != NULL ? benchmark->suite->name : benchmark->name,
		.round = round,
		.rounds = rounds,
	};

	if (progress->report == NULL)
		return;
	pe_engine_enter(worker);
	event.done = phase == PE_PROGRESS_COUNT ? engine->counted : count->done;
	event.total = phase == PE_PROGRESS_COUNT ? engine->to_count : count->total;
	progress->report(&event, progress->payload);
	pe_engine_leave(worker);
}

bool pe_engine_interrupted(const struct pe_engine_worker *worker)
{
	return worker->runner->interrupts != NULL && *worker->runner->interrupts > 0;
}

void pe_engine_spend(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n,
		     enum pe_spent_kind kind, uint64_t since_ns)
{
	uint64_t passed_ns = pe_clock_ns() - since_ns;

	for (size_t i = 0; i < n; i++)
		pe_spending_add(&worker->costs[cells[i]->benchmark], kind, 1, 0, passed_ns / n);
}

static int warm_up(struct pe_run *run, struct pe_engine_worker *worker, struct pe_cell *cell)
{
	const struct pe_benchmark *benchmark = pe_engine_benchmark(worker->engine, cell);
	uint64_t since_ns = pe_clock_ns();

	cell->warm = true;
	for (unsigned i = 0;
	     run->outcome == PE_MEASURED && i < benchmark->warmup && !pe_engine_interrupted(worker);
	     i++) {
		pe_engine_report(worker, PE_PROGRESS_WARMUP, cell, i, benchmark->warmup);
		worker->count->sequence++;
		PE_TRY(pe_runner_run(run, worker->runner, benchmark,
				     pe_engine_tree(worker->engine, cell), &worker->scratch,
				     worker->err));
		pe_engine_spend(worker, &cell, 1, PE_SPENT_WARMUP, since_ns);
		since_ns = pe_clock_ns();
	}
	/* Its own run finds it, too, and makes it the commit's own again. */
	if (run->foreign)
		run->outcome = PE_MEASURED;
	return PE_OK;
}

/* Setup, and warm-ups before timed runs: a run that counts has no use for a warm cache. */
static int make_ready(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n)
{
	struct pe_cell *cell = cells[0];
	struct pe_engine_program *program = cell->program;
	struct pe_run run = {.kind = PE_RUN_TIMED, .outcome = PE_MEASURED};
	uint64_t since_ns = pe_clock_ns();

	if (!program->ready) {
		int rc = pe_runner_set_up(
			&run, worker->runner, pe_engine_benchmark(worker->engine, cell),
			pe_engine_tree(worker->engine, cell), &worker->scratch, worker->err);

		pe_engine_spend(worker, &cell, 1, PE_SPENT_READY, since_ns);
		program->left_behind = run.left_behind;
		run.left_behind = 0;
		program->ready = true;
		PE_TRY(rc);
	}
	if (program->of != NULL)
		return pe_engine_ready_suite(worker, cells, n, &run);
	if (run.outcome == PE_MEASURED && worker->kind == PE_RUN_TIMED && !cell->warm)
		PE_TRY(warm_up(&run, worker, cell));
	return run.outcome != PE_MEASURED ? pe_engine_keep_failure(worker, cell, &run) : PE_OK;
}

int pe_engine_renew(bool *renewed, struct pe_engine_worker *worker, struct pe_cell *const *cells,
		    size_t n, bool whole)
{
	struct pe_cell *cell = cells[0];

	*renewed = false;
	/* Beside others what another commit left stays: the run fails, and is made alone later. */
	if (worker->beside != NULL ||
	    (!whole && pe_engine_benchmark(worker->engine, cell)->setup.n == 0))
		return PE_OK;
	if (whole)
		PE_TRY(pe_engine_rebuild(renewed, worker->engine, cell->revision));
	else
		PE_TRY(pe_engine_clean_up_cell(PE_OK, worker->engine, cell));
	*renewed |= !whole;
	if (*renewed)
		PE_TRY(make_ready(worker, cells, n));
	*renewed &= !cell->failed;
	return PE_OK;
}

/*
 * One run. What another commit left outside of the trees since this one was set up and built is made anew by the commands
 * of this one: first by its setup, and where that is not enough by its build.
 */
static int run_own(struct pe_run *run, struct pe_engine_worker *worker,
		   struct pe_cell *const *cells, size_t n)
{
	const struct pe_benchmark *benchmark = pe_engine_benchmark(worker->engine, cells[0]);
	bool renewed = true;

	for (int tries = 0; tries < 3; tries++) {
		if (tries > 0)
			PE_TRY(pe_engine_renew(&renewed, worker, cells, n, tries == 2));
		if (renewed)
			PE_TRY(pe_runner_run(run, worker->runner, benchmark,
					     pe_engine_tree(worker->engine, cells[0]),
					     &worker->scratch, worker->err));
		if (!run->foreign || cells[0]->failed)
			break;
	}
	return PE_OK;
}

static int measure_cell(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n)
{
	struct pe_cell *cell = cells[0];
	struct pe_run run = {.kind = worker->kind,
			     .round = worker->round,
			     .simulate = worker->round < cell->simulated_rounds};
	uint64_t since_ns = pe_clock_ns();

	/* Its revision was built again since. */
	if (!cell->program->ready)
		PE_TRY(make_ready(worker, cells, n));
	if (!pe_engine_wants(cell, worker->kind, worker->round))
		return PE_OK;
	if (cell->program->of != NULL && worker->kind == PE_RUN_TIMED)
		return pe_engine_measure_suite(worker, cells, n);
	pe_engine_report(worker, worker->engine->to_count > 0 ? PE_PROGRESS_COUNT : PE_PROGRESS_RUN,
			 cell, worker->round,
			 worker->kind == PE_RUN_TIMED ? cell->rounds : cell->counted_rounds);
	PE_TRY(run_own(&run, worker, cells, n));
	/* Its setup failed the second time, which is stored. */
	if (cell->failed)
		return PE_OK;
	run.sequence = worker->count->sequence++;
	PE_TRY(pe_engine_keep(worker, cell, &run));
	pe_engine_spend(worker, &cell, 1,
			pe_runner_spent_kind(worker->runner,
					     pe_engine_benchmark(worker->engine, cell), &run),
			since_ns);
	return PE_OK;
}

/* The cell that is visited comes first, those that have their turn later behind it. */
typedef int (*visit_fn)(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n);

static int visit_all(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n,
		     visit_fn visit)
{
	for (size_t i = 0; i < n; i++) {
		int rc;

		if (!pe_engine_wants(cells[i], worker->kind, worker->round))
			continue;
		if (pe_engine_interrupted(worker))
			return pe_fail(worker->err, PE_ESTOPPED, "stopped");
		rc = visit(worker, &cells[i], n - i);
		pe_arena_release(&worker->scratch);
		PE_TRY(rc);
	}
	return PE_OK;
}

int pe_engine_ready_cells(struct pe_engine_worker *worker, enum pe_run_kind kind, unsigned round,
			  struct pe_cell *const *cells, size_t n)
{
	worker->kind = kind;
	worker->round = round;
	return visit_all(worker, cells, n, make_ready);
}

/* All warm-ups of the cells that come next, then the round itself: no run follows a build or a setup. */
int pe_engine_run_cells(struct pe_engine_worker *worker, enum pe_run_kind kind, unsigned round,
			struct pe_cell *const *cells, size_t n)
{
	PE_TRY(pe_engine_ready_cells(worker, kind, round, cells, n));
	return visit_all(worker, cells, n, measure_cell);
}

int pe_engine_clean_up_cell(int rc, struct pe_engine *engine, struct pe_cell *cell)
{
	struct pe_engine_worker *own = &engine->own;
	uint64_t since_ns = pe_clock_ns();

	if (!cell->program->ready)
		return rc;
	rc = pe_runner_clean_up(rc, own->runner, pe_engine_benchmark(engine, cell),
				pe_engine_tree(engine, cell), &own->scratch, own->err);
	/* Of the set-up that it ends. */
	own->costs[cell->benchmark].of[PE_SPENT_READY].seconds +=
		(double)(pe_clock_ns() - since_ns) / 1e9;
	cell->program->ready = cell->warm = false;
	pe_arena_release(&own->scratch);
	return rc;
}
