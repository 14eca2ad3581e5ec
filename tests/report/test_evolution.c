#include "report/evolution.h"

#include "fixture.h"
#include "golden.h"
#include "report/commit_blocks.h"
#include "report/format.h"
#include "report/log_marks.h"
#include "report/query.h"
#include "report/spark.h"
#include "report/markdown.h"

#include "tests/support/parsed.h"
#include "tests/support/test.h"

static struct fixture fixture;
static struct pe_text text;

TestSuiteWith(evolution, (void)0, (pe_text_release(&text), fixture_release(&fixture)),
	      .timeout = 600);

static const struct pe_evolution *make(const char *kind)
{
	fixture_release(&fixture);
	pe_text_clear(&text);
	cr_assert(fixture_make(&fixture, kind));
	return &fixture.evolution;
}

static const struct pe_term wide = {.width = 120, .unicode = true};
static const struct pe_term narrow = {.width = 80, .unicode = true};
static const struct pe_term ascii = {.width = 100};
static const struct pe_term colour = {.width = 0, .colour = true, .unicode = true};

/* ---- events ---- */

/* A jump that begins at another commit than the others of its block says so, and where. */
Test(evolution, terminal_tells_jumps_of_a_commit_that_are_rather_elsewhere)
{
	struct pe_evolution *evolution;
	const struct pe_commit_block *blocks, *block = NULL;
	pe_auto_text expected = PE_TEXT_INIT;
	size_t n;

	make("events");
	evolution = &fixture.evolution;
	blocks = pe_commit_blocks(&n, evolution, &fixture.arena);
	for (size_t i = 0; i < n; i++)
		if (blocks[i].n > 1)
			block = &blocks[i];
	cr_assert(block != NULL);
	pe_evolution_term(&text, evolution, &colour);
	cr_expect_lacks(pe_text_str(&text), "rather at");
	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t j = 0; j < evolution->lines[l].n_jumps; j++)
			if (&evolution->lines[l].jumps[j] == block->jumps[1].jump)
				evolution->lines[l].jumps[j].after--;
	pe_text_add(&expected, "rather at ");
	pe_add_short_id(&expected, evolution, block->commit - 1);
	pe_text_clear(&text);
	pe_evolution_term(&text, evolution, &colour);
	cr_expect_has(pe_text_str(&text), pe_text_str(&expected));
}

/* ---- golden files ---- */

Test(evolution, terminal_matches_golden)
{
	pe_evolution_term(&text, make("small"), &wide);
	golden_check(&text, "small-120.term");
	pe_evolution_term(&text, make("small"), &narrow);
	golden_check(&text, "small-80.term");
	pe_evolution_term(&text, make("small"), &ascii);
	golden_check(&text, "small-ascii.term");
	pe_evolution_term(&text, make("small"), &colour);
	golden_check(&text, "small-colour.term");
	pe_evolution_term(&text, make("hostile"), &wide);
	golden_check(&text, "hostile.term");
	pe_evolution_term(&text, make("quiet"), &wide);
	golden_check(&text, "quiet.term");
	pe_evolution_term(&text, make("many"), &wide);
	golden_check(&text, "many.term");
	pe_evolution_term(&text, make("empty"), &wide);
	golden_check(&text, "empty.term");
}

/* Of the seven jumps: three confirmed, the first as one of layout, one accepted with a reason, the others suspects. */
static const struct pe_evolution *make_states(void)
{
	const struct pe_evolution *evolution = make("small");
	size_t n = 0;

	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t j = 0; j < evolution->lines[i].n_jumps; j++) {
			struct pe_jump *jump = &evolution->lines[i].jumps[j];

			jump->p = jump->sure = NAN;
			if (n % 3 == 0) {
				jump->state = PE_JUMP_CONFIRMED;
				jump->pairs = 12 + n;
				jump->estimate = PE_ESTIMATE_PAIRS;
				jump->relative *= 0.9;
				jump->low *= 0.9;
				jump->high *= 0.9;
				jump->p = 0.002;
				jump->sure = 0.9876;
				jump->layout = n == 0 ? PE_LAYOUT_ONLY : PE_LAYOUT_WORK;
			} else if (n == 2) {
				jump->state = PE_JUMP_ACCEPTED;
				jump->why = "the new \033[31mformat\033[0m needs </script> it";
			}
			n++;
		}
	return evolution;
}

Test(evolution, states_of_jumps_match_golden)
{
	pe_evolution_term(&text, make_states(), &wide);
	golden_check(&text, "states-120.term");
	pe_evolution_term(&text, &fixture.evolution, &colour);
	golden_check(&text, "states-colour.term");
	for (size_t r = 0; r < fixture.evolution.n_revisions; r++)
		for (size_t i = 0; i < fixture.evolution.n_lines; i++)
			if (pe_line_jump_at(&fixture.evolution.lines[i], r) != NULL) {
				pe_evolution_show(&text, &fixture.evolution, r, &wide);
				break;
			}
	golden_check(&text, "states.show");
}

/* A revision with five metrics, and jumps with the longest words, has a name that can be read in each row. */
Test(evolution, show_names_metrics_on_a_narrow_terminal)
{
	static const char *const labels[] = {"wall time", "allocations", "allocated memory",
					     "allocated bytes", "peak memory"};
	const struct pe_term eighty = {.width = 80, .unicode = true};
	static struct pe_metric metrics[5];
	const char *at;

	make_states();
	cr_assert(fixture.evolution.n_lines >= 5);
	for (size_t i = 0; i < 5; i++) {
		metrics[i] = *fixture.evolution.lines[i].metric;
		metrics[i].label = labels[i];
		fixture.evolution.lines[i].metric = &metrics[i];
	}
	fixture.evolution.n_lines = 5;
	for (size_t r = 0; r < fixture.evolution.n_revisions; r++) {
		pe_text_clear(&text);
		pe_evolution_show(&text, &fixture.evolution, r, &eighty);
		at = strstr(pe_text_str(&text), "benchmark  ");
		for (size_t i = 0; at != NULL && i < 5; i++) {
			const struct pe_point *point = pe_line_at(&fixture.evolution.lines[i], r);

			if (point != NULL && point->outcome == PE_MEASURED)
				cr_expect_not_null(strstr(at, labels[i]), "%s:\n%s", labels[i], at);
		}
	}
}

/* Every name in it is an element's text or an attribute; tests/cli has a parser look at real ones. */
static void expect_no_markup(void)
{
	cr_expect_text("- - - -", strstr(pe_text_str(&text), "<img"),
		       strstr(pe_text_str(&text), "<script"), strchr(pe_text_str(&text), '\033'),
		       strchr(pe_text_str(&text), '\xff'));
}

Test(evolution, pictures_match_golden)
{
	pe_evolution_svg(&text, make_states());
	golden_check(&text, "evolution.svg");
	pe_evolution_svg(&text, make("hostile"));
	expect_no_markup();
	golden_check(&text, "evolution-hostile.svg");
	pe_evolution_svg(&text, make("empty"));
	cr_expect_has(pe_text_str(&text), "</svg>");
}

Test(evolution, markdown_matches_golden)
{
	pe_evolution_term(&text, make_states(), &pe_md_term);
	golden_check(&text, "evolution.md");
	pe_evolution_term(&text, make("hostile"), &pe_md_term);
	golden_check(&text, "evolution-hostile.md");
	pe_evolution_term(&text, make("empty"), &pe_md_term);
	golden_check(&text, "evolution-empty.md");
}

Test(evolution, documents_say_the_states)
{
	pe_evolution_json(&text, make_states());
	json_parsed(pe_text_str(&text), text.len);
	cr_expect_has(pe_text_str(&text), "\"state\":\"confirmed\",\"pairs\":12");
	cr_expect_has(pe_text_str(&text), "\"p\":0.002,\"sure\":0.9876");
	cr_expect_has(pe_text_str(&text), "\"why\":\"the new ");
	cr_expect_has(pe_text_str(&text), "\"layout\":true,");
	cr_expect_has(pe_text_str(&text), "\"layout\":false,");
	cr_expect_has(pe_text_str(&text), "\"layout\":null,");
	cr_expect_lacks(pe_text_str(&text), "</script>");
	pe_text_clear(&text);
	pe_evolution_csv(&text, &fixture.evolution);
	cr_expect_has(pe_text_str(&text), ",accepted,exact\n");
	cr_expect_has(pe_text_str(&text), ",confirmed,pairs\n");
	cr_expect_has(pe_text_str(&text), ",suspect,levels\n");
	pe_text_clear(&text);
	pe_evolution_log(&text, &fixture.evolution, NULL, &wide);
	cr_expect_has(pe_text_str(&text), "\n   layout: same machine code, ");
}

Test(evolution, documents_match_golden)
{
	pe_evolution_json(&text, make("hostile"));
	golden_check(&text, "hostile.json");
	pe_evolution_csv(&text, make("hostile"));
	golden_check(&text, "hostile.csv");
	pe_evolution_csv(&text, make("quiet"));
	golden_check(&text, "quiet.csv");
	pe_evolution_json(&text, make("quiet"));
	golden_check(&text, "quiet.json");
	pe_evolution_json(&text, make("empty"));
	golden_check(&text, "empty.json");
}

static void add_log(const char *kind, const struct pe_term *term)
{
	pe_log_add_legend(&text, term, pe_evolution_log(&text, make(kind), NULL, term));
}

Test(evolution, log_and_show_match_golden)
{
	add_log("small", &wide);
	golden_check(&text, "small.log");
	add_log("hostile", &narrow);
	golden_check(&text, "hostile.log");
	pe_evolution_show(&text, make("small"), 15, &colour);
	golden_check(&text, "small.show");
	add_log("quiet", &narrow);
	golden_check(&text, "quiet.log");
	pe_evolution_show(&text, make("quiet"), 6, &narrow);
	golden_check(&text, "quiet.show");
	pe_evolution_show(&text, make("hostile"), 8, &narrow);
	golden_check(&text, "hostile.show");
}

/* ---- the terminal ---- */

Test(evolution, terminal_keeps_to_its_width)
{
	static const char *const kinds[] = {"small", "hostile", "many", "quiet"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		pe_evolution_term(&text, make(kinds[i]), &narrow);
		expect_lines_within(&text, 80);
		pe_evolution_term(&text, make(kinds[i]), &wide);
		expect_lines_within(&text, 120);
		add_log(kinds[i], &narrow);
		expect_lines_within(&text, 80);
	}
}

/** Neither codes nor reordering reach the terminal from a name, a subject, an author or a log. */
Test(evolution, terminal_sees_no_foreign_codes)
{
	pe_evolution_term(&text, make("hostile"), &wide);
	pe_evolution_log(&text, &fixture.evolution, NULL, &wide);
	for (size_t r = 0; r < fixture.evolution.n_revisions; r++)
		pe_evolution_show(&text, &fixture.evolution, r, &wide);
	expect_no_foreign_codes(&text);
}

Test(evolution, ascii_terminal_sees_ascii)
{
	pe_evolution_term(&text, make("hostile"), &ascii);
	pe_evolution_term(&text, make("small"), &ascii);
	add_log("small", &ascii);
	pe_log_add_legend(&text, &ascii, UINT_MAX);
	pe_evolution_show(&text, &fixture.evolution, 15, &ascii);
	expect_ascii(&text);
}

/** A jump over revisions that were not measured names every commit that may have caused it; in tables: small-80.term. */
Test(evolution, unmeasured_commits_are_suspects_too)
{
	pe_evolution_json(&text, make("small"));
	cr_expect_has(text.data, "\"commits\":3,");
}

Test(evolution, log_tells_its_marks)
{
	cr_expect_eq(pe_evolution_log(&text, make("small"), NULL, &wide),
		     (unsigned)PE_LOG_NOISE | PE_LOG_REUSED | PE_LOG_WORSE | PE_LOG_BETTER);
	/* Of the rows that are shown. */
	fixture.evolution.first = fixture.evolution.n_revisions - 1;
	cr_expect_eq(pe_evolution_log(&text, &fixture.evolution, NULL, &wide),
		     (unsigned)PE_LOG_NOISE);
	cr_expect_eq(pe_evolution_log(&text, make("empty"), NULL, &wide), 0U);
}

Test(evolution, legend_explains_the_marks_that_occur)
{
	pe_log_add_legend(&text, &wide, 0);
	cr_expect_eq(text.len, 0);
	pe_log_add_legend(&text, &wide, PE_LOG_REUSED | PE_LOG_RECORDED);
	cr_expect_str_eq(text.data,
			 "= reused: it executes the same; * not judged, recorded only\n");
}

Test(evolution, variation_from_zero_is_new)
{
	make("quiet");
	fixture.evolution.lines[0].points[3].value = 0;
	pe_evolution_log(&text, &fixture.evolution, NULL, &wide);
	cr_expect_has(text.data, " new ");
	cr_expect_lacks(text.data, "inf");
}

Test(evolution, predecessor_follows_first_parents)
{
	const struct pe_evolution *evolution = make("quiet");
	const struct pe_point *before;

	/* 5 branched off at 2: 3 and 4 are not its history */
	evolution->revisions[5].parents = (const char(*)[PE_OID_HEX])evolution->revisions[2].id;
	before = pe_line_predecessor(evolution, &evolution->lines[0], 5);
	cr_assert_not_null(before);
	cr_expect_eq(before->revision, 2);
	cr_expect_null(pe_line_predecessor(evolution, &evolution->lines[0], 0));
	/* a failed parent is stepped over */
	evolution->lines[0].points[2].outcome = PE_CRASHED;
	before = pe_line_predecessor(evolution, &evolution->lines[0], 5);
	cr_expect_eq(before->revision, 1);
}

Test(evolution, spark_lines_rise_where_values_rise)
{
	struct pe_point points[8] = {0};
	struct pe_line line = {.points = points, .n_points = 8};

	for (size_t i = 0; i < 8; i++)
		points[i] = (struct pe_point){
			.revision = i, .outcome = PE_MEASURED, .value = 100 + 10.0 * (double)i};
	pe_spark_add(&text, &line, 8, 8, true);
	cr_expect_str_eq(text.data, "▁▂▃▄▅▆▇█");
	pe_text_clear(&text);
	points[3].outcome = PE_BUILD_FAILED;
	pe_spark_add(&text, &line, 8, 8, false);
	cr_expect_str_eq(text.data, "_.- +*%#");
	pe_text_clear(&text);
	for (size_t i = 0; i < 8; i++) /* noise of one part in a thousand is flat */
		points[i] = (struct pe_point){
			.revision = i, .outcome = PE_MEASURED, .value = i % 2 ? 1000 : 1001};
	pe_spark_add(&text, &line, 8, 4, false);
	cr_expect_str_eq(text.data, "____");
	pe_text_clear(&text);
	for (size_t i = 0; i < 8; i++) /* no change would have been detected */
		points[i] = (struct pe_point){.revision = i,
					      .outcome = PE_MEASURED,
					      .source = i,
					      .value = i < 4 ? 900 : 500,
					      .least = INFINITY};
	pe_spark_add(&text, &line, 8, 8, false);
	cr_expect_str_eq(text.data, "________");
}

/* ---- reused ---- */

/** The points of a benchmark at a revision become, or stop being, those of an identical build. */
static void set_reused(const char *benchmark, size_t revision, bool reused)
{
	for (size_t i = 0; i < fixture.evolution.n_lines; i++)
		if (strcmp(fixture.evolution.lines[i].benchmark, benchmark) == 0)
			fixture.evolution.lines[i].points[revision].reused = reused;
}

static void expect_reused(const char *wanted)
{
	pe_text_clear(&text);
	pe_evolution_add_reused(&text, &fixture.evolution);
	cr_expect_str_eq(pe_text_str(&text), wanted);
}

/** A result is that of a benchmark at a revision. */
Test(evolution, reused_is_counted_by_results)
{
	make("quiet");
	expect_reused("4 of 16 results reused");
	set_reused("parse/small-file", 6, false);
	expect_reused("3 of 16 results reused");
	set_reused("parse/small-file", 4, false);
	expect_reused("2 of 16 results reused");
	set_reused("parse/large-file", 4, false);
	expect_reused("1 of 16 results reused");
	set_reused("parse/large-file", 6, false);
	expect_reused("");
	make("small");
	expect_reused("18 of 167 results reused");
	make("empty");
	expect_reused("");
}

/** What only lengthens the series that was judged is not what was asked for. */
Test(evolution, reused_before_the_first_is_not_counted)
{
	make("quiet");
	fixture.evolution.first = 5;
	expect_reused("2 of 6 results reused");
	fixture.evolution.first = 7;
	expect_reused("");
}

/** A revision that failed has no values that could be another's. */
Test(evolution, failures_are_not_reused)
{
	make("quiet");
	for (size_t i = 0; i < fixture.evolution.n_lines; i++)
		fixture.evolution.lines[i].points[4].outcome = PE_CRASHED;
	expect_reused("2 of 14 results reused");
	pe_text_clear(&text);
	pe_evolution_show(&text, &fixture.evolution, 4, &wide);
	cr_expect_lacks(text.data, "carried");
}

Test(evolution, show_says_which_benchmark_is_reused_and_from_where)
{
	pe_evolution_show(&text, make("quiet"), 4, &wide);
	cr_expect_has(text.data, "\nreused from daa66d13 (identical build)\n");
	pe_text_clear(&text);
	pe_evolution_show(&text, make("small"), 20, &wide);
	cr_expect_has(text.data, "\nreused from 98c47536 (identical build): startup\n");
	cr_expect_lacks(text.data, "render/svg: carried");
	pe_text_clear(&text);
	make("quiet"); /* two sources */
	for (size_t i = 0; i < 2; i++)
		fixture.evolution.lines[i].points[4].source = 2;
	pe_evolution_show(&text, &fixture.evolution, 4, &wide);
	cr_expect_has(text.data, "reused from 3c6ef362 (identical build): parse/large-file");
	cr_expect_has(text.data, "reused from daa66d13 (identical build): parse/small-file");
}

/* ---- JSON ---- */

/** Arithmetic leaves noise behind the twelfth digit; whole numbers are kept. */
Test(evolution, levels_come_without_rounding_noise)
{
	struct pe_point *point;

	make("quiet");
	point = &fixture.evolution.lines[0].points[0];
	point->level = 100.00000000000004;
	point->median = 100.00000000000003;
	point[2].value = 123456789012345;
	point[1].level = 1234567.1234567891;
	point[2].level = 123456789012345; /* a count of instructions */
	pe_evolution_json(&text, &fixture.evolution);
	cr_expect_has(text.data, "\"level\":100,");
	cr_expect_has(text.data, "\"median\":100,");
	cr_expect_has(text.data, "\"level\":1234567.12346,");
	cr_expect_has(text.data, "\"level\":123456789012345,");
	cr_expect_has(text.data, "\"value\":123456789012345,");
	pe_text_clear(&text);
	pe_evolution_csv(&text, &fixture.evolution);
	cr_expect_has(text.data, ",100,,,,,\n");
	cr_expect_has(text.data, ",25,100,");
	cr_expect_has(text.data, ",1234567.12346,,,,,\n");
	cr_expect_has(text.data, ",123456789012345,,,,,\n");
}
