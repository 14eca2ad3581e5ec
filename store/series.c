/* Reading samples: one series for detection, and all of them, row by row, for export. */
#include "store/sql.h"

#include "core/base/array.h"
#include "core/base/sort.h"

/* Metrics that one pass over the runs reads. */
enum { AT_ONCE = 3 };

/*
 * Runs of one benchmark are a range of keys, and so are their samples, in the same order: each is found next to the last
 * one. A metric whose key is 0 has no samples. Columns that were not requested are not looked up, which saves most of the
 * time.
 */
#define SERIES(columns, joins)                                                                     \
	"SELECT r.revision, r.batch, r.round, r.sequence, coalesce(r.epoch, 1)" columns            \
	" FROM runs r" joins " WHERE r.key BETWEEN ?2 << 32 AND (?2 << 32) + 4294967295"           \
	" AND r.batch IN (SELECT key FROM batches WHERE machine = ?1 AND NOT aside)"
#define OF_FIRST  " LEFT JOIN samples a ON a.run = r.key AND a.metric = ?3"
#define OF_SECOND " LEFT JOIN samples b ON b.run = r.key AND b.metric = ?4"
#define OF_THIRD  " LEFT JOIN samples c ON c.run = r.key AND c.metric = ?5"

/* By the number of metrics less one. */
static const char *const series_of[AT_ONCE] = {
	SERIES(", a.value", OF_FIRST),
	SERIES(", a.value, b.value", OF_FIRST OF_SECOND),
	SERIES(", a.value, b.value, c.value", OF_FIRST OF_SECOND OF_THIRD),
};

typedef PE_VEC(struct pe_observation) pe_observations;

PE_SORT_BY(by_run, struct pe_observation, batch, round, sequence, revision);

/* Most often they are in that order already. */
static void sort(struct pe_observation *at, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (by_run(&at[i - 1], &at[i]) > 0) {
			pe_sort(at, n, by_run);
			return;
		}
}

static void add_row(pe_observations *values, size_t n, sqlite3_stmt *stmt)
{
	struct pe_observation row = {
		.revision = sqlite3_column_int64(stmt, 0),
		.batch = sqlite3_column_int64(stmt, 1),
		.round = (unsigned)sqlite3_column_int64(stmt, 2),
		.sequence = (uint64_t)sqlite3_column_int64(stmt, 3),
		.epoch = (unsigned)sqlite3_column_int64(stmt, 4),
	};

	for (size_t i = 0; i < n; i++) {
		const int column = 5 + (int)i;

		if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
			continue;
		row.value = sqlite3_column_double(stmt, column);
		pe_vec_push(&values[i], row);
	}
}

/* Of n metrics, at most AT_ONCE; 0: no such metric. */
static int read_metrics(pe_observations *values, size_t n, struct pe_store *store,
			const struct pe_series_query *query, const int64_t *metrics,
			struct pe_err *err)
{
	struct pe_sql_arg args[2 + AT_ONCE + 1] = {INT(query->machine), INT(query->benchmark)};
	sqlite3_stmt *stmt;
	int rc;

	for (size_t i = 0; i < n; i++)
		args[2 + i] = (struct pe_sql_arg)INT(metrics[i]);
	args[2 + n].type = PE_SQL_END;
	rc = pe_sql_open(&stmt, store, series_of[n - 1], args, err);
	while (pe_sql_next(&rc, stmt, store, err))
		add_row(values, n, stmt);
	pe_sql_close(stmt);
	return rc;
}

/* A metric that nothing was measured of has an empty series. */
static int find_metrics(int64_t *metrics, struct pe_series *series, size_t n,
			struct pe_store *store, int64_t machine, int64_t benchmark,
			struct pe_err *err)
{
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		const struct pe_series_query query = {machine, benchmark, series[i].metric};

		rc = pe_series_metric(&metrics[i], store, &query, err);
		if (rc == PE_ENOTFOUND) {
			metrics[i] = 0;
			rc = PE_OK;
		}
	}
	return rc;
}

int pe_store_read_series(struct pe_series *series, size_t n, struct pe_store *store,
			 int64_t machine, int64_t benchmark, struct pe_err *err)
{
	const struct pe_series_query query = {machine, benchmark, NULL};
	int rc = PE_OK;

	for (size_t from = 0; rc == PE_OK && from < n; from += AT_ONCE) {
		const size_t some = n - from < AT_ONCE ? n - from : AT_ONCE;
		pe_observations values[AT_ONCE] = {{NULL, 0, 0}};
		int64_t metrics[AT_ONCE] = {0};
		bool any = false;

		rc = find_metrics(metrics, series + from, some, store, machine, benchmark, err);
		for (size_t i = 0; i < some; i++)
			any = any || metrics[i] != 0;
		if (rc == PE_OK && any)
			rc = read_metrics(values, some, store, &query, metrics, err);
		for (size_t i = 0; i < some; i++) {
			struct pe_series *one = &series[from + i];

			sort(values[i].data, values[i].n);
			one->n = values[i].n;
			one->at = pe_vec_copy(one->arena, &values[i]);
			pe_vec_release(&values[i]);
		}
	}
	return rc;
}

int pe_store_get_series(struct pe_observation **out, size_t *n, struct pe_store *store,
			const struct pe_series_query *query, struct pe_arena *arena,
			struct pe_err *err)
{
	struct pe_series one = {.metric = query->metric, .arena = arena};
	int rc = pe_store_read_series(&one, 1, store, query->machine, query->benchmark, err);

	*out = one.at;
	*n = one.n;
	return rc;
}

/* By run and metric, the order on disk, so that nothing has to be sorted. */
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

	while (stop == 0 && pe_sql_next(&rc, stmt, store, err)) {
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
	}
	pe_sql_close(stmt);
	return rc != PE_OK ? rc : stop;
}
