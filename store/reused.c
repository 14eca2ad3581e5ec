/* Carried: cells whose results are another revision's, because all that they execute is the same. */
#include "store/sql.h"

#include <string.h>

int pe_store_put_execution(struct pe_store *store, int64_t machine,
			   const struct pe_execution *execution, struct pe_err *err)
{
	return pe_sql_run(
		store,
		"INSERT INTO executions (machine, benchmark, revision, dependencies, identity)"
		" VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET"
		" dependencies = excluded.dependencies, identity = excluded.identity",
		ARGS(INT(machine), INT(execution->benchmark), INT(execution->revision),
		     TEXT(execution->touched), TEXT(execution->identity)),
		err);
}

int pe_store_executions(struct pe_execution **out, size_t *n, struct pe_store *store,
			int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_execution) rows = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     "SELECT revision, benchmark, dependencies, identity FROM executions"
			     " WHERE machine = ?1 ORDER BY benchmark, revision",
			     ARGS(INT(machine)), err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, store, err)) > 0) {
		struct pe_execution row = {
			.revision = sqlite3_column_int64(stmt, 0),
			.benchmark = sqlite3_column_int64(stmt, 1),
			.touched = pe_sql_text(stmt, 2, arena),
			.identity = pe_sql_text(stmt, 3, arena),
		};

		pe_vec_push(&rows, row);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &rows, arena);
	return rc;
}

int pe_store_put_reused(struct pe_store *store, int64_t machine, const struct pe_reused *reused,
			struct pe_err *err)
{
	return pe_sql_run(store,
			  "INSERT INTO reused (machine, benchmark, revision, source, unbuilt)"
			  " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET"
			  " source = excluded.source, unbuilt = excluded.unbuilt",
			  ARGS(INT(machine), INT(reused->benchmark), INT(reused->revision),
			       INT(reused->source), INT(reused->unbuilt)),
			  err);
}

int pe_store_reused(struct pe_reused **out, size_t *n, struct pe_store *store, int64_t machine,
		    struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_reused) rows = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     "SELECT revision, benchmark, source, unbuilt FROM reused"
			     " WHERE machine = ?1 ORDER BY benchmark, revision",
			     ARGS(INT(machine)), err);

	while (rc == PE_OK && (rc = pe_sql_row(stmt, store, err)) > 0) {
		struct pe_reused row = {
			.revision = sqlite3_column_int64(stmt, 0),
			.benchmark = sqlite3_column_int64(stmt, 1),
			.source = sqlite3_column_int64(stmt, 2),
			.unbuilt = sqlite3_column_int(stmt, 3) != 0,
		};

		pe_vec_push(&rows, row);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &rows, arena);
	return rc;
}
