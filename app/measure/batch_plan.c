/*
 * New windows. The plan says which cells are left; anchors are chosen and built first, then as many new revisions
 * as fit beside them, and what is left of their cells after carrying over becomes the window.
 */
#include "app/measure/measure_internal.h"

#include "app/measure/plan.h"

#include "core/base/clock.h"

#include <stdlib.h>
#include <string.h>

/* One window being formed. */
struct forming {
	struct pe_session *session;
	struct pe_known known;
	struct pe_carrier *carrier; /**< NULL: nothing is carried over */
	bool *tried;                /**< by revision: had its turn in this session */
	struct pe_sitting sitting;
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
		enum pe_sitting_built built;
		struct pe_slot *slot;
		struct pe_build build;

		rc = pe_sitting_build(&built, &slot, &build, forming->session, anchors[i]);
		if (rc != PE_OK || built != PE_SITTING_BUILT)
			continue;
		pe_sitting_seat(&forming->sitting, anchors[i], slot->tree);
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
		enum pe_sitting_built built;
		struct pe_slot *slot;
		struct pe_build build;
		size_t cells;

		if (!has_wants(forming, r))
			continue;
		rc = pe_sitting_build(&built, &slot, &build, session, r);
		if (rc != PE_OK)
			return rc;
		if (built == PE_SITTING_NO_ROOM)
			break;
		forming->tried[r] = true;
		if (built == PE_SITTING_FAILED)
			continue;
		/* has_wants() is false from here on; the cells are what the plan said. */
		rc = add_new_cells(forming, r, slot, &build, &cells);
		if (rc != PE_OK)
			return rc;
		slot->held = cells > 0;
		if (cells == 0)
			continue;
		pe_sitting_seat(&forming->sitting, r, slot->tree);
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
		pe_app_note(
			session->app,
			"the disk budget has no room for a reference build beside a new one, so results of different sessions are not tied together: raise 'disk:'");
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
	return pe_store_put_window(session->app->store, window, session->app->err);
}

int pe_measuring_next(struct pe_session *session, struct pe_carrier *carrier, bool *tried,
		      bool *more)
{
	struct pe_app *app = session->app;
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
	pe_sitting_start(&forming.sitting, session, &forming.window);
	rc = seat(&forming, first, &n_new);
	if (rc == PE_OK && n_new > 0) {
		rc = put_window(&forming);
		forming.sitting.grid.cells =
			pe_arena_new(&forming.sitting.arena, struct pe_grid_cell, forming.cells.n);
		if (rc == PE_OK)
			rc = pe_sitting_measure(&forming.sitting);
		if (rc == PE_OK)
			rc = pe_store_close_window(app->store, forming.window.key, app->err);
	}
	pe_sitting_end(&forming.sitting);
	pe_vec_release(&forming.cells);
	return rc;
}
