/*
 * A pull tokenizer. A token that stands whole in a chunk is not copied; one with escapes, or one that crosses two chunks, is
 * gathered in `text`. Nothing is read ahead: behind a document's last token the supply may hold other things.
 */
#include "core/json/stream.h"

#include "core/base/vec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What the grammar allows next. */
enum expected {
	VALUE,
	ELEMENT_OR_END, /* the first one */
	KEY_OR_END,
	KEY,
	COLON,
	AFTER_VALUE, /* ',' or the container's end; outside of all containers the end of the document */
};

struct pe_json_stream {
	const char *name;
	unsigned flags;
	pe_json_supply_fn supply;
	void *payload;
	const char *chunk, *at, *end;
	uint64_t chunk_offset; /* in the document */
	enum expected expected;
	PE_VEC(bool) open; /* containers; true: an object */
	struct pe_text text;
	uint32_t high; /* surrogate: the first half of an escaped character; 0: none */
	bool was_open;
	int rc;
	uint64_t failed_at;
	struct pe_err failure;
};

struct pe_json_stream *pe_json_stream_new(const char *name, unsigned flags,
					  pe_json_supply_fn supply, void *payload)
{
	struct pe_json_stream *stream = pe_realloc(NULL, 1, sizeof(*stream));

	*stream = (struct pe_json_stream){
		.name = name, .flags = flags, .supply = supply, .payload = payload};
	return stream;
}

struct pe_json_stream *pe_json_stream_of(const char *name, unsigned flags, const char *bytes,
					 size_t n)
{
	struct pe_json_stream *stream = pe_json_stream_new(name, flags, NULL, NULL);

	stream->chunk = stream->at = bytes;
	stream->end = bytes + n;
	return stream;
}

void pe_json_stream_free(struct pe_json_stream *stream)
{
	if (stream == NULL)
		return;
	pe_vec_release(&stream->open);
	pe_text_release(&stream->text);
	free(stream);
}

static uint64_t offset_of(const struct pe_json_stream *stream)
{
	return stream->chunk_offset + (uint64_t)(stream->at - stream->chunk);
}

/* ---- Failures ---- */

/* Bytes of a foreign file may not disturb a terminal. */
static int refuse_at(const struct pe_json_stream *stream, uint64_t offset, const char *expected,
		     struct pe_err *err, const char *format, ...) PE_PRINTF(5, 6);

static int refuse_at(const struct pe_json_stream *stream, uint64_t offset, const char *expected,
		     struct pe_err *err, const char *format, ...)
{
	char found[256];
	va_list args;

	va_start(args, format);
	vsnprintf(found, sizeof(found), format, args);
	va_end(args);
	for (unsigned char *at = (unsigned char *)found; *at != '\0'; at++)
		if (*at < 0x20 || *at >= 0x7f)
			*at = '?';
	return pe_fail(err, PE_EINVALID, "%s: offset %" PRIu64 ": %s; expected %s", stream->name,
		       offset, found, expected);
}

/* The document is malformed here; every later call fails in the same way. */
static int fail(struct pe_json_stream *stream, uint64_t offset, const char *found, size_t n,
		const char *expected)
{
	stream->failed_at = offset;
	stream->rc = refuse_at(stream, offset, expected, &stream->failure, "'%.*s%s'",
			       n < 40 ? (int)n : 40, found, n < 40 ? "" : "...");
	return stream->rc;
}

static int fail_here(struct pe_json_stream *stream, const char *expected)
{
	return fail(stream, offset_of(stream), stream->at, 1, expected);
}

static bool in_object(const struct pe_json_stream *stream)
{
	return stream->open.n > 0 && stream->open.data[stream->open.n - 1];
}

static int fail_early(struct pe_json_stream *stream)
{
	stream->failed_at = offset_of(stream);
	stream->rc = refuse_at(stream, stream->failed_at,
			       stream->open.n == 0 ? "a value"
			       : in_object(stream) ? "the rest of an object"
						   : "the rest of an array",
			       &stream->failure, "the file ends early");
	return stream->rc;
}

/* ---- Bytes ---- */

/* Have a byte at hand, or at == end at the end of the document. Earlier bytes are gone. */
static int fill(struct pe_json_stream *stream, struct pe_err *err)
{
	size_t n = 0;
	int rc;

	if (stream->at < stream->end || stream->supply == NULL)
		return PE_OK;
	stream->chunk_offset = offset_of(stream);
	rc = stream->supply(&stream->chunk, &n, stream->payload, err);
	if (rc != PE_OK)
		n = 0;
	stream->at = stream->chunk;
	stream->end = n > 0 ? stream->chunk + n : stream->chunk;
	return rc;
}

/* The next byte, which is there or the file ends early. */
static int need(struct pe_json_stream *stream, struct pe_err *err)
{
	int rc = fill(stream, err);

	return rc == PE_OK && stream->at == stream->end ? fail_early(stream) : rc;
}

static int skip_blanks(struct pe_json_stream *stream, struct pe_err *err)
{
	int rc;

	do {
		rc = fill(stream, err);
		while (stream->at < stream->end && (*stream->at == ' ' || *stream->at == '\n' ||
						    *stream->at == '\t' || *stream->at == '\r'))
			stream->at++;
	} while (rc == PE_OK && stream->at == stream->end && stream->end != stream->chunk &&
		 stream->supply != NULL);
	return rc;
}

/* ---- Strings ---- */

/* As UTF-8; half of a pair becomes U+FFFD. */
static void add_point(struct pe_text *text, uint32_t point)
{
	if (point >= 0xd800 && point < 0xe000)
		point = 0xfffd;
	if (point < 0x80) {
		pe_text_addc(text, (char)point);
		return;
	}
	if (point < 0x800) {
		pe_text_addc(text, (char)(0xc0 | point >> 6));
	} else {
		if (point < 0x10000) {
			pe_text_addc(text, (char)(0xe0 | point >> 12));
		} else {
			pe_text_addc(text, (char)(0xf0 | point >> 18));
			pe_text_addc(text, (char)(0x80 | (point >> 12 & 0x3f)));
		}
		pe_text_addc(text, (char)(0x80 | (point >> 6 & 0x3f)));
	}
	pe_text_addc(text, (char)(0x80 | (point & 0x3f)));
}

/* A high surrogate without a low one after it becomes a character of its own. */
static void end_pair(struct pe_json_stream *stream)
{
	if (stream->high != 0)
		add_point(&stream->text, stream->high);
	stream->high = 0;
}

static int read_hex(uint32_t *point, struct pe_json_stream *stream, struct pe_err *err)
{
	static const char digits[] = "0123456789abcdef";

	*point = 0;
	for (int i = 0; i < 4; i++) {
		const char *digit;

		PE_TRY(need(stream, err));
		digit = memchr(digits, *stream->at >= 'A' ? *stream->at | 0x20 : *stream->at, 16);
		if (digit == NULL)
			return fail_here(stream, "four hexadecimal digits after \\u");
		*point = *point << 4 | (uint32_t)(digit - digits);
		stream->at++;
	}
	return PE_OK;
}

/* Behind a backslash. */
static int read_escape(struct pe_json_stream *stream, struct pe_err *err)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name;
	uint32_t point;

	PE_TRY(need(stream, err));
	name = memchr(names, *stream->at, sizeof(names) - 1);
	if (name == NULL && *stream->at != 'u')
		return fail_here(stream, "an escape");
	stream->at++;
	if (name != NULL) {
		end_pair(stream);
		pe_text_addc(&stream->text, values[name - names]);
		return PE_OK;
	}
	PE_TRY(read_hex(&point, stream, err));
	if (stream->high != 0 && point >= 0xdc00 && point < 0xe000) {
		point = 0x10000 + ((stream->high - 0xd800) << 10) + (point - 0xdc00);
		stream->high = 0;
	}
	end_pair(stream);
	if (point >= 0xd800 && point < 0xdc00)
		stream->high = point;
	else
		add_point(&stream->text, point);
	return PE_OK;
}

/* Whether a byte stands for itself in a string. */
static bool is_plain(const struct pe_json_stream *stream, unsigned char c)
{
	return (c >= 0x20 && c != '"' && c != '\\') ||
	       (c < 0x20 && (stream->flags & PE_JSON_LOOSE) != 0 && c != '\n' && c != '\r');
}

/* A string; at its quote. */
static int read_string(struct pe_json_token *token, struct pe_json_stream *stream,
		       struct pe_err *err)
{
	bool gathered = false;

	stream->at++;
	pe_text_clear(&stream->text);
	for (;;) {
		const char *begin = stream->at, *at = begin;

		while (at < stream->end && is_plain(stream, (unsigned char)*at))
			at++;
		if (at > begin)
			end_pair(stream);
		token->text = begin;
		token->n = (size_t)(at - begin);
		stream->at = at;
		if (!gathered && at < stream->end && *at == '"')
			break;
		pe_text_addn(&stream->text, begin, token->n);
		gathered = true;
		PE_TRY(need(stream, err));
		if (*stream->at == '"') {
			end_pair(stream);
			token->text = pe_text_str(&stream->text);
			token->n = stream->text.len;
			break;
		}
		if (*stream->at == '\\') {
			stream->at++;
			PE_TRY(read_escape(stream, err));
		} else if (!is_plain(stream, (unsigned char)*stream->at)) {
			return fail_here(stream, "no control character in a string");
		}
	}
	stream->at++;
	return PE_OK;
}

/* ---- Words: numbers, true, false, null ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool in_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
	       c == '-' || c == '+';
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

static bool is_number(const char *at, size_t n)
{
	const char *end = at + n, *begin;

	at += n > 0 && *at == '-';
	begin = at;
	at = skip_digits(at, end);
	if (at == begin || (*begin == '0' && at > begin + 1))
		return false;
	if (at < end && *at == '.') {
		begin = ++at;
		at = skip_digits(at, end);
		if (at == begin)
			return false;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		at += at < end && (*at == '+' || *at == '-');
		begin = at;
		at = skip_digits(at, end);
		if (at == begin)
			return false;
	}
	return at == end;
}

/* Whether a word means a value that no number is: [+-]nan, [+-]inf, [+-]infinity. */
static bool is_no_number(const char *at, size_t n)
{
	static const char *const words[] = {"nan", "inf", "infinity"};
	size_t sign = n > 0 && (*at == '-' || *at == '+');

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (n - sign == strlen(words[i]) && strncasecmp(at + sign, words[i], n - sign) == 0)
			return true;
	return false;
}

/* Whether a token is the word; then it is of this kind. */
static bool token_becomes(struct pe_json_token *token, const char *word, enum pe_json_kind kind)
{
	bool is = token->n == strlen(word) && memcmp(token->text, word, token->n) == 0;

	if (is)
		token->kind = kind;
	return is;
}

static int read_word(struct pe_json_token *token, struct pe_json_stream *stream, struct pe_err *err)
{
	bool gathered = false;

	pe_text_clear(&stream->text);
	for (;;) {
		const char *at = stream->at;

		while (at < stream->end && in_word(*at))
			at++;
		token->text = stream->at;
		token->n = (size_t)(at - stream->at);
		stream->at = at;
		if (!gathered && at < stream->end)
			break;
		pe_text_addn(&stream->text, token->text, token->n);
		gathered = true;
		PE_TRY(fill(stream, err));
		if (stream->at == stream->end && stream->open.n > 0)
			return fail_early(stream); /* which may have cut the word */
		if (stream->at == stream->end || !in_word(*stream->at)) {
			token->text = pe_text_str(&stream->text);
			token->n = stream->text.len;
			break;
		}
	}
	if (is_number(token->text, token->n))
		token->kind = PE_JSON_NUMBER;
	else if (token_becomes(token, "true", PE_JSON_TRUE) ||
		 token_becomes(token, "false", PE_JSON_FALSE) ||
		 token_becomes(token, "null", PE_JSON_NULL))
		token->n = 0;
	else if ((stream->flags & PE_JSON_LOOSE) != 0 && is_no_number(token->text, token->n))
		token->kind = PE_JSON_STRING;
	else
		return fail(stream, token->offset, token->text, token->n, "a value");
	return PE_OK;
}

/* ---- Tokens ---- */

static void open_container(struct pe_json_token *token, struct pe_json_stream *stream, bool object)
{
	pe_vec_push(&stream->open, object);
	stream->at++;
	token->kind = object ? PE_JSON_OBJECT : PE_JSON_ARRAY;
	stream->expected = object ? KEY_OR_END : ELEMENT_OR_END;
}

static int close_container(struct pe_json_token *token, struct pe_json_stream *stream)
{
	token->kind = stream->open.data[--stream->open.n] ? PE_JSON_OBJECT_END : PE_JSON_ARRAY_END;
	stream->expected = AFTER_VALUE;
	return PE_OK;
}

static int read_value(struct pe_json_token *token, struct pe_json_stream *stream,
		      struct pe_err *err)
{
	int rc = PE_OK;

	if (*stream->at == '{' || *stream->at == '[') {
		open_container(token, stream, *stream->at == '{');
		return PE_OK;
	}
	if (*stream->at == '"') {
		token->kind = PE_JSON_STRING;
		rc = read_string(token, stream, err);
	} else if (in_word(*stream->at)) {
		rc = read_word(token, stream, err);
	} else {
		rc = fail_here(stream, "a value");
	}
	stream->expected = AFTER_VALUE;
	return rc;
}

/* At the end of what is supplied. */
static int read_end(struct pe_json_token *token, struct pe_json_stream *stream)
{
	if (stream->open.n == 0 && stream->expected == AFTER_VALUE) {
		token->kind = PE_JSON_END;
		return PE_OK;
	}
	if ((stream->flags & PE_JSON_OPEN_END) == 0 || stream->open.n != 1 || in_object(stream))
		return fail_early(stream);
	stream->was_open = true;
	return close_container(token, stream);
}

/* Whether a ':' or ',' stood here, which is passed over. */
static bool pass_separator(struct pe_json_stream *stream)
{
	if (stream->expected == COLON && *stream->at == ':')
		stream->expected = VALUE;
	else if (stream->expected == AFTER_VALUE && stream->open.n > 0 && *stream->at == ',')
		stream->expected = in_object(stream) ? KEY : VALUE;
	else
		return false;
	stream->at++;
	return true;
}

static int read_token(struct pe_json_token *token, struct pe_json_stream *stream,
		      struct pe_err *err)
{
	bool may_close = stream->expected == AFTER_VALUE || stream->expected == KEY_OR_END ||
			 stream->expected == ELEMENT_OR_END;

	if (may_close && stream->open.n > 0 && *stream->at == (in_object(stream) ? '}' : ']')) {
		stream->at++;
		return close_container(token, stream);
	}
	switch (stream->expected) {
	case COLON:
		return fail_here(stream, "':' after a key");
	case AFTER_VALUE:
		return fail_here(stream, stream->open.n == 0 ? "the end of the file"
					 : in_object(stream) ? "',' or '}'"
							     : "',' or ']'");
	case KEY:
	case KEY_OR_END:
		if (*stream->at != '"')
			return fail_here(stream, "a key in quotes");
		token->kind = PE_JSON_KEY;
		stream->expected = COLON;
		return read_string(token, stream, err);
	default:
		return read_value(token, stream, err);
	}
}

int pe_json_next(struct pe_json_stream *stream, struct pe_json_token *token, struct pe_err *err)
{
	int rc;

	if (stream->rc != PE_OK)
		return pe_fail(err, stream->rc, "%s", stream->failure.message);
	do {
		PE_TRY(skip_blanks(stream, err));
	} while (stream->at < stream->end && pass_separator(stream));
	*token = (struct pe_json_token){.text = "", .offset = offset_of(stream)};
	rc = stream->at == stream->end ? read_end(token, stream) : read_token(token, stream, err);
	return stream->rc != PE_OK ? pe_fail(err, stream->rc, "%s", stream->failure.message) : rc;
}

uint64_t pe_json_failed_at(const struct pe_json_stream *stream)
{
	return stream->failed_at;
}

int pe_json_skip(struct pe_json_stream *stream, const struct pe_json_token *token,
		 struct pe_err *err)
{
	struct pe_json_token within;
	size_t depth = stream->open.n;
	int rc = PE_OK;

	if (token->kind == PE_JSON_OBJECT || token->kind == PE_JSON_ARRAY)
		do
			rc = pe_json_next(stream, &within, err);
		while (rc == PE_OK && stream->open.n >= depth);
	return rc;
}

bool pe_json_was_open(const struct pe_json_stream *stream)
{
	return stream->was_open;
}

int pe_json_refuse(struct pe_json_stream *stream, const struct pe_json_token *token,
		   const char *expected, struct pe_err *err)
{
	static const char *const kinds[] = {
		[PE_JSON_END] = "the end of the file",
		[PE_JSON_NULL] = "null",
		[PE_JSON_FALSE] = "false",
		[PE_JSON_TRUE] = "true",
		[PE_JSON_NUMBER] = "the number ",
		[PE_JSON_STRING] = "the string ",
		[PE_JSON_KEY] = "the key ",
		[PE_JSON_OBJECT] = "an object",
		[PE_JSON_OBJECT_END] = "the end of an object",
		[PE_JSON_ARRAY] = "an array",
		[PE_JSON_ARRAY_END] = "the end of an array",
	};
	const char *quote = token->kind == PE_JSON_STRING || token->kind == PE_JSON_KEY ? "'" : "";

	stream->failed_at = token->offset;
	return refuse_at(stream, token->offset, expected, err, "%s%s%.*s%s", kinds[token->kind],
			 quote, token->n < 60 ? (int)token->n : 60, token->text, quote);
}
