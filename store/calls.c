/*
 * System calls of runs: how often each was made. Runs of a build make the same, and so do most revisions: the list of a run is a
 * text that stands there once.
 */
#include "store/sql.h"

#include "core/base/xxh.h"
#include "core/model/functions.h"
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

/* --- Reading --- */

/* Widen the ranges of a build by one more list; a call that some of its lists lack is there with 0. */
static void widen(struct pe_function_ranges *ranges, const struct pe_system_calls *calls,
		  struct pe_arena *arena)
{
	struct pe_function_range *wider =
		pe_arena_new(arena, struct pe_function_range, ranges->n + calls->n);
	size_t i = 0, j = 0, n = 0;

	while (i < ranges->n || j < calls->n) {
		const int order = i == ranges->n  ? 1
				  : j == calls->n ? -1
						  : strcmp(ranges->at[i].name, calls->at[j].name);
		const uint64_t count = order >= 0 ? calls->at[j].count : 0;
		struct pe_function_range *one = &wider[n++];

		if (order <= 0)
			*one = ranges->at[i];
		else
			*one = (struct pe_function_range){calls->at[j].name, "", "",
							  ranges->runs > 0 ? 0 : count, count};
		one->least = count < one->least ? count : one->least;
		one->most = count > one->most ? count : one->most;
		i += order <= 0;
		j += order >= 0;
	}
	*ranges = (struct pe_function_ranges){wider, n, ranges->runs + 1};
}

/* A list that is damaged tells nothing. */
static void widen_by_row(struct pe_function_ranges *ranges, sqlite3_stmt *stmt, int column,
			 struct pe_arena *arena)
{
	struct pe_system_calls calls;

	if (pe_system_calls_unpack(&calls, pe_sql_string(stmt, column), arena) && calls.n > 0)
		widen(ranges, &calls, arena);
}

#define OF_BUILD                                                                                   \
	"SELECT DISTINCT s.calls FROM runs r JOIN batches b ON b.key = r.batch"                    \
	" JOIN call_sets s ON s.key = r.calls WHERE r.benchmark = ?3 AND r.revision = ?2"          \
	" AND b.machine = ?1"

static int load(struct pe_function_ranges *out, struct pe_store *store, int64_t machine,
		int64_t revision, int64_t benchmark, struct pe_arena *arena, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, OF_BUILD,
			     ARGS(INT(machine), INT(revision), INT(benchmark)), err);

	*out = (struct pe_function_ranges){NULL, 0, 0};
	while (pe_sql_next(&rc, stmt, store, err))
		widen_by_row(out, stmt, 0, arena);
	pe_sql_close(stmt);
	return rc;
}

int pe_store_system_calls(struct pe_function_ranges *out, struct pe_store *store, int64_t machine,
			  int64_t revision, int64_t benchmark, struct pe_arena *arena,
			  struct pe_err *err)
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

/* Keep what varies within a build where it varies more than in those before it. */
static void keep_varying(struct pe_function_ranges *varying, const struct pe_function_ranges *build,
			 struct pe_arena *arena)
{
	struct pe_function_ranges wider = {
		pe_arena_new(arena, struct pe_function_range, varying->n + build->n), 0,
		varying->runs + (build->runs > 0)};
	size_t i = 0, j = 0;

	while (i < varying->n || j < build->n) {
		const int order = i == varying->n ? 1
				  : j == build->n ? -1
						  : strcmp(varying->at[i].name, build->at[j].name);
		const struct pe_function_range *x = order <= 0 ? &varying->at[i++] : NULL;
		const struct pe_function_range *y = order >= 0 ? &build->at[j++] : NULL;
		const uint64_t known = x != NULL ? x->most - x->least : 0;

		if (y != NULL && y->most - y->least > known)
			wider.at[wider.n++] = *y;
		else if (x != NULL)
			wider.at[wider.n++] = *x;
	}
	*varying = wider;
}

int pe_store_system_calls_varying(struct pe_function_ranges *out, struct pe_store *store,
				  int64_t machine, int64_t benchmark, struct pe_arena *arena,
				  struct pe_err *err)
{
	struct pe_function_ranges build = {NULL, 0, 0};
	int64_t last = 0;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, VARYING, ARGS(INT(machine), INT(benchmark)), err);

	*out = (struct pe_function_ranges){NULL, 0, 0};
	while (pe_sql_next(&rc, stmt, store, err)) {
		if (sqlite3_column_int64(stmt, 0) != last) {
			keep_varying(out, &build, arena);
			build = (struct pe_function_ranges){NULL, 0, 0};
		}
		last = sqlite3_column_int64(stmt, 0);
		widen_by_row(&build, stmt, 1, arena);
	}
	pe_sql_close(stmt);
	keep_varying(out, &build, arena);
	return rc;
}
