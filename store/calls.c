/*
 * System calls of runs: how often each was made. Runs of a build make the same, and so do most revisions: the list of a run is a
 * text that stands there once.
 */
#include "store/profiles.h"

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

/* Of lists (build, key), those that are not damaged: ranges by name. "read 3" is a line. */
#define NAMED(which)                                                                               \
	" entries AS (SELECT l.build AS build, e.value->>0 AS id, e.value->>1 AS n FROM lists l"   \
	" JOIN call_sets c ON c.key = l.key, json_each(iif(is_calls(c.calls), '[[\"' ||"           \
	" replace(replace(rtrim(c.calls, char(10)), ' ', '\",'), char(10), '],[\"') || ']]',"      \
	" NULL)) e)," PE_RANGES " SELECT id, '', '', least, most FROM widest WHERE " which         \
	" ORDER BY id"

/* Of one build: of the revision, or of that whose results it has. */
#define MADE_AT(revision)                                                                          \
	"SELECT DISTINCT 0 AS build, r.calls AS key FROM runs r JOIN batches b"                    \
	" ON b.key = r.batch WHERE r.benchmark = ?3 AND b.machine = ?1 AND r.calls IS NOT NULL"    \
	" AND r.revision = " revision
#define MADE                                                                                       \
	"WITH lists AS MATERIALIZED (" MADE_AT("?2") " UNION ALL " MADE_AT(                        \
		"(SELECT source FROM reused WHERE machine = ?1 AND benchmark = ?3"                 \
		" AND revision = ?2)") " AND NOT EXISTS (" MADE_AT("?2") "))"

int pe_store_system_calls(struct pe_function_ranges *out, struct pe_store *store, int64_t machine,
			  int64_t revision, int64_t benchmark, struct pe_arena *arena,
			  struct pe_err *err)
{
	return pe_ranges_read(out, store, MADE " SELECT count(*) FROM lists",
			      MADE "," NAMED("true"),
			      ARGS(INT(machine), INT(revision), INT(benchmark)), arena, err);
}

/* Revisions with several lists, the newest, and their lists. */
#define SEVERAL                                                                                    \
	"WITH made AS MATERIALIZED (SELECT r.revision AS build, r.calls AS key, r.key AS run"      \
	" FROM runs r JOIN batches b ON b.key = r.batch AND b.machine = ?1"                        \
	" WHERE r.key BETWEEN ?2 << 32 AND (?2 << 32) + 4294967295 AND r.calls IS NOT NULL),"      \
	" several AS (SELECT build FROM made GROUP BY build HAVING min(key) < max(key)"            \
	" ORDER BY max(run) DESC LIMIT 32)"

int pe_store_system_calls_varying(struct pe_function_ranges *out, struct pe_store *store,
				  int64_t machine, int64_t benchmark, struct pe_arena *arena,
				  struct pe_err *err)
{
	return pe_ranges_read(out, store, SEVERAL " SELECT count(*) FROM several",
			      SEVERAL
			      ", lists AS MATERIALIZED (SELECT DISTINCT build, key FROM made"
			      " WHERE build IN several LIMIT 1024)," NAMED("varies > 0"),
			      ARGS(INT(machine), INT(benchmark)), arena, err);
}
