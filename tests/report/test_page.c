/* The page: what its blocks hold, read back as the browser does, and that nothing in it is foreign markup. */
#include "fixture.h"
#include "report/page.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <json-c/json.h>
#include <string.h>
#include <zlib.h>

static struct fixture fixture;
static struct pe_text page;

static void release(void)
{
	fixture_release(&fixture);
	pe_text_release(&page);
}

TestSuite(page, .fini = release, .timeout = 60.0);

/** The page of a fixture's evolution, titled like the reports. */
static const struct pe_evolution *make(const char *kind)
{
	fixture_release(&fixture);
	cr_assert(fixture_make(&fixture, kind));
	pe_text_clear(&page);
	fixture_page(&page, &fixture);
	return &fixture.evolution;
}

/* --- Reading a page --- */

static size_t count(const char *needle)
{
	size_t n = 0;

	for (const char *at = page.data; (at = strstr(at, needle)) != NULL; at += strlen(needle))
		n++;
	return n;
}

static unsigned digit(char c)
{
	const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	cr_assert(c != '\0' && at != NULL, "'%c' is no digit of base64", c);
	return (unsigned)(at - digits);
}

/** base64 decoded in place; returns the number of bytes. */
static size_t decode(char *text, size_t n)
{
	size_t len = 0;

	cr_assert_eq(n % 4, 0);
	for (size_t i = 0; i < n; i += 4) {
		unsigned padding = (text[i + 3] == '=') + (text[i + 2] == '=');
		unsigned group = digit(text[i]) << 18 | digit(text[i + 1]) << 12;

		cr_assert(padding == 0 || i + 4 == n);
		group |= padding < 2 ? digit(text[i + 2]) << 6 : 0;
		group |= padding < 1 ? digit(text[i + 3]) : 0;
		for (unsigned b = 0; b < 3 - padding; b++)
			text[len++] = (char)(group >> (16 - 8 * b));
	}
	return len;
}

/** What a block says, NULL when the page has none of that name. */
static struct json_object *read_block(const char *name)
{
	struct pe_text mark = PE_TEXT_INIT, packed = PE_TEXT_INIT;
	struct json_object *read;
	enum json_tokener_error error;
	const char *at;
	uLongf n = 64 << 20;
	char *plain = pe_realloc(NULL, n, 1);
	size_t len;

	pe_text_addf(&mark, "<script type=\"application/x-perfevo\" id=\"block-%s\">", name);
	at = strstr(page.data, mark.data);
	if (at == NULL) {
		pe_text_release(&mark);
		free(plain);
		return NULL;
	}
	at += mark.len;
	pe_text_addn(&packed, at, strcspn(at, "<"));
	cr_expect(strncmp(at + packed.len, "</script>", 9) == 0);
	len = decode(packed.data, packed.len);
	cr_assert_eq(uncompress((Bytef *)plain, &n, (Bytef *)packed.data, len), Z_OK);
	plain[n] = '\0';
	read = json_tokener_parse_verbose(plain, &error);
	cr_assert_eq(error, json_tokener_success, "%s: %s", name, json_tokener_error_desc(error));
	free(plain);
	pe_text_release(&mark);
	pe_text_release(&packed);
	return read;
}

static struct json_object *get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	cr_assert(json_object_object_get_ex(object, key, &value), "no member %s", key);
	return value;
}

static struct json_object *at(struct json_object *array, size_t index)
{
	return json_object_array_get_idx(array, index);
}

static const char *plain(struct json_object *value)
{
	return json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
}

/* --- The evolution --- */

Test(page, has_no_foreign_markup)
{
	size_t scripts, ends, images;

	make("quiet");
	scripts = count("<script");
	ends = count("</script>");
	images = count("<img");
	make("hostile");
	cr_expect_eq(count("<script"), scripts);
	cr_expect_eq(count("</script>"), ends);
	cr_expect_eq(count("<img"), images);
	cr_expect_eq(count("window.hacked"), 1, "outside of the title");
	cr_expect_not_null(strstr(page.data, "<title>&lt;/title&gt;&lt;script&gt;"));
}

Test(page, index_holds_the_evolution)
{
	static const char *const kinds[] = {"small", "hostile", "many", "empty"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct pe_evolution *evolution = make(kinds[i]);
		struct json_object *index = read_block("index"), *lines = get(index, "lines");

		cr_expect_eq(json_object_get_int(get(index, "format")), 2);
		cr_expect_eq(json_object_array_length(get(index, "revisions")),
			     evolution->n_revisions);
		cr_assert_eq(json_object_array_length(lines), evolution->n_lines);
		for (size_t l = 0; l < evolution->n_lines; l++)
			cr_expect_eq(json_object_array_length(get(at(lines, l), "median")),
				     evolution->lines[l].n_points);
		cr_expect_eq(json_object_array_length(get(index, "comparisons")), 0);
		cr_expect_null(get(index, "history"));
		json_object_put(index);
	}
}

/** Two numbers a carried point, and in words how many there are. */
Test(page, knows_what_is_carried_over)
{
	const struct pe_evolution *evolution = make("small");
	struct json_object *index = read_block("index");
	size_t often = 0;

	for (size_t l = 0; l < evolution->n_lines; l++)
		often += strcmp(plain(get(at(get(index, "lines"), l), "carried")),
				"[[4,3],[9,8]]") == 0;
	cr_expect_eq(often, 9);
	cr_expect_str_eq(json_object_get_string(get(index, "carried")),
			 "18 of 167 results carried over: identical builds");
	json_object_put(index);
	make("hostile");
	index = read_block("index");
	cr_expect_null(get(index, "carried"));
	json_object_put(index);
}

/** A jump says what stands behind it. */
Test(page, tells_confirmed_jumps_from_suspects)
{
	struct json_object *index, *jump;

	make("small");
	for (size_t l = 0; l < fixture.evolution.n_lines; l++) {
		struct pe_line *line = &fixture.evolution.lines[l];

		if (line->n_jumps == 0)
			continue;
		line->jumps[0].state = PE_JUMP_ACCEPTED;
		line->jumps[0].pairs = 12;
		line->jumps[0].p = 0.004;
		line->jumps[0].sure = 0.75;
		line->jumps[0].why = "wanted: \"safer\"";
		pe_text_clear(&page);
		fixture_page(&page, &fixture);
		index = read_block("index");
		jump = at(get(at(get(index, "lines"), l), "jumps"), 0);
		cr_expect_eq(json_object_array_length(jump), 14);
		cr_expect_str_eq(json_object_get_string(at(jump, 9)), "accepted");
		cr_expect_eq(json_object_get_int(at(jump, 10)), 12);
		cr_expect_eq(json_object_get_double(at(jump, 11)), 0.004);
		cr_expect_eq(json_object_get_double(at(jump, 12)), 0.75);
		cr_expect_str_eq(json_object_get_string(at(jump, 13)), "wanted: \"safer\"");
		json_object_put(index);
		return;
	}
	cr_fail("the fixture has no jump");
}

Test(page, brings_licence_and_policy)
{
	make("quiet");
	cr_expect_not_null(strstr(page.data, "Permission is hereby granted, free of charge"));
	cr_expect_not_null(strstr(page.data, "default-src 'none'; script-src 'nonce-"));
	cr_expect_eq(count(" src="), 0);
}

Test(page, same_data_give_the_same_page)
{
	struct pe_text again = PE_TEXT_INIT;

	make("small");
	fixture_page(&again, &fixture);
	cr_expect_str_eq(page.data, again.data);
	pe_text_release(&again);
}

/** What every page carries whatever there is to show: code, styles, licences. */
Test(page, fixed_part_stays_under_400_kb)
{
	make("empty");
	cr_expect_lt(page.len, 400 * 1000, "it has %zu bytes", page.len);
}
