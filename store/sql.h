/*
 * SQL: what the files of the store share: the handle, cached statements with typed arguments, one savepoint a
 * writing call, and the translation of SQLite's errors. Nothing outside store/ and its tests includes it.
 */
#pragma once

#include "core/base/key_index.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stddef.h>
#include <time.h>

/** A prepared statement, found again by the address of its text: texts are string literals. */
struct pe_sql_cached {
	const char *text;
	sqlite3_stmt *stmt;
};

/** Keys of rows that others of a document refer to, in its order (store/exchange_out.c). */
struct pe_referred {
	PE_VEC(int64_t) keys;
	struct pe_key_index index;
	size_t room;
};

struct pe_store {
	sqlite3 *db;
	char *path;
	bool readonly;
	const char *network; /**< network file system of the file; NULL: a local one */
	bool in_transaction; /**< between pe_store_begin() and its commit or rollback */
	PE_VEC(struct pe_sql_cached) cache;
	int64_t metric_keys[PE_N_METRICS]; /**< of the built-in metrics; 0: not asked yet */
	time_t row_s;      /**< how long the next row may take, where the file is only read */
	time_t deadline_s; /**< of the row that is being read, on the monotonic clock */
	struct pe_referred referred[4];
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

/** The arguments ?1, ?2, ... of a statement; those beyond its last are for others that share them. */
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

/** End the statement and release what it read. NULL is allowed. */
void pe_sql_close(sqlite3_stmt *stmt);

/** Run a statement to its end. */
int pe_sql_run(struct pe_store *store, const char *text, const struct pe_sql_arg *args,
	       struct pe_err *err);

/** The first column of the first row. PE_ENOTFOUND, without a sentence, when there is none. */
int pe_sql_integer(int64_t *out, struct pe_store *store, const char *text,
		   const struct pe_sql_arg *args, struct pe_err *err);

/** Whether there is a row. */
int pe_sql_exists(bool *out, struct pe_store *store, const char *text,
		  const struct pe_sql_arg *args, struct pe_err *err);

/** The first column of all rows. */
int pe_sql_integers(int64_t **out, size_t *n, struct pe_store *store, const char *text,
		    const struct pe_sql_arg *args, struct pe_arena *arena, struct pe_err *err);
/** The same of texts. */
int pe_sql_texts(const char ***out, size_t *n, struct pe_store *store, const char *text,
		 const struct pe_sql_arg *args, struct pe_arena *arena, struct pe_err *err);

/** The key of what stands there once: `insert` adds it where it is new, `select` finds it by the same arguments. */
int pe_sql_once(int64_t *out, struct pe_store *store, const char *insert, const char *select,
		const struct pe_sql_arg *args, struct pe_err *err);

/** How a column becomes a member of a row's struct. */
enum pe_sql_member {
	PE_SQL_INTEGER,
	PE_SQL_BOOL,
	PE_SQL_NUMBER,
	PE_SQL_STRING,
	PE_SQL_MAYBE_STRING,
	PE_SQL_CHARS
};

/** The member of a row's struct that takes a column of the result. */
struct pe_sql_column {
	enum pe_sql_member member;
	size_t offset, size;
};

/** A row's struct and its members, in the order of the columns. */
struct pe_sql_row {
	size_t size;
	const struct pe_sql_column *columns;
	size_t n;
};

/**
 * PE_ROW(struct pe_coverage, revision, benchmark, source): the members that take the columns, up to twelve. An integer or enum
 * takes an integer, bool whether it is not 0, double a number or NaN for NULL, const char * a copy of a text in the arena
 * ("" for NULL, which a damaged file may have anywhere), and an array of char as much of a text as it holds.
 *
 * PE_ROW_OF(row, PE_MEMBERS(row, key, is_test), PE_MAYBE(row, suite)): where there are more members, or a text that may be
 * NULL, which PE_MAYBE keeps.
 */
#define PE_ROW(row, ...) PE_ROW_OF(row, PE_MEMBERS(row, __VA_ARGS__))
#define PE_ROW_OF(row, ...)                                                                        \
	(&(const struct pe_sql_row){sizeof(row), (const struct pe_sql_column[]){__VA_ARGS__},      \
				    sizeof((const struct pe_sql_column[]){__VA_ARGS__}) /          \
					    sizeof(struct pe_sql_column)})
#define PE_KIND_OF(member)                                                                         \
	_Generic((member), bool : PE_SQL_BOOL, double : PE_SQL_NUMBER, const char * : PE_SQL_STRING, \
		 char * : PE_SQL_CHARS, default : PE_SQL_INTEGER)
#define PE_MEMBER(row, name)                                                                       \
	{                                                                                          \
		PE_KIND_OF(((row *)0)->name), offsetof(row, name), sizeof(((row *)0)->name)        \
	}
#define PE_MAYBE(row, name)                                                                        \
	{                                                                                          \
		PE_SQL_MAYBE_STRING, offsetof(row, name), sizeof(((row *)0)->name)                 \
	}
#define PE_MEMBERS_1(row, name)       PE_MEMBER(row, name)
#define PE_MEMBERS_2(row, name, ...)  PE_MEMBER(row, name), PE_MEMBERS_1(row, __VA_ARGS__)
#define PE_MEMBERS_3(row, name, ...)  PE_MEMBER(row, name), PE_MEMBERS_2(row, __VA_ARGS__)
#define PE_MEMBERS_4(row, name, ...)  PE_MEMBER(row, name), PE_MEMBERS_3(row, __VA_ARGS__)
#define PE_MEMBERS_5(row, name, ...)  PE_MEMBER(row, name), PE_MEMBERS_4(row, __VA_ARGS__)
#define PE_MEMBERS_6(row, name, ...)  PE_MEMBER(row, name), PE_MEMBERS_5(row, __VA_ARGS__)
#define PE_MEMBERS_7(row, name, ...)  PE_MEMBER(row, name), PE_MEMBERS_6(row, __VA_ARGS__)
#define PE_MEMBERS_8(row, name, ...)  PE_MEMBER(row, name), PE_MEMBERS_7(row, __VA_ARGS__)
#define PE_MEMBERS_9(row, name, ...)  PE_MEMBER(row, name), PE_MEMBERS_8(row, __VA_ARGS__)
#define PE_MEMBERS_10(row, name, ...) PE_MEMBER(row, name), PE_MEMBERS_9(row, __VA_ARGS__)
#define PE_MEMBERS_11(row, name, ...) PE_MEMBER(row, name), PE_MEMBERS_10(row, __VA_ARGS__)
#define PE_MEMBERS_12(row, name, ...) PE_MEMBER(row, name), PE_MEMBERS_11(row, __VA_ARGS__)
#define PE_MEMBERS(row, ...)                                                                       \
	PE_MEMBERS_PICK(__VA_ARGS__, PE_MEMBERS_12, PE_MEMBERS_11, PE_MEMBERS_10, PE_MEMBERS_9,    \
			PE_MEMBERS_8, PE_MEMBERS_7, PE_MEMBERS_6, PE_MEMBERS_5, PE_MEMBERS_4,      \
			PE_MEMBERS_3, PE_MEMBERS_2, PE_MEMBERS_1, 0)                               \
	(row, __VA_ARGS__)
#define PE_MEMBERS_PICK(a, b, c, d, e, f, g, h, i, j, k, l, pick, ...) pick

/** The first row; what the columns do not fill is 0. PE_ENOTFOUND, without a sentence, when there is none: all 0 then. */
int pe_sql_one(void *out, struct pe_store *store, const char *text, const struct pe_sql_arg *args,
	       const struct pe_sql_row *members, struct pe_arena *arena, struct pe_err *err);

/**
 * All rows, in the arena; what the columns do not fill is 0. What was read before a failure is there. A text that two rows
 * after each other have in common is there once.
 *
 * @param out  address of a pointer to the row's struct
 */
int pe_sql_rows(void *out, size_t *n, struct pe_store *store, const char *text,
		const struct pe_sql_arg *args, const struct pe_sql_row *members,
		struct pe_arena *arena, struct pe_err *err);

/** Run several statements, uncached. */
int pe_sql_script(struct pe_store *store, const char *script, struct pe_err *err);

/** A text column until the next row; "" for NULL, which a damaged file may have anywhere. */
const char *pe_sql_string(sqlite3_stmt *stmt, int column);

/**
 * Trust nothing in the file: SQL in its schema runs no function with effects, pages are checked, sizes have
 * limits, and where it is only read no row takes longer than PE_STORE_ROW_S.
 */
void pe_sql_guard(struct pe_store *store);

/** Add the functions of SQL that statements of the store use. */
void pe_sql_functions(struct pe_store *store);

/** Read a list of functions: functions(DATA, DATA OF BASE, RAISE). What is damaged is NULL, or an error with RAISE. */
void pe_functions_read(sqlite3_context *context, int n, sqlite3_value **args);

/** Finalize its statements and close the connection; the handle may be opened again. */
void pe_sql_disconnect(struct pe_store *store);

/** Translate the handle's last error: PE_EFULL, PE_EBUSY or PE_ESTORE, with the file and the remedy. */
int pe_store_fail(struct pe_store *store, struct pe_err *err);

/**
 * Frame a writing call, so that all of it happens or nothing: a transaction of its own, or a savepoint
 * inside the user's. Every statement is closed when it ends.
 *
 *	pe_auto_savepoint savepoint = PE_SAVEPOINT_INIT;
 *
 *	PE_TRY(pe_savepoint_open(&savepoint, store, err));
 *	PE_TRY(...);
 *	return pe_savepoint_keep(&savepoint);
 */
struct pe_savepoint {
	struct pe_store *store; /**< NULL: not open */
	struct pe_err *err;
};

#define PE_SAVEPOINT_INIT                                                                          \
	{                                                                                          \
		NULL, NULL                                                                         \
	}

/** A savepoint that is dropped where the function returns without keeping it. */
#define pe_auto_savepoint __attribute__((cleanup(pe_savepoint_drop))) struct pe_savepoint

/** Begin it. Where that fails there is nothing to drop. */
int pe_savepoint_open(struct pe_savepoint *savepoint, struct pe_store *store, struct pe_err *err);
/** End it and keep its work; what cannot be kept is dropped. */
int pe_savepoint_keep(struct pe_savepoint *savepoint);
/** End it and drop its work. Does nothing where it is not open. */
void pe_savepoint_drop(struct pe_savepoint *savepoint);

/** Key of a metric, adding it when it is new. Custom metrics belong to a benchmark's name. */
int pe_metric_key(int64_t *out, struct pe_store *store, int64_t benchmark,
		  const struct pe_metric *metric, struct pe_err *err);

/** Key of the metric of that name which a series has. PE_ENOTFOUND, without a sentence: no values. */
int pe_series_metric(int64_t *out, struct pe_store *store, const struct pe_series_query *query,
		     struct pe_err *err);

/** The definition of a benchmark as JSON for people. */
void pe_benchmark_json(struct pe_text *out, const struct pe_benchmark *benchmark);

/**
 * Put the modules outside of the tree that a stored counting run executed. They decide its epoch: a new one begins where a
 * module was replaced since the run before.
 */
int pe_modules_put(struct pe_store *store, int64_t machine, int64_t run,
		   const struct pe_module_set *modules, struct pe_err *err);

/** The system calls of a stored run. */
int pe_calls_put(struct pe_store *store, int64_t run, const struct pe_system_calls *calls,
		 struct pe_err *err);

/** Number the epochs of a machine and benchmark by when they began: what comes from elsewhere comes in any order. */
int pe_modules_number(struct pe_store *store, int64_t machine, int64_t benchmark,
		      struct pe_err *err);
