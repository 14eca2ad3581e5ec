/* Charges: what methods of a pair of revisions execute, as the source has them. It takes a run of each to find out. */
#include "store/sql.h"

#include <string.h>

static int put_method(struct pe_store *store, int64_t key, const struct pe_charge *one,
		      struct pe_err *err)
{
	return pe_sql_run(store, "INSERT INTO charges VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
			  ARGS(INT(key), TEXT(one->component), TEXT(one->name),
			       TEXT(one->signature), INT((int64_t)one->old_instructions),
			       INT((int64_t)one->new_instructions)),
			  err);
}

int pe_store_put_charges(struct pe_store *store, const struct pe_charges_query *query,
			 const struct pe_charges *charges, struct pe_err *err)
{
	int64_t key;
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_run(store,
			"DELETE FROM chargings WHERE machine = ?1 AND benchmark = ?2"
			" AND before = ?3 AND after = ?4",
			ARGS(INT(query->machine), INT(query->benchmark), TEXT(query->before),
			     TEXT(query->after)),
			err);
	if (rc == PE_OK)
		rc = pe_sql_run(store,
				"INSERT INTO chargings (machine, benchmark, before, after)"
				" VALUES (?1, ?2, ?3, ?4)",
				ARGS(INT(query->machine), INT(query->benchmark),
				     TEXT(query->before), TEXT(query->after)),
				err);
	key = sqlite3_last_insert_rowid(store->db);
	for (size_t i = 0; rc == PE_OK && i < charges->n; i++)
		rc = put_method(store, key, &charges->at[i], err);
	return pe_scope_end(store, rc, err);
}

int pe_store_get_charges(struct pe_charges *out, struct pe_store *store,
			 const struct pe_charges_query *query, struct pe_arena *arena,
			 struct pe_err *err)
{
	PE_VEC(struct pe_charge) methods = {NULL, 0, 0};
	sqlite3_stmt *stmt = NULL;
	int64_t key;
	int rc = pe_sql_integer(&key, store,
				"SELECT key FROM chargings WHERE machine = ?1 AND benchmark = ?2"
				" AND before = ?3 AND after = ?4",
				ARGS(INT(query->machine), INT(query->benchmark),
				     TEXT(query->before), TEXT(query->after)),
				err);

	*out = (struct pe_charges){NULL, 0};
	if (rc == PE_OK)
		rc = pe_sql_open(&stmt, store,
				 "SELECT component, name, signature, old, new FROM charges"
				 " WHERE charging = ?1 ORDER BY component, name, signature",
				 ARGS(INT(key)), err);
	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(&methods,
			    (struct pe_charge){
				    .component = pe_sql_text(stmt, 0, arena),
				    .name = pe_sql_text(stmt, 1, arena),
				    .signature = pe_sql_text(stmt, 2, arena),
				    .old_instructions = (uint64_t)sqlite3_column_int64(stmt, 3),
				    .new_instructions = (uint64_t)sqlite3_column_int64(stmt, 4),
			    });
	pe_sql_close(stmt);
	pe_vec_into_arena(&out->at, &out->n, &methods, arena);
	return rc;
}
