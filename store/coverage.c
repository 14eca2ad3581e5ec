/* Coverage of each cell, and the latest failures. */
#include "store/sql.h"

#include <string.h>

/*
 * The failed runs of a machine by cell and kind: how many, and the latest (SQLite's max() picks its row). One that was
 * the machine's fault is none while it is to be tried again. `which`: a further condition on the batch w.
 */
#define FAILED_OF(which)                                                                           \
	"failed AS MATERIALIZED (SELECT r.benchmark AS benchmark, r.revision AS revision,"         \
	" r.kind AS kind, w.aside AS aside, count(*) AS n, CASE WHEN r.outcome = ?2"               \
	" AND sum(r.outcome = ?2) < ?3 THEN 0 ELSE r.outcome END AS outcome, max(r.key) AS key"    \
	" FROM runs r JOIN batches w ON w.key = r.batch"                                           \
	" WHERE r.outcome <> 0 AND w.machine = ?1" which " GROUP BY 1, 2, 3)"
#define FAILED      FAILED_OF(" AND NOT w.aside")
#define FAILED_EVER FAILED_OF("")

/* All runs are counted in the index alone; the few that failed are taken off. */
#define COVERAGE                                                                                   \
	"WITH " FAILED ", tried AS (SELECT benchmark, revision, sum(kind = 0) AS timed,"           \
	" sum(kind = 1) AS counted FROM runs"                                                      \
	" WHERE batch IN (SELECT key FROM batches WHERE machine = ?1 AND NOT aside) GROUP BY 1, "  \
	"2), settled AS MATERIALIZED (SELECT DISTINCT s.benchmark AS benchmark,"                   \
	" s.revision AS revision FROM batch_cells s JOIN batches w ON w.key = s.batch"             \
	" WHERE s.enough AND w.machine = ?1 AND NOT w.aside)"                                      \
	" SELECT a.revision, a.benchmark, 1, a.timed - coalesce(t.n, 0),"                          \
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
	return pe_sql_rows(out, n, store, COVERAGE,
			   ARGS(INT(machine), INT(PE_INCONCLUSIVE), INT(PE_INCONCLUSIVE_TRIES)),
			   PE_ROW(struct pe_coverage, revision, benchmark, tried, timed, counted,
				  failure, counted_failure, enough),
			   arena, err);
}

/*
 * A failure is overtaken by a later measured run of the same cell, kind and machine; one of a confirmation, or of a
 * comparison of two builds alone, by any. A benchmark that fails in counting runs alone is not countable; the run's log has
 * how it ended.
 */
#define FAILURES                                                                                   \
	"WITH " FAILED_EVER ", latest AS (SELECT max(f.key) AS key FROM failed f WHERE NOT EXISTS" \
	" (SELECT 1 FROM runs g JOIN batches w ON w.key = g.batch WHERE g.benchmark = "            \
	"f.benchmark"                                                                              \
	" AND g.revision = f.revision AND g.kind = f.kind AND g.outcome = 0"                       \
	" AND (f.aside OR g.key > f.key) AND w.machine = ?1) GROUP BY f.benchmark, f.revision)"    \
	" SELECT r.revision, r.benchmark, CASE WHEN r.kind = 1 AND r.outcome NOT IN (?2, ?4)"      \
	" THEN ?5 ELSE r.outcome END, r.status, r.log"                                             \
	" FROM latest JOIN runs r ON r.key = latest.key"                                           \
	" UNION ALL SELECT revision, 0, outcome, status, log FROM builds WHERE outcome <> 0"       \
	" AND key IN (SELECT max(key) FROM builds WHERE machine = ?1 GROUP BY revision)"           \
	" ORDER BY 1, 2"

int pe_store_failures(struct pe_stored_failure **out, size_t *n, struct pe_store *store,
		      int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	typedef struct pe_stored_failure row;

	return pe_sql_rows(out, n, store, FAILURES,
			   ARGS(INT(machine), INT(PE_INCONCLUSIVE), INT(PE_INCONCLUSIVE_TRIES),
				INT(PE_ABSENT), INT(PE_NOT_COUNTABLE)),
			   PE_ROW_OF(row, PE_MEMBERS(row, revision, benchmark, outcome, status),
				     PE_MAYBE(row, log)),
			   arena, err);
}
