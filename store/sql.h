/*
 * SQL: what the files of the store share: the handle, cached statements with typed arguments, one scope a
 * writing call, and the translation of SQLite's errors. Nothing outside store/ and its tests includes it.
 */
#ifndef PE_STORE_SQL_H
#define PE_STORE_SQL_H

#include "core/base/text.h"
#include "core/base/vec.h"
#include "store/store.h"

#include <sqlite3.h>
#include <time.h>

/** A prepared statement, found again by the address of its text: texts are string literals. */
struct pe_sql_cached {
	const char *text;
	sqlite3_stmt *stmt;
};

struct pe_store {
	sqlite3 *db;
	char *path;
	bool readonly;
	const char *network; /**< the network file system that it lies on; NULL: none */
	bool in_transaction; /**< between pe_store_begin() and its commit or rollback */
	PE_VEC(struct pe_sql_cached) cache;
	int64_t metric_keys[PE_N_METRICS]; /**< of the built-in metrics; 0: not asked yet */
	time_t row_s;      /**< how long the next row may take, where the file is only read */
	time_t deadline_s; /**< of the row that is being read, on the monotonic clock */
};

/** How long a writer waits for another one. */
#define PE_STORE_BUSY_MS 30000

/** How long the next row of a file that is only read may take. */
#define PE_STORE_ROW_S 60

enum pe_sql_type { PE_SQL_END, PE_SQL_INT, PE_SQL_REAL, PE_SQL_TEXT, PE_SQL_BLOB };

/** One argument of a statement. */
struct pe_sql_arg {
	enum pe_sql_type type;
	union {
		int64_t integer;
		double real;
		/** NULL is SQL's NULL; must live until the statement is closed */
		const char *text;
		/** So must these; NULL is an empty blob. */
		struct {
			const void *at;
			size_t n;
		} bytes;
	} as;
};

#define INT(value)                                                                                 \
	{                                                                                          \
		.type = PE_SQL_INT, .as.integer = (value)                                          \
	}
#define REAL(value)                                                                                \
	{                                                                                          \
		.type = PE_SQL_REAL, .as.real = (value)                                            \
	}
#define TEXT(value)                                                                                \
	{                                                                                          \
		.type = PE_SQL_TEXT, .as.text = (value)                                            \
	}
#define BLOB(start, size)                                                                          \
	{                                                                                          \
		.type = PE_SQL_BLOB, .as.bytes = {(start), (size) }                                \
	}

/** The arguments ?1, ?2, ... of a statement. */
#define ARGS(...) ((const struct pe_sql_arg[]){__VA_ARGS__, {.type = PE_SQL_END}})

/**
 * Bind a cached statement; it is ended by pe_sql_close(). Statements do not run inside themselves.
 *
 * @param text  a string literal: its address is the key of the cache
 * @param args  ARGS(...), or NULL without any
 */
int pe_sql_open(sqlite3_stmt **out, struct pe_store *store, const char *text,
		const struct pe_sql_arg *args, struct pe_err *err);

/**
 * Step to the next row.
 *
 * @param rc  how reading went so far: where it is not PE_OK there is no row, and a step that fails sets it
 * @return    whether there is one
 */
bool pe_sql_next(int *rc, sqlite3_stmt *stmt, struct pe_store *store, struct pe_err *err);

/** End the statement and let go of what it read. Welcomes NULL. */
void pe_sql_close(sqlite3_stmt *stmt);

/** Run a statement to its end. */
int pe_sql_run(struct pe_store *store, const char *text, const struct pe_sql_arg *args,
	       struct pe_err *err);

/** The first column of the first row. PE_ENOTFOUND, without a sentence, when there is none. */
int pe_sql_integer(int64_t *out, struct pe_store *store, const char *text,
		   const struct pe_sql_arg *args, struct pe_err *err);

/** The first column of all rows. */
int pe_sql_integers(int64_t **out, size_t *n, struct pe_store *store, const char *text,
		    const struct pe_sql_arg *args, struct pe_arena *arena, struct pe_err *err);

/** Run several statements that are not worth caching. */
int pe_sql_script(struct pe_store *store, const char *script, struct pe_err *err);

/** A text column until the next row; "" for NULL, which a damaged file may have anywhere. */
const char *pe_sql_string(sqlite3_stmt *stmt, int column);

/** A copy of a text column that is never NULL, unless the file is damaged: "" then. */
const char *pe_sql_text(sqlite3_stmt *stmt, int column, struct pe_arena *arena);

/** A copy of a text column; NULL stays NULL. */
const char *pe_sql_text_or_null(sqlite3_stmt *stmt, int column, struct pe_arena *arena);

/** Copy an identifier of fixed size. */
void pe_sql_hex(char *out, size_t size, sqlite3_stmt *stmt, int column);

/**
 * Trust nothing in the file: SQL in its schema runs no function with effects, pages are checked, sizes have
 * limits, and where it is only read no row takes longer than PE_STORE_ROW_S.
 */
void pe_sql_guard(struct pe_store *store);

/** Finalize its statements and close the connection; the handle may be opened again. */
void pe_sql_disconnect(struct pe_store *store);

/** Translate the handle's last error: PE_EFULL, PE_EBUSY or PE_ESTORE, with the file and the remedy. */
int pe_store_fail(struct pe_store *store, struct pe_err *err);

/**
 * Frame a writing call, so that all of it happens or nothing: a transaction of its own, or a savepoint
 * inside the user's. Every statement is closed when it ends.
 *
 * @param rc  how the call went: PE_OK keeps its work, anything else drops it
 * @return    rc, or the failure to keep
 */
int pe_scope_begin(struct pe_store *store, struct pe_err *err);
/** End what pe_scope_begin() began; as above. */
int pe_scope_end(struct pe_store *store, int rc, struct pe_err *err);

/** Key of a metric, adding it when it is new. Custom metrics belong to a benchmark's name. */
int pe_metric_key(int64_t *out, struct pe_store *store, int64_t benchmark,
		  const struct pe_metric *metric, struct pe_err *err);

/** Key of the metric of that name which a series has. PE_ENOTFOUND, without a sentence: no values. */
int pe_series_metric(int64_t *out, struct pe_store *store, const struct pe_series_query *query,
		     struct pe_err *err);

/** The definition of a benchmark as JSON for people. */
void pe_benchmark_json(struct pe_text *out, const struct pe_benchmark *benchmark);

/**
 * What a stored counting run executed from outside of the tree. Its epoch is told by that: begun anew where something was
 * replaced since the run before it.
 */
int pe_modules_put(struct pe_store *store, int64_t machine, int64_t run,
		   const struct pe_module_set *modules, struct pe_err *err);

/** The system calls of a stored run. */
int pe_calls_put(struct pe_store *store, int64_t run, const struct pe_system_calls *calls,
		 struct pe_err *err);

/** Number the epochs of a machine and benchmark by when they began: what comes from elsewhere comes in any order. */
int pe_modules_number(struct pe_store *store, int64_t machine, int64_t benchmark,
		      struct pe_err *err);

/** A vec's content in an arena, and its length; the vec is released. */
#define pe_vec_into_arena(out, n_out, vec, arena)                                                  \
	do {                                                                                       \
		*(n_out) = (vec)->n;                                                               \
		*(out) = pe_arena_alloc((arena), (vec)->n, sizeof(*(vec)->data));                  \
		if ((vec)->n != 0)                                                                 \
			memcpy(*(out), (vec)->data, (vec)->n * sizeof(*(vec)->data));              \
		pe_vec_release(vec);                                                               \
	} while (0)

#endif
