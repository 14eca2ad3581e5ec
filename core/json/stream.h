/*
 * Stream: JSON of any length, pulled token by token out of chunks that the caller supplies. Memory follows the
 * longest string and the depth of nesting, not the document, and no nesting touches the C stack.
 *
 *	for (;;) {
 *		rc = pe_json_next(stream, &token, err);
 *		...
 *	}
 */
#pragma once

#include "core/base/err.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pe_json_kind {
	PE_JSON_END, /**< of the document, or of what there is of it */
	PE_JSON_NULL,
	PE_JSON_FALSE,
	PE_JSON_TRUE,
	PE_JSON_NUMBER,
	PE_JSON_STRING,
	PE_JSON_KEY, /**< of an object's member; its value follows */
	PE_JSON_OBJECT,
	PE_JSON_OBJECT_END,
	PE_JSON_ARRAY,
	PE_JSON_ARRAY_END,
};

struct pe_json_token {
	enum pe_json_kind kind;
	/**
	 * Of a string or key: its value, without escapes, UTF-8; may hold NUL bytes. Of a number: as it is
	 * written. Not terminated, borrowed until the next call.
	 */
	const char *text;
	size_t n;
	/** in the document, of its first byte */
	uint64_t offset;
};

/**
 * Supply the next bytes of the document; none means its end. They are borrowed until the next call.
 *
 * @return  a failure is passed on as it is
 */
typedef int (*pe_json_supply_fn)(const char **bytes, size_t *n, void *payload, struct pe_err *err);

struct pe_json_stream;

enum pe_json_stream_flag {
	/** An end of the document within its outermost array, between two elements, closes it. */
	PE_JSON_OPEN_END = 1 << 0,
	/**
	 * Also read what some libraries write: [+-]nan, [+-]inf and [+-]infinity as bare words, which become strings, and
	 * control characters in strings, except the ends of lines.
	 */
	PE_JSON_LOOSE = 1 << 1,
};

/** @param name  for messages; borrowed */
struct pe_json_stream *pe_json_stream_new(const char *name, unsigned flags,
					  pe_json_supply_fn supply, void *payload);

/** A stream over bytes in memory, which are borrowed. */
struct pe_json_stream *pe_json_stream_of(const char *name, unsigned flags, const char *bytes,
					 size_t n);

/** Free a stream and what it holds; the bytes that it borrowed stay. NULL is allowed. */
void pe_json_stream_free(struct pe_json_stream *stream);

/**
 * The next token. What stands before a mistake comes before its message.
 *
 * @return  PE_EINVALID: "NAME: offset N: <found>; expected <what>"; a failure of the supply, passed on
 */
int pe_json_next(struct pe_json_stream *stream, struct pe_json_token *token, struct pe_err *err);

/** Where in the document the failure stands that pe_json_next() or pe_json_refuse() returned last. */
uint64_t pe_json_failed_at(const struct pe_json_stream *stream);

/** Pass over the rest of a value of which this token was the first: nothing for a scalar. */
int pe_json_skip(struct pe_json_stream *stream, const struct pe_json_token *token,
		 struct pe_err *err);

/** Whether PE_JSON_OPEN_END had to close the document. */
bool pe_json_was_open(const struct pe_json_stream *stream);

/** Refuse a token: "NAME: offset N: <found>; expected <expected>". @return PE_EINVALID */
int pe_json_refuse(struct pe_json_stream *stream, const struct pe_json_token *token,
		   const char *expected, struct pe_err *err);
