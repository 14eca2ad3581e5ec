/* The stream: tokens whatever the chunks, depth, ends that may be missing, and where mistakes are. */
#include "core/json/stream.h"

#include "core/base/text.h"
#include "core/json/fields.h"
#include "tests/support/test.h"

TestSuite(stream, .timeout = 600);

/* A document in chunks of a size. */
struct chunks {
	const char *bytes;
	size_t n, size;
};

static int supply(const char **bytes, size_t *n, void *payload, struct pe_err *err)
{
	struct chunks *chunks = payload;

	(void)err;
	*n = chunks->n < chunks->size ? chunks->n : chunks->size;
	*bytes = chunks->bytes;
	chunks->bytes += *n;
	chunks->n -= *n;
	return PE_OK;
}

/* All tokens as text, or the message that ends them. */
static void draw(struct pe_text *out, const char *document, size_t n, size_t size, unsigned flags)
{
	static const char letters[] = ".nft#\"k{}[]";
	struct chunks chunks = {document, n, size};
	struct pe_json_stream *stream = pe_json_stream_new("x", flags, supply, &chunks);
	struct pe_err err = PE_ERR_INIT;
	struct pe_json_token token;

	pe_text_clear(out);
	for (;;) {
		if (pe_json_next(stream, &token, &err) != PE_OK) {
			pe_text_add(out, err.message);
			break;
		}
		pe_text_addc(out, letters[token.kind]);
		pe_text_addn(out, token.text, token.n);
		if (token.kind == PE_JSON_END)
			break;
	}
	pe_json_stream_free(stream);
}

static void expect(const char *document, unsigned flags, const char *tokens)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t size = 1; size <= strlen(document) + 1; size++) {
		draw(&text, document, strlen(document), size, flags);
		cr_expect(eq(str, (char *)pe_text_str(&text), (char *)tokens), "chunks of %zu",
			  size);
	}
}

Test(stream, tokens_are_the_same_whatever_the_chunks)
{
	expect("{\"a\\u00e9b\": [1, -2.5e3, \"x\\ny\", true], \"k\": {\"n\": null, \"\": false}}",
	       0,
	       "{ka\xc3\xa9"
	       "b[#1#-2.5e3\"x\nyt]kk{knnkf}}.");
	expect("  12  ", 0, "#12.");
	expect("[12]", 0, "[#12].");
	expect("-12.5", 0, "#-12.5.");
	expect("\"\xff\xfe\"", 0, "\"\xff\xfe.");
}

Test(stream, an_outermost_array_may_lack_its_end_where_that_is_asked_for)
{
	expect("[{},\n{}", PE_JSON_OPEN_END, "[{}{}].");
	expect("[{},\n{},\n", PE_JSON_OPEN_END, "[{}{}].");
	expect("[", PE_JSON_OPEN_END, "[].");
	expect("[{}]", PE_JSON_OPEN_END, "[{}].");
	expect("[{},{", PE_JSON_OPEN_END,
	       "[{}{x: offset 5: the file ends early; expected the rest of an object");
	expect("[{},\"a,", PE_JSON_OPEN_END,
	       "[{}x: offset 7: the file ends early; expected the rest of an array");
	expect("[{}", 0, "[{}x: offset 3: the file ends early; expected the rest of an array");
}

static void expect_mistake(const char *document, const char *tokens)
{
	pe_auto_text text = PE_TEXT_INIT;

	draw(&text, document, strlen(document), 1000, 0);
	cr_expect(eq(str, (char *)pe_text_str(&text), (char *)tokens));
}

Test(stream, what_stands_before_a_mistake_comes_before_its_message)
{
	expect_mistake("[1,2 3]", "[#1#2x: offset 5: '3'; expected ',' or ']'");
	expect_mistake("{\"a\":1 \"b\"}", "{ka#1x: offset 7: '\"'; expected ',' or '}'");
	expect_mistake("{1:2}", "{x: offset 1: '1'; expected a key in quotes");
	expect_mistake("[1] 2", "[#1]x: offset 4: '2'; expected the end of the file");
	expect_mistake("[1] {}", "[#1]x: offset 4: '{'; expected the end of the file");
	expect_mistake("[tru", "[x: offset 4: the file ends early; expected the rest of an array");
	expect_mistake("[tru]", "[x: offset 1: 'tru'; expected a value");
	expect_mistake("", "x: offset 0: the file ends early; expected a value");
}

/* RFC 8259; https://github.com/nst/JSONTestSuite has these among its cases. */
Test(stream, the_grammar_is_held)
{
	static const char *const good[][2] = {
		{"[0,-0,1e9,1E+2,-0.5e-3]", "[#0#-0#1e9#1E+2#-0.5e-3]."},
		{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "\"\"\\/\b\f\n\r\tA."},
		{"\"\\u00E9\\u20ac\\uD83d\\uDe00\"", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80."},
		{"\"\\ud83dx\\ude00\\ud83d\\ud83d\"",
		 "\"\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd."},
		{"\t{\r\n}\n", "{}."},
	};
	static const char *const bad[][2] = {
		{"[01]", "[x: offset 1: '01'; expected a value"},
		{"[1.]", "[x: offset 1: '1.'; expected a value"},
		{"[.5]", "[x: offset 1: '.5'; expected a value"},
		{"[1e]", "[x: offset 1: '1e'; expected a value"},
		{"[--1]", "[x: offset 1: '--1'; expected a value"},
		{"[NaN]", "[x: offset 1: 'NaN'; expected a value"},
		{"[1,]", "[#1x: offset 3: ']'; expected a value"},
		{"{\"a\":1,}", "{ka#1x: offset 7: '}'; expected a key in quotes"},
		{"{\"a\" 1}", "{kax: offset 5: '1'; expected ':' after a key"},
		{"[1}", "[#1x: offset 2: '}'; expected ',' or ']'"},
		{"[\"a\tb\"]", "[x: offset 3: '?'; expected no control character in a string"},
		{"\"\\x\"", "x: offset 2: 'x'; expected an escape"},
		{"\"\\u12g4\"", "x: offset 5: 'g'; expected four hexadecimal digits after \\u"},
		{"[12", "[x: offset 3: the file ends early; expected the rest of an array"},
		{"]", "x: offset 0: ']'; expected a value"},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		expect(good[i][0], 0, good[i][1]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect(bad[i][0], 0, bad[i][1]);
}

Test(stream, what_libraries_write_is_read_where_that_is_asked_for)
{
	expect("[NaN,-inf,+Infinity,null]", PE_JSON_LOOSE, "[\"NaN\"-inf\"+Infinityn].");
	expect("[\"a\tb\"]", PE_JSON_LOOSE, "[\"a\tb].");
	expect("[nano]", PE_JSON_LOOSE, "[x: offset 1: 'nano'; expected a value");
	expect("[\"a\nb\"]", PE_JSON_LOOSE,
	       "[x: offset 3: '?'; expected no control character in a string");
}

Test(stream, hundreds_of_thousands_of_open_arrays_are_no_trouble)
{
	enum { DEPTH = 200000 };
	char *document = malloc(2 * DEPTH);
	pe_auto_text text = PE_TEXT_INIT;

	memset(document, '[', DEPTH);
	memset(document + DEPTH, ']', DEPTH);
	draw(&text, document, 2 * DEPTH, 70000, 0);
	cr_expect(eq(sz, text.len, 2 * DEPTH + 1));
	draw(&text, document, 2 * DEPTH - 1, 70000, 0);
	cr_expect_has(text.data, "x: offset 399999: the file ends early");
	free(document);
}

Test(stream, a_string_longer_than_any_chunk_is_whole)
{
	enum { LENGTH = 300000 };
	char *document = malloc(LENGTH);
	pe_auto_text text = PE_TEXT_INIT;

	memset(document, 'a', LENGTH);
	document[0] = document[LENGTH - 1] = '"';
	draw(&text, document, LENGTH, 5000, 0);
	cr_expect(eq(sz, text.len, 1 + LENGTH - 2 + 1));
	free(document);
}

/* With pieces of one size a string took time by the square of its length: minutes, for this one. */
Test(stream, a_long_string_takes_time_in_proportion)
{
	enum { LENGTH = 48 << 20 };
	char *document = malloc(LENGTH);
	struct chunks chunks = {document, LENGTH, 20000};
	struct pe_json_stream *stream = pe_json_stream_new("x", 0, supply, &chunks);
	struct pe_json_token token;
	struct pe_err err = PE_ERR_INIT;

	memset(document, 'a', LENGTH);
	memcpy(document, "[\"", 2);
	memcpy(document + LENGTH - 7, "\",1,2]", 7);
	cr_assert(eq(int, pe_json_next(stream, &token, &err), PE_OK));
	cr_assert(eq(int, pe_json_next(stream, &token, &err), PE_OK));
	cr_expect(eq(int, token.kind, PE_JSON_STRING));
	cr_expect(eq(sz, token.n, LENGTH - 9));
	for (int i = 0; i < 3; i++)
		cr_assert(eq(int, pe_json_next(stream, &token, &err), PE_OK), "%s", err.message);
	cr_expect(eq(int, token.kind, PE_JSON_ARRAY_END));
	pe_json_stream_free(stream);
	free(document);
}

struct found {
	int64_t a, sum;
};

static int add_one(struct pe_json_cursor *json, void *self)
{
	int64_t value;

	if (!pe_json_integer(&json->token, &value))
		return pe_json_expected(json, "a whole number");
	*(int64_t *)self += value;
	return PE_OK;
}

static int read_found(struct pe_json_cursor *json, void *self)
{
	static const struct pe_json_field fields[] = {
		{"a", pe_json_read_integer, offsetof(struct found, a), false},
		{"list", add_one, offsetof(struct found, sum), true}};

	return pe_json_fields(json, fields, 2, self);
}

static int find(struct found *found, const char *document, struct pe_err *err)
{
	struct chunks chunks = {document, strlen(document), 3};
	struct pe_json_stream *stream = pe_json_stream_new("x", 0, supply, &chunks);
	int rc = pe_json_document(stream, read_found, found, err);

	pe_json_stream_free(stream);
	return rc;
}

Test(stream, fields_are_found_and_all_others_passed_over)
{
	struct pe_err err = PE_ERR_INIT;
	struct found found = {0};

	cr_assert_ok(
		find(&found,
		     "{\"x\":{\"a\":[1,{\"list\":2}]},\"list\":[1,2,3e1],\"a\":-9223372036854775"
		     ",\"y\":[[]]}",
		     &err),
		err.message);
	cr_expect(eq(i64, found.a, INT64_C(-9223372036854775)));
	cr_expect(eq(i64, found.sum, 33));
	cr_expect(find(&found, "{\"list\":[1,2.5]}", &err) == PE_EINVALID);
	cr_expect(eq(str, err.message,
		     (char *)"x: offset 11: the number 2.5; expected a whole number"));
	cr_expect(find(&found, "[]", &err) == PE_EINVALID);
	cr_expect(eq(str, err.message, (char *)"x: offset 0: an array; expected an object"));
}
