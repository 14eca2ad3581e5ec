/*
 * Upkeep: what is to go is first listed in temporary tables, which a dry run counts and a real one deletes
 * by. All deletions are one transaction; the space goes back to the file system after it.
 */
#include "store/profiles.h"
#include "store/sql.h"

#include <assert.h>
#include <string.h>
#include <sys/stat.h>

/*
 * gc_revisions and gc_benchmarks go whole; gc_runs and gc_profiles are all runs and profiles that go, for
 * whatever reason.
 */
#define LISTS                                                                                      \
	"CREATE TEMP TABLE IF NOT EXISTS gc_keep (id TEXT PRIMARY KEY) WITHOUT ROWID;"             \
	"CREATE TEMP TABLE IF NOT EXISTS gc_keep_profiles (id TEXT PRIMARY KEY) WITHOUT ROWID;"    \
	"CREATE TEMP TABLE IF NOT EXISTS gc_profiles (key INTEGER PRIMARY KEY);"                   \
	"CREATE TEMP TABLE IF NOT EXISTS gc_revisions (key INTEGER PRIMARY KEY);"                  \
	"CREATE TEMP TABLE IF NOT EXISTS gc_benchmarks (key INTEGER PRIMARY KEY);"                 \
	"CREATE TEMP TABLE IF NOT EXISTS gc_runs (key INTEGER PRIMARY KEY);"                       \
	"DELETE FROM temp.gc_keep; DELETE FROM temp.gc_revisions;"                                 \
	"DELETE FROM temp.gc_keep_profiles; DELETE FROM temp.gc_profiles;"                         \
	"DELETE FROM temp.gc_benchmarks; DELETE FROM temp.gc_runs"

static int list_keep(struct pe_store *store, const struct pe_store_gc *what, struct pe_err *err)
{
	for (size_t i = 0; i < what->keep.n; i++)
		PE_TRY(pe_sql_run(store, "INSERT OR IGNORE INTO temp.gc_keep VALUES (?1)",
				  ARGS(TEXT(what->keep.at[i])), err));
	for (size_t i = 0; i < what->keep_profiles.n; i++)
		PE_TRY(pe_sql_run(store, "INSERT OR IGNORE INTO temp.gc_keep_profiles VALUES (?1)",
				  ARGS(TEXT(what->keep_profiles.at[i])), err));
	return PE_OK;
}

/* Options of the statements below: ?1 to ?5. */
#define OPTIONS(what)                                                                              \
	ARGS(INT((what)->unreachable), INT((what)->old_versions), INT((what)->before_s),           \
	     INT((what)->profiles), INT((what)->extractions))

/* What goes. Profiles stand by the commit's id, which need not be among revisions. */
static const char *const lists[] = {
	"INSERT INTO temp.gc_revisions SELECT key FROM revisions"
	" WHERE ?1 AND id NOT IN (SELECT id FROM temp.gc_keep)",
	"INSERT INTO temp.gc_benchmarks SELECT key FROM benchmarks b WHERE ?2 AND generation <"
	" (SELECT max(generation) FROM benchmarks n WHERE n.name = b.name)",
	"INSERT INTO temp.gc_runs SELECT key FROM runs"
	" WHERE revision IN (SELECT key FROM temp.gc_revisions)"
	" OR benchmark IN (SELECT key FROM temp.gc_benchmarks)"
	" OR (?3 > 0 AND started_s < ?3 AND revision NOT IN (SELECT v.key FROM revisions v"
	" JOIN temp.gc_keep k ON k.id = v.id))",
	"INSERT INTO temp.gc_profiles SELECT key FROM profiles"
	" WHERE benchmark IN (SELECT key FROM temp.gc_benchmarks)"
	" OR (?1 AND revision NOT IN (SELECT id FROM temp.gc_keep))"
	" OR (?4 AND revision NOT IN (SELECT id FROM temp.gc_keep_profiles))",
};

static int run_all(const char *const *statements, size_t n, struct pe_store *store,
		   const struct pe_store_gc *what, struct pe_err *err)
{
	for (size_t i = 0; i < n; i++)
		PE_TRY(pe_sql_run(store, statements[i], OPTIONS(what), err));
	return PE_OK;
}

static int count(struct pe_store_gc_result *out, struct pe_store *store,
		 const struct pe_store_gc *what, struct pe_err *err)
{
	return pe_sql_one(out, store,
			  "SELECT (SELECT count(*) FROM temp.gc_runs),"
			  " (SELECT count(*) FROM temp.gc_benchmarks),"
			  " (SELECT count(*) FROM temp.gc_revisions),"
			  " (SELECT count(*) FROM temp.gc_profiles),"
			  " (SELECT count(*) FROM extractions WHERE ?5)",
			  OPTIONS(what),
			  PE_ROW(struct pe_store_gc_result, runs, benchmarks, revisions, profiles,
				 extractions),
			  NULL, err);
}

#define FORGET_FUNCTIONS                                                                           \
	"DELETE FROM function_counts WHERE key NOT IN (SELECT counts FROM run_functions)"          \
	" AND key NOT IN (SELECT base FROM function_counts WHERE base IS NOT NULL)"

/*
 * In the order that the foreign keys ask for. A batch that lost runs to their age is not gone on with, or
 * they would be made again.
 */
static const char *const deletions[] = {
	"DELETE FROM compared WHERE ?1 AND revision NOT IN (SELECT id FROM temp.gc_keep)",
	"DELETE FROM crossings WHERE ?1 AND (before NOT IN (SELECT id FROM temp.gc_keep)"
	" OR after NOT IN (SELECT id FROM temp.gc_keep))",
	"DELETE FROM chargings WHERE ?1 AND (before NOT IN (SELECT id FROM temp.gc_keep)"
	" OR after NOT IN (SELECT id FROM temp.gc_keep))",
	"DELETE FROM extractions WHERE ?5",
	"UPDATE batches SET is_open = 0 WHERE key IN (SELECT r.batch FROM temp.gc_runs g"
	" JOIN runs r ON r.key = g.key WHERE r.revision NOT IN (SELECT key FROM temp.gc_revisions)"
	" AND r.benchmark NOT IN (SELECT key FROM temp.gc_benchmarks)) AND is_open",
	"DELETE FROM runs WHERE key IN (SELECT key FROM temp.gc_runs)",
	"DELETE FROM profiles WHERE key IN (SELECT key FROM temp.gc_profiles)",
	"DELETE FROM batch_cells WHERE revision IN (SELECT key FROM temp.gc_revisions)",
	"DELETE FROM batch_cells WHERE benchmark IN (SELECT key FROM temp.gc_benchmarks)",
	"DELETE FROM revisions WHERE key IN (SELECT key FROM temp.gc_revisions)",
	"DELETE FROM benchmarks WHERE key IN (SELECT key FROM temp.gc_benchmarks)",
	"DELETE FROM read_sets WHERE key NOT IN (SELECT reads FROM build_reads WHERE reads IS NOT NULL)",
	"DELETE FROM module_sets WHERE key NOT IN (SELECT modules FROM module_epochs)",
	"DELETE FROM call_sets WHERE key NOT IN (SELECT calls FROM runs WHERE calls IS NOT NULL)",
	"DELETE FROM executed_sets WHERE key NOT IN (SELECT functions FROM executions WHERE functions IS NOT NULL)",
	/* First what no run has, then what nothing differs from any more. */
	FORGET_FUNCTIONS,
	FORGET_FUNCTIONS,
	/* What is empty now: finished batches without runs, batches without cells, series without values. */
	"DELETE FROM batches AS w WHERE (NOT w.is_open AND NOT EXISTS (SELECT 1 FROM batch_cells c"
	" JOIN runs r ON r.benchmark = c.benchmark AND r.revision = c.revision AND r.batch = "
	"c.batch"
	" WHERE c.batch = w.key)) OR NOT EXISTS (SELECT 1 FROM batch_cells c WHERE c.batch = "
	"w.key)",
	"DELETE FROM series AS t WHERE NOT EXISTS (SELECT 1 FROM runs r JOIN samples s ON s.run = "
	"r.key"
	" AND s.metric = t.metric WHERE r.key BETWEEN t.benchmark << 32 AND"
	" (t.benchmark << 32) + 4294967295 AND r.batch IN"
	" (SELECT key FROM batches WHERE machine = t.machine))",
	/* Logs of failures that a later attempt has overtaken: their last 4 KiB. */
	"UPDATE runs AS r SET log = CAST(substr(CAST(log AS BLOB), -4096) AS TEXT)"
	" WHERE outcome <> 0 AND length(CAST(log AS BLOB)) > 4096 AND EXISTS (SELECT 1 FROM runs n"
	" JOIN batches a ON a.key = n.batch JOIN batches b ON b.key = r.batch"
	" WHERE n.benchmark = r.benchmark AND n.revision = r.revision AND n.kind = r.kind"
	" AND n.key > r.key AND a.machine = b.machine)",
	"UPDATE builds AS b SET log = CAST(substr(CAST(log AS BLOB), -4096) AS TEXT)"
	" WHERE length(CAST(log AS BLOB)) > 4096 AND EXISTS (SELECT 1 FROM builds n"
	" WHERE n.revision = b.revision AND n.machine = b.machine AND n.key > b.key)",
};

static int give_back(struct pe_store *store, struct pe_err *err)
{
	int64_t free_pages = 0;
	int rc = pe_sql_integer(&free_pages, store, "PRAGMA freelist_count", NULL, err);

	if (rc == PE_OK && free_pages > 0)
		rc = pe_sql_script(store, "VACUUM", err);
	if (rc != PE_OK) {
		pe_err_context(
			err,
			"the rows are deleted, but the file was not compacted; run 'perfevo gc' again");
		return rc;
	}
	/* A reader may hold the log; whoever comes next then writes it back. */
	sqlite3_wal_checkpoint_v2(store->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	return PE_OK;
}

static uint64_t bytes_used(const struct pe_store *store)
{
	pe_auto_text log = PE_TEXT_INIT;
	struct stat status;
	uint64_t bytes = 0;

	if (stat(store->path, &status) == 0)
		bytes += (uint64_t)status.st_size;
	pe_text_addf(&log, "%s-wal", store->path);
	if (stat(log.data, &status) == 0)
		bytes += (uint64_t)status.st_size;
	return bytes;
}

/* All of it, or nothing. */
static int collect(struct pe_store_gc_result *out, struct pe_store *store,
		   const struct pe_store_gc *what, struct pe_err *err)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_sql_script(store, LISTS, err));
	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(list_keep(store, what, err));
	PE_TRY(run_all(lists, sizeof(lists) / sizeof(*lists), store, what, err));
	PE_TRY(count(out, store, what, err));
	if (!what->dry_run) {
		PE_TRY(run_all(deletions, sizeof(deletions) / sizeof(*deletions), store, what,
			       err));
		PE_TRY(pe_frames_sweep(store, err));
	}
	return pe_savepoint_keep(&savepoint);
}

int pe_store_collect(struct pe_store_gc_result *out, struct pe_store *store,
		     const struct pe_store_gc *what, struct pe_err *err)
{
	const uint64_t before = bytes_used(store);
	int rc;

	assert(!store->in_transaction);
	memset(out, 0, sizeof(*out));
	rc = collect(out, store, what, err);
	if (rc == PE_OK && !what->dry_run)
		rc = give_back(store, err);
	out->bytes_before = before;
	out->bytes_after = bytes_used(store);
	return rc;
}
