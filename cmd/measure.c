/*
 * The measuring half of a session. A *sitting* is one window on its way through: its revisions are built side
 * by side, its cells become a grid, the grid is measured in rounds, and the window is closed. New windows are
 * formed from what the plan says is left; windows that a killed session left open are taken up again as they
 * were.
 */
#include "cmd/carry.h"
#include "cmd/enough.h"
#include "cmd/plan.h"
#include "cmd/session.h"

#include "core/base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Keys of the store and where they stand, sorted by key. */
struct place {
	int64_t key;
	size_t index;
};

struct places {
	struct place *at;
	size_t n;
};

struct sitting {
	struct pe_session *session;
	struct pe_window *window;
	struct pe_grid grid;
	int64_t *revision_keys, *workload_keys; /**< by the grid's indices */
	struct pe_enough *enough;               /**< NULL: every cell is run to the end */
	struct pe_arena arena;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static struct places sort_keys(const int64_t *keys, size_t n, struct pe_arena *arena)
{
	struct places places = {pe_arena_new(arena, struct place, n), n};

	for (size_t i = 0; i < n; i++)
		places.at[i] = (struct place){keys[i], i};
	qsort(places.at, n, sizeof(*places.at), compare_places);
	return places;
}

static size_t find(const struct places *places, int64_t key)
{
	const struct place wanted = {key, 0};
	const struct place *found = NULL;

	if (places->n > 0)
		found = bsearch(&wanted, places->at, places->n, sizeof(wanted), compare_places);
	return found != NULL ? found->index : SIZE_MAX;
}

/* --- Where things are in the session --- */

static struct places places_of_revisions(const struct pe_session *session, struct pe_arena *arena)
{
	int64_t *keys = pe_arena_new(arena, int64_t, session->n_revisions);

	for (size_t r = 0; r < session->n_revisions; r++)
		keys[r] = session->revisions[r].key;
	return sort_keys(keys, session->n_revisions, arena);
}

static bool has_workload(const struct pe_session *session, int64_t key)
{
	for (size_t w = 0; w < session->workloads.n; w++)
		if (session->workloads.data[w].key == key)
			return true;
	return false;
}

/* --- Building a revision for a window --- */

enum built { BUILT, FAILED, NO_ROOM };

static int build_one(enum built *out, struct pe_slot **slot, struct pe_build *build,
		     struct pe_session *session, size_t r)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct pe_session_revision *revision = &session->revisions[r];
	int rc;

	if (*ctx->interrupts > 0)
		return pe_fail(ctx->err, PE_ESTOPPED, "stopped while building");
	rc = pe_session_build(slot, build, session, revision);
	if (rc != PE_OK)
		return rc;
	if (*slot == NULL) {
		*out = NO_ROOM;
		return PE_OK;
	}
	*out = build->outcome == PE_MEASURED ? BUILT : FAILED;
	if (*out == FAILED)
		pe_cmd_note(ctx, "%.10s %s: %s%s%s%s", revision->revision->id,
			    revision->revision->subject, pe_outcome_name(build->outcome),
			    revision->wanted ? "" : " (it cannot serve as an anchor)",
			    build->outcome == PE_TREE_REFUSED ? "\n  " : "",
			    build->outcome == PE_TREE_REFUSED ? build->log : "");
	return PE_OK;
}

/* --- A window's cells as a grid --- */

static void start_sitting(struct sitting *sitting, struct pe_session *session,
			  struct pe_window *window)
{
	struct pe_arena *arena = &sitting->arena;

	*sitting = (struct sitting){.session = session, .window = window, .arena = PE_ARENA_INIT};
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

static void seat_revision(struct sitting *sitting, size_t r, const char *tree)
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

/* Cells of seated revisions and of this session's workloads; the others wait for another session. */
static void seat_cells(struct sitting *sitting)
{
	const struct pe_window *window = sitting->window;
	struct places revisions =
		sort_keys(sitting->revision_keys, sitting->grid.n_revisions, &sitting->arena);
	struct places workloads =
		sort_keys(sitting->workload_keys, sitting->grid.n_workloads, &sitting->arena);

	for (size_t i = 0; i < window->n_cells; i++) {
		const struct pe_window_cell *from = &window->cells[i];
		size_t r = find(&revisions, from->revision);
		size_t w = find(&workloads, from->workload);
		struct pe_grid_cell *cell;

		if (r == SIZE_MAX || w == SIZE_MAX)
			continue;
		cell = &sitting->grid.cells[sitting->grid.n_cells++];
		cell->revision = r;
		cell->workload = w;
		cell->rounds = from->rounds;
		if (from->role == PE_ROLE_NEW && sitting->grid.workloads[w]->count_allocations &&
		    sitting->session->runner.alloc_library != NULL)
			cell->allocation_rounds = PE_ALLOCATION_ROUNDS;
		cell->timed = pe_arena_new(&sitting->arena, bool, cell->rounds);
		cell->counted = pe_arena_new(&sitting->arena, bool, cell->allocation_rounds);
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
static int mark_done(struct sitting *sitting)
{
	struct pe_cmd_ctx *ctx = sitting->session->ctx;
	struct pe_run_mark *runs;
	size_t n;
	int rc = pe_store_window_runs(&runs, &n, ctx->store, sitting->window->key, &sitting->arena,
				      ctx->err);
	struct places revisions =
		sort_keys(sitting->revision_keys, sitting->grid.n_revisions, &sitting->arena);
	struct places workloads =
		sort_keys(sitting->workload_keys, sitting->grid.n_workloads, &sitting->arena);
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
		size_t r = find(&revisions, runs[i].revision);
		size_t w = find(&workloads, runs[i].workload);
		size_t at = r != SIZE_MAX && w != SIZE_MAX ? cell_at[r * width + w] : 0;

		if (at > 0)
			mark(&sitting->grid.cells[at - 1], &runs[i]);
	}
	return PE_OK;
}

static int keep_run(struct pe_cell cell, const struct pe_run *run, void *payload,
		    struct pe_err *err)
{
	struct sitting *sitting = payload;
	struct pe_session *session = sitting->session;
	const struct pe_grid_revision *revision = &sitting->grid.revisions[cell.revision];

	if (run->outcome != PE_MEASURED && run->outcome != PE_NOT_COUNTABLE)
		pe_cmd_note(session->ctx, "%.10s %s: %s", revision->id,
			    sitting->grid.workloads[cell.workload]->name,
			    pe_outcome_name(run->outcome));
	pe_enough_take(sitting->enough, cell, run);
	return pe_store_put_run(session->ctx->store, sitting->window->key,
				sitting->revision_keys[cell.revision],
				sitting->workload_keys[cell.workload], run, err);
}

/* The newest wanted revision has nothing after it that would vouch for its level. */
static size_t newest_seat(const struct sitting *sitting)
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

static int measure_sitting(struct sitting *sitting)
{
	struct pe_session *session = sitting->session;
	struct pe_sink sink = {.run = keep_run, .payload = sitting};
	size_t anchors = 0;
	int rc;

	seat_cells(sitting);
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
	if (session->count.total < session->count.done + pe_grid_missing(&sitting->grid))
		session->count.total = session->count.done + pe_grid_missing(&sitting->grid);
	return pe_window_measure(&sitting->grid, &session->runner, &sink, &session->ctx->progress,
				 &session->count, session->ctx->err);
}

static void end_sitting(struct sitting *sitting)
{
	pe_slots_release(&sitting->session->slots);
	pe_enough_end(sitting->enough);
	pe_arena_release(&sitting->arena);
}

/* --- Windows that were left open --- */

/* Whether a window has anything that this session was asked for. */
static bool concerns(const struct pe_session *session, const struct places *revisions,
		     const struct pe_window *window)
{
	for (size_t i = 0; i < window->n_cells; i++) {
		const struct pe_window_cell *cell = &window->cells[i];
		size_t r = find(revisions, cell->revision);

		if (cell->role == PE_ROLE_NEW && r != SIZE_MAX && session->revisions[r].wanted &&
		    has_workload(session, cell->workload))
			return true;
	}
	return false;
}

/* Revisions of a window that this session may measure: wanted ones, and its anchors. */
static bool *revisions_of(struct pe_session *session, const struct places *revisions,
			  const struct pe_window *window)
{
	bool *in = pe_arena_new(session->arena, bool, session->n_revisions);

	for (size_t i = 0; i < window->n_cells; i++) {
		size_t r = find(revisions, window->cells[i].revision);

		if (r != SIZE_MAX &&
		    (session->revisions[r].wanted || window->cells[i].role == PE_ROLE_ANCHOR))
			in[r] = true;
	}
	return in;
}

/* Whether the session has every cell of a window; if not, what it leaves stays open for another. */
static bool covers(const struct pe_session *session, const struct places *revisions,
		   const struct pe_window *window, const bool *in)
{
	for (size_t i = 0; i < window->n_cells; i++) {
		size_t r = find(revisions, window->cells[i].revision);

		if (r == SIZE_MAX || !in[r] || !has_workload(session, window->cells[i].workload))
			return false;
	}
	return true;
}

/* Build as many of the revisions as fit and measure them; the rest stay in `in` for another sitting. */
static int resume_part(struct pe_session *session, struct pe_window *window, bool *in, bool *more)
{
	struct sitting sitting;
	int rc = PE_OK;

	*more = false;
	start_sitting(&sitting, session, window);
	for (size_t r = 0; rc == PE_OK && r < session->n_revisions; r++) {
		enum built built;
		struct pe_slot *slot;
		struct pe_build build;

		if (!in[r])
			continue;
		rc = build_one(&built, &slot, &build, session, r);
		if (rc != PE_OK)
			break;
		if (built == NO_ROOM) {
			*more = sitting.grid.n_revisions > 0;
			break;
		}
		in[r] = false;
		if (built == BUILT)
			seat_revision(&sitting, r, slot->tree);
	}
	if (rc == PE_OK)
		rc = measure_sitting(&sitting);
	end_sitting(&sitting);
	return rc;
}

static int resume(struct pe_session *session, const struct places *revisions,
		  struct pe_window *window)
{
	bool *in = revisions_of(session, revisions, window);
	bool whole = covers(session, revisions, window, in);
	bool more = true;
	int rc = PE_OK;

	while (rc == PE_OK && more)
		rc = resume_part(session, window, in, &more);
	if (rc == PE_OK && whole)
		rc = pe_store_close_window(session->ctx->store, window->key, session->ctx->err);
	return rc;
}

static int resume_all(struct pe_session *session)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct places revisions = places_of_revisions(session, session->arena);
	struct pe_window *windows;
	size_t n;
	int rc = pe_store_open_windows(&windows, &n, ctx->store, session->machine_key,
				       session->arena, ctx->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++)
		if (concerns(session, &revisions, &windows[i]))
			rc = resume(session, &revisions, &windows[i]);
	return rc;
}

/* --- New windows --- */

/* One window being formed. */
struct forming {
	struct pe_session *session;
	struct pe_known known;
	struct pe_carrier *carrier; /**< NULL: nothing is carried over */
	bool *tried;                /**< by revision: had its turn in this session */
	struct sitting sitting;
	struct pe_window window;
	PE_VEC(struct pe_window_cell) cells;
	unsigned *rounds; /**< by workload: the most that a new cell wants */
};

static bool has_wants(const struct forming *forming, size_t r)
{
	const struct pe_session *session = forming->session;

	if (!session->revisions[r].wanted || forming->tried[r])
		return false;
	for (size_t w = 0; w < session->workloads.n; w++) {
		struct pe_wants wants = pe_plan_wants(session, &forming->known, r, w);

		if (wants.timed + wants.allocations > 0)
			return true;
	}
	return false;
}

static void add_new_cell(struct forming *forming, size_t r, size_t w, struct pe_wants wants)
{
	const struct pe_session *session = forming->session;
	struct pe_window_cell cell = {
		.revision = session->revisions[r].key,
		.workload = session->workloads.data[w].key,
		.role = PE_ROLE_NEW,
		.rounds = wants.timed,
	};

	pe_vec_push(&forming->cells, cell);
	if (wants.timed > forming->rounds[w])
		forming->rounds[w] = wants.timed;
}

/*
 * The cells of a revision that was built: those whose execution is that of a measured revision are carried over,
 * the others are to be run. *n counts the latter.
 */
static int add_new_cells(struct forming *forming, size_t r, const struct pe_slot *slot,
			 const struct pe_build *build, size_t *n)
{
	struct pe_session *session = forming->session;

	*n = 0;
	for (size_t w = 0; w < session->workloads.n; w++) {
		struct pe_wants wants = pe_plan_wants(session, &forming->known, r, w);
		bool carried = false;
		int rc = PE_OK;

		if (wants.timed + wants.allocations == 0)
			continue;
		/* A cell that has runs of its own keeps to them. */
		if (forming->carrier != NULL &&
		    pe_known_cell(&forming->known, session->revisions[r].key,
				  session->workloads.data[w].key) == NULL)
			rc = pe_carrier_try(&carried, forming->carrier, &forming->known, r, w, slot,
					    build);
		if (rc != PE_OK)
			return rc;
		if (carried) {
			session->n_carried++;
			session->count.total -= wants.timed + wants.allocations;
		} else {
			add_new_cell(forming, r, w, wants);
			++*n;
		}
	}
	return PE_OK;
}

static void add_anchor_cells(struct forming *forming, size_t r)
{
	const struct pe_session *session = forming->session;

	for (size_t w = 0; w < session->workloads.n; w++) {
		const struct pe_coverage *have = pe_known_cell(
			&forming->known, session->revisions[r].key, session->workloads.data[w].key);
		struct pe_window_cell cell = {
			.revision = session->revisions[r].key,
			.workload = session->workloads.data[w].key,
			.role = PE_ROLE_ANCHOR,
			.rounds = forming->rounds[w],
		};

		if (have != NULL && have->timed > 0 && have->failure == PE_MEASURED &&
		    forming->rounds[w] > 0)
			pe_vec_push(&forming->cells, cell);
	}
}

static size_t first_with_wants(const struct forming *forming)
{
	size_t r = 0;

	while (r < forming->session->n_revisions && !has_wants(forming, r))
		r++;
	return r;
}

/* Build the anchors first, so that they have their places; those that do not build are dropped. */
static int seat_anchors(struct forming *forming, size_t anchors[4], size_t *n)
{
	size_t seated = 0;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < *n; i++) {
		enum built built;
		struct pe_slot *slot;
		struct pe_build build;

		rc = build_one(&built, &slot, &build, forming->session, anchors[i]);
		if (rc != PE_OK || built != BUILT)
			continue;
		seat_revision(&forming->sitting, anchors[i], slot->tree);
		anchors[seated++] = anchors[i];
	}
	*n = seated;
	return rc;
}

static size_t choose_anchors(const struct forming *forming, size_t first, size_t anchors[4])
{
	const struct pe_session *session = forming->session;
	bool *taken = pe_arena_new(session->arena, bool, session->n_revisions);

	for (size_t r = 0; r < session->n_revisions; r++)
		taken[r] = has_wants(forming, r);
	return pe_plan_anchors(anchors, session, &forming->known, first, taken);
}

/*
 * One anchor fewer. They stand in the order of history, references before predecessors: the oldest and the
 * nearest stay longest.
 */
static void drop_anchor(struct forming *forming, size_t anchors[4], size_t *n)
{
	size_t dropped = *n > 2 ? 1 : 0;

	memmove(&anchors[dropped], &anchors[dropped + 1], (*n - dropped - 1) * sizeof(*anchors));
	--*n;
	pe_slots_release(&forming->session->slots);
	forming->sitting.grid.n_revisions = 0;
}

static int seat_new(struct forming *forming, size_t first, size_t *n)
{
	struct pe_session *session = forming->session;
	int rc = PE_OK;

	for (size_t r = first; rc == PE_OK && r < session->n_revisions; r++) {
		enum built built;
		struct pe_slot *slot;
		struct pe_build build;
		size_t cells;

		if (!has_wants(forming, r))
			continue;
		rc = build_one(&built, &slot, &build, session, r);
		if (rc != PE_OK)
			return rc;
		if (built == NO_ROOM)
			break;
		forming->tried[r] = true;
		if (built == FAILED)
			continue;
		/* has_wants() is false from here on; the cells are what the plan said. */
		rc = add_new_cells(forming, r, slot, &build, &cells);
		if (rc != PE_OK)
			return rc;
		slot->held = cells > 0;
		if (cells == 0)
			continue;
		seat_revision(&forming->sitting, r, slot->tree);
		(*n)++;
	}
	return rc;
}

/* Seat what fits. Anchors give way where the budget has no room for a single new revision beside them. */
static int seat(struct forming *forming, size_t first, size_t *n_new)
{
	struct pe_session *session = forming->session;
	size_t anchors[4];
	size_t n_anchors = choose_anchors(forming, first, anchors);
	bool had_anchors = n_anchors > 0;
	int rc = seat_anchors(forming, anchors, &n_anchors);

	if (rc == PE_OK)
		rc = seat_new(forming, first, n_new);
	while (rc == PE_OK && *n_new == 0 && n_anchors > 0 &&
	       first_with_wants(forming) < session->n_revisions) {
		drop_anchor(forming, anchors, &n_anchors);
		rc = seat_anchors(forming, anchors, &n_anchors);
		if (rc == PE_OK)
			rc = seat_new(forming, first, n_new);
	}
	if (rc == PE_OK && had_anchors && n_anchors == 0 && *n_new > 0)
		pe_cmd_note(session->ctx,
			    "the disk budget has no room for a reference build beside "
			    "a new one: figures of different sessions are not tied "
			    "together (raise 'disk:')");
	for (size_t i = 0; rc == PE_OK && i < n_anchors; i++)
		add_anchor_cells(forming, anchors[i]);
	return rc;
}

static uint64_t new_seed(void)
{
	const char *fixed = getenv("PERFEVO_SEED");

	return fixed != NULL ? strtoull(fixed, NULL, 10) : pe_clock_ns();
}

static int put_window(struct forming *forming)
{
	struct pe_session *session = forming->session;
	struct pe_window *window = &forming->window;

	window->machine = session->machine_key;
	window->created_s = pe_clock_now_s();
	window->open = true;
	window->conditions = session->conditions;
	window->cells = forming->cells.data;
	window->n_cells = forming->cells.n;
	return pe_store_put_window(session->ctx->store, window, session->ctx->err);
}

/* Form one window out of what is left, measure it, close it. *more: something may still be left. */
static int measure_next(struct pe_session *session, struct pe_carrier *carrier, bool *tried,
			bool *more)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct forming forming = {.session = session, .carrier = carrier, .tried = tried};
	size_t first, n_new = 0;
	int rc = pe_known_load(&forming.known, session);

	*more = false;
	if (rc != PE_OK)
		return rc;
	first = first_with_wants(&forming);
	if (first == session->n_revisions)
		return PE_OK;
	*more = true;
	forming.window.seed = new_seed();
	forming.rounds = pe_arena_new(session->arena, unsigned, session->workloads.n);
	start_sitting(&forming.sitting, session, &forming.window);
	rc = seat(&forming, first, &n_new);
	if (rc == PE_OK && n_new > 0) {
		rc = put_window(&forming);
		forming.sitting.grid.cells =
			pe_arena_new(&forming.sitting.arena, struct pe_grid_cell, forming.cells.n);
		if (rc == PE_OK)
			rc = measure_sitting(&forming.sitting);
		if (rc == PE_OK)
			rc = pe_store_close_window(ctx->store, forming.window.key, ctx->err);
	}
	end_sitting(&forming.sitting);
	pe_vec_release(&forming.cells);
	return rc;
}

int pe_session_measure(struct pe_session *session)
{
	bool *tried = pe_arena_new(session->arena, bool, session->n_revisions);
	bool more = true;
	int rc = PE_OK;

	struct pe_carrier *carrier = NULL;

	if (!session->again)
		rc = resume_all(session);
	if (rc == PE_OK)
		rc = pe_carrier_new(&carrier, session);
	while (rc == PE_OK && more)
		rc = measure_next(session, carrier, tried, &more);
	pe_carrier_free(carrier);
	return rc;
}
