/* Carried: cells whose results are another revision's, because all that they execute is the same. */
#include "store/sql.h"

#include "core/base/sort.h"

#include <stdlib.h>

static int put_functions(struct pe_store *store, const struct pe_execution *execution,
			 struct pe_err *err)
{
	if (execution->functions == NULL)
		return PE_OK;
	return pe_sql_run(store,
			  "INSERT INTO executed_sets (digest, functions) VALUES (digest(?1), ?1)"
			  " ON CONFLICT (digest) DO NOTHING",
			  ARGS(TEXT(execution->functions)), err);
}

int pe_store_put_execution(struct pe_store *store, int64_t machine,
			   const struct pe_execution *execution, struct pe_err *err)
{
	PE_TRY(put_functions(store, execution, err));
	return pe_sql_run(
		store,
		"INSERT INTO executions (machine, benchmark, revision, dependencies, identity,"
		" functions, executed) VALUES (?1, ?2, ?3, ?4, ?5,"
		" (SELECT key FROM executed_sets WHERE ?6 IS NOT NULL AND digest = digest(?6)), ?7)"
		" ON CONFLICT DO UPDATE"
		" SET dependencies = excluded.dependencies, identity = excluded.identity,"
		" functions = excluded.functions, executed = excluded.executed,"
		" chosen = NULL",
		ARGS(INT(machine), INT(execution->benchmark), INT(execution->revision),
		     TEXT(execution->touched), TEXT(execution->identity),
		     TEXT(execution->functions), TEXT(execution->executed)),
		err);
}

/* Executions on a machine, ?1. @param where  a further condition */
#define EXECUTIONS(where)                                                                          \
	"SELECT revision, benchmark, dependencies, identity, s.functions, executed"                \
	" FROM executions e LEFT JOIN executed_sets s ON s.key = e.functions"                      \
	" WHERE machine = ?1" where " ORDER BY benchmark, revision"

#define EXECUTION                                                                                  \
	PE_ROW_OF(struct pe_execution,                                                             \
		  PE_MEMBERS(struct pe_execution, revision, benchmark, touched, identity),         \
		  PE_MAYBE(struct pe_execution, functions),                                        \
		  PE_MAYBE(struct pe_execution, executed))

int pe_store_executions(struct pe_execution **out, size_t *n, struct pe_store *store,
			int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store, EXECUTIONS(""), ARGS(INT(machine)), EXECUTION, arena,
			   err);
}

int pe_store_executions_of(struct pe_execution **out, size_t *n, struct pe_store *store,
			   int64_t machine, int64_t benchmark, const int64_t revisions[2],
			   struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store,
			   EXECUTIONS(" AND benchmark = ?2 AND revision IN (?3, ?4)"),
			   ARGS(INT(machine), INT(benchmark), INT(revisions[0]), INT(revisions[1])),
			   EXECUTION, arena, err);
}

int pe_store_unmarked_executions(struct pe_execution **out, size_t *n, struct pe_store *store,
				 int64_t machine, int64_t revision, struct pe_arena *arena,
				 struct pe_err *err)
{
	return pe_sql_rows(
		out, n, store,
		EXECUTIONS(" AND revision = ?2 AND chosen IS NULL AND e.functions IS NOT NULL"),
		ARGS(INT(machine), INT(revision)), EXECUTION, arena, err);
}

int pe_store_put_chosen(struct pe_store *store, int64_t machine, int64_t benchmark,
			const struct pe_chosen *chosen, struct pe_err *err)
{
	return pe_sql_run(
		store,
		"UPDATE executions SET chosen = ?4"
		" WHERE machine = ?1 AND benchmark = ?2 AND revision = ?3",
		ARGS(INT(machine), INT(benchmark), INT(chosen->revision), TEXT(chosen->function)),
		err);
}

int pe_store_chosen(struct pe_chosen **out, size_t *n, struct pe_store *store, int64_t machine,
		    int64_t benchmark, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store,
			   "SELECT revision, chosen FROM executions WHERE machine = ?1"
			   " AND benchmark = ?2 AND chosen IS NOT NULL ORDER BY revision",
			   ARGS(INT(machine), INT(benchmark)),
			   PE_ROW(struct pe_chosen, revision, function), arena, err);
}

int pe_store_put_reused(struct pe_store *store, int64_t machine, const struct pe_coverage *reused,
			struct pe_err *err)
{
	return pe_sql_run(store,
			  "INSERT INTO reused (machine, benchmark, revision, source, unbuilt,"
			  " skipped) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET"
			  " source = excluded.source, unbuilt = excluded.unbuilt,"
			  " skipped = excluded.skipped",
			  ARGS(INT(machine), INT(reused->benchmark), INT(reused->revision),
			       INT(reused->source), INT(reused->unbuilt), INT(reused->skipped)),
			  err);
}

int pe_store_reused(struct pe_coverage **out, size_t *n, struct pe_store *store, int64_t machine,
		    struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(
		out, n, store,
		"SELECT revision, benchmark, source, unbuilt, skipped FROM reused"
		" WHERE machine = ?1 ORDER BY benchmark, revision",
		ARGS(INT(machine)),
		PE_ROW(struct pe_coverage, revision, benchmark, source, unbuilt, skipped), arena,
		err);
}

PE_SORT_BY(compare_cells, struct pe_coverage, benchmark, revision);

const struct pe_coverage *pe_coverage_find(const struct pe_coverage *cells, size_t n,
					   int64_t revision, int64_t benchmark)
{
	const struct pe_coverage key = {.revision = revision, .benchmark = benchmark};

	return n > 0 ? bsearch(&key, cells, n, sizeof(key), compare_cells) : NULL;
}

int pe_store_drop_skipped(struct pe_store *store, int64_t machine, int64_t benchmark,
			  int64_t revision, struct pe_err *err)
{
	return pe_sql_run(store,
			  "DELETE FROM reused WHERE machine = ?1 AND benchmark = ?2"
			  " AND revision = ?3 AND skipped",
			  ARGS(INT(machine), INT(benchmark), INT(revision)), err);
}

int pe_store_put_misjudged(size_t *forgotten, struct pe_store *store, int64_t machine,
			   int64_t benchmark, int64_t revision, int64_t source, struct pe_err *err)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(pe_sql_run(store,
			  "INSERT INTO misjudged (machine, benchmark, revision, source)"
			  " VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET source ="
			  " excluded.source",
			  ARGS(INT(machine), INT(benchmark), INT(revision), INT(source)), err));
	PE_TRY(pe_sql_run(store,
			  "DELETE FROM reused WHERE machine = ?1 AND benchmark = ?2"
			  " AND skipped",
			  ARGS(INT(machine), INT(benchmark)), err));
	*forgotten = (size_t)sqlite3_changes(store->db);
	return pe_savepoint_keep(&savepoint);
}

int pe_store_misjudged(int64_t **benchmarks, size_t *n, struct pe_store *store, int64_t machine,
		       struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_integers(benchmarks, n, store,
			       "SELECT DISTINCT benchmark FROM misjudged WHERE machine = ?1"
			       " ORDER BY benchmark",
			       ARGS(INT(machine)), arena, err);
}
