/* Bundles, by their name outside: each is looked at once. */
#include "store/exchange.h"
#include "store/sql.h"

int pe_store_get_bundle(struct pe_stored_bundle *out, struct pe_store *store, const char *name,
			struct pe_arena *arena, struct pe_err *err)
{
	typedef struct pe_stored_bundle row;

	return pe_sql_one(out, store,
			  "SELECT missing, refused, reader FROM bundles WHERE name = ?1",
			  ARGS(TEXT(name)),
			  PE_ROW_OF(row, PE_MAYBE(row, missing), PE_MAYBE(row, refused),
				    PE_MAYBE(row, reader)),
			  arena, err);
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
