/* Traces as text, and which differences between two trees a build can tell. */
#include "app/measure/trace.h"

#include "tests/support/test.h"

static struct pe_arena arena;
static struct pe_trace trace;

#define LIST(...)                                                                                  \
	(struct pe_strings)                                                                        \
	{                                                                                          \
		(const char *[]){__VA_ARGS__},                                                     \
			sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *)               \
	}

TestSuiteWith(trace, (void)0, pe_arena_release(&arena));

/* Through the store's form, as the product has it. */
static void pack(bool cached)
{
	const struct pe_dependencies seen = {
		.programs = LIST("tools/gen"),
		.files = LIST("inc1", "inc1/conf.h", "inc2/conf.h", "prog.c", "sub/x.c"),
		.folders = LIST(".", "parts"),
		.made = LIST("out", "prog"),
		.complete = true,
		.cached = cached,
	};

	pe_trace_unpack(&trace, pe_trace_pack(&seen, &arena), NULL, &arena);
}

static struct pe_changed_name file(const char *path, bool before, bool after)
{
	return (struct pe_changed_name){path, before, after, false, false, true};
}

static bool changed(const char *path)
{
	const struct pe_changed_name name = file(path, true, true);

	return pe_trace_differs(&trace.touched, &name);
}

static bool added(const char *path)
{
	const struct pe_changed_name name = file(path, false, true), gone = file(path, true, false);

	cr_expect(pe_trace_differs(&trace.touched, &name) ==
		  pe_trace_differs(&trace.touched, &gone));
	return pe_trace_differs(&trace.touched, &name);
}

Test(trace, items_come_back_as_they_were_packed)
{
	pack(false);
	cr_expect_str_eq(trace.items,
			 "D .\nF inc1\nF4 /conf.h\nF3 2/conf.h\nM out\nD parts\nM1 rog\n"
			 "F4 .c\nF sub/x.c\nP tools/gen\n");
	cr_assert_eq(trace.touched.files.n, 5);
	cr_expect_str_eq(trace.touched.files.at[1], "inc1/conf.h");
	cr_expect_str_eq(trace.touched.programs.at[0], "tools/gen");
	cr_assert_eq(trace.touched.folders.n, 2);
	cr_assert_eq(trace.touched.made.n, 2);
	cr_expect_str_eq(trace.touched.made.at[0], "out");
	cr_expect(!trace.touched.cached);
}

/* As perfevo wrote them before; of a build a line for comments, which nobody asks for any more. */
Test(trace, items_without_numbers_and_of_unknown_kinds_are_read)
{
	pe_trace_unpack(&trace, "C0 \nP prog\nF data\nF in\nD .\n", NULL, &arena);
	cr_expect_str_eq(trace.touched.programs.at[0], "prog");
	cr_assert_eq(trace.touched.files.n, 2);
	cr_expect_str_eq(trace.touched.files.at[0], "data");
	cr_expect_eq(trace.touched.made.n, 0);
}

Test(trace, functions_stand_by_program_and_module)
{
	struct pe_executed executed;

	pe_trace_unpack(&trace, "", "P a\nM a\nf main\nf work\nW lib.so\nR\nP b\nM b\n", &arena);
	executed = trace.executed;
	cr_assert_eq(executed.n, 2);
	cr_assert_eq(executed.programs[0].n, 2);
	cr_assert_eq(executed.programs[0].modules[0].n, 2);
	cr_expect_str_eq(executed.programs[0].modules[0].keys[1], "work");
	cr_expect(executed.programs[0].modules[1].whole && executed.programs[0].opened[1]);
	cr_assert_eq(executed.programs[1].n, 1);
	cr_expect_eq(executed.programs[1].modules[0].n, 0);
	cr_expect(!executed.programs[1].opened[0]);
	cr_expect(pe_executed_find(&executed, "b") == &executed.programs[1]);
}

Test(trace, a_file_that_differs_counts_where_it_is_read)
{
	pack(false);
	cr_expect(changed("prog.c"));
	cr_expect(changed("tools/gen"));
	cr_expect(!changed("README"));
	cr_expect(!changed("parts/unread.c"), "names were listed, not contents");
	cr_expect(changed("out/stale.c"), "the build makes that folder");
	cr_expect(changed(".gitattributes") && changed("docs/.gitattributes"));
}

Test(trace, a_name_that_comes_or_goes_counts_where_it_is_looked_for_or_listed)
{
	pack(false);
	cr_expect(added("inc1/conf.h"));
	cr_expect(!added("inc1/other.h"), "that a folder is there is all that was asked");
	cr_expect(added("parts/new.c"));
	cr_expect(!added("parts/deep/new.c"));
	cr_expect(added("new"), "the top was listed");
	cr_expect(!added("docs/new.c"));
}

Test(trace, with_a_compiler_cache_names_count_that_compilers_look_for)
{
	pack(true);
	cr_expect(added("docs/new.c") && added("docs/new.h") && added("docs/vector"));
	cr_expect(!added("docs/new.md") && !added("docs/.gitignore"));
	cr_expect(!changed("docs/new.c"));
}

Test(trace, links_submodules_and_kinds_count_for_what_lies_below)
{
	struct pe_changed_name name = {"sub", true, true, false, false, false};

	pack(false);
	cr_expect(pe_trace_differs(&trace.touched, &name));
	name.path = "other";
	cr_expect(!pe_trace_differs(&trace.touched, &name));
	name = (struct pe_changed_name){"parts", false, true, false, true, false};
	cr_expect(pe_trace_differs(&trace.touched, &name), "a folder that was listed comes");
	name = (struct pe_changed_name){"docs/deep", false, true, false, true, false};
	cr_expect(!pe_trace_differs(&trace.touched, &name));
}

Test(trace, a_path_of_two_lines_has_no_text)
{
	const struct pe_dependencies odd = {.complete = true, .files = LIST("two\nlines")};

	cr_expect(pe_trace_pack(&odd, &arena) == NULL);
}
