/*
 * yajl calls back, and importers want to be asked: a piece of the document is parsed ahead into a list of
 * events, which are then handed out. A piece is short, so that its events stay in the cache. Text that stands
 * in the piece as it is is not copied; what yajl put together itself (escapes, tokens across two pieces) is.
 */
#include "core/json/stream.h"

#include "core/base/vec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { PIECE_BYTES = 16 * 1024, LONGEST_PIECE = 1 << 30 };

struct event {
	enum pe_json_kind kind : 8;
	bool is_copied; /* the text lies in copies, not in the piece */
	uint32_t end;   /* in the piece */
	size_t at, n;   /* the text */
};

struct pe_json_stream {
	const char *name;
	unsigned flags;
	pe_json_supply_fn supply;
	void *payload;
	yajl_handle yajl;
	/* what was supplied and is not parsed; the piece that was parsed last */
	const char *bytes;
	size_t n_bytes;
	const char *piece;
	size_t n_piece;
	/* yajl begins a token again with each piece that does not end it: pieces double until one does */
	size_t want;
	char *gathered; /* a piece that is longer than what is supplied at once */
	size_t gathered_capacity;
	uint64_t piece_offset;
	PE_VEC(struct event) events;
	size_t next; /* event */
	char *copies;
	size_t n_copies, copies_capacity;
	/* containers that are open behind the last token that was handed out; true: an object */
	PE_VEC(bool) open;
	/* after the events: the end, or a failure */
	bool ended, was_open, closing;
	char last_byte; /* of what was parsed, but for blanks */
	int rc;
	uint64_t failed_at;
	struct pe_err failure;
};

static int push(struct pe_json_stream *stream, enum pe_json_kind kind, const char *text, size_t n)
{
	struct event event = {
		.kind = kind,
		.end = (uint32_t)yajl_get_bytes_consumed(stream->yajl),
		.n = n,
	};
	uintptr_t at = (uintptr_t)text, piece = (uintptr_t)stream->piece;

	if (text == NULL || (at >= piece && at + n <= piece + stream->n_piece)) {
		event.at = text != NULL ? at - piece : 0;
	} else {
		while (stream->copies == NULL || stream->n_copies + n > stream->copies_capacity) {
			stream->copies_capacity = 2 * stream->copies_capacity + 1024;
			stream->copies = pe_realloc(stream->copies, stream->copies_capacity, 1);
		}
		memcpy(stream->copies + stream->n_copies, text, n);
		event.is_copied = true;
		event.at = stream->n_copies;
		stream->n_copies += n;
	}
	pe_vec_push(&stream->events, event);
	return 1;
}

static int on_null(void *self)
{
	struct pe_json_stream *stream = self;

	/* One that was put in for the element that did not come is none. */
	return stream->closing ? 1 : push(stream, PE_JSON_NULL, NULL, 0);
}

static int on_boolean(void *self, int value)
{
	return push(self, value ? PE_JSON_TRUE : PE_JSON_FALSE, NULL, 0);
}

static int on_number(void *self, const char *text, size_t n)
{
	return push(self, PE_JSON_NUMBER, text, n);
}

static int on_string(void *self, const unsigned char *text, size_t n)
{
	return push(self, PE_JSON_STRING, (const char *)text, n);
}

static int on_object(void *self)
{
	return push(self, PE_JSON_OBJECT, NULL, 0);
}

static int on_key(void *self, const unsigned char *text, size_t n)
{
	return push(self, PE_JSON_KEY, (const char *)text, n);
}

static int on_object_end(void *self)
{
	return push(self, PE_JSON_OBJECT_END, NULL, 0);
}

static int on_array(void *self)
{
	return push(self, PE_JSON_ARRAY, NULL, 0);
}

static int on_array_end(void *self)
{
	return push(self, PE_JSON_ARRAY_END, NULL, 0);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_object_end,
	.yajl_start_array = on_array,
	.yajl_end_array = on_array_end,
};

static void *yajl_get(void *context, size_t n)
{
	(void)context;
	return pe_realloc(NULL, n, 1);
}

static void *yajl_regrow(void *context, void *old, size_t n)
{
	(void)context;
	return pe_realloc(old, n, 1);
}

static void yajl_drop(void *context, void *old)
{
	(void)context;
	free(old);
}

struct pe_json_stream *pe_json_stream_new(const char *name, unsigned flags,
					  pe_json_supply_fn supply, void *payload)
{
	yajl_alloc_funcs memory = {yajl_get, yajl_regrow, yajl_drop, NULL};
	struct pe_json_stream *stream = pe_realloc(NULL, 1, sizeof(*stream));

	*stream = (struct pe_json_stream){
		.name = name,
		.flags = flags,
		.supply = supply,
		.payload = payload,
		.want = PIECE_BYTES,
	};
	stream->yajl = yajl_alloc(&callbacks, &memory, stream);
	/* Profilers cut names where their buffers end, also within a character. */
	yajl_config(stream->yajl, yajl_dont_validate_strings, 1);
	return stream;
}

void pe_json_stream_free(struct pe_json_stream *stream)
{
	if (stream == NULL)
		return;
	yajl_free(stream->yajl);
	pe_vec_release(&stream->events);
	pe_vec_release(&stream->open);
	free(stream->copies);
	free(stream->gathered);
	free(stream);
}

/* What stands in a foreign file may not disturb a terminal. */
static int fail_at(const struct pe_json_stream *stream, uint64_t offset, const char *expected,
		   struct pe_err *err, const char *format, ...) PE_PRINTF(5, 6);

static int fail_at(const struct pe_json_stream *stream, uint64_t offset, const char *expected,
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

/* In yajl's words, and in ours. */
static const struct {
	const char *said, *expected;
} mistakes[] = {
	{"invalid object key", "a key in quotes"},
	{"separated by a colon", "':' after a key"},
	{"after key and value", "',' or '}'"},
	{"after array element", "',' or ']'"},
	{"unallowed token", "a value"},
	{"trailing garbage", "the end of the file"},
};

static const char LEXICAL[] = "lexical error: ";

static void note_mistake(struct pe_json_stream *stream)
{
	unsigned char *said = yajl_get_error(stream->yajl, 0, NULL, 0);
	const char *text = (const char *)said;
	size_t consumed = yajl_get_bytes_consumed(stream->yajl);
	uint64_t offset = stream->piece_offset + consumed;
	bool lexical = strncmp(text, LEXICAL, strlen(LEXICAL)) == 0;
	size_t n = strcspn(text, "\n");

	stream->rc = PE_EINVALID;
	stream->failed_at = offset;
	if (lexical)
		fail_at(stream, offset, "JSON", &stream->failure, "%.*s",
			(int)(n - strlen(LEXICAL)), text + strlen(LEXICAL));
	for (size_t i = 0; !lexical && i < sizeof(mistakes) / sizeof(*mistakes); i++)
		if (strstr(text, mistakes[i].said) != NULL)
			fail_at(stream, offset - (offset > 0), mistakes[i].expected,
				&stream->failure, "'%c'",
				consumed > 0 ? stream->piece[consumed - 1] : stream->last_byte);
	if (stream->failure.message[0] == '\0')
		fail_at(stream, offset, "JSON", &stream->failure, "%.*s", (int)n, text);
	yajl_free_error(stream->yajl, said);
}

static void parse_piece(struct pe_json_stream *stream, const char *bytes, size_t n)
{
	stream->piece_offset += stream->n_piece;
	stream->piece = bytes;
	stream->n_piece = n;
	stream->events.n = stream->next = stream->n_copies = 0;
	if (yajl_parse(stream->yajl, (const unsigned char *)bytes, n) != yajl_status_ok)
		note_mistake(stream);
	while (n > 0 && strchr(" \t\r\n", bytes[n - 1]) != NULL && bytes[n - 1] != '\0')
		n--;
	if (n > 0)
		stream->last_byte = bytes[n - 1];
}

/*
 * What is missing of the document is appended, where it may be: all events are handed out by now, so that
 * `open` tells where the end is. Within a string the text that is appended becomes part of it, and the
 * document ends early all the same.
 */
static void close_open_end(struct pe_json_stream *stream)
{
	if ((stream->flags & PE_JSON_OPEN_END) == 0 || stream->open.n != 1 || stream->open.data[0])
		return;
	stream->closing = true;
	if (stream->last_byte == ',')
		parse_piece(stream, "null]", 5);
	else if (strchr("[]}", stream->last_byte) != NULL)
		parse_piece(stream, "]", 1);
	stream->was_open = stream->events.n > 0;
}

/* A number is only known to be one where something follows it, so that one too many may turn up at the end. */
static void note_end(struct pe_json_stream *stream, uint64_t offset, const char *rest)
{
	unsigned char *said = yajl_get_error(stream->yajl, 0, NULL, 0);
	bool is_more = strstr((const char *)said, "trailing garbage") != NULL;

	stream->failed_at = offset;
	stream->rc =
		fail_at(stream, offset, is_more ? "the end of the file" : rest, &stream->failure,
			"%s", is_more ? "more than one value" : "the file ends early");
	yajl_free_error(stream->yajl, said);
}

static void finish(struct pe_json_stream *stream)
{
	uint64_t offset = stream->piece_offset + stream->n_piece;
	const char *rest = stream->open.n == 0                     ? "a value"
			   : stream->open.data[stream->open.n - 1] ? "the rest of an object"
								   : "the rest of an array";

	stream->ended = true;
	stream->events.n = stream->next = 0;
	close_open_end(stream);
	if (stream->rc == PE_OK && !stream->was_open &&
	    yajl_complete_parse(stream->yajl) != yajl_status_ok)
		note_end(stream, offset, rest);
}

static int supply(struct pe_json_stream *stream, struct pe_err *err)
{
	if (stream->n_bytes != 0)
		return PE_OK;
	return stream->supply(&stream->bytes, &stream->n_bytes, stream->payload, err);
}

static size_t take(struct pe_json_stream *stream, size_t most)
{
	size_t n = stream->n_bytes < most ? stream->n_bytes : most;

	stream->bytes += n;
	stream->n_bytes -= n;
	return n;
}

/* A piece of `want` bytes, or of what is left, from several supplies. */
static int gather(size_t *n, struct pe_json_stream *stream, struct pe_err *err)
{
	int rc = PE_OK;

	*n = 0;
	if (stream->gathered_capacity < stream->want) {
		stream->gathered = pe_realloc(stream->gathered, stream->want, 1);
		stream->gathered_capacity = stream->want;
	}
	while (rc == PE_OK && *n < stream->want) {
		const char *from;
		size_t some;

		rc = supply(stream, err);
		if (rc != PE_OK || stream->n_bytes == 0)
			break;
		from = stream->bytes;
		some = take(stream, stream->want - *n);
		memcpy(stream->gathered + *n, from, some);
		*n += some;
	}
	return rc;
}

static int refill(struct pe_json_stream *stream, struct pe_err *err)
{
	const char *piece;
	size_t n;
	int rc = supply(stream, err);

	if (rc != PE_OK)
		return rc;
	if (stream->n_bytes == 0) {
		finish(stream);
		return PE_OK;
	}
	piece = stream->bytes;
	if (stream->want > stream->n_bytes && stream->want > PIECE_BYTES) {
		rc = gather(&n, stream, err);
		piece = stream->gathered;
	} else {
		n = take(stream, stream->want);
	}
	if (rc != PE_OK)
		return rc;
	parse_piece(stream, piece, n);
	stream->want = stream->events.n > 0           ? PIECE_BYTES
		       : stream->want < LONGEST_PIECE ? 2 * stream->want
						      : stream->want;
	return PE_OK;
}

/* How many bytes of the document a token takes, at least. */
static size_t width(const struct pe_json_token *token)
{
	switch (token->kind) {
	case PE_JSON_NULL:
	case PE_JSON_TRUE:
		return 4;
	case PE_JSON_FALSE:
		return 5;
	case PE_JSON_NUMBER:
		return token->n;
	case PE_JSON_KEY:
	case PE_JSON_STRING:
		return token->n + 2;
	default:
		return 1;
	}
}

static void hand_out(struct pe_json_stream *stream, struct pe_json_token *token)
{
	const struct event *event = &stream->events.data[stream->next++];
	uint64_t end = stream->piece_offset + event->end, n;

	*token = (struct pe_json_token){
		.kind = event->kind,
		.text = (event->is_copied ? stream->copies : stream->piece) + event->at,
		.n = event->n,
	};
	n = width(token);
	token->offset = end > n ? end - n : 0;
	if (token->kind == PE_JSON_OBJECT || token->kind == PE_JSON_ARRAY)
		pe_vec_push(&stream->open, token->kind == PE_JSON_OBJECT);
	else if (token->kind == PE_JSON_OBJECT_END || token->kind == PE_JSON_ARRAY_END)
		stream->open.n--;
}

int pe_json_next(struct pe_json_stream *stream, struct pe_json_token *token, struct pe_err *err)
{
	while (stream->next == stream->events.n) {
		int rc = PE_OK;

		if (stream->rc != PE_OK)
			return pe_fail(err, stream->rc, "%s", stream->failure.message);
		if (stream->ended) {
			*token = (struct pe_json_token){
				.kind = PE_JSON_END,
				.text = "",
				.offset = stream->piece_offset + stream->n_piece,
			};
			return PE_OK;
		}
		rc = refill(stream, err);
		if (rc != PE_OK)
			return rc;
	}
	hand_out(stream, token);
	return PE_OK;
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

int pe_json_refuse(const struct pe_json_stream *stream, const struct pe_json_token *token,
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

	return fail_at(stream, token->offset, expected, err, "%s%s%.*s%s", kinds[token->kind],
		       quote, token->n < 60 ? (int)token->n : 60, token->text, quote);
}
