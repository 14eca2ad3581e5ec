#include "cmd/remeasure.h"

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

struct pe_remeasure {
	struct pe_session *session;
	struct pe_arena arena;
	struct pe_grid grid; /* its cells: all pairs of a seated revision and a workload */
	struct pe_window_pass pass;
	struct pe_sink sink;
	int64_t window;
	const struct pe_session_revision **revisions; /* by the grid's index */
	int64_t *workload_keys;
	size_t *seat_of; /* by position in what was asked: the grid's index; SIZE_MAX: none */
	size_t n_asked;
	PE_VEC(struct reading) readings;
	size_t runs, expected;
};

/* --- Building --- */

static void seat_revision(struct pe_remeasure *fresh, size_t asked,
			  const struct pe_session_revision *revision, const char *tree)
{
	size_t at = fresh->grid.n_revisions++;

	fresh->seat_of[asked] = at;
	fresh->revisions[at] = revision;
	fresh->grid.revisions[at] = (struct pe_grid_revision){
		.id = revision->revision->id,
		.subject = revision->revision->subject,
		.tree = tree,
	};
}

static void note_unbuilt(struct pe_session *session, const struct pe_revision *revision,
			 const struct pe_build *build)
{
	pe_cmd_note(session->ctx, "%.10s %s: %s", revision->id, revision->subject,
		    pe_outcome_name(build->outcome));
}

static int build_all(struct pe_remeasure *fresh, const size_t *revisions, size_t n)
{
	struct pe_session *session = fresh->session;

	pe_slots_release(&session->slots);
	for (size_t i = 0; i < n; i++) {
		const struct pe_session_revision *revision = &session->revisions[revisions[i]];
		struct pe_slot *slot;
		struct pe_build build;
		int rc;

		if (*session->ctx->interrupts > 0)
			return pe_fail(session->ctx->err, PE_ESTOPPED, "stopped while building");
		rc = pe_session_build(&slot, &build, session, revision);
		if (rc != PE_OK)
			return rc;
		if (slot != NULL && build.outcome == PE_MEASURED)
			seat_revision(fresh, i, revision, slot->tree);
		else if (slot != NULL)
			note_unbuilt(session, revision->revision, &build);
	}
	return PE_OK;
}

/* --- The window and what is in it already --- */

static size_t cell_at(const struct pe_remeasure *fresh, size_t seat, size_t workload)
{
	return seat * fresh->grid.n_workloads + workload;
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

static void lay_out(struct pe_remeasure *fresh, unsigned rounds)
{
	struct pe_grid *grid = &fresh->grid;

	grid->n_cells = grid->n_revisions * grid->n_workloads;
	grid->cells = pe_arena_new(&fresh->arena, struct pe_grid_cell, grid->n_cells);
	for (size_t r = 0; r < grid->n_revisions; r++)
		for (size_t w = 0; w < grid->n_workloads; w++)
			grid->cells[cell_at(fresh, r, w)] = (struct pe_grid_cell){
				.revision = r,
				.workload = w,
				.rounds = rounds,
				.timed = pe_arena_new(&fresh->arena, bool, rounds),
			};
}

static uint64_t new_seed(void)
{
	const char *fixed = getenv("PERFEVO_SEED");

	return fixed != NULL ? strtoull(fixed, NULL, 10) : pe_clock_ns();
}

/* All cells that were asked for, those of unseated revisions left out: what never can run has no plan. */
static int put_window(struct pe_remeasure *fresh, const struct pe_remeasure_opts *opts)
{
	struct pe_session *session = fresh->session;
	struct pe_window window = {
		.machine = session->machine_key,
		.created_s = pe_clock_now_s(),
		.seed = new_seed(),
		.open = true,
		.aside = opts->aside,
		.conditions = session->conditions,
		.n_cells = fresh->grid.n_cells,
	};
	int rc;

	window.cells = pe_arena_new(&fresh->arena, struct pe_window_cell, window.n_cells);
	for (size_t asked = 0; asked < fresh->n_asked; asked++) {
		size_t seat = fresh->seat_of[asked];

		for (size_t w = 0; seat != SIZE_MAX && w < fresh->grid.n_workloads; w++)
			window.cells[cell_at(fresh, seat, w)] = (struct pe_window_cell){
				.revision = fresh->revisions[seat]->key,
				.workload = fresh->workload_keys[w],
				.role = opts->roles != NULL ? opts->roles[asked] : PE_ROLE_NEW,
				.rounds = opts->rounds,
			};
	}
	rc = pe_store_put_window(session->ctx->store, &window, session->ctx->err);
	fresh->window = window.key;
	fresh->grid.seed = window.seed;
	return rc;
}

/* Cells that are not in a window's plan cannot be run in it: they have no rounds. */
static void follow_plan(struct pe_remeasure *fresh, const struct pe_window *window)
{
	unsigned most = 0;

	for (size_t i = 0; i < window->n_cells; i++)
		most = window->cells[i].rounds > most ? window->cells[i].rounds : most;
	lay_out(fresh, most);
	for (size_t i = 0; i < fresh->grid.n_cells; i++)
		fresh->grid.cells[i].rounds = 0;
	for (size_t i = 0; i < window->n_cells; i++) {
		size_t at = find_cell(fresh, window->cells[i].revision, window->cells[i].workload);

		if (at != SIZE_MAX)
			fresh->grid.cells[at].rounds = window->cells[i].rounds;
	}
}

/* A window that was opened before: its own number of rounds, and its runs. */
static int take_up(struct pe_remeasure *fresh, int64_t key)
{
	struct pe_cmd_ctx *ctx = fresh->session->ctx;
	struct pe_window window;
	struct pe_run_mark *marks;
	struct pe_window_value *values;
	size_t n;
	int rc = pe_store_get_window(&window, ctx->store, key, &fresh->arena, ctx->err);

	if (rc == PE_ENOTFOUND)
		return pe_fail(ctx->err, PE_ENOTFOUND, "there is no window with key %lld",
			       (long long)key);
	if (rc != PE_OK)
		return rc;
	fresh->window = key;
	fresh->grid.seed = window.seed;
	follow_plan(fresh, &window);
	rc = pe_store_window_runs(&marks, &n, ctx->store, key, &fresh->arena, ctx->err);
	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		size_t at = find_cell(fresh, marks[i].revision, marks[i].workload);

		if (at == SIZE_MAX || marks[i].kind != PE_RUN_TIMED ||
		    marks[i].round >= fresh->grid.cells[at].rounds)
			continue;
		fresh->grid.cells[at].timed[marks[i].round] = true;
		fresh->grid.cells[at].failed |= marks[i].outcome != PE_MEASURED;
	}
	if (rc == PE_OK)
		rc = pe_store_window_values(&values, &n, ctx->store, key, &fresh->arena, ctx->err);
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
	int rc = pe_store_put_run(fresh->session->ctx->store, fresh->window, revision->key,
				  fresh->workload_keys[cell.workload], run, err);

	if (rc != PE_OK)
		return rc;
	fresh->runs++;
	if (run->outcome != PE_MEASURED)
		pe_cmd_note(fresh->session->ctx, "%.10s %s: %s", revision->revision->id,
			    workload->name, pe_outcome_name(run->outcome));
	for (size_t i = 0; i < run->n_samples; i++)
		pe_vec_push(&fresh->readings,
			    (struct reading){cell_at(fresh, cell.revision, cell.workload),
					     run->round, run->samples[i].metric->name,
					     run->samples[i].value});
	return PE_OK;
}

static struct pe_remeasure *new_remeasure(struct pe_session *session, size_t n_revisions,
					  const size_t *workloads, size_t n_workloads)
{
	struct pe_remeasure *fresh = pe_realloc(NULL, 1, sizeof(*fresh));

	*fresh = (struct pe_remeasure){
		.session = session, .arena = PE_ARENA_INIT, .n_asked = n_revisions};
	fresh->seat_of = pe_arena_new(&fresh->arena, size_t, n_revisions);
	for (size_t i = 0; i < n_revisions; i++)
		fresh->seat_of[i] = SIZE_MAX;
	fresh->revisions =
		pe_arena_new(&fresh->arena, const struct pe_session_revision *, n_revisions);
	fresh->grid.revisions = pe_arena_new(&fresh->arena, struct pe_grid_revision, n_revisions);
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
		.progress = &session->ctx->progress,
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
	struct pe_remeasure *fresh = new_remeasure(session, n_revisions, workloads, n_workloads);
	int rc = build_all(fresh, revisions, n_revisions);

	*out = NULL;
	if (rc == PE_OK && opts->window != 0) {
		rc = take_up(fresh, opts->window);
	} else if (rc == PE_OK) {
		lay_out(fresh, opts->rounds);
		rc = put_window(fresh, opts);
	}
	if (rc != PE_OK) {
		free_remeasure(fresh);
		return rc;
	}
	fresh->expected = opts->expected;
	session->count.total += fresh->expected;
	*out = fresh;
	return PE_OK;
}

bool pe_remeasure_seated(const struct pe_remeasure *fresh, size_t i)
{
	return fresh->seat_of[i] != SIZE_MAX;
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
	size_t seat = fresh->seat_of[cell.revision];

	return seat == SIZE_MAX ? SIZE_MAX : cell_at(fresh, seat, cell.workload);
}

bool pe_remeasure_failed(const struct pe_remeasure *fresh, struct pe_remeasure_cell cell)
{
	size_t at = index_of(fresh, cell);

	return at != SIZE_MAX && fresh->grid.cells[at].failed;
}

int pe_remeasure_round(struct pe_remeasure *fresh, unsigned round,
		       const struct pe_remeasure_cell *cells, size_t n)
{
	struct pe_session_count *count = &fresh->session->count;
	size_t *at = pe_realloc(NULL, n, sizeof(*at));
	size_t runs = fresh->runs, done = count->done, seated = 0;
	int rc;

	for (size_t i = 0; i < n; i++) {
		at[seated] = index_of(fresh, cells[i]);
		seated += at[seated] != SIZE_MAX;
	}
	if (count->total < count->done + n)
		count->total = count->done + n;
	rc = pe_window_round(&fresh->pass, PE_RUN_TIMED, round, at, seated,
			     fresh->session->ctx->err);
	/* A window that knows its plan counts what a failure takes off it; here nobody knows how much. */
	count->done = done + (fresh->runs - runs);
	free(at);
	return rc;
}

double pe_remeasure_value(const struct pe_remeasure *fresh, struct pe_remeasure_cell cell,
			  unsigned round, const char *metric)
{
	size_t at = index_of(fresh, cell);

	/* The latest first: what is asked for was most often just run. */
	for (size_t i = fresh->readings.n; at != SIZE_MAX && i-- > 0;) {
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
	before = session->ctx->err->code != PE_OK;
	rc = pe_window_clean_up(&fresh->pass, before ? &later : session->ctx->err);
	if (rc == PE_OK && finished)
		rc = pe_store_close_window(session->ctx->store, fresh->window,
					   before ? &later : session->ctx->err);
	/* What was expected and not needed is no part of the whole any more. */
	if (fresh->runs < fresh->expected && session->count.total > session->count.done)
		session->count.total -= fresh->expected - fresh->runs;
	if (session->count.total < session->count.done)
		session->count.total = session->count.done;
	free_remeasure(fresh);
	return rc;
}
