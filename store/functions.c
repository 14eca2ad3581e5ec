/*
 * Functions of runs: what each executed itself. Most revisions execute what another one did but for a few functions: the
 * counts of a run are a list of methods by their keys in `frames`, with their counts, and it stands there once, however
 * many runs have it. A list is JSON, [[frame, instructions], ...], compressed by zstd, most with another one, which is whole,
 * as their prefix.
 */
#include "store/profiles.h"
#include "store/sql.h"

#include "core/base/packed.h"
#include "core/base/sort.h"

#include <string.h>

enum {
	/* With its prefix a list has at most this part of what it has alone. */
	SHARE = 8,
	MOST_BYTES = 256 << 20, /* of a list: a damaged frame may state any length */
};

struct entry {
	uint64_t frame, n;
};

static bool read_list(struct pe_text *out, sqlite3_value *frame, const struct pe_text *prefix)
{
	return pe_zstd_read(out, MOST_BYTES, sqlite3_value_blob(frame),
			    (size_t)sqlite3_value_bytes(frame), prefix->data, prefix->len);
}

void pe_functions_read(sqlite3_context *context, int n, sqlite3_value **args)
{
	pe_auto_text none = PE_TEXT_INIT, base = PE_TEXT_INIT, list = PE_TEXT_INIT;

	(void)n;
	if ((sqlite3_value_type(args[1]) == SQLITE_NULL || read_list(&base, args[1], &none)) &&
	    read_list(&list, args[0], &base))
		sqlite3_result_text64(context, pe_text_str(&list), list.len, SQLITE_TRANSIENT,
				      SQLITE_UTF8);
	else if (sqlite3_value_int(args[2]) != 0)
		sqlite3_result_error(context, "a list of functions is damaged", -1);
}

/* --- Writing --- */

PE_SORT_BY(by_frame, struct entry, frame);

static int list_of(struct pe_text *out, struct pe_store *store,
		   const struct pe_function_counts *functions, struct pe_err *err)
{
	pe_auto_free uint64_t *keys = pe_realloc(NULL, functions->n, sizeof(*keys));
	pe_auto_free struct entry *entries = pe_realloc(NULL, functions->n, sizeof(*entries));
	size_t n = 0;

	PE_TRY(pe_functions_put_keys(keys, store, functions, err));
	for (size_t i = 0; i < functions->n; i++)
		if (functions->at[i].instructions > 0)
			entries[n++] = (struct entry){keys[i], functions->at[i].instructions};
	pe_sort(entries, n, by_frame);
	pe_text_addc(out, '[');
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = entries[i].n;

		for (; i + 1 < n && entries[i + 1].frame == entries[i].frame; i++)
			sum += entries[i + 1].n;
		pe_text_addf(out, "%s[%llu,%llu]", out->len > 1 ? "," : "",
			     (unsigned long long)entries[i].frame, (unsigned long long)sum);
	}
	pe_text_addc(out, ']');
	return PE_OK;
}

/* The whole list that the benchmark's last run has, or is compressed with. One that is damaged is none. */
#define LAST_WHOLE                                                                                 \
	"SELECT w.key, functions(w.data, NULL, 0) FROM (SELECT coalesce(f.base, f.key) AS key"     \
	" FROM run_functions r JOIN function_counts f ON f.key = r.counts"                         \
	" WHERE r.run BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295 ORDER BY r.run DESC LIMIT 1) l" \
	" JOIN function_counts w ON w.key = l.key"

static int put_list(int64_t *key, struct pe_store *store, int64_t benchmark,
		    const struct pe_text *list, struct pe_err *err)
{
	pe_auto_text whole = PE_TEXT_INIT, rest = PE_TEXT_INIT;
	const struct pe_text *data = &whole;
	int64_t base = 0;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, LAST_WHOLE, ARGS(INT(benchmark)), err);

	pe_zstd_add(&whole, list, NULL, 0);
	if (pe_sql_next(&rc, stmt, store, err) && sqlite3_column_type(stmt, 1) == SQLITE_TEXT) {
		const char *prefix = pe_sql_string(stmt, 1);

		pe_zstd_add(&rest, list, prefix, strlen(prefix));
		/* What differs adds up over a history: a new whole list now and then costs less. */
		if (SHARE * rest.len <= whole.len) {
			base = sqlite3_column_int64(stmt, 0);
			data = &rest;
		}
	}
	pe_sql_close(stmt);
	PE_TRY(rc);
	PE_TRY(pe_sql_run(store,
			  "INSERT INTO function_counts (digest, base, data)"
			  " VALUES (digest(?1), nullif(?2, 0), ?3)",
			  ARGS(TEXT(list->data), INT(base), BLOB(data->data, data->len)), err));
	*key = sqlite3_last_insert_rowid(store->db);
	return PE_OK;
}

int pe_functions_put(struct pe_store *store, int64_t run, int64_t benchmark,
		     const struct pe_function_counts *functions, struct pe_err *err)
{
	pe_auto_text list = PE_TEXT_INIT;
	int64_t key = 0;
	int rc;

	PE_TRY(list_of(&list, store, functions, err));
	rc = pe_sql_integer(&key, store,
			    "SELECT key FROM function_counts WHERE digest = digest(?1)",
			    ARGS(TEXT(list.data)), err);
	PE_TRY(rc == PE_ENOTFOUND ? put_list(&key, store, benchmark, &list, err) : rc);
	return pe_sql_run(store, "INSERT INTO run_functions (run, counts) VALUES (?1, ?2)",
			  ARGS(INT(run), INT(key)), err);
}
