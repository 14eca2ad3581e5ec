/* Document: what the readers of this room share; json-c does not leave the room. */
#ifndef PE_JSON_DOCUMENT_H
#define PE_JSON_DOCUMENT_H

#include "core/base/arena.h"

#include <json-c/json.h>

/**
 * Parse one whole JSON document.
 *
 * @param out  the root, to be released with json_object_put(); NULL for the document `null`
 * @return     PE_EINVALID with what is wrong and at which byte
 */
int pe_json_parse(struct json_object **out, const char *document, size_t n, struct pe_err *err);

/** The member of an object; NULL when it is not an object or has no such member. */
struct json_object *pe_json_member(const struct json_object *object, const char *key);

/** The string of a member, copied into the arena; NULL when there is none or it is no string. */
const char *pe_json_string(const struct json_object *object, const char *key,
			   struct pe_arena *arena);

/** Elements of an array; 0 for anything else. */
size_t pe_json_length(const struct json_object *array);

#endif
