/* What real programs open in a tree, as the counting library and the reader of its lists see it. */
#define _GNU_SOURCE
#include "core/base/files.h"
#include "core/base/proc.h"
#include "core/base/text.h"
#include "core/exec/alloc.h"
#include "core/exec/build_variant.h"
#include "core/exec/dependencies.h"
#include "probe/formats/alloc.h"
#include "probe/formats/paths.h"
#include "tests/support/test.h"

#include <glob.h>

#define PROGRAMS PE_BINARY_DIR "/tests/core/"

static char touch[] = PROGRAMS "pe_program_touch";
static char static_one[] = PROGRAMS "pe_program_allocate_static";
static char go_like[] = PROGRAMS "pe_program_touch_go";

static struct pe_launcher *launcher;
static struct pe_arena arena;
static struct pe_err err;
static struct pe_proc_result result;
static struct pe_dependencies touched;
static struct pe_text listed;
static char place[256], tree[300], records[300];
static const char *root; /* as the program is told */
static const char *input;

#define text(...) pe_arena_printf(&arena, __VA_ARGS__)

static void write_file(const char *path, const char *content)
{
	pe_auto_text out = PE_TEXT_INIT;

	pe_text_add(&out, content);
	cr_assert_ok(pe_text_write_file(&out, path, &err), err.message);
}

static void shell(const char *command)
{
	cr_assert(eq(int, system(pe_arena_printf(&arena, "cd %s && %s", tree, command)), 0));
}

static void set_up(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(place, sizeof(place), "%s/pe-touched-XXXXXX", tmp != NULL ? tmp : P_tmpdir);
	cr_assert(ne(ptr, mkdtemp(place), NULL));
	snprintf(tree, sizeof(tree), "%s/tree", place);
	snprintf(records, sizeof(records), "%s/records", place);
	cr_assert(eq(int, mkdir(tree, 0777), 0));
	shell("mkdir sub sub/deep && echo a > a && echo b > sub/b && echo c > sub/deep/c");
	root = tree;
	cr_assert_ok(pe_launcher_open(&launcher, NULL, &err), err.message);
}

static void tear_down(void)
{
	pe_launcher_close(launcher);
	pe_files_remove(place, NULL);
	pe_text_release(&listed);
	pe_arena_release(&arena);
}

TestSuite(touched, .init = set_up, .fini = tear_down, .timeout = 600);

static int collect(const char *dir)
{
	const struct pe_watched watched = {.pid = result.pid};

	return pe_dependencies_collect(&touched, dir, tree, &watched, 1, &arena, &err);
}

static void run(const char *const *argv)
{
	const char *const env[] = {
		text("PATH=%s/bin:/usr/bin:/bin", tree),
		text("LD_PRELOAD=%s", pe_build_variant_library(PE_LIBRARY_COUNTING, &arena, &err)),
		text(PE_ALLOC_DIR_ENV "=%s", records),
		text(PE_TOUCH_ROOT_ENV "=%s", root),
		NULL,
	};
	struct pe_proc_spec spec = {
		.argv = argv, .env = env, .cwd = tree, .cpu = -1, .stdin_path = input};

	pe_files_remove(records, NULL);
	cr_assert(eq(int, pe_files_make_dir(records, &err), PE_OK));
	cr_assert_ok(pe_launcher_run(&result, launcher, &spec, &err), err.message);
	cr_expect(eq(int, result.end, PE_PROC_EXITED));
	cr_expect(eq(int, result.status, 0));
	cr_assert_ok(collect(records), err.message);
}

#define RUN(...) run((const char *const[]){__VA_ARGS__, NULL})

static uint64_t bytes_of_lists(void)
{
	pe_auto_text all = PE_TEXT_INIT;
	glob_t lists;
	uint64_t bytes;

	cr_assert(eq(int, glob(text("%s/*" PE_PATHS_SUFFIX, records), 0, NULL, &lists), 0));
	for (size_t i = 0; i < lists.gl_pathc; i++)
		cr_assert(eq(int, pe_text_read_file(&all, lists.gl_pathv[i], &err), PE_OK));
	globfree(&lists);
	bytes = all.len;
	return bytes;
}

static const char *joined(const struct pe_strings *strings)
{
	pe_text_clear(&listed);
	for (size_t i = 0; i < strings->n; i++)
		pe_text_addf(&listed, "%s%s", i > 0 ? " " : "", strings->at[i]);
	return pe_text_str(&listed);
}

static void expect_list(const char *what, const struct pe_strings *list, const char *expected)
{
	cr_expect(eq(int, strcmp(joined(list), expected), 0), "%s: '%s' instead of '%s'", what,
		  joined(list), expected);
	cr_expect(eq(ptr, (void *)(size_t)list->at[list->n], NULL));
}

static void expect_complete(void)
{
	cr_expect(touched.complete, "%s", touched.reason);
}

static void expect_incomplete(const char *because)
{
	cr_expect(not(touched.complete));
	cr_assert(ne(ptr, (void *)(size_t)touched.reason, NULL));
	cr_expect_has(touched.reason, because);
}

#define EXPECT_FILES(expected)   expect_list("files", &touched.files, expected)
#define EXPECT_FOLDERS(expected) expect_list("folders", &touched.folders, expected)
#define EXPECT_MADE(expected)    expect_list("made", &touched.made, expected)

/* All that the run touched was seen, and it is these; NULL is any. */
static void expect_seen(const char *files, const char *folders, const char *made)
{
	if (files != NULL)
		EXPECT_FILES(files);
	if (folders != NULL)
		EXPECT_FOLDERS(folders);
	if (made != NULL)
		EXPECT_MADE(made);
	expect_complete();
}

Test(touched, lists_what_was_opened_and_looked_for)
{
	RUN(touch, "open", "a", "fopen", "sub/b", "stat", "sub/deep/c", "open", "missing",
	    "freopen", "gone", "raw", "none");
	expect_seen("a gone missing none sub/b sub/deep/c", "", NULL);
	expect_list("programs", &touched.programs, "");
	expect_complete();
}

Test(touched, nothing_is_nothing)
{
	RUN("/bin/true");
	expect_seen("", "", "");
}

Test(touched, paths_start_from_where_the_program_is)
{
	RUN(touch, "cd", "sub", "open", "b", "at", "deep", "c", "open", "../a", "open",
	    "./deep//../b2", "open", "../../elsewhere");
	expect_seen("a sub sub/b sub/b2 sub/deep sub/deep/c", NULL, NULL);
	RUN(touch, "open", text("%s/sub//./b", tree), "open",
	    text("%s/../a", text("%s/sub", tree)));
	EXPECT_FILES("a sub/b");
	/* Above the root is the root. */
	RUN(touch, "open", text("/..%s/a", tree), "open", text("/../..%s/b", tree));
	EXPECT_FILES("a b");
}

Test(touched, files_outside_of_the_tree_are_nobodys_business)
{
	write_file(text("%s/outside", place), "x");
	RUN("/bin/cat", "../outside", text("%s/outside", place), "/etc/passwd");
	EXPECT_FILES("");
	/* The name begins like the tree's. */
	write_file(text("%s-not", tree), "x");
	RUN("/bin/cat", text("%s-not", tree));
	expect_seen("", NULL, NULL);
}

Test(touched, every_link_on_the_way_is_listed)
{
	shell("ln -s sub/deep way && ln -s ../a sub/up && ln -s loop loop");
	RUN(touch, "open", "way/c", "open", "sub/up", "open", "loop", "open", "way/../b");
	expect_seen("a loop sub/b sub/deep/c sub/up way", NULL, NULL);
	/* Links that lead into the tree from outside. */
	cr_assert(eq(int, symlink(tree, text("%s/door", place)), 0));
	RUN("/bin/cat", text("%s/door/a", place));
	EXPECT_FILES("a");
	root = text("%s/door", place);
	RUN("/bin/cat", text("%s/door/a", place), "sub/b");
	expect_seen("a sub/b", NULL, NULL);
}

Test(touched, paths_through_proc_and_links_elsewhere_are_resolved)
{
	const char *door = text("%s/door", place);

	cr_assert(eq(int, symlink(tree, door), 0));
	RUN(touch, "open", "/proc/self/cwd/a", "stat", "/proc/thread-self/cwd/sub/b", "open",
	    text("/proc/self/root%s/sub/deep/c", tree), "open", "/proc/self/cwd/missing", "stat",
	    text("%s/gone", door), "write", "/proc/self/cwd/out", "mkdir", text("%s/new", door),
	    "list", "/proc/self/cwd/sub");
	expect_seen("a gone missing sub/b sub/deep/c", "sub", "new out");
	RUN("/bin/sh", "-c",
	    "exec 3<sub; cat /dev/fd/3/b; cat /proc/$$/fd/3/deep/c; cat /dev/fd/4 4<a");
	expect_seen("a bin/cat sub sub/b sub/deep/c", NULL, NULL);
}

Test(touched, folders_that_were_listed)
{
	RUN(touch, "list", "sub", "list", "gone");
	expect_seen("gone", "sub", NULL);
	RUN(touch, "glob", "sub/*.c");
	EXPECT_FOLDERS("sub");
	RUN(touch, "glob", "*/b");
	EXPECT_FOLDERS(". sub sub/deep");
	shell("ln -s /usr out");
	RUN(touch, "walk", "out");
	expect_seen("out", "", "");
	RUN(touch, "walk", "sub");
	expect_seen("sub/b sub/deep/c", "sub sub/deep", NULL);
	RUN("/bin/ls", "sub");
	expect_seen(NULL, "sub", NULL);
}

Test(touched, what_the_run_made_is_its_own)
{
	RUN(touch, "write", "out", "open", "out", "write", "a", "open", "a", "new", "fresh", "open",
	    "fresh");
	expect_seen("", NULL, "a fresh out");
	RUN(touch, "open", "sub/b", "write", "sub/b", "append", "sub/deep/c", "new", "a");
	expect_seen("a sub/b sub/deep/c", NULL, "");
	RUN(touch, "mkdir", "made", "write", "made/x", "open", "made/x", "open", "made/y", "rename",
	    "sub/b", "moved", "open", "moved");
	expect_seen("sub/b", NULL, "made moved");
}

Test(touched, a_moved_folder_keeps_what_was_in_it)
{
	RUN(touch, "rename", "sub", "moved", "open", "moved/b");
	expect_seen("moved/b sub", NULL, "");
}

Test(touched, a_link_that_the_run_removes_is_followed_while_it_is_there)
{
	RUN("/bin/sh", "-c", "ln -s sub/deep way; read x < way/c; rm way");
	cr_expect_has(joined(&touched.files), "sub/deep/c");
	expect_seen(NULL, NULL, "way");
}

Test(touched, the_order_holds_across_processes)
{
	RUN("/bin/sh", "-c",
	    "cat < a > out; cat out; cat sub/b >> log; cat log; cat extra || true");
	expect_seen("a bin/cat extra sub/b", NULL, "log out");
}

Test(touched, children_and_threads_are_seen)
{
	RUN(touch, "fork", "a", "exec", touch, "open", "sub/b", "exit", "x");
	EXPECT_FILES("a sub/b");
	RUN(touch, "threads", "8", "t");
	cr_expect(eq(sz, touched.files.n, 1000));
	expect_complete();
}

Test(touched, programs_and_scripts_of_the_tree)
{
	shell("mkdir bin && printf '#!/bin/sh\\ncat a\\n' > bin/script && chmod +x bin/script");
	shell(text("cp %s bin/tool && ln -s tool bin/alias", touch));
	RUN("bin/script");
	/* The shell looks for cat there first. */
	EXPECT_FILES("a bin/cat bin/script");
	RUN("bin/alias", "open", "a");
	EXPECT_FILES("a bin/alias");
	expect_list("programs", &touched.programs, "bin/tool");
	RUN(touch, "exec", "tool", "open", "a");
	EXPECT_FILES("a");
	expect_list("programs", &touched.programs, "bin/tool");
	/* Somebody may put a program of that name there. */
	RUN(touch, "exec", "true");
	expect_seen("bin/true", NULL, NULL);
}

Test(touched, descriptors_that_were_given)
{
	input = text("%s/sub/b", tree);
	RUN("/bin/cat");
	expect_seen("sub/b", NULL, NULL);
}

Test(touched, libraries_of_the_tree)
{
	const char *const expected[] = {"early/late.so", "early/libplug.so", "early/libc.so.6",
					"lib/late.so", "lib/libplug.so"};

	shell("mkdir lib early && echo 'int plug(void) { return 1; }' > plug.c && "
	      "cc -shared -fPIC -o lib/libplug.so plug.c && cp lib/libplug.so lib/late.so && "
	      "echo 'int plug(void); int printf(const char *, ...); void *dlopen(const char *, "
	      "int);"
	      "int main(void) { return plug() != 1 || dlopen(\"late.so\", 2) == 0; }' > main.c && "
	      "cc -o main main.c -Llib -lplug "
	      "-Wl,--enable-new-dtags,-rpath,'$ORIGIN/early',-rpath,'$ORIGIN/lib'");
	/* late.so is found only if the loader takes the program for the caller. */
	RUN("./main");
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		cr_expect(ne(ptr, strstr(joined(&touched.files), expected[i]), NULL), "%s in %s",
			  expected[i], joined(&touched.files));
	expect_list("programs", &touched.programs, "main");
	expect_complete();
	RUN(touch, "load", "./lib/libplug.so", "exit", "x");
	EXPECT_FILES("lib/libplug.so");
}

Test(touched, streams_of_cpp)
{
	if (system("c++ --version > /dev/null 2>&1") != 0)
		cr_skip_test();
	write_file(text("%s/main.cpp", tree),
		   "#include <filesystem>\n#include <fstream>\n#include <string>\n"
		   "int main()\n{\n\tstd::string word;\n\tstd::ifstream(\"a\") >> word;\n"
		   "\tstd::ofstream(\"out\") << word;\n\tstd::ifstream(\"out\") >> word;\n"
		   "\tfor (auto &e : std::filesystem::directory_iterator(\"sub\"))\n"
		   "\t\tword += e.path().string();\n"
		   "\treturn std::filesystem::exists(\"missing\") || word[0] != 'a';\n}\n");
	shell("c++ -std=c++17 -O2 -D_FORTIFY_SOURCE=2 -o main main.cpp");
	RUN("./main");
	expect_seen("a missing sub", "sub", "out");
}

Test(touched, interpreters_are_seen)
{
	RUN("/usr/bin/awk", "{ print; getline < \"sub/b\" }", "a");
	EXPECT_FILES("a sub/b");
	RUN("/bin/grep", "-r", "c", "sub");
	expect_seen("sub sub/b sub/deep sub/deep/c", "sub sub/deep", NULL);
	if (access("/usr/bin/perl", X_OK) == 0) {
		RUN("/usr/bin/perl", "-e",
		    "open F, '<', 'a'; -e 'missing'; opendir D, 'sub'; readdir D;");
		expect_seen("a missing", "sub", NULL);
	}
	if (access("/usr/bin/python3", X_OK) == 0) {
		shell("echo 'x = open(\"a\").read()' > module.py && echo 'import module' > "
		      "main.py");
		for (int i = 0; i < 2; i++) {
			RUN("/usr/bin/python3", "main.py");
			cr_expect_has(joined(&touched.files), "a main.py module");
			cr_expect(eq(ptr, strstr(joined(&touched.files), ".pyc"), NULL), "%s",
				  joined(&touched.files));
		}
		EXPECT_FOLDERS(".");
	}
	expect_complete();
}

Test(touched, one_file_often_is_one_entry)
{
	RUN(touch, "often", "200000", "a");
	expect_seen("a", NULL, NULL);
	/* The program and the file. */
	cr_expect(lt(u64, bytes_of_lists(), 1000));
}

Test(touched, too_many_files_are_incomplete)
{
	RUN(touch, "many", "20000", "f");
	cr_expect(eq(sz, touched.files.n, 20000));
	expect_complete();
	RUN(touch, "many", "30000", "f");
	expect_incomplete("more files than can be listed");
}

Test(touched, what_cannot_be_seen_is_incomplete)
{
	RUN(static_one, "known");
	expect_incomplete("the command itself");
	RUN("/bin/sh", "-c", text("%s known; true", static_one));
	expect_incomplete("pe_program_allocate_static");
	RUN("/bin/sh", "-c", text("env -u " PE_TOUCH_ROOT_ENV " %s open a", touch));
	expect_incomplete("was not watched");
	RUN(go_like, "open", "a");
	expect_incomplete("Go program");
	EXPECT_FILES("a");
}

Test(touched, a_list_that_cannot_be_written_is_incomplete)
{
	/* While the shell runs, its folder for the lists is another one. */
	RUN("/bin/sh", "-c",
	    pe_arena_printf(&arena, "mv %s %s.away; : < a; mv %s.away %s", records, records,
			    records, records));
	expect_incomplete("could not be written");
}

static uint64_t allocations(const char *watched, const char *const *argv)
{
	struct pe_alloc_cost cost;

	root = watched;
	run(argv);
	cr_assert(eq(int, pe_alloc_collect(&cost, records, NULL, NULL, &err), PE_OK));
	return cost.count;
}

Test(touched, allocations_are_counted_as_before)
{
	const char *const argv[] = {touch,  "open", "a",    "fopen", "sub/b",    "list", "sub",
				    "walk", "sub",  "glob", "sub/*", "allocate", "1000", NULL};
	const char *const shell_argv[] = {"/bin/sh", "-c", "cat a; ls sub | sort", NULL};
	const char *other = pe_arena_printf(&arena, "%.*sx", (int)strlen(tree) - 1, tree);

	/* With the same size of environment, since libc copies it: a tree elsewhere, and this one. */
	cr_expect(eq(u64, allocations(tree, argv), allocations(other, argv)));
	cr_expect(eq(u64, allocations(tree, shell_argv), allocations(other, shell_argv)));
}

Test(touched, lists_of_another_version_are_errors)
{
	struct pe_path_entry entry = {.magic = PE_PATHS_MAGIC + 1, .size = 3};
	FILE *file;

	RUN("/bin/true");
	file = fopen(text("%s/1-1" PE_PATHS_SUFFIX, records), "w");
	fwrite(&entry, sizeof(entry), 1, file);
	fwrite("R/", 3, 1, file);
	fclose(file);
	cr_expect(eq(int, collect(records), PE_EUNSUPPORTED));
	/* Cut short: the process was killed while it wrote. */
	entry.magic = PE_PATHS_MAGIC;
	file = fopen(text("%s/1-1" PE_PATHS_SUFFIX, records), "w");
	fwrite(&entry, sizeof(entry), 1, file);
	fclose(file);
	cr_expect(eq(int, collect(records), PE_OK));
	expect_incomplete("cut short");
	cr_expect(eq(int, collect("/nowhere/records"), PE_ENOTFOUND));
}

Test(touched, who_answers_beside_the_files_is_said)
{
	RUN("/bin/sh", "-c", "cat a");
	cr_expect(touched.complete && touched.impure == NULL && !touched.cached);
	RUN("/bin/sh", "-c", "date > /dev/null");
	cr_expect(touched.complete && touched.impure != NULL);
	shell("mkdir -p bin && cp /bin/true bin/ccache");
	RUN("/bin/sh", "-c", "bin/ccache");
	cr_expect(touched.complete && touched.impure == NULL && touched.cached);
	if (access("/usr/bin/perl", X_OK) == 0) {
		RUN("/usr/bin/perl", "-e",
		    "use Socket; socket(S, PF_INET, SOCK_STREAM, 0);"
		    " connect(S, sockaddr_in(1, INADDR_LOOPBACK));");
		cr_expect(touched.impure != NULL &&
			  strstr(touched.impure, "another process") != NULL);
	}
}

Test(touched, a_list_that_no_library_wrote_is_not_read)
{
	RUN("/bin/cat", "a");
	cr_expect(touched.complete);
	write_file(text("%s/1-1" PE_PATHS_SUFFIX, records), "");
	cr_assert(eq(int, truncate(text("%s/1-1" PE_PATHS_SUFFIX, records), 1ll << 40), 0));
	cr_assert_ok(collect(records), err.message);
	cr_expect(touched.complete == false);
}
