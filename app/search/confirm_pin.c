/* The second half of a confirmation: to which commit does the change belong? */
#include "app/search/confirm_internal.h"

#include "core/stats/pin.h"

#include <string.h>

enum { TIMES = 4, ROUNDS = 8 };

struct pinning {
	struct pe_session *session;
	struct pe_suspect *suspect;
	struct pe_arena arena;
	PE_VEC(struct pe_reading) readings; /* of the history, and what was measured again */
	int64_t *batches;                   /* measured again before, by whichever metric */
	size_t n_batches;
};

/* The state of a stored revision; SIZE_MAX: it is on none. */
static size_t state_of(const struct pe_series_found *found, int64_t key)
{
	size_t revision = SIZE_MAX, s = 0;

	for (size_t c = 0; c < found->n_chain; c++)
		if (found->revisions[found->chain[c]].key == key)
			revision = found->chain[c];
	while (s < found->n_states && found->last[s] < revision)
		s++;
	return s < found->n_states && found->first[s] <= revision ? s : SIZE_MAX;
}

/* --- Batches that were measured before --- */

static int add_batch(struct pinning *pinning, int64_t key)
{
	struct pe_app *app = pinning->session->app;
	struct pe_observation *values;
	size_t n;

	PE_TRY(pe_store_batch_values(&values, &n, app->store, key, &pinning->arena, app->err));
	for (size_t i = 0; i < n; i++) {
		size_t state = state_of(pinning->suspect->found, values[i].revision);

		if (state != SIZE_MAX && values[i].metric != NULL &&
		    strcmp(values[i].metric, pinning->suspect->row.metric) == 0)
			pe_vec_push(&pinning->readings,
				    pe_series_reading(state, &values[i],
						      pinning->suspect->found->metric));
	}
	return PE_OK;
}

/* The commits of a stored batch, ascending. */
static int commits_of(struct pe_pin_commits *out, struct pinning *pinning, int64_t key)
{
	struct pe_app *app = pinning->session->app;
	struct pe_batch batch;
	int rc = pe_store_get_batch(&batch, app->store, key, &pinning->arena, app->err);

	*out = (struct pe_pin_commits){NULL, 0};
	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	out->commit = pe_arena_new(&pinning->arena, size_t, batch.n_cells);
	for (size_t i = 0; i < batch.n_cells; i++) {
		size_t state = state_of(pinning->suspect->found, batch.cells[i].revision), at;

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

static int run_rounds(struct pe_engine *engine, const size_t *revisions, size_t n, size_t benchmark,
		      bool counted, struct pe_arena *arena)
{
	const enum pe_run_kind kind = counted ? PE_RUN_COUNTED : PE_RUN_TIMED;
	struct pe_cell **cells = pe_arena_new(arena, struct pe_cell *, n);

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < n; i++)
			cells[i] = pe_engine_cell(engine, revisions[i], benchmark);
		pe_engine_shuffle(engine, kind, round, cells, n);
		PE_TRY(pe_engine_round(engine, kind, round, cells, n));
	}
	return PE_OK;
}

/*
 * Measure commits in a batch, a new one (key 0) or one that was begun.
 *
 * @param loaded  how many of them had room; with fewer than two nothing was learnt
 */
static int measure(int64_t *key, size_t *loaded, struct pinning *pinning,
		   const struct pe_pin_commits *commits)
{
	struct pe_session *session = pinning->session;
	const struct pe_suspect *suspect = pinning->suspect;
	struct pe_engine_opts opts = {
		.batch = *key, .rounds = ROUNDS, .aside = true, .expected = ROUNDS * commits->n};
	size_t *revisions = pe_arena_new(&pinning->arena, size_t, commits->n), n = commits->n;
	size_t benchmark = pe_session_benchmark_of(session, suspect->row.benchmark);
	struct pe_engine *engine;
	int rc = PE_OK;

	*loaded = 0;
	for (size_t i = 0; i < n; i++)
		revisions[i] = pe_suspect_revision(suspect, commits->commit[i]);
	if (benchmark == SIZE_MAX || n < 2)
		return PE_OK;
	PE_TRY(pe_engine_open(&engine, session, revisions, n, &benchmark, 1, &opts));
	for (size_t i = 0; i < n; i++)
		*loaded += pe_engine_is_loaded(engine, revisions[i]);
	if (*key == 0 && *loaded >= 2)
		rc = pe_store_put_pin(session->app->store, suspect->row.batch,
				      pe_engine_batch(engine), session->app->err);
	*key = pe_engine_batch(engine);
	if (rc == PE_OK && *loaded >= 2)
		rc = run_rounds(engine, revisions, n, benchmark,
				pe_benchmark_counts(session->benchmarks.data[benchmark],
						    suspect->found->metric),
				&pinning->arena);
	return pe_engine_close(rc, engine, rc == PE_OK);
}

/* --- The place --- */

static void take_place(struct pe_suspect *suspect, const struct pe_pin_refined *refined)
{
	const struct pe_series_found *found = suspect->found;
	struct pe_stored_confirmation *row = &suspect->row;

	row->pinned_before = found->revisions[found->last[refined->before]].key;
	row->pinned_after = found->revisions[found->first[refined->index]].key;
	row->pinned_first = found->revisions[found->first[refined->first]].key;
	row->pinned_last = found->revisions[found->first[refined->last]].key;
	row->sure = refined->sure;
}

/* One time: what an earlier batch holds, or a new one. *around is what the next is to hold. */
static int refine(bool *more, struct pinning *pinning, size_t time, struct pe_pin_commits *around)
{
	struct pe_suspect *suspect = pinning->suspect;
	const struct pe_changepoints *found = &suspect->found->found;
	const struct pe_pin_opts opts = {suspect->row.direction, found->jitter, 0.95};
	int64_t key = time < pinning->n_batches ? pinning->batches[time] : 0;
	struct pe_pin_refined refined;
	size_t loaded;

	*more = false;
	if (key != 0)
		PE_TRY(commits_of(around, pinning, key));
	PE_TRY(measure(&key, &loaded, pinning, around));
	if (loaded >= 2)
		PE_TRY(add_batch(pinning, key));
	if (loaded < 2)
		return PE_OK;
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
	const struct pe_series_found *found = suspect->found;
	struct pinning pinning = {.session = session, .suspect = suspect, .arena = PE_ARENA_INIT};
	struct pe_pin_commits around =
		pe_pin_remeasure(&found->found, suspect->change, 0.95, &pinning.arena);
	bool more = true;
	int rc = PE_OK;

	for (size_t i = 0; i < found->readings.n; i++)
		pe_vec_push(&pinning.readings, found->readings.at[i]);
	if (suspect->row.batch != 0)
		rc = pe_store_pins(&pinning.batches, &pinning.n_batches, app->store,
				   suspect->row.batch, &pinning.arena, app->err);
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
