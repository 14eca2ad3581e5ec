/* Methods of a revision, and what differs outside of them, read from two real commits. */
#include "app/changes/sources.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;
static struct pe_sources *sources;
static const char *outside;

static const char config[] = "build: ./build\n"
			     "benchmarks:\n"
			     "  only: {command: ./only}\n";

static const char scale_h[] = "#define SCALE 3\n#define TWICE (2 * SCALE)\n#define PLAIN 1\n";
static const char types_h[] = "struct pair { int a, b; };\n";
static const char use_c[] = "#include \"inc/scale.h\"\n"
			    "#include \"types.h\"\n"
			    "static int weight = 4;\n"
			    "int direct(int x)\n{\n\treturn x * SCALE;\n}\n"
			    "int through(int x)\n{\n\treturn x * TWICE;\n}\n"
			    "int none(int x)\n{\n\treturn x * PLAIN; /* SCALE */\n}\n"
			    "int quoted(void)\n{\n\treturn \"SCALE\"[0] + 'S';\n}\n"
			    "int weigh(int x)\n{\n\treturn x * weight;\n}\n";

static void set_up(void)
{
	app_fixture_open(&fixture, 1, config);
	tmp_repo_write(&fixture.repo, "src/inc/scale.h", scale_h);
	tmp_repo_write(&fixture.repo, "include/types.h", types_h);
	tmp_repo_write(&fixture.repo, "src/use.c", use_c);
	tmp_repo_write(&fixture.repo, "src/alone.c", "int alone(void)\n{\n\treturn 1;\n}\n");
	tmp_repo_commit(&fixture.repo, "before");
}

static void tear_down(void)
{
	pe_sources_close(sources);
	app_fixture_close(&fixture);
}

TestSuite(sources, .init = set_up, .fini = tear_down, .timeout = 600);

/* Commit what was written, and open the change. */
static void open_change(void)
{
	struct pe_revision_changes changes;
	struct pe_comparer *comparer;

	tmp_repo_commit(&fixture.repo, "after");
	app_fixture_walk(&fixture);
	comparer = pe_comparer_new(&fixture.app, false);
	OK(pe_changes_of(&changes, comparer, &fixture.commits.at[2], NULL, &fixture.arena));
	OK(pe_sources_outside(&outside, &fixture.app, comparer, &changes, &fixture.arena));
	pe_comparer_free(comparer);
	sources = pe_sources_open(&fixture.app, fixture.commits.at[2].id, &fixture.arena);
}

Test(sources, differ_outside_of_methods_by_macros_and_declarations)
{
	tmp_repo_write(&fixture.repo, "src/inc/scale.h",
		       "#define SCALE 5\n#define TWICE (2 * SCALE)\n#define PLAIN 1\n");
	tmp_repo_write(&fixture.repo, "include/types.h", "struct pair { long a, b; };\n");
	open_change();
	cr_expect_str_eq(outside, "include/types.h, src/inc/scale.h");
}

Test(sources, do_not_differ_by_comments_blanks_and_methods)
{
	tmp_repo_write(&fixture.repo, "include/types.h",
		       "/* two */\n\nstruct  pair { int a,\tb; }; // int\n");
	tmp_repo_write(&fixture.repo, "src/alone.c",
		       "int alone(void)\n{\n\treturn 2;\n}\n\nint more(void)\n{\n\treturn 3;\n}\n");
	open_change();
	cr_expect(outside == NULL, "%s", outside);
}

Test(sources, have_methods_by_line_and_by_name)
{
	const struct pe_method *weigh;

	tmp_repo_write(&fixture.repo, "src/alone.c", "int alone(void)\n{\n\treturn 2;\n}\n");
	open_change();
	weigh = pe_sources_method(sources, "src/use.c", 22);
	cr_assert(weigh != NULL);
	cr_expect_str_eq(weigh->name, "weigh");
	cr_expect(eq(ptr, (void *)pe_sources_named(sources, "src/use.c", "weigh"), (void *)weigh));
	cr_expect(pe_sources_named(sources, "src/use.c", "weight") == NULL);
	cr_expect(pe_sources_method(sources, "src/gone.c", 1) == NULL);
}

Test(sources, are_built_otherwise)
{
	tmp_repo_write(&fixture.repo, "src/CMakeLists.txt", "add_compile_options(-O3)\n");
	open_change();
	cr_expect_str_eq(outside, "src/CMakeLists.txt");
}

Test(sources, names_lose_what_qualifies_them)
{
	open_change();
	cr_expect_text("probe probe operator< plain", pe_unqualified("ns::table::probe"),
		       pe_unqualified("Table.probe"), pe_unqualified("ns::key::operator<"),
		       pe_unqualified("plain"));
}
