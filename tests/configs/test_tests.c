/*
 * Unit tests as benchmarks: cases of lists and of Meson's files (cases/discover), and a project that ctest knows.
 */
#include "tests/support/cases.h"

#include "discovered.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

TestSuite(tests, .init = init, .fini = release, .timeout = 600);

static const struct pe_benchmark *test_named(const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(found[i].name, name) == 0)
			return &found[i];
	cr_assert(false, "no test '%s'", name);
	return NULL;
}

static const char *joined(const struct pe_strings *strings)
{
	const char *all = "";

	for (size_t i = 0; i < strings->n; i++)
		all = pe_arena_printf(&scratch.arena, "%s%s%s", all, i > 0 ? " " : "",
				      strings->at[i]);
	return all;
}

/* The folder of this test under the name that cases have for it. */
static const char *named(const char *text, const char *from, const char *to)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (const char *at; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
		pe_text_addn(&out, text, (size_t)(at - text));
		pe_text_add(&out, to);
	}
	pe_text_add(&out, text);
	return pe_arena_strdup(&scratch.arena, pe_text_str(&out));
}

static void say_test(struct pe_text *out, const struct pe_benchmark *test)
{
	const char *const *argv = test->command.argv;

	pe_text_addf(out, "%s: %s", test->name, test->command.text);
	if (strcmp(argv[0], "/bin/sh") == 0)
		cr_expect_str_eq(argv[2], test->command.text);
	else
		for (size_t i = 0; argv[i] != NULL; i++)
			pe_text_addf(out, " [%s]", argv[i]);
	pe_text_addf(out, " in %s for %" PRIu64 " ns", test->cwd, test->timeout_ns);
	if (test->env.n > 0)
		pe_text_addf(out, " with %s", joined(&test->env));
	if (test->tags.n > 0)
		pe_text_addf(out, " as %s", joined(&test->tags));
	if (test->sources.n > 0)
		pe_text_addf(out, " from %s", joined(&test->sources));
	pe_text_addc(out, '\n');
	cr_expect(test->is_test);
}

static void read_case(struct pe_text *result, const char *word, const char *input, size_t size)
{
	pe_auto_text output = PE_TEXT_INIT;

	(void)word;
	(void)size;
	scratch_shell(&scratch, "rm -rf tree && mkdir tree");
	scratch_write_tree(&scratch, named(input, "@DIR@", scratch.dir));
	if (discover(scratch_read(&scratch, "perfevo.yml")) != PE_OK)
		pe_text_addf(&output, "refused: %s", err.message);
	else
		for (size_t i = 0; i < n; i++)
			say_test(&output, &found[i]);
	for (size_t i = 0; err.code == PE_OK && i < skipped.n; i++)
		pe_text_addf(&output, "not %s: %s\n", skipped.at[i].name, skipped.at[i].reason);
	pe_text_add(result, named(pe_text_str(&output), scratch.dir, "@DIR@"));
}

Test(tests, are_found_as_the_cases_say)
{
	cases_check("configs/cases", "discover", read_case);
}

Test(tests, of_meson_are_not_read_through_a_link)
{
	scratch_write(&scratch, "out/intro-tests.json", "[]");
	scratch_write(&scratch, "out/intro-targets.json", "[]");
	scratch_shell(&scratch, "mkdir -p tree/build && cp -r out tree/build/meson-info");
	cr_expect(eq(int, discover("tests: meson\n"), PE_OK));
	scratch_shell(&scratch, "cd tree/build && rm -r meson-info && ln -s ../../out meson-info");
	cr_expect(eq(int, discover("tests: meson\n"), PE_EINVALID));
}

/*
 * A project with a library and the tests that projects have: a program of its own (t_add), the program under
 * test itself (app), a script with data, a disabled one, one that must fail, and one that was not built.
 */
static void make_project(void)
{
	scratch_write(&scratch, "tree/CMakeLists.txt",
		      "cmake_minimum_required(VERSION 3.14)\nproject(p C)\nenable_testing()\n"
		      "add_library(add STATIC src/add.c)\n"
		      "add_executable(app src/main.c)\ntarget_link_libraries(app add)\n"
		      "add_test(NAME app COMMAND app 3)\n"
		      "add_executable(unbuilt EXCLUDE_FROM_ALL src/main.c)\n"
		      "add_test(NAME unbuilt COMMAND unbuilt)\nadd_subdirectory(tests)\n");
	scratch_write(&scratch, "tree/src/add.c", "int add(int a, int b) { return a + b; }\n");
	scratch_write(&scratch, "tree/src/main.c",
		      "int add(int, int);\nint main(void) { return add(1, -1); }\n");
	scratch_write(
		&scratch, "tree/tests/CMakeLists.txt",
		"add_executable(t_add t_add.c helper.c ../src/add.c)\n"
		"add_test(NAME add COMMAND t_add --data=${CMAKE_CURRENT_SOURCE_DIR}/in.txt)\n"
		"set_tests_properties(add PROPERTIES TIMEOUT 90 ENVIRONMENT "
		"\"DATA=${CMAKE_CURRENT_SOURCE_DIR};MODE=x\")\n"
		"add_test(NAME script COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/run.sh\n"
		"         WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})\n"
		"add_test(NAME off COMMAND t_add)\n"
		"set_tests_properties(off PROPERTIES DISABLED TRUE)\n"
		"add_test(NAME bad COMMAND t_add)\n"
		"set_tests_properties(bad PROPERTIES WILL_FAIL TRUE)\n"
		"add_test(NAME away COMMAND t_add WORKING_DIRECTORY /usr)\n"
		"add_test(NAME wrapped COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/wrap.sh\n"
		"         --in=${CMAKE_CURRENT_SOURCE_DIR}/in.txt $<TARGET_FILE:t_add> \"it's\")\n");
	scratch_write(&scratch, "tree/tests/t_add.c",
		      "int add(int, int);\nint main(void) { return add(1, -1); }\n");
	scratch_write(&scratch, "tree/tests/helper.c", "int helper;\n");
	scratch_write(&scratch, "tree/tests/in.txt", "1\n");
	scratch_write(&scratch, "tree/tests/run.sh", "test -f src/main.c\n");
	/* As projects have them: it leaves the folder in which relative paths would lead somewhere. */
	scratch_write(
		&scratch, "tree/tests/wrap.sh",
		"#!/bin/sh\nset -e\ncd \"$(dirname \"${1#--in=}\")\"\ntest -f in.txt\n\"$2\"\n"
		"test \"$3\" = \"it's\"\n");
	scratch_shell(&scratch, "chmod +x tree/tests/wrap.sh");
	scratch_shell(&scratch,
		      "cd tree && { cmake -S . -B build && cmake --build build; } >/dev/null");
}

Test(tests, of_ctest_become_benchmarks_with_their_own_sources)
{
	const struct pe_benchmark *add, *app, *script;

	make_project();
	cr_assert_ok(discover("tests: {kind: ctest, repeats: 4, env: {MODE: y}}\n"), err.message);
	cr_expect(eq(sz, n, 4));
	add = test_named("add");
	cr_expect_str_eq(add->cwd, "build/tests");
	cr_expect_str_eq(add->command.text, "./t_add --data=../../tests/in.txt");
	cr_expect_str_eq(joined(&add->sources), "tests/t_add.c tests/helper.c tests/in.txt");
	cr_expect_str_eq(joined(&add->env), "DATA=../../tests MODE=y");
	cr_expect(eq(u64, add->timeout_ns, UINT64_C(90000000000)));
	cr_expect(eq(uint, add->repeats, 4));
	cr_expect(add->is_test);
	cr_expect(eq(sz, strlen(add->version), PE_HASH_HEX - 1));
	app = test_named("app");
	cr_expect_str_eq(app->command.text, "./app 3");
	cr_expect_str_eq(joined(&app->sources), "CMakeLists.txt");
	cr_expect(eq(u64, app->timeout_ns, UINT64_C(60000000000)));
	script = test_named("script");
	cr_expect_text(". tests/run.sh", script->cwd, joined(&script->sources));
}

Test(tests, of_ctest_run_in_another_tree_as_they_are)
{
	make_project();
	cr_assert(eq(int, discover("tests: ctest\n"), PE_OK));
	scratch_shell(&scratch, "mv tree other");
	for (size_t i = 0; i < n; i++) {
		const char *line = pe_arena_printf(
			&scratch.arena, "export PERFEVO_TREE=\"$PWD\"/other; cd other/%s && %s",
			found[i].cwd, found[i].command.text);

		cr_expect_lacks(line, scratch.dir);
		scratch_shell(&scratch, line);
	}
}

Test(tests, given_to_a_script_keep_whole_paths)
{
	make_project();
	cr_assert(eq(int, discover("tests: ctest\n"), PE_OK));
	cr_expect_str_eq(test_named("wrapped")->command.text,
			 "exec \"$PERFEVO_TREE\"/tests/wrap.sh "
			 "--in=\"$PERFEVO_TREE\"/tests/in.txt "
			 "\"$PERFEVO_TREE\"/build/tests/t_add 'it'\\''s'");
	cr_expect_str_eq(joined(&test_named("wrapped")->sources),
			 "tests/wrap.sh tests/in.txt tests/t_add.c tests/helper.c");
}

Test(tests, that_cannot_be_taken_are_listed_with_the_reason)
{
	make_project();
	cr_assert(eq(int, discover("benchmarks: {app: x}\ntests: ctest\n"), PE_OK));
	cr_assert(eq(sz, skipped.n, 5));
	cr_expect_str_eq(skipped.at[0].name, "app");
	cr_expect_str_eq(skipped.at[0].reason, "a benchmark or another test has this name");
	cr_expect_str_eq(skipped.at[1].name, "unbuilt");
	cr_expect_str_eq(skipped.at[1].reason, "its program is not built");
	cr_expect_text("off disabled bad", skipped.at[2].name, skipped.at[2].reason,
		       skipped.at[3].name);
	cr_expect_str_eq(skipped.at[3].reason, "expected to fail (WILL_FAIL)");
	cr_expect_str_eq(skipped.at[4].name, "away");
	cr_expect_str_eq(skipped.at[4].reason, "runs in /usr, outside the tree");
}

Test(tests, are_chosen_by_include_and_exclude)
{
	make_project();
	cr_assert(eq(
		int,
		discover("tests: {kind: ctest, include: a, exclude: '^(app|away|bad|wrapped)$'}\n"),
		PE_OK));
	cr_expect_text("1 add 0", n, found[0].name, skipped.n);
}
