/* Why an untouched function was compiled to something else, read from two real commits. */
#include "app/changes/reason.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;
static struct pe_sources *sources;

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

TestSuite(reason, .init = set_up, .fini = tear_down, .timeout = 600);

/* Commit what was written, and open the change. */
static void open_change(void)
{
	tmp_repo_commit(&fixture.repo, "after");
	app_fixture_walk(&fixture);
	OK(pe_sources_open(&sources, &fixture.app, fixture.commits.at[1].id,
			   fixture.commits.at[2].id, &fixture.arena));
}

static const char *macro_of(const char *name)
{
	const struct pe_method *method = pe_sources_named(sources, "src/use.c", name);

	cr_assert(method != NULL, "%s", name);
	return pe_sources_macro(sources, method);
}

Test(reason, is_a_macro_that_the_method_uses_itself_or_through_another)
{
	tmp_repo_write(&fixture.repo, "src/inc/scale.h",
		       "#define SCALE 5\n#define TWICE (2 * SCALE)\n#define PLAIN 1\n");
	open_change();
	cr_expect_str_eq(macro_of("direct"), "macro SCALE of src/inc/scale.h changed");
	cr_expect_str_eq(macro_of("through"), "macro SCALE of src/inc/scale.h changed");
	cr_expect(macro_of("none") == NULL, "a comment uses nothing");
	cr_expect(macro_of("quoted") == NULL, "nor does a string");
	cr_expect_str_eq(pe_sources_declarations(sources, "src/use.c"),
			 "header src/inc/scale.h changed");
	cr_expect(pe_sources_declarations(sources, "src/alone.c") == NULL);
}

Test(reason, is_a_header_found_by_the_include_folder_or_a_declaration)
{
	tmp_repo_write(&fixture.repo, "include/types.h", "struct pair { long a, b; };\n");
	open_change();
	cr_expect(macro_of("direct") == NULL);
	cr_expect_str_eq(pe_sources_declarations(sources, "src/use.c"),
			 "header include/types.h changed");
}

Test(reason, is_no_header_whose_comments_and_blanks_changed)
{
	tmp_repo_write(&fixture.repo, "include/types.h",
		       "/* two */\n\nstruct  pair { int a,\tb; }; // int\n");
	open_change();
	cr_expect(pe_sources_declarations(sources, "src/use.c") == NULL, "%s",
		  pe_sources_declarations(sources, "src/use.c"));
}

Test(reason, is_what_the_file_itself_declares_and_not_its_methods)
{
	const struct pe_method *weigh;
	const struct pe_strings names = {(const char *[]){"other", "weight"}, 2};
	char *text = strdup(use_c);

	*strchr(strstr(text, "weight = "), '4') = '9';
	tmp_repo_write(&fixture.repo, "src/use.c", text);
	tmp_repo_write(&fixture.repo, "src/alone.c", "int alone(void)\n{\n\treturn 2;\n}\n");
	open_change();
	free(text);
	cr_expect_str_eq(pe_sources_declarations(sources, "src/use.c"),
			 "declarations of src/use.c changed");
	cr_expect(pe_sources_declarations(sources, "src/alone.c") == NULL,
		  "a method alone changed");
	weigh = pe_sources_method(sources, "src/use.c", 22);
	cr_assert(weigh != NULL);
	cr_expect_str_eq(weigh->name, "weigh");
	cr_expect_str_eq(pe_sources_mentioned(sources, weigh, &names), "weight");
	cr_expect(pe_sources_build(sources) == NULL);
}

Test(reason, is_how_it_is_built)
{
	tmp_repo_write(&fixture.repo, "src/CMakeLists.txt", "add_compile_options(-O3)\n");
	open_change();
	cr_expect_str_eq(pe_sources_build(sources), "src/CMakeLists.txt");
}

Test(reason, names_lose_what_qualifies_them)
{
	open_change();
	cr_expect_text("probe probe operator< plain", pe_unqualified("ns::table::probe"),
		       pe_unqualified("Table.probe"), pe_unqualified("ns::key::operator<"),
		       pe_unqualified("plain"));
}
