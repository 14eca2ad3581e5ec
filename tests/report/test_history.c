#include "report/history.h"

#include "golden.h"
#include "fixture_page.h"
#include "report/format.h"
#include "report/log_marks.h"

#include "tests/support/parsed.h"
#include "tests/support/test.h"

static struct fixture fixture;
static struct pe_history history;
static struct pe_text text;
static struct pe_arena arena;

TestSuiteWith(history, (void)0,
	      (pe_text_release(&text), pe_arena_release(&arena), fixture_release(&fixture)),
	      .timeout = 600);

static const struct pe_history *make(const char *kind)
{
	fixture_release(&fixture);
	pe_arena_release(&arena);
	pe_text_clear(&text);
	cr_assert(fixture_make(&fixture, kind));
	fixture_history(&history, &fixture);
	return &history;
}

static const struct pe_term wide = {.width = 140, .unicode = true};
static const struct pe_term narrow = {.width = 80, .unicode = true};
static const struct pe_term tiny = {.width = 40, .unicode = true};
static const struct pe_term ascii = {.width = 100};
static const struct pe_term file = {.unicode = true};

static void print(const char *kind, const struct pe_term *term)
{
	const struct pe_history *made = make(kind);

	pe_log_add_legend(&text, term,
			  pe_history_term(&text, made, pe_history_benchmark(made), term));
}

Test(history, terminal_matches_golden)
{
	print("small", &wide);
	golden_check(&text, "history-140.term");
	print("small", &narrow);
	golden_check(&text, "history-80.term");
	print("small", &ascii);
	golden_check(&text, "history-ascii.term");
	print("small", &(struct pe_term){.colour = true, .unicode = true, .colours = 1u << 24});
	golden_check(&text, "history-true-colour.term");
	print("small", &(struct pe_term){.colour = true, .unicode = true, .colours = 256});
	golden_check(&text, "history-256.term");
	print("small", &(struct pe_term){.colour = true, .unicode = true});
	golden_check(&text, "history-16.term");
	print("hostile", &narrow);
	golden_check(&text, "history-hostile.term");
}

Test(history, documents_match_golden)
{
	pe_history_json(&text, make("hostile"));
	golden_check(&text, "history-hostile.json");
}

Test(history, terminal_keeps_to_its_width)
{
	static const char *const kinds[] = {"small", "hostile", "many", "quiet"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		print(kinds[i], &wide);
		expect_lines_within(&text, 140);
		print(kinds[i], &narrow);
		expect_lines_within(&text, 80);
		print(kinds[i], &tiny);
		expect_lines_within(&text, 40);
	}
}

Test(history, a_line_a_commit_three_of_titles_and_a_note)
{
	size_t lines = 0;

	print("small", &file);
	for (size_t i = 0; i < text.len; i++)
		lines += text.data[i] == '\n';
	cr_expect_eq(lines, history.n + 4);
	history.cut = true;
	pe_text_clear(&text);
	pe_history_term(&text, &history, NULL, &file);
	cr_expect_has(pe_text_str(&text), "older commits are not shown");
}

Test(history, ascii_terminal_sees_ascii)
{
	print("hostile", &ascii);
	print("small", &ascii);
	expect_ascii(&text);
}

/* A history wider than a quarter of the terminal is cut with a sign, and its commits stay in their lines. */
Test(history, many_lanes_are_cut)
{
	enum { HEADS = 60 };
	struct pe_lane_commit *commits = pe_arena_new(&arena, struct pe_lane_commit, HEADS + 1);
	uint32_t *parents = pe_arena_new(&arena, uint32_t, HEADS);

	make("empty");
	history.commits = pe_arena_new(&arena, struct pe_history_commit, HEADS + 1);
	commits = pe_arena_new(&arena, struct pe_lane_commit, HEADS + 1);
	parents = pe_arena_new(&arena, uint32_t, HEADS);
	for (uint32_t i = 0; i < HEADS; i++)
		parents[i] = i + 1;
	commits[0] = (struct pe_lane_commit){parents, HEADS};
	for (size_t i = 0; i <= HEADS; i++)
		history.commits[i] = (struct pe_history_commit){
			.revision = {.author = "A", .subject = "S"}, .point = SIZE_MAX, .mc = -1};
	history.n = HEADS + 1;
	pe_lanes_make(&history.lanes, commits, history.n, &arena);
	pe_history_term(&text, &history, NULL, &narrow);
	expect_lines_within(&text, 80);
	cr_expect_has(pe_text_str(&text), "…");
}

/* --- The sectors --- */

Test(history, methods_rise_in_six_steps)
{
	static const struct {
		uint64_t methods;
		double height;
	} steps[] = {{0, 0},    {1, 0.2},  {2, 0.2},  {3, 0.4},  {5, 0.4},   {6, 0.6},
		     {10, 0.6}, {11, 0.8}, {25, 0.8}, {26, 1.0}, {1000, 1.0}};
	static const uint32_t own[PE_N_SPARK_STEPS] = {2, 4, 8, 16, 32};

	make("empty");
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		cr_expect_eq(pe_spark_methods_height(&history, steps[i].methods), steps[i].height);
	history.steps = own;
	cr_expect_text("0 0.2 0.8 1", pe_spark_methods_height(&history, 1),
		       pe_spark_methods_height(&history, 2), pe_spark_methods_height(&history, 31),
		       pe_spark_methods_height(&history, 32));
}

/*
 * Rows:  0 (100) - 1 (not measured) - 2 (80) - 3 (failed) - 4 (0) - out of the picture
 *         \ 5 (50, the second parent)
 */
static void make_line(struct pe_evolution *evolution, struct pe_line *lines, size_t n_points,
		      struct pe_point *points)
{
	static const struct pe_metric wall = {
		"wall", "ns", "wall time", PE_LOWER_IS_BETTER, PE_METRIC_NOISY, 0.02, 1, false};

	lines[0] = (struct pe_line){
		.benchmark = "w", .metric = &wall, .points = points, .n_points = n_points};
	*evolution = (struct pe_evolution){.lines = lines, .n_lines = 1};
	evolution->revisions = pe_arena_new(&arena, struct pe_revision, 5);
	evolution->n_revisions = 5;
	for (size_t i = 0; i < 5; i++)
		snprintf(evolution->revisions[i].id, PE_OID_HEX, "%040zx", i);
}

Test(history, changes_are_against_the_nearest_first_parent_that_has_values)
{
	/* revisions, oldest first: rows 4, 5, 3, 2, 0 */
	struct pe_point points[] = {{.revision = 0, .outcome = PE_MEASURED, .value = 0},
				    {.revision = 1, .outcome = PE_MEASURED, .value = 50},
				    {.revision = 2, .outcome = PE_CRASHED},
				    {.revision = 3, .outcome = PE_MEASURED, .value = 80},
				    {.revision = 4, .outcome = PE_MEASURED, .value = 100}};
	static const size_t place[] = {4, SIZE_MAX, 3, 2, 0, 1};
	struct pe_evolution evolution;
	struct pe_line lines[1];
	struct pe_history_commit commits[6] = {0};
	struct pe_spark_sector sectors[PE_N_SPARK_METRICS];

	make_line(&evolution, lines, 5, points);
	for (size_t i = 0; i < 6; i++)
		commits[i] = (struct pe_history_commit){.revision.n_parents = i == 5 ? 0 : 1,
							.parent = i < 4 ? &commits[i + 1] : NULL,
							.point = place[i],
							.mc = (int64_t)i - 1};
	history = (struct pe_history){.evolution = &evolution, .commits = commits, .n = 6};
	pe_spark_sectors(sectors, &history, &commits[0], "w");
	cr_expect(!sectors[PE_SPARK_METHODS].known && !sectors[PE_SPARK_ALLOCATIONS].known);
	cr_assert(sectors[PE_SPARK_TIME].known);
	cr_expect_float_eq(sectors[PE_SPARK_TIME].value, 0.25, 1e-12);
	/* Nobody judged it: its size, with the border of noise. */
	cr_expect_float_eq(sectors[PE_SPARK_TIME].height, 0.25, 1e-12);
	cr_expect(sectors[PE_SPARK_TIME].noise && !sectors[PE_SPARK_TIME].dark);
	/* Nothing is known of row 1; row 2 comes from nothing, which has no relative size. */
	pe_spark_sectors(sectors, &history, &commits[1], "w");
	cr_expect(!sectors[PE_SPARK_TIME].known && sectors[PE_SPARK_METHODS].known);
	cr_expect(!sectors[PE_SPARK_METHODS].dark);
	pe_spark_sectors(sectors, &history, &commits[2], "w");
	cr_expect(!sectors[PE_SPARK_TIME].known && sectors[PE_SPARK_METHODS].dark);
	/* A failure has no values, a root nothing to be compared with, another benchmark none at all. */
	pe_spark_sectors(sectors, &history, &commits[3], "w");
	cr_expect(!sectors[PE_SPARK_TIME].known);
	pe_spark_sectors(sectors, &history, &commits[5], "w");
	cr_expect(!sectors[PE_SPARK_TIME].known);
	pe_spark_sectors(sectors, &history, &commits[0], "v");
	cr_expect(!sectors[PE_SPARK_TIME].known);
}

Test(history, a_jump_has_its_estimate_and_what_differs_beside_it_is_noise)
{
	/* Medians differ at each revision; the level only at the third, by less than its median says. */
	struct pe_point points[] = {
		{.revision = 0, .outcome = PE_MEASURED, .value = 100, .level = 101},
		{.revision = 1, .outcome = PE_MEASURED, .value = 102, .level = 101},
		{.revision = 2, .outcome = PE_MEASURED, .value = 143, .level = 138},
		{.revision = 3, .outcome = PE_MEASURED, .value = 137, .level = 138}};
	struct pe_jump jump = {.before = 1,
			       .after = 2,
			       .commits = 1,
			       .relative = 0.336,
			       .estimate = PE_ESTIMATE_PAIRS,
			       .regression = true};
	struct pe_spark_sector sectors[PE_N_SPARK_METRICS];
	struct pe_history_commit commits[4];
	struct pe_evolution evolution;
	struct pe_line lines[1];

	make_line(&evolution, lines, 4, points);
	lines[0].judged = true;
	lines[0].jumps = &jump;
	lines[0].n_jumps = 1;
	for (size_t i = 0; i < 4; i++)
		commits[i] = (struct pe_history_commit){.revision.n_parents = 1,
							.parent = i < 3 ? &commits[i + 1] : NULL,
							.point = 3 - i,
							.mc = -1};
	history = (struct pe_history){.evolution = &evolution, .commits = commits, .n = 4};
	pe_spark_sectors(sectors, &history, &commits[1], "w");
	cr_expect_float_eq(sectors[PE_SPARK_TIME].value, 0.336, 1e-12);
	cr_expect_float_eq(sectors[PE_SPARK_TIME].height, 0.336, 1e-12);
	cr_expect(sectors[PE_SPARK_TIME].dark && !sectors[PE_SPARK_TIME].noise);
	for (size_t i = 0; i <= 2; i += 2) {
		pe_spark_sectors(sectors, &history, &commits[i], "w");
		cr_expect(sectors[PE_SPARK_TIME].known && sectors[PE_SPARK_TIME].noise);
		cr_expect(!sectors[PE_SPARK_TIME].dark);
		cr_expect_eq(sectors[PE_SPARK_TIME].height, 0);
	}
	/* An improvement is not noise, and not dark either. */
	jump.relative = -0.2;
	jump.regression = false;
	pe_spark_sectors(sectors, &history, &commits[1], "w");
	cr_expect_float_eq(sectors[PE_SPARK_TIME].height, 0.2, 1e-12);
	cr_expect(!sectors[PE_SPARK_TIME].dark && !sectors[PE_SPARK_TIME].noise);
}

Test(history, equal_values_are_no_change_even_where_they_are_nothing)
{
	struct pe_point points[] = {{.revision = 0, .outcome = PE_MEASURED, .value = 0},
				    {.revision = 1, .outcome = PE_MEASURED, .value = 0}};
	struct pe_history_commit commits[2] = {{.parent = &commits[1], .point = 1}, {.point = 0}};
	struct pe_spark_sector sectors[PE_N_SPARK_METRICS];
	struct pe_evolution evolution;
	struct pe_line lines[1];

	make_line(&evolution, lines, 2, points);
	history = (struct pe_history){.evolution = &evolution, .commits = commits, .n = 2};
	pe_spark_sectors(sectors, &history, &commits[0], "w");
	cr_assert(sectors[PE_SPARK_TIME].known);
	cr_expect_eq(sectors[PE_SPARK_TIME].value, 0.0);
	cr_expect(!sectors[PE_SPARK_TIME].dark);
}
