/*
 * System calls of runs: how often each was made. Runs of a build make the same, and so do most revisions: the list of a run is a
 * text that stands there once.
 */
#include "store/sql.h"

#include "core/base/xxh.h"
#include "core/model/system_calls.h"

#include <string.h>

int pe_calls_put(struct pe_store *store, int64_t run, const struct pe_system_calls *calls,
		 struct pe_err *err)
{
	pe_auto_arena work = PE_ARENA_INIT;
	const char *lines = pe_system_calls_pack(calls, &work);
	char digest[PE_XXH_TEXT];
	struct pe_xxh hash;

	pe_xxh_init(&hash);
	pe_xxh_string(&hash, lines);
	pe_xxh_write(&hash, digest);
	PE_TRY(pe_sql_run(store,
			  "INSERT INTO call_sets (digest, calls) VALUES (?1, ?2)"
			  " ON CONFLICT DO NOTHING",
			  ARGS(TEXT(digest), TEXT(lines)), err));
	return pe_sql_run(store,
			  "UPDATE runs SET calls = (SELECT key FROM call_sets"
			  " WHERE digest = ?2) WHERE key = ?1",
			  ARGS(INT(run), TEXT(digest)), err);
}

/* A list that is damaged tells nothing. */
static void widen(struct pe_system_call_ranges *ranges, sqlite3_stmt *stmt, int column,
		  struct pe_arena *arena)
{
	struct pe_system_calls calls;

	if (pe_system_calls_unpack(&calls, pe_sql_string(stmt, column), arena) && calls.n > 0)
		pe_system_calls_widen(ranges, &calls, arena);
}

#define OF_BUILD                                                                                   \
	"SELECT DISTINCT s.calls FROM runs r JOIN batches b ON b.key = r.batch"                    \
	" JOIN call_sets s ON s.key = r.calls WHERE r.benchmark = ?3 AND r.revision = ?2"          \
	" AND b.machine = ?1"

static int load(struct pe_system_call_ranges *out, struct pe_store *store, int64_t machine,
		int64_t revision, int64_t benchmark, struct pe_arena *arena, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, OF_BUILD,
			     ARGS(INT(machine), INT(revision), INT(benchmark)), err);

	*out = (struct pe_system_call_ranges){NULL, 0, 0};
	while (pe_sql_next(&rc, stmt, store, err))
		widen(out, stmt, 0, arena);
	pe_sql_close(stmt);
	return rc;
}

int pe_store_system_calls(struct pe_system_call_ranges *out, struct pe_store *store,
			  int64_t machine, int64_t revision, int64_t benchmark,
			  struct pe_arena *arena, struct pe_err *err)
{
	int64_t source;
	int rc = load(out, store, machine, revision, benchmark, arena, err);

	if (rc != PE_OK || out->runs > 0)
		return rc;
	rc = pe_sql_integer(&source, store,
			    "SELECT source FROM reused WHERE machine = ?1 AND benchmark = ?2"
			    " AND revision = ?3",
			    ARGS(INT(machine), INT(benchmark), INT(revision)), err);
	if (rc == PE_OK)
		rc = load(out, store, machine, source, benchmark, arena, err);
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

#define THEIRS                                                                                     \
	" FROM runs r JOIN batches b ON b.key = r.batch AND b.machine = ?1"                        \
	" WHERE r.key BETWEEN ?2 << 32 AND (?2 << 32) + 4294967295 AND r.calls IS NOT NULL"

/* Revisions with several lists, the newest, and their lists. */
#define VARYING                                                                                    \
	"WITH several AS MATERIALIZED (SELECT r.revision" THEIRS                                   \
	" GROUP BY r.revision HAVING min(r.calls) < max(r.calls)"                                  \
	" ORDER BY max(r.key) DESC LIMIT 32)"                                                      \
	" SELECT o.revision, s.calls FROM (SELECT DISTINCT r.revision, r.calls" THEIRS             \
	") o JOIN call_sets s ON s.key = o.calls"                                                  \
	" WHERE o.revision IN (SELECT revision FROM several) ORDER BY o.revision"

int pe_store_system_calls_varying(struct pe_system_call_ranges *out, struct pe_store *store,
				  int64_t machine, int64_t benchmark, struct pe_arena *arena,
				  struct pe_err *err)
{
	struct pe_system_call_ranges build = {NULL, 0, 0};
	int64_t last = 0;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, VARYING, ARGS(INT(machine), INT(benchmark)), err);

	*out = (struct pe_system_call_ranges){NULL, 0, 0};
	while (pe_sql_next(&rc, stmt, store, err)) {
		if (sqlite3_column_int64(stmt, 0) != last) {
			pe_system_calls_vary(out, &build, arena);
			build = (struct pe_system_call_ranges){NULL, 0, 0};
		}
		last = sqlite3_column_int64(stmt, 0);
		widen(&build, stmt, 1, arena);
	}
	pe_sql_close(stmt);
	pe_system_calls_vary(out, &build, arena);
	return rc;
}
