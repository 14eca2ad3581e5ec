/*
 * Statements are prepared once and kept with the handle; arguments carry their types. What SQLite reports
 * becomes one of our codes and a sentence that names the file and the way out.
 */
#include "store/sql.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static int full(const struct pe_store *store, struct pe_err *err)
{
	return pe_fail(
		err, PE_EFULL,
		"no space left to write %s: free some and run again; what was stored before is whole",
		store->path);
}

static int io_fail(const struct pe_store *store, int cause, struct pe_err *err)
{
	if (cause == ENOSPC || cause == EDQUOT)
		return full(store, err);
	if (cause == EFBIG)
		return pe_fail(
			err, PE_EFULL,
			"%s may not grow further here (see ulimit -f): raise the limit and run again; what was stored before is whole",
			store->path);
	return pe_fail(err, PE_ESTORE, "cannot read or write %s: %s", store->path,
		       cause != 0 ? strerror(cause) : sqlite3_errmsg(store->db));
}

int pe_store_fail(struct pe_store *store, struct pe_err *err)
{
	const char *path = store->path;
	int now =
		errno; /* SQLite 3.40 gives 0 for a refused write and leaves errno as the system set it */
	int cause = sqlite3_system_errno(store->db) != 0 ? sqlite3_system_errno(store->db) : now;

	switch (sqlite3_errcode(store->db) & 0xff) {
	case SQLITE_FULL:
		return full(store, err);
	case SQLITE_IOERR:
		return io_fail(store, cause, err);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return pe_fail(
			err, PE_EBUSY,
			"another process has been writing %s for %d s: wait until it is done (or end it) and run again",
			path, PE_STORE_BUSY_MS / 1000);
	case SQLITE_NOTADB:
		return pe_fail(
			err, PE_ESTORE,
			"%s is not a perfevo database: use --store FILE for another, or move it away and measure again",
			path);
	case SQLITE_CORRUPT:
		return pe_fail(
			err, PE_ESTORE,
			"%s is damaged (%s): restore it from a backup, or move it away and measure again; `sqlite3 %s .recover` may save a part",
			path, sqlite3_errmsg(store->db), path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return pe_fail(err, PE_ESTORE,
			       "cannot write %s: the file or its folder is read-only for this user",
			       path);
	case SQLITE_CANTOPEN:
		return pe_fail(err, PE_ESTORE, "cannot open %s: %s", path,
			       cause != 0 ? strerror(cause) : sqlite3_errmsg(store->db));
	default:
		return pe_fail(err, PE_ESTORE, "%s: %s", path, sqlite3_errmsg(store->db));
	}
}

static int bind(sqlite3_stmt *stmt, const struct pe_sql_arg *args)
{
	int rc = SQLITE_OK;

	for (int i = 0; rc == SQLITE_OK && args != NULL && args[i].type != PE_SQL_END; i++) {
		switch (args[i].type) {
		case PE_SQL_INT:
			rc = sqlite3_bind_int64(stmt, i + 1, args[i].as.integer);
			break;
		case PE_SQL_REAL:
			rc = sqlite3_bind_double(stmt, i + 1, args[i].as.real);
			break;
		case PE_SQL_BLOB:
			rc = args[i].as.bytes.n > 0
				     ? sqlite3_bind_blob64(stmt, i + 1, args[i].as.bytes.at,
							   args[i].as.bytes.n, SQLITE_STATIC)
				     : sqlite3_bind_zeroblob(stmt, i + 1, 0);
			break;
		default:
			rc = sqlite3_bind_text(stmt, i + 1, args[i].as.text, -1, SQLITE_STATIC);
		}
	}
	return rc;
}

static int find_or_prepare(sqlite3_stmt **out, struct pe_store *store, const char *text)
{
	int rc;

	for (size_t i = 0; i < store->cache.n; i++) {
		if (store->cache.data[i].text == text) {
			*out = store->cache.data[i].stmt;
			return SQLITE_OK;
		}
	}
	rc = sqlite3_prepare_v3(store->db, text, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
	if (rc == SQLITE_OK)
		pe_vec_push(&store->cache, (struct pe_sql_cached){text, *out});
	return rc;
}

int pe_sql_open(sqlite3_stmt **out, struct pe_store *store, const char *text,
		const struct pe_sql_arg *args, struct pe_err *err)
{
	*out = NULL;
	if (find_or_prepare(out, store, text) != SQLITE_OK)
		return pe_store_fail(store, err);
	assert(!sqlite3_stmt_busy(*out));
	if (bind(*out, args) != SQLITE_OK) {
		int rc = pe_store_fail(store, err);

		pe_sql_close(*out);
		*out = NULL;
		return rc;
	}
	return PE_OK;
}

int pe_sql_row(sqlite3_stmt *stmt, struct pe_store *store, struct pe_err *err)
{
	errno = 0;
	switch (sqlite3_step(stmt)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return pe_store_fail(store, err);
	}
}

void pe_sql_close(sqlite3_stmt *stmt)
{
	if (stmt == NULL)
		return;
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

int pe_sql_run(struct pe_store *store, const char *text, const struct pe_sql_arg *args,
	       struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, text, args, err);

	if (rc != PE_OK)
		return rc;
	do
		rc = pe_sql_row(stmt, store, err);
	while (rc > 0);
	pe_sql_close(stmt);
	return rc;
}

int pe_sql_integer(int64_t *out, struct pe_store *store, const char *text,
		   const struct pe_sql_arg *args, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, text, args, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_sql_row(stmt, store, err);
	if (rc > 0)
		*out = sqlite3_column_int64(stmt, 0);
	pe_sql_close(stmt);
	if (rc == 0)
		return PE_ENOTFOUND;
	return rc < 0 ? rc : PE_OK;
}

int pe_sql_script(struct pe_store *store, const char *script, struct pe_err *err)
{
	errno = 0;
	if (sqlite3_exec(store->db, script, NULL, NULL, NULL) != SQLITE_OK)
		return pe_store_fail(store, err);
	return PE_OK;
}

const char *pe_sql_text(sqlite3_stmt *stmt, int column, struct pe_arena *arena)
{
	return pe_arena_strdup(arena, (const char *)sqlite3_column_text(stmt, column));
}

void pe_sql_hex(char *out, size_t size, sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);
	size_t n = text != NULL ? strlen(text) : 0;

	if (n >= size)
		n = size - 1;
	memcpy(out, text != NULL ? text : "", n);
	out[n] = '\0';
}

int pe_scope_begin(struct pe_store *store, struct pe_err *err)
{
	if (!store->in_transaction)
		return pe_sql_run(store, store->readonly ? "BEGIN" : "BEGIN IMMEDIATE", NULL, err);
	if (sqlite3_get_autocommit(store->db))
		return pe_fail(err, PE_ESTORE, "%s: the transaction was given up after a failure",
			       store->path);
	return pe_sql_run(store, "SAVEPOINT call", NULL, err);
}

int pe_scope_end(struct pe_store *store, int rc, struct pe_err *err)
{
	if (rc == PE_OK)
		rc = pe_sql_run(store, store->in_transaction ? "RELEASE call" : "COMMIT", NULL,
				err);
	if (rc == PE_OK)
		return PE_OK;
	/* SQLite ends the whole transaction by itself after some failures, a full disk among them. */
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db,
			     store->in_transaction ? "ROLLBACK TO call; RELEASE call" : "ROLLBACK",
			     NULL, NULL, NULL);
	memset(store->metric_keys, 0, sizeof(store->metric_keys));
	return rc;
}
