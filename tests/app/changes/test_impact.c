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
		.benchmark = session.benchmarks.data[benchmark]->key,
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

/* Changes that are committed by a shell command, and what they may bear on. */
static struct change {
	const char *what, *command;
	bool without_profiles;
	enum pe_impact parse, print;
} changes[] = {
	{"a method that a benchmark executed", "sed -i 's/x - 1/x - 2/' a.c", false,
	 PE_HARDLY_BEARS, PE_BEARS},
	{"one that none executed", "sed -i 's/x \\* 3/x * 5/' a.c", false, PE_HARDLY_BEARS,
	 PE_HARDLY_BEARS},
	{"more than methods", "sed -i 's/x \\* 3/x * 5/' a.c && echo 'CFLAGS = -O1' >flags.mk",
	 false, PE_MAY_BEAR, PE_MAY_BEAR},
	{"a macro beside a method", "sed -i 's/x \\* 3/x * 5/; s/BLOCK 16/BLOCK 64/' a.c", false,
	 PE_MAY_BEAR, PE_MAY_BEAR},
	{"a file that is not read",
	 "mkdir -p .git/info third && echo 'third/** linguist-vendored' >.git/info/attributes &&"
	 " echo 'int z(void) { return 2; }' >third/z.c && sed -i 's/x \\* 3/x * 5/' a.c",
	 false, PE_MAY_BEAR, PE_MAY_BEAR},
	{"without profiles", "sed -i 's/x \\* 3/x * 5/' a.c", true, PE_MAY_BEAR, PE_MAY_BEAR},
};

TestOver(struct change *change, changes, impact,
	 is_on_what_executed_a_changed_method_where_that_is_known)
{
	enum pe_impact impact[BENCHMARKS];

	open_profiled(!change->without_profiles);
	tmp_repo_sh(&fixture.repo, "cd repo && %s", change->command);
	tmp_repo_commit(&fixture.repo, "after");
	app_fixture_walk(&fixture);
	OK(pe_impact_estimate(impact, &session, fixture.commits.at[1].id, &fixture.commits.at[2]));
	cr_expect(eq(int, impact[PARSE], change->parse), "%s", change->what);
	cr_expect(eq(int, impact[PRINT], change->print), "%s", change->what);
	cr_expect(eq(int, impact[UNSEEN], PE_MAY_BEAR), "no profile says what it executes");
}

Test(impact, names_are_compared_by_their_last_part)
{
	open_profiled(false);
	cr_expect_str_eq(pe_bare_name("ns::table::probe(int)", &fixture.arena), "probe");
	cr_expect_str_eq(pe_bare_name("(Table).probe", &fixture.arena), "probe");
	cr_expect_str_eq(pe_bare_name("probe", &fixture.arena), "probe");
}
