/* Trees written for other tools, and read again: by our own importers, or as those tools would. */
#include "analysis/profile/export.h"

#include "core/base/vec.h"
#include "tests/profile/imported.h"

#include "tests/support/test.h"

#define GOLDEN_FOLDER "profile/exports"
#include "tests/support/golden.h"

#include <dirent.h>
#include <zlib.h>

static struct pe_frames frames;
static struct pe_arena arena;
static struct pe_text text;

TestSuiteWith(export, (void)0,
	      (pe_text_release(&text), pe_frames_release(&frames), pe_arena_release(&arena)),
	      .timeout = 600);

enum { MS = 1000000 };

static uint32_t add(struct pe_cct_builder *builder, uint32_t parent, const char *name,
		    const char *signature, uint32_t site, uint64_t calls, uint64_t self_ns)
{
	struct pe_frame frame = {.name = name,
				 .signature = signature,
				 .component = "src/a.c",
				 .module = "tool",
				 .line = 7};
	uint32_t node = pe_cct_builder_child(builder, parent, pe_frames_add(&frames, &frame), site);

	*pe_cct_builder_at(builder, node) = (struct pe_cct_values){
		.calls = calls,
		.self_ns = self_ns,
		.samples = self_ns / MS,
		.allocations = calls * 2,
		.allocated_bytes = calls * 100,
	};
	return node;
}

/* main > f (two sites) > g, and main > h without values > g of another signature. */
static const struct pe_cct *make(unsigned known)
{
	const struct pe_cct_facts facts = {.source = "test", .interval_ns = MS};
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, known);
	uint32_t top = add(builder, 0, "main", "", 0, 1, 2 * MS), f, h;

	f = add(builder, top, "f", "", 10, 3, 5 * MS);
	add(builder, f, "g", "(int)", 20, 30, 7 * MS + 400);
	f = add(builder, top, "f", "", 12, 4, 0);
	add(builder, f, "g", "(int)", 20, 40, 11 * MS + 700);
	h = add(builder, top, "h;x\ny", "", 14, 0, 0);
	add(builder, h, "g", "(char)", 30, 50, 13 * MS);
	return pe_cct_builder_finish(builder, &facts, &arena);
}

#define ALL (PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_TIME | PE_CCT_ALLOCATIONS | PE_CCT_SAMPLES)

static int write_as(const char *format, const struct pe_cct *cct, enum pe_weight weight)
{
	const struct pe_export_options options = {
		.weight = weight, .title = "parse \"at\" \xff 3f2a91c", .time_s = 1700000000};
	struct pe_err err = PE_ERR_INIT;
	const struct pe_export_format *found = pe_export_find(format, &err);

	cr_assert(found != NULL, "%s", err.message);
	pe_text_clear(&text);
	return found->write(&text, cct, &options, &err);
}

Test(export, formats_are_found_by_name)
{
	struct pe_err err = PE_ERR_INIT;

	for (size_t i = 0; i < pe_n_exports; i++)
		cr_expect(eq(ptr, (void *)pe_export_find(pe_exports[i].name, &err),
			     (void *)&pe_exports[i]));
	cr_expect_null(pe_export_find("flame", &err));
	cr_expect_str_eq(
		err.message,
		"unknown format 'flame' for a profile (there are folded, pprof, speedscope)");
}

Test(export, weights_are_found_and_settled)
{
	const struct pe_cct *cct = make(PE_CCT_CALLS);
	enum pe_weight weight = PE_WEIGHT_AUTO;
	struct pe_err err = PE_ERR_INIT;

	cr_expect(eq(int, pe_weight_settle(&weight, cct, &err), PE_OK));
	cr_expect(eq(int, (int)weight, (int)PE_WEIGHT_CALLS));
	weight = PE_WEIGHT_TIME;
	cr_expect(eq(int, pe_weight_settle(&weight, cct, &err), PE_ENOTFOUND));
	cr_expect_str_eq(err.message, "this profile does not know time; it knows calls");
	cr_expect(eq(int, pe_weight_find(&weight, "bytes", &err), PE_OK));
	cr_expect(eq(int, (int)weight, (int)PE_WEIGHT_BYTES));
	cr_expect(eq(int, pe_weight_find(&weight, "money", &err), PE_EINVALID));
	cr_expect(eq(int, write_as("folded", cct, PE_WEIGHT_TIME), PE_ENOTFOUND));
	cr_expect(eq(int, write_as("pprof", cct, PE_WEIGHT_TIME), PE_ENOTFOUND));
	cr_expect(eq(int, write_as("speedscope", cct, PE_WEIGHT_TIME), PE_ENOTFOUND));
}

/* ---- folded ---- */

Test(export, folded_has_a_line_a_node_with_weight)
{
	const struct pe_cct *cct = make(ALL);

	cr_assert(eq(int, write_as("folded", cct, PE_WEIGHT_AUTO), PE_OK));
	cr_expect_str_eq(text.data, "main 2\n"
				    "main;f 5\n"
				    "main;f;g(int) 7\n"
				    "main;f;g(int) 11\n"
				    "main;h:x_y;g(char) 13\n");
	cr_assert(eq(int, write_as("folded", cct, PE_WEIGHT_CALLS), PE_OK));
	cr_expect_str_eq(text.data, "main 1\n"
				    "main;f 3\n"
				    "main;f;g(int) 30\n"
				    "main;f 4\n"
				    "main;f;g(int) 40\n"
				    "main;h:x_y;g(char) 50\n");
	/* 400 ns and 700 ns left over make another microsecond */
	cr_assert(eq(int, write_as("folded", cct, PE_WEIGHT_TIME), PE_OK));
	cr_expect_str_eq(text.data, "main 2000\n"
				    "main;f 5000\n"
				    "main;f;g(int) 7000\n"
				    "main;f;g(int) 11001\n"
				    "main;h:x_y;g(char) 13000\n");
}

static const struct pe_cct *read_back(const char *format)
{
	pe_auto_text copy = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	const char *note;
	struct pe_cct *cct = NULL;

	pe_text_addn(&copy, text.data, text.len);
	cr_assert_ok(
		import_of(&cct, copy.data, copy.len, "again", format, &frames, &arena, &note, &err),
		err.message);
	return cct;
}

Test(export, folded_comes_back_the_same)
{
	static const char stacks[] = "main 2\n"
				     "main;parse 5\n"
				     "main;parse;token 7\n"
				     "main;parse;parse;token 9\n"
				     "main;print 1\n"
				     "other 3\n";

	pe_text_add(&text, stacks);
	cr_assert(eq(int, write_as("folded", read_back(NULL), PE_WEIGHT_AUTO), PE_OK));
	cr_expect_str_eq(text.data, stacks);
}

/* Through another format and back: the stacks are the same, and so is every column that the format has. */
static void expect_round_trip(const char *format, enum pe_weight weight)
{
	const struct pe_cct *cct = make(ALL), *again;
	pe_auto_text first = PE_TEXT_INIT;

	cr_assert(eq(int, write_as("folded", cct, weight), PE_OK));
	pe_text_add(&first, text.data);
	cr_assert(eq(int, write_as(format, cct, weight), PE_OK));
	again = read_back(NULL);
	cr_assert(eq(int, write_as("folded", again, weight), PE_OK));
	cr_expect_str_eq(text.data, first.data, "%s by %s", format, pe_weights[weight].name);
}

Test(export, pprof_comes_back_the_same)
{
	expect_round_trip("pprof", PE_WEIGHT_SAMPLES);
	expect_round_trip("pprof", PE_WEIGHT_TIME);
	expect_round_trip("pprof", PE_WEIGHT_ALLOCATIONS);
	expect_round_trip("pprof", PE_WEIGHT_BYTES);
}

/* Without call sites, both calls of f are one node: in folded stacks as in speedscope's events. */
Test(export, speedscope_comes_back_the_same_but_for_call_sites)
{
	const struct pe_cct *cct = make(ALL);
	pe_auto_text merged = PE_TEXT_INIT;

	cr_assert(eq(int, write_as("folded", cct, PE_WEIGHT_TIME), PE_OK));
	cr_assert(eq(int, write_as("folded", read_back(NULL), PE_WEIGHT_SAMPLES), PE_OK));
	pe_text_add(&merged, text.data);
	cr_assert(eq(int, write_as("speedscope", cct, PE_WEIGHT_TIME), PE_OK));
	cr_assert(eq(int, write_as("folded", read_back(NULL), PE_WEIGHT_TIME), PE_OK));
	cr_expect_str_eq(text.data, merged.data);
}

/* What the nodes of a column weigh in all, without the root: no format has a place for what it weighs itself. */
static uint64_t sum_of(const struct pe_cct *cct, enum pe_weight weight)
{
	const uint64_t *self = pe_weight_self(cct, weight);
	uint64_t sum = 0;

	for (uint32_t i = 1; self != NULL && i < cct->n; i++)
		sum += self[i];
	return sum;
}

/* Folded stacks have one column, whose values are read as samples; times are whole microseconds. */
static void expect_fixture_folded(const struct pe_cct *cct, const char *name)
{
	for (int i = PE_WEIGHT_AUTO + 1; i < PE_N_WEIGHTS; i++) {
		const uint64_t sum =
			sum_of(cct, (enum pe_weight)i) / (i == PE_WEIGHT_TIME ? 1000 : 1);

		if (sum == 0)
			continue;
		cr_assert_ok(write_as("folded", cct, (enum pe_weight)i), name);
		cr_expect(eq(u64, sum_of(read_back(NULL), PE_WEIGHT_SAMPLES), sum), "%s of %s",
			  pe_weights[i].name, name);
	}
}

static void expect_fixture_round_trip(const struct pe_cct *cct, const char *name)
{
	const struct pe_cct *again;

	cr_assert_ok(write_as("pprof", cct, PE_WEIGHT_AUTO), name);
	again = read_back(NULL);
	for (int i = PE_WEIGHT_AUTO + 1; i < PE_N_WEIGHTS; i++)
		cr_expect(eq(u64, sum_of(again, (enum pe_weight)i), sum_of(cct, (enum pe_weight)i)),
			  "%s of %s", pe_weights[i].name, name);
}

Test(export, pprof_keeps_each_column_of_each_fixture)
{
	DIR *folder = opendir(PE_SOURCE_DIR "/tests/profile/imports");
	const struct dirent *entry;
	size_t n = 0;

	cr_assert(folder != NULL);
	while ((entry = readdir(folder)) != NULL) {
		struct pe_err err = PE_ERR_INIT;
		struct pe_cct *cct = NULL;
		struct pe_input *input;
		char path[1024];

		snprintf(path, sizeof(path), "%s/%s", PE_SOURCE_DIR "/tests/profile/imports",
			 entry->d_name);
		if (pe_input_open(&input, path, &err) != PE_OK ||
		    pe_import(&cct, input, NULL, &frames, &arena, NULL, &err) != PE_OK)
			continue;
		expect_fixture_round_trip(cct, entry->d_name);
		expect_fixture_folded(cct, entry->d_name);
		n++;
	}
	closedir(folder);
	cr_expect(n >= 15, "%zu fixtures", n);
}

/* ---- what other tools read ---- */

static void inflate_text(struct pe_text *out)
{
	z_stream stream = {0};
	char buffer[4096];
	int rc;

	cr_assert(eq(int, inflateInit2(&stream, 15 + 16), Z_OK));
	stream.next_in = (Bytef *)text.data;
	stream.avail_in = (uInt)text.len;
	do {
		stream.next_out = (Bytef *)buffer;
		stream.avail_out = sizeof(buffer);
		rc = inflate(&stream, Z_NO_FLUSH);
		cr_assert(rc == Z_OK || rc == Z_STREAM_END);
		pe_text_addn(out, buffer, sizeof(buffer) - stream.avail_out);
	} while (rc != Z_STREAM_END);
	inflateEnd(&stream);
}

/* Every column, and the lines of calls: `go tool pprof -raw` shows them. */
Test(export, pprof_matches_golden)
{
	pe_auto_text raw = PE_TEXT_INIT;

	cr_assert(eq(int, write_as("pprof", make(ALL), PE_WEIGHT_AUTO), PE_OK));
	inflate_text(&raw);
	golden_check(&raw, "all.pprof");
}

/* Every node with weight is opened and closed: in five profiles, or in that of the weight. */
Test(export, speedscope_matches_golden)
{
	cr_assert(eq(int, write_as("speedscope", make(ALL), PE_WEIGHT_AUTO), PE_OK));
	golden_check(&text, "all.speedscope.json");
	cr_assert(eq(int, write_as("speedscope", make(ALL), PE_WEIGHT_CALLS), PE_OK));
	golden_check(&text, "calls.speedscope.json");
}

/* ---- all ---- */

Test(export, deep_and_empty_trees_have_exports)
{
	const struct pe_cct_facts facts = {.source = "test"};
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	const struct pe_cct *cct = pe_cct_builder_finish(builder, &facts, &arena);
	uint32_t node = 0;

	for (size_t i = 0; i < pe_n_exports; i++)
		cr_expect(eq(int, write_as(pe_exports[i].name, cct, PE_WEIGHT_AUTO), PE_OK));
	builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	for (int i = 0; i < 3000; i++) {
		node = pe_cct_builder_child(
			builder, node, pe_frames_add_method(&frames, i % 2 ? "f" : "g", ""), 3);
		pe_cct_builder_at(builder, node)->calls = 1;
	}
	cct = pe_cct_builder_finish(builder, &facts, &arena);
	for (size_t i = 0; i < pe_n_exports; i++)
		cr_expect(eq(int, write_as(pe_exports[i].name, cct, PE_WEIGHT_AUTO), PE_OK));
	cr_assert(eq(int, write_as("folded", cct, PE_WEIGHT_AUTO), PE_OK));
	cr_expect(eq(u32, read_back("folded")->n, 3001));
}
