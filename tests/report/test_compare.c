#include "report/compare_text.h"
#include "report/compare.h"

#include "golden.h"
#include "report/format.h"
#include "report/zam.h"

#include "tests/support/parsed.h"
#include "tests/support/test.h"

static struct pe_frames frames;
static struct pe_arena arena;
static struct pe_text text;

TestSuiteWith(compare, (void)0,
	      (pe_text_release(&text), pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

static const struct pe_term narrow = {.width = 80, .unicode = true};
static const struct pe_term ascii = {.width = 100};

#define MS       UINT64_C(1000000)
#define HOSTILE  "evil\"</script>\033[31m\nname"
#define HOSTILE2 "a`b\\c\x01"

struct row {
	int level;
	const char *name;
	uint64_t calls, self_ns, allocations;
};

static struct pe_cct *make(const struct row *rows, size_t n)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(
		&frames, PE_CCT_CALLS | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SITES);
	const struct pe_cct_facts facts = {.source = "counting+samples"};
	uint32_t path[16] = {0};

	for (size_t i = 0; i < n; i++) {
		uint32_t frame = pe_frames_add_method(&frames, rows[i].name, "src/a.c");
		uint32_t node = pe_cct_builder_child(builder, path[rows[i].level - 1], frame,
						     (uint32_t)i + 1);
		struct pe_cct_values *values = pe_cct_builder_at(builder, node);

		path[rows[i].level] = node;
		values->calls = rows[i].calls;
		values->self_ns = rows[i].self_ns;
		values->allocations = rows[i].allocations;
		values->allocated_bytes = 16 * rows[i].allocations;
	}
	return pe_cct_builder_finish(builder, &facts, &arena);
}

static const struct row old_rows[] = {
	{1, "main", 1, 2 * MS, 1},
	{2, "intern", 1000, 4 * MS, 0},
	{3, "hash_probe", 1000, 6 * MS, 1000},
	{2, "gone", 5, 1 * MS, 0},
	{2, "steady", 10, 7 * MS, 0},
};

static const struct row new_rows[] = {
	{1, "main", 1, 2 * MS, 1},
	{2, "intern", 1000, 4 * MS, 0},
	{3, "hash_probe", 3000, 18 * MS, 3000},
	{3, "check", 1000, 3 * MS, 0},
	{2, "steady", 10, 7 * MS, 0},
};

static const struct row hostile_rows[] = {
	{1, "main", 1, 2 * MS, 1},
	{2, HOSTILE, 1000, 40 * MS, 5000},
	{3, HOSTILE2, 1000, 30 * MS, 0},
};

static const struct pe_metric wall = {"wall",          "ns", "wall time", PE_LOWER_IS_BETTER,
				      PE_METRIC_NOISY, 0.02, 0,           false};
static const struct pe_metric allocations = {
	"allocations", "1", "allocations", PE_LOWER_IS_BETTER, PE_METRIC_DETERMINISTIC, 0, 0,
	false};

static void fill_values(struct pe_compare_pair *pair)
{
	pair->values = pe_arena_new(&arena, struct pe_compare_value, 2);
	pair->n_values = 2;
	pair->values[0] = (struct pe_compare_value){.metric = &wall,
						    .old_value = 20e6,
						    .new_value = 34e6,
						    .old_n = 10,
						    .new_n = 10,
						    .relative = 0.7,
						    .low = 0.68,
						    .high = 0.72,
						    .judged = true,
						    .verdict = PE_REGRESSED};
	pair->values[1] = (struct pe_compare_value){.metric = &allocations,
						    .old_value = 1001,
						    .new_value = 3001,
						    .old_n = 2,
						    .new_n = 2,
						    .relative = 2000.0 / 1001,
						    .low = NAN,
						    .high = NAN,
						    .exact = true,
						    .judged = true,
						    .verdict = PE_REGRESSED};
}

/* A comparison as cmd/ puts it together, ranked. */
static struct pe_compare compare_rows(const struct row *olds, size_t n_olds, const struct row *news,
				      size_t n_news)
{
	struct pe_compare_pair *pair = pe_arena_new(&arena, struct pe_compare_pair, 1);
	struct pe_runs *runs = pe_arena_new(&arena, struct pe_runs, 2);
	struct pe_match *match = pe_arena_new(&arena, struct pe_match, 1);
	struct pe_delta *delta = pe_arena_new(&arena, struct pe_delta, 1);
	struct pe_delta_methods *methods = pe_arena_new(&arena, struct pe_delta_methods, 1);
	struct pe_blueprint *blueprint = pe_arena_new(&arena, struct pe_blueprint, 1);
	struct pe_parcs *parcs = pe_arena_new(&arena, struct pe_parcs, 1);
	struct pe_frame_change *states;
	struct pe_changes *changes = pe_arena_new(&arena, struct pe_changes, 1);
	const struct pe_cct **at = pe_arena_new(&arena, const struct pe_cct *, 2);
	struct pe_blueprint_opts drawn = {.changes = changes};
	struct pe_parcs_opts stages = {.changes = changes};
	struct pe_attribution_opts opts = {.changes = changes};
	const struct pe_match_opts matched = {.rule = PE_MATCH_SUBSEQUENCE};
	struct pe_compare compare;

	at[0] = make(olds, n_olds);
	at[1] = make(news, n_news);
	states = pe_arena_new(&arena, struct pe_frame_change, frames.n);
	for (uint32_t f = 0; f < frames.n; f++)
		states[f].source = strcmp(frames.at[f].name, "intern") == 0 ? PE_SOURCE_MODIFIED
				   : strcmp(frames.at[f].name, "gone") == 0 ? PE_SOURCE_DELETED
									    : PE_SOURCE_SAME;
	*changes = (struct pe_changes){states, frames.n};
	pe_runs_make(&runs[0], &at[0], 1, &arena);
	pe_runs_make(&runs[1], &at[1], 1, &arena);
	pe_match_make(match, at[0], at[1], &matched, &arena);
	pe_delta_make(delta, &runs[0], &runs[1], match, &arena);
	pe_delta_methods_sum(methods, delta, &arena);
	pe_blueprint_make(blueprint, delta, &drawn, &arena);
	pe_parcs_make(parcs, &runs[0], &runs[1], &stages, &arena);
	*pair = (struct pe_compare_pair){.name = "parse",
					 .old_runs = &runs[0],
					 .new_runs = &runs[1],
					 .delta = delta,
					 .methods = methods,
					 .blueprint = blueprint,
					 .changes = changes,
					 .parcs = parcs};
	fill_values(pair);
	pair->reports = pe_arena_new(&arena, struct pe_attribution, 2);
	pair->n_reports = 2;
	pe_attribution_make(&pair->reports[0], delta, &opts, &arena);
	opts.cost = PE_COST_ALLOCATIONS;
	pe_attribution_make(&pair->reports[1], delta, &opts, &arena);
	compare = (struct pe_compare){
		.old_side = {"3f2a91c0", "3f2a91c000000000000000000000000000000000", "the old way"},
		.new_side = {"5b21aa00", "5b21aa0000000000000000000000000000000000", "probe more"},
		.match = "subsequence",
		.call_sites = true,
		.min_change = 0.005,
		.pairs = pair,
		.n_pairs = 1,
	};
	pe_compare_rank(&compare, &arena);
	return compare;
}

#define COMPARE(olds, news)                                                                        \
	compare_rows(olds, sizeof(olds) / sizeof(*(olds)), news, sizeof(news) / sizeof(*(news)))

/* Every line of the verdict, ranked by the part of the execution that it is. */
Test(compare, note_of_a_jump_is_wrapped_and_not_cut)
{
	const struct pe_jump jump = {
		.state = PE_JUMP_CONFIRMED, .estimate = PE_ESTIMATE_PAIRS, .pairs = 12};
	struct pe_compare_pair pair = {0};
	struct pe_table table;

	fill_values(&pair);
	pair.values[0].jump = &jump;
	pair.values[0].jump_id = "be182cbaf0";
	pair.values[0].measured = -0.242;
	pe_compare_begin_metrics(&table, &narrow);
	pe_compare_put_metrics(&table, &pair, "parse");
	pe_table_finish(&text, &table, true);
	cr_expect_has(pe_text_str(&text), "\n   change: of the jump at be182cba (confirmed, 12 "
					  "fresh pairs); the runs of\n"
					  "     these two alone: −24.2 %\n");
}

Test(compare, lines_of_several_costs_are_ranked_together)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);

	cr_assert(gt(sz, compare.n_lines, 2));
	for (size_t i = 1; i < compare.n_lines; i++)
		cr_expect(ge(dbl, compare.lines[i - 1].weight, compare.lines[i].weight));
	cr_expect(eq(sz, compare.lines[0].report, 1)); /* 2000 of 3001 allocations */
	cr_expect_has(compare.lines[0].text, "hash_probe");
}

Test(compare, on_a_terminal)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);

	compare.view.tree = compare.view.all = true;
	pe_compare_rank(&compare, &arena);
	pe_compare_term(&text, &compare, &narrow);
	golden_check(&text, "compare-80.term");
	pe_compare_term(&text, &compare, &ascii);
	expect_ascii(&text);
	golden_check(&text, "compare-ascii.term");
}

static const struct pe_term file = {.unicode = true};

/* A loaded machine: what was profiled differs by 70 %, what was measured in turns by 36 %. */
Test(compare, says_where_profiled_and_measured_runs_disagree)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);
	struct pe_compare_pair pair = compare.pairs[0];

	compare.pairs = &pair;
	pair.n_values = 0;
	pair.wall = (struct pe_compare_value){.metric = &pe_metrics[PE_WALL],
					      .old_n = 10,
					      .relative = 0.364,
					      .low = 0.35,
					      .high = 0.38};
	pe_compare_rank(&compare, &arena);
	pe_compare_term(&text, &compare, &file);
	cr_expect_has(pe_text_str(&text),
		      "; the timed runs measured +36.4 %, the profiled runs +70 %");
	pe_text_clear(&text);
	pair.wall.low = 0.6;
	pair.wall.high = 0.8;
	pe_compare_term(&text, &compare, &file);
	cr_expect_lacks(pe_text_str(&text), "the profiled runs");
}

/* Others compute beside: the table has the wall time, the trees are as long as the processor time. */
Test(compare, says_that_what_is_short_of_the_wall_time_is_processor_time)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);
	struct pe_compare_pair pair = compare.pairs[0];

	compare.pairs = &pair;
	pair.n_values = 0;
	pair.cpu = (struct pe_compare_value){.metric = &pe_metrics[PE_CPU], .old_n = 10};
	pair.wall = (struct pe_compare_value){
		.metric = &pe_metrics[PE_WALL], .old_n = 10, .old_value = 1e12, .new_value = 2e12};
	pe_compare_rank(&compare, &arena);
	pe_compare_term(&text, &compare, &file);
	cr_expect_has(pe_text_str(&text), " more processor time, ");
	pe_text_clear(&text);
	pair.wall.old_value = pair.wall.new_value = 1;
	pe_compare_term(&text, &compare, &file);
	cr_expect_lacks(pe_text_str(&text), "processor time");
}

/* What waits for memory executes what it did. */
Test(compare, tells_the_time_of_a_call_where_instructions_are_the_same)
{
	const struct pe_attribution report = {.cost = PE_COST_TIME};
	struct pe_cause cause = {
		.kind = PE_CAUSE_CALLS,
		.n_parts = 1,
		.parts = {{.kind = PE_CAUSE_CALLS,
			   .frame = pe_frames_add_method(&frames, "encode", "x.c"),
			   .other = PE_FRAME_NONE,
			   .contexts = 1,
			   .amount = -35035,
			   .calls = {1001, 1000},
			   .instructions = {150003, 150000},
			   .own_ns = {162162, 90000}}},
	};

	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text),
			 "`encode`: 162 → 127 ns a call, 1,000 calls, of as many instructions");
	/* Few samples may fall on the other side than the estimate says: the time is the estimate's. */
	cause.parts[0].amount = 700000;
	cause.parts[0].own_ns[1] = 0;
	pe_text_clear(&text);
	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text),
			 "`encode`: 162 → 861 ns a call, 1,000 calls, of as many instructions");
	pe_text_clear(&text);
	cause.parts[0].frame = PE_FRAME_NONE;
	cause.parts[0].amount = 35000;
	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text), "functions in no call path: +35.0 µs");
}

/* --- The tree --- */

static const struct pe_term colours = {
	.width = 120, .colour = true, .unicode = true, .colours = 256};

Test(compare, tree_is_folded_to_the_hot_path_and_the_causes)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);

	pe_compare_tree(&text, &compare, 0, &file);
	golden_check(&text, "compare-tree.term");
	compare.view.all = true;
	pe_compare_tree(&text, &compare, 0, &colours);
	golden_check(&text, "compare-tree-all-256.term");
	/* Without causes the hot path is left, what varies as well, and of the first levels what differs. */
	compare.view.all = false;
	compare.n_lines = 0;
	compare.view.depth = 2;
	pe_compare_tree(&text, &compare, 0, &file);
	golden_check(&text, "compare-tree-depth.term");
}

Test(compare, tree_goes_by_shares_when_asked)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);
	const struct pe_blueprint_opts opts = {.basis = PE_BASIS_SHARE};
	struct pe_blueprint blueprint;

	pe_blueprint_make(&blueprint, compare.pairs[0].delta, &opts, &arena);
	compare.basis = PE_BASIS_SHARE;
	compare.pairs[0].blueprint = &blueprint;
	compare.view.all = true;
	pe_compare_tree(&text, &compare, 0, &file);
	golden_check(&text, "compare-tree-share.term");
}

Test(compare, tree_of_hostile_names_keeps_to_its_width)
{
	static const unsigned widths[] = {20, 40, 60, 80, 100, 200};
	struct pe_compare compare = COMPARE(old_rows, hostile_rows);

	compare.view.all = true;
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		const struct pe_term term = {.width = widths[i], .unicode = true};

		pe_text_clear(&text);
		pe_compare_tree(&text, &compare, 0, &term);
		cr_expect_null(strchr(text.data, '\033'));
		if (widths[i] >= 60)
			expect_lines_within(&text, widths[i]);
	}
}

/* The boxes of the paper: heights in one scale, a factor e of calls nine pixels, five where calls are equal. */
#define IS_DRAWN(box) cr_expect(ne(ptr, (void *)strstr(text.data, box), NULL), "no %s", box)

Test(compare, picture_has_the_blueprints_boxes)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);

	pe_compare_svg(&text, &compare);
	/* intern was modified, and spends as much itself as before: a line as wide as equal calls are. */
	IS_DRAWN("<rect class=\"box red\" fill=\"#d7301f\" x=\"110.96\" y=\"80\" width=\"5\" "
		 "height=\"5\"/>");
	/* hash_probe: +60 % of the old execution is the highest box, 2,000 calls more are 9 ln 2001 pixels. */
	IS_DRAWN("width=\"68.41\" height=\"299\"");
	/* Its border lies around it. */
	IS_DRAWN("<rect class=\"border thin\" stroke-width=\"1\" x=\"-0.5\" y=\"127.5\" "
		 "width=\"69.41\" height=\"300\"/>");
	/* check: +15 %, a quarter of that; as often as its caller was called in old. */
	IS_DRAWN("width=\"5\" height=\"74.75\"");
	/* gone: -5 %, gray and dashed; its caller was called as often: 9 ln (|5 - 1| + 1). */
	IS_DRAWN("width=\"14.48\" height=\"24.92\"");
	/* main: a callee is not shown. */
	IS_DRAWN("<rect class=\"border thick\" stroke-width=\"3\"");
	cr_expect_has(text.data, "stroke-dasharray=\"4 2\" x=");
	golden_check(&text, "compare.svg");
}

Test(compare, documents_for_a_pull_request)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);

	pe_compare_md(&text, &compare);
	golden_check(&text, "compare.md");
}

Test(compare, hostile_names_are_no_markup_in_pictures_and_markdown)
{
	struct pe_compare compare = COMPARE(old_rows, hostile_rows);

	compare.new_side.name = HOSTILE;
	compare.new_side.subject = "fixes #1 for @everyone | <img src=x> [a](b) ``` $x$";
	compare.pairs[0].name = HOSTILE2 "| x";
	pe_compare_rank(&compare, &arena);
	pe_compare_svg(&text, &compare);
	cr_expect_lacks(text.data, "</script>");
	golden_check(&text, "compare-hostile.svg");
	pe_compare_md(&text, &compare);
	cr_expect_text("- - -", (void *)strstr(text.data, "<img"),
		       (void *)strstr(text.data, "@everyone"), strchr(text.data, '\033'));
	golden_check(&text, "compare-hostile.md");
}

/* Neither the C stack nor the width is asked for a level of the tree. */
Test(compare, tree_of_many_levels)
{
	enum { LEVELS = 20000 };
	struct pe_cct_builder *builder;
	const struct pe_cct_facts facts = {.source = "counting+samples"};
	const struct pe_cct *at[2];
	struct pe_runs runs[2];
	struct pe_match match;
	struct pe_delta delta;
	struct pe_blueprint blueprint;
	const struct pe_match_opts matched = {.rule = PE_MATCH_SUBSEQUENCE};
	struct pe_compare_pair pair = {.name = "deep", .delta = &delta, .blueprint = &blueprint};
	struct pe_compare compare = {.pairs = &pair, .n_pairs = 1, .view = {.all = true}};

	for (size_t side = 0; side < 2; side++) {
		uint32_t node = 0;

		builder = pe_cct_builder_new(&frames, PE_CCT_CALLS | PE_CCT_TIME);
		for (uint32_t i = 0; i < LEVELS; i++) {
			char name[32];

			snprintf(name, sizeof(name), "f%u", i);
			node = pe_cct_builder_child(builder, node,
						    pe_frames_add_method(&frames, name, "a.c"), 0);
			pe_cct_builder_at(builder, node)->calls = 1;
			pe_cct_builder_at(builder, node)->self_ns = 10 + side;
		}
		at[side] = pe_cct_builder_finish(builder, &facts, &arena);
		pe_runs_make(&runs[side], &at[side], 1, &arena);
	}
	pe_match_make(&match, at[0], at[1], &matched, &arena);
	pe_delta_make(&delta, &runs[0], &runs[1], &match, &arena);
	pe_blueprint_make(&blueprint, &delta, NULL, &arena);
	pe_compare_tree(&text, &compare, 0, &narrow);
	expect_lines_within(&text, 80);
	cr_expect_has(text.data, "[20000] f19999");
}

static const struct pe_json_value *parse(void)
{
	return json_parsed(pe_text_str(&text), text.len);
}

Test(compare, in_json_causes_and_the_rest_sum_to_the_difference)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);
	const struct pe_json_value *document, *bench, *lines, *judged;

	pe_compare_json(&text, &compare);
	document = parse();
	bench = pe_json_element(json_get(document, "benchmarks"), 0);
	lines = json_get(bench, "verdict");
	judged = json_get(bench, "judged");
	for (size_t r = 0; r < judged->n; r++) {
		const struct pe_json_value *report = &judged->items[r];
		int64_t sum = pe_json_whole(json_get(report, "rest"), INT64_MIN);

		for (size_t i = 0; i < lines->n; i++)
			if (strcmp(pe_json_string(json_get(&lines->items[i], "unit")),
				   pe_json_string(json_get(report, "unit"))) == 0)
				sum += pe_json_whole(json_get(&lines->items[i], "amount"),
						     INT64_MIN);
		cr_expect(eq(i64, sum, pe_json_whole(json_get(report, "difference"), INT64_MIN)));
	}
	cr_expect(eq(sz, pe_json_length(json_get(document, "verdict")), compare.n_lines));
	golden_check(&text, "compare.json");
}

Test(compare, hostile_names_leave_every_document_whole)
{
	struct pe_compare compare = COMPARE(old_rows, hostile_rows);

	compare.new_side.name = compare.new_side.subject = HOSTILE;
	compare.pairs[0].name = HOSTILE;
	pe_compare_rank(&compare, &arena);
	pe_compare_json(&text, &compare);
	parse();
	cr_expect_lacks(text.data, "</script>");
	pe_text_clear(&text);
	pe_parcs_json(&text, &compare);
	parse();
	pe_text_clear(&text);
	pe_compare_term(&text, &compare, &narrow);
	pe_parcs_term(&text, &compare, &narrow);
	for (size_t i = 0; i < text.len; i++)
		cr_assert(text.data[i] == '\n' || (unsigned char)text.data[i] >= ' ');
}

Test(compare, of_a_pair_without_trees_says_why)
{
	struct pe_compare_pair pairs[2] = {
		{.name = "small", .problem = "new could not be profiled: it crashed"},
		{.name = "large", .same = true},
	};
	struct pe_compare compare = {.old_side = {.name = "a"},
				     .new_side = {.name = "b"},
				     .match = "subsequence",
				     .pairs = pairs,
				     .n_pairs = 2};

	pe_compare_rank(&compare, &arena);
	pe_compare_term(&text, &compare, &narrow);
	pe_parcs_term(&text, &compare, &narrow);
	golden_check(&text, "compare-none.term");
	pe_compare_json(&text, &compare);
	parse();
}

/* The sentence below a table contradicts none of its rows. */
Test(compare, what_differs_is_not_called_the_same)
{
	struct pe_compare_pair pair = {.name = "small"};
	struct pe_function_changes functions = {.n = 1};

	fill_values(&pair);
	cr_expect_str_eq(
		pe_compare_unexplained(&pair),
		"nothing that differs is counted in the profiles: calls explain none of it");
	pair.functions = &functions; /* which are listed below the sentence */
	cr_expect_lacks(pe_compare_unexplained(&pair), "none");
	cr_expect_has(pe_compare_unexplained(&pair), "by function");
	pair.functions = NULL;
	pair.values[0].verdict = PE_UNCHANGED; /* the exact one differs */
	cr_expect_str_eq(
		pe_compare_unexplained(&pair),
		"nothing that differs is counted in the profiles: calls explain none of it");
	pair.values[1].verdict = PE_UNDECIDED;
	cr_expect_has(pe_compare_unexplained(&pair), "undecided");
	pair.values[1].verdict = PE_UNCHANGED;
	cr_expect_has(pe_compare_unexplained(&pair), "nothing to explain");
	pair.values[1].verdict = PE_REGRESSED; /* nobody judges it */
	pair.values[1].judged = false;
	cr_expect_has(pe_compare_unexplained(&pair), "nothing to explain");
}

Test(compare, stages_as_tables)
{
	struct pe_compare compare = COMPARE(old_rows, new_rows);

	compare.source = (struct pe_compare_source){true, {12, 13}, {1200, 1201}, 2, 1, 1, 0, 0};
	pe_parcs_term(&text, &compare, &narrow);
	golden_check(&text, "parcs-80.term");
	pe_parcs_json(&text, &compare);
	parse();
	golden_check(&text, "parcs.json");
}

Test(compare, critical_graph)
{
	const struct pe_cct *olds[1], *news[1];
	struct pe_zam_opts opts = PE_ZAM_DEFAULTS;
	struct pe_zam zam;
	struct pe_zam_page page = {&zam, &frames, HOSTILE, "new", 0, NULL};

	olds[0] = make(old_rows, sizeof(old_rows) / sizeof(*old_rows));
	news[0] = make(hostile_rows, sizeof(hostile_rows) / sizeof(*hostile_rows));
	opts.min_ns = 5 * MS;
	cr_assert(eq(int, pe_zam_make(&zam, olds, news, 1, &opts, &arena, NULL), PE_OK));
	for (uint32_t f = 0; f < frames.n; f++)
		frames.at[f].line = strcmp(frames.at[f].name, HOSTILE) == 0 ? 17 : 0;
	pe_zam_json(&text, &page);
	parse();
	pe_text_clear(&text);
	pe_zam_dot(&text, &page);
	cr_expect_not_null(strstr(text.data, "src/a.c:17\\n"), "where it is defined");
	cr_expect_not_null(strstr(text.data, "\\n+52.0 ms, "), "what the root differs by");
	golden_check(&text, "zam-hostile.dot");
	pe_zam_term(&text, &page, &narrow);
	golden_check(&text, "zam-hostile-80.term");
}
