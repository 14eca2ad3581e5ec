/*
 * Exchange, outwards: batches, failed builds, reused cells, confirmations and profiles as documents (schema/results.sql), whose
 * rows SQLite writes. The tables that others refer to come last, with the rows that ref() gave the keys it was asked for.
 */
#include "store/exchange_sql.h"

#include "core/base/utf8.h"

struct packing {
	struct pe_store *store;
	struct pe_document *out;
	struct pe_json json;
	struct pe_err *err;
};

/* --- Rows --- */

/* Logs may hold anything. */
static void put_row(struct pe_json *json, const char *key, sqlite3_stmt *stmt)
{
	pe_auto_text row = PE_TEXT_INIT;

	pe_utf8_add(&row, pe_sql_string(stmt, 0));
	pe_json_raw(json, key, pe_text_str(&row));
}

/* A row of a statement, or null: an object. */
static int put_object(struct packing *packing, const char *key, const char *sql, int64_t arg)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store, sql, ARGS(INT(arg)), packing->err);

	if (pe_sql_next(&rc, stmt, packing->store, packing->err))
		put_row(&packing->json, key, stmt);
	else if (rc == PE_OK)
		pe_json_null(&packing->json, key);
	pe_sql_close(stmt);
	return rc;
}

/*
 * All rows of a table.
 *
 * @param sql    row; when it was measured, its samples, whether there are more, where the table has these
 * @param count  their number is added to it; NULL: not asked for
 */
static int put_table(struct packing *packing, size_t *count, const char *key, const char *sql,
		     const struct pe_sql_arg *args)
{
	struct pe_document *out = packing->out;
	size_t n = 0;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, packing->store, sql, args, packing->err);

	pe_json_begin_rows(&packing->json, key);
	for (; pe_sql_next(&rc, stmt, packing->store, packing->err); n++) {
		put_row(&packing->json, NULL, stmt);
		if (sqlite3_column_count(stmt) == 1)
			continue;
		if (sqlite3_column_int64(stmt, 1) > out->time_s)
			out->time_s = sqlite3_column_int64(stmt, 1);
		out->rows += (size_t)sqlite3_column_int64(stmt, 2);
		out->more = sqlite3_column_int(stmt, 3) != 0;
	}
	pe_sql_close(stmt);
	pe_json_end(&packing->json);
	out->rows += n;
	if (count != NULL)
		*count += n;
	return rc;
}

/* --- A document --- */

enum { REVISIONS, BENCHMARKS, METRICS, MODULE_SETS };

/* Texts that may be missing, and that every reader would refuse, are left out. */
#define MACHINE(key)                                                                               \
	"SELECT json_object('fingerprint', fingerprint,"                                           \
	" 'hostname', iif(is_words(hostname), hostname, NULL),"                                    \
	" 'cpu', iif(is_words(cpu), cpu, NULL), 'cores', cores, 'memory_bytes', memory_bytes,"     \
	" 'kernel', iif(is_words(kernel), kernel, NULL), 'compilers', compilers)"                  \
	" FROM machines WHERE key = " key
#define BATCH                                                                                      \
	"SELECT json_object('created', created_s, 'seed', printf('%016x', seed),"                  \
	" 'governor', iif(is_words(governor), governor, NULL),"                                    \
	" 'turbo', iif(is_words(turbo), turbo, NULL), 'load', exact(load),"                        \
	" 'env_bytes', env_bytes, 'cpu', cpu, 'nice', nice,"                                       \
	" 'fixed_layout', json(iif(fixed_layout, 'true', 'false')),"                               \
	" 'aside', json(iif(aside, 'true', 'false'))) FROM batches WHERE key = ?1"

/* @param machine  MACHINE(), of a row with the key */
static int begin(struct packing *packing, const char *machine, int64_t key)
{
	struct pe_store *store = packing->store;

	*packing->out = (struct pe_document){.text = PE_TEXT_INIT};
	packing->json = (struct pe_json)PE_JSON_INIT(&packing->out->text);
	for (size_t t = REVISIONS; t <= MODULE_SETS; t++)
		store->referred[t].room = t == MODULE_SETS ? PE_RESULTS_MODULES : SIZE_MAX;
	pe_json_begin_object(&packing->json, NULL);
	pe_json_put(&packing->json, "format", "perfevo results");
	pe_json_put(&packing->json, "version", 2);
	return put_object(packing, "machine", machine, key);
}

/* The tables that others refer to, of the keys that were collected. */
static int put_referred(struct packing *packing)
{
	static const struct {
		const char *name, *sql;
	} tables[] = {
		[REVISIONS] = {"revisions", "SELECT json_array(id) FROM revisions WHERE key = ?1"},
		[BENCHMARKS] =
			{"benchmarks",
			 "SELECT json_array(name, version, definition,"
			 " json(iif(is_test, 'true', 'false'))) FROM benchmarks WHERE key = ?1"},
		[METRICS] =
			{"metrics",
			 "SELECT json_array(name, unit, label, better, kind,"
			 " exact(min_relative), exact(min_absolute)) FROM metrics WHERE key = ?1"},
		[MODULE_SETS] = {"module_sets",
				 "SELECT json_array(modules) FROM module_sets WHERE key = ?1"},
	};
	for (size_t t = REVISIONS; t <= MODULE_SETS; t++) {
		const struct pe_referred *referred = &packing->store->referred[t];

		pe_json_begin_rows(&packing->json, tables[t].name);
		for (size_t i = 0; i < referred->keys.n; i++)
			PE_TRY(put_object(packing, NULL, tables[t].sql, referred->keys.data[i]));
		pe_json_end(&packing->json);
		packing->out->rows += referred->keys.n;
	}
	return PE_OK;
}

static int finish(struct packing *packing)
{
	PE_TRY(put_referred(packing));
	pe_json_finish(&packing->json);
	return PE_OK;
}

/* A document whose keys are forgotten where its block is left. */
#define pe_auto_packing __attribute__((cleanup(forget))) struct packing

static void forget(struct packing *packing)
{
	for (size_t t = REVISIONS; t <= MODULE_SETS; t++) {
		struct pe_referred *referred = &packing->store->referred[t];

		pe_vec_release(&referred->keys);
		pe_key_index_release(&referred->index);
		*referred = (struct pe_referred){.room = 0};
	}
}

/* --- Batches --- */

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

/* ref(0, ...) is of revisions, 1 of benchmarks, 2 of metrics, 3 of sets of modules. */
#define CELLS                                                                                      \
	"SELECT json_array(ref(0, revision), ref(1, benchmark), role, rounds, enough)"             \
	" FROM batch_cells WHERE batch = ?1 ORDER BY position"

#define THEIR_RUNS                                                                                 \
	" FROM batch_cells c CROSS JOIN runs r ON r.benchmark = c.benchmark"                       \
	" AND r.revision = c.revision AND r.batch = c.batch"

/*
 * A part of a batch has 4 MiB or a little more, as its runs are estimated. Runs of one epoch were made before anything was
 * replaced, or after.
 */
#define RUNS                                                                                        \
	"WITH since AS MATERIALIZED (SELECT r.benchmark, r.epoch, min(r.started_s) AS started_s"    \
	"" THEIR_RUNS " WHERE c.batch = ?1 AND r.epoch IS NOT NULL"                                 \
	" GROUP BY r.benchmark, r.epoch), theirs AS (SELECT r.*, (SELECT count(*)"                  \
	" FROM samples WHERE run = r.key) AS n, c.position AS position" THEIR_RUNS                  \
	" WHERE c.batch = ?1 AND (r.outcome = 0 OR ?3)),"                                           \
	" parts AS MATERIALIZED (SELECT *,"                                                         \
	" sum(64 + 24 * n + 2 * length(substr(coalesce(log, ''), -4096)))"                          \
	" OVER (ORDER BY position, kind, round ROWS UNBOUNDED PRECEDING) / 4194304 AS part"         \
	" FROM theirs) SELECT json_array(ref(0, r.revision), ref(1, r.benchmark), r.kind, r.round," \
	" r.sequence, r.started_s, (SELECT name FROM outcomes WHERE key = r.outcome), r.status,"    \
	" substr(r.log, -4096), json('[' || coalesce((SELECT group_concat(ref(2, metric) || ','"    \
	" || exact(value)) FROM samples WHERE run = r.key), '') || ']'),"                           \
	" json(iif(s.started_s IS NULL OR ref(3, m.key, count_modules(m.modules)) IS NULL, NULL,"   \
	" json_array(ref(3, m.key), s.started_s))),"                                                \
	" (SELECT iif(is_calls(calls), calls, NULL) FROM call_sets WHERE key = r.calls)),"          \
	" r.started_s, r.n, r.part < (SELECT max(part) FROM parts) FROM parts r"                    \
	" LEFT JOIN since s ON s.benchmark = r.benchmark AND s.epoch = r.epoch"                     \
	" LEFT JOIN module_sets m ON m.key = r.modules WHERE r.part = ?2"                           \
	" ORDER BY r.position, r.kind, r.round"

static int pack_part(struct pe_document *out, struct pe_store *store, int64_t batch,
		     const struct pe_sql_arg *args, struct pe_err *err)
{
	pe_auto_packing packing = {.store = store, .out = out, .err = err};

	PE_TRY(begin(&packing, MACHINE("(SELECT machine FROM batches WHERE key = ?1)"), batch));
	PE_TRY(put_object(&packing, "batch", BATCH, batch));
	PE_TRY(put_table(&packing, NULL, "cells", CELLS, args));
	PE_TRY(put_table(&packing, &out->sum.runs, "runs", RUNS, args));
	return finish(&packing);
}

int pe_store_pack_batch(struct pe_store *store, int64_t batch, bool failures, pe_document_fn *take,
			void *payload, struct pe_err *err)
{
	bool more = true;

	for (int64_t part = 0; more; part++) {
		pe_auto_document packed = {.more = false};

		PE_TRY(pack_part(&packed, store, batch, ARGS(INT(batch), INT(part), INT(failures)),
				 err));
		if (packed.sum.runs > 0)
			PE_TRY(take(&packed, payload));
		more = packed.more;
	}
	return PE_OK;
}

int pe_store_batch_left(struct pe_store *store, int64_t batch, struct pe_err *err)
{
	return pe_sql_run(store, "UPDATE batches SET shared = 1 WHERE key = ?1", ARGS(INT(batch)),
			  err);
}

/* --- Findings --- */

/* What has not left yet: of ?1 at most ?2 rows at once, with ?3 also good builds, with ?4 none that failed. */
#define IS_OURS " IN (SELECT key FROM machines WHERE key = ?1 AND origin = '')"
#define BUILDS_TO_SHARE                                                                            \
	" FROM builds b WHERE b.machine" IS_OURS " AND (b.outcome <> 0 OR ?3)"                     \
	" AND (b.outcome = 0 OR NOT ?4) AND NOT b.shared ORDER BY b.key LIMIT ?2 / 16 + 1"
#define REUSED_TO_SHARE                                                                            \
	" FROM reused WHERE machine" IS_OURS " AND NOT shared AND NOT skipped"                     \
	" ORDER BY benchmark, revision LIMIT ?2"
/* Nothing more is measured for a settled confirmation: it will not change. */
#define CONFIRMATIONS_TO_SHARE                                                                     \
	" FROM confirmations c LEFT JOIN batches w ON w.key = c.batch WHERE c.machine" IS_OURS     \
	" AND c.settled AND c.answer <> 0 AND NOT c.shared ORDER BY c.key LIMIT ?2"

#define BUILDS                                                                                      \
	"SELECT json_array(ref(0, b.revision), (SELECT hash FROM recipes WHERE key = b.recipe),"    \
	" (SELECT name FROM outcomes WHERE key = b.outcome), b.status, b.started_s, b.duration_ns," \
	" b.step, substr(b.log, -4096)), b.started_s, 0" BUILDS_TO_SHARE
#define REUSED                                                                                     \
	"SELECT json_array(ref(0, revision), ref(1, benchmark), ref(0, source))" REUSED_TO_SHARE
#define CONFIRMATIONS                                                                                 \
	"SELECT json_array(ref(1, c.benchmark), ref(2, c.metric), ref(0, c.before), ref(0, c.after)," \
	" ref(0, c.first), ref(0, c.last), json(iif(w.key IS NULL, NULL, json_array(w.created_s,"     \
	" printf('%016x', w.seed)))), c.direction, c.begun_s, CASE c.answer WHEN 1 THEN"              \
	" 'confirmed' WHEN 2 THEN 'refuted' ELSE 'undecided' END, json_array(exact(c.accept),"        \
	" exact(c.give_up), exact(c.suspected), exact(c.min_effect), exact(c.margin),"                \
	" exact(c.unit)), json_array(c.pairs, exact(c.relative), exact(c.low), exact(c.high),"        \
	" exact(c.confidence), exact(c.p), exact(c.least), c.more), c.known_after,"                   \
	" json(iif(c.pinned_before IS NULL, NULL, json_array(ref(0, c.pinned_before),"                \
	" ref(0, c.pinned_after), ref(0, c.pinned_first), ref(0, c.pinned_last)))),"                  \
	" exact(c.sure), c.layout)" CONFIRMATIONS_TO_SHARE

#define ARGS_OF(which)                                                                             \
	ARGS(INT((which)->machine), INT((int64_t)(which)->most), INT((which)->good_builds),        \
	     INT((which)->no_failures))

static int pack_findings(struct pe_document *out, struct pe_store *store,
			 const struct pe_findings *which, struct pe_err *err)
{
	pe_auto_packing packing = {.store = store, .out = out, .err = err};
	struct pe_results_sum *sum = &out->sum;
	const struct pe_sql_arg *const args = ARGS_OF(which);

	PE_TRY(begin(&packing, MACHINE("?1"), which->machine));
	PE_TRY(put_table(&packing, &sum->builds, "builds", BUILDS, args));
	PE_TRY(put_table(&packing, &sum->reused, "reused", REUSED, args));
	PE_TRY(put_table(&packing, &sum->confirmations, "confirmations", CONFIRMATIONS, args));
	return finish(&packing);
}

/* What pack_findings() gives for the same arguments has left. */
static int mark_findings(struct pe_store *store, const struct pe_findings *which,
			 struct pe_err *err)
{
	static const char *const steps[] = {
		"UPDATE builds SET shared = 1 WHERE key IN (SELECT b.key" BUILDS_TO_SHARE ")",
		"UPDATE reused SET shared = 1 WHERE (machine, benchmark, revision) IN"
		" (SELECT machine, benchmark, revision" REUSED_TO_SHARE ")",
		"UPDATE confirmations SET shared = 1 WHERE key IN"
		" (SELECT c.key" CONFIRMATIONS_TO_SHARE ")",
	};
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		PE_TRY(pe_sql_run(store, steps[i], ARGS_OF(which), err));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_pack_findings(struct pe_store *store, const struct pe_findings *which,
			   pe_document_fn *take, void *payload, struct pe_err *err)
{
	for (;;) {
		pe_auto_document packed = {.more = false};

		PE_TRY(pack_findings(&packed, store, which, err));
		if (packed.sum.builds + packed.sum.reused + packed.sum.confirmations == 0)
			return PE_OK;
		PE_TRY(take(&packed, payload));
		PE_TRY(mark_findings(store, which, err));
	}
}

/* --- Profiles --- */

int pe_store_pack_profile(struct pe_document *out, struct pe_store *store, int64_t profile,
			  struct pe_err *err)
{
	pe_auto_packing packing = {.store = store, .out = out, .err = err};

	PE_TRY(begin(&packing, MACHINE("(SELECT machine FROM profiles WHERE key = ?1)"), profile));
	PE_TRY(put_table(&packing, &out->sum.profiles, "profiles",
			 "SELECT json_array(ref(0, v.key), ref(1, p.benchmark), p.kind,"
			 " p.settings, p.tool, p.file, p.note, p.taken_s), p.taken_s, 0"
			 " FROM profiles p JOIN revisions v ON v.id = p.revision WHERE p.key = ?1",
			 ARGS(INT(profile))));
	PE_TRY(pe_pack_trees(&packing.json, &out->rows, store, profile, err));
	return finish(&packing);
}

int pe_store_profile_left(struct pe_store *store, int64_t profile, struct pe_err *err)
{
	return pe_sql_run(store, "UPDATE profiles SET shared = 1 WHERE key = ?1",
			  ARGS(INT(profile)), err);
}

int pe_store_count_to_share(struct pe_results_sum *out, struct pe_store *store,
			    struct pe_arena *arena, struct pe_err *err)
{
	typedef struct pe_results_sum row;
	struct pe_stored_profile *profiles;

	PE_TRY(pe_sql_one(
		out, store,
		"WITH own AS (SELECT key FROM machines WHERE origin = ''), w AS (SELECT b.key AS key,"
		" (SELECT count(*)" THEIR_RUNS " WHERE c.batch = b.key) AS runs FROM batches b"
		" WHERE b.machine IN own AND NOT b.is_open AND NOT b.shared)"
		" SELECT (SELECT count(*) FROM w WHERE runs > 0), (SELECT total(runs) FROM w),"
		" (SELECT count(*) FROM builds WHERE machine IN own AND outcome <> 0"
		" AND NOT shared), (SELECT count(*) FROM reused WHERE machine IN own"
		" AND NOT shared AND NOT skipped), (SELECT count(*) FROM confirmations WHERE machine"
		" IN own AND settled AND answer <> 0 AND NOT shared)",
		NULL, PE_ROW(row, batches, runs, builds, reused, confirmations), arena, err));
	return pe_store_profiles_to_share(&profiles, &out->profiles, store, arena, err);
}
