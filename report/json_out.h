/* JSON out: the commas. Keys are ours; text goes through pe_escape_json(). */
#ifndef PE_REPORT_JSON_OUT_H
#define PE_REPORT_JSON_OUT_H

#include "core/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** Append a comma unless this is the first element of its array or object. */
void pe_json_put_comma(struct pe_text *out);

/** Append "key": with the comma before it. */
void pe_json_key(struct pe_text *out, const char *key);

/** Append a number as the next element or value; NaN and infinities become null. */
void pe_json_number(struct pe_text *out, double value);

/** Append a member whose value is text (NULL: null), a number, a truth value. */
void pe_json_put_text(struct pe_text *out, const char *key, const char *value);
void pe_json_put_number(struct pe_text *out, const char *key, double value);
void pe_json_put_bool(struct pe_text *out, const char *key, bool value);

/** The same of a figure that was computed of others, as pe_number_computed() writes it. */
void pe_json_put_computed(struct pe_text *out, const char *key, double value);

/** Append a member whose value is the time as "2024-05-01T12:00:00Z". */
void pe_json_put_time(struct pe_text *out, const char *key, int64_t time_s);

/** Append a member that opens an array ('[') or object ('{'). */
void pe_json_open(struct pe_text *out, const char *key, char bracket);

#endif
