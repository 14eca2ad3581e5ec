/*
 * System calls of runs: how often each was made. Runs of a build make the same, and so do most revisions: the list of a run is a
 * text that stands there once.
 */
#include "store/sql.h"

#include "core/model/system_calls.h"

int pe_calls_put(struct pe_store *store, int64_t run, const struct pe_system_calls *calls,
		 struct pe_err *err)
{
	pe_auto_arena work = PE_ARENA_INIT;
	const char *lines = pe_system_calls_pack(calls, &work);

	PE_TRY(pe_sql_run(store,
			  "INSERT INTO call_sets (digest, calls) VALUES (digest(?1), ?1)"
			  " ON CONFLICT DO NOTHING",
			  ARGS(TEXT(lines)), err));
	return pe_sql_run(store,
			  "UPDATE runs SET calls = (SELECT key FROM call_sets"
			  " WHERE digest = digest(?2)) WHERE key = ?1",
			  ARGS(INT(run), TEXT(lines)), err);
}
