#include "core/json/writer.h"

#include "core/base/number.h"
#include "core/base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

enum { MOST_DEPTH = 64, COMPUTED_DIGITS = 12 };

/* Bytes that stand as they are: trees have millions of values, and names are mostly such bytes. */
static bool is_plain(unsigned char byte)
{
	return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\' && byte != '<' &&
	       byte != '>' && byte != '&';
}

static void add_escaped(struct pe_text *out, uint32_t point, const char *bytes, size_t n)
{
	if (point == '"' || point == '\\')
		pe_text_addf(out, "\\%c", (char)point);
	else if (point == '\n')
		pe_text_add(out, "\\n");
	else if (pe_utf8_is_control(point) || point == '<' || point == '>' || point == '&')
		pe_text_addf(out, "\\u%04x", (unsigned)point);
	else if (point == 0xfffd)
		pe_text_add(out, "\xef\xbf\xbd");
	else
		pe_text_addn(out, bytes, n);
}

void pe_json_quote(struct pe_text *out, const char *string)
{
	if (string == NULL) {
		pe_text_add(out, "null");
		return;
	}
	pe_text_addc(out, '"');
	while (*string != '\0') {
		size_t n = 0;
		uint32_t point;

		while (is_plain((unsigned char)string[n]))
			n++;
		pe_text_addn(out, string, n);
		string += n;
		if (*string == '\0')
			break;
		n = pe_utf8_next(&point, string);
		add_escaped(out, point, string, n);
		string += n;
	}
	pe_text_addc(out, '"');
}

/* What stands before a value. */
static void begin_value(struct pe_json *json, const char *key)
{
	const uint64_t container = json->depth > 0 ? UINT64_C(1) << (json->depth - 1) : 0;

	assert((key != NULL) == ((json->objects & container) != 0));
	assert(json->depth > 0 || !json->begun); /* a document is one value */
	if (json->begun)
		pe_text_addc(json->out, ',');
	if ((json->rows & container) != 0)
		pe_text_addc(json->out, '\n');
	json->begun = true;
	if (key == NULL)
		return;
	pe_text_addc(json->out, '"');
	pe_text_add(json->out, key);
	pe_text_addn(json->out, "\":", 2);
}

static void begin_container(struct pe_json *json, const char *key, bool object, bool rows)
{
	uint64_t container = UINT64_C(1) << json->depth;

	begin_value(json, key);
	assert(json->depth < MOST_DEPTH);
	pe_text_addc(json->out, object ? '{' : '[');
	json->objects = object ? json->objects | container : json->objects & ~container;
	json->rows = rows ? json->rows | container : json->rows & ~container;
	json->depth++;
	json->begun = false;
}

void pe_json_begin_object(struct pe_json *json, const char *key)
{
	begin_container(json, key, true, false);
}

void pe_json_begin_array(struct pe_json *json, const char *key)
{
	begin_container(json, key, false, false);
}

void pe_json_begin_rows(struct pe_json *json, const char *key)
{
	begin_container(json, key, false, true);
}

/* In parentheses: scripts/analyze.py has a macro of it. */
bool(pe_json_begin_maybe)(struct pe_json *json, const char *key, bool there)
{
	if (there)
		pe_json_begin_object(json, key);
	else
		pe_json_null(json, key);
	return there;
}

void pe_json_end(struct pe_json *json)
{
	assert(json->depth > 0);
	json->depth--;
	json->begun = true;
	pe_text_addc(json->out, (json->objects >> json->depth & 1) != 0 ? '}' : ']');
}

void pe_json_finish(struct pe_json *json)
{
	while (json->depth > 0)
		pe_json_end(json);
	pe_text_addc(json->out, '\n');
}

void pe_json_text(struct pe_json *json, const char *key, const char *value)
{
	begin_value(json, key);
	pe_json_quote(json->out, value);
}

void pe_json_take(struct pe_json *json, const char *key, struct pe_text *value)
{
	pe_json_text(json, key, pe_text_str(value));
	pe_text_release(value);
}

void pe_json_uint(struct pe_json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	pe_text_add_number(json->out, value);
}

void pe_json_int(struct pe_json *json, const char *key, int64_t value)
{
	begin_value(json, key);
	if (value < 0)
		pe_text_addc(json->out, '-');
	pe_text_add_number(json->out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void pe_json_real(struct pe_json *json, const char *key, double value)
{
	begin_value(json, key);
	if (isfinite(value))
		pe_number_exact(json->out, value);
	else
		pe_text_add(json->out, "null");
}

void pe_json_rounded(struct pe_json *json, const char *key, double value, int digits)
{
	begin_value(json, key);
	if (isfinite(value))
		pe_number_rounded(json->out, value, digits);
	else
		pe_text_add(json->out, "null");
}

void pe_json_computed(struct pe_json *json, const char *key, double value)
{
	pe_json_rounded(json, key, value, COMPUTED_DIGITS);
}

void pe_json_index(struct pe_json *json, const char *key, uint64_t value, uint64_t none)
{
	if (value == none)
		pe_json_null(json, key);
	else
		pe_json_uint(json, key, value);
}

void pe_json_raw(struct pe_json *json, const char *key, const char *document)
{
	begin_value(json, key);
	pe_text_add(json->out, document);
}

void pe_json_bool(struct pe_json *json, const char *key, bool value)
{
	pe_json_raw(json, key, value ? "true" : "false");
}

void pe_json_null(struct pe_json *json, const char *key)
{
	pe_json_raw(json, key, "null");
}

void pe_json_time(struct pe_json *json, const char *key, int64_t time_s)
{
	time_t time = (time_t)time_s;
	char text[64];
	struct tm tm;

	if (gmtime_r(&time, &tm) == NULL) {
		pe_json_null(json, key);
		return;
	}
	snprintf(text, sizeof(text), "%04ld-%02d-%02dT%02d:%02d:%02dZ", 1900L + tm.tm_year,
		 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	pe_json_text(json, key, text);
}

void pe_json_pair(struct pe_json *json, const char *key, uint64_t first, uint64_t second)
{
	pe_json_begin_array(json, key);
	pe_json_uint(json, NULL, first);
	pe_json_uint(json, NULL, second);
	pe_json_end(json);
}

void pe_json_texts(struct pe_json *json, const char *key, const char *const *at, size_t n)
{
	pe_json_each(json, key, i, n, pe_json_text(json, NULL, at[i]));
}
