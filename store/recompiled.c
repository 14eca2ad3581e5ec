/*
 * Recompiled methods: the comparison of two revisions' machine code. It takes two builds, so its result is kept for
 * commands that show a comparison without making one.
 */
#include "store/sql.h"

static int put_method(struct pe_store *store, int64_t key, size_t position,
		      const struct pe_stored_code *code, struct pe_err *err)
{
	return pe_sql_run(
		store, "INSERT INTO recompiled VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
		ARGS(INT(key), INT((int64_t)position), INT(code->in_new),
		     TEXT(code->method.component), TEXT(code->method.name),
		     TEXT(code->method.signature), INT(code->method.first_line),
		     INT(code->method.last_line), INT(code->recompiled), TEXT(code->reason)),
		err);
}

int pe_store_put_crossing(struct pe_store *store, const struct pe_stored_crossing *crossing,
			  struct pe_err *err)
{
	int64_t key;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(pe_sql_run(
		store,
		"INSERT OR REPLACE INTO crossings (machine, before, after, recipe, benchmarks)"
		" VALUES (?1, ?2, ?3, ?4, ?5)",
		ARGS(INT(crossing->machine), TEXT(crossing->before), TEXT(crossing->after),
		     TEXT(crossing->recipe), TEXT(crossing->benchmarks)),
		err));
	key = sqlite3_last_insert_rowid(store->db);
	for (size_t i = 0; i < crossing->n; i++)
		PE_TRY(put_method(store, key, i, &crossing->at[i], err));
	return pe_savepoint_keep(&savepoint);
}

/* That of the same benchmarks, else the latest that has them all: no line of the names, ?5, is missing. */
#define FIND                                                                                       \
	"SELECT key FROM crossings c WHERE machine = ?1 AND before = ?2 AND after = ?3"            \
	" AND recipe = ?4 AND NOT EXISTS (SELECT 1 FROM json_each('[' ||"                          \
	" replace(json_quote(rtrim(?5, char(10))), '\\n', '\",\"') || ']') w WHERE w.value <> ''"  \
	" AND instr(char(10) || c.benchmarks, char(10) || w.value || char(10)) = 0)"               \
	" ORDER BY benchmarks = ?5 DESC, key DESC LIMIT 1"

int pe_store_get_crossing(struct pe_stored_crossing *out, struct pe_store *store,
			  struct pe_arena *arena, struct pe_err *err)
{
	int64_t key;

	PE_TRY(pe_sql_integer(&key, store, FIND,
			      ARGS(INT(out->machine), TEXT(out->before), TEXT(out->after),
				   TEXT(out->recipe), TEXT(out->benchmarks)),
			      err));
	return pe_sql_rows(
		&out->at, &out->n, store,
		"SELECT in_new, component, name, signature, first_line, last_line,"
		" recompiled, reason FROM recompiled WHERE crossing = ?1 ORDER BY position",
		ARGS(INT(key)),
		PE_ROW(struct pe_stored_code, in_new, method.component, method.name,
		       method.signature, method.first_line, method.last_line, recompiled, reason),
		arena, err);
}
