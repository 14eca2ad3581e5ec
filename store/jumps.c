/* Jumps: what the detection found last in each series. They belong to their series and go with it. */
#include "store/sql.h"

#include <math.h>
#include <string.h>

static int put_jump(struct pe_store *store, const struct pe_series_query *series, int64_t metric,
		    const struct pe_stored_jump *jump, struct pe_err *err)
{
	/* A NaN becomes SQL's NULL. */
	return pe_sql_run(
		store,
		"INSERT INTO jumps (machine, benchmark, metric, before, after, relative, low, high,"
		" strength, regression, event, class, standing, summary)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, nullif(?11, 0), ?12, ?13, ?14)",
		ARGS(INT(series->machine), INT(series->benchmark), INT(metric), INT(jump->before),
		     INT(jump->after), REAL(jump->relative), REAL(jump->low), REAL(jump->high),
		     REAL(jump->strength), INT(jump->regression), INT(jump->event),
		     TEXT(jump->class), TEXT(jump->standing), TEXT(jump->summary)),
		err);
}

static int replace(struct pe_store *store, const struct pe_series_query *series,
		   const struct pe_stored_jump *jumps, size_t n, struct pe_err *err)
{
	int64_t metric;
	int rc = pe_series_metric(&metric, store, series, err);

	if (rc == PE_ENOTFOUND && n == 0)
		return PE_OK;
	if (rc == PE_ENOTFOUND)
		return pe_fail(err, PE_ESTORE, "%s: benchmark %lld has no values of %s to jump",
			       store->path, (long long)series->benchmark, series->metric);
	if (rc == PE_OK)
		rc = pe_sql_run(
			store,
			"DELETE FROM jumps WHERE machine = ?1 AND benchmark = ?2 AND metric = ?3",
			ARGS(INT(series->machine), INT(series->benchmark), INT(metric)), err);
	for (size_t i = 0; rc == PE_OK && i < n; i++)
		rc = put_jump(store, series, metric, &jumps[i], err);
	return rc;
}

int pe_store_replace_jumps(struct pe_store *store, int64_t machine, int64_t benchmark,
			   const char *metric, const struct pe_stored_jump *jumps, size_t n,
			   struct pe_err *err)
{
	const struct pe_series_query series = {machine, benchmark, metric};
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	return pe_scope_end(store, replace(store, &series, jumps, n, err), err);
}

static double real_or_nan(sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL
		       ? NAN
		       : sqlite3_column_double(stmt, column);
}

int pe_store_jumps(struct pe_stored_jump **out, size_t *n, struct pe_store *store, int64_t machine,
		   struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_stored_jump) jumps = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, store,
		"SELECT j.benchmark, m.name, j.before, j.after, j.relative, j.low, j.high,"
		" j.strength, j.regression, coalesce(j.event, 0) FROM jumps j JOIN metrics m ON m.key = j.metric"
		" WHERE j.machine = ?1 ORDER BY j.benchmark, j.metric, j.before, j.after",
		ARGS(INT(machine)), err);

	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(&jumps, (struct pe_stored_jump){
					    .machine = machine,
					    .benchmark = sqlite3_column_int64(stmt, 0),
					    .metric = pe_sql_text(stmt, 1, arena),
					    .before = sqlite3_column_int64(stmt, 2),
					    .after = sqlite3_column_int64(stmt, 3),
					    .relative = real_or_nan(stmt, 4),
					    .low = real_or_nan(stmt, 5),
					    .high = real_or_nan(stmt, 6),
					    .strength = real_or_nan(stmt, 7),
					    .regression = sqlite3_column_int(stmt, 8) != 0,
					    .event = sqlite3_column_int64(stmt, 9),
				    });
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &jumps, arena);
	return rc;
}
