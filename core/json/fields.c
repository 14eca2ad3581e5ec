#include "core/json/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 512 };

static int read_member(struct pe_json_cursor *json, const struct pe_json_field *field, void *self)
{
	void *part = (char *)self + field->at;

	return field->each ? pe_json_elements(json, field->read, part) : field->read(json, part);
}

int pe_json_fields(struct pe_json_cursor *json, const struct pe_json_field *fields, size_t n,
		   void *self)
{
	if (json->token.kind != PE_JSON_OBJECT)
		return pe_json_expected(json, "an object");
	for (;;) {
		size_t i = 0;

		PE_TRY(pe_json_next(json->stream, &json->token, json->err));
		if (json->token.kind == PE_JSON_OBJECT_END)
			return PE_OK;
		while (i < n && !pe_json_is(&json->token, fields[i].key))
			i++;
		PE_TRY(pe_json_next(json->stream, &json->token, json->err));
		PE_TRY(i < n ? read_member(json, &fields[i], self) : pe_json_pass(json));
	}
}

int pe_json_elements(struct pe_json_cursor *json, pe_json_value_fn read, void *self)
{
	if (json->token.kind != PE_JSON_ARRAY)
		return pe_json_expected(json, "an array");
	for (;;) {
		PE_TRY(pe_json_next(json->stream, &json->token, json->err));
		if (json->token.kind == PE_JSON_ARRAY_END)
			return PE_OK;
		PE_TRY(read(json, self));
	}
}

int pe_json_document(struct pe_json_stream *stream, pe_json_value_fn read, void *self,
		     struct pe_err *err)
{
	struct pe_json_cursor json = {.stream = stream, .err = err};

	PE_TRY(pe_json_next(stream, &json.token, err));
	PE_TRY(read(&json, self));
	PE_TRY(pe_json_next(stream, &json.token, err));
	return json.token.kind == PE_JSON_END ? PE_OK
					      : pe_json_expected(&json, "the end of the file");
}

int pe_json_pass(struct pe_json_cursor *json)
{
	return pe_json_skip(json->stream, &json->token, json->err);
}

int pe_json_expected(const struct pe_json_cursor *json, const char *expected)
{
	return pe_json_refuse(json->stream, &json->token, expected, json->err);
}

int pe_json_read_integer(struct pe_json_cursor *json, void *out)
{
	return pe_json_integer(&json->token, out) ? PE_OK
						  : pe_json_expected(json, "a whole number");
}

bool pe_json_is(const struct pe_json_token *token, const char *text)
{
	/* Most keys that are searched for differ in their first byte. */
	if (token->n == 0 || *token->text != *text)
		return token->n == 0 && *text == '\0';
	return token->n == strlen(text) && memcmp(token->text, text, token->n) == 0;
}

bool pe_json_double(const struct pe_json_token *token, double *out)
{
	char digits[LONGEST_NUMBER];

	if (token->kind != PE_JSON_NUMBER || token->n >= sizeof(digits))
		return false;
	memcpy(digits, token->text, token->n);
	digits[token->n] = '\0';
	*out = strtod(digits, NULL);
	return isfinite(*out);
}

bool pe_json_integer(const struct pe_json_token *token, int64_t *out)
{
	const char *at = token->text, *end = at + token->n;
	bool negative = token->n > 0 && *at == '-', fits = true;
	int64_t value = 0;
	double exact;

	if (token->kind != PE_JSON_NUMBER)
		return false;
	for (at += negative; fits && at < end && *at >= '0' && *at <= '9'; at++)
		fits = !__builtin_mul_overflow(value, 10, &value) &&
		       !__builtin_sub_overflow(value, *at - '0', &value);
	fits = fits && (negative || value > INT64_MIN);
	if (at == end || !fits) {
		if (fits)
			*out = negative ? value : -value;
		return fits;
	}
	/* Beyond 2^53 a double no longer tells neighbours apart. */
	if (!pe_json_double(token, &exact) || exact != floor(exact) || fabs(exact) > 0x1p62)
		return false;
	*out = (int64_t)exact;
	return true;
}
