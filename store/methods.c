/*
 * Changed methods of each commit, and the methods of each file's content from which they were computed. Both can be
 * computed again from the repository; they are kept because reading them is some hundred times cheaper than parsing.
 */
#include "store/sql.h"

#include <string.h>

/* The rest of a commit's rows goes with its row in compared. */
static int replace_compared(int64_t *key, struct pe_store *store,
			    const struct pe_compared *compared, struct pe_err *err)
{
	PE_TRY(pe_sql_run(
		store,
		"INSERT OR REPLACE INTO compared (revision, before, rules, files, unread, changed_methods)"
		" VALUES (?1, ?2, ?3, ?4, ?5, 0)",
		ARGS(TEXT(compared->revision), TEXT(compared->before), TEXT(compared->rules),
		     INT((int64_t)compared->files), INT((int64_t)compared->unread)),
		err));
	*key = sqlite3_last_insert_rowid(store->db);
	return PE_OK;
}

static struct pe_sql_arg line(const struct pe_method *method, uint32_t number)
{
	if (method->name == NULL)
		return (struct pe_sql_arg)TEXT(NULL);
	return (struct pe_sql_arg)INT(number);
}

static int put_change(struct pe_store *store, int64_t key, size_t position,
		      const struct pe_method_change *change, struct pe_err *err)
{
	static const struct pe_method none;
	const struct pe_method *after = change->after != NULL ? change->after : &none;
	const struct pe_method *before = change->before != NULL ? change->before : &none;

	return pe_sql_run(store,
			  "INSERT INTO changed_methods VALUES"
			  " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
			  ARGS(INT(key), INT((int64_t)position),
			       TEXT(pe_method_change_name(change->kind)), TEXT(after->component),
			       TEXT(after->name), TEXT(after->signature),
			       line(after, after->first_line), line(after, after->last_line),
			       TEXT(before->component), TEXT(before->name), TEXT(before->signature),
			       line(before, before->first_line), line(before, before->last_line),
			       REAL(change->likeness), INT(before->uncertain || after->uncertain)),
			  err);
}

int pe_store_put_changes(struct pe_store *store, const struct pe_compared *compared,
			 const struct pe_method_changes *changes, struct pe_err *err)
{
	int64_t key = 0;
	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;

	PE_TRY(pe_savepoint_open(&savepoint, store, err));
	PE_TRY(replace_compared(&key, store, compared, err));
	for (size_t i = 0; i < changes->n; i++)
		PE_TRY(put_change(store, key, i, &changes->at[i], err));
	/* mc = ma + md + mm (Spark Circle §IV) */
	PE_TRY(pe_sql_run(store,
			  "UPDATE compared SET changed_methods = (SELECT count(*) FROM"
			  " changed_methods WHERE compared = ?1"
			  " AND kind IN ('added', 'deleted', 'modified')) WHERE key = ?1",
			  ARGS(INT(key)), err));
	return pe_savepoint_keep(&savepoint);
}

/* A commit's row. */
struct compared {
	int64_t key;
	size_t files, unread;
};

/* A changed method's row. */
struct changed {
	const char *kind;
	struct pe_method before, after; /* without a name: not on this side */
	double likeness;
	bool uncertain;
};

static struct pe_method_change change_of(struct changed *row)
{
	struct pe_method_change change = {.likeness = row->likeness};

	while (change.kind + 1 < PE_N_METHOD_CHANGES &&
	       strcmp(row->kind, pe_method_change_name(change.kind)) != 0)
		change.kind++;
	row->before.uncertain = row->after.uncertain = row->uncertain;
	if (row->before.name != NULL)
		change.before = &row->before;
	if (row->after.name != NULL)
		change.after = &row->after;
	return change;
}

static int read_changed(struct changed **out, size_t *n, struct pe_store *store, int64_t key,
			struct pe_arena *arena, struct pe_err *err)
{
	typedef struct changed row;

	return pe_sql_rows(
		out, n, store,
		"SELECT kind, component, name, signature, first_line, last_line, old_component,"
		" old_name, old_signature, old_first_line, old_last_line, likeness, uncertain"
		" FROM changed_methods WHERE compared = ?1 ORDER BY position",
		ARGS(INT(key)),
		PE_ROW_OF(row, PE_MEMBERS(row, kind, after.component), PE_MAYBE(row, after.name),
			  PE_MEMBERS(row, after.signature, after.first_line, after.last_line),
			  PE_MEMBERS(row, before.component), PE_MAYBE(row, before.name),
			  PE_MEMBERS(row, before.signature, before.first_line, before.last_line,
				     likeness, uncertain)),
		arena, err);
}

int pe_store_get_changes(struct pe_method_changes *out, struct pe_compared *compared,
			 struct pe_store *store, struct pe_arena *arena, struct pe_err *err)
{
	struct compared row;
	struct changed *rows;

	*out = (struct pe_method_changes){0};
	PE_TRY(pe_sql_one(
		&row, store,
		"SELECT key, files, unread FROM compared"
		" WHERE revision = ?1 AND before = ?2 AND rules = ?3",
		ARGS(TEXT(compared->revision), TEXT(compared->before), TEXT(compared->rules)),
		PE_ROW(struct compared, key, files, unread), arena, err));
	compared->files = row.files;
	compared->unread = row.unread;
	PE_TRY(read_changed(&rows, &out->n, store, row.key, arena, err));
	out->at = pe_arena_new(arena, struct pe_method_change, out->n);
	for (size_t i = 0; i < out->n; i++) {
		out->at[i] = change_of(&rows[i]);
		out->count[out->at[i].kind]++;
	}
	return PE_OK;
}

int pe_store_count_changes(struct pe_changes_count **out, size_t *n, struct pe_store *store,
			   const char *rules, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store,
			   "SELECT revision, before, changed_methods, files FROM compared"
			   " WHERE ?1 IS NULL OR rules = ?1 ORDER BY revision",
			   ARGS(TEXT(rules)),
			   PE_ROW(struct pe_changes_count, revision, before, mc, files), arena,
			   err);
}

int pe_store_get_extraction(struct pe_text *out, struct pe_store *store, const char *blob,
			    const char *language, uint32_t version, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(
		&stmt, store,
		"SELECT data FROM extractions WHERE blob = ?1 AND language = ?2 AND version = ?3",
		ARGS(TEXT(blob), TEXT(language), INT(version)), err);

	if (pe_sql_next(&rc, stmt, store, err)) {
		const char *data = sqlite3_column_blob(stmt, 0);

		if (data != NULL)
			pe_text_addn(out, data, (size_t)sqlite3_column_bytes(stmt, 0));
	} else if (rc == PE_OK) {
		rc = PE_ENOTFOUND;
	}
	pe_sql_close(stmt);
	return rc;
}

int pe_store_put_extraction(struct pe_store *store, const char *blob, const char *language,
			    uint32_t version, const struct pe_text *data, struct pe_err *err)
{
	return pe_sql_run(
		store,
		"INSERT INTO extractions (blob, language, version, data)"
		" VALUES (?1, ?2, ?3, ?4) ON CONFLICT (blob, language)"
		" DO UPDATE SET version = excluded.version, data = excluded.data",
		ARGS(TEXT(blob), TEXT(language), INT(version), BLOB(pe_text_str(data), data->len)),
		err);
}
