/*
 * Recompiled: what the machine code of two revisions was found to say of their methods. It takes two builds to find
 * out, so it is kept for those who show a comparison without making one.
 */
#include "store/sql.h"

#include <string.h>

static int put_method(struct pe_store *store, int64_t key, size_t position,
		      const struct pe_stored_code *code, struct pe_err *err)
{
	return pe_sql_run(store,
			  "INSERT INTO recompiled VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
			  ARGS(INT(key), INT((int64_t)position), INT(code->in_new),
			       TEXT(code->method.component), TEXT(code->method.name),
			       TEXT(code->method.signature), INT(code->method.first_line),
			       INT(code->method.last_line), INT(code->recompiled)),
			  err);
}

int pe_store_put_crossing(struct pe_store *store, const struct pe_stored_crossing *crossing,
			  struct pe_err *err)
{
	int64_t key;
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_run(store,
			"DELETE FROM crossings WHERE machine = ?1 AND before = ?2 AND after = ?3"
			" AND recipe = ?4 AND benchmarks = ?5",
			ARGS(INT(crossing->machine), TEXT(crossing->before), TEXT(crossing->after),
			     TEXT(crossing->recipe), TEXT(crossing->benchmarks)),
			err);
	if (rc == PE_OK)
		rc = pe_sql_run(store,
				"INSERT INTO crossings (machine, before, after, recipe, benchmarks)"
				" VALUES (?1, ?2, ?3, ?4, ?5)",
				ARGS(INT(crossing->machine), TEXT(crossing->before),
				     TEXT(crossing->after), TEXT(crossing->recipe),
				     TEXT(crossing->benchmarks)),
				err);
	key = sqlite3_last_insert_rowid(store->db);
	for (size_t i = 0; rc == PE_OK && i < crossing->n; i++)
		rc = put_method(store, key, i, &crossing->at[i], err);
	return pe_scope_end(store, rc, err);
}

/* Whether each line of `lines` is a line of `all`. */
static bool has_lines(const char *all, const char *lines)
{
	while (*lines != '\0') {
		size_t n = strcspn(lines, "\n");
		const char *at = all;

		while (*at != '\0' && (strcspn(at, "\n") != n || memcmp(at, lines, n) != 0)) {
			at += strcspn(at, "\n");
			at += *at == '\n';
		}
		if (*at == '\0')
			return false;
		lines += n;
		lines += *lines == '\n';
	}
	return true;
}

/* That of the same benchmarks, else the latest that has them all. */
static int find_crossing(int64_t *key, const struct pe_stored_crossing *wanted,
			 struct pe_store *store, struct pe_arena *arena, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store,
			     "SELECT key, benchmarks FROM crossings WHERE machine = ?1"
			     " AND before = ?2 AND after = ?3 AND recipe = ?4"
			     " ORDER BY benchmarks = ?5 DESC, key DESC",
			     ARGS(INT(wanted->machine), TEXT(wanted->before), TEXT(wanted->after),
				  TEXT(wanted->recipe), TEXT(wanted->benchmarks)),
			     err);

	*key = 0;
	while (*key == 0 && pe_sql_next(&rc, stmt, store, err)) {
		if (has_lines(pe_sql_text(stmt, 1, arena), wanted->benchmarks))
			*key = sqlite3_column_int64(stmt, 0);
	}
	pe_sql_close(stmt);
	return rc == PE_OK && *key == 0 ? PE_ENOTFOUND : rc;
}

int pe_store_get_crossing(struct pe_stored_crossing *out, struct pe_store *store,
			  struct pe_arena *arena, struct pe_err *err)
{
	PE_VEC(struct pe_stored_code) methods = {NULL, 0, 0};
	sqlite3_stmt *stmt = NULL;
	int64_t key;
	int rc = find_crossing(&key, out, store, arena, err);

	if (rc == PE_OK)
		rc = pe_sql_open(
			&stmt, store,
			"SELECT in_new, component, name, signature, first_line, last_line,"
			" recompiled FROM recompiled WHERE crossing = ?1 ORDER BY position",
			ARGS(INT(key)), err);
	while (pe_sql_next(&rc, stmt, store, err))
		pe_vec_push(
			&methods,
			(struct pe_stored_code){
				.in_new = sqlite3_column_int(stmt, 0) != 0,
				.method = {.component = pe_sql_text(stmt, 1, arena),
					   .name = pe_sql_text(stmt, 2, arena),
					   .signature = pe_sql_text(stmt, 3, arena),
					   .first_line = (uint32_t)sqlite3_column_int64(stmt, 4),
					   .last_line = (uint32_t)sqlite3_column_int64(stmt, 5)},
				.recompiled = sqlite3_column_int(stmt, 6),
			});
	pe_sql_close(stmt);
	pe_vec_into_arena(&out->at, &out->n, &methods, arena);
	return rc;
}
