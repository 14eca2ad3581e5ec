/* Build variants: their recipes and hashes, and what they make of real compilers called in all the ways that builds do. */
#include "core/exec/build_variant.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/exec/env.h"
#include "tests/support/test.h"

static struct pe_arena arena;
static char place[64];
static struct pe_profile_plan plan;
static const char *no_env[] = {NULL};
static struct pe_recipe recipe;

#define text(...) pe_arena_printf(&arena, __VA_ARGS__)

static void set_up(void)
{
	static const char *const make[] = {"/bin/sh", "-c", "make", NULL};
	static const struct pe_command step = {make, "make"};

	unsetenv("COMPILER_PATH");
	unsetenv("CCC_OVERRIDE_OPTIONS");
	strcpy(place, "/tmp/pe-variant-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(place), NULL));
	plan = (struct pe_profile_plan){.mode = PE_PROFILE_DEFAULT};
	recipe = (struct pe_recipe){
		.steps = {&step, 1}, .env = {no_env, 0}, .jobs = 1, .ccache = true};
}

static void tear_down(void)
{
	pe_files_remove(place, NULL);
	pe_arena_release(&arena);
}

TestSuite(variant, .init = set_up, .fini = tear_down, .timeout = 600);

static const char *setting(const struct pe_recipe *of, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < of->env.n; i++)
		if (strncmp(of->env.at[i], name, strlen(name)) == 0 &&
		    of->env.at[i][strlen(name)] == '=')
			value = of->env.at[i] + strlen(name) + 1;
	return value;
}

static struct pe_recipe made(enum pe_build_variant variant)
{
	struct pe_recipe out;

	pe_build_variant_recipe(&out, variant, &recipe, &plan, PE_BINARY_DIR "/launcher/compilers",
				&arena);
	return out;
}

static const char *hash_of(enum pe_build_variant variant)
{
	char *hex = pe_arena_alloc(&arena, PE_HASH_HEX, 1);

	pe_build_variant_hash(variant, &recipe, &plan, hex);
	return hex;
}

/* --- Recipes --- */

Test(variant, a_recipe_is_the_projects_with_other_surroundings)
{
	const char *env[] = {"CFLAGS=-O3", NULL};
	struct pe_recipe counting, sampled, native;

	recipe.env = (struct pe_strings){env, 1};
	native = made(PE_BUILD_VARIANT_NATIVE);
	counting = made(PE_BUILD_VARIANT_COUNTING);
	sampled = made(PE_BUILD_VARIANT_SAMPLED);
	cr_expect_str_eq(setting(&counting, "CFLAGS"), "-O3");
	cr_expect_str_eq(setting(&counting, "CCACHE_DISABLE"), "1");
	cr_expect_str_eq(setting(&counting, "COMPILER_PATH"), PE_BINARY_DIR "/launcher/compilers");
	cr_expect_has(setting(&counting, "PERFEVO_CC1_FLAGS"), "-finstrument-functions\n");
	cr_expect_text("- 0 -g\n -", strstr(setting(&sampled, "PERFEVO_CC1_FLAGS"), "instrument"),
		       strncmp(setting(&sampled, "CCC_OVERRIDE_OPTIONS"),
			       "# +-g +-fno-optimize-sibling-calls ", 35),
		       setting(&native, "PERFEVO_CC1_FLAGS"),
		       strstr(setting(&native, "CCC_OVERRIDE_OPTIONS"), "-f"));
	cr_expect(not(counting.ccache));
	cr_expect(eq(int, counting.clean, PE_CLEAN_ALWAYS));
	cr_expect(eq(ptr, (void *)counting.steps.at, (void *)recipe.steps.at));
}

Test(variant, what_the_project_says_of_the_same_variables_stays)
{
	const char *env[] = {"COMPILER_PATH=/opt/cc", "CCC_OVERRIDE_OPTIONS=#x-O2", NULL};
	struct pe_recipe counting;

	recipe.env = (struct pe_strings){env, 2};
	counting = made(PE_BUILD_VARIANT_COUNTING);
	cr_expect_str_eq(setting(&counting, "COMPILER_PATH"),
			 PE_BINARY_DIR "/launcher/compilers:/opt/cc");
	cr_expect_has(setting(&counting, "CCC_OVERRIDE_OPTIONS"), "/ x-O2");
}

Test(variant, own_steps_are_those_of_the_counting_build)
{
	static const char *const argv[] = {"/bin/sh", "-c", "make hooks", NULL};
	static const struct pe_command step = {argv, "make hooks"};

	plan.build = (struct pe_commands){&step, 1};
	cr_expect_str_eq(made(PE_BUILD_VARIANT_COUNTING).steps.at[0].text, "make hooks");
	cr_expect_str_eq(made(PE_BUILD_VARIANT_SAMPLED).steps.at[0].text, "make");
}

Test(variant, a_hash_is_of_what_decides_the_programs)
{
	const char *files[] = {"vendor/", NULL};
	const char *counting = hash_of(PE_BUILD_VARIANT_COUNTING);
	const char *sampled = hash_of(PE_BUILD_VARIANT_SAMPLED);
	char timed[PE_HASH_HEX];

	pe_recipe_hash(&recipe, timed);
	cr_expect_str_neq(counting, sampled);
	cr_expect_str_neq(counting, timed);
	plan.rate = 99;
	plan.exclude.size_bytes = 10;
	cr_expect_str_eq(hash_of(PE_BUILD_VARIANT_COUNTING), counting);
	plan.exclude.files = (struct pe_strings){files, 1};
	cr_expect_str_neq(hash_of(PE_BUILD_VARIANT_COUNTING), counting);
	cr_expect_str_eq(hash_of(PE_BUILD_VARIANT_SAMPLED), sampled);
}

/* --- Compilers --- */

static void write_file(const char *name, const char *content)
{
	pe_auto_text out = PE_TEXT_INIT;

	pe_text_add(&out, content);
	cr_assert(eq(int, pe_text_write_file(&out, text("%s/%s", place, name), NULL), PE_OK));
}

/* Run a build's step in the place, as in a build variant; its exit status. */
static int step(enum pe_build_variant variant, const char *command)
{
	const struct pe_recipe of = made(variant);
	const char *const *env = pe_env_for_build(&of, place, NULL, false, &arena);
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (chdir(place) == 0)
			execle("/bin/sh", "sh", "-c", text("{ %s; } >out 2>err", command),
			       (char *)NULL, (char *const *)(size_t)env);
		_exit(126);
	}
	cr_assert(eq(int, waitpid(child, &status, 0), child));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int count(const char *command)
{
	return step(PE_BUILD_VARIANT_COUNTING, command);
}

static const char *content(const char *name)
{
	pe_auto_text out = PE_TEXT_INIT;
	const char *copy;

	pe_text_read_file(&out, text("%s/%s", place, name), NULL);
	copy = pe_arena_strdup(&arena, pe_text_str(&out));
	return copy;
}

/* How many functions of a program or object call the hook, as binutils' disassembler sees it. */
static int hooks(const char *name)
{
	step(PE_BUILD_VARIANT_SAMPLED,
	     text("objdump -dr %s | grep -c -E 'call.*func_enter|PLT32.*func_enter'", name));
	return atoi(content("out"));
}

static bool here(const char *program)
{
	return step(PE_BUILD_VARIANT_SAMPLED, text("command -v %s", program)) == 0;
}

static void write_program(void)
{
	write_file("a.c", "int sum(int n) { return n > 1 ? n + sum(n - 1) : n; }\n"
			  "int twice(int n) { return 2 * sum(n); }\n"
			  "int main(int n, char **v) { return v == 0 || twice(n) != 2; }\n");
}

Test(variant, gcc_gets_its_flags_by_any_name)
{
	if (!here("gcc"))
		cr_skip_test("gcc is not installed");
	write_program();
	cr_assert(eq(int, count("gcc -O2 -Wall -Werror a.c -o a && ./a"), 0), "%s", content("err"));
	cr_expect(ge(int, hooks("a"), 3));
	cr_assert(eq(int, count("$(command -v gcc) -O2 -c a.c && gcc a.o -o a && ./a"), 0));
	cr_expect(ge(int, hooks("a"), 3));
	cr_assert(eq(int, count("ln -s $(command -v gcc) mine && PATH=.:$PATH mine -c a.c"), 0));
	cr_expect(ge(int, hooks("a.o"), 3));
	cr_assert(eq(int, count("gcc -g0 -O2 -flto -c a.c && gcc -flto -O2 a.o -o a && ./a"), 0));
	cr_expect(ge(int, hooks("a"), 1));
	cr_assert(eq(int, step(PE_BUILD_VARIANT_SAMPLED, "gcc -O2 a.c -o a && ./a"), 0));
	cr_expect(eq(int, hooks("a"), 0));
	cr_expect(eq(int, step(PE_BUILD_VARIANT_SAMPLED, "objdump -h a | grep -q debug_line"), 0));
}

Test(variant, gcc_answers_questions_as_it_would)
{
	if (!here("gcc"))
		cr_skip_test("gcc is not installed");
	write_program();
	write_file("bad.c", "int main(\n");
	write_file("unused.c", "static int unused; int main(void) { return 0; }\n");
	write_file("start.S", ".globl start\nstart: ret\n");
	cr_expect_text("0 - 1", count("gcc -E a.c; gcc -S a.c -o -; gcc -MM a.c"),
		       strstr(content("out"), "__cyg"), count("gcc -c bad.c"));
	cr_expect_has(content("err"), "bad.c:1:");
	cr_expect(eq(int, count("gcc -c start.S && gcc -c none.c"), 1));
	cr_expect_has(content("err"), "none.c");
	/* What configure scripts compile: hooks, and warnings that are no errors, would change the answer. */
	cr_expect_text(
		"0 0 1 0 0 0", count("cp a.c conftest.c && gcc -c conftest.c"), hooks("conftest.o"),
		count("cp unused.c conftest.c && gcc -Wall -Werror -c conftest.c"),
		count("mkdir -p CMakeFiles/CMakeScratch/x && cd CMakeFiles/CMakeScratch/x "
		      "&& gcc -c ../../../a.c"),
		hooks("CMakeFiles/CMakeScratch/x/a.o"), count("gcc -Wall -Werror -c unused.c"));
}

Test(variant, gcc_uses_what_it_compiled_before)
{
	if (!here("gcc"))
		cr_skip_test("gcc is not installed");
	write_file("h.h", "static inline int one(int x) { return x + 1; }\n");
	write_file(
		"h.c",
		"#include \"h.h\"\nint main(int n, char **v) { return v == 0 || one(n) != 2; }\n");
	cr_expect(eq(int,
		     count("gcc -O2 -x c-header h.h -o h.h.gch && "
			   "gcc -O2 -Winvalid-pch -H h.c -o h && ./h"),
		     0),
		  "%s", content("err"));
	cr_expect_has(content("err"), "! h.h.gch");
	cr_expect(ge(int, hooks("h"), 2));
	cr_expect(eq(int, count("gcc -save-temps -pipe -O2 h.c -o h && ./h"), 0));
	cr_expect(ge(int, hooks("h"), 2));
}

Test(variant, gxx_leaves_out_the_systems_headers)
{
	if (!here("g++"))
		cr_skip_test("g++ is not installed");
	write_file("v.cc", "#include <vector>\n#include <string>\n"
			   "int main() { std::vector<std::string> v; v.push_back(\"x\");"
			   " return v.size() != 1; }\n");
	cr_assert(eq(int, count("g++ -O0 v.cc -o v && ./v"), 0), "%s", content("err"));
	cr_expect(eq(int, hooks("v"), 1));
}

Test(variant, clang_gets_its_flags)
{
	if (!here("clang"))
		cr_skip_test("clang is not installed");
	write_program();
	write_file("start.S", ".globl start\nstart: ret\n");
	cr_assert(eq(int,
		     count("clang -O1 -fno-inline -Weverything -Wno-missing-prototypes -Werror a.c "
			   "-o a && ./a && clang -Werror -c start.S"),
		     0),
		  "%s", content("err"));
	cr_expect_str_eq(content("err"), "");
	cr_expect(ge(int, hooks("a"), 3));
	cr_assert(eq(int, step(PE_BUILD_VARIANT_SAMPLED, "clang -O2 -Werror a.c -o a && ./a"), 0));
	cr_expect(eq(int, hooks("a"), 0));
}

/* Lines of a program's symbol table that name its own functions, and its sections of debug information. */
static int names(const char *program)
{
	step(PE_BUILD_VARIANT_NATIVE, text("nm %s | grep -c -w -E 'sum|twice|main'", program));
	return atoi(content("out"));
}

static bool has_lines(const char *program)
{
	return step(PE_BUILD_VARIANT_NATIVE, text("objdump -h %s | grep -q debug_line", program)) ==
	       0;
}

/* All ways of a command that make `a` leave it with names and lines. */
static void keeps(const char *const *commands)
{
	for (; *commands != NULL; commands++) {
		cr_assert(eq(int, step(PE_BUILD_VARIANT_NATIVE, *commands), 0), "%s: %s", *commands,
			  content("err"));
		cr_expect(eq(int, names("a"), 3), "%s", *commands);
		cr_expect(has_lines("a"), "%s", *commands);
		step(PE_BUILD_VARIANT_NATIVE, "rm -f a b");
	}
}

Test(variant, gcc_keeps_what_the_linker_would_strip)
{
	static const char *const commands[] = {
		"gcc -O0 -s a.c -o a",
		"gcc -O0 -Wl,-O1,-s,--as-needed a.c -o a",
		"gcc -O0 -Xlinker --strip-all a.c -o a",
		"gcc -O0 -Wl,-S,-strip-all a.c -o a",
		"echo -s -O0 a.c -o a >'my args' && gcc @'my args'",
		"gcc -O0 -flto -s a.c -o a",
		NULL,
	};

	if (!here("gcc"))
		cr_skip_test("gcc is not installed");
	write_program();
	keeps(commands);
	/* What is no option of stripping goes through: a linker's error, and a name with a space. */
	cr_expect(eq(int, step(PE_BUILD_VARIANT_NATIVE, "gcc -s a.c -lnone_such -o a"), 1));
	cr_expect_has(content("err"), "none_such");
	cr_expect(eq(int,
		     step(PE_BUILD_VARIANT_NATIVE,
			  "gcc -c a.c -o 'a b.o' && echo \"-s 'a b.o' -o a\" >args && gcc @args"),
		     0));
}

Test(variant, clang_keeps_what_the_linker_would_strip)
{
	static const char *const commands[] = {
		"clang -O0 -Werror -s a.c -o a",
		"clang -O0 -Wl,-O1,-s,--as-needed a.c -o a",
		"clang -O0 -Wl,--strip-all a.c -o a",
		"clang -O0 -Xlinker -s a.c -o a",
		"clang -O0 -Xlinker --strip-debug a.c -o a",
		"echo -s -O0 a.c -o a >args && clang @args",
		NULL,
	};

	if (!here("clang"))
		cr_skip_test("clang is not installed");
	write_program();
	keeps(commands);
}

/* Debug information must not decide what is compiled: the code that is timed is the code that is compared. */
Test(variant, debug_information_leaves_the_code_as_it_is)
{
	if (!here("gcc"))
		cr_skip_test("gcc is not installed");
	write_program();
	cr_assert(
		eq(int,
		   step(PE_BUILD_VARIANT_NATIVE,
			"for cc in gcc clang; do command -v $cc || continue; $cc -O2 a.c -o a && "
			"(unset COMPILER_PATH CCC_OVERRIDE_OPTIONS; $cc -O2 -s a.c -o b) && "
			"for x in a b; do objcopy -O binary -j .text -j .rodata $x $x.bin || exit "
			"1; done && cmp a.bin b.bin || exit 1; done"),
		   0),
		"%s", content("err"));
}

Test(variant, the_stand_in_does_not_call_itself)
{
	int status;

	if (!here("gcc"))
		cr_skip_test("gcc is not installed");
	write_program();
	/* A driver that answers with the stand-in again. */
	write_file("driver", "#!/bin/sh\necho " PE_BINARY_DIR "/launcher/compilers/cc1\n");
	status = count("chmod +x driver; COLLECT_GCC=./driver $COMPILER_PATH/cc1 a.c");
	cr_expect(eq(int, status, 1));
	cr_expect_has(content("err"), "stand-in");
	cr_expect(eq(int, count("COLLECT_GCC= $COMPILER_PATH/cc1 a.c"), 1));
	cr_expect(eq(int, count("unset COLLECT_GCC; $COMPILER_PATH/cc1 a.c"), 1));
	cr_expect_has(content("err"), "gcc calls it");
}
