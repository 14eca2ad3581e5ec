/* Suites: their formats and listings, so that commands that only read need not build the programs. */
#include "store/sql.h"

#include "core/json/writer.h"

#include <string.h>

int pe_store_put_suite(int64_t *key, struct pe_store *store, const struct pe_suite *suite,
		       const char *format, bool fixed, struct pe_err *err)
{
	return pe_sql_once(
		key, store,
		"INSERT INTO suites (name, version, format, fixed) VALUES (?1, ?2, ?3, ?4)"
		" ON CONFLICT (name, version) DO UPDATE SET format = excluded.format,"
		" fixed = excluded.fixed",
		"SELECT key FROM suites WHERE name = ?1 AND version = ?2",
		ARGS(TEXT(suite->name), TEXT(suite->version), TEXT(format), INT(fixed)), err);
}

struct suite {
	int64_t key;
	const char *format;
	bool fixed;
};

int pe_store_get_suite(int64_t *key, const char **format, bool *fixed, struct pe_store *store,
		       const struct pe_suite *suite, struct pe_arena *arena, struct pe_err *err)
{
	struct suite found;

	PE_TRY(pe_sql_one(&found, store,
			  "SELECT key, format, fixed FROM suites WHERE name = ?1 AND version = ?2",
			  ARGS(TEXT(suite->name), TEXT(suite->version)),
			  PE_ROW(struct suite, key, format, fixed), arena, err));
	*key = found.key;
	*format = found.format;
	*fixed = found.fixed;
	return PE_OK;
}

int pe_store_rename_benchmark(struct pe_store *store, const char *from, const char *to,
			      const char *version, struct pe_err *err)
{
	int64_t key;
	int rc;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	rc = pe_sql_integer(&key, store,
			    "SELECT key FROM benchmarks WHERE name = ?1 AND version = ?2"
			    " AND NOT EXISTS (SELECT 1 FROM benchmarks WHERE name = ?3"
			    " AND version = ?2)",
			    ARGS(TEXT(from), TEXT(version), TEXT(to)), err);
	if (rc == PE_ENOTFOUND)
		return pe_savepoint_keep(&savepoint);
	PE_TRY(rc);
	PE_TRY(pe_sql_run(store,
			  "UPDATE benchmarks SET name = ?2, generation = 1 +"
			  " coalesce((SELECT max(generation) FROM benchmarks"
			  " WHERE name = ?2), 0) WHERE key = ?1",
			  ARGS(INT(key), TEXT(to)), err));
	PE_TRY(pe_sql_run(store, "DELETE FROM runs WHERE benchmark = ?1 AND outcome = ?2",
			  ARGS(INT(key), INT(PE_ABSENT)), err));
	/* Metrics of its own belong to the name. */
	PE_TRY(pe_sql_run(store, "UPDATE OR IGNORE metrics SET benchmark = ?2 WHERE benchmark = ?1",
			  ARGS(TEXT(from), TEXT(to)), err));
	return pe_savepoint_keep(&savepoint);
}

static void names_json(struct pe_text *out, const struct pe_member_name *names, size_t n)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_array(&json, NULL);
	for (size_t i = 0; i < n; i++) {
		pe_json_begin_array(&json, NULL);
		pe_json_put(&json, NULL, names[i].own);
		pe_json_put(&json, NULL, names[i].id);
		pe_json_end(&json);
	}
	pe_json_end(&json);
}

int pe_store_put_listing(struct pe_store *store, int64_t suite, int64_t revision,
			 const struct pe_member_name *names, size_t n, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	int64_t contents;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	names_json(&text, names, n);
	PE_TRY(pe_sql_once(&contents, store,
			   "INSERT INTO suite_contents (suite, names) VALUES (?1, ?2)"
			   " ON CONFLICT DO NOTHING",
			   "SELECT key FROM suite_contents WHERE suite = ?1 AND names = ?2",
			   ARGS(INT(suite), TEXT(pe_text_str(&text))), err));
	PE_TRY(pe_sql_run(store,
			  "INSERT OR REPLACE INTO suite_listings (suite, revision, contents)"
			  " VALUES (?1, ?2, ?3)",
			  ARGS(INT(suite), INT(revision), INT(contents)), err));
	return pe_savepoint_keep(&savepoint);
}

int pe_store_get_listing(int64_t *contents, struct pe_store *store, int64_t suite, int64_t revision,
			 struct pe_err *err)
{
	return pe_sql_integer(contents, store,
			      "SELECT coalesce((SELECT contents FROM suite_listings"
			      " WHERE suite = ?1 AND revision = ?2), 0)",
			      ARGS(INT(suite), INT(revision)), err);
}

int pe_store_suite_names(struct pe_member_name **out, size_t *n, struct pe_store *store,
			 int64_t contents, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store,
			   "SELECT json_extract(e.value, '$[0]'), json_extract(e.value, '$[1]')"
			   " FROM suite_contents c, json_each(c.names) e WHERE c.key = ?1"
			   " GROUP BY 2 ORDER BY e.key",
			   ARGS(INT(contents)), PE_ROW(struct pe_member_name, own, id), arena, err);
}
