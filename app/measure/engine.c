#include "app/measure/engine.h"

#include "core/base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One value of a run, in the order (workload, revision, round), as the store gives them; names are its own. */
struct reading {
	size_t cell;
	unsigned round;
	const char *metric;
	double value;
};

struct seat {
	struct pe_slot *slot; /* NULL: not seated */
	struct pe_build build;
	bool unbuildable, planned; /* planned: its cells are in the window's plan */
};

struct pe_remeasure {
	struct pe_session *session;
	struct pe_arena arena;
	struct pe_grid grid; /* its cells: all pairs of a seated revision and a workload */
	struct pe_window_pass pass;
	struct pe_sink sink;
	int64_t window;
	const struct pe_session_revision **revisions;
	int64_t *workload_keys;
	struct seat *seats; /* by position in the revisions, as all of the grid */
	enum pe_role *roles;
	unsigned rounds;
	PE_VEC(struct reading) readings;
	size_t runs, expected;
};

/* --- Building --- */

static int build_one(struct pe_remeasure *fresh, size_t r)
{
	struct pe_session *session = fresh->session;
	struct seat *seat = &fresh->seats[r];
	struct pe_slot *slot;
	int rc;

	if (seat->slot != NULL || seat->unbuildable)
		return PE_OK;
	if (*session->app->interrupts > 0)
		return pe_fail(session->app->err, PE_ESTOPPED, "stopped while building");
	rc = pe_session_build(&slot, &seat->build, session, fresh->revisions[r]);
	if (rc != PE_OK || slot == NULL)
		return rc;
	if (seat->build.outcome != PE_MEASURED) {
		seat->unbuildable = true;
		pe_trouble_add_build(&session->troubles, fresh->revisions[r]->revision,
				     &seat->build, session->arena);
		return PE_OK;
	}
	seat->slot = slot;
	fresh->grid.revisions[r].tree = slot->tree;
	return PE_OK;
}

/* --- The window and what is in it already --- */

static size_t cell_at(const struct pe_remeasure *fresh, size_t revision, size_t workload)
{
	return revision * fresh->grid.n_workloads + workload;
}

static size_t find_cell(const struct pe_remeasure *fresh, int64_t revision, int64_t workload)
{
	for (size_t r = 0; r < fresh->grid.n_revisions; r++)
		for (size_t w = 0; w < fresh->grid.n_workloads; w++)
			if (fresh->revisions[r]->key == revision &&
			    fresh->workload_keys[w] == workload)
				return cell_at(fresh, r, w);
	return SIZE_MAX;
}

static void lay_out(struct pe_remeasure *fresh)
{
	struct pe_grid *grid = &fresh->grid;

	grid->n_cells = grid->n_revisions * grid->n_workloads;
	grid->cells = pe_arena_new(&fresh->arena, struct pe_grid_cell, grid->n_cells);
	for (size_t i = 0; i < grid->n_cells; i++)
		grid->cells[i] = (struct pe_grid_cell){.revision = i / grid->n_workloads,
						       .workload = i % grid->n_workloads};
}

/* A cell that is in the window's plan can be run in it. */
static void enable(struct pe_remeasure *fresh, size_t cell, unsigned rounds)
{
	struct pe_grid_cell *at = &fresh->grid.cells[cell];

	at->rounds = rounds;
	at->timed = pe_arena_new(&fresh->arena, bool, rounds);
	if (fresh->grid.workloads[at->workload]->count_allocations &&
	    fresh->session->runner.alloc_library != NULL) {
		at->allocation_rounds =
			rounds > PE_ALLOCATION_ROUNDS_NOISY ? rounds : PE_ALLOCATION_ROUNDS_NOISY;
		at->counted = pe_arena_new(&fresh->arena, bool, at->allocation_rounds);
	}
}

static uint64_t new_seed(void)
{
	const char *fixed = getenv("PERFEVO_SEED");

	return fixed != NULL ? strtoull(fixed, NULL, 10) : pe_clock_ns();
}

/* Cells of seated revisions that are in no plan yet: what never can run has none. */
static size_t plan_cells(struct pe_window_cell *out, struct pe_remeasure *fresh)
{
	size_t n = 0;

	for (size_t r = 0; r < fresh->grid.n_revisions; r++) {
		if (fresh->seats[r].slot == NULL || fresh->seats[r].planned)
			continue;
		for (size_t w = 0; w < fresh->grid.n_workloads; w++) {
			out[n++] = (struct pe_window_cell){
				.revision = fresh->revisions[r]->key,
				.workload = fresh->workload_keys[w],
				.role = fresh->roles != NULL ? fresh->roles[r] : PE_ROLE_NEW,
				.rounds = fresh->rounds,
			};
			enable(fresh, cell_at(fresh, r, w), fresh->rounds);
		}
		fresh->seats[r].planned = true;
	}
	return n;
}

static int put_window(struct pe_remeasure *fresh, bool aside)
{
	struct pe_session *session = fresh->session;
	struct pe_window window = {
		.machine = session->machine_key,
		.created_s = pe_clock_now_s(),
		.seed = new_seed(),
		.open = true,
		.aside = aside,
		.conditions = session->conditions,
	};
	int rc;

	window.cells = pe_realloc(NULL, fresh->grid.n_cells + 1, sizeof(*window.cells));
	window.n_cells = plan_cells(window.cells, fresh);
	rc = pe_store_put_window(session->app->store, &window, session->app->err);
	fresh->window = window.key;
	fresh->grid.seed = window.seed;
	free(window.cells);
	return rc;
}

static int extend_window(struct pe_remeasure *fresh)
{
	struct pe_app *app = fresh->session->app;
	struct pe_window_cell *cells = pe_realloc(NULL, fresh->grid.n_cells + 1, sizeof(*cells));
	size_t n = plan_cells(cells, fresh);
	int rc = n > 0 ? pe_store_extend_window(app->store, fresh->window, cells, n, app->err)
		       : PE_OK;

	free(cells);
	return rc;
}

/* Cells that are not in a window's plan cannot be run in it: they have no rounds. */
static void follow_plan(struct pe_remeasure *fresh, const struct pe_window *window)
{
	for (size_t i = 0; i < window->n_cells; i++) {
		size_t at = find_cell(fresh, window->cells[i].revision, window->cells[i].workload);

		if (at == SIZE_MAX)
			continue;
		enable(fresh, at, window->cells[i].rounds);
		fresh->seats[at / fresh->grid.n_workloads].planned = true;
	}
}

/* A run that an earlier session made in the window. */
static void mark_run(struct pe_grid_cell *cell, const struct pe_run_mark *run)
{
	bool failed = run->outcome != PE_MEASURED;

	if (run->kind == PE_RUN_TIMED && run->round < cell->rounds) {
		cell->timed[run->round] = true;
		cell->failed |= failed;
	} else if (run->kind == PE_RUN_ALLOCATIONS && run->round < cell->allocation_rounds) {
		cell->counted[run->round] = true;
		cell->not_counted |= failed;
	}
}

/* A window that was opened before: its own number of rounds, and its runs. */
static int take_up(struct pe_remeasure *fresh, int64_t key)
{
	struct pe_app *app = fresh->session->app;
	struct pe_window window;
	struct pe_run_mark *marks;
	struct pe_window_value *values;
	size_t n;
	int rc = pe_store_get_window(&window, app->store, key, &fresh->arena, app->err);

	if (rc == PE_ENOTFOUND)
		return pe_fail(app->err, PE_ENOTFOUND, "there is no window with key %lld",
			       (long long)key);
	if (rc != PE_OK)
		return rc;
	fresh->window = key;
	fresh->grid.seed = window.seed;
	follow_plan(fresh, &window);
	rc = pe_store_window_runs(&marks, &n, app->store, key, &fresh->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		size_t at = find_cell(fresh, marks[i].revision, marks[i].workload);

		if (at != SIZE_MAX)
			mark_run(&fresh->grid.cells[at], &marks[i]);
	}
	if (rc == PE_OK)
		rc = pe_store_window_values(&values, &n, app->store, key, &fresh->arena, app->err);
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		size_t at = find_cell(fresh, values[i].revision, values[i].workload);

		if (at != SIZE_MAX)
			pe_vec_push(&fresh->readings,
				    (struct reading){at, values[i].round, values[i].metric,
						     values[i].value});
	}
	return rc;
}

/* --- Running --- */

static int keep_run(struct pe_cell cell, const struct pe_run *run, void *payload,
		    struct pe_err *err)
{
	struct pe_remeasure *fresh = payload;
	const struct pe_session_revision *revision = fresh->revisions[cell.revision];
	const struct pe_workload *workload = fresh->grid.workloads[cell.workload];
	int rc = pe_store_put_run(fresh->session->app->store, fresh->window, revision->key,
				  fresh->workload_keys[cell.workload], run, err);

	if (rc != PE_OK)
		return rc;
	fresh->runs++;
	pe_trouble_add_run(&fresh->session->troubles, revision->revision, workload->name, run,
			   fresh->session->arena);
	for (size_t i = 0; i < run->n_samples; i++)
		pe_vec_push(&fresh->readings,
			    (struct reading){cell_at(fresh, cell.revision, cell.workload),
					     run->round, run->samples[i].metric->name,
					     run->samples[i].value});
	return PE_OK;
}

static void take_revisions(struct pe_remeasure *fresh, const size_t *revisions, size_t n)
{
	struct pe_session *session = fresh->session;

	fresh->seats = pe_arena_new(&fresh->arena, struct seat, n);
	fresh->revisions = pe_arena_new(&fresh->arena, const struct pe_session_revision *, n);
	fresh->grid.revisions = pe_arena_new(&fresh->arena, struct pe_grid_revision, n);
	fresh->grid.n_revisions = n;
	for (size_t i = 0; i < n; i++) {
		fresh->revisions[i] = &session->revisions[revisions[i]];
		fresh->grid.revisions[i] = (struct pe_grid_revision){
			.id = fresh->revisions[i]->revision->id,
			.subject = fresh->revisions[i]->revision->subject,
		};
	}
}

static struct pe_remeasure *new_remeasure(struct pe_session *session, const size_t *revisions,
					  size_t n_revisions, const size_t *workloads,
					  size_t n_workloads, const struct pe_remeasure_opts *opts)
{
	struct pe_remeasure *fresh = pe_realloc(NULL, 1, sizeof(*fresh));

	*fresh = (struct pe_remeasure){
		.session = session, .arena = PE_ARENA_INIT, .rounds = opts->rounds};
	if (opts->roles != NULL) {
		fresh->roles = pe_arena_new(&fresh->arena, enum pe_role, n_revisions);
		memcpy(fresh->roles, opts->roles, n_revisions * sizeof(*fresh->roles));
	}
	take_revisions(fresh, revisions, n_revisions);
	fresh->grid.workloads =
		pe_arena_new(&fresh->arena, const struct pe_workload *, n_workloads);
	fresh->workload_keys = pe_arena_new(&fresh->arena, int64_t, n_workloads);
	fresh->grid.n_workloads = n_workloads;
	for (size_t w = 0; w < n_workloads; w++) {
		fresh->grid.workloads[w] = session->workloads.data[workloads[w]].workload;
		fresh->workload_keys[w] = session->workloads.data[workloads[w]].key;
	}
	fresh->sink = (struct pe_sink){.run = keep_run, .payload = fresh};
	fresh->pass = (struct pe_window_pass){
		.grid = &fresh->grid,
		.runner = &session->runner,
		.sink = &fresh->sink,
		.progress = &session->app->progress,
		.count = &session->count,
		.scratch = PE_ARENA_INIT,
	};
	return fresh;
}

static void free_remeasure(struct pe_remeasure *fresh)
{
	pe_slots_release(&fresh->session->slots);
	pe_vec_release(&fresh->readings);
	pe_arena_release(&fresh->pass.scratch);
	pe_arena_release(&fresh->arena);
	free(fresh);
}

int pe_remeasure_open(struct pe_remeasure **out, struct pe_session *session,
		      const size_t *revisions, size_t n_revisions, const size_t *workloads,
		      size_t n_workloads, const struct pe_remeasure_opts *opts)
{
	struct pe_remeasure *fresh =
		new_remeasure(session, revisions, n_revisions, workloads, n_workloads, opts);
	int rc = PE_OK;

	*out = NULL;
	pe_slots_release(&session->slots);
	lay_out(fresh);
	for (size_t r = 0; rc == PE_OK && !opts->lazy && r < n_revisions; r++)
		rc = build_one(fresh, r);
	if (rc == PE_OK)
		rc = opts->window != 0 ? take_up(fresh, opts->window)
				       : put_window(fresh, opts->aside);
	if (rc != PE_OK) {
		free_remeasure(fresh);
		return rc;
	}
	fresh->expected = opts->expected;
	session->count.total += fresh->expected;
	*out = fresh;
	return PE_OK;
}

/* Those who go: their slots may hold others from now on, and their cells begin anew when they come back. */
static int unseat(struct pe_remeasure *fresh, const size_t *which, size_t n)
{
	size_t width = fresh->grid.n_workloads;
	bool *stays = pe_realloc(NULL, fresh->grid.n_revisions + 1, sizeof(*stays));
	bool cleanups = false;
	int rc = PE_OK;

	memset(stays, 0, fresh->grid.n_revisions * sizeof(*stays));
	for (size_t i = 0; i < n; i++)
		stays[which[i]] = true;
	for (size_t w = 0; w < width; w++)
		cleanups |= fresh->grid.workloads[w]->cleanup.n > 0;
	if (cleanups)
		rc = pe_window_clean_up(rc, &fresh->pass, fresh->session->app->err);
	for (size_t r = 0; r < fresh->grid.n_revisions; r++) {
		if (fresh->seats[r].slot == NULL || stays[r])
			continue;
		fresh->seats[r].slot->held = false;
		fresh->seats[r].slot = NULL;
		for (size_t w = 0; w < width; w++)
			fresh->grid.cells[cell_at(fresh, r, w)].ready =
				fresh->grid.cells[cell_at(fresh, r, w)].warm = false;
	}
	free(stays);
	return rc;
}

int pe_remeasure_seat(struct pe_remeasure *fresh, const size_t *which, size_t n)
{
	int rc = unseat(fresh, which, n);

	for (size_t i = 0; rc == PE_OK && i < n; i++)
		rc = build_one(fresh, which[i]);
	return rc == PE_OK ? extend_window(fresh) : rc;
}

bool pe_remeasure_seated(const struct pe_remeasure *fresh, size_t i)
{
	return fresh->seats[i].slot != NULL;
}

bool pe_remeasure_unbuildable(const struct pe_remeasure *fresh, size_t i)
{
	return fresh->seats[i].unbuildable;
}

const struct pe_slot *pe_remeasure_slot(const struct pe_remeasure *fresh, size_t i,
					const struct pe_build **build)
{
	*build = &fresh->seats[i].build;
	return fresh->seats[i].slot;
}

int64_t pe_remeasure_window(const struct pe_remeasure *fresh)
{
	return fresh->window;
}

uint64_t pe_remeasure_seed(const struct pe_remeasure *fresh)
{
	return fresh->grid.seed;
}

size_t pe_remeasure_runs(const struct pe_remeasure *fresh)
{
	return fresh->runs;
}

static size_t index_of(const struct pe_remeasure *fresh, struct pe_remeasure_cell cell)
{
	return cell_at(fresh, cell.revision, cell.workload);
}

bool pe_remeasure_failed(const struct pe_remeasure *fresh, struct pe_remeasure_cell cell)
{
	return fresh->grid.cells[index_of(fresh, cell)].failed;
}

static int visit(struct pe_remeasure *fresh, enum pe_run_kind kind, unsigned round,
		 const struct pe_remeasure_cell *cells, size_t n)
{
	struct pe_session_count *count = &fresh->session->count;
	size_t *at = pe_realloc(NULL, n + 1, sizeof(*at));
	size_t runs = fresh->runs, done = count->done, seated = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		if (pe_remeasure_seated(fresh, cells[i].revision))
			at[seated++] = index_of(fresh, cells[i]);
	if (count->total < count->done + n)
		count->total = count->done + n;
	rc = pe_window_round(&fresh->pass, kind, round, at, seated, fresh->session->app->err);
	/* A window that knows its plan counts what a failure takes off it; here nobody knows how much. */
	count->done = done + (fresh->runs - runs);
	free(at);
	return rc;
}

int pe_remeasure_round(struct pe_remeasure *fresh, unsigned round,
		       const struct pe_remeasure_cell *cells, size_t n)
{
	return visit(fresh, PE_RUN_TIMED, round, cells, n);
}

int pe_remeasure_count(struct pe_remeasure *fresh, unsigned round,
		       const struct pe_remeasure_cell *cells, size_t n)
{
	return visit(fresh, PE_RUN_ALLOCATIONS, round, cells, n);
}

double pe_remeasure_value(const struct pe_remeasure *fresh, struct pe_remeasure_cell cell,
			  unsigned round, const char *metric)
{
	size_t at = index_of(fresh, cell);

	/* The latest first: what is asked for was most often just run. */
	for (size_t i = fresh->readings.n; i-- > 0;) {
		const struct reading *one = &fresh->readings.data[i];

		if (one->cell == at && one->round == round && strcmp(one->metric, metric) == 0)
			return one->value;
	}
	return NAN;
}

int pe_remeasure_close(struct pe_remeasure *fresh, bool finished)
{
	struct pe_session *session;
	struct pe_err later = PE_ERR_INIT;
	bool before;
	int rc;

	if (fresh == NULL)
		return PE_OK;
	session = fresh->session;
	/* What failed before is what the user is told; the cleanup's own failure only where there is none. */
	before = session->app->err->code != PE_OK;
	rc = pe_window_clean_up(PE_OK, &fresh->pass, before ? &later : session->app->err);
	if (rc == PE_OK && finished)
		rc = pe_store_close_window(session->app->store, fresh->window,
					   before ? &later : session->app->err);
	/* What was expected and not needed is no part of the whole any more. */
	if (fresh->runs < fresh->expected && session->count.total > session->count.done)
		session->count.total -= fresh->expected - fresh->runs;
	if (session->count.total < session->count.done)
		session->count.total = session->count.done;
	free_remeasure(fresh);
	return rc;
}
