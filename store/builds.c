/* Build attempts: every one is kept, the latest of a revision counts. */
#include "store/sql.h"

#include <string.h>

int pe_store_put_build(int64_t *key, struct pe_store *store, int64_t revision, int64_t machine,
		       const char *recipe_hash, const struct pe_build *build, struct pe_err *err)
{
	int64_t recipe;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(pe_sql_once(&recipe, store,
			   "INSERT INTO recipes (hash) VALUES (?1) ON CONFLICT (hash) DO NOTHING",
			   "SELECT key FROM recipes WHERE hash = ?1", ARGS(TEXT(recipe_hash)),
			   err));
	PE_TRY(pe_sql_run(
		store,
		"INSERT INTO builds (revision, machine, recipe, outcome, status, started_s,"
		" duration_ns, step, log, refused_by)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
		ARGS(INT(revision), INT(machine), INT(recipe), INT(build->outcome),
		     INT(build->status), INT(build->started_s), INT((int64_t)build->duration_ns),
		     TEXT(build->step), TEXT(build->log), TEXT(build->refused_by)),
		err));
	*key = sqlite3_last_insert_rowid(store->db);
	return pe_savepoint_keep(&savepoint);
}

int pe_store_newest_build(int64_t *key, struct pe_store *store, struct pe_err *err)
{
	return pe_sql_integer(key, store, "SELECT coalesce(max(key), 0) FROM builds", NULL, err);
}

int pe_store_unbuildable(int64_t **out, size_t *n, struct pe_store *store, int64_t machine,
			 const char *recipe_hash, const char *limits, int64_t since,
			 struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_integers(
		out, n, store,
		"SELECT revision FROM builds b WHERE key IN (SELECT max(key) FROM builds"
		" WHERE machine = ?1 AND recipe = (SELECT key FROM recipes WHERE hash = ?2)"
		" GROUP BY revision) AND outcome <> ?3 AND CASE outcome"
		" WHEN ?4 THEN key > ?5 OR (refused_by IS NOT NULL AND refused_by IS ?6)"
		" WHEN ?7 THEN (SELECT count(*) FROM builds t WHERE t.revision = b.revision"
		" AND t.machine = b.machine AND t.recipe = b.recipe AND t.outcome = ?7) >= ?8"
		" ELSE 1 END ORDER BY revision",
		ARGS(INT(machine), TEXT(recipe_hash), INT(PE_MEASURED), INT(PE_TREE_REFUSED),
		     INT(since), TEXT(limits), INT(PE_INCONCLUSIVE), INT(PE_INCONCLUSIVE_TRIES)),
		arena, err);
}

int pe_store_build_times(struct pe_stored_build_time **out, size_t *n, struct pe_store *store,
			 int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(
		out, n, store,
		"SELECT revision, duration_ns FROM builds WHERE key IN (SELECT max(key) FROM builds"
		" WHERE machine = ?1 AND outcome = ?2 AND duration_ns > 0 GROUP BY revision)",
		ARGS(INT(machine), INT(PE_MEASURED)),
		PE_ROW(struct pe_stored_build_time, revision, duration_ns), arena, err);
}
