/* Which benchmarks a commit can affect, from stored profiles and real commits. */
#include "app/changes/impact.h"

#include "app/changes/bare_names.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static const char config[] = "build: ./build\n"
			     "benchmarks:\n"
			     "  parse: {command: ./parse}\n"
			     "  print: {command: ./print}\n"
			     "  unseen: {command: ./unseen}\n";

static const char before[] = "#define BLOCK 16\n"
			     "int parse(int x)\n{\n\treturn x + BLOCK;\n}\n"
			     "int print(int x)\n{\n\treturn x - 1;\n}\n"
			     "int help(int x)\n{\n\treturn x * 3;\n}\n";

enum { PARSE, PRINT, UNSEEN, BENCHMARKS };

static struct app_fixture fixture;
static struct pe_session session;

TestSuiteWith(impact, (void)0, (pe_session_close(&session), app_fixture_close(&fixture)),
	      .timeout = 600);

/* A profile in which a benchmark executes one method. */
static void put_profile(size_t benchmark, const char *method)
{
	const struct pe_stored_profile profile = {
		.machine = session.machine_key,
		.benchmark = session.benchmarks.data[benchmark].key,
		.revision = fixture.commits.at[0].id,
		.kind = "counting",
		.taken_s = 1700000000,
	};
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_cct_builder *builder = pe_cct_builder_new(&frames, PE_CCT_CALLS);
	const struct pe_cct_facts facts = {.source = "counting", .processes = 1};
	uint32_t node =
		pe_cct_builder_child(builder, 0, pe_frames_add_method(&frames, method, "a.c"), 0);
	const struct pe_cct *cct;
	int64_t key;

	pe_cct_builder_at(builder, node)->calls = 1;
	cct = pe_cct_builder_finish(builder, &facts, &fixture.arena);
	OK(pe_store_put_profile(&key, fixture.app.store, &profile, &cct, 1, &fixture.err));
	pe_frames_release(&frames);
}

/* `parse` was seen in parse(), `print` in ns::print(int), and `unseen` in nothing. */
static void open_profiled(bool profiled)
{
	app_fixture_open(&fixture, 1, config);
	tmp_repo_write(&fixture.repo, "a.c", before);
	tmp_repo_commit(&fixture.repo, "before");
	app_fixture_walk(&fixture);
	app_fixture_open_session(&fixture, &session, 2);
	if (!profiled)
		return;
	put_profile(PARSE, "parse");
	put_profile(PRINT, "ns::print(int)");
}

/* Commit what was written, and guess. */
static void guess(enum pe_impact out[BENCHMARKS])
{
	tmp_repo_commit(&fixture.repo, "after");
	app_fixture_walk(&fixture);
	OK(pe_impact_estimate(out, &session, fixture.commits.at[1].id, &fixture.commits.at[2]));
}

static void write_changed(const char *path, const char *from, const char *to)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *at = strstr(before, from);

	cr_assert(at != NULL);
	pe_text_addn(&text, before, (size_t)(at - before));
	pe_text_addf(&text, "%s%s", to, at + strlen(from));
	tmp_repo_write(&fixture.repo, path, pe_text_str(&text));
}

static void expect(const enum pe_impact impact[BENCHMARKS], enum pe_impact parse,
		   enum pe_impact print)
{
	cr_expect(eq(int, impact[PARSE], parse));
	cr_expect(eq(int, impact[PRINT], print));
	cr_expect(eq(int, impact[UNSEEN], PE_MAY_BEAR), "no profile says what it executes");
}

Test(impact, is_on_benchmarks_that_executed_a_changed_method)
{
	enum pe_impact impact[BENCHMARKS];

	open_profiled(true);
	write_changed("a.c", "x - 1", "x - 2");
	guess(impact);
	expect(impact, PE_HARDLY_BEARS, PE_BEARS);
}

Test(impact, is_hardly_there_where_nothing_executed_changed)
{
	enum pe_impact impact[BENCHMARKS];

	open_profiled(true);
	write_changed("a.c", "x * 3", "x * 5");
	guess(impact);
	expect(impact, PE_HARDLY_BEARS, PE_HARDLY_BEARS);
}

Test(impact, is_unknown_where_more_than_methods_changed)
{
	enum pe_impact impact[BENCHMARKS];

	open_profiled(true);
	write_changed("a.c", "x * 3", "x * 5");
	tmp_repo_write(&fixture.repo, "flags.mk", "CFLAGS = -O1\n");
	guess(impact);
	expect(impact, PE_MAY_BEAR, PE_MAY_BEAR);
}

Test(impact, is_unknown_where_a_macro_changed_beside_a_method)
{
	enum pe_impact impact[BENCHMARKS];
	char *text;

	open_profiled(true);
	text = strdup(before);
	memcpy(strstr(text, "BLOCK 16"), "BLOCK 64", 8);
	memcpy(strstr(text, "x * 3"), "x * 5", 5);
	tmp_repo_write(&fixture.repo, "a.c", text);
	free(text);
	guess(impact);
	expect(impact, PE_MAY_BEAR, PE_MAY_BEAR);
}

Test(impact, is_unknown_where_a_file_that_is_not_read_changed)
{
	enum pe_impact impact[BENCHMARKS];

	open_profiled(true);
	tmp_repo_write(&fixture.repo, ".git/info/attributes", "third/** linguist-vendored\n");
	write_changed("a.c", "x * 3", "x * 5");
	tmp_repo_write(&fixture.repo, "third/z.c", "int z(void)\n{\n\treturn 2;\n}\n");
	guess(impact);
	expect(impact, PE_MAY_BEAR, PE_MAY_BEAR);
}

Test(impact, is_unknown_without_profiles)
{
	enum pe_impact impact[BENCHMARKS];

	open_profiled(false);
	write_changed("a.c", "x * 3", "x * 5");
	guess(impact);
	expect(impact, PE_MAY_BEAR, PE_MAY_BEAR);
}

Test(impact, names_are_compared_by_their_last_part)
{
	open_profiled(false);
	cr_expect_str_eq(pe_bare_name("ns::table::probe(int)", &fixture.arena), "probe");
	cr_expect_str_eq(pe_bare_name("(Table).probe", &fixture.arena), "probe");
	cr_expect_str_eq(pe_bare_name("probe", &fixture.arena), "probe");
}
