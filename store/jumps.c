/* Jumps: the latest result of the detection for each series. They are deleted with their series. */
#include "store/sql.h"

#include <string.h>

static int put_jump(struct pe_store *store, const struct pe_series_query *series, int64_t metric,
		    const struct pe_evolution *evolution, const struct pe_jump *jump,
		    struct pe_err *err)
{
	const struct pe_revision *revisions = evolution->revisions;
	const int64_t event = jump->event < evolution->n_events
				      ? revisions[evolution->events[jump->event].commit].key
				      : 0;

	/* A NaN becomes SQL's NULL. */
	return pe_sql_run(
		store,
		"INSERT INTO jumps (machine, benchmark, metric, before, after, relative, low, high,"
		" strength, regression, event, class, standing, summary)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, nullif(?11, 0), ?12, ?13, ?14)",
		ARGS(INT(series->machine), INT(series->benchmark), INT(metric),
		     INT(revisions[jump->before].key), INT(revisions[jump->after].key),
		     REAL(jump->relative), REAL(jump->low), REAL(jump->high), REAL(jump->strength),
		     INT(jump->regression), INT(event), TEXT(jump->class), TEXT(jump->standing),
		     TEXT(jump->summary)),
		err);
}

static int replace(struct pe_store *store, const struct pe_series_query *series,
		   const struct pe_evolution *evolution, const struct pe_line *line,
		   struct pe_err *err)
{
	int64_t metric;
	int rc = pe_series_metric(&metric, store, series, err);

	if (rc == PE_ENOTFOUND && line->n_jumps == 0)
		return PE_OK;
	if (rc == PE_ENOTFOUND)
		return pe_fail(err, PE_ESTORE, "%s: benchmark %lld has no values of %s to jump",
			       store->path, (long long)series->benchmark, series->metric);
	PE_TRY(rc);
	PE_TRY(pe_sql_run(store,
			  "DELETE FROM jumps WHERE machine = ?1 AND benchmark = ?2 AND metric = ?3",
			  ARGS(INT(series->machine), INT(series->benchmark), INT(metric)), err));
	for (size_t i = 0; i < line->n_jumps; i++)
		PE_TRY(put_jump(store, series, metric, evolution, &line->jumps[i], err));
	return PE_OK;
}

int pe_store_replace_jumps(struct pe_store *store, int64_t machine,
			   const struct pe_evolution *evolution, const struct pe_line *line,
			   struct pe_err *err)
{
	const struct pe_series_query series = {machine, line->benchmark_key, line->metric->name};
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(replace(store, &series, evolution, line, err));
	return pe_savepoint_keep(&savepoint);
}
