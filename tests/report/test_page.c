/* The page: what its blocks hold, read back as the browser does, and that nothing in it is foreign markup. */
#include "fixture_page.h"

#include "report/assets.h"

#include "tests/support/parsed.h"
#include "tests/support/test.h"

#include <zlib.h>

static struct fixture fixture;
static struct fixture_report report;
static struct pe_text page;

TestSuiteWith(page, (void)0,
	      (fixture_release(&fixture), fixture_report_release(&report), pe_text_release(&page)),
	      .timeout = 600);

/** The page of a fixture's evolution, titled like the reports. */
static const struct pe_evolution *make(const char *kind)
{
	fixture_release(&fixture);
	cr_assert(fixture_make(&fixture, kind));
	pe_text_clear(&page);
	fixture_page(&page, &fixture);
	return &fixture.evolution;
}

/** A whole report as a page. */
static void make_report(const char *kind)
{
	fixture_report_release(&report);
	cr_assert(fixture_report_make(&report, kind));
	pe_text_clear(&page);
	pe_page_html(&page, &report.page);
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
static const struct pe_json_value *read_block(const char *name)
{
	struct pe_text mark = PE_TEXT_INIT, packed = PE_TEXT_INIT;
	const struct pe_json_value *read;
	const char *at;
	uLongf n = 32 << 20;
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
	read = json_parsed(plain, n);
	free(plain);
	pe_text_release(&mark);
	pe_text_release(&packed);
	return read;
}

static const struct pe_json_value *at(const struct pe_json_value *array, size_t index)
{
	return pe_json_element(array, index);
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
	cr_expect_has(page.data, "<title>&lt;/title&gt;&lt;script&gt;");
}

/* What would end its element early, or open a comment in it: names come as data, but the bundle itself is markup. */
Test(page, script_and_style_stay_in_their_elements)
{
	cr_expect_text("- - - - -", strstr(pe_asset_script, "</script"),
		       strstr(pe_asset_script, "<!--"), strstr(pe_asset_style, "</style"),
		       strstr(pe_asset_highlight_licence, "--"),
		       strstr(pe_asset_hierarchy_licence, "--"));
}

Test(page, index_holds_the_evolution)
{
	static const char *const kinds[] = {"small", "hostile", "many", "empty"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct pe_evolution *evolution = make(kinds[i]);
		const struct pe_json_value *index = read_block("index"),
					   *lines = json_get(index, "lines");

		cr_expect_eq((int)pe_json_whole(json_get(index, "format"), INT64_MIN), 4);
		cr_expect_eq(pe_json_length(json_get(index, "revisions")), evolution->n_revisions);
		cr_assert_eq(pe_json_length(lines), evolution->n_lines);
		for (size_t l = 0; l < evolution->n_lines; l++)
			cr_expect_eq(pe_json_length(json_get(at(lines, l), "value")),
				     evolution->lines[l].n_points);
		cr_expect_eq(pe_json_length(json_get(index, "comparisons")), 0);
		cr_expect_eq(json_get(index, "history")->kind, PE_JSON_NULL);
	}
}

/** A jump says what stands behind it. */
Test(page, tells_confirmed_jumps_from_suspects)
{
	const struct pe_json_value *index, *jump;

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
		line->jumps[0].undecided = true;
		line->jumps[0].layout = PE_LAYOUT_ONLY;
		line->jumps[0].generic = "counts of the generic code";
		pe_text_clear(&page);
		fixture_page(&page, &fixture);
		index = read_block("index");
		jump = at(json_get(at(json_get(index, "lines"), l), "jumps"), 0);
		cr_expect_text("accepted 12 0.004 0.75 wanted: \"safer\"",
			       pe_json_string(json_get(jump, "state")),
			       (int)pe_json_whole(json_get(jump, "pairs"), INT64_MIN),
			       pe_json_number(json_get(jump, "p")),
			       pe_json_number(json_get(jump, "sure")),
			       pe_json_string(json_get(jump, "why")));
		for (size_t e = 0; e < pe_json_length(json_get(index, "event_jumps")); e++) {
			jump = at(at(json_get(index, "event_jumps"), e), 0);
			if (pe_json_whole(at(jump, 0), INT64_MIN) == (int64_t)l &&
			    pe_json_whole(at(jump, 1), INT64_MIN) == 0)
				cr_expect_str_eq(pe_json_string(at(jump, 4)),
						 "counts of the generic code");
		}
		return;
	}
	cr_fail("the fixture has no jump");
}

Test(page, brings_licence_and_policy)
{
	make("quiet");
	cr_expect_has(page.data, "Redistribution and use in source and binary forms");
	cr_expect_has(page.data, "default-src 'none'; script-src 'nonce-");
	cr_expect_eq(count(" src="), 0);
}

Test(page, same_data_give_the_same_page)
{
	pe_auto_text again = PE_TEXT_INIT;

	make("small");
	fixture_page(&again, &fixture);
	cr_expect_str_eq(page.data, again.data);
}

/** Where there are many points a line comes in a block of its own, with its ends and extremes in the index. */
Test(page, many_long_lines_have_blocks_of_their_own)
{
	struct pe_line lines[24];
	const struct pe_json_value *index, *one, *block;
	const struct pe_line *line;

	make("long");
	for (size_t i = 0; i < 24; i++)
		lines[i] = fixture.evolution.lines[i % fixture.evolution.n_lines];
	fixture.evolution.lines = lines;
	fixture.evolution.n_lines = 24;
	pe_text_clear(&page);
	fixture_page(&page, &fixture);
	index = read_block("index");
	one = at(json_get(index, "lines"), 9);
	line = &lines[9];
	cr_expect_not((block = pe_json_member(one, "value"))->kind != PE_JSON_END);
	cr_expect_str_eq(pe_json_string(json_get(one, "block")), "l9");
	cr_expect_eq((int)pe_json_whole(at(json_get(one, "first"), 0), INT64_MIN), 0);
	cr_expect_eq((int)pe_json_whole(at(json_get(one, "last"), 0), INT64_MIN), 9999);
	block = read_block("l9");
	cr_assert_eq(pe_json_length(json_get(block, "value")), 10000);
	for (size_t i = 0; i < line->n_points; i += 997)
		cr_expect_eq(pe_json_number(at(json_get(block, "value"), i)),
			     line->points[i].value);
	cr_expect_null(read_block("l24"));
}

/* --- Comparisons --- */

/** The next number of a side: written as its distance from the last one. */
static uint32_t next_node(int64_t *last, const struct pe_json_value *distances, uint32_t i)
{
	int64_t distance = pe_json_whole(at(distances, i), INT64_MIN);

	*last += distance;
	return distance != 0 ? (uint32_t)*last : PE_CCT_NONE;
}

static void expect_values(const struct pe_json_value *tree, const char *key,
			  const struct pe_delta *delta, enum pe_delta_metric metric)
{
	const struct pe_json_value *found = pe_json_member(tree, key);
	bool known = pe_delta_column(delta->old_runs, metric) != NULL &&
		     pe_delta_column(delta->new_runs, metric) != NULL;

	cr_expect_eq(found->kind != PE_JSON_END, known, "%s", key);
	for (uint32_t i = 0; known && i < delta->n; i++) {
		struct pe_delta_values values = pe_delta_values(delta, i, metric);
		const struct pe_json_value *sides[] = {at(at(found, 0), i), at(at(found, 1), i)};

		cr_expect_eq(sides[0]->kind == PE_JSON_NULL, !values.known);
		if (!values.known)
			continue;
		cr_expect_eq((uint64_t)pe_json_whole(sides[0], INT64_MIN), values.old_value);
		cr_expect_eq((uint64_t)pe_json_whole(sides[1], INT64_MIN), values.new_value);
	}
}

static void expect_boxes(const struct pe_json_value *tree, const struct pe_compare_pair *pair)
{
	for (int basis = 0; basis < PE_N_BASES; basis++) {
		const struct pe_blueprint_opts opts = {
			.basis = (enum pe_basis)basis,
			.changes = pair->changes,
			.cause_of = pair->time != NULL ? pair->time->cause_of : NULL};
		const struct pe_json_value *found =
			json_get(json_get(json_get(tree, "boxes"), "time"),
				 pe_basis_name((enum pe_basis)basis));
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_blueprint blueprint;

		pe_blueprint_make(&blueprint, pair->delta, &opts, &arena);
		for (uint32_t i = 0; i < pair->delta->n; i++) {
			const struct pe_blueprint_box *box = &blueprint.boxes[i];

			cr_expect_float_eq(pe_json_number(at(json_get(found, "height"), i)),
					   box->signed_height, 1e-6);
			cr_expect_eq(pe_json_whole(at(json_get(found, "colour"), i), INT64_MIN),
				     box->colour);
			cr_expect_float_eq(pe_json_number(at(json_get(tree, "width"), i)),
					   box->width, 1e-5);
		}
		pe_arena_release(&arena);
	}
}

static void expect_tree(const struct pe_json_value *tree, const struct pe_compare_pair *pair)
{
	const struct pe_delta *delta = pair->delta;
	int64_t last_old = -1, last_new = -1;

	cr_assert_eq(pe_json_length(json_get(tree, "frame")), delta->n);
	for (uint32_t i = 0; i < delta->n; i++) {
		const struct pe_delta_node *node = &delta->nodes[i];

		cr_expect_eq(next_node(&last_old, json_get(tree, "old"), i), node->old_node);
		cr_expect_eq(next_node(&last_new, json_get(tree, "new"), i), node->new_node);
		cr_expect_eq((int)pe_json_whole(at(json_get(tree, "parent"), i), INT64_MIN),
			     i > 0 ? (int)(i - node->parent) : 0);
		cr_expect_eq((uint32_t)pe_json_whole(at(json_get(tree, "frame"), i), INT64_MIN),
			     node->frame);
	}
	expect_values(tree, "calls", delta, PE_DELTA_CALLS);
	expect_values(tree, "self_ns", delta, PE_DELTA_SELF_NS);
	expect_values(tree, "allocations", delta, PE_DELTA_ALLOCATIONS);
	expect_values(tree, "bytes", delta, PE_DELTA_BYTES);
	expect_values(tree, "instructions", delta, PE_DELTA_INSTRUCTIONS);
	expect_boxes(tree, pair);
}

/** Every delta tree reads back as it was, with the sizes and colours of its boxes. */
Test(page, comparisons_hold_their_trees)
{
	make_report("page-small");
	cr_assert_eq(report.page.n_comparisons, 3);
	for (size_t c = 0; c < report.page.n_comparisons; c++) {
		const struct pe_compare *compare = report.comparisons[c].compare;
		const char name[] = {'c', (char)('0' + c), '\0'};
		const struct pe_json_value *pairs = json_get(read_block(name), "pairs");

		cr_assert_eq(pe_json_length(pairs), compare->n_pairs);
		for (size_t p = 0; p < compare->n_pairs; p++) {
			const struct pe_json_value *tree = json_get(at(pairs, p), "tree");

			cr_assert_eq(tree->kind == PE_JSON_NULL, compare->pairs[p].delta == NULL);
			if (compare->pairs[p].delta != NULL)
				expect_tree(tree, &compare->pairs[p]);
		}
	}
}

/** The entry of the index leads to revisions and boxes. */
Test(page, lines_of_the_verdict_lead_to_nodes)
{
	const struct pe_json_value *index, *block, *entry, *lines;
	bool found = false;

	make_report("page-small");
	index = read_block("index");
	block = read_block("c0");
	entry = at(json_get(index, "comparisons"), 0);
	lines = json_get(entry, "lines");
	cr_expect_text("11 12",
		       (int)pe_json_whole(json_get(json_get(entry, "old"), "revision"), INT64_MIN),
		       (int)pe_json_whole(json_get(json_get(entry, "new"), "revision"), INT64_MIN));
	cr_expect_eq(
		json_get(json_get(at(json_get(index, "comparisons"), 2), "new"), "revision")->kind,
		PE_JSON_NULL);
	cr_assert_gt(pe_json_length(lines), 3);
	for (size_t i = 0; i < pe_json_length(lines); i++) {
		const struct pe_json_value *line = at(lines, i);
		const struct pe_compare_pair *pair = &report.compares[0].pairs[0];
		const struct pe_cause *cause =
			&pair->reports[(int)pe_json_whole(json_get(line, "report"), INT64_MIN)]
				 .causes[(int)pe_json_whole(json_get(line, "cause"), INT64_MIN)];

		cr_expect_eq((uint32_t)(int)pe_json_whole(json_get(line, "node"), INT64_MIN),
			     cause->node);
		cr_expect_eq(pair->delta->nodes[cause->node].frame, pe_cause_shows(cause));
		found = found ||
			strstr(pe_json_string(json_get(line, "text")), "`hash_probe`") != NULL;
	}
	cr_expect(found, "the cause that was put into the fixture");
	cr_expect_gt(pe_json_length(json_get(json_get(at(json_get(block, "pairs"), 0), "critical"),
					     "nodes")),
		     1);
	cr_expect_gt(pe_json_length(
			     json_get(json_get(at(json_get(block, "pairs"), 0), "parcs"), "cuts")),
		     2);
}

Test(page, five_large_comparisons_take_less_than_5_megabytes)
{
	make_report("page-large");
	cr_expect_eq(pe_json_length(json_get(read_block("c0"), "sources")), 60);
	cr_expect_lt(page.len, 5 * 1000 * 1000, "%zu bytes", page.len);
}

/** Names that would be markup are text in the blocks, and nowhere else. */
Test(page, hostile_comparisons_stay_in_their_blocks)
{
	const struct pe_json_value *block, *names;
	size_t scripts, hostile = 0;

	make("hostile");
	scripts = count("<script");
	make_report("page-hostile");
	cr_expect_eq(count("<script"), scripts + report.page.n_comparisons);
	cr_expect_eq(count("</script>"), scripts + report.page.n_comparisons);
	cr_expect_eq(count("alert("), 0);
	block = read_block("c0");
	names = json_get(json_get(block, "frames"), "name");
	cr_assert_eq(pe_json_length(names), report.frames[0].n);
	for (size_t f = 0; f < report.frames[0].n; f++)
		hostile +=
			strncmp(pe_json_string(at(names, f)), "<script>alert(1)</script>", 25) == 0;
	cr_expect_eq(hostile, 3);
}
