/* Build attempts: every one is kept, the latest of a revision counts. */
#include "store/sql.h"

#include <string.h>

static int recipe_key(int64_t *out, struct pe_store *store, const char *hash, struct pe_err *err)
{
	int rc = pe_sql_run(store,
			    "INSERT INTO recipes (hash) VALUES (?1) ON CONFLICT (hash) DO NOTHING",
			    ARGS(TEXT(hash)), err);

	if (rc != PE_OK)
		return rc;
	return pe_sql_integer(out, store, "SELECT key FROM recipes WHERE hash = ?1",
			      ARGS(TEXT(hash)), err);
}

int pe_store_put_build(int64_t *key, struct pe_store *store, int64_t revision, int64_t machine,
		       const char *recipe_hash, const struct pe_build *build, struct pe_err *err)
{
	int64_t recipe;
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = recipe_key(&recipe, store, recipe_hash, err);
	if (rc == PE_OK)
		rc = pe_sql_run(
			store,
			"INSERT INTO builds (revision, machine, recipe, outcome, status, started_s,"
			" duration_ns, step, log, refused_by)"
			" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
			ARGS(INT(revision), INT(machine), INT(recipe), INT(build->outcome),
			     INT(build->status), INT(build->started_s),
			     INT((int64_t)build->duration_ns), TEXT(build->step), TEXT(build->log),
			     TEXT(build->refused_by)),
			err);
	if (rc == PE_OK)
		*key = sqlite3_last_insert_rowid(store->db);
	return pe_scope_end(store, rc, err);
}

int pe_store_builds(struct pe_stored_build **out, size_t *n, struct pe_store *store,
		    int64_t machine, const char *recipe_hash, struct pe_arena *arena,
		    struct pe_err *err)
{
	PE_VEC(struct pe_stored_build) builds = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, store,
		"SELECT key, revision, outcome, started_s, duration_ns, step, status, log,"
		" outcome = ?3 AND (SELECT count(*) FROM builds t WHERE t.revision = b.revision"
		" AND t.machine = b.machine AND t.recipe = b.recipe AND t.outcome = ?3) < ?4,"
		" refused_by"
		" FROM builds b WHERE key IN (SELECT max(key) FROM builds WHERE machine = ?1 AND"
		" recipe = (SELECT key FROM recipes WHERE hash = ?2) GROUP BY revision)"
		" ORDER BY revision",
		ARGS(INT(machine), TEXT(recipe_hash), INT(PE_INCONCLUSIVE),
		     INT(PE_INCONCLUSIVE_TRIES)),
		err);

	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(
			&builds,
			(struct pe_stored_build){
				.key = sqlite3_column_int64(stmt, 0),
				.revision = sqlite3_column_int64(stmt, 1),
				.build = {.outcome = (enum pe_outcome)sqlite3_column_int(stmt, 2),
					  .started_s = sqlite3_column_int64(stmt, 3),
					  .duration_ns = (uint64_t)sqlite3_column_int64(stmt, 4),
					  .step = pe_sql_text_or_null(stmt, 5, arena),
					  .status = sqlite3_column_int(stmt, 6),
					  .log = pe_sql_text_or_null(stmt, 7, arena),
					  .refused_by = pe_sql_text_or_null(stmt, 9, arena)},
				.retry = sqlite3_column_int(stmt, 8) != 0,
			});
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &builds, arena);
	return rc;
}

int pe_store_build_times(struct pe_stored_build_time **out, size_t *n, struct pe_store *store,
			 int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_stored_build_time) times = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, store,
		"SELECT revision, duration_ns FROM builds WHERE key IN (SELECT max(key) FROM builds"
		" WHERE machine = ?1 AND outcome = ?2 AND duration_ns > 0 GROUP BY revision)",
		ARGS(INT(machine), INT(PE_MEASURED)), err);

	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(&times, ((struct pe_stored_build_time){
					    sqlite3_column_int64(stmt, 0),
					    (uint64_t)sqlite3_column_int64(stmt, 1)}));
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &times, arena);
	return rc;
}
