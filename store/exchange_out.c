/*
 * Exchange, outwards: batches, failed builds, reused cells and confirmations as results. Each statement selects what a
 * table of store/exchange/columns.h has, in its order. References are selected as keys: the row of a key is the next one
 * of its table where it is met first.
 */
#include "store/exchange.h"

#include "store/exchange/columns.h"
#include "core/base/key_index.h"
#include "analysis/profile/archive.h"
#include "store/sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Keys of rows that others refer to, in the order of the document's table. */
struct referred {
	PE_VEC(int64_t) keys;
	struct pe_key_index index;
};

struct packing {
	struct pe_store *store;
	struct pe_arena *arena;
	struct pe_err *err;
	struct pe_results *out;
	/* revisions, benchmarks, metrics, sets of modules */
	struct referred referred[PE_RESULTS_MODULE_SETS + 1];
};

static int fill(struct packing *packing, const struct pe_results_column *columns, size_t n,
		void *row, sqlite3_stmt *stmt, int *at);

/* --- References --- */

/* The row of a key in its table. */
static size_t row_of(struct packing *packing, enum pe_results_table table, int64_t key)
{
	struct referred *referred = &packing->referred[table];
	size_t at = pe_key_index_find(&referred->index, key);

	if (at != SIZE_MAX)
		return at;
	pe_key_index_put(&referred->index, key, referred->keys.n);
	pe_vec_push(&referred->keys, key);
	return referred->keys.n - 1;
}

/* --- Rows --- */

static int fill_samples(struct packing *packing, struct pe_results_run *run, int64_t key)
{
	int rc = pe_sql_rows(&run->samples, &run->n_samples, packing->store,
			     "SELECT metric, value FROM samples WHERE run = ?1 ORDER BY metric",
			     ARGS(INT(key)), PE_ROW(struct pe_results_sample, metric, value),
			     packing->arena, packing->err);

	for (size_t i = 0; i < run->n_samples; i++)
		run->samples[i].metric =
			row_of(packing, PE_RESULTS_METRICS, (int64_t)run->samples[i].metric);
	return rc;
}

static bool is_there(sqlite3_stmt *stmt, int first, size_t n)
{
	for (int i = 0; i < (int)n; i++)
		if (sqlite3_column_type(stmt, first + i) == SQLITE_NULL)
			return false;
	return true;
}

/* A text that may be missing and that every reader would refuse is left out. */
static const char *sound_or_null(const struct pe_results_column *column, sqlite3_stmt *stmt, int at,
				 struct pe_arena *arena)
{
	const char *text = pe_sql_text_or_null(stmt, at, arena);

	return text == NULL || column->fault == NULL || column->fault(text) == NULL ? text : NULL;
}

static int fill_column(struct packing *packing, const struct pe_results_column *column, void *row,
		       sqlite3_stmt *stmt, int at)
{
	void *place = (char *)row + column->offset;
	int64_t value;

	switch (column->kind) {
	case PE_COLUMN_REAL:
		*(double *)place = is_there(stmt, at, 1) ? sqlite3_column_double(stmt, at) : NAN;
		break;
	case PE_COLUMN_TEXT:
		*(const char **)place = column->maybe
						? sound_or_null(column, stmt, at, packing->arena)
						: pe_sql_text(stmt, at, packing->arena);
		break;
	case PE_COLUMN_HEX:
		pe_sql_hex(place, column->size, stmt, at);
		break;
	case PE_COLUMN_SAMPLES:
		return fill_samples(packing, row, sqlite3_column_int64(stmt, at));
	default:
		value = sqlite3_column_int64(stmt, at);
		if (column->kind == PE_COLUMN_ROW)
			value = is_there(stmt, at, 1)
					? (int64_t)row_of(packing,
							  (enum pe_results_table)column->most,
							  value)
					: 0;
		pe_results_set(column, row, value);
	}
	return PE_OK;
}

/* Columns from *at on, into a row. */
static int fill(struct packing *packing, const struct pe_results_column *columns, size_t n,
		void *row, sqlite3_stmt *stmt, int *at)
{
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		const struct pe_results_column *column = &columns[i];

		if (column->n_inner != 0 && column->maybe)
			*(bool *)((char *)row + column->offset) =
				is_there(stmt, *at, column->n_inner);
		if (column->n_inner != 0)
			rc = fill(packing, column->inner, column->n_inner, row, stmt, at);
		else
			rc = fill_column(packing, column, row, stmt, (*at)++);
	}
	return rc;
}

/* All rows of a table that a statement selects. */
static int select_rows(struct packing *packing, enum pe_results_table which, const char *sql,
		       const struct pe_sql_arg *args)
{
	const struct pe_results_shape *table = &pe_results_tables[which];
	size_t n = 0, capacity = 0;
	char *rows = NULL, **out = pe_results_rows(packing->out, table);
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store, sql, args, packing->err);

	while (pe_sql_next(&rc, stmt, packing->store, packing->err)) {
		int at = 0;

		if (n == capacity) {
			capacity = capacity != 0 ? 2 * capacity : 8;
			rows = pe_realloc(rows, capacity, table->size);
		}
		memset(rows + n * table->size, 0, table->size);
		rc = fill(packing, table->columns, table->n, rows + n * table->size, stmt, &at);
		n++;
	}
	pe_sql_close(stmt);
	*out = pe_arena_alloc(packing->arena, n, table->size);
	if (n != 0)
		memcpy(*out, rows, n * table->size);
	*pe_results_n_rows(packing->out, table) = n;
	free(rows);
	return rc;
}

/* The row of a key. */
static int select_row(struct packing *packing, const struct pe_results_shape *table, void *row,
		      const char *sql, int64_t key)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store, sql, ARGS(INT(key)), packing->err), at = 0;

	if (pe_sql_next(&rc, stmt, packing->store, packing->err))
		rc = fill(packing, table->columns, table->n, row, stmt, &at);
	else if (rc == PE_OK)
		rc = pe_fail(packing->err, PE_ENOTFOUND, "%s: there is no row %lld of '%s'",
			     packing->store->path, (long long)key, table->name);
	pe_sql_close(stmt);
	return rc;
}

/* --- Trees --- */

static struct pe_results_bytes copy_bytes(const struct pe_text *text, struct pe_arena *arena)
{
	uint8_t *copy = pe_arena_alloc(arena, text->len, 1);

	if (text->len != 0)
		memcpy(copy, text->data, text->len);
	return (struct pe_results_bytes){copy, text->len};
}

/* Frames are named by their numbers in the table of all trees: those are the rows of the document. */
static struct pe_results_tree pack_tree(const struct pe_cct *cct, struct pe_arena *arena)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	uint64_t *ids = pe_arena_new(&scratch, uint64_t, cct->frames->n);
	struct pe_archive archive = PE_ARCHIVE_INIT;
	struct pe_results_tree row = {0};
	pe_auto_text numbers = PE_TEXT_INIT;
	uint32_t *used;
	size_t n;

	for (uint32_t i = 0; i < cct->frames->n; i++)
		ids[i] = i;
	pe_archive_used(&used, &n, cct, &scratch);
	for (size_t i = 0; i < n; i++)
		for (int byte = 0; byte < 4; byte++)
			pe_text_addc(&numbers, (char)(used[i] >> (8 * byte)));
	pe_archive_pack(&archive, cct, ids);
	row.frames = copy_bytes(&numbers, arena);
	row.data = copy_bytes(&archive.tree, arena);
	pe_archive_release(&archive);
	return row;
}

static void pack_frames(struct pe_results *out, const struct pe_frames *frames,
			struct pe_arena *arena)
{
	out->frames = pe_arena_new(arena, struct pe_results_frame, frames->n);
	out->n_frames = frames->n;
	for (uint32_t i = 0; i < frames->n; i++) {
		const struct pe_frame *frame = &frames->at[i];

		out->frames[i] = (struct pe_results_frame){
			.name = pe_arena_strdup(arena, frame->name),
			.component = pe_arena_strdup(arena, frame->component),
			.signature = pe_arena_strdup(arena, frame->signature),
			.module = pe_arena_strdup(arena, frame->module),
			.line = frame->line,
			.kind = frame->kind,
		};
	}
}

static int pack_trees(struct packing *packing, int64_t profile)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	PE_VEC(struct pe_results_tree) trees = {NULL, 0, 0};
	int rc = PE_OK;

	while (rc == PE_OK) {
		pe_auto_arena scratch = PE_ARENA_INIT;
		struct pe_cct *cct;

		rc = pe_store_get_tree(&cct, packing->store, profile, trees.n, &frames, &scratch,
				       packing->err);
		if (rc == PE_OK)
			pe_vec_push(&trees, pack_tree(cct, packing->arena));
	}
	pack_frames(packing->out, &frames, packing->arena);
	pe_frames_release(&frames);
	pe_vec_into_arena(&packing->out->trees, &packing->out->n_trees, &trees, packing->arena);
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

/* --- What is packed --- */

static int pack_machine(struct packing *packing, int64_t machine)
{
	return select_row(packing, &pe_results_machine, packing->out,
			  "SELECT fingerprint, hostname, cpu, cores, memory_bytes, kernel,"
			  " compilers FROM machines WHERE key = ?1",
			  machine);
}

/* The tables that others refer to, of the keys that were collected. */
static int pack_tables(struct packing *packing)
{
	static const char *const by_key[] = {
		[PE_RESULTS_REVISIONS] = "SELECT id FROM revisions WHERE key = ?1",
		[PE_RESULTS_BENCHMARKS] =
			"SELECT name, version, definition, is_test FROM benchmarks WHERE key = ?1",
		[PE_RESULTS_METRICS] = ("SELECT name, unit, label, better, kind, min_relative,"
					" min_absolute FROM metrics WHERE key = ?1"),
		[PE_RESULTS_MODULE_SETS] = "SELECT modules FROM module_sets WHERE key = ?1",
	};
	int rc = PE_OK;

	for (size_t t = 0; t <= PE_RESULTS_MODULE_SETS; t++) {
		const struct pe_results_shape *table = &pe_results_tables[t];
		char **rows = pe_results_rows(packing->out, table);
		const size_t n = packing->referred[t].keys.n;

		*rows = pe_arena_alloc(packing->arena, n, table->size);
		*pe_results_n_rows(packing->out, table) = n;
		for (size_t i = 0; rc == PE_OK && i < n; i++)
			rc = select_row(packing, table, *rows + i * table->size, by_key[t],
					packing->referred[t].keys.data[i]);
	}
	return rc;
}

static int finish_packing(struct packing *packing, int rc)
{
	if (rc == PE_OK)
		rc = pack_tables(packing);
	if (rc == PE_OK)
		pe_results_keep_modules(packing->out, packing->arena);
	for (size_t t = 0; t <= PE_RESULTS_MODULE_SETS; t++) {
		pe_vec_release(&packing->referred[t].keys);
		pe_key_index_release(&packing->referred[t].index);
	}
	return rc;
}

int pe_store_batches_to_share(int64_t **out, size_t *n, struct pe_store *store,
			      struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_integers(out, n, store,
			       "SELECT w.key FROM batches w JOIN machines m ON m.key = w.machine"
			       " WHERE NOT w.is_open AND NOT w.shared AND m.origin = ''"
			       " AND EXISTS (SELECT 1 FROM batch_cells c JOIN runs r"
			       " ON r.benchmark = c.benchmark AND r.revision = c.revision"
			       " AND r.batch = c.batch WHERE c.batch = w.key) ORDER BY w.key",
			       NULL, arena, err);
}

#define THEIR_RUNS                                                                                 \
	" FROM batch_cells c CROSS JOIN runs r ON r.benchmark = c.benchmark"                       \
	" AND r.revision = c.revision AND r.batch = c.batch"

/* Runs of one epoch were made before anything was replaced, or after. */
#define RUNS_OF_BATCH                                                                              \
	"WITH since AS MATERIALIZED (SELECT r.benchmark, r.epoch, min(r.started_s) AS started_s"   \
	"" THEIR_RUNS " WHERE c.batch = ?1 AND r.epoch IS NOT NULL"                                \
	" GROUP BY r.benchmark, r.epoch)"                                                          \
	" SELECT r.revision, r.benchmark, r.kind, r.round, r.sequence,"                            \
	" r.started_s, r.outcome, r.status, substr(r.log, -4096), r.key, r.modules, s.started_s,"  \
	" (SELECT calls FROM call_sets WHERE key = r.calls)"                                       \
	"" THEIR_RUNS " LEFT JOIN since s ON s.benchmark = r.benchmark AND s.epoch = r.epoch"      \
	" WHERE c.batch = ?1 ORDER BY c.position, r.kind, r.round"

int pe_store_pack_batch(struct pe_results *out, struct pe_store *store, int64_t batch,
			struct pe_arena *arena, struct pe_err *err)
{
	struct packing packing = {.store = store, .arena = arena, .err = err, .out = out};
	int64_t machine = 0;
	int rc;

	*out = (struct pe_results){.has_batch = true};
	rc = select_row(&packing, &pe_results_batch, out,
			"SELECT created_s, seed, governor, turbo, load, env_bytes, cpu, nice,"
			" fixed_layout, aside FROM batches WHERE key = ?1",
			batch);
	if (rc == PE_OK)
		rc = pe_sql_integer(&machine, store, "SELECT machine FROM batches WHERE key = ?1",
				    ARGS(INT(batch)), err);
	if (rc == PE_OK)
		rc = pack_machine(&packing, machine);
	if (rc == PE_OK)
		rc = select_rows(&packing, PE_RESULTS_CELLS,
				 "SELECT revision, benchmark, role, rounds, enough FROM batch_cells"
				 " WHERE batch = ?1 ORDER BY position",
				 ARGS(INT(batch)));
	if (rc == PE_OK)
		rc = select_rows(&packing, PE_RESULTS_RUNS, RUNS_OF_BATCH, ARGS(INT(batch)));
	return finish_packing(&packing, rc);
}

int pe_store_batch_left(struct pe_store *store, int64_t batch, struct pe_err *err)
{
	return pe_sql_run(store, "UPDATE batches SET shared = 1 WHERE key = ?1", ARGS(INT(batch)),
			  err);
}

int pe_store_pack_findings(struct pe_results *out, struct pe_store *store,
			   const struct pe_findings *which, struct pe_arena *arena,
			   struct pe_err *err)
{
	/* Nothing more is measured for a settled confirmation: it will not change. */
	static const char *const to_share[] = {
		[PE_RESULTS_BUILDS] =
			"SELECT b.revision, r.hash, b.outcome, b.status, b.started_s,"
			" b.duration_ns, b.step, substr(b.log, -4096) FROM builds b JOIN recipes r"
			" ON r.key = b.recipe WHERE b.machine = ?1 AND (b.outcome <> 0 OR ?3)"
			" AND NOT b.shared ORDER BY b.key LIMIT ?2 / 16 + 1",
		[PE_RESULTS_REUSED] =
			"SELECT revision, benchmark, source FROM reused WHERE machine = ?1"
			" AND NOT shared AND NOT skipped ORDER BY benchmark, revision LIMIT ?2",
		[PE_RESULTS_CONFIRMATIONS] =
			"SELECT c.benchmark, c.metric, c.before, c.after, c.first, c.last,"
			" w.created_s, w.seed, c.direction, c.begun_s, c.answer, c.accept,"
			" c.give_up, c.suspected, c.min_effect, c.margin, c.unit, c.pairs,"
			" c.relative, c.low, c.high, c.confidence, c.p, c.least, c.more,"
			" c.known_after, c.pinned_before, c.pinned_after, c.pinned_first,"
			" c.pinned_last, c.sure, c.layout"
			" FROM confirmations c LEFT JOIN batches w ON w.key = c.batch"
			" WHERE c.machine = ?1 AND c.settled AND c.answer <> 0 AND NOT c.shared"
			" ORDER BY c.key LIMIT ?2",
	};
	struct packing packing = {.store = store, .arena = arena, .err = err, .out = out};
	bool own = false;
	int rc;

	*out = (struct pe_results){0};
	rc = pack_machine(&packing, which->machine);
	if (rc == PE_OK)
		rc = pe_store_is_own(&own, store, out->machine.fingerprint, err);
	for (size_t t = PE_RESULTS_BUILDS; own && rc == PE_OK && t <= PE_RESULTS_CONFIRMATIONS; t++)
		rc = select_rows(&packing, (enum pe_results_table)t, to_share[t],
				 ARGS(INT(which->machine), INT((int64_t)which->most),
				      INT(which->good_builds)));
	return finish_packing(&packing, rc);
}

int pe_store_pack_profile(struct pe_results *out, struct pe_store *store, int64_t profile,
			  struct pe_arena *arena, struct pe_err *err)
{
	struct packing packing = {.store = store, .arena = arena, .err = err, .out = out};
	int64_t machine = 0;
	int rc;

	*out = (struct pe_results){0};
	rc = pe_sql_integer(&machine, store, "SELECT machine FROM profiles WHERE key = ?1",
			    ARGS(INT(profile)), err);
	if (rc == PE_OK)
		rc = pack_machine(&packing, machine);
	if (rc == PE_OK)
		rc = select_rows(&packing, PE_RESULTS_PROFILES,
				 "SELECT v.key, p.benchmark, p.kind, p.settings, p.tool, p.file,"
				 " p.note, p.taken_s FROM profiles p"
				 " JOIN revisions v ON v.id = p.revision WHERE p.key = ?1",
				 ARGS(INT(profile)));
	if (rc == PE_OK)
		rc = pack_trees(&packing, profile);
	return finish_packing(&packing, rc);
}

int pe_store_profile_left(struct pe_store *store, int64_t profile, struct pe_err *err)
{
	return pe_sql_run(store, "UPDATE profiles SET shared = 1 WHERE key = ?1",
			  ARGS(INT(profile)), err);
}

int pe_store_findings_left(struct pe_store *store, const struct pe_findings *which,
			   struct pe_err *err)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(pe_sql_run(
		store,
		"UPDATE builds SET shared = 1 WHERE key IN (SELECT key FROM builds"
		" WHERE machine = ?1 AND (outcome <> 0 OR ?3) AND NOT shared ORDER BY key"
		" LIMIT ?2 / 16 + 1)",
		ARGS(INT(which->machine), INT((int64_t)which->most), INT(which->good_builds)),
		err));
	PE_TRY(pe_sql_run(store,
			  "UPDATE reused SET shared = 1 WHERE (machine, benchmark, revision) IN"
			  " (SELECT machine, benchmark, revision FROM reused WHERE machine = ?1"
			  " AND NOT shared AND NOT skipped ORDER BY benchmark, revision LIMIT ?2)",
			  ARGS(INT(which->machine), INT((int64_t)which->most)), err));
	PE_TRY(pe_sql_run(store,
			  "UPDATE confirmations SET shared = 1 WHERE key IN (SELECT key FROM"
			  " confirmations WHERE machine = ?1 AND settled AND answer <> 0"
			  " AND NOT shared ORDER BY key LIMIT ?2)",
			  ARGS(INT(which->machine), INT((int64_t)which->most)), err));
	return pe_savepoint_keep(&savepoint);
}
