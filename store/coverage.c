/* What is known of each cell, and what failed. */
#include "store/sql.h"

#include <string.h>

/*
 * The failed runs of a machine by cell and kind: how many, and the latest (SQLite's max() picks its row). One that was
 * the machine's fault is none while it is to be tried again.
 */
#define FAILED                                                                                     \
	"failed AS MATERIALIZED (SELECT r.benchmark AS benchmark, r.revision AS revision,"         \
	" r.kind AS kind, count(*) AS n, CASE WHEN r.outcome = ?2"                                 \
	" AND sum(r.outcome = ?2) < ?3 THEN 0 ELSE r.outcome END AS outcome, max(r.key) AS key"    \
	" FROM runs r JOIN batches w ON w.key = r.batch"                                           \
	" WHERE r.outcome <> 0 AND w.machine = ?1 AND NOT w.aside GROUP BY 1, 2, 3)"

/* All runs are counted in the index alone; the few that failed are taken off. */
#define COVERAGE                                                                                   \
	"WITH " FAILED ", tried AS (SELECT benchmark, revision, sum(kind = 0) AS timed,"           \
	" sum(kind = 1) AS counted FROM runs"                                                      \
	" WHERE batch IN (SELECT key FROM batches WHERE machine = ?1 AND NOT aside) GROUP BY 1, "  \
	"2), settled AS MATERIALIZED (SELECT DISTINCT s.benchmark AS benchmark,"                   \
	" s.revision AS revision FROM batch_cells s JOIN batches w ON w.key = s.batch"             \
	" WHERE s.enough AND w.machine = ?1 AND NOT w.aside)"                                      \
	" SELECT a.revision, a.benchmark, a.timed - coalesce(t.n, 0),"                             \
	" a.counted - coalesce(c.n, 0), coalesce(t.outcome, 0), coalesce(c.outcome, 0),"           \
	" e.benchmark IS NOT NULL FROM tried a"                                                    \
	" LEFT JOIN failed t ON t.benchmark = a.benchmark AND t.revision = a.revision AND t.kind " \
	"= 0"                                                                                      \
	" LEFT JOIN failed c ON c.benchmark = a.benchmark AND c.revision = a.revision AND c.kind " \
	"= 1"                                                                                      \
	" LEFT JOIN settled e ON e.benchmark = a.benchmark AND e.revision = a.revision"            \
	" ORDER BY a.benchmark, a.revision"

int pe_store_coverage(struct pe_coverage **out, size_t *n, struct pe_store *store, int64_t machine,
		      struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_coverage) coverage = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, COVERAGE,
			     ARGS(INT(machine), INT(PE_INCONCLUSIVE), INT(PE_INCONCLUSIVE_TRIES)),
			     err);

	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(&coverage,
			    (struct pe_coverage){
				    .revision = sqlite3_column_int64(stmt, 0),
				    .benchmark = sqlite3_column_int64(stmt, 1),
				    .timed = (unsigned)sqlite3_column_int64(stmt, 2),
				    .counted = (unsigned)sqlite3_column_int64(stmt, 3),
				    .failure = (enum pe_outcome)sqlite3_column_int(stmt, 4),
				    .counted_failure = (enum pe_outcome)sqlite3_column_int(stmt, 5),
				    .enough = sqlite3_column_int(stmt, 6) != 0,
			    });
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &coverage, arena);
	return rc;
}

/* A failure is overtaken by a later measured run of the same cell, kind and machine. */
#define FAILURES                                                                                   \
	"WITH " FAILED ", latest AS (SELECT max(f.key) AS key FROM failed f WHERE NOT EXISTS"      \
	" (SELECT 1 FROM runs g JOIN batches w ON w.key = g.batch WHERE g.benchmark = "            \
	"f.benchmark"                                                                              \
	" AND g.revision = f.revision AND g.kind = f.kind AND g.outcome = 0 AND g.key > f.key"     \
	" AND w.machine = ?1) GROUP BY f.benchmark, f.revision)"                                   \
	" SELECT r.revision, r.benchmark, r.outcome, r.status, r.log, r.kind"                      \
	" FROM latest JOIN runs r ON r.key = latest.key"                                           \
	" UNION ALL SELECT revision, 0, outcome, status, log, 0 FROM builds WHERE outcome <> 0"    \
	" AND key IN (SELECT max(key) FROM builds WHERE machine = ?1 GROUP BY revision)"           \
	" ORDER BY 1, 2"

/* What fails while it is counted, and has its times, is not countable; how it ended is in its log. */
static enum pe_outcome outcome_of_kind(enum pe_outcome outcome, int kind)
{
	return kind == PE_RUN_COUNTED && outcome != PE_ABSENT && outcome != PE_INCONCLUSIVE
		       ? PE_NOT_COUNTABLE
		       : outcome;
}

int pe_store_failures(struct pe_stored_failure **out, size_t *n, struct pe_store *store,
		      int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_stored_failure) failures = {NULL, 0, 0};
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, FAILURES,
			     ARGS(INT(machine), INT(PE_INCONCLUSIVE), INT(PE_INCONCLUSIVE_TRIES)),
			     err);

	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(&failures, (struct pe_stored_failure){
					       .revision = sqlite3_column_int64(stmt, 0),
					       .benchmark = sqlite3_column_int64(stmt, 1),
					       .outcome = outcome_of_kind(
						       (enum pe_outcome)sqlite3_column_int(stmt, 2),
						       sqlite3_column_int(stmt, 5)),
					       .status = sqlite3_column_int(stmt, 3),
					       .log = pe_sql_text_or_null(stmt, 4, arena),
				       });
	pe_sql_close(stmt);
	pe_vec_into_arena(out, n, &failures, arena);
	return rc;
}
