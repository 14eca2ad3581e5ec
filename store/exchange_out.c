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

#include <assert.h>
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

/* @param key  of the run */
static int read_samples(struct packing *packing, struct pe_results_run *run, int64_t key)
{
	PE_TRY(pe_sql_rows(&run->samples, &run->n_samples, packing->store,
			   "SELECT metric, value FROM samples WHERE run = ?1 ORDER BY metric",
			   ARGS(INT(key)), PE_ROW(struct pe_results_sample, metric, value),
			   packing->arena, packing->err));
	for (size_t i = 0; i < run->n_samples; i++)
		run->samples[i].metric =
			row_of(packing, PE_RESULTS_METRICS, (int64_t)run->samples[i].metric);
	return PE_OK;
}

/* Put rows in place of keys, and leave out texts that may be missing and that every reader would refuse. */
static int resolve(struct packing *packing, const struct pe_results_column *columns, size_t n,
		   void *row)
{
	for (size_t i = 0; i < n; i++) {
		const struct pe_results_column *column = &columns[i];
		void *at = (char *)row + column->offset;
		const char **text = at;

		if (column->kind == PE_COLUMN_ROW)
			*(size_t *)at = row_of(packing, (enum pe_results_table)column->most,
					       pe_results_get(column, row));
		else if (column->kind == PE_COLUMN_LIST && (!column->maybe || *(bool *)at))
			PE_TRY(resolve(packing, column->inner, column->n_inner, row));
		else if (column->kind == PE_COLUMN_SAMPLES)
			PE_TRY(read_samples(packing, row, pe_results_get(column, row)));
		else if (column->maybe && column->fault != NULL && *text != NULL &&
			 column->fault(*text) != NULL)
			*text = NULL;
	}
	return PE_OK;
}

/* --- Rows --- */

enum { MOST_COLUMNS = 64 };

static enum pe_sql_member member_of(const struct pe_results_column *column)
{
	switch (column->kind) {
	case PE_COLUMN_REAL:
		return PE_SQL_NUMBER;
	case PE_COLUMN_TEXT:
		return column->maybe ? PE_SQL_MAYBE_STRING : PE_SQL_STRING;
	case PE_COLUMN_HEX:
		return PE_SQL_CHARS;
	case PE_COLUMN_TRUTH:
	case PE_COLUMN_LIST:
		return PE_SQL_BOOL;
	default:
		return PE_SQL_INTEGER;
	}
}

/* A list that may be missing has a column of its own before those in it: whether it is there. */
static size_t add_members(struct pe_sql_column *out, size_t n_out,
			  const struct pe_results_column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pe_results_column *column = &columns[i];

		assert(n_out < MOST_COLUMNS);
		if (column->kind != PE_COLUMN_LIST || column->maybe)
			out[n_out++] = (struct pe_sql_column){member_of(column), column->offset,
							      column->size};
		if (column->kind == PE_COLUMN_LIST)
			n_out = add_members(out, n_out, column->inner, column->n_inner);
	}
	return n_out;
}

/* All rows of a table that a statement selects. */
static int select_rows(struct packing *packing, enum pe_results_table which, const char *sql,
		       const struct pe_sql_arg *args)
{
	const struct pe_results_shape *table = &pe_results_tables[which];
	struct pe_sql_column members[MOST_COLUMNS];
	const struct pe_sql_row row = {table->size, members,
				       add_members(members, 0, table->columns, table->n)};
	char **out = pe_results_rows(packing->out, table);
	size_t *n = pe_results_n_rows(packing->out, table);

	PE_TRY(pe_sql_rows(out, n, packing->store, sql, args, &row, packing->arena, packing->err));
	for (size_t i = 0; i < *n; i++)
		PE_TRY(resolve(packing, table->columns, table->n, *out + i * table->size));
	return PE_OK;
}

/* The row of a key; what its columns do not fill is 0. */
static int select_row(struct packing *packing, const struct pe_results_shape *table, size_t size,
		      void *out, const char *sql, int64_t key)
{
	struct pe_sql_column members[MOST_COLUMNS];
	const struct pe_sql_row row = {size, members,
				       add_members(members, 0, table->columns, table->n)};
	int rc = pe_sql_one(out, packing->store, sql, ARGS(INT(key)), &row, packing->arena,
			    packing->err);

	if (rc == PE_ENOTFOUND)
		rc = pe_fail(packing->err, rc, "%s: there is no row %lld of '%s'",
			     packing->store->path, (long long)key, table->name);
	return rc == PE_OK ? resolve(packing, table->columns, table->n, out) : rc;
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

#define MACHINE(key)                                                                               \
	"SELECT fingerprint, hostname, cpu, cores, memory_bytes, kernel, compilers FROM machines"  \
	" WHERE key = " key

/* @param sql  MACHINE() @param key  of the row that its key is asked of */
static int pack_machine(struct packing *packing, const char *sql, int64_t key)
{
	struct pe_results found;
	int rc = select_row(packing, &pe_results_machine, sizeof(found), &found, sql, key);

	packing->out->machine = found.machine;
	return rc;
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
			rc = select_row(packing, table, table->size, *rows + i * table->size,
					by_key[t], packing->referred[t].keys.data[i]);
	}
	return rc;
}

static int finish_packing(struct packing *packing)
{
	PE_TRY(pack_tables(packing));
	pe_results_keep_modules(packing->out, packing->arena);
	return PE_OK;
}

static void release(struct packing *packing)
{
	for (size_t t = 0; t <= PE_RESULTS_MODULE_SETS; t++) {
		pe_vec_release(&packing->referred[t].keys);
		pe_key_index_release(&packing->referred[t].index);
	}
}

#define auto_packing __attribute__((cleanup(release))) struct packing

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
	" r.started_s, r.outcome, r.status, substr(r.log, -4096), r.key,"                          \
	" r.modules IS NOT NULL AND s.started_s IS NOT NULL, r.modules, s.started_s,"              \
	" (SELECT calls FROM call_sets WHERE key = r.calls)"                                       \
	"" THEIR_RUNS " LEFT JOIN since s ON s.benchmark = r.benchmark AND s.epoch = r.epoch"      \
	" WHERE c.batch = ?1 ORDER BY c.position, r.kind, r.round"

int pe_store_pack_batch(struct pe_results *out, struct pe_store *store, int64_t batch,
			struct pe_arena *arena, struct pe_err *err)
{
	auto_packing packing = {.store = store, .arena = arena, .err = err, .out = out};

	PE_TRY(select_row(&packing, &pe_results_batch, sizeof(*out), out,
			  "SELECT created_s, seed, governor, turbo, load, env_bytes, cpu, nice,"
			  " fixed_layout, aside FROM batches WHERE key = ?1",
			  batch));
	out->has_batch = true;
	PE_TRY(pack_machine(&packing, MACHINE("(SELECT machine FROM batches WHERE key = ?1)"),
			    batch));
	PE_TRY(select_rows(&packing, PE_RESULTS_CELLS,
			   "SELECT revision, benchmark, role, rounds, enough FROM batch_cells"
			   " WHERE batch = ?1 ORDER BY position",
			   ARGS(INT(batch))));
	PE_TRY(select_rows(&packing, PE_RESULTS_RUNS, RUNS_OF_BATCH, ARGS(INT(batch))));
	return finish_packing(&packing);
}

int pe_store_batch_left(struct pe_store *store, int64_t batch, struct pe_err *err)
{
	return pe_sql_run(store, "UPDATE batches SET shared = 1 WHERE key = ?1", ARGS(INT(batch)),
			  err);
}

/* What has not left yet: of ?1 at most ?2 rows at once, with ?3 also good builds. */
#define BUILDS_TO_SHARE                                                                            \
	" FROM builds b WHERE b.machine = ?1 AND (b.outcome <> 0 OR ?3) AND NOT b.shared"          \
	" ORDER BY b.key LIMIT ?2 / 16 + 1"
#define REUSED_TO_SHARE                                                                            \
	" FROM reused WHERE machine = ?1 AND NOT shared AND NOT skipped"                           \
	" ORDER BY benchmark, revision LIMIT ?2"
/* Nothing more is measured for a settled confirmation: it will not change. */
#define CONFIRMATIONS_TO_SHARE                                                                     \
	" FROM confirmations c LEFT JOIN batches w ON w.key = c.batch WHERE c.machine = ?1"        \
	" AND c.settled AND c.answer <> 0 AND NOT c.shared ORDER BY c.key LIMIT ?2"

int pe_store_pack_findings(struct pe_results *out, struct pe_store *store,
			   const struct pe_findings *which, struct pe_arena *arena,
			   struct pe_err *err)
{
	static const char *const to_share[] = {
		[PE_RESULTS_BUILDS] =
			"SELECT b.revision, (SELECT hash FROM recipes WHERE key = b.recipe),"
			" b.outcome, b.status, b.started_s, b.duration_ns, b.step,"
			" substr(b.log, -4096)" BUILDS_TO_SHARE,
		[PE_RESULTS_REUSED] = "SELECT revision, benchmark, source" REUSED_TO_SHARE,
		[PE_RESULTS_CONFIRMATIONS] =
			"SELECT c.benchmark, c.metric, c.before, c.after, c.first, c.last,"
			" w.key IS NOT NULL, w.created_s, w.seed, c.direction, c.begun_s,"
			" c.answer, c.accept, c.give_up, c.suspected, c.min_effect, c.margin,"
			" c.unit, c.pairs, c.relative, c.low, c.high, c.confidence, c.p, c.least,"
			" c.more, c.known_after, c.pinned_before IS NOT NULL, c.pinned_before,"
			" c.pinned_after, c.pinned_first, c.pinned_last, c.sure,"
			" c.layout" CONFIRMATIONS_TO_SHARE,
	};
	auto_packing packing = {.store = store, .arena = arena, .err = err, .out = out};
	bool own;

	*out = (struct pe_results){0};
	PE_TRY(pack_machine(&packing, MACHINE("?1"), which->machine));
	PE_TRY(pe_store_is_own(&own, store, out->machine.fingerprint, err));
	for (size_t t = PE_RESULTS_BUILDS; own && t <= PE_RESULTS_CONFIRMATIONS; t++)
		PE_TRY(select_rows(&packing, (enum pe_results_table)t, to_share[t],
				   ARGS(INT(which->machine), INT((int64_t)which->most),
					INT(which->good_builds))));
	return finish_packing(&packing);
}

int pe_store_pack_profile(struct pe_results *out, struct pe_store *store, int64_t profile,
			  struct pe_arena *arena, struct pe_err *err)
{
	auto_packing packing = {.store = store, .arena = arena, .err = err, .out = out};

	*out = (struct pe_results){0};
	PE_TRY(pack_machine(&packing, MACHINE("(SELECT machine FROM profiles WHERE key = ?1)"),
			    profile));
	PE_TRY(select_rows(&packing, PE_RESULTS_PROFILES,
			   "SELECT v.key, p.benchmark, p.kind, p.settings, p.tool, p.file, p.note,"
			   " p.taken_s FROM profiles p JOIN revisions v ON v.id = p.revision"
			   " WHERE p.key = ?1",
			   ARGS(INT(profile))));
	PE_TRY(pack_trees(&packing, profile));
	return finish_packing(&packing);
}

int pe_store_profile_left(struct pe_store *store, int64_t profile, struct pe_err *err)
{
	return pe_sql_run(store, "UPDATE profiles SET shared = 1 WHERE key = ?1",
			  ARGS(INT(profile)), err);
}

int pe_store_findings_left(struct pe_store *store, const struct pe_findings *which,
			   struct pe_err *err)
{
	static const char *const steps[] = {
		"UPDATE builds SET shared = 1 WHERE key IN (SELECT b.key" BUILDS_TO_SHARE ")",
		"UPDATE reused SET shared = 1 WHERE (machine, benchmark, revision) IN"
		" (SELECT machine, benchmark, revision" REUSED_TO_SHARE ")",
		"UPDATE confirmations SET shared = 1 WHERE key IN"
		" (SELECT c.key" CONFIRMATIONS_TO_SHARE ")",
	};
	const struct pe_sql_arg *const args =
		ARGS(INT(which->machine), INT((int64_t)which->most), INT(which->good_builds));
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		PE_TRY(pe_sql_run(store, steps[i], args, err));
	return pe_savepoint_keep(&savepoint);
}
