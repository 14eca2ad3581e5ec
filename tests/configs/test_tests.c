#include "discovered.h"

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
	cr_assert(eq(int, discover("tests: {ctest: {repeats: 4, env: {MODE: y}}}\n"), PE_OK), "%s",
		  err.message);
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
	cr_expect_str_eq(script->cwd, ".");
	cr_expect_str_eq(joined(&script->sources), "tests/run.sh");
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

		cr_expect(eq(ptr, (void *)strstr(line, scratch.dir), NULL));
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
	cr_expect_str_eq(skipped.at[2].name, "off");
	cr_expect_str_eq(skipped.at[2].reason, "disabled");
	cr_expect_str_eq(skipped.at[3].name, "bad");
	cr_expect_str_eq(skipped.at[3].reason, "expected to fail (WILL_FAIL)");
	cr_expect_str_eq(skipped.at[4].name, "away");
	cr_expect_str_eq(skipped.at[4].reason, "runs in /usr, outside the tree");
}

Test(tests, are_chosen_by_include_and_exclude)
{
	make_project();
	cr_assert(
		eq(int,
		   discover("tests: {ctest: {include: a, exclude: '^(app|away|bad|wrapped)$'}}\n"),
		   PE_OK));
	cr_expect(eq(sz, n, 1));
	cr_expect_str_eq(found[0].name, "add");
	cr_expect(eq(sz, skipped.n, 0));
}

Test(tests, need_the_build_folder)
{
	scratch_shell(&scratch, "mkdir tree");
	cr_expect(eq(int, discover("tests: {ctest: {build-dir: out}}\n"), PE_EINVALID));
	cr_expect_str_eq(
		err.message,
		"tests: no CTestTestfile.cmake in 'out': set tests.ctest.build-dir to where "
		"CMake builds, and see that the project calls enable_testing()");
}

Test(tests, listed_by_a_command_name_their_sources)
{
	scratch_write(
		&scratch, "tree/list.sh",
		"printf 'one\\ttests/one.c\\ttests/gone.c\\ntwo it'\"'\"'s\\r\\n\\nthree\\n'\n"
		"echo one\n");
	scratch_write(&scratch, "tree/tests/one.c", "");
	scratch_write(&scratch, "tree/tests/three.c", "");
	scratch_write(&scratch, "tree/tests/three.txt", "");
	cr_assert(eq(int,
		     discover("tests:\n  list: sh list.sh\n  run: ./t {name} ${X}\n"
			      "  sources: 'tests/{name}.*'\n"),
		     PE_OK),
		  "%s", err.message);
	cr_assert(eq(sz, n, 3));
	cr_expect_str_eq(found[0].command.text, "./t one ${X}");
	cr_expect_str_eq(found[0].command.argv[0], "/bin/sh");
	cr_expect_str_eq(joined(&found[0].sources), "tests/one.c");
	cr_expect_str_eq(found[1].name, "two it's");
	cr_expect_str_eq(found[1].command.argv[2], "./t 'two it'\\''s' ${X}");
	cr_expect(eq(sz, found[1].sources.n, 0));
	cr_expect_str_eq(joined(&found[2].sources), "tests/three.c tests/three.txt");
	cr_assert(eq(sz, skipped.n, 1));
	cr_expect_str_eq(skipped.at[0].name, "one");
	cr_expect_str_eq(skipped.at[0].reason, "a benchmark or another test has this name");
}

Test(tests, run_without_a_shell_take_the_name_as_it_is)
{
	scratch_shell(&scratch, "mkdir tree");
	cr_assert(eq(int, discover("tests: {list: [echo, 'a b'], run: [./t, '-n={name}']}\n"),
		     PE_OK));
	cr_assert(eq(sz, n, 1));
	cr_expect_str_eq(found[0].command.argv[1], "-n=a b");
	cr_expect_str_eq(found[0].command.text, "./t '-n=a b'");
}

Test(tests, a_list_that_fails_says_why)
{
	scratch_shell(&scratch, "mkdir tree");
	cr_expect(eq(int,
		     discover("tests: {list: 'echo first >&2; echo no such suite >&2; exit 3', "
			      "run: 'x {name}'}\n"),
		     PE_EINVALID));
	cr_expect_str_eq(err.message,
			 "tests: 'echo first >&2; echo no such suite >&2; exit 3' exited "
			 "with status 3: no such suite");
}

Test(tests, see_the_builds_environment)
{
	scratch_shell(&scratch, "mkdir tree");
	cr_assert(eq(int,
		     discover("build: {steps: 'true', env: {SUITE: s}}\n"
			      "tests: {list: 'echo $SUITE $PERFEVO_TREE', run: 'x {name}'}\n"),
		     PE_OK));
	cr_expect_str_eq(found[0].name, pe_arena_printf(&scratch.arena, "s %s/tree", scratch.dir));
}
