/*
 * Counts: what counting runs counted of functions and of system calls. Lists of counts stand once, whatever the number of
 * runs that have them; here they are ranges by name, the least and the most.
 */
#include "store/sql.h"

/* Runs on machine ?1 and their lists. */
#define FUNCTIONS                                                                                  \
	"SELECT r.revision AS build, f.counts AS key, r.key AS run FROM run_functions f"           \
	" JOIN runs r ON r.key = f.run JOIN batches b ON b.key = r.batch WHERE b.machine = ?1"
#define CALLS                                                                                      \
	"SELECT r.revision AS build, r.calls AS key, r.key AS run FROM runs r"                     \
	" JOIN batches b ON b.key = r.batch WHERE b.machine = ?1 AND r.calls IS NOT NULL"

/* Of benchmark ?2 at revision ?3, or at that whose results it has. */
#define AT(runs)                                                                                   \
	"WITH asked AS MATERIALIZED (" runs " AND r.benchmark = ?2 AND r.revision IN (?3,"         \
	" (SELECT source FROM reused WHERE machine = ?1 AND benchmark = ?2 AND revision = ?3))),"  \
	" made AS (SELECT * FROM asked WHERE build = ?3"                                           \
	" OR NOT EXISTS (SELECT 1 FROM asked WHERE build = ?3)),"                                  \
	" lists AS MATERIALIZED (SELECT DISTINCT 0 AS build, key FROM made)"

/* Of the newest builds of benchmark ?2 that were counted more than once. @param run  the key of a run in `runs` */
#define SEVERAL(runs, run)                                                                         \
	"WITH made AS MATERIALIZED (" runs " AND " run                                             \
	" BETWEEN ?2 << 32 AND (?2 << 32) + 4294967295), several AS (SELECT build FROM made"       \
	" GROUP BY build HAVING count(*) > 1 ORDER BY max(run) DESC LIMIT 32),"                    \
	" lists AS MATERIALIZED (SELECT DISTINCT build, key FROM made"                             \
	" WHERE build IN several LIMIT 1024)"

/* Entries of the lists. "read 3" is a line of system calls; lists of functions are read by store/functions.c. */
#define FUNCTION_ENTRIES                                                                           \
	", entries AS (SELECT l.build AS build, e.value->>0 AS id, e.value->>1 AS n FROM lists l"  \
	" JOIN function_counts c ON c.key = l.key LEFT JOIN function_counts b ON b.key = c.base,"  \
	" json_each(functions(c.data, b.data, 1)) e)"
#define CALL_ENTRIES                                                                               \
	", entries AS (SELECT l.build AS build, e.value->>0 AS id, e.value->>1 AS n FROM lists l"  \
	" JOIN call_sets c ON c.key = l.key, json_each(iif(is_calls(c.calls), '[[\"' ||"           \
	" replace(replace(rtrim(c.calls, char(10)), ' ', '\",'), char(10), '],[\"') || ']]',"      \
	" NULL)) e)"

/* The least and the most that a build has of each, 0 where a list lacks it, and the widest of these ranges of all builds. */
#define RANGES                                                                                     \
	", ranges AS (SELECT id, iif(count(*) < (SELECT count(*) FROM lists l WHERE l.build ="     \
	" e.build), 0, min(n)) AS least, max(n) AS most FROM entries e GROUP BY build, id),"       \
	" widest AS (SELECT id, least, most, max(most - least) AS varies FROM ranges GROUP BY id)"

#define NAMED_FUNCTIONS                                                                            \
	FUNCTION_ENTRIES RANGES " SELECT n.text, s.text, c.text, w.least, w.most FROM widest w"    \
				" JOIN frames f ON f.key = w.id JOIN strings n ON n.key = f.name"  \
				" JOIN strings c ON c.key = f.component"                           \
				" JOIN strings s ON s.key = f.signature"                           \
				" WHERE w.varies >= ?4"                                            \
				" ORDER BY w.most DESC, n.text, c.text, s.text"
#define NAMED_CALLS                                                                                \
	CALL_ENTRIES RANGES " SELECT id, '', '', least, most FROM widest WHERE varies >= ?4"       \
			    " ORDER BY id"

static const struct {
	const char *runs, *at, *varying;
} statements[] = {
	[PE_COUNTS_OF_FUNCTIONS] = {AT(FUNCTIONS) " SELECT count(*) FROM made",
				    AT(FUNCTIONS) NAMED_FUNCTIONS,
				    SEVERAL(FUNCTIONS, "f.run") NAMED_FUNCTIONS},
	[PE_COUNTS_OF_CALLS] = {AT(CALLS) " SELECT count(*) FROM made", AT(CALLS) NAMED_CALLS,
				SEVERAL(CALLS, "r.key") NAMED_CALLS},
};

/* @param least  by which a build's counts must differ */
static int read_ranges(struct pe_function_ranges *out, struct pe_store *store, const char *text,
		       const struct pe_counts_query *query, int64_t least, struct pe_arena *arena,
		       struct pe_err *err)
{
	return pe_sql_rows(
		&out->at, &out->n, store, text,
		ARGS(INT(query->machine), INT(query->benchmark), INT(query->revision), INT(least)),
		PE_ROW(struct pe_function_range, name, signature, component, least, most), arena,
		err);
}

int pe_store_counts(struct pe_function_ranges *out, struct pe_store *store,
		    const struct pe_counts_query *query, struct pe_arena *arena, struct pe_err *err)
{
	int64_t runs = 0;

	*out = (struct pe_function_ranges){NULL, 0, 0};
	PE_TRY(pe_sql_integer(
		&runs, store, statements[query->of].runs,
		ARGS(INT(query->machine), INT(query->benchmark), INT(query->revision)), err));
	out->runs = (size_t)runs;
	return read_ranges(out, store, statements[query->of].at, query, 0, arena, err);
}

int pe_store_counts_varying(struct pe_function_ranges *out, struct pe_store *store,
			    const struct pe_counts_query *query, struct pe_arena *arena,
			    struct pe_err *err)
{
	*out = (struct pe_function_ranges){NULL, 0, 0};
	return read_ranges(out, store, statements[query->of].varying, query, 1, arena, err);
}
