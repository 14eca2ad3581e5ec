/*
 * Tests of programs that are linked with a test library. The programs are fakes that print what the libraries' real
 * versions printed (GoogleTest 1.12, doctest 2.4.9, Boost 1.74, Catch2 2.13 and 3); the real ones are in
 * tests/cli/track/tests_libraries.sh.
 */
#include "configs/test_list.h"

#include "discovered.h"

#include <string.h>

TestSuite(programs, .init = init, .fini = release, .timeout = 600);

/* A program of the tree that runs these lines of shell. */
static void program(const char *path, const char *lines)
{
	scratch_write(&scratch, path, pe_arena_printf(&scratch.arena, "#!/bin/sh\n%s", lines));
	scratch_shell(&scratch, pe_arena_printf(&scratch.arena, "chmod +x %s", path));
}

static void expect(size_t i, const char *name, const char *command, const char *source)
{
	cr_assert(lt(sz, i, n), "no test %zu, '%s'", i, name);
	cr_expect_str_eq(found[i].name, name);
	cr_expect_str_eq(found[i].command.text, command);
	cr_expect_str_eq(found[i].sources.n > 0 ? found[i].sources.at[0] : "", source);
}

static void expect_skipped(size_t i, const char *name, const char *reason)
{
	cr_assert(lt(sz, i, skipped.n), "nothing skipped at %zu, '%s'", i, name);
	cr_expect_str_eq(skipped.at[i].name, name);
	cr_expect_str_eq(skipped.at[i].reason, reason);
}

/* --- The whole way, a program each --- */

Test(programs, of_gtest_run_one_test_each)
{
	scratch_write(&scratch, "tree/tests/a_test.cc", "");
	program("tree/build/t",
		"for w; do case $w in --gtest_output=json:*) out=${w#*json:};; esac; done\n"
		"printf 'Plain.\\n  One\\n'\n"
		"cat >\"$out\" <<'END'\n"
		"{\"testsuites\": [\n"
		"{\"name\": \"Plain\", \"testsuite\": [\n"
		"{\"name\": \"One\", \"file\": \"../tests/a_test.cc\", \"line\": 3},\n"
		"{\"name\": \"DISABLED_Two\", \"file\": \"../tests/a_test.cc\", \"line\": 4}]},\n"
		"{\"name\": \"In\\/DISABLED_Fix\", \"testsuite\": [{\"name\": \"R\\/0\"}]},\n"
		"{\"name\": \"In\\/Fix\", \"testsuite\": [{\"name\": \"R\\/0\", \"value_param\": "
		"\"\\\"a\\\"\"}]},\n"
		"{\"name\": \"Odd\", \"testsuite\": [{\"name\": \"a-b\"}, {\"name\": \"a:b\"}, "
		"{\"name\": \"a*\"},\n"
		"{\"name\": \"x-y z\"}, {\"name\": \"\\u00C3\\u00BC\"}]}]}\n"
		"END\n");
	cr_assert(eq(int,
		     discover("tests: {kind: gtest, command: ./build/t, sources: 'tests/*.cc'}\n"),
		     PE_OK),
		  "%s", err.message);
	cr_expect(eq(sz, n, 5));
	expect(0, "Plain.One", "./build/t --gtest_filter=Plain.One", "tests/a_test.cc");
	expect(1, "In/Fix.R/0", "./build/t --gtest_filter=In/Fix.R/0", "tests/a_test.cc");
	expect(2, "Odd.a*", "./build/t '--gtest_filter=Odd.a?'", "tests/a_test.cc");
	expect(3, "Odd.x-y z", "./build/t '--gtest_filter=Odd.x?y z'", "tests/a_test.cc");
	expect(4, "Odd.\xc3\xbc", "./build/t '--gtest_filter=Odd.\xc3\xbc'", "tests/a_test.cc");
	cr_expect_str_eq(found[0].command.argv[0], "./build/t");
	cr_expect(found[0].is_test);
	cr_expect(eq(sz, skipped.n, 4));
	expect_skipped(0, "Plain.DISABLED_Two", "disabled");
	expect_skipped(1, "In/DISABLED_Fix.R/0", "disabled");
	expect_skipped(2, "Odd.a-b", "the library's filter cannot name it without 'Odd.a:b'");
	expect_skipped(3, "Odd.a:b", "the library's filter cannot name it without 'Odd.a-b'");
	cr_expect(eq(ptr, (void *)scratch_read(&scratch, "tree/.perfevo-tests.json"), NULL));
}

Test(programs, of_an_old_gtest_are_read_from_what_it_prints)
{
	program("tree/t",
		"printf 'Running main() from gtest_main.cc\\nPlain.\\n  One\\n"
		"Ty/0.  # TypeParam = int\\n  Works\\n  R/1  # GetParam() = (\"a.\")\\n'\n");
	cr_assert(eq(int, discover("tests: {kind: gtest, command: 'X=1 ./t'}\n"), PE_OK), "%s",
		  err.message);
	cr_expect(eq(sz, n, 3));
	expect(1, "Ty/0.Works", "X=1 ./t --gtest_filter=Ty/0.Works", "");
	expect(2, "Ty/0.R/1", "X=1 ./t --gtest_filter=Ty/0.R/1", "");
	cr_expect_str_eq(found[1].command.argv[0], "/bin/sh");
}

/* Other programs leave a link where gtest would write: nothing is read through it, and nothing is removed behind it. */
Test(programs, that_leave_a_link_for_the_list_are_not_followed)
{
	scratch_write(&scratch, "secret",
		      "{\"testsuites\": [{\"name\": \"S\", \"testsuite\": "
		      "[{\"name\": \"ecret\"}]}]}");
	program("tree/t", "ln -s ../secret .perfevo-tests.json\nprintf 'Plain.\\n  One\\n'\n");
	cr_assert(eq(int, discover("tests: {kind: gtest, command: ./t}\n"), PE_OK));
	cr_expect(eq(sz, n, 1));
	expect(0, "Plain.One", "./t --gtest_filter=Plain.One", "");
	cr_expect(ne(ptr, (void *)scratch_read(&scratch, "secret"), NULL));
}

Test(programs, of_doctest_run_one_test_each)
{
	scratch_write(&scratch, "tree/tests/d.cc", "");
	program("tree/t",
		"cat <<'END'\n"
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<doctest binary=\"./d\" version=\"2.4.9\">\n"
		"  <Options order_by=\"file\" no_skip=\"true\"/>\n"
		"  <TestCase name=\"a,b\" filename=\"tests/d.cc\" line=\"5\" skipped=\"false\"/>\n"
		"  <TestCase name=\"a\\,b\" filename=\"tests/d.cc\" line=\"5\" skipped=\"false\"/>\n"
		"  <TestCase name=\"q&quot;&lt;&amp;>'\" filename=\"tests/d.cc\"/>\n"
		"  <TestCase name=\"same\" testsuite=\"s1\" filename=\"tests/d.cc\"/>\n"
		"  <TestCase name=\"same\" testsuite=\"s2\" filename=\"tests/d.cc\"/>\n"
		"  <TestCase name=\"a*z\" filename=\"tests/d.cc\" skipped=\"false\"/>\n"
		"  <TestCase name=\"abz\" filename=\"tests/d.cc\" skipped=\"false\"/>\n"
		"  <TestCase name=\"off\" filename=\"tests/d.cc\" skipped=\"true\"/>\n"
		"  <TestCase filename=\"tests/d.cc\" line=\"11\" skipped=\"false\"/>\n"
		"</doctest>\n"
		"END\n");
	cr_assert(eq(int, discover("tests: {kind: doctest, command: [./t, -x]}\n"), PE_OK), "%s",
		  err.message);
	cr_expect(eq(sz, n, 6));
	expect(0, "a,b",
	       "./t -x '--dt-test-case=a\\,b' '--dt-test-suite-exclude=?*' "
	       "--dt-case-sensitive=true --dt-exit=true",
	       "tests/d.cc");
	expect(1, "a\\,b",
	       "./t -x '--dt-test-case=a?\\,b' '--dt-test-suite-exclude=?*' "
	       "--dt-case-sensitive=true --dt-exit=true",
	       "tests/d.cc");
	cr_expect_str_eq(found[2].name, "q\"<&>'");
	expect(4, "s2/same",
	       "./t -x --dt-test-case=same --dt-test-suite=s2 --dt-case-sensitive=true "
	       "--dt-exit=true",
	       "tests/d.cc");
	expect_skipped(0, "a*z", "the library's filter cannot name it without 'abz'");
	expect_skipped(1, "off", "skipped");
	expect_skipped(2, "", "it has no name");
}

Test(programs, of_boost_run_one_test_each)
{
	scratch_write(&scratch, "tree/b.cc", "");
	program("tree/build/t",
		"cat >&2 <<'END'\n"
		"digraph G {rankdir=LR;\n"
		"tu1[shape=ellipse,peripheries=2,fontname=Helvetica,color=green,label=\"my m\"];\n"
		"{\n"
		"tu65536[shape=Mrecord,fontname=Helvetica,color=green,label=\"plain|../b.cc(7)\"];\n"
		"tu1 -> tu65536;\n"
		"tu65537[shape=Mrecord,fontname=Helvetica,color=green,label=\"second|../b.cc(8)|"
		"timeout=3|expected failures=1|labels: @slow\"];\n"
		"tu1 -> tu65537;\n"
		"tu65537 -> tu65536[color=red,style=dotted,constraint=false];\n"
		"tu2[shape=Mrecord,fontname=Helvetica,color=green,label=\"outer|../b.cc(9)\"];\n"
		"tu1 -> tu2;\n"
		"{\n"
		"tu3[shape=Mrecord,fontname=Helvetica,color=green,label=\"data|../b.cc(10)\"];\n"
		"tu2 -> tu3;\n"
		"{\n"
		"tu65538[shape=Mrecord,fontname=Helvetica,color=green,label=\"_0|../b.cc(10)\"];\n"
		"tu3 -> tu65538;\n"
		"}\n"
		"tu65539[shape=Mrecord,fontname=Helvetica,color=yellow,label=\"off|../b.cc(13)\"];\n"
		"tu2 -> tu65539;\n"
		"}\n"
		"tu65540[shape=Mrecord,fontname=Helvetica,color=green,label=\"x|y \"t<int>|../b.cc(14)\"];\n"
		"tu1 -> tu65540;\n"
		"tu65541[shape=Mrecord,fontname=Helvetica,color=green,label=\"!odd|../b.cc(15)\"];\n"
		"tu1 -> tu65541;\n"
		"tu4[shape=Mrecord,fontname=Helvetica,color=yellow,label=\"empty|../b.cc(16)\"];\n"
		"tu1 -> tu4;\n"
		"}\n"
		"}\n"
		"END\n");
	cr_assert(eq(int, discover("tests: {kind: boost, command: ./build/t}\n"), PE_OK), "%s",
		  err.message);
	cr_expect(eq(sz, n, 3));
	expect(0, "plain", "./build/t --run_test=plain", "b.cc");
	expect(1, "outer/data/_0", "./build/t --run_test=outer/data/_0", "b.cc");
	expect(2, "x|y \"t<int>", "./build/t '--run_test=x|y \"t<int>'", "b.cc");
	cr_expect(eq(sz, skipped.n, 3));
	expect_skipped(0, "second", "it depends on another test, which would run with it");
	expect_skipped(1, "outer/off", "disabled");
	expect_skipped(2, "!odd", "Boost's filter gives its first character a meaning");
}

/* Version 2 takes --list-tests for its text and exits with the number of tests. */
Test(programs, of_catch2_run_one_test_each)
{
	scratch_write(&scratch, "tree/c.cc", "");
	program("tree/t2",
		"case $1 in --list-tests) echo 'All available test cases:'; exit 9;; esac\n"
		"printf '%s\\t@c.cc:5\\n' plain 'a, [b] \\ ' '*star' otherstar '~ tilde' "
		"'exclude:me' '\"#hash\"' -dash 'AB' 'ab'\n"
		"exit 10\n");
	program("tree/t3",
		"cat <<'END'\n"
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<MatchingTests>\n"
		"  <TestCase>\n    <Name>a &amp; b&lt;int></Name>\n    <ClassName/>\n"
		"    <Tags>[x]</Tags>\n    <SourceInfo>\n      <File>/elsewhere/tree/c.cc</File>\n"
		"      <Line>9</Line>\n    </SourceInfo>\n  </TestCase>\n"
		"</MatchingTests>\n"
		"END\n");
	cr_assert(eq(int, discover("tests: {kind: catch2, programs: [./t2, ./t3]}\n"), PE_OK), "%s",
		  err.message);
	cr_expect(eq(sz, n, 8));
	expect(0, "t2:plain", "./t2 plain --warn NoTests", "c.cc");
	expect(1, "t2:a, [b] \\ ", "./t2 'a\\, \\[b\\] \\\\' --warn NoTests", "c.cc");
	expect(2, "t2:otherstar", "./t2 otherstar --warn NoTests", "c.cc");
	expect(3, "t2:~ tilde", "./t2 '* tilde' --warn NoTests", "c.cc");
	expect(4, "t2:exclude:me", "./t2 '*xclude:me' --warn NoTests", "c.cc");
	expect(5, "t2:#hash", "./t2 '#hash' --warn NoTests", "c.cc");
	expect(6, "t2:-dash", "./t2 '\\-dash' --warn NoTests", "c.cc");
	cr_expect_str_eq(found[7].name, "t3:a & b<int>");
	cr_expect_str_eq(found[7].command.argv[1], "a & b<int>");
	cr_expect(eq(ptr, (void *)found[7].command.argv[2], NULL));
	expect_skipped(0, "t2:*star", "the library's filter cannot name it without 'otherstar'");
	expect_skipped(1, "t2:AB", "the library's filter cannot name it without 'ab'");
	expect_skipped(2, "t2:ab", "the library's filter cannot name it without 'AB'");
}

Test(programs, of_one_name_in_two_folders_have_the_folders_in_their_tests_names)
{
	program("tree/a/tests", "printf 'S.\\n  One\\n'\n");
	program("tree/b/tests", "printf 'S.\\n  One\\n'\n");
	cr_assert(eq(int, discover("tests: {kind: gtest, programs: [./a/tests, ./b/tests]}\n"),
		     PE_OK));
	cr_expect(eq(sz, n, 2));
	expect(0, "a/tests:S.One", "./a/tests --gtest_filter=S.One", "");
	expect(1, "b/tests:S.One", "./b/tests --gtest_filter=S.One", "");
}

Test(programs, that_list_nothing_are_refused_with_what_they_said)
{
	program("tree/t", "echo 'unknown option' >&2\nexit 2\n");
	cr_expect(eq(int, discover("tests: {kind: doctest, command: ./t}\n"), PE_EINVALID));
	cr_expect_str_eq(err.message, "tests: './t' exited with status 2: unknown option");
	program("tree/t", "echo hello\n");
	cr_expect(eq(int, discover("tests: {kind: boost, command: ./t}\n"), PE_EINVALID));
	cr_expect_str_eq(err.message, "tests: './t': no list of tests in what it printed");
	program("tree/t", "kill -9 $$\n");
	cr_expect(eq(int, discover("tests: {kind: gtest, command: ./t}\n"), PE_EINVALID));
}

/* --- Meson --- */

static void write_info(const char *tests)
{
	const char *tree = scratch_path(&scratch, "tree");

	scratch_write(
		&scratch, "tree/build/meson-info/intro-targets.json",
		pe_arena_printf(
			&scratch.arena,
			"[{\"name\": \"core\", \"id\": \"c\", \"type\": \"static library\"},\n"
			"{\"name\": \"t\", \"type\": \"executable\", \"defined_in\": \"%s/meson.build\",\n"
			"\"filename\": [\"%s/build/t\"], \"target_sources\": [{\"language\": \"c\", "
			"\"sources\": [\"%s/tests/t.c\", \"%s/core.c\"]}]},\n"
			"{\"name\": \"app\", \"type\": \"executable\", \"defined_in\": \"%s/meson.build\",\n"
			"\"filename\": [\"%s/build/app\"], \"target_sources\": [{\"sources\": "
			"[\"%s/core.c\"]}]}]\n",
			tree, tree, tree, tree, tree, tree, tree));
	scratch_write(&scratch, "tree/build/meson-info/intro-tests.json", tests);
	scratch_write(&scratch, "tree/build/meson-info/intro-benchmarks.json",
		      "[{\"name\": \"speed\", \"cmd\": [\"./t\", \"9\"], \"suite\": [\"p\"]}]");
	scratch_write(&scratch, "tree/build/t", "");
	scratch_write(&scratch, "tree/build/app", "");
	scratch_write(&scratch, "tree/tests/t.c", "");
	scratch_write(&scratch, "tree/run.sh", "");
}

Test(programs, of_meson_are_read_from_its_files)
{
	const char *tree = scratch_path(&scratch, "tree");

	write_info(pe_arena_printf(
		&scratch.arena,
		"[{\"name\": \"a one\", \"cmd\": [\"%s/build/t\", \"%s/build/../data.txt\"], \"env\": "
		"{\"D\": \"%s/q\"}, \"workdir\": \"%s\", \"timeout\": 90, \"suite\": [\"p:unit\", "
		"\"p:fast\"]},\n"
		"{\"name\": \"same\", \"cmd\": [\"%s/build/t\"], \"workdir\": null, \"timeout\": 30, "
		"\"suite\": [\"p:x\"]},\n"
		"{\"name\": \"same\", \"cmd\": [\"%s/build/t\"], \"suite\": [\"p:y\"]},\n"
		"{\"name\": \"script\", \"cmd\": [\"%s/run.sh\", \"./t\"], \"suite\": [\"p\"]},\n"
		"{\"name\": \"app\", \"cmd\": [\"%s/build/app\"], \"suite\": []},\n"
		"{\"name\": \"unbuilt\", \"cmd\": [\"%s/build/gone\"]},\n"
		"{\"name\": \"away\", \"cmd\": [\"%s/build/t\"], \"workdir\": \"/usr\"}]\n",
		tree, tree, tree, tree, tree, tree, tree, tree, tree, tree));
	cr_assert(eq(int, discover("tests: {kind: meson, tags: z}\n"), PE_OK), "%s", err.message);
	cr_expect(eq(sz, n, 5));
	expect(0, "a one", "./build/t ./build/../data.txt", "tests/t.c");
	cr_expect_str_eq(found[0].cwd, ".");
	cr_expect_str_eq(found[0].env.at[0], "D=./q");
	cr_expect(eq(u64, found[0].timeout_ns, UINT64_C(90000000000)));
	cr_assert(eq(sz, found[0].tags.n, 3));
	cr_expect_str_eq(found[0].tags.at[1], "unit");
	expect(1, "x/same", "./t", "tests/t.c");
	cr_expect_str_eq(found[1].cwd, "build");
	cr_expect(eq(u64, found[1].timeout_ns, UINT64_C(60000000000)));
	expect(2, "y/same", "./t", "tests/t.c");
	expect(3, "script", "../run.sh ./t", "run.sh");
	cr_expect_str_eq(found[3].sources.at[1], "tests/t.c");
	expect(4, "app", "./app", "meson.build");
	expect_skipped(0, "unbuilt", "its program is not built");
	expect_skipped(1, "away", "runs in /usr, outside the tree");
	cr_assert(eq(int, discover("tests: meson-benchmarks\n"), PE_OK), "%s", err.message);
	cr_expect(eq(sz, n, 1));
	expect(0, "speed", "./t 9", "tests/t.c");
}

Test(programs, of_meson_need_its_files)
{
	scratch_shell(&scratch, "mkdir -p tree/build");
	cr_expect(eq(int, discover("tests: meson\n"), PE_EINVALID));
	cr_expect_str_eq(err.message, "tests: no meson-info/intro-tests.json in 'build': set "
				      "tests.build-dir to where Meson builds");
	write_info("{}");
	cr_expect(eq(int, discover("tests: meson\n"), PE_EINVALID));
	cr_expect_str_eq(err.message, "Meson's list of tests: an array was expected");
	write_info("[{\"cmd\": []}]");
	cr_expect(eq(int, discover("tests: meson\n"), PE_EINVALID));
	scratch_shell(&scratch,
		      "cd tree/build && mv meson-info ../../out && ln -s ../../out meson-info");
	cr_expect(eq(int, discover("tests: meson\n"), PE_EINVALID), "a link out of the tree");
}
