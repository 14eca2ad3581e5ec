/* Reading samples: one series for detection, and all of them, row by row, for export. */
#include "store/sql.h"

#include <string.h>

/* Runs of one benchmark are a range of keys; each finds its one sample by primary key. */
#define SERIES                                                                                     \
	"SELECT r.revision, r.batch, r.round, r.sequence, s.value"                                 \
	" FROM runs r CROSS JOIN samples s ON s.run = r.key AND s.metric = ?3"                     \
	" WHERE r.key BETWEEN ?2 << 32 AND (?2 << 32) + 4294967295"                                \
	" AND r.batch IN (SELECT key FROM batches WHERE machine = ?1 AND NOT aside)"               \
	" ORDER BY r.batch, r.round, r.sequence"

int pe_store_get_series(struct pe_observation **out, size_t *n, struct pe_store *store,
			const struct pe_series_query *query, struct pe_arena *arena,
			struct pe_err *err)
{
	PE_VEC(struct pe_observation) series = {NULL, 0, 0};
	sqlite3_stmt *stmt = NULL;
	int64_t metric;
	int rc = pe_series_metric(&metric, store, query, err);

	if (rc == PE_OK)
		rc = pe_sql_open(&stmt, store, SERIES,
				 ARGS(INT(query->machine), INT(query->benchmark), INT(metric)),
				 err);
	else if (rc == PE_ENOTFOUND)
		rc = PE_OK; /* nothing measured: an empty series */
	while (stmt != NULL && rc == PE_OK && (rc = pe_sql_row(stmt, store, err)) > 0) {
		struct pe_observation row = {
			.revision = sqlite3_column_int64(stmt, 0),
			.batch = sqlite3_column_int64(stmt, 1),
			.round = (unsigned)sqlite3_column_int64(stmt, 2),
			.sequence = (uint64_t)sqlite3_column_int64(stmt, 3),
			.value = sqlite3_column_double(stmt, 4),
		};

		pe_vec_push(&series, row);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &series, arena);
	return rc;
}

/* By run and metric: the order in which they lie, so that nothing has to be sorted. */
#define EXPORT                                                                                     \
	"SELECT v.id, v.subject, b.name, b.version, m.name, m.unit, h.fingerprint, v.time_s,"      \
	" r.batch, r.round, CASE r.kind WHEN 0 THEN 'timed' ELSE 'allocations' END, s.value"       \
	" FROM runs r CROSS JOIN samples s ON s.run = r.key"                                       \
	" CROSS JOIN batches w ON w.key = r.batch CROSS JOIN machines h ON h.key = w.machine"      \
	" CROSS JOIN revisions v ON v.key = r.revision"                                            \
	" CROSS JOIN benchmarks b ON b.key = r.benchmark"                                          \
	" CROSS JOIN metrics m ON m.key = s.metric"                                                \
	" WHERE w.machine = ?1 AND NOT w.aside ORDER BY r.key, s.metric"

int pe_store_export(struct pe_store *store, int64_t machine, pe_export_fn fn, void *payload,
		    struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int stop = 0;
	int rc = pe_sql_open(&stmt, store, EXPORT, ARGS(INT(machine)), err);

	while (rc == PE_OK && stop == 0 && (rc = pe_sql_row(stmt, store, err)) > 0) {
		const struct pe_export_row row = {
			.revision = pe_sql_string(stmt, 0),
			.subject = pe_sql_string(stmt, 1),
			.benchmark = pe_sql_string(stmt, 2),
			.version = pe_sql_string(stmt, 3),
			.metric = pe_sql_string(stmt, 4),
			.unit = pe_sql_string(stmt, 5),
			.machine = pe_sql_string(stmt, 6),
			.time_s = sqlite3_column_int64(stmt, 7),
			.batch = sqlite3_column_int64(stmt, 8),
			.round = (unsigned)sqlite3_column_int64(stmt, 9),
			.kind = pe_sql_string(stmt, 10),
			.value = sqlite3_column_double(stmt, 11),
		};

		stop = fn(&row, payload);
		rc = PE_OK;
	}
	pe_sql_close(stmt);
	return rc != PE_OK ? rc : stop;
}
