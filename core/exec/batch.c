#include "core/exec/batch_internal.h"

#include "core/base/clock.h"

size_t pe_grid_cell_missing(const struct pe_grid_cell *cell)
{
	size_t missing = 0;

	for (unsigned i = 0; !cell->failed && i < cell->rounds; i++)
		missing += !cell->timed[i];
	for (unsigned i = 0; !cell->failed && !cell->not_counted && i < cell->counted_rounds; i++)
		missing += !cell->counted[i];
	return missing;
}

const struct pe_benchmark *pe_batch_benchmark(const struct pe_batch_pass *pass,
					      const struct pe_grid_cell *cell)
{
	return pass->benchmarks[cell->benchmark];
}

const char *pe_batch_tree(const struct pe_batch_pass *pass, const struct pe_grid_cell *cell)
{
	return pass->revisions[cell->revision].tree;
}

void pe_batch_report(const struct pe_batch_pass *pass, enum pe_progress_phase phase,
		     const struct pe_grid_cell *cell, size_t round, size_t rounds)
{
	const struct pe_benchmark *benchmark = pe_batch_benchmark(pass, cell);
	const size_t total = pass->count->open ? 0 : pass->count->total;

	struct pe_progress_event event = {
		.phase = phase,
		.done = phase == PE_PROGRESS_COUNT ? pass->counted : pass->count->done,
		.total = phase == PE_PROGRESS_COUNT ? pass->to_count : total,
		.revision = pass->revisions[cell->revision].id,
		.subject = pass->revisions[cell->revision].subject,
		.commit = pass->revisions[cell->revision].place,
		.commits = pass->n_places,
		.benchmark = benchmark->suite != NULL ? benchmark->suite->name : benchmark->name,
		.round = round,
		.rounds = rounds,
	};

	if (pass->progress != NULL && pass->progress->report != NULL)
		pass->progress->report(&event, pass->progress->payload);
}

bool pe_batch_interrupted(const struct pe_batch_pass *pass)
{
	return pass->runner->interrupts != NULL && *pass->runner->interrupts > 0;
}

/* A command whose file no later commit has, either, is wrong: that stays a failure. */
static void mark_younger(struct pe_run *run, const struct pe_batch_pass *pass, struct pe_cell at)
{
	const struct pe_sink *sink = pass->sink;

	if ((run->outcome == PE_EXIT_WRONG || run->outcome == PE_NOT_STARTED) &&
	    run->missing != NULL && sink->is_younger != NULL &&
	    sink->is_younger(at, run->missing, sink->payload))
		run->outcome = PE_ABSENT;
}

int pe_batch_keep(struct pe_batch_pass *pass, struct pe_grid_cell *cell, struct pe_run *run,
		  struct pe_err *err)
{
	struct pe_cell at = {cell->revision, cell->benchmark};
	size_t before = pe_grid_cell_missing(cell);

	mark_younger(run, pass, at);
	run->left_behind += cell->suite != NULL ? cell->suite->left_behind : cell->left_behind;
	pe_runner_explain_left(run, &pass->scratch);

	PE_TRY(pass->sink->run(at, run, pass->sink->payload, err));
	if (run->kind == PE_RUN_TIMED) {
		cell->timed[run->round] = true;
		cell->failed = cell->failed || run->outcome != PE_MEASURED;
		cell->absent = cell->absent || run->outcome == PE_ABSENT;
	} else {
		cell->counted[run->round] = true;
		cell->not_counted = cell->not_counted || run->outcome != PE_MEASURED;
	}
	/* A failure takes what the cell still wanted off the list. */
	pass->count->done += before - pe_grid_cell_missing(cell);
	return PE_OK;
}

/*
 * What fails before the first run is stored in place of the cell's first missing one: of a timed one where one is wanted,
 * for without what failed there is none either.
 */
int pe_batch_keep_failure(struct pe_batch_pass *pass, struct pe_grid_cell *cell, struct pe_run *run,
			  enum pe_run_kind kind, unsigned round, struct pe_err *err)
{
	int rc;

	for (unsigned i = cell->rounds; kind == PE_RUN_COUNTED && i-- > 0;)
		if (!cell->timed[i]) {
			kind = PE_RUN_TIMED;
			round = i;
		}
	run->kind = kind;
	run->round = round;
	run->sequence = pass->count->sequence;
	run->n_samples = 0;
	rc = pe_batch_keep(pass, cell, run, err);
	cell->failed = true;
	return rc;
}

void pe_batch_spend(struct pe_batch_pass *pass, struct pe_grid_cell *const *cells, size_t n,
		    enum pe_spent_kind kind, uint64_t since_ns)
{
	uint64_t passed_ns = pe_clock_ns() - since_ns;

	for (size_t i = 0; pass->costs != NULL && i < n; i++)
		pe_spending_add(&pass->costs[cells[i]->benchmark], kind, 1, 0, passed_ns / n);
}

static int warm_up(struct pe_run *run, struct pe_batch_pass *pass, struct pe_grid_cell *cell,
		   struct pe_err *err)
{
	const struct pe_benchmark *benchmark = pe_batch_benchmark(pass, cell);
	uint64_t since_ns = pe_clock_ns();
	int rc = PE_OK;

	cell->warm = true;
	for (unsigned i = 0; rc == PE_OK && run->outcome == PE_MEASURED && i < benchmark->warmup &&
			     !pe_batch_interrupted(pass);
	     i++) {
		pe_batch_report(pass, PE_PROGRESS_WARMUP, cell, i, benchmark->warmup);
		pass->count->sequence++;
		rc = pe_runner_run(run, pass->runner, benchmark, pe_batch_tree(pass, cell),
				   &pass->scratch, err);
		pe_batch_spend(pass, &cell, 1, PE_SPENT_WARMUP, since_ns);
		since_ns = pe_clock_ns();
	}
	/* Its own run finds it, too, and makes it the commit's own again. */
	if (run->foreign)
		run->outcome = PE_MEASURED;
	return rc;
}

/* Setup, and warm-ups before timed runs: a run that counts has no use for a warm cache. */
static int make_ready(struct pe_batch_pass *pass, struct pe_grid_cell *const *cells, size_t n,
		      enum pe_run_kind kind, unsigned round, struct pe_err *err)
{
	struct pe_grid_cell *cell = cells[0];
	struct pe_run run = {.kind = PE_RUN_TIMED, .outcome = PE_MEASURED};
	uint64_t since_ns = pe_clock_ns();
	int rc = PE_OK;

	if (cell->suite != NULL) {
		rc = pe_batch_ready_suite(pass, cells, n, kind, round, err);
		pe_batch_spend(pass, cells, 1, PE_SPENT_READY, since_ns);
		return rc;
	}
	if (!cell->ready) {
		rc = pe_runner_set_up(&run, pass->runner, pe_batch_benchmark(pass, cell),
				      pe_batch_tree(pass, cell), &pass->scratch, err);
		pe_batch_spend(pass, &cell, 1, PE_SPENT_READY, since_ns);
		cell->left_behind = run.left_behind;
		run.left_behind = 0;
	}
	cell->ready = true;
	if (rc == PE_OK && run.outcome == PE_MEASURED && kind == PE_RUN_TIMED && !cell->warm)
		rc = warm_up(&run, pass, cell, err);
	return rc == PE_OK && run.outcome != PE_MEASURED
		       ? pe_batch_keep_failure(pass, cell, &run, kind, round, err)
		       : rc;
}

bool pe_batch_wants(const struct pe_grid_cell *cell, enum pe_run_kind kind, unsigned round)
{
	if (cell->failed)
		return false;
	if (kind == PE_RUN_TIMED)
		return round < cell->rounds && !cell->timed[round];
	return !cell->not_counted && round < cell->counted_rounds && !cell->counted[round];
}

int pe_batch_renew(bool *renewed, struct pe_batch_pass *pass, struct pe_grid_cell *const *cells,
		   size_t n, enum pe_run_kind kind, unsigned round, bool whole, struct pe_err *err)
{
	struct pe_grid_cell *cell = cells[0];
	int rc = PE_OK;

	*renewed = false;
	if (pass->rebuild == NULL || (!whole && pe_batch_benchmark(pass, cell)->setup.n == 0))
		return PE_OK;
	if (whole)
		rc = pass->rebuild(renewed, cell->revision, pass->rebuild_payload, err);
	else
		rc = pe_batch_clean_up(rc, pass, cell, err);
	*renewed |= !whole;
	if (rc == PE_OK && *renewed)
		rc = make_ready(pass, cells, n, kind, round, err);
	*renewed &= !cell->failed;
	return rc;
}

/*
 * One run. What another commit left outside of the trees since this one was set up and built is made anew by the commands
 * of this one: first by its setup, and where that is not enough by its build.
 */
static int run_own(struct pe_run *run, struct pe_batch_pass *pass,
		   struct pe_grid_cell *const *cells, size_t n, enum pe_run_kind kind,
		   unsigned round, struct pe_err *err)
{
	const struct pe_benchmark *benchmark = pe_batch_benchmark(pass, cells[0]);
	bool renewed = true;
	int rc = PE_OK;

	for (int tries = 0; rc == PE_OK && tries < 3; tries++) {
		if (tries > 0)
			rc = pe_batch_renew(&renewed, pass, cells, n, kind, round, tries == 2, err);
		if (rc == PE_OK && renewed)
			rc = pe_runner_run(run, pass->runner, benchmark,
					   pe_batch_tree(pass, cells[0]), &pass->scratch, err);
		if (!run->foreign || cells[0]->failed)
			break;
	}
	return rc;
}

static int measure_cell(struct pe_batch_pass *pass, struct pe_grid_cell *const *cells, size_t n,
			enum pe_run_kind kind, unsigned round, struct pe_err *err)
{
	struct pe_grid_cell *cell = cells[0];
	struct pe_run run = {
		.kind = kind, .round = round, .simulate = round < cell->simulated_rounds};
	uint64_t since_ns = pe_clock_ns();
	int rc = PE_OK;

	/* Its revision was built again since. */
	if (!(cell->suite != NULL ? cell->suite->ready : cell->ready))
		rc = make_ready(pass, cells, n, kind, round, err);
	if (rc != PE_OK || !pe_batch_wants(cell, kind, round))
		return rc;
	if (cell->suite != NULL && kind == PE_RUN_TIMED)
		return pe_batch_measure_suite(pass, cells, n, round, err);
	pe_batch_report(pass, pass->to_count > 0 ? PE_PROGRESS_COUNT : PE_PROGRESS_RUN, cell, round,
			kind == PE_RUN_TIMED ? cell->rounds : cell->counted_rounds);
	rc = run_own(&run, pass, cells, n, kind, round, err);
	/* Its setup failed the second time, which is stored. */
	if (rc != PE_OK || cell->failed)
		return rc;
	run.sequence = pass->count->sequence++;
	rc = pe_batch_keep(pass, cell, &run, err);
	pass->counted += kind == PE_RUN_COUNTED;
	pe_batch_spend(pass, &cell, 1,
		       pe_runner_spent_kind(pass->runner, pe_batch_benchmark(pass, cell), &run),
		       since_ns);
	return rc;
}

/* The cell that is visited comes first, those that have their turn later behind it. */
typedef int (*visit_fn)(struct pe_batch_pass *pass, struct pe_grid_cell *const *cells, size_t n,
			enum pe_run_kind kind, unsigned round, struct pe_err *err);

static int visit_all(struct pe_batch_pass *pass, struct pe_grid_cell *const *cells, size_t n,
		     enum pe_run_kind kind, unsigned round, visit_fn visit, struct pe_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int rc;

		if (!pe_batch_wants(cells[i], kind, round))
			continue;
		if (pe_batch_interrupted(pass))
			return pe_fail(err, PE_ESTOPPED, "stopped");
		rc = visit(pass, &cells[i], n - i, kind, round, err);
		pe_arena_release(&pass->scratch);
		if (rc != PE_OK)
			return rc;
	}
	return PE_OK;
}

int pe_batch_ready(struct pe_batch_pass *pass, enum pe_run_kind kind, unsigned round,
		   struct pe_grid_cell *const *cells, size_t n, struct pe_err *err)
{
	return visit_all(pass, cells, n, kind, round, make_ready, err);
}

/* All warm-ups of the cells that come next, then the round itself: no run follows a build or a setup. */
int pe_batch_round(struct pe_batch_pass *pass, enum pe_run_kind kind, unsigned round,
		   struct pe_grid_cell *const *cells, size_t n, struct pe_err *err)
{
	PE_TRY(pe_batch_ready(pass, kind, round, cells, n, err));
	return visit_all(pass, cells, n, kind, round, measure_cell, err);
}

int pe_batch_clean_up(int rc, struct pe_batch_pass *pass, struct pe_grid_cell *cell,
		      struct pe_err *err)
{
	bool *ready = cell->suite != NULL ? &cell->suite->ready : &cell->ready;
	uint64_t since_ns = pe_clock_ns();

	if (!*ready)
		return rc;
	rc = pe_runner_clean_up(rc, pass->runner, pe_batch_benchmark(pass, cell),
				pe_batch_tree(pass, cell), &pass->scratch, err);
	/* Of the set-up that it ends. */
	if (pass->costs != NULL)
		pass->costs[cell->benchmark].of[PE_SPENT_READY].seconds +=
			(double)(pe_clock_ns() - since_ns) / 1e9;
	*ready = cell->warm = false;
	pe_arena_release(&pass->scratch);
	return rc;
}
