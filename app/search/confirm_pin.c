/* The second half of a confirmation: to which commit does the change belong? */
#include "app/search/confirm_internal.h"

#include "core/stats/pin.h"

#include <math.h>
#include <string.h>

enum { TIMES = 4, ROUNDS = 8 };

struct pinning {
	struct pe_session *session;
	struct pe_suspect *suspect;
	struct pe_arena arena;
	PE_VEC(struct pe_reading) readings; /* of the history, and what was measured again */
	int64_t *windows;                   /* measured again before, by whichever metric */
	size_t n_windows;
};

/* The state of a stored revision; SIZE_MAX: it is on none. */
static size_t state_of(const struct pe_dossier *dossier, int64_t revision)
{
	for (size_t c = 0; c < dossier->found.chain->n; c++)
		if (dossier->keys[dossier->found.chain->at[c]] == revision)
			return dossier->found.state_of[c];
	return SIZE_MAX;
}

/* --- Windows that were measured before --- */

static int add_window(struct pinning *pinning, int64_t key)
{
	struct pe_app *app = pinning->session->app;
	struct pe_window_value *values;
	size_t n;
	int rc = pe_store_window_values(&values, &n, app->store, key, &pinning->arena, app->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		size_t state = state_of(pinning->suspect->dossier, values[i].revision);

		const struct pe_observation one = {
			.window = key, .round = values[i].round, .value = values[i].value};

		if (state != SIZE_MAX &&
		    strcmp(values[i].metric, pinning->suspect->row.metric) == 0)
			pe_vec_push(
				&pinning->readings,
				pe_series_reading(state, &one, pinning->suspect->dossier->metric));
	}
	return rc;
}

/* The commits of a stored window, ascending. */
static int commits_of(struct pe_pin_commits *out, struct pinning *pinning, int64_t key)
{
	struct pe_app *app = pinning->session->app;
	struct pe_window window;
	int rc = pe_store_get_window(&window, app->store, key, &pinning->arena, app->err);

	*out = (struct pe_pin_commits){NULL, 0};
	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	out->commit = pe_arena_new(&pinning->arena, size_t, window.n_cells);
	for (size_t i = 0; i < window.n_cells; i++) {
		size_t state = state_of(pinning->suspect->dossier, window.cells[i].revision), at;

		if (state == SIZE_MAX)
			continue;
		for (at = out->n; at > 0 && out->commit[at - 1] > state; at--)
			out->commit[at] = out->commit[at - 1];
		out->commit[at] = state;
		out->n++;
	}
	return PE_OK;
}

/* --- Measuring again --- */

static int run_rounds(struct pe_engine *engine, size_t n, bool counted, struct pe_arena *arena)
{
	struct pe_engine_cell *cells = pe_arena_new(arena, struct pe_engine_cell, n);
	int rc = PE_OK;

	for (unsigned round = 0; rc == PE_OK && round < ROUNDS; round++) {
		for (size_t i = 0; i < n; i++)
			cells[i] = (struct pe_engine_cell){i, 0};
		pe_engine_shuffle(engine, counted ? PE_RUN_ALLOCATIONS : PE_RUN_TIMED, round, cells,
				  n);
		rc = counted ? pe_engine_count(engine, round, cells, n)
			     : pe_engine_round(engine, round, cells, n);
	}
	return rc;
}

/*
 * Measure commits in a window, a new one (key 0) or one that was begun.
 *
 * @param loaded  how many of them had room; with fewer than two nothing was learnt
 */
static int measure(int64_t *key, size_t *loaded, struct pinning *pinning,
		   const struct pe_pin_commits *commits)
{
	struct pe_session *session = pinning->session;
	const struct pe_suspect *suspect = pinning->suspect;
	struct pe_engine_opts opts = {
		.window = *key, .rounds = ROUNDS, .aside = true, .expected = ROUNDS * commits->n};
	size_t *revisions = pe_arena_new(&pinning->arena, size_t, commits->n), n = 0;
	size_t workload = pe_session_workload_of(session, suspect->row.workload);
	struct pe_engine *engine;
	int rc;

	*loaded = 0;
	for (size_t i = 0; i < commits->n; i++) {
		size_t r = pe_suspect_revision(session, suspect, commits->commit[i]);

		if (r != SIZE_MAX)
			revisions[n++] = r;
	}
	if (workload == SIZE_MAX || n < 2)
		return PE_OK;
	rc = pe_engine_open(&engine, session, revisions, n, &workload, 1, &opts);
	if (rc != PE_OK)
		return rc;
	for (size_t i = 0; i < n; i++)
		*loaded += pe_engine_is_loaded(engine, i);
	if (*key == 0 && *loaded >= 2) {
		rc = pe_store_put_pin(session->app->store, suspect->row.window,
				      pe_engine_window(engine), session->app->err);
	}
	*key = pe_engine_window(engine);
	if (rc == PE_OK && *loaded >= 2)
		rc = run_rounds(engine, n, pe_metric_is_counted(suspect->dossier->metric),
				&pinning->arena);
	return pe_engine_close(rc, engine, rc == PE_OK);
}

/* --- The place --- */

static void take_place(struct pe_suspect *suspect, const struct pe_pin_refined *refined)
{
	const struct pe_dossier *dossier = suspect->dossier;
	const struct pe_series_state *states = dossier->found.states;
	struct pe_stored_confirmation *row = &suspect->row;

	row->pinned_before = dossier->keys[states[refined->before].last];
	row->pinned_after = dossier->keys[states[refined->index].first];
	row->pinned_first = dossier->keys[states[refined->first].first];
	row->pinned_last = dossier->keys[states[refined->last].first];
	row->sure = refined->sure;
}

/* One time: what an earlier window holds, or a new one. *around is what the next is to hold. */
static int refine(bool *more, struct pinning *pinning, size_t time, struct pe_pin_commits *around)
{
	struct pe_suspect *suspect = pinning->suspect;
	const struct pe_changepoints *found = &suspect->dossier->found.found;
	const struct pe_pin_opts opts = {suspect->row.direction, found->jitter, 0.95};
	int64_t key = time < pinning->n_windows ? pinning->windows[time] : 0;
	struct pe_pin_refined refined;
	size_t loaded;
	int rc = PE_OK;

	*more = false;
	if (key != 0)
		rc = commits_of(around, pinning, key);
	if (rc == PE_OK)
		rc = measure(&key, &loaded, pinning, around);
	if (rc == PE_OK && loaded >= 2)
		rc = add_window(pinning, key);
	if (rc != PE_OK || loaded < 2)
		return rc;
	refined = pe_pin_refine(&(struct pe_readings){pinning->readings.data, pinning->readings.n,
						      found->n_commits},
				around, &opts, &pinning->arena);
	if (refined.index == PE_NO_COMPONENT)
		return PE_OK;
	take_place(suspect, &refined);
	*around = refined.again;
	*more = true;
	return PE_OK;
}

int pe_confirm_pin(struct pe_session *session, struct pe_suspect *suspect)
{
	struct pe_app *app = session->app;
	const struct pe_series_found *found = &suspect->dossier->found;
	struct pinning pinning = {.session = session, .suspect = suspect, .arena = PE_ARENA_INIT};
	struct pe_pin_commits around =
		pe_pin_remeasure(&found->found, suspect->change, 0.95, &pinning.arena);
	bool more = true;
	int rc = PE_OK;

	for (size_t i = 0; i < found->readings.n; i++)
		pe_vec_push(&pinning.readings, found->readings.at[i]);
	if (suspect->row.window != 0)
		rc = pe_store_pins(&pinning.windows, &pinning.n_windows, app->store,
				   suspect->row.window, &pinning.arena, app->err);
	else
		more = false; /* its runs were dropped: there is nothing to tie new ones to */
	for (size_t time = 0; rc == PE_OK && more && time < TIMES && around.n > 0; time++)
		rc = refine(&more, &pinning, time, &around);
	if (rc == PE_OK) {
		suspect->row.settled = true;
		rc = pe_store_put_confirmation(app->store, &suspect->row, app->err);
	}
	pe_vec_release(&pinning.readings);
	pe_arena_release(&pinning.arena);
	return rc;
}
