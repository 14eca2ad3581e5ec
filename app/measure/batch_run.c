/*
 * A sitting: one window on its way through. Its revisions are built side by side, its cells become a grid, and what
 * of the grid was not run yet is run in rounds.
 */
#include "app/measure/measure_internal.h"

#include "app/measure/exactness.h"

#include <stdlib.h>

static int compare_places(const void *a, const void *b)
{
	const struct pe_place *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

struct pe_places pe_places_sort(const int64_t *keys, size_t n, struct pe_arena *arena)
{
	struct pe_places places = {pe_arena_new(arena, struct pe_place, n), n};

	for (size_t i = 0; i < n; i++)
		places.at[i] = (struct pe_place){keys[i], i};
	qsort(places.at, n, sizeof(*places.at), compare_places);
	return places;
}

size_t pe_places_find(const struct pe_places *places, int64_t key)
{
	const struct pe_place wanted = {key, 0};
	const struct pe_place *found = NULL;

	if (places->n > 0)
		found = bsearch(&wanted, places->at, places->n, sizeof(wanted), compare_places);
	return found != NULL ? found->index : SIZE_MAX;
}

/* --- Building a revision for a window --- */

int pe_sitting_build(enum pe_sitting_built *out, struct pe_slot **slot, struct pe_build *build,
		     struct pe_session *session, size_t r)
{
	struct pe_app *app = session->app;
	struct pe_session_revision *revision = &session->revisions[r];
	int rc;

	if (*app->interrupts > 0)
		return pe_fail(app->err, PE_ESTOPPED, "stopped while building");
	rc = pe_session_build(slot, build, session, revision);
	if (rc != PE_OK)
		return rc;
	if (*slot == NULL) {
		*out = PE_SITTING_NO_ROOM;
		return PE_OK;
	}
	*out = build->outcome == PE_MEASURED ? PE_SITTING_BUILT : PE_SITTING_FAILED;
	if (*out == PE_SITTING_FAILED)
		pe_trouble_add_build(&session->troubles, revision->revision, build, session->arena);
	return PE_OK;
}

/* --- A window's cells as a grid --- */

void pe_sitting_start(struct pe_sitting *sitting, struct pe_session *session,
		      struct pe_window *window)
{
	struct pe_arena *arena = &sitting->arena;

	*sitting =
		(struct pe_sitting){.session = session, .window = window, .arena = PE_ARENA_INIT};
	sitting->grid.seed = window->seed;
	sitting->grid.revisions =
		pe_arena_new(arena, struct pe_grid_revision, session->n_revisions);
	sitting->revision_keys = pe_arena_new(arena, int64_t, session->n_revisions);
	sitting->grid.workloads =
		pe_arena_new(arena, const struct pe_workload *, session->workloads.n);
	sitting->workload_keys = pe_arena_new(arena, int64_t, session->workloads.n);
	sitting->grid.cells = pe_arena_new(arena, struct pe_grid_cell, window->n_cells);
	sitting->grid.n_workloads = session->workloads.n;
	for (size_t w = 0; w < session->workloads.n; w++) {
		sitting->grid.workloads[w] = session->workloads.data[w].workload;
		sitting->workload_keys[w] = session->workloads.data[w].key;
	}
}

void pe_sitting_seat(struct pe_sitting *sitting, size_t r, const char *tree)
{
	const struct pe_session_revision *revision = &sitting->session->revisions[r];
	size_t at = sitting->grid.n_revisions++;

	sitting->grid.revisions[at] = (struct pe_grid_revision){
		.id = revision->revision->id,
		.subject = revision->revision->subject,
		.tree = tree,
	};
	sitting->revision_keys[at] = revision->key;
}

/* Want so many counting runs of a cell in all. */
static void want_counts(struct pe_sitting *sitting, struct pe_grid_cell *cell, unsigned rounds)
{
	bool *counted = pe_arena_new(&sitting->arena, bool, rounds);

	for (unsigned i = 0; i < cell->allocation_rounds && i < rounds; i++)
		counted[i] = cell->counted[i];
	cell->counted = counted;
	cell->allocation_rounds = rounds;
}

/*
 * More of them where runs of one build count differently, be it known from before or only since the usual ones are
 * in the store. *more: there are such.
 */
static int want_noisy_counts(struct pe_sitting *sitting, bool *more)
{
	struct pe_session *session = sitting->session;
	struct pe_grid *grid = &sitting->grid;
	int rc = PE_OK;

	*more = false;
	for (size_t w = 0; rc == PE_OK && w < grid->n_workloads; w++) {
		bool noisy;

		rc = pe_kept_counts_vary(&noisy, session->app->store, session->machine_key,
					 sitting->workload_keys[w], session->app->err);
		for (size_t i = 0; rc == PE_OK && noisy && i < grid->n_cells; i++) {
			struct pe_grid_cell *cell = &grid->cells[i];

			if (cell->workload != w || cell->allocation_rounds == 0 ||
			    cell->allocation_rounds >= PE_ALLOCATION_ROUNDS_NOISY)
				continue;
			want_counts(sitting, cell, PE_ALLOCATION_ROUNDS_NOISY);
			*more = true;
		}
	}
	return rc;
}

/* Cells of seated revisions and of this session's workloads; the others wait for another session. */
static void seat_cells(struct pe_sitting *sitting)
{
	const struct pe_window *window = sitting->window;
	struct pe_places revisions =
		pe_places_sort(sitting->revision_keys, sitting->grid.n_revisions, &sitting->arena);
	struct pe_places workloads =
		pe_places_sort(sitting->workload_keys, sitting->grid.n_workloads, &sitting->arena);

	for (size_t i = 0; i < window->n_cells; i++) {
		const struct pe_window_cell *from = &window->cells[i];
		size_t r = pe_places_find(&revisions, from->revision);
		size_t w = pe_places_find(&workloads, from->workload);
		struct pe_grid_cell *cell;

		if (r == SIZE_MAX || w == SIZE_MAX)
			continue;
		cell = &sitting->grid.cells[sitting->grid.n_cells++];
		cell->revision = r;
		cell->workload = w;
		cell->rounds = from->rounds;
		if (from->role == PE_ROLE_NEW && sitting->grid.workloads[w]->count_allocations &&
		    sitting->session->runner.alloc_library != NULL)
			want_counts(sitting, cell, PE_ALLOCATION_ROUNDS);
		cell->timed = pe_arena_new(&sitting->arena, bool, cell->rounds);
	}
}

static void mark(struct pe_grid_cell *cell, const struct pe_run_mark *run)
{
	if (run->kind == PE_RUN_TIMED) {
		if (run->round < cell->rounds)
			cell->timed[run->round] = true;
		cell->failed = cell->failed || run->outcome != PE_MEASURED;
	} else {
		if (run->round < cell->allocation_rounds)
			cell->counted[run->round] = true;
		cell->not_counted = cell->not_counted || run->outcome != PE_MEASURED;
	}
}

/* What an earlier session already ran in this window. */
static int mark_done(struct pe_sitting *sitting)
{
	struct pe_app *app = sitting->session->app;
	struct pe_run_mark *runs;
	size_t n;
	int rc = pe_store_window_runs(&runs, &n, app->store, sitting->window->key, &sitting->arena,
				      app->err);
	struct pe_places revisions =
		pe_places_sort(sitting->revision_keys, sitting->grid.n_revisions, &sitting->arena);
	struct pe_places workloads =
		pe_places_sort(sitting->workload_keys, sitting->grid.n_workloads, &sitting->arena);
	size_t width = sitting->grid.n_workloads;
	/* 1 + the cell's index, by revision and workload; 0: not seated. */
	size_t *cell_at = pe_arena_new(&sitting->arena, size_t, sitting->grid.n_revisions * width);

	if (rc != PE_OK)
		return rc;
	for (size_t i = 0; i < sitting->grid.n_cells; i++) {
		const struct pe_grid_cell *cell = &sitting->grid.cells[i];

		cell_at[cell->revision * width + cell->workload] = i + 1;
	}
	for (size_t i = 0; i < n; i++) {
		size_t r = pe_places_find(&revisions, runs[i].revision);
		size_t w = pe_places_find(&workloads, runs[i].workload);
		size_t at = r != SIZE_MAX && w != SIZE_MAX ? cell_at[r * width + w] : 0;

		if (at > 0)
			mark(&sitting->grid.cells[at - 1], &runs[i]);
	}
	return PE_OK;
}

static int keep_run(struct pe_cell cell, const struct pe_run *run, void *payload,
		    struct pe_err *err)
{
	struct pe_sitting *sitting = payload;
	struct pe_session *session = sitting->session;
	int64_t key = sitting->revision_keys[cell.revision];

	pe_trouble_add_run(&session->troubles,
			   session->revisions[pe_session_revision_of(session, key)].revision,
			   sitting->grid.workloads[cell.workload]->name, run, session->arena);
	pe_enough_take(sitting->enough, cell, run);
	return pe_store_put_run(session->app->store, sitting->window->key, key,
				sitting->workload_keys[cell.workload], run, err);
}

/* The newest wanted revision has nothing after it that would vouch for its level. */
static size_t newest_seat(const struct pe_sitting *sitting)
{
	const struct pe_session *session = sitting->session;

	for (size_t r = session->n_revisions; r-- > 0;) {
		if (!session->revisions[r].wanted)
			continue;
		for (size_t at = 0; at < sitting->grid.n_revisions; at++)
			if (sitting->revision_keys[at] == session->revisions[r].key)
				return at;
		return SIZE_MAX;
	}
	return SIZE_MAX;
}

static int measure_grid(struct pe_sitting *sitting)
{
	struct pe_session *session = sitting->session;
	struct pe_sink sink = {.run = keep_run, .payload = sitting};

	if (session->count.total < session->count.done + pe_grid_missing(&sitting->grid))
		session->count.total = session->count.done + pe_grid_missing(&sitting->grid);
	return pe_window_measure(&sitting->grid, &session->runner, &sink, &session->app->progress,
				 &session->count, session->app->err);
}

int pe_sitting_measure(struct pe_sitting *sitting)
{
	struct pe_session *session = sitting->session;
	size_t anchors = 0;
	bool more;
	int rc;

	seat_cells(sitting);
	rc = want_noisy_counts(sitting, &more);
	if (rc == PE_OK)
		rc = mark_done(sitting);
	if (rc == PE_OK && !session->whole && !session->again)
		rc = pe_enough_watch(&sitting->enough, session, &sitting->grid,
				     sitting->window->key, sitting->revision_keys,
				     sitting->workload_keys, newest_seat(sitting), &sitting->arena);
	if (rc != PE_OK)
		return rc;
	/* The plan counted the new cells' runs; the anchors' come on top. */
	for (size_t i = 0; i < sitting->window->n_cells; i++)
		anchors += sitting->window->cells[i].role == PE_ROLE_ANCHOR
				   ? sitting->window->cells[i].rounds
				   : 0;
	session->count.total += anchors;
	rc = measure_grid(sitting);
	if (rc == PE_OK)
		rc = want_noisy_counts(sitting, &more);
	return rc == PE_OK && more ? measure_grid(sitting) : rc;
}

void pe_sitting_end(struct pe_sitting *sitting)
{
	pe_slots_release(&sitting->session->slots);
	pe_enough_end(sitting->enough);
	pe_arena_release(&sitting->arena);
}
