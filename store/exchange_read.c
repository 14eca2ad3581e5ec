/*
 * Reading a document of results into temporary tables. It comes from other machines by way of a git server: the constraints
 * of the tables, and the views beside them, are what is asked of it before anything of it is used.
 */
#include "store/exchange_sql.h"

#include "core/base/utf8.h"

#include <string.h>

extern const char pe_schema_results[];

enum { VERSION = 2 };

struct table {
	const char *name, *clear, *insert;
};

/* Those that others refer to come first. */
#define TABLE(name)                                                                                \
	{                                                                                          \
#name, "DELETE FROM doc_" #name,                                                   \
			"INSERT INTO doc_" #name " (row, json) VALUES (?1, ?2)"                    \
	}
static const struct table tables[] = {
	TABLE(machine),       TABLE(batch),  TABLE(revisions), TABLE(benchmarks), TABLE(metrics),
	TABLE(module_sets),   TABLE(cells),  TABLE(runs),      TABLE(builds),     TABLE(reused),
	TABLE(confirmations), TABLE(frames), TABLE(profiles),  TABLE(trees),
};

enum { N_TABLES = sizeof(tables) / sizeof(*tables) };

/* Escapes that SQLite would make a text's end of, or half of a character. */
static bool is_bad_escape(const char *at)
{
	return at[1] == 'u' && (strncmp(at + 2, "0000", 4) == 0 ||
				((at[2] == 'd' || at[2] == 'D') && at[3] >= '8'));
}

/* What SQLite would pass over, or take too much time for; NULL: nothing. */
static const char *document_fault(const char *document)
{
	size_t values = 1, step;
	uint32_t point;

	for (const char *at = document; *at != '\0'; at += step) {
		values += *at == ',' || *at == '[' || *at == '{';
		if (at - document >= PE_RESULTS_BYTES || values > PE_RESULTS_VALUES)
			return "it has more than 16 MiB or 1048576 values";
		step = pe_utf8_next(&point, at);
		if (point == 0xfffd && strncmp(at, "\xef\xbf\xbd", 3) != 0)
			return "it is not UTF-8";
		if (*at == '\\' && is_bad_escape(at))
			return "a text has a zero byte or half of a character";
		if (*at == '\\' && at[1] == '\\')
			step = 2;
	}
	return NULL;
}

static int read_version(struct pe_store *store, const char *document, struct pe_err *err)
{
	const char *const fault = document_fault(document);
	int64_t version;
	int rc;

	if (fault != NULL)
		return pe_fail(err, PE_EINVALID, "%s", fault);
	rc = pe_sql_integer(&version, store, "SELECT 1 WHERE json_valid(?1)", ARGS(TEXT(document)),
			    err);
	if (rc == PE_ENOTFOUND)
		return pe_fail(err, PE_EINVALID, "it is not JSON");
	PE_TRY(rc);
	PE_TRY(pe_sql_run(store, "DELETE FROM doc_members", NULL, err));
	PE_TRY(pe_sql_run(store,
			  "INSERT OR IGNORE INTO doc_members (name, type, json)"
			  " SELECT key, type, value FROM json_each(?1)",
			  ARGS(TEXT(document)), err));
	rc = pe_sql_integer(&version, store,
			    "SELECT v.json FROM doc_members f JOIN doc_members v"
			    " ON v.name = 'version' AND v.type = 'integer'"
			    " WHERE f.name = 'format' AND f.json = 'perfevo results'",
			    NULL, err);
	if (rc == PE_ENOTFOUND)
		return pe_fail(err, PE_EINVALID, "it holds no results of perfevo");
	PE_TRY(rc);
	if (version != VERSION)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "it is of version %lld, and this perfevo reads %d: %s",
			       (long long)version, VERSION,
			       version > VERSION ? "update perfevo"
						 : "push it again with this one");
	return PE_OK;
}

/* A row that the table refuses, and the rule that it breaks. */
static int refuse(int rc, struct pe_store *store, const char *table, int64_t row,
		  struct pe_err *err)
{
	const char *rule = sqlite3_errmsg(store->db);
	const int code = sqlite3_extended_errcode(store->db);

	if ((code & 0xff) != SQLITE_CONSTRAINT)
		return rc;
	if (code == SQLITE_CONSTRAINT_CHECK && strchr(rule, ':') != NULL)
		return pe_fail(err, PE_EINVALID, "row %lld of '%s': it must hold that%s",
			       (long long)row, table, strchr(rule, ':') + 1);
	if (code == SQLITE_CONSTRAINT_NOTNULL && strrchr(rule, '.') != NULL)
		return pe_fail(err, PE_EINVALID, "row %lld of '%s': '%s' is missing",
			       (long long)row, table, strrchr(rule, '.') + 1);
	if (code == SQLITE_CONSTRAINT_FOREIGNKEY)
		return pe_fail(err, PE_EINVALID,
			       "row %lld of '%s': it refers to a row that is not there",
			       (long long)row, table);
	return pe_fail(err, PE_EINVALID, "row %lld of '%s': %s", (long long)row, table, rule);
}

/* The rows of a member: its elements, or an object itself. */
#define ROWS                                                                                       \
	"SELECT e.key, e.value FROM doc_members m, json_each(CASE m.type"                          \
	" WHEN 'object' THEN json_array(json(m.json)) WHEN 'array' THEN m.json END) e"             \
	" WHERE m.name = ?1"

/* @param n_rows  their number is added to it */
static int read_table(size_t *n_rows, struct pe_store *store, const struct table *table,
		      struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, ROWS, ARGS(TEXT(table->name)), err);

	while (pe_sql_next(&rc, stmt, store, err)) {
		const int64_t row = sqlite3_column_int64(stmt, 0);

		rc = pe_sql_run(store, table->insert, ARGS(INT(row), TEXT(pe_sql_string(stmt, 1))),
				err);
		if (rc != PE_OK)
			rc = refuse(rc, store, table->name, row, err);
		++*n_rows;
	}
	pe_sql_close(stmt);
	return rc;
}

static int read_tables(size_t *n_rows, struct pe_store *store, struct pe_err *err)
{
	PE_TRY(pe_sql_run(store, "DELETE FROM doc_samples", NULL, err));
	for (size_t i = N_TABLES; i > 0; i--)
		PE_TRY(pe_sql_run(store, tables[i - 1].clear, NULL, err));
	for (size_t i = 0; i < N_TABLES; i++)
		PE_TRY(read_table(n_rows, store, &tables[i], err));
	return pe_results_rule(store, "SELECT name, row, rule FROM doc_faults LIMIT 1", err);
}

int pe_results_rule(struct pe_store *store, const char *sql, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, sql, NULL, err);

	if (pe_sql_next(&rc, stmt, store, err))
		rc = pe_fail(err, PE_EINVALID, "row %lld of '%s': %s",
			     (long long)sqlite3_column_int64(stmt, 1), pe_sql_string(stmt, 0),
			     pe_sql_string(stmt, 2));
	pe_sql_close(stmt);
	return rc;
}

int pe_results_read(struct pe_results *out, struct pe_store *store, const char *document,
		    struct pe_arena *arena, struct pe_err *err)
{
	size_t n_rows = 0;

	*out = (struct pe_results){.n_rows = 0};
	PE_TRY(pe_sql_script(store, pe_schema_results, err));
	PE_TRY(read_version(store, document, err));
	PE_TRY(read_tables(&n_rows, store, err));
	PE_TRY(pe_sql_one(out, store,
			  "SELECT fingerprint, EXISTS (SELECT 1 FROM doc_batch),"
			  " (SELECT count(*) FROM doc_samples) FROM doc_machine",
			  NULL, PE_ROW(struct pe_results, fingerprint, has_batch, n_rows), arena,
			  err));
	out->n_rows += n_rows;
	PE_TRY(pe_sql_texts(&out->revisions, &out->n_revisions, store,
			    "SELECT id FROM doc_revisions ORDER BY row", NULL, arena, err));
	return pe_sql_rows(&out->benchmarks, &out->n_benchmarks, store,
			   "SELECT name, version FROM doc_benchmarks ORDER BY row", NULL,
			   PE_ROW(struct pe_results_benchmark, name, version), arena, err);
}
