#include "app/measure/epochs.h"

#include "app/measure/engine.h"
#include "app/measure/plan.h"
#include "core/base/clock.h"
#include "core/base/text.h"
#include "store/store.h"

#include <string.h>
#include <time.h>

/* The counted epochs of a benchmark. */
struct counted {
	struct pe_module_epoch *at;
	size_t n;
};

/* Cells that are to be counted. */
struct linking {
	struct pe_session *session;
	struct pe_known known;
	bool wanted;
	PE_VEC(struct pe_cell) cells;
	PE_VEC(const char *) told;
};

static const struct pe_module_epoch *latest_of(const struct counted *counted)
{
	const struct pe_module_epoch *latest = NULL;

	for (size_t i = 0; i < counted->n; i++)
		if (latest == NULL || counted->at[i].latest > latest->latest)
			latest = &counted->at[i];
	return latest;
}

int pe_epochs_latest(unsigned *out, struct pe_store *store, int64_t machine, int64_t benchmark,
		     struct pe_err *err)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct counted counted;
	int rc = pe_store_module_epochs(&counted.at, &counted.n, store, machine, benchmark, &work,
					err);

	*out = rc == PE_OK && counted.n > 0 ? latest_of(&counted)->epoch : 0;
	return rc;
}

/* --- Gaps --- */

/* The first epoch of a revision, and their number. */
static const struct pe_module_epoch *epochs_of(size_t *n, const struct counted *counted,
					       int64_t revision)
{
	const struct pe_module_epoch *first = NULL;

	*n = 0;
	for (size_t i = 0; i < counted->n; i++) {
		if (counted->at[i].revision != revision)
			continue;
		first = first != NULL ? first : &counted->at[i];
		++*n;
	}
	return first;
}

static bool share_epoch(const struct counted *counted, int64_t a, int64_t b)
{
	size_t n, m;
	const struct pe_module_epoch *x = epochs_of(&n, counted, a);
	const struct pe_module_epoch *y = epochs_of(&m, counted, b);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			if (x[i].epoch == y[k].epoch)
				return true;
	return false;
}

/* The revision that provides a revision's counts: itself, or another that executes the same. 0: none. */
static int64_t source_of(const struct linking *linking, const struct counted *counted,
			 int64_t revision, int64_t benchmark)
{
	int64_t source = pe_known_reused(&linking->known, revision, benchmark).source;
	size_t n;

	if (epochs_of(&n, counted, revision) != NULL)
		return revision;
	return source != 0 && epochs_of(&n, counted, source) != NULL ? source : 0;
}

static void add(struct linking *linking, int64_t revision, size_t benchmark)
{
	const size_t r = pe_session_revision_of(linking->session, revision);

	if (r == SIZE_MAX || pe_known_unbuildable(&linking->known, revision))
		return;
	for (size_t i = 0; i < linking->cells.n; i++)
		if (linking->cells.data[i].revision == r &&
		    linking->cells.data[i].benchmark == benchmark)
			return;
	pe_vec_push(&linking->cells, (struct pe_cell){.revision = r, .benchmark = benchmark});
}

/* --- Notes --- */

static void add_day(struct pe_text *out, int64_t time_s)
{
	const time_t time = (time_t)time_s;
	char day[sizeof("2026-12-31")];
	struct tm broken;

	if (localtime_r(&time, &broken) != NULL &&
	    strftime(day, sizeof(day), "%Y-%m-%d", &broken) > 0)
		pe_text_add(out, day);
}

/* Print the note once for all benchmarks that share it. */
static void tell(struct linking *linking, const struct pe_module_epoch *old,
		 const struct pe_module_epoch *new)
{
	pe_auto_text text = PE_TEXT_INIT;
	pe_auto_arena work = PE_ARENA_INIT;
	const struct pe_module_set before = pe_modules_unpack(old->modules, &work);
	const struct pe_module_set now = pe_modules_unpack(new->modules, &work);
	const char *first;
	const size_t n = pe_modules_replaced(&first, &before, &now);

	if (n == 0)
		return;
	pe_text_addf(&text, "%s%s", first,
		     n > 1 ? pe_arena_printf(&work, " and %zu more", n - 1) : "");
	pe_text_add(&text, n > 1 ? " were replaced after " : " was replaced after ");
	add_day(&text, old->counted_s < new->counted_s ? old->counted_s : new->counted_s);
	for (size_t i = 0; i < linking->told.n; i++)
		if (strcmp(linking->told.data[i], text.data) == 0)
			return;
	pe_vec_push(&linking->told, pe_arena_strdup(linking->session->arena, text.data));
	pe_app_note(
		linking->session->app,
		"%s: allocations and simulated instructions that were counted before are not compared with later ones; commits on both sides are counted again to link them",
		text.data);
}

static int find_gaps(struct linking *linking, size_t benchmark)
{
	struct pe_session *session = linking->session;
	const int64_t key = session->benchmarks.data[benchmark]->key;
	const struct pe_module_epoch *latest;
	struct counted counted;
	int64_t before = 0;
	size_t n;

	PE_TRY(pe_store_module_epochs(&counted.at, &counted.n, session->app->store,
				      session->machine_key, key, session->arena,
				      session->app->err));
	if (counted.n == 0)
		return PE_OK;
	latest = latest_of(&counted);
	if (!linking->wanted && latest->counted_s < session->module_files.since_s)
		return PE_OK;
	for (size_t r = 0; r < session->n_revisions; r++) {
		int64_t source = source_of(linking, &counted, session->revisions[r].key, key);

		if (source == 0 || (linking->wanted && !session->wanted[r]))
			continue;
		if (before != 0 && before != source && !share_epoch(&counted, before, source)) {
			tell(linking, epochs_of(&n, &counted, before),
			     epochs_of(&n, &counted, source));
			add(linking, before, benchmark);
			add(linking, source, benchmark);
		}
		before = source;
	}
	return PE_OK;
}

/* --- Counting --- */

/* Count the cells of loaded revisions, in one batch: its runs are of one epoch. */
static int count_loaded(struct linking *linking, struct pe_engine *engine)
{
	struct pe_session *session = linking->session;
	struct pe_cell **cells = pe_arena_new(session->arena, struct pe_cell *, linking->cells.n);
	size_t n = 0;

	for (size_t i = 0; i < linking->cells.n; i++) {
		const struct pe_cell *cell = &linking->cells.data[i];

		if (pe_engine_is_loaded(engine, cell->revision))
			cells[n++] = pe_engine_cell(engine, cell->revision, cell->benchmark);
	}
	session->count.total += n * PE_COUNTED_ROUNDS;
	PE_TRY(pe_engine_plan(engine, cells, n));
	return pe_engine_count_all(engine, cells, n, 0);
}

static int count_all(struct linking *linking)
{
	static const struct pe_engine_opts opts = {.lazy = true};
	struct pe_session *session = linking->session;
	pe_auto_free size_t *which = pe_realloc(NULL, linking->cells.n + 1, sizeof(*which));
	struct pe_engine *engine;
	size_t n = 0;
	int rc = pe_engine_open(&engine, session, NULL, 0, NULL, 0, &opts);

	for (size_t i = 0; i < linking->cells.n; i++) {
		bool listed = false;

		for (size_t k = 0; k < n && !listed; k++)
			listed = which[k] == linking->cells.data[i].revision;
		if (!listed)
			which[n++] = linking->cells.data[i].revision;
	}
	if (rc == PE_OK)
		rc = pe_engine_load(engine, which, n);
	if (rc == PE_OK)
		rc = count_loaded(linking, engine);
	return pe_engine_close(rc, engine, rc == PE_OK);
}

int pe_epochs_link(struct pe_session *session, bool wanted)
{
	struct linking linking = {.session = session, .wanted = wanted};
	int rc = PE_OK;

	if (session->runner.alloc_library == NULL)
		return PE_OK;
	rc = pe_known_load(&linking.known, session);
	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++)
		if (session->benchmarks.data[w]->count_allocations)
			rc = find_gaps(&linking, w);
	if (rc == PE_OK && linking.cells.n > 0)
		rc = count_all(&linking);
	pe_vec_release(&linking.cells);
	pe_vec_release(&linking.told);
	return rc;
}
