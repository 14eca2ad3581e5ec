/*
 * Writer: JSON into a text, value by value. It sets commas and brackets, and asserts that a member has a key, that an
 * element has none, and that what was begun is ended.
 *
 *	struct pe_json json = PE_JSON_INIT(out);
 *
 *	pe_json_begin_object(&json, NULL);
 *	pe_json_put(&json, "name", side->name);
 *	pe_json_each(&json, "refs", i, commit->n_refs, pe_json_put(&json, NULL, commit->refs[i]));
 *	pe_json_finish(&json);
 *
 * `key` is the name of an object's member, written as it is: keys are ours. It is NULL for an element of an array
 * and for the document. The text may be emptied between two calls, when what it holds was written to a file.
 */
#pragma once

#include "core/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct pe_json {
	struct pe_text *out;
	uint64_t objects, rows; /**< by depth: the container is an object, has a line an element */
	unsigned depth;         /**< containers that are open; 64 at most */
	bool begun;             /**< the innermost one has an element */
};

#define PE_JSON_INIT(text)                                                                         \
	{                                                                                          \
		.out = (text)                                                                      \
	}

/** Begin a container; begin_rows: an array that has a line an element, for git and for people. */
void pe_json_begin_object(struct pe_json *json, const char *key);
void pe_json_begin_array(struct pe_json *json, const char *key);
void pe_json_begin_rows(struct pe_json *json, const char *key);

/** Begin an object where there is one, write null where not. @return  `there` */
bool pe_json_begin_maybe(struct pe_json *json, const char *key, bool there);

/** End the container that was begun last. */
void pe_json_end(struct pe_json *json);

/** End all containers, and the document's last line. */
void pe_json_finish(struct pe_json *json);

/** Write text, as pe_json_quote() does. */
void pe_json_text(struct pe_json *json, const char *key, const char *value);

/** Write text and release it. */
void pe_json_take(struct pe_json *json, const char *key, struct pe_text *value);

/** Write an integer with all its digits; a double in the shortest form that reads back as the same, null for NaN. */
void pe_json_int(struct pe_json *json, const char *key, int64_t value);
void pe_json_uint(struct pe_json *json, const char *key, uint64_t value);
void pe_json_real(struct pe_json *json, const char *key, double value);

/**
 * Write a value to `digits` significant digits, a whole number exactly, null for NaN and infinities. pe_json_computed()
 * writes twelve digits, which leave out the noise of the arithmetic.
 */
void pe_json_rounded(struct pe_json *json, const char *key, double value, int digits);
void pe_json_computed(struct pe_json *json, const char *key, double value);

/** Write an index; null where it has the value that stands for none. */
void pe_json_index(struct pe_json *json, const char *key, uint64_t value, uint64_t none);

/** Write true, false, null. */
void pe_json_bool(struct pe_json *json, const char *key, bool value);
void pe_json_null(struct pe_json *json, const char *key);

/** Write a time as "2024-05-01T12:00:00Z". */
void pe_json_time(struct pe_json *json, const char *key, int64_t time_s);

/** Write an array of two numbers. */
void pe_json_pair(struct pe_json *json, const char *key, uint64_t first, uint64_t second);

/** Write an array of texts. */
void pe_json_texts(struct pe_json *json, const char *key, const char *const *at, size_t n);

/** Write a document of JSON as a value. */
void pe_json_raw(struct pe_json *json, const char *key, const char *document);

/** Write text, an integer or a double, by its type. A comparison is an int: it takes pe_json_bool(). */
#define pe_json_put(json, key, value)                                                              \
	_Generic((value),                                                                          \
		char *: pe_json_text,                                                            \
		const char *: pe_json_text,                                                      \
		bool: pe_json_bool,                                                                \
		float: pe_json_real,                                                              \
		double: pe_json_real,                                                             \
		unsigned char: pe_json_uint,                                                   \
		unsigned short: pe_json_uint,                                                  \
		unsigned: pe_json_uint,                                                        \
		unsigned long: pe_json_uint,                                                   \
		unsigned long long: pe_json_uint,                                              \
		default: pe_json_int)((json), (key), (value))

/**
 * Write members of a struct under the names that they have there, up to eight: pe_json_members(json, point, median,
 * q25, q75). computed_members does the same by pe_json_computed(), columns writes them as elements of an array, row
 * an array of them, and struct an object.
 */
#define pe_json_members(json, self, ...) PE_JSON_MEMBERS(pe_json_put, json, self, __VA_ARGS__)
#define pe_json_computed_members(json, self, ...)                                                  \
	PE_JSON_MEMBERS(pe_json_computed, json, self, __VA_ARGS__)
#define pe_json_columns(json, self, ...) PE_JSON_MEMBERS(PE_JSON_COLUMN, json, self, __VA_ARGS__)
#define pe_json_row(json, key, self, ...)                                                          \
	(pe_json_begin_array((json), (key)), pe_json_columns(json, self, __VA_ARGS__),             \
	 pe_json_end(json))

#define pe_json_struct(json, key, self, ...)                                                       \
	(pe_json_begin_object((json), (key)), pe_json_members(json, self, __VA_ARGS__),            \
	 pe_json_end(json))

/** Write an array of n elements, each by a statement in which i is its index; each_row: a line an element. */
#define pe_json_each(json, key, i, n, ...)                                                         \
	PE_JSON_EACH(pe_json_begin_array, json, key, i, n, __VA_ARGS__)
#define pe_json_each_row(json, key, i, n, ...)                                                     \
	PE_JSON_EACH(pe_json_begin_rows, json, key, i, n, __VA_ARGS__)

#define PE_JSON_EACH(begin, json, key, i, n, ...)                                                  \
	do {                                                                                       \
		begin((json), (key));                                                              \
		for (size_t i = 0; i < (size_t)(n); i++)                                           \
			__VA_ARGS__;                                                               \
		pe_json_end(json);                                                                 \
	} while (0)

#define PE_JSON_COLUMN(json, name, value) pe_json_put(json, NULL, value)
#define PE_JSON_1(put, json, self, name)  put(json, #name, (self)->name)
#define PE_JSON_2(put, json, self, name, ...)                                                      \
	PE_JSON_1(put, json, self, name), PE_JSON_1(put, json, self, __VA_ARGS__)
#define PE_JSON_3(put, json, self, name, ...)                                                      \
	PE_JSON_1(put, json, self, name), PE_JSON_2(put, json, self, __VA_ARGS__)
#define PE_JSON_4(put, json, self, name, ...)                                                      \
	PE_JSON_1(put, json, self, name), PE_JSON_3(put, json, self, __VA_ARGS__)
#define PE_JSON_5(put, json, self, name, ...)                                                      \
	PE_JSON_1(put, json, self, name), PE_JSON_4(put, json, self, __VA_ARGS__)
#define PE_JSON_6(put, json, self, name, ...)                                                      \
	PE_JSON_1(put, json, self, name), PE_JSON_5(put, json, self, __VA_ARGS__)
#define PE_JSON_7(put, json, self, name, ...)                                                      \
	PE_JSON_1(put, json, self, name), PE_JSON_6(put, json, self, __VA_ARGS__)
#define PE_JSON_8(put, json, self, name, ...)                                                      \
	PE_JSON_1(put, json, self, name), PE_JSON_7(put, json, self, __VA_ARGS__)
#define PE_JSON_MEMBERS(put, json, self, ...)                                                      \
	PE_JSON_PICK(__VA_ARGS__, PE_JSON_8, PE_JSON_7, PE_JSON_6, PE_JSON_5, PE_JSON_4,           \
		     PE_JSON_3, PE_JSON_2, PE_JSON_1, 0)                                           \
	(put, json, self, __VA_ARGS__)
#define PE_JSON_PICK(a, b, c, d, e, f, g, h, pick, ...) pick

/**
 * Append text as a JSON string with its quotes, null for NULL. What is not UTF-8 becomes U+FFFD. Controls (C0, C1,
 * DEL), characters that reorder or end lines (bidi controls, U+2028, U+2029) and < > & are escaped, so that the text
 * is harmless on a terminal and within <script>.
 */
void pe_json_quote(struct pe_text *out, const char *string);
