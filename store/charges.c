/* Charges: what methods of a pair of revisions execute, as the source has them. It takes a run of each to find out. */
#include "store/sql.h"

#include <string.h>

static int put_method(struct pe_store *store, int64_t key, const struct pe_charge *one,
		      struct pe_err *err)
{
	return pe_sql_run(store,
			  "INSERT INTO charges VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
			  " ?11, ?12, ?13, ?14, ?15)",
			  ARGS(INT(key), TEXT(one->component), TEXT(one->name),
			       TEXT(one->signature), INT((int64_t)one->old_instructions),
			       INT((int64_t)one->new_instructions), INT((int64_t)one->varies),
			       TEXT(one->callee), INT((int64_t)one->old_calls),
			       INT((int64_t)one->new_calls), INT((int64_t)one->old_cost),
			       INT((int64_t)one->new_cost), TEXT(one->replaced),
			       INT((int64_t)one->old_others), INT((int64_t)one->new_others)),
			  err);
}

int pe_store_put_charges(struct pe_store *store, const struct pe_charges_query *query,
			 const struct pe_charges *charges, struct pe_err *err)
{
	int64_t key;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(pe_sql_run(store,
			  "INSERT OR REPLACE INTO chargings (machine, benchmark, before, after)"
			  " VALUES (?1, ?2, ?3, ?4)",
			  ARGS(INT(query->machine), INT(query->benchmark), TEXT(query->before),
			       TEXT(query->after)),
			  err));
	key = sqlite3_last_insert_rowid(store->db);
	for (size_t i = 0; i < charges->n; i++)
		PE_TRY(put_method(store, key, &charges->at[i], err));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_get_charges(struct pe_charges *out, struct pe_store *store,
			 const struct pe_charges_query *query, struct pe_arena *arena,
			 struct pe_err *err)
{
	int64_t key;

	*out = (struct pe_charges){NULL, 0};
	PE_TRY(pe_sql_integer(&key, store,
			      "SELECT key FROM chargings WHERE machine = ?1 AND benchmark = ?2"
			      " AND before = ?3 AND after = ?4",
			      ARGS(INT(query->machine), INT(query->benchmark), TEXT(query->before),
				   TEXT(query->after)),
			      err));
	return pe_sql_rows(
		&out->at, &out->n, store,
		"SELECT component, name, signature, old, new, varies, callee, old_calls,"
		" new_calls, old_cost, new_cost, replaced, old_others, new_others FROM charges"
		" WHERE charging = ?1 ORDER BY component, name, signature",
		ARGS(INT(key)),
		PE_ROW_OF(struct pe_charge,
			  PE_MEMBERS(struct pe_charge, component, name, signature, old_instructions,
				     new_instructions, varies, callee, old_calls, new_calls,
				     old_cost, new_cost),
			  PE_MEMBERS(struct pe_charge, replaced, old_others, new_others)),
		arena, err);
}
