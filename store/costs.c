/* Costs: what measuring took, summed up over sessions; what is long ago weighs less. */
#include "store/sql.h"

/* Earlier costs weigh at most as much as this many runs, because the machine and the program may have changed since. */
#define REMEMBERED 200

int pe_store_add_costs(struct pe_store *store, int64_t machine, int64_t benchmark,
		       const struct pe_spending *costs, struct pe_err *err)
{
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	for (int64_t kind = 0; kind < PE_N_SPENT; kind++) {
		const struct pe_spent *one = &costs->of[kind];

		if (!(one->n > 0))
			continue;
		PE_TRY(pe_sql_run(store,
				  "INSERT INTO costs (machine, benchmark, kind, n, seconds)"
				  " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET"
				  " seconds = seconds * min(1, ?6 / n) + excluded.seconds,"
				  " n = min(n, ?6) + excluded.n",
				  ARGS(INT(machine), INT(benchmark), INT(kind), REAL(one->n),
				       REAL(one->seconds), REAL(REMEMBERED)),
				  err));
	}
	return pe_savepoint_keep(&savepoint);
}

int pe_store_get_costs(struct pe_spending *out, struct pe_store *store, int64_t machine,
		       int64_t benchmark, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, store,
		"SELECT kind, n, seconds FROM costs WHERE machine = ?1 AND benchmark = ?2",
		ARGS(INT(machine), INT(benchmark)), err);

	*out = (struct pe_spending){0};
	while (pe_sql_next(&rc, stmt, store, err)) {
		int64_t kind = sqlite3_column_int64(stmt, 0);

		if (kind >= 0 && kind < PE_N_SPENT)
			out->of[kind] = (struct pe_spent){sqlite3_column_double(stmt, 1),
							  sqlite3_column_double(stmt, 2)};
	}
	pe_sql_close(stmt);
	return rc;
}
