/*
 * Statements are prepared once and kept with the handle; arguments carry their types. What SQLite reports
 * becomes one of our codes and a sentence that names the file and the way out.
 */
#include "store/place.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

static const struct {
	int id, most;
} limits[] = {
	{SQLITE_LIMIT_LENGTH, 256 << 20}, /* the largest profile, and the list of its frames */
	{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
	{SQLITE_LIMIT_COLUMN, 100},
	{SQLITE_LIMIT_EXPR_DEPTH, 100},
	{SQLITE_LIMIT_COMPOUND_SELECT, 10},
	{SQLITE_LIMIT_VDBE_OP, 25000},
	{SQLITE_LIMIT_FUNCTION_ARG, 32}, /* of a row of a document */
	{SQLITE_LIMIT_ATTACHED, 1},      /* for VACUUM */
	{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100},
	{SQLITE_LIMIT_VARIABLE_NUMBER, 100},
	{SQLITE_LIMIT_TRIGGER_DEPTH, 10},
	{SQLITE_LIMIT_WORKER_THREADS, 0},
};

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
	case SQLITE_INTERRUPT:
		return pe_fail(
			err, PE_ESTORE,
			"%s did not answer within %d s: its content may be damaged, which `sqlite3 %s 'PRAGMA integrity_check'` tells",
			path, PE_STORE_ROW_S, path);
	case SQLITE_TOOBIG:
		return pe_fail(
			err, PE_ESTORE,
			"%s holds a text or profile of more than %d MiB, which perfevo does not write: restore it from a backup, or move it away and measure again",
			path, limits[0].most >> 20);
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

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return now.tv_sec;
}

/* For the next row. */
static void allow_time(struct pe_store *store)
{
	if (store->readonly)
		store->deadline_s = now_s() + store->row_s;
}

static int is_late(void *store)
{
	return now_s() > ((const struct pe_store *)store)->deadline_s;
}

void pe_sql_guard(struct pe_store *store)
{
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(store->db, limits[i].id, limits[i].most);
	sqlite3_exec(store->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	pe_sql_functions(store);
	store->row_s = PE_STORE_ROW_S;
	if (!store->readonly)
		return; /* gc compacts gigabytes in one statement */
	allow_time(store);
	sqlite3_progress_handler(store->db, 100000, is_late, store);
}

static int bind(sqlite3_stmt *stmt, const struct pe_sql_arg *args)
{
	const int n = sqlite3_bind_parameter_count(stmt);
	int rc = SQLITE_OK;

	for (int i = 0; rc == SQLITE_OK && args != NULL && i < n && args[i].type != PE_SQL_END;
	     i++) {
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

	allow_time(store);
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

bool pe_sql_next(int *rc, sqlite3_stmt *stmt, struct pe_store *store, struct pe_err *err)
{
	if (*rc != PE_OK)
		return false;
	errno = 0;
	allow_time(store);
	switch (sqlite3_step(stmt)) {
	case SQLITE_ROW:
		return true;
	case SQLITE_DONE:
		return false;
	default:
		*rc = pe_store_fail(store, err);
		return false;
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

	while (pe_sql_next(&rc, stmt, store, err))
		continue;
	pe_sql_close(stmt);
	return rc;
}

int pe_sql_integer(int64_t *out, struct pe_store *store, const char *text,
		   const struct pe_sql_arg *args, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, text, args, err);

	if (pe_sql_next(&rc, stmt, store, err))
		*out = sqlite3_column_int64(stmt, 0);
	else if (rc == PE_OK)
		rc = PE_ENOTFOUND;
	pe_sql_close(stmt);
	return rc;
}

int pe_sql_exists(bool *out, struct pe_store *store, const char *text,
		  const struct pe_sql_arg *args, struct pe_err *err)
{
	int64_t ignored;
	const int rc = pe_sql_integer(&ignored, store, text, args, err);

	*out = rc == PE_OK;
	return rc == PE_ENOTFOUND ? PE_OK : rc;
}

/* An integer of one of the sizes that members have. */
static void fill_integer(char *at, size_t size, int64_t value)
{
	if (size == sizeof(int32_t))
		memcpy(at, &(int32_t){(int32_t)value}, sizeof(int32_t));
	else
		memcpy(at, &value, sizeof(value));
}

/* @param before  the member of the row before; NULL: there is none */
static void fill_member(char *at, const char *before, const struct pe_sql_column *column,
			sqlite3_stmt *stmt, int i, struct pe_arena *arena)
{
	const bool is_null = sqlite3_column_type(stmt, i) == SQLITE_NULL;
	const char *last = NULL, *text;

	switch (column->member) {
	case PE_SQL_INTEGER:
		fill_integer(at, column->size, sqlite3_column_int64(stmt, i));
		break;
	case PE_SQL_BOOL:
		*(bool *)(void *)at = sqlite3_column_int64(stmt, i) != 0;
		break;
	case PE_SQL_NUMBER:
		*(double *)(void *)at = is_null ? NAN : sqlite3_column_double(stmt, i);
		break;
	case PE_SQL_STRING:
	case PE_SQL_MAYBE_STRING:
		if (before != NULL)
			memcpy(&last, before, sizeof(last));
		text = pe_sql_string(stmt, i);
		if (is_null && column->member == PE_SQL_MAYBE_STRING)
			last = NULL;
		else if (last == NULL || strcmp(last, text) != 0)
			last = pe_arena_strdup(arena, text);
		memcpy(at, &last, sizeof(last));
		break;
	case PE_SQL_CHARS:
		/* The row is 0: as much of it as there is room for ends in one. */
		text = pe_sql_string(stmt, i);
		memcpy(at, text, strnlen(text, column->size - 1));
		break;
	}
}

/* What the columns do not fill is 0. @param before  the row before; NULL: there is none */
static void fill_row(char *row, const char *before, sqlite3_stmt *stmt,
		     const struct pe_sql_row *members, struct pe_arena *arena)
{
	assert((size_t)sqlite3_column_count(stmt) >= members->n);
	memset(row, 0, members->size);
	for (size_t i = 0; i < members->n; i++) {
		const struct pe_sql_column *column = &members->columns[i];

		fill_member(row + column->offset, before != NULL ? before + column->offset : NULL,
			    column, stmt, (int)i, arena);
	}
}

int pe_sql_one(void *out, struct pe_store *store, const char *text, const struct pe_sql_arg *args,
	       const struct pe_sql_row *members, struct pe_arena *arena, struct pe_err *err)
{
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, text, args, err);

	memset(out, 0, members->size);
	if (pe_sql_next(&rc, stmt, store, err))
		fill_row(out, NULL, stmt, members, arena);
	else if (rc == PE_OK)
		rc = PE_ENOTFOUND;
	pe_sql_close(stmt);
	return rc;
}

int pe_sql_rows(void *out, size_t *n, struct pe_store *store, const char *text,
		const struct pe_sql_arg *args, const struct pe_sql_row *members,
		struct pe_arena *arena, struct pe_err *err)
{
	size_t capacity = 8;
	char *rows = pe_realloc(NULL, capacity, members->size), *at;
	sqlite3_stmt *stmt;
	int rc = pe_sql_open(&stmt, store, text, args, err);

	*n = 0;
	while (pe_sql_next(&rc, stmt, store, err)) {
		if (*n == capacity) {
			capacity *= 2;
			rows = pe_realloc(rows, capacity, members->size);
		}
		at = rows + (*n)++ * members->size;
		fill_row(at, *n > 1 ? at - members->size : NULL, stmt, members, arena);
	}
	pe_sql_close(stmt);
	at = pe_arena_alloc(arena, *n, members->size);
	memcpy(at, rows, *n * members->size);
	memcpy(out, &at, sizeof(at));
	free(rows);
	return rc;
}

/* A row that is its only column. */
#define ONLY(type, kind)                                                                           \
	(&(const struct pe_sql_row){sizeof(type),                                                  \
				    &(const struct pe_sql_column){kind, 0, sizeof(type)}, 1})

int pe_sql_integers(int64_t **out, size_t *n, struct pe_store *store, const char *text,
		    const struct pe_sql_arg *args, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store, text, args, ONLY(int64_t, PE_SQL_INTEGER), arena, err);
}

int pe_sql_texts(const char ***out, size_t *n, struct pe_store *store, const char *text,
		 const struct pe_sql_arg *args, struct pe_arena *arena, struct pe_err *err)
{
	return pe_sql_rows(out, n, store, text, args, ONLY(const char *, PE_SQL_STRING), arena,
			   err);
}

int pe_sql_once(int64_t *out, struct pe_store *store, const char *insert, const char *select,
		const struct pe_sql_arg *args, struct pe_err *err)
{
	PE_TRY(pe_sql_run(store, insert, args, err));
	return pe_sql_integer(out, store, select, args, err);
}

int pe_sql_script(struct pe_store *store, const char *script, struct pe_err *err)
{
	errno = 0;
	allow_time(store);
	if (sqlite3_exec(store->db, script, NULL, NULL, NULL) != SQLITE_OK)
		return pe_store_fail(store, err);
	return PE_OK;
}

void pe_sql_disconnect(struct pe_store *store)
{
	for (size_t i = 0; i < store->cache.n; i++)
		sqlite3_finalize(store->cache.data[i].stmt);
	pe_vec_release(&store->cache);
	sqlite3_close(store->db);
	store->db = NULL;
}

const char *pe_sql_string(sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text != NULL ? text : "";
}

int pe_savepoint_open(struct pe_savepoint *savepoint, struct pe_store *store, struct pe_err *err)
{
	if (store->in_transaction && sqlite3_get_autocommit(store->db))
		return pe_fail(err, PE_ESTORE, "%s: the transaction was given up after a failure",
			       store->path);
	PE_TRY(pe_sql_run(store,
			  store->in_transaction ? "SAVEPOINT call"
			  : store->readonly     ? "BEGIN"
						: "BEGIN IMMEDIATE",
			  NULL, err));
	*savepoint = (struct pe_savepoint){store, err};
	return PE_OK;
}

int pe_savepoint_keep(struct pe_savepoint *savepoint)
{
	struct pe_store *store = savepoint->store;

	if (!store->readonly)
		PE_TRY(pe_place_check(store, savepoint->err));
	PE_TRY(pe_sql_run(store, store->in_transaction ? "RELEASE call" : "COMMIT", NULL,
			  savepoint->err));
	savepoint->store = NULL;
	return PE_OK;
}

void pe_savepoint_drop(struct pe_savepoint *savepoint)
{
	struct pe_store *store = savepoint->store;

	if (store == NULL)
		return;
	/* After some failures, a full disk among them, SQLite has ended the whole transaction. */
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db,
			     store->in_transaction ? "ROLLBACK TO call; RELEASE call" : "ROLLBACK",
			     NULL, NULL, NULL);
	memset(store->metric_keys, 0, sizeof(store->metric_keys));
	savepoint->store = NULL;
}
