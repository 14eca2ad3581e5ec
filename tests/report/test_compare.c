#include "report/compare_text.h"
#include "report/compare.h"

#include "fixture_page.h"
#include "golden.h"
#include "report/format.h"
#include "report/zam.h"
#include "report/markdown.h"

#include "tests/support/parsed.h"
#include "tests/support/test.h"

static struct fixture_report made;
static struct pe_frames frames;
static struct pe_arena arena;
static struct pe_text text;

TestSuiteWith(compare, (void)0,
	      (pe_text_release(&text), pe_frames_release(&frames), pe_arena_release(&arena),
	       fixture_report_release(&made)),
	      .timeout = 600);

static const struct pe_term narrow = {.width = 80, .unicode = true};
static const struct pe_term ascii = {.width = 100};

#define HOSTILE  "evil\"</script>\033[31m\nname"
#define HOSTILE2 "a`b\\c\x01"

/* The comparison of a report that the fixture has, of its first benchmark alone: "page-small" or "page-hostile". */
static struct pe_compare comparison(const char *kind)
{
	struct pe_compare compare;

	cr_assert(fixture_report_make(&made, kind));
	compare = made.compares[0];
	compare.n_pairs = 1;
	pe_compare_rank(&compare, &arena);
	return compare;
}

Test(compare, note_of_a_jump_is_wrapped_and_not_cut)
{
	const struct pe_jump jump = {
		.state = PE_JUMP_CONFIRMED, .estimate = PE_ESTIMATE_PAIRS, .pairs = 12};
	struct pe_compare_pair pair = comparison("page-small").pairs[0];
	struct pe_table table;

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

Test(compare, on_a_terminal)
{
	struct pe_compare compare = comparison("page-small");

	compare.view.tree = compare.view.all = true;
	pe_compare_rank(&compare, &arena);
	pe_compare_term(&text, &compare, &narrow);
	golden_check(&text, "compare-80.term");
	pe_compare_term(&text, &compare, &ascii);
	expect_ascii(&text);
	golden_check(&text, "compare-ascii.term");
}

static const struct pe_term file = {.unicode = true};

/* A loaded machine: what was profiled differs by 32 %, what was measured in turns by 36 %. */
Test(compare, says_where_profiled_and_measured_runs_disagree)
{
	struct pe_compare compare = comparison("page-small");
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
		      "; the timed runs measured +36.4 %, the profiled runs +32.1 %");
	pe_text_clear(&text);
	pair.wall.low = 0.3;
	pair.wall.high = 0.38;
	pe_compare_term(&text, &compare, &file);
	cr_expect_lacks(pe_text_str(&text), "the profiled runs");
}

/* Others compute beside: the table has the wall time, the trees are as long as the processor time. */
Test(compare, says_that_what_is_short_of_the_wall_time_is_processor_time)
{
	struct pe_compare compare = comparison("page-small");
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

Test(compare, tells_the_bytes_of_a_call_and_how_often_it_is_made)
{
	const struct pe_attribution report = {.cost = PE_COST_BYTES};
	struct pe_cause cause = {
		.n_parts = 1,
		.parts = {{.kind = PE_CAUSE_ITSELF,
			   .frame = pe_frames_add_method(&frames, "load", "x.c"),
			   .other = PE_FRAME_NONE,
			   .amount = 4096,
			   .calls = {1, 1},
			   .allocations = {1, 1}}},
	};

	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text), "itself: +4.00 KiB");
	cause.parts[0].calls[0] = cause.parts[0].calls[1] = 2;
	pe_text_clear(&text);
	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text), "itself: +4.00 KiB, 2 calls");
}

/* What a library executes for a method is the method's. */
Test(compare, tells_the_calls_of_a_library_and_the_methods_own_work_apart)
{
	const struct pe_attribution report = {.cost = PE_COST_INSTRUCTIONS};
	struct pe_charge charge = {.callee = "__strcat_sse2_unaligned",
				   .old_calls = 6,
				   .old_cost = 9000,
				   .replaced = ""};
	struct pe_cause cause = {
		.n_parts = 1,
		.parts = {{.kind = PE_CAUSE_ITSELF,
			   .frame = pe_frames_add_method(&frames, "join", "x.c"),
			   .other = PE_FRAME_NONE,
			   .amount = -7900,
			   .instructions = {9100, 1200},
			   .charge = &charge}},
	};

	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text),
			 "no longer calls `strcat`: 6 calls, 9,000 instructions; "
			 "itself: 100 → 1,200 instructions");
	charge.callee = "memcpy";
	charge.replaced = "__strcat_sse2_unaligned";
	charge.new_calls = 6;
	charge.new_cost = 1140;
	pe_text_clear(&text);
	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text), "calls `memcpy` in place of `strcat`: "
					     "1,500 → 190 instructions a call, 6 calls");
	charge = (struct pe_charge){
		.callee = "sprintf", .new_calls = 1, .new_cost = 100, .replaced = ""};
	cause.parts[0].instructions[0] = 1099;
	pe_text_clear(&text);
	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text), "now calls `sprintf`: 1 call, 100 instructions");
	charge.old_others = 0;
	charge.new_others = 2000;
	cause.parts[0].instructions[1] = 3200;
	pe_text_clear(&text);
	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text), "functions in no call path: 0 → 2,100 instructions");
}

/* Both are of one template. */
Test(compare, cuts_the_names_of_a_cause_so_that_they_differ)
{
	const struct pe_attribution report = {.cost = PE_COST_INSTRUCTIONS};
	struct pe_cause cause = {
		.n_parts = 1,
		.parts = {{.kind = PE_CAUSE_REPLACED,
			   .frame = pe_frames_add_method(
				   &frames,
				   "library::detail::(anonymous namespace)::sort_range<Entry, "
				   "library::detail::by_name>",
				   "x.c"),
			   .other = pe_frames_add_method(
				   &frames,
				   "library::detail::(anonymous namespace)::sort_range<Entry, "
				   "library::detail::by_size>",
				   "x.c"),
			   .amount = 1,
			   .calls = {2, 2}}},
	};

	pe_compare_say_parts(&text, &report, &cause, &frames);
	cr_expect_str_eq(pe_text_str(&text),
			 "calls `sort_range<Entry, library::detail::by_name>` in place of "
			 "`sort_range<Entry, library::detail::by_size>`: 2 calls");
}

/* --- The tree --- */

static const struct pe_term colours = {
	.width = 120, .colour = true, .unicode = true, .colours = 256};

Test(compare, tree_is_folded_to_the_hot_path_and_the_causes)
{
	struct pe_compare compare = comparison("page-small");

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
	struct pe_compare compare = comparison("page-small");
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
	struct pe_compare compare = comparison("page-hostile");

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

/* The boxes of the paper: heights in one scale, a factor e of calls nine pixels (tests/compare/test_blueprint.c). */
Test(compare, picture_has_the_blueprints_boxes)
{
	struct pe_compare compare = comparison("page-small");

	pe_compare_svg(&text, &compare);
	golden_check(&text, "compare.svg");
}

Test(compare, documents_for_a_pull_request)
{
	struct pe_compare compare = comparison("page-small");

	pe_compare_term(&text, &compare, &pe_md_term);
	golden_check(&text, "compare.md");
}

Test(compare, hostile_names_are_no_markup_in_pictures_and_markdown)
{
	struct pe_compare compare = comparison("page-hostile");

	compare.new_side.name = HOSTILE;
	compare.new_side.subject = "fixes #1 for @everyone | <q src=x> [a](b) ``` $x$";
	compare.pairs[0].name = HOSTILE2 "| x";
	pe_compare_rank(&compare, &arena);
	pe_compare_svg(&text, &compare);
	cr_expect_lacks(text.data, "</script>");
	golden_check(&text, "compare-hostile.svg");
	pe_compare_term(&text, &compare, &pe_md_term);
	cr_expect_text("- - -", (void *)strstr(text.data, "<q"),
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

Test(compare, as_json)
{
	struct pe_compare compare = comparison("page-small");

	pe_compare_json(&text, &compare);
	parse();
	golden_check(&text, "compare.json");
}

Test(compare, hostile_names_leave_every_document_whole)
{
	struct pe_compare compare = comparison("page-hostile");

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
	struct pe_compare_pair pair = comparison("page-small").pairs[0];
	struct pe_function_changes functions = {.n = 1};

	pair.n_reports = 0;
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
	pair.values[2].verdict = PE_UNDECIDED;
	cr_expect_has(pe_compare_unexplained(&pair), "undecided");
	pair.values[2].verdict = PE_UNCHANGED;
	cr_expect_has(pe_compare_unexplained(&pair), "nothing to explain");
	pair.values[2].verdict = PE_REGRESSED; /* nobody judges it */
	pair.values[2].judged = false;
	cr_expect_has(pe_compare_unexplained(&pair), "nothing to explain");
}

Test(compare, stages_as_tables)
{
	struct pe_compare compare = comparison("page-small");

	pe_parcs_term(&text, &compare, &narrow);
	golden_check(&text, "parcs-80.term");
	pe_parcs_json(&text, &compare);
	parse();
	golden_check(&text, "parcs.json");
}

Test(compare, critical_graph)
{
	const struct pe_compare compare = comparison("page-hostile");
	const struct pe_zam_page page = {
		compare.pairs[0].critical, &made.frames[0], HOSTILE, "new", 0, NULL};

	pe_zam_json(&text, &page);
	parse();
	pe_text_clear(&text);
	pe_zam_dot(&text, &page);
	golden_check(&text, "zam-hostile.dot");
	pe_zam_term(&text, &page, &narrow);
	golden_check(&text, "zam-hostile-80.term");
}

Test(compare, undecided_beside_an_interval_without_0_has_its_reason)
{
	struct pe_compare compare = comparison("page-small");
	struct pe_compare_value *value = &compare.pairs[0].values[0];

	value->verdict = PE_UNDECIDED;
	value->jump = NULL;
	value->low = -0.6;
	value->high = -0.1;
	pe_compare_term(&text, &compare, &narrow);
	cr_expect_has(pe_text_str(&text), "once in 20");
	pe_text_clear(&text);
	value->high = 0.1;
	pe_compare_term(&text, &compare, &narrow);
	cr_expect_lacks(pe_text_str(&text), "once in 20");
}
