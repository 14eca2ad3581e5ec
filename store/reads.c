/* What builds read of their trees, and where that was found not to tell what they are. */
#include "store/sql.h"

#include <string.h>

static int set_key(int64_t *out, struct pe_store *store, const struct pe_stored_reads *reads,
		   struct pe_err *err)
{
	return pe_sql_once(out, store,
			   "INSERT INTO read_sets (digest, paths) VALUES (?1, ?2)"
			   " ON CONFLICT (digest) DO NOTHING",
			   "SELECT key FROM read_sets WHERE digest = ?1",
			   ARGS(TEXT(reads->digest), TEXT(reads->paths)), err);
}

int pe_store_put_reads(struct pe_store *store, int64_t build, const struct pe_stored_reads *reads,
		       struct pe_err *err)
{
	int64_t set = 0;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	if (reads->digest != NULL)
		PE_TRY(set_key(&set, store, reads, err));
	PE_TRY(pe_sql_run(store,
			  "INSERT INTO build_reads (build, reads, reason)"
			  " VALUES (?1, nullif(?2, 0), ?3)"
			  " ON CONFLICT DO UPDATE SET reads = excluded.reads,"
			  " reason = excluded.reason",
			  ARGS(INT(build), INT(set), TEXT(reads->reason)), err));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_build_reads(struct pe_build_reads **out, size_t *n, struct pe_store *store,
			 int64_t machine, const char *recipe_hash, struct pe_arena *arena,
			 struct pe_err *err)
{
	return pe_sql_rows(out, n, store,
			   "SELECT b.revision, s.reads FROM builds b JOIN build_reads s"
			   " ON s.build = b.key WHERE s.reads IS NOT NULL AND b.outcome = 0"
			   " AND b.key IN (SELECT max(key) FROM builds WHERE machine = ?1 AND"
			   " recipe = (SELECT key FROM recipes WHERE hash = ?2)"
			   " GROUP BY revision) ORDER BY b.revision",
			   ARGS(INT(machine), TEXT(recipe_hash)),
			   PE_ROW(struct pe_build_reads, revision, set), arena, err);
}

int pe_store_read_set(const char **paths, struct pe_store *store, int64_t set,
		      struct pe_arena *arena, struct pe_err *err)
{
	const char **at;
	size_t n;

	PE_TRY(pe_sql_texts(&at, &n, store, "SELECT paths FROM read_sets WHERE key = ?1",
			    ARGS(INT(set)), arena, err));
	if (n == 0)
		return pe_fail(err, PE_ENOTFOUND, "there is no list of files with key %lld",
			       (long long)set);
	*paths = at[0];
	return PE_OK;
}

int pe_store_put_misread(size_t *forgotten, struct pe_store *store, int64_t machine,
			 const char *recipe_hash, int64_t revision, int64_t source,
			 struct pe_err *err)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(pe_sql_run(store,
			  "INSERT INTO misread (machine, recipe, revision, source)"
			  " VALUES (?1, (SELECT key FROM recipes WHERE hash = ?2), ?3, ?4)"
			  " ON CONFLICT DO UPDATE SET source = excluded.source",
			  ARGS(INT(machine), TEXT(recipe_hash), INT(revision), INT(source)), err));
	PE_TRY(pe_sql_run(store, "DELETE FROM reused WHERE machine = ?1 AND unbuilt",
			  ARGS(INT(machine)), err));
	*forgotten = (size_t)sqlite3_changes(store->db);
	return pe_savepoint_keep(&savepoint);
}

int pe_store_is_misread(bool *out, struct pe_store *store, int64_t machine, const char *recipe_hash,
			struct pe_err *err)
{
	return pe_sql_exists(out, store,
			     "SELECT 1 FROM misread WHERE machine = ?1 AND"
			     " recipe = (SELECT key FROM recipes WHERE hash = ?2)",
			     ARGS(INT(machine), TEXT(recipe_hash)), err);
}
