#include "report/profile.h"

#include "golden.h"
#include "report/format.h"

#include "tests/support/parsed.h"
#include "tests/support/test.h"

static struct pe_frames frames;
static struct pe_arena arena;
static struct pe_text text;

TestSuiteWith(profile, (void)0,
	      (pe_text_release(&text), pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

static const struct pe_term wide = {.width = 140, .unicode = true};
static const struct pe_term narrow = {.width = 80, .unicode = true};
static const struct pe_term ascii = {.width = 120};
static const struct pe_term colour = {.width = 0, .colour = true, .unicode = true};

/* ---- trees ---- */

/* A node under a parent with values; the depth of the tree is that of the rows. */
struct row {
	int level;
	const char *name, *signature, *component;
	uint32_t line, site;
	uint64_t calls, self_ns, allocations, samples;
	unsigned flags;
	enum pe_frame_kind kind;
};

static struct pe_cct *make(const struct row *rows, size_t n, unsigned known,
			   const struct pe_cct_facts *facts)
{
	struct pe_cct_builder *builder;
	uint32_t path[64] = {0};

	builder = pe_cct_builder_new(&frames, known);
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &rows[i];
		struct pe_frame frame = {.name = row->name,
					 .signature = row->signature,
					 .component = row->component,
					 .module = "tool",
					 .line = row->line,
					 .kind = row->kind};
		uint32_t number = pe_frames_add(&frames, &frame);
		uint32_t node = row->level > 0 ? pe_cct_builder_child(builder, path[row->level - 1],
								      number, row->site)
					       : 0;
		struct pe_cct_values *values = pe_cct_builder_at(builder, node);

		path[row->level] = node;
		values->calls = row->calls;
		values->self_ns = row->self_ns;
		values->allocations = row->allocations;
		values->allocated_bytes = 16 * row->allocations;
		values->frees = row->allocations / 2;
		values->samples = row->samples;
		pe_cct_builder_flag(builder, node, row->flags);
	}
	return pe_cct_builder_finish(builder, facts, &arena);
}

#define MS UINT64_C(1000000)

/*
 * main > parse (two sites) > token, and parse in itself; main > print, which is unstable, with a library's
 * code below that is not counted; small things that are not worth a row.
 */
static const struct row small_rows[] = {
	{1, "main", "", "src/main.c", 10, 0, 1, 2 * MS, 3, 2, 0, PE_FRAME_METHOD},
	{2, "parse", "", "src/parse.c", 40, 14, 1, 100 * MS, 1000, 100, 0, PE_FRAME_METHOD},
	{3, "ns::lexer::token", "(char const*) const", "src/lexer.cc", 7, 52, 120000, 300 * MS, 0,
	 300, PE_CCT_FOLDED, PE_FRAME_METHOD},
	{3, "parse", "", "src/parse.c", 40, 60, 50, 20 * MS, 10, 20, PE_CCT_FOLDED,
	 PE_FRAME_METHOD},
	{2, "parse", "", "src/parse.c", 40, 19, 1, 40 * MS, 500, 40, 0, PE_FRAME_METHOD},
	{3, "ns::lexer::token", "(char const*) const", "src/lexer.cc", 7, 52, 9000, 30 * MS, 0, 30,
	 0, PE_FRAME_METHOD},
	{2, "print", "", "src/print.c", 3, 21, 3, 8 * MS, 2, 8, PE_CCT_UNSTABLE | PE_CCT_CUT,
	 PE_FRAME_METHOD},
	{3, "libz.so.1+0x4f20", "", "libz.so.1", 0, 9, 0, 500 * MS, 0, 500, PE_CCT_UNCOUNTED,
	 PE_FRAME_UNKNOWN},
	{2, "tiny", "", "src/tiny.c", 1, 30, 7, 100, 0, 0, 0, PE_FRAME_METHOD},
	{2, "tinier", "", "src/tiny.c", 5, 31, 8, 50, 0, 0, 0, PE_FRAME_METHOD},
};

static struct pe_profile small(void)
{
	const struct pe_cct_facts facts = {
		.source = "counting+samples",
		.duration_ns = 1000 * MS,
		.samples = 1012,
		.samples_lost = 12,
		.interval_ns = MS,
		.processes = 1,
		.threads = 2,
		.peak_bytes = 3 << 20,
	};
	struct pe_profile profile = PE_PROFILE_DEFAULTS;

	pe_frames_add(&frames, &(struct pe_frame){.name = "parse-large", .kind = PE_FRAME_ROOT});
	profile.cct = make(small_rows, sizeof(small_rows) / sizeof(small_rows[0]),
			   PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_ALLOCATIONS |
				   PE_CCT_SAMPLES,
			   &facts);
	profile.benchmark = "parse-large";
	profile.revision = "3f2a91c0";
	profile.subject = "lexer: keep the last token";
	profile.weight = PE_WEIGHT_TIME;
	return profile;
}

static const struct row hostile_rows[] = {
	{1, "</script><b>\"quoted\\\"", "", "a;b\nc\td", 1, 3, 5, 10 * MS, 0, 10, 0,
	 PE_FRAME_METHOD},
	{2, "\033[31mred\033[0m\xe2\x80\xae reversed", "", "..\\..", 1, 4, 5, 10 * MS, 0, 10, 0,
	 PE_FRAME_METHOD},
	{3, "broken \xff\xfe utf-8 \xc0\x80", "(\"\\N\")", "", 1, 4, 5, 10 * MS, 0, 10, 15,
	 PE_FRAME_METHOD},
	{3, "\xe5\x87\xbd\xe6\x95\xb0 \xf0\x9f\x98\x80", "(int)", "\xe6\xba\x90.c", 1, 5, 5,
	 10 * MS, 0, 10, 0, PE_FRAME_METHOD},
	{3,
	 "a::very<long, name<that<goes<on, and_on, for_longer, than_any<terminal, could, be>, "
	 "wide>, and_is, cut>, somewhere>, in, the, middle>::of_it",
	 "(std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&) const",
	 "include/very/deep/folder/of/headers/that/goes/on/for/long.h", 1, 6, UINT64_MAX, 10 * MS,
	 UINT64_MAX / 2, 10, 0, PE_FRAME_METHOD},
};

static struct pe_profile hostile(void)
{
	const struct pe_cct_facts facts = {.source = "<b>cpuprofile\033[1m",
					   .duration_ns = 50 * MS};
	struct pe_profile profile = PE_PROFILE_DEFAULTS;

	profile.cct = make(hostile_rows, sizeof(hostile_rows) / sizeof(hostile_rows[0]),
			   PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_ALLOCATIONS, &facts);
	profile.benchmark = "bench\033]0;title\007\"";
	profile.subject = "\xe2\x80\xaesubject </script>";
	profile.weight = PE_WEIGHT_TIME;
	return profile;
}

/* ---- golden files ---- */

Test(profile, trees_match_golden)
{
	struct pe_profile profile = small(), foreign = hostile();

	pe_profile_tree(&text, &profile, &wide);
	golden_check(&text, "profile-tree.term");
	pe_profile_tree(&text, &profile, &narrow);
	golden_check(&text, "profile-tree-80.term");
	pe_profile_tree(&text, &profile, &ascii);
	golden_check(&text, "profile-tree-ascii.term");
	pe_profile_tree(&text, &profile, &colour);
	golden_check(&text, "profile-tree-colour.term");
	profile.weight = PE_WEIGHT_ALLOCATIONS;
	profile.depth = 2;
	pe_profile_tree(&text, &profile, &wide);
	golden_check(&text, "profile-tree-allocations.term");
	pe_profile_tree(&text, &foreign, &wide);
	golden_check(&text, "profile-tree-hostile.term");
}

Test(profile, lists_match_golden)
{
	struct pe_profile profile = small();
	uint64_t *instructions = pe_arena_new(&arena, uint64_t, frames.n);

	pe_profile_list(&text, &profile, true, &wide);
	golden_check(&text, "profile-hot.term");
	for (uint32_t f = 0; f < frames.n; f++)
		instructions[f] = 135000006;
	profile.instructions = instructions;
	pe_profile_list(&text, &profile, true, &wide);
	cr_expect_has(pe_text_str(&text), "  instructions  ");
	cr_expect_has(pe_text_str(&text), "  135,000,006  ");
	pe_text_clear(&text);
	profile.instructions = NULL;
	pe_profile_list(&text, &profile, false, &wide);
	golden_check(&text, "profile-methods.term");
	profile.most = 2;
	profile.weight = PE_WEIGHT_CALLS;
	pe_profile_list(&text, &profile, true, &narrow);
	golden_check(&text, "profile-hot-calls-80.term");
}

Test(profile, documents_match_golden)
{
	struct pe_profile profile = small(), foreign = hostile();

	pe_profile_json(&text, &profile);
	golden_check(&text, "profile.json");
	pe_profile_json(&text, &foreign);
	golden_check(&text, "profile-hostile.json");
}

/* ---- facts ---- */

Test(profile, terminal_keeps_to_its_width_and_sees_no_foreign_codes)
{
	struct pe_profile profile = small(), foreign = hostile();

	pe_profile_tree(&text, &foreign, &wide);
	pe_profile_list(&text, &foreign, true, &wide);
	pe_profile_list(&text, &foreign, false, &wide);
	expect_lines_within(&text, 140);
	expect_no_foreign_codes(&text);
	pe_text_clear(&text);
	pe_profile_tree(&text, &profile, &narrow);
	pe_profile_list(&text, &profile, true, &narrow);
	pe_profile_list(&text, &profile, false, &narrow);
	expect_lines_within(&text, 80);
}

Test(profile, ascii_terminal_sees_ascii)
{
	struct pe_profile profile = small(), foreign = hostile();

	pe_profile_tree(&text, &profile, &ascii);
	pe_profile_list(&text, &profile, true, &ascii);
	pe_profile_tree(&text, &foreign, &ascii);
	pe_profile_list(&text, &foreign, false, &ascii);
	expect_ascii(&text);
}

static const struct pe_profile_method *find(const struct pe_profile_method *methods, size_t n,
					    const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(frames.at[methods[i].frame].name, name) == 0)
			return &methods[i];
	cr_assert(0, "no method %s", name);
	return NULL;
}

/* parse in parse lies in it: 490 ms of the first call, recursion included once, and 70 of the second. */
Test(profile, recursion_counts_once_in_inclusive_time)
{
	struct pe_profile profile = small();
	size_t n;
	const struct pe_profile_method *methods =
		pe_profile_by_method(&n, profile.cct, PE_WEIGHT_TIME, &arena);
	const struct pe_profile_method *parse = find(methods, n, "parse");

	cr_expect(eq(u64, parse->self, 160 * MS));
	cr_expect(eq(u64, parse->total, 490 * MS));
	cr_expect_text("52 3 490", parse->calls, parse->contexts, parse->total_samples);
	cr_expect(eq(u64, find(methods, n, "ns::lexer::token")->total, 330 * MS));
	cr_expect(eq(u64, find(methods, n, "main")->total, profile.cct->total_ns[0]));
}

/* What is not shown is summed: rows of one parent's children make up its time. */
Test(profile, nodes_below_the_threshold_are_summed)
{
	struct pe_profile profile = small();

	pe_profile_tree(&text, &profile, &wide);
	cr_expect_has(text.data, "\xe2\x80\xa6 2 more");
	cr_expect_has(text.data, "150 ns");
	cr_expect_lacks(text.data, "tinier");
	pe_text_clear(&text);
	profile.threshold = 0;
	pe_profile_tree(&text, &profile, &wide);
	cr_expect_lacks(text.data, "more\n");
	cr_expect_has(text.data, "tinier");
}

static const struct pe_json_value *parsed(const struct pe_profile *profile)
{
	pe_text_clear(&text);
	pe_profile_json(&text, profile);
	return json_parsed(text.data, text.len);
}

/* Samples alone: no calls, no allocations, no sites; nothing is shown as zero. */
Test(profile, unknown_columns_are_left_out)
{
	static const struct row rows[] = {
		{1, "f", "", "", 0, 0, 0, 0, 0, 3, 0, PE_FRAME_METHOD},
		{2, "g", "", "", 0, 0, 0, 0, 0, 5, 0, PE_FRAME_METHOD},
	};
	const struct pe_cct_facts facts = {.source = "folded", .samples = 8};
	struct pe_profile profile = PE_PROFILE_DEFAULTS;

	profile.cct = make(rows, 2, PE_CCT_SAMPLES, &facts);
	profile.weight = PE_WEIGHT_SAMPLES;
	pe_profile_tree(&text, &profile, &wide);
	pe_profile_list(&text, &profile, true, &wide);
	cr_expect(strstr(text.data, "calls") == NULL, "%s", text.data);
	cr_expect_lacks(text.data, "allocations");
	cr_expect_lacks(text.data, "line");
	pe_text_clear(&text);
	pe_profile_json(&text, &profile);
	cr_expect_lacks(text.data, "\"calls\"");
	cr_expect_lacks(text.data, "self_ns");
}

Test(profile, empty_trees_have_views_too)
{
	const struct pe_cct_facts facts = {.source = "counting"};
	struct pe_profile profile = PE_PROFILE_DEFAULTS;

	profile.cct = make(NULL, 0, PE_CCT_CALLS, &facts);
	profile.weight = PE_WEIGHT_CALLS;
	pe_profile_tree(&text, &profile, &narrow);
	pe_profile_list(&text, &profile, true, &narrow);
	pe_profile_list(&text, &profile, false, &narrow);
	cr_expect(strstr(text.data, "nan") == NULL, "%s", text.data);
	parsed(&profile);
}

/* As deep as JavaScript's get: neither the C stack nor the width of a line grows with it. */
Test(profile, depth_costs_no_stack)
{
	const struct pe_cct_facts facts = {.source = "counting"};
	struct pe_profile profile = PE_PROFILE_DEFAULTS;
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	uint32_t node = 0;
	char name[32];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "f%d", i % 100);
		node = pe_cct_builder_child(builder, node,
					    pe_frames_add_method(&frames, name, "a.js"), 0);
		pe_cct_builder_at(builder, node)->calls = 1;
	}
	profile.cct = pe_cct_builder_finish(builder, &facts, &arena);
	profile.weight = PE_WEIGHT_CALLS;
	profile.threshold = 0;
	pe_profile_tree(&text, &profile, &narrow);
	pe_profile_list(&text, &profile, false, &narrow);
	expect_lines_within(&text, 80);
	cr_expect_has(text.data, "[20000] f99");
	pe_text_clear(&text);
	pe_profile_json(&text, &profile);
	cr_expect(gt(sz, text.len, 20000));
}
