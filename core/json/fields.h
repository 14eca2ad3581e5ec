/* Fields: documents of a known shape, read from a stream by tables of members. */
#pragma once

#include "core/json/stream.h"

/** Where the reading of a document stands. */
struct pe_json_cursor {
	struct pe_json_stream *stream;
	struct pe_json_token token; /**< the one at hand */
	struct pe_err *err;         /**< receives what a reader refuses */
};

/** Read one value, of which the first token is at hand; the function takes the rest of it from the stream. */
typedef int (*pe_json_value_fn)(struct pe_json_cursor *json, void *self);

/** A member of an object. */
struct pe_json_field {
	const char *key;
	pe_json_value_fn read;
	size_t at; /**< what `read` gets as self: the bytes from the object's self to its part */
	bool each; /**< the value is an array, and `read` reads one element of it */
};

/** Read the members of an object that a table names, pass over all others. PE_EINVALID for no object. */
int pe_json_fields(struct pe_json_cursor *json, const struct pe_json_field *fields, size_t n,
		   void *self);

/** Read each element of an array. PE_EINVALID for no array. */
int pe_json_elements(struct pe_json_cursor *json, pe_json_value_fn read, void *self);

/** Read the one value of a document and look that nothing follows. */
int pe_json_document(struct pe_json_stream *stream, pe_json_value_fn read, void *self,
		     struct pe_err *err);

/** Pass over the value of which the first token is at hand. */
int pe_json_pass(struct pe_json_cursor *json);

/** Refuse the token at hand; see pe_json_refuse(). */
int pe_json_expected(const struct pe_json_cursor *json, const char *expected);

/** Read one value into an int64_t (whole, as pe_json_integer() has it). */
int pe_json_read_integer(struct pe_json_cursor *json, void *out);

/** Whether a key or string is this one. */
bool pe_json_is(const struct pe_json_token *token, const char *text);

/** A number that is whole (also "12.0" and "1e3") and fits; false for anything else. */
bool pe_json_integer(const struct pe_json_token *token, int64_t *out);

/** A finite number; false for anything else. */
bool pe_json_double(const struct pe_json_token *token, double *out);
