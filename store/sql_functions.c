/*
 * Functions of SQL that the store adds: documents of results are read and written by most (schema/results.sql), and lists of
 * functions are read by one (functions.c). None has an effect outside the statement.
 */
#include "store/exchange.h"
#include "store/sql.h"

#include "core/base/base64.h"
#include "core/base/number.h"
#include "core/base/utf8.h"
#include "core/base/xxh.h"
#include "core/model/modules.h"
#include "core/model/system_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 4096 }; /* bytes of a name */

/* "" for NULL: the functions below are asked about texts, and their columns say whether there must be one. */
static const char *text_of(sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);

	return text != NULL ? text : "";
}

static bool is_null(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL;
}

static bool has_hex(const char *text, size_t digits)
{
	return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

/* is_words(TEXT): one line that may be shown to people. */
static void is_words(sqlite3_context *context, int n, sqlite3_value **args)
{
	const char *text = text_of(args[0]);

	(void)n;
	if (!is_null(args[0]))
		sqlite3_result_int(context, strlen(text) <= NAME_MOST && pe_utf8_is_words(text));
}

/* is_hex(TEXT, DIGITS) */
static void is_hex(sqlite3_context *context, int n, sqlite3_value **args)
{
	(void)n;
	sqlite3_result_int(context,
			   has_hex(text_of(args[0]), (size_t)sqlite3_value_int64(args[1])));
}

/* from_hex(TEXT): the number of 16 digits, as SQLite's signed ones; else NULL. */
static void from_hex(sqlite3_context *context, int n, sqlite3_value **args)
{
	const char *text = text_of(args[0]);

	(void)n;
	if (has_hex(text, 16))
		sqlite3_result_int64(context, (int64_t)strtoull(text, NULL, 16));
}

/* number(JSON): SQLite's own reading may be off by a bit. */
static void number(sqlite3_context *context, int n, sqlite3_value **args)
{
	const char *text = text_of(args[0]);
	char *end;
	const double value = strtod(text, &end);

	(void)n;
	if (end != text && *end == '\0' && isfinite(value))
		sqlite3_result_double(context, value);
}

/* count_modules(TEXT): NULL where it is no set of modules. */
static void count_modules(sqlite3_context *context, int n, sqlite3_value **args)
{
	const char *lines = text_of(args[0]);
	size_t modules;

	(void)n;
	if (!is_null(args[0]) && strlen(lines) <= PE_RESULTS_TEXT &&
	    pe_modules_are_sound(lines, &modules))
		sqlite3_result_int64(context, (int64_t)modules);
}

/* is_calls(TEXT): system calls, and how often. */
static void is_calls(sqlite3_context *context, int n, sqlite3_value **args)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_system_calls calls;

	(void)n;
	if (!is_null(args[0]))
		sqlite3_result_int(context,
				   pe_system_calls_unpack(&calls, text_of(args[0]), &arena) &&
					   calls.n > 0);
}

/* digest(TEXT): as call_sets and module_sets have it. */
static void digest(sqlite3_context *context, int n, sqlite3_value **args)
{
	char text[PE_XXH_TEXT];
	struct pe_xxh hash;

	(void)n;
	pe_xxh_init(&hash);
	pe_xxh_string(&hash, text_of(args[0]));
	pe_xxh_write(&hash, text);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* from_base64(TEXT): NULL where it is something else. */
static void from_base64(sqlite3_context *context, int n, sqlite3_value **args)
{
	const char *digits = text_of(args[0]);
	const size_t n_digits = strlen(digits);
	uint8_t *bytes = sqlite3_malloc64(n_digits / 4 * 3 + 1);
	size_t n_bytes;

	(void)n;
	if (bytes == NULL)
		sqlite3_result_error_nomem(context);
	else if (!is_null(args[0]) && pe_base64_read(bytes, &n_bytes, digits, n_digits))
		sqlite3_result_blob64(context, bytes, n_bytes, SQLITE_TRANSIENT);
	sqlite3_free(bytes);
}

/* exact(REAL): a number of JSON that reads back as the same, where SQLite's own has 15 digits; NULL where there is none. */
static void exact(sqlite3_context *context, int n, sqlite3_value **args)
{
	pe_auto_text json = PE_TEXT_INIT;

	(void)n;
	if (is_null(args[0]) || !isfinite(sqlite3_value_double(args[0])))
		return;
	pe_number_exact(&json, sqlite3_value_double(args[0]));
	sqlite3_result_text64(context, json.data, json.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	sqlite3_result_subtype(context, 'J'); /* for json_array() */
}

/*
 * ref(TABLE, KEY[, ROOM]): the row of a key in a table of the document; the next one where it is met first, if the table has that
 * room. NULL where it has not, and where the key or the room is NULL.
 */
static void ref(sqlite3_context *context, int n, sqlite3_value **args)
{
	struct pe_store *store = sqlite3_user_data(context);
	struct pe_referred *referred = &store->referred[sqlite3_value_int(args[0])];
	const int64_t key = sqlite3_value_int64(args[1]);
	const size_t room = n > 2 ? (size_t)sqlite3_value_int64(args[2]) : 0;
	size_t at = pe_key_index_find(&referred->index, key);

	if (is_null(args[1]) || (n > 2 && is_null(args[2])) ||
	    (at == SIZE_MAX && room > referred->room))
		return;
	if (at == SIZE_MAX) {
		at = referred->keys.n;
		referred->room -= room;
		pe_key_index_put(&referred->index, key, at);
		pe_vec_push(&referred->keys, key);
	}
	sqlite3_result_int64(context, (int64_t)at);
}

void pe_sql_functions(struct pe_store *store)
{
	static const struct {
		const char *name;
		int n, flags;
		void (*call)(sqlite3_context *context, int n, sqlite3_value **args);
	} functions[] = {
		{"is_words", 1, SQLITE_DETERMINISTIC, is_words},
		{"is_hex", 2, SQLITE_DETERMINISTIC, is_hex},
		{"from_hex", 1, SQLITE_DETERMINISTIC, from_hex},
		{"number", 1, SQLITE_DETERMINISTIC, number},
		{"count_modules", 1, SQLITE_DETERMINISTIC, count_modules},
		{"is_calls", 1, SQLITE_DETERMINISTIC, is_calls},
		{"digest", 1, SQLITE_DETERMINISTIC, digest},
		{"from_base64", 1, SQLITE_DETERMINISTIC, from_base64},
		{"exact", 1, SQLITE_DETERMINISTIC, exact},
		{"ref", 2, SQLITE_DIRECTONLY, ref},
		{"ref", 3, SQLITE_DIRECTONLY, ref},
		{"functions", 3, SQLITE_DIRECTONLY, pe_functions_read},
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (sqlite3_create_function(store->db, functions[i].name, functions[i].n,
					    functions[i].flags | SQLITE_UTF8 | SQLITE_INNOCUOUS,
					    store, functions[i].call, NULL, NULL) != SQLITE_OK)
			pe_out_of_memory(sizeof(functions[i]));
}
