/* Bundles, by their name outside: each is looked at once. */
#include "store/exchange.h"
#include "store/sql.h"

int pe_store_get_bundle(struct pe_stored_bundle *out, struct pe_store *store, const char *name,
			struct pe_arena *arena, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     "SELECT missing, refused, reader FROM bundles WHERE name = ?1",
			     ARGS(TEXT(name)), err);

	*out = (struct pe_stored_bundle){0};
	if (pe_sql_next(&rc, stmt, store, err))
		*out = (struct pe_stored_bundle){.missing = pe_sql_text_or_null(stmt, 0, arena),
						 .refused = pe_sql_text_or_null(stmt, 1, arena),
						 .reader = pe_sql_text_or_null(stmt, 2, arena)};
	else if (rc == PE_OK)
		rc = PE_ENOTFOUND;
	pe_sql_close(stmt);
	return rc;
}

int pe_store_put_bundle(struct pe_store *store, const char *name,
			const struct pe_stored_bundle *bundle, struct pe_err *err)
{
	return pe_sql_run(store,
			  "INSERT INTO bundles (name, missing, refused, reader)"
			  " VALUES (?1, ?2, ?3, ?4) ON CONFLICT (name) DO UPDATE SET"
			  " missing = excluded.missing, refused = excluded.refused,"
			  " reader = excluded.reader",
			  ARGS(TEXT(name), TEXT(bundle->missing), TEXT(bundle->refused),
			       TEXT(bundle->reader)),
			  err);
}
