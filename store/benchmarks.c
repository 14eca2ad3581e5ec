/* Benchmarks by (name, version), and the metrics that they are measured by. */
#include "store/sql.h"

#include "core/base/sort.h"

/*
 * Find a metric or add it. Its display and detection follow the latest definition. Custom metrics belong to a benchmark's name,
 * so that two benchmarks may use one word differently.
 *
 * @param benchmark  0: it is built in
 */
static int put_metric(int64_t *out, struct pe_store *store, int64_t benchmark,
		      const struct pe_metric *metric, struct pe_err *err)
{
	return pe_sql_once(
		out, store,
		"INSERT INTO metrics (benchmark, name, unit, better, label, kind, min_relative,"
		" min_absolute) VALUES (coalesce((SELECT name FROM benchmarks WHERE key = ?1), ''),"
		" ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
		" ON CONFLICT (benchmark, name, unit, better) DO UPDATE SET label = excluded.label,"
		" kind = excluded.kind, min_relative = excluded.min_relative,"
		" min_absolute = excluded.min_absolute",
		"SELECT key FROM metrics WHERE name = ?2 AND unit = ?3 AND better = ?4"
		" AND benchmark = coalesce((SELECT name FROM benchmarks WHERE key = ?1), '')",
		ARGS(INT(benchmark), TEXT(metric->name), TEXT(metric->unit), INT(metric->better),
		     TEXT(metric->label != NULL ? metric->label : metric->name), INT(metric->kind),
		     REAL(metric->min_relative), REAL(metric->min_absolute)),
		err);
}

int pe_metric_key(int64_t *out, struct pe_store *store, int64_t benchmark,
		  const struct pe_metric *metric, struct pe_err *err)
{
	const struct pe_metric *builtin = pe_metric_find(metric->name);
	int64_t *cached;
	int rc;

	if (builtin == NULL) {
		rc = pe_sql_integer(out, store,
				    "SELECT m.key FROM benchmarks b JOIN metrics m"
				    " ON m.benchmark = b.name WHERE b.key = ?1 AND m.name = ?2"
				    " AND m.unit = ?3 AND m.better = ?4",
				    ARGS(INT(benchmark), TEXT(metric->name), TEXT(metric->unit),
					 INT(metric->better)),
				    err);
		return rc == PE_ENOTFOUND ? put_metric(out, store, benchmark, metric, err) : rc;
	}
	cached = &store->metric_keys[builtin - pe_metrics];
	if (*cached == 0)
		PE_TRY(put_metric(cached, store, 0, builtin, err));
	*out = *cached;
	return PE_OK;
}

int pe_series_metric(int64_t *out, struct pe_store *store, const struct pe_series_query *query,
		     struct pe_err *err)
{
	return pe_sql_integer(out, store,
			      "SELECT m.key FROM series s JOIN metrics m ON m.key = s.metric"
			      " WHERE s.machine = ?1 AND s.benchmark = ?2 AND m.name = ?3",
			      ARGS(INT(query->machine), INT(query->benchmark), TEXT(query->metric)),
			      err);
}

/* The version that was put last is the newest of its name, also when an edit was taken back. */
static int put_row(int64_t *key, struct pe_store *store, const struct pe_benchmark *benchmark,
		   const char *definition, struct pe_err *err)
{
	return pe_sql_once(
		key, store,
		"INSERT INTO benchmarks (name, version, generation, definition, is_test, suite)"
		" VALUES (?1, ?2, coalesce((SELECT max(generation) FROM benchmarks"
		" WHERE name = ?1), 0) + 1, ?3, ?4, ?5)"
		" ON CONFLICT (name, version) DO UPDATE SET definition = excluded.definition,"
		" suite = excluded.suite, is_test = excluded.is_test, generation = CASE WHEN generation + 1 ="
		" excluded.generation THEN generation ELSE excluded.generation END",
		"SELECT key FROM benchmarks WHERE name = ?1 AND version = ?2",
		ARGS(TEXT(benchmark->name), TEXT(benchmark->version), TEXT(definition),
		     INT(benchmark->is_test),
		     TEXT(benchmark->suite != NULL ? benchmark->suite->name : NULL)),
		err);
}

int pe_store_put_benchmark(int64_t *key, struct pe_store *store,
			   const struct pe_benchmark *benchmark, struct pe_err *err)
{
	pe_auto_text definition = PE_TEXT_INIT;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	pe_benchmark_json(&definition, benchmark);
	PE_TRY(put_row(key, store, benchmark, pe_text_str(&definition), err));
	for (size_t i = 0; i < benchmark->n_customs; i++) {
		const struct pe_metric *metric = &benchmark->customs[i].metric;
		int64_t ignored;

		if (pe_metric_find(metric->name) == NULL)
			PE_TRY(put_metric(&ignored, store, *key, metric, err));
	}
	return pe_savepoint_keep(&savepoint);
}

int pe_store_benchmarks(struct pe_stored_benchmark **out, size_t *n, struct pe_store *store,
			int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	typedef struct pe_stored_benchmark row;

	return pe_sql_rows(
		out, n, store,
		"SELECT b.key, b.name, b.version, b.definition, b.is_test, b.suite,"
		" coalesce((SELECT r.started_s FROM runs r JOIN batches w ON w.key = r.batch"
		" WHERE r.key BETWEEN b.key << 32 AND (b.key << 32) + 4294967295"
		" AND w.machine = ?1 ORDER BY r.key DESC LIMIT 1), 0)"
		" FROM benchmarks b ORDER BY b.name, b.generation DESC",
		ARGS(INT(machine)),
		PE_ROW_OF(row, PE_MEMBERS(row, key, name, version, definition, is_test),
			  PE_MAYBE(row, suite), PE_MEMBERS(row, last_run_s)),
		arena, err);
}

static int read_names(struct pe_strings *out, struct pe_store *store, const char *query,
		      struct pe_arena *arena, struct pe_err *err)
{
	const char **at;
	int rc = pe_sql_texts(&at, &out->n, store, query, NULL, arena, err);

	out->at = at;
	return rc;
}

int pe_store_member_names(struct pe_strings *out, struct pe_store *store, struct pe_arena *arena,
			  struct pe_err *err)
{
	return read_names(out, store,
			  "SELECT DISTINCT name FROM benchmarks"
			  " WHERE suite IS NOT NULL OR is_test ORDER BY name",
			  arena, err);
}

int pe_store_benchmark_names(struct pe_strings *out, struct pe_store *store, struct pe_arena *arena,
			     struct pe_err *err)
{
	return read_names(out, store, "SELECT DISTINCT name FROM benchmarks ORDER BY name", arena,
			  err);
}

int pe_store_metric_names(struct pe_strings *out, struct pe_store *store, struct pe_arena *arena,
			  struct pe_err *err)
{
	return read_names(out, store, "SELECT DISTINCT name FROM metrics ORDER BY name", arena,
			  err);
}

/* A metric of a series. */
struct metric_of {
	struct pe_metric is;
	bool in_suite;
	size_t order; /* built-in ones first, in their order */
};

PE_SORT_BY(by_order, struct metric_of, order);

int pe_store_benchmark_metrics(struct pe_metric **out, size_t *n, struct pe_store *store,
			       int64_t machine, int64_t benchmark, struct pe_arena *arena,
			       struct pe_err *err)
{
	typedef struct metric_of row;
	struct metric_of *metrics;
	int rc = pe_sql_rows(&metrics, n, store,
			     "SELECT m.name, m.unit, m.label, m.better, m.kind, m.min_relative,"
			     " m.min_absolute, b.suite IS NOT NULL FROM series s"
			     " JOIN metrics m ON m.key = s.metric"
			     " JOIN benchmarks b ON b.key = s.benchmark"
			     " WHERE s.machine = ?1 AND s.benchmark = ?2 ORDER BY m.key",
			     ARGS(INT(machine), INT(benchmark)),
			     PE_ROW(row, is.name, is.unit, is.label, is.better, is.kind,
				    is.min_relative, is.min_absolute, in_suite),
			     arena, err);

	*out = pe_arena_new(arena, struct pe_metric, *n);
	/* A built-in metric has this program's definition, a custom one the stored one. */
	for (size_t i = 0; i < *n; i++) {
		const struct pe_metric *builtin = pe_metric_find(metrics[i].is.name);

		metrics[i].order = PE_N_METRICS + i;
		if (builtin == NULL)
			continue;
		metrics[i].order = (size_t)(builtin - pe_metrics);
		metrics[i].is =
			metrics[i].in_suite ? pe_metrics_of_iteration[metrics[i].order] : *builtin;
	}
	pe_sort(metrics, *n, by_order);
	for (size_t i = 0; i < *n; i++)
		(*out)[i] = metrics[i].is;
	return rc;
}
