/* Fields: documents of a known shape, read from a stream by tables of members. */
#ifndef PE_JSON_FIELDS_H
#define PE_JSON_FIELDS_H

#include "json/stream.h"

/**
 * Read one value.
 *
 * @param first  its first token; the function takes the rest of it from the stream
 */
typedef int (*pe_json_value_fn)(struct pe_json_stream *stream, const struct pe_json_token *first,
				void *self, struct pe_err *err);

struct pe_json_field {
	const char *key;
	pe_json_value_fn read;
};

/** Read the members of an object that a table names, pass over all others. PE_EINVALID for no object. */
int pe_json_fields(struct pe_json_stream *stream, const struct pe_json_token *first,
		   const struct pe_json_field *fields, size_t n, void *self, struct pe_err *err);

/** Read each element of an array. PE_EINVALID for no array. */
int pe_json_elements(struct pe_json_stream *stream, const struct pe_json_token *first,
		     pe_json_value_fn read, void *self, struct pe_err *err);

/** Read the one value of a document and look that nothing follows. */
int pe_json_document(struct pe_json_stream *stream, pe_json_value_fn read, void *self,
		     struct pe_err *err);

/** Whether a key or string is this one. */
bool pe_json_is(const struct pe_json_token *token, const char *text);

/** A number that is whole (also "12.0" and "1e3") and fits; false for anything else. */
bool pe_json_integer(const struct pe_json_token *token, int64_t *out);

/** A finite number; false for anything else. */
bool pe_json_double(const struct pe_json_token *token, double *out);

#endif
