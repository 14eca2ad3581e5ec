/*
 * The measuring half of a session. Windows that a killed session left open are taken up again as they were; then
 * new ones are formed from what the plan says is left.
 */
#include "app/measure/measure_internal.h"

/* --- Where things are in the session --- */

static struct pe_places places_of_revisions(const struct pe_session *session,
					    struct pe_arena *arena)
{
	int64_t *keys = pe_arena_new(arena, int64_t, session->n_revisions);

	for (size_t r = 0; r < session->n_revisions; r++)
		keys[r] = session->revisions[r].key;
	return pe_places_sort(keys, session->n_revisions, arena);
}

/* --- Windows that were left open --- */

/* Whether a window has anything that this session was asked for. */
static bool concerns(const struct pe_session *session, const struct pe_places *revisions,
		     const struct pe_window *window)
{
	for (size_t i = 0; i < window->n_cells; i++) {
		const struct pe_window_cell *cell = &window->cells[i];
		size_t r = pe_places_find(revisions, cell->revision);

		if (cell->role == PE_ROLE_NEW && r != SIZE_MAX && session->revisions[r].wanted &&
		    pe_session_workload_of(session, cell->workload) != SIZE_MAX)
			return true;
	}
	return false;
}

/* Revisions of a window that this session may measure: wanted ones, and its anchors. */
static bool *revisions_of(struct pe_session *session, const struct pe_places *revisions,
			  const struct pe_window *window)
{
	bool *in = pe_arena_new(session->arena, bool, session->n_revisions);

	for (size_t i = 0; i < window->n_cells; i++) {
		size_t r = pe_places_find(revisions, window->cells[i].revision);

		if (r != SIZE_MAX &&
		    (session->revisions[r].wanted || window->cells[i].role == PE_ROLE_ANCHOR))
			in[r] = true;
	}
	return in;
}

/* Whether the session has every cell of a window; if not, what it leaves stays open for another. */
static bool covers(const struct pe_session *session, const struct pe_places *revisions,
		   const struct pe_window *window, const bool *in)
{
	for (size_t i = 0; i < window->n_cells; i++) {
		size_t r = pe_places_find(revisions, window->cells[i].revision);

		if (r == SIZE_MAX || !in[r] ||
		    pe_session_workload_of(session, window->cells[i].workload) == SIZE_MAX)
			return false;
	}
	return true;
}

/* Build as many of the revisions as fit and measure them; the rest stay in `in` for another sitting. */
static int resume_part(struct pe_session *session, struct pe_window *window, bool *in, bool *more)
{
	struct pe_sitting sitting;
	int rc = PE_OK;

	*more = false;
	pe_sitting_start(&sitting, session, window);
	for (size_t r = 0; rc == PE_OK && r < session->n_revisions; r++) {
		enum pe_sitting_built built;
		struct pe_slot *slot;
		struct pe_build build;

		if (!in[r])
			continue;
		rc = pe_sitting_build(&built, &slot, &build, session, r);
		if (rc != PE_OK)
			break;
		if (built == PE_SITTING_NO_ROOM) {
			*more = sitting.grid.n_revisions > 0;
			break;
		}
		in[r] = false;
		if (built == PE_SITTING_BUILT)
			pe_sitting_seat(&sitting, r, slot->tree);
	}
	if (rc == PE_OK)
		rc = pe_sitting_measure(&sitting);
	pe_sitting_end(&sitting);
	return rc;
}

static int resume(struct pe_session *session, const struct pe_places *revisions,
		  struct pe_window *window)
{
	bool *in = revisions_of(session, revisions, window);
	bool whole = covers(session, revisions, window, in);
	bool more = true;
	int rc = PE_OK;

	while (rc == PE_OK && more)
		rc = resume_part(session, window, in, &more);
	if (rc == PE_OK && whole)
		rc = pe_store_close_window(session->app->store, window->key, session->app->err);
	return rc;
}

static int resume_all(struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_places revisions = places_of_revisions(session, session->arena);
	struct pe_window *windows;
	size_t n;
	int rc = pe_store_open_windows(&windows, &n, app->store, session->machine_key,
				       session->arena, app->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++)
		if (concerns(session, &revisions, &windows[i]))
			rc = resume(session, &revisions, &windows[i]);
	return rc;
}

/* --- The whole --- */

int pe_session_measure(struct pe_session *session)
{
	bool *tried = pe_arena_new(session->arena, bool, session->n_revisions);
	struct pe_carrier *carrier = NULL;
	bool more = true;
	int rc = PE_OK;

	if (!session->again)
		rc = resume_all(session);
	if (rc == PE_OK)
		rc = pe_carrier_new(&carrier, session);
	while (rc == PE_OK && more)
		rc = pe_measuring_next(session, carrier, tried, &more);
	pe_carrier_free(carrier);
	return rc;
}
