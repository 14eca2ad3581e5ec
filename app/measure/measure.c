/*
 * The measuring half of a session: batches that a killed session left open are continued as they were; then new ones are
 * planned for the remaining runs. Anchors are chosen and built first, then as many new revisions as fit beside them.
 * Cells that reuse does not cover are counted, and then run in rounds, until the stop rule ends them.
 */
#include "app/measure/ahead.h"
#include "app/measure/carry.h"
#include "app/measure/engine.h"
#include "app/measure/generic.h"
#include "app/measure/plan.h"
#include "app/measure/reuse.h"
#include "app/measure/stop_rule.h"

#include <string.h>

/* --- Rounds --- */

/* Take unneeded runs off the total, which may not contain them all while a history is explored. */
static void expect_fewer(struct pe_session *session, size_t n)
{
	const size_t total = session->count.total, done = session->count.done;

	session->count.total = total > done + n ? total - n : done;
}

/*
 * Run the missing rounds of cells: first counting runs of new cells, then timed rounds, each in an order of its own.
 * Counts are exact after a run or two.
 */
static int run_cells(struct pe_engine *engine, struct pe_session *session,
		     struct pe_cell *const *cells, size_t n)
{
	struct pe_cell **new_cells = pe_arena_new(session->arena, struct pe_cell *, n);
	struct pe_cell **order = pe_arena_new(session->arena, struct pe_cell *, n);
	const struct pe_revision *wanted = pe_session_newest(session);
	/* The stop rule gives it more runs. */
	const size_t newest = wanted != NULL ? (size_t)(wanted - session->revisions) : SIZE_MAX;
	unsigned most = 0;
	size_t n_new = 0;

	for (size_t i = 0; i < n; i++) {
		if (cells[i]->role == PE_ROLE_NEW && !cells[i]->has_counts)
			new_cells[n_new++] = cells[i];
		most = cells[i]->rounds > most ? cells[i]->rounds : most;
	}
	PE_TRY(pe_engine_count_all(engine, new_cells, n_new, 0));
	for (unsigned round = 0; round < most; round++) {
		size_t before = pe_engine_runs(engine);

		memcpy(order, cells, n * sizeof(*order));
		pe_engine_shuffle(engine, PE_RUN_TIMED, round, order, n);
		PE_TRY(pe_engine_round(engine, PE_RUN_TIMED, round, order, n));
		if (!session->whole && !session->again && pe_engine_runs(engine) > before)
			PE_TRY(pe_stop_rule_apply(engine, session, cells, n, round + 1, newest));
	}
	return PE_OK;
}

/* --- Batches that were left open --- */

/* The part of a batch's plan that this session can run. */
struct share {
	struct pe_cell **cells;
	size_t n;
	bool whole; /* it is the complete plan; else the batch stays open for another session */
};

/* The cells of wanted revisions and the anchors; none where no wanted revision is new in the batch. */
static struct share share_of(struct pe_engine *engine, const struct pe_session *session,
			     const struct pe_batch *batch)
{
	struct share out = {.cells =
				    pe_arena_new(session->arena, struct pe_cell *, batch->n_cells)};
	bool asked = false;

	for (size_t i = 0; i < batch->n_cells; i++) {
		const enum pe_role role = batch->cells[i].role;
		const size_t r = pe_session_revision_of(session, batch->cells[i].revision);
		const size_t w = pe_session_benchmark_of(session, batch->cells[i].benchmark);

		if (r == SIZE_MAX || w == SIZE_MAX ||
		    (!session->wanted[r] && role != PE_ROLE_ANCHOR))
			continue;
		asked |= session->wanted[r] && role == PE_ROLE_NEW;
		out.cells[out.n++] = pe_engine_cell(engine, r, w);
	}
	out.whole = asked && out.n == batch->n_cells;
	out.n = asked ? out.n : 0;
	return out;
}

/* Build as many of the revisions as fit and measure them; the others stay in the share. */
static int resume_part(struct share *share, struct pe_engine *engine, struct pe_session *session)
{
	size_t *which = pe_arena_new(session->arena, size_t, share->n);
	size_t n = 0, n_loaded = 0, n_left = 0;
	struct pe_cell **loaded = pe_arena_new(session->arena, struct pe_cell *, share->n);
	bool *in = pe_arena_new(session->arena, bool, session->n_revisions);

	for (size_t i = 0; i < share->n; i++)
		in[share->cells[i]->revision] = true;
	for (size_t r = 0; r < session->n_revisions; r++)
		if (in[r])
			which[n++] = r;
	PE_TRY(pe_engine_load(engine, which, n));
	for (size_t i = 0; i < share->n; i++) {
		size_t r = share->cells[i]->revision;

		if (pe_engine_is_loaded(engine, r))
			loaded[n_loaded++] = share->cells[i];
		else if (!pe_engine_is_unbuildable(engine, r))
			share->cells[n_left++] = share->cells[i];
	}
	share->whole &= n_left == 0 || n_loaded > 0;
	share->n = n_loaded > 0 ? n_left : 0;
	return run_cells(engine, session, loaded, n_loaded);
}

static int resume(struct pe_session *session, const struct pe_batch *batch)
{
	const struct pe_engine_opts opts = {.batch = batch->key, .lazy = true};
	struct pe_engine *engine;
	struct share share;
	int rc = PE_OK;

	PE_TRY(pe_engine_open(&engine, session, NULL, 0, NULL, 0, &opts));
	share = share_of(engine, session, batch);
	while (rc == PE_OK && share.n > 0)
		rc = resume_part(&share, engine, session);
	return pe_engine_close(rc, engine, rc == PE_OK && share.whole);
}

static int resume_all(struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_batch *batches;
	size_t n;

	PE_TRY(pe_store_open_batches(&batches, &n, app->store, session->machine_key, session->arena,
				     app->err));
	for (size_t i = 0; i < n; i++)
		PE_TRY(resume(session, &batches[i]));
	return PE_OK;
}

/* --- New batches --- */

/* A batch that is being planned. */
struct batch {
	struct pe_session *session;
	struct pe_engine *engine;
	struct pe_known known;
	struct pe_reuse *reuse; /* NULL: nothing is reused */
	bool *tried;            /* by revision: handled in this session */
	size_t *early, n_early; /* revisions that are built before all others */
	size_t end;             /* the first revision that is not built ahead */
	PE_VEC(struct pe_cell *) cells;
	unsigned *rounds; /* by benchmark: the most timed runs that a new cell wants */
};

static bool has_wants(const struct batch *batch, size_t r)
{
	return batch->session->wanted[r] && !batch->tried[r] &&
	       pe_plan_runs(batch->session, &batch->known, r) > 0;
}

static size_t first_with_wants(const struct batch *batch)
{
	size_t r = 0;

	while (r < batch->session->n_revisions && !has_wants(batch, r))
		r++;
	return r;
}

/*
 * Plan the cells of a built revision: those that execute the same as a measured revision take over its results, the
 * others are to be run. *n counts the latter.
 */
static int add_new_cells(struct batch *batch, size_t r, size_t *n)
{
	struct pe_session *session = batch->session;

	*n = 0;
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_coverage wants = pe_plan_wants(session, &batch->known, r, w);
		struct pe_cell *cell;
		bool reused = false;

		if (wants.timed + wants.counted == 0)
			continue;
		/* A cell that has runs of its own takes over none. */
		if (batch->reuse != NULL && pe_known_at(&batch->known, session, r, w) == NULL)
			PE_TRY(pe_reuse_try(&reused, batch->reuse, &batch->known, r, w,
					    pe_engine_tree_of(batch->engine, r)));
		if (reused) {
			session->n_reused++;
			expect_fewer(session, wants.timed + wants.counted);
			continue;
		}
		++*n;
		cell = pe_engine_cell(batch->engine, r, w);
		cell->role = PE_ROLE_NEW;
		cell->rounds = wants.timed;
		cell->has_counts = wants.counted == 0;
		pe_vec_push(&batch->cells, cell);
		if (wants.timed > batch->rounds[w])
			batch->rounds[w] = wants.timed;
	}
	return pe_reuse_keep(batch->reuse);
}

/* An anchor is run as often as the new cells beside it. */
static void add_anchor_cells(struct batch *batch, size_t r)
{
	const struct pe_session *session = batch->session;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_coverage *have = pe_known_at(&batch->known, session, r, w);

		struct pe_cell *cell;

		if (have == NULL || have->timed == 0 || have->failure != PE_MEASURED ||
		    batch->rounds[w] == 0)
			continue;
		cell = pe_engine_cell(batch->engine, r, w);
		cell->role = PE_ROLE_ANCHOR;
		cell->rounds = batch->rounds[w];
		pe_vec_push(&batch->cells, cell);
	}
}

/* Drop a carried revision from the progress's totals: it needs neither a build nor runs. */
static void leave_out(struct batch *batch, size_t r)
{
	struct pe_session *session = batch->session;

	batch->tried[r] = true;
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_coverage wants = pe_plan_wants(session, &batch->known, r, w);

		expect_fewer(session, wants.timed + wants.counted);
		session->n_reused += wants.timed + wants.counted > 0;
	}
	if (session->builds_total > session->builds_done)
		session->builds_total--;
}

/* --- Early builds --- */

/* Revisions of a comparison: the reads of one seldom make the other's build unnecessary. */
enum { SIDES = 2 };

/*
 * Choose revisions to build early while the reads of builds are unknown: both ends of the range and some evenly between,
 * as many as are built at one time, but half of all at most. Their traces may make others unnecessary, and beside the
 * first build they take no extra time.
 */
static int choose_early(struct batch *batch, size_t first)
{
	struct pe_session *session = batch->session;
	bool carried = false;
	pe_auto_free size_t *all = pe_realloc(NULL, session->n_revisions, sizeof(*all));
	size_t m = 0, n = pe_session_workers(session);

	for (size_t r = first; r < session->n_revisions; r++)
		if (has_wants(batch, r))
			all[m++] = r;
	if (m <= SIDES || !pe_carry_is_unknown(batch->reuse))
		return PE_OK;
	n = n < (m + 1) / 2 ? n : (m + 1) / 2;
	batch->early = pe_arena_new(session->arena, size_t, n);
	for (size_t i = 0; i < n; i++) {
		size_t r = all[n > 1 ? i * (m - 1) / (n - 1) : 0];

		PE_TRY(pe_carry_try(&carried, batch->reuse, &batch->known, r));
		if (carried)
			leave_out(batch, r);
		else
			batch->early[batch->n_early++] = r;
	}
	return PE_OK;
}

/* --- Building and loading --- */

/* Build the wanted revisions from `first` on side by side, after those in `before`. */
static int build_ahead(struct batch *batch, const size_t *before, size_t n, size_t first)
{
	const struct pe_session *session = batch->session;
	pe_auto_free size_t *which = pe_realloc(NULL, n + session->n_revisions + 1, sizeof(*which));
	size_t m = n, done;
	enum pe_foreseen needs = PE_FORESEEN_BUILD;

	if (n > 0)
		memcpy(which, before, n * sizeof(*which));
	for (size_t r = first; r < session->n_revisions; r++) {
		if (!has_wants(batch, r))
			continue;
		/* A revision that may need no build waits until the one before it is built. */
		if (m > n)
			PE_TRY(pe_carry_predict(&needs, batch->reuse, which[m - 1], r));
		if (needs == PE_FORESEEN_BUILD)
			which[m++] = r;
	}
	PE_TRY(pe_engine_build_ahead(&done, batch->engine, which, m));
	batch->end = done >= m ? session->n_revisions : done < n ? first : which[done];
	return PE_OK;
}

/*
 * Build the early revisions, after the anchors. Their slots are released for other revisions: which revisions share a
 * batch must not depend on known reads of builds.
 */
static int build_early(struct batch *batch, const size_t *anchors, size_t n)
{
	struct pe_session *session = batch->session;
	int rc;
	pe_auto_free size_t *which = pe_realloc(NULL, n + batch->n_early, sizeof(*which));

	if (n > 0)
		memcpy(which, anchors, n * sizeof(*which));
	memcpy(which + n, batch->early, batch->n_early * sizeof(*which));
	rc = pe_engine_build_ahead(NULL, batch->engine, which, n + batch->n_early);
	for (size_t i = 0; i < batch->n_early; i++) {
		struct pe_slot *slot =
			pe_slots_find(&session->slots, session->revisions[batch->early[i]].id,
				      session->recipe_hash);

		if (slot != NULL)
			slot->held = false;
	}
	return rc;
}

/* Build the anchors before the new revisions take all slots; those that do not build are dropped. */
static int load_anchors(struct batch *batch, size_t first, size_t anchors[4], size_t *n)
{
	const struct pe_session *session = batch->session;
	bool *taken = pe_arena_new(session->arena, bool, session->n_revisions);
	size_t chosen, loaded = 0;

	for (size_t r = 0; r < session->n_revisions; r++)
		taken[r] = has_wants(batch, r);
	chosen = pe_plan_anchors(anchors, session, &batch->known, first, taken);
	PE_TRY(batch->n_early > 0 ? build_early(batch, anchors, chosen)
				  : build_ahead(batch, anchors, chosen, first));
	for (size_t i = 0; i < chosen; i++) {
		PE_TRY(pe_engine_build(batch->engine, anchors[i]));
		if (pe_engine_is_loaded(batch->engine, anchors[i]))
			anchors[loaded++] = anchors[i];
	}
	*n = loaded;
	return PE_OK;
}

/* Load one revision: carry it over, or build it and plan its cells. *full: there is no slot for it. */
static int load_one(bool *full, struct batch *batch, size_t r)
{
	bool carried = false;
	size_t cells;

	*full = false;
	PE_TRY(pe_carry_try(&carried, batch->reuse, &batch->known, r));
	if (carried) {
		leave_out(batch, r);
		return PE_OK;
	}
	/* Reused revisions released their slots: build more ahead. */
	if (r >= batch->end)
		PE_TRY(build_ahead(batch, NULL, 0, r));
	PE_TRY(pe_engine_build(batch->engine, r));
	*full = !pe_engine_is_loaded(batch->engine, r) &&
		!pe_engine_is_unbuildable(batch->engine, r);
	if (*full)
		return PE_OK;
	batch->tried[r] = true;
	if (pe_engine_is_unbuildable(batch->engine, r))
		return PE_OK;
	PE_TRY(add_new_cells(batch, r, &cells));
	return cells == 0 ? pe_engine_evict(PE_OK, batch->engine, r) : PE_OK;
}

static int load_new(struct batch *batch, size_t first)
{
	bool full = false;

	/* The early revisions were built ahead, as far as there was room. */
	batch->end = batch->n_early > 0 ? first : batch->end;
	for (size_t r = first; !full && r < batch->session->n_revisions; r++)
		if (has_wants(batch, r))
			PE_TRY(load_one(&full, batch, r));
	return PE_OK;
}

/*
 * Load all that fits. If there is no room for any new revision beside the anchors, anchors are dropped. They are in the
 * order of history, references before predecessors, and the oldest and the nearest are dropped last.
 */
static int load(struct batch *batch, size_t first)
{
	struct pe_session *session = batch->session;
	size_t anchors[4], n;
	bool had_anchors;

	PE_TRY(load_anchors(batch, first, anchors, &n));
	had_anchors = n > 0;
	PE_TRY(load_new(batch, first));
	while (batch->cells.n == 0 && n > 0 && first_with_wants(batch) < session->n_revisions) {
		size_t dropped = n > 2 ? 1 : 0;

		PE_TRY(pe_engine_evict(PE_OK, batch->engine, anchors[dropped]));
		memmove(&anchors[dropped], &anchors[dropped + 1],
			(--n - dropped) * sizeof(*anchors));
		PE_TRY(load_new(batch, first));
	}
	if (had_anchors && n == 0 && batch->cells.n > 0)
		pe_app_note(
			session->app,
			"the disk budget has no room for a reference build beside a new one, so "
			"results of different sessions are not tied together: raise 'disk:'");
	for (size_t i = 0; batch->cells.n > 0 && i < n; i++)
		add_anchor_cells(batch, anchors[i]);
	return PE_OK;
}

/* Leave out the cells of benchmarks that were found to be equal in both compared revisions. */
static int leave_equal(struct batch *batch)
{
	struct pe_session *session = batch->session;
	size_t n = 0;

	if (!session->compares)
		return PE_OK;
	PE_TRY(pe_known_load(&batch->known, session));
	for (size_t i = 0; i < batch->cells.n; i++) {
		struct pe_cell *cell = batch->cells.data[i];

		if (!pe_known_is_equal(&batch->known, session, cell->benchmark)) {
			batch->cells.data[n++] = cell;
			continue;
		}
		expect_fewer(session, cell->rounds);
		cell->rounds = 0;
	}
	batch->cells.n = n;
	return PE_OK;
}

static int measure_batch(struct batch *batch, size_t first, bool begins)
{
	struct pe_session *session = batch->session;

	PE_TRY(choose_early(batch, first));
	PE_TRY(load(batch, first));
	PE_TRY(leave_equal(batch));
	PE_TRY(pe_engine_plan(batch->engine, batch->cells.data, batch->cells.n));
	if (begins && batch->cells.n > 0 && session->begin != NULL)
		PE_TRY(session->begin(session->look_payload));
	return run_cells(batch->engine, session, batch->cells.data, batch->cells.n);
}

/* Plan one batch of the remaining runs, measure it, close it. *more: there may be further ones. */
static int measure_next(struct pe_session *session, struct pe_reuse *reuse, bool *tried,
			bool begins, bool *more)
{
	static const struct pe_engine_opts opts = {.lazy = true};
	struct batch batch = {.session = session, .reuse = reuse, .tried = tried};
	size_t first;
	int rc;

	*more = false;
	PE_TRY(pe_known_load(&batch.known, session));
	first = first_with_wants(&batch);
	if (first == session->n_revisions)
		return PE_OK;
	*more = true;
	batch.rounds = pe_arena_new(session->arena, unsigned, session->benchmarks.n);
	PE_TRY(pe_engine_open(&batch.engine, session, NULL, 0, NULL, 0, &opts));
	rc = measure_batch(&batch, first, begins);
	pe_vec_release(&batch.cells);
	return pe_engine_close(rc, batch.engine, rc == PE_OK);
}

int pe_session_measure(struct pe_session *session)
{
	bool *tried = pe_arena_new(session->arena, bool, session->n_revisions);
	pe_auto_reuse *reuse = NULL;
	bool begins = true, more = true, found, forgot;

	/* With --counts nothing is timed: cells of open batches are counted in new ones. */
	if (!session->again && !session->app->counts_only)
		PE_TRY(resume_all(session));
	PE_TRY(pe_reuse_new(&reuse, session));
	while (more) {
		PE_TRY(measure_next(session, reuse, tried, begins, &more));
		begins = false;
		PE_TRY(pe_reuse_settle(&forgot, reuse));
		PE_TRY(pe_session_take_news(&found, session));
		/* Cells that were taken over, or benchmarks that the newest revision lacks, are to be measured now. */
		if (forgot || found) {
			more = true;
			memset(tried, 0, session->n_revisions * sizeof(*tried));
		}
		if (found) {
			pe_reuse_free(reuse);
			PE_TRY(pe_reuse_new(&reuse, session));
		}
	}
	return pe_generic_mark(session);
}
