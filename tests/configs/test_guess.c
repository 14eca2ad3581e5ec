/* What init writes for a tree: cases of trees (cases/guess), and what needs more than files. */
#include "configs/config.h"

#include "core/base/place.h"
#include "core/exec/ports.h"
#include "scratch.h"
#include "tests/support/cases.h"
#include "tests/support/test.h"

static struct scratch scratch;
static struct pe_guess guess;
static struct pe_config config, asking;
static struct pe_launcher *launcher;
static struct pe_err err;

static void init(void)
{
	scratch_init(&scratch);
	err = (struct pe_err)PE_ERR_INIT;
	cr_assert_ok(pe_launcher_open(&launcher, PE_BINARY_DIR "/launcher/perfevo-launch", &err),
		     err.message);
	cr_assert_ok(pe_config_load(&asking, "a.yml", scratch.dir,
				    "build: {steps: [':'], env: {LC_ALL: C, CCACHE_DISABLE: '1'}}\n"
				    "benchmarks: {x: y}\n",
				    &scratch.arena, &err),
		     err.message);
}

static void release(void)
{
	pe_launcher_close(launcher);
	scratch_release(&scratch);
}

static void look(const char *system)
{
	const struct pe_executor executor = pe_process_executor(launcher);
	const struct pe_guess_opts opts = {.executor = &executor, .asking = &asking};

	err = (struct pe_err)PE_ERR_INIT;
	cr_assert_ok(pe_config_guess(&guess, scratch.dir, &opts, &scratch.arena, &err),
		     err.message);
	cr_assert(eq(int,
		     pe_config_load(&config, "perfevo.yml", scratch.dir, guess.yaml, &scratch.arena,
				    &err),
		     PE_OK),
		  "%s\n%s", err.message, guess.yaml);
	if (system != NULL)
		cr_expect_str_eq(guess.system, system);
}

TestSuite(guess, .init = init, .fini = release, .timeout = 600);

static bool says(const char *part)
{
	for (size_t i = 0; i < guess.unknown.n; i++)
		if (strstr(guess.unknown.at[i], part) != NULL)
			return true;
	return false;
}

/* The build system, what could not be guessed, and the config without its comments but that on an overlay. */
static void read_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	char *rest = NULL;

	(void)word;
	(void)n;
	release();
	init();
	scratch_write_tree(&scratch, input);
	look(NULL);
	pe_text_addf(result, "%s\n", guess.system != NULL ? guess.system : "no system");
	for (size_t i = 0; i < guess.unknown.n; i++)
		pe_text_addf(result, "? %s\n", guess.unknown.at[i]);
	for (char *line = strtok_r(pe_arena_strdup(&scratch.arena, guess.yaml), "\n", &rest);
	     line != NULL; line = strtok_r(NULL, "\n", &rest))
		if (line[strspn(line, " ")] != '#' || strncmp(line, "# overlay: ", 11) == 0)
			pe_text_addf(result, "%s\n", line);
}

Test(guess, of_a_tree_is_as_its_cases_say)
{
	cases_check("configs/cases", "guess", read_case);
}

Test(guess, of_a_tree_for_meson_is_as_its_cases_say)
{
	if (pe_place_on_path("meson", &scratch.arena) != NULL)
		cases_check("configs/cases", "guess_meson", read_case);
}

Test(guess, of_a_tree_for_cargo_is_as_its_cases_say)
{
	if (pe_place_on_path("cargo", &scratch.arena) != NULL)
		cases_check("configs/cases", "guess_cargo", read_case);
}

/* Without ninja, whatever this machine has. */
Test(guess, cmake_makes_makefiles_where_there_is_no_ninja)
{
	const char *path = getenv("PATH");

	scratch_shell(
		&scratch,
		"mkdir bin && for p in cmake ctest make cc gcc as ld ar ranlib sh echo uname; "
		"do ln -s $(command -v $p) bin/$p; done");
	scratch_write(
		&scratch, "CMakeLists.txt",
		"cmake_minimum_required(VERSION 3.13)\nproject(a C)\nadd_executable(a-bench a.c)\n"
		"add_executable(b-bench EXCLUDE_FROM_ALL a.c)\nadd_executable(b EXCLUDE_FROM_ALL a.c)\n");
	scratch_write(&scratch, "a.c", "int main(void) { return 0; }\n");
	setenv("PATH", scratch_path(&scratch, "bin"), 1);
	unsetenv("CMAKE_C_COMPILER_LAUNCHER");
	look("CMake");
	setenv("PATH", path, 1);
	cr_expect_text("0 2", guess.unknown.n, config.n_benchmarks);
	cr_expect_str_eq(config.recipe.steps.at[0].text,
			 "cmake -S . -B build -G 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Release");
	cr_expect_str_eq(config.recipe.steps.at[2].text, "cmake --build build --target b-bench");
}

Test(guess, for_a_first_answer_only_the_program_that_runs_is_built)
{
	const struct pe_executor executor = pe_process_executor(launcher);
	struct pe_guess_opts opts = {.executor = &executor, .asking = &asking, .one = true};

	scratch_write(&scratch, "CMakeLists.txt",
		      "cmake_minimum_required(VERSION 3.13)\nproject(a C)\n"
		      "add_executable(a a.c)\nadd_executable(ab a.c)\n");
	scratch_write(&scratch, "a.c", "int main(void) { return 0; }\n");
	opts.command = "./build/a <a.c";
	cr_assert(
		eq(int, pe_config_guess(&guess, scratch.dir, &opts, &scratch.arena, &err), PE_OK));
	cr_expect_str_eq(guess.choices[0].target, "a");
	cr_expect_has(guess.choices[0].yaml, "    - cmake --build build --target a\n");
	opts.command = "./build/a | build/ab";
	cr_assert(
		eq(int, pe_config_guess(&guess, scratch.dir, &opts, &scratch.arena, &err), PE_OK));
	cr_expect_null(guess.choices[0].target);
	cr_expect_has(guess.choices[0].yaml, "    - cmake --build build\n");
}

Test(guess, for_a_first_answer_tests_are_switched_on_in_place_of_a_programs_help)
{
	const struct pe_executor executor = pe_process_executor(launcher);
	const struct pe_guess_opts opts = {.executor = &executor, .asking = &asking, .one = true};

	scratch_write(&scratch, "CMakeLists.txt",
		      "cmake_minimum_required(VERSION 3.13)\nproject(a C)\n"
		      "option(A_TESTS \"\" OFF)\nadd_executable(a a.c)\n"
		      "if(A_TESTS)\n\tenable_testing()\n\tadd_test(NAME one COMMAND a)\nendif()\n");
	scratch_write(&scratch, "a.c", "int main(void) { return 0; }\n");
	cr_assert(
		eq(int, pe_config_guess(&guess, scratch.dir, &opts, &scratch.arena, &err), PE_OK));
	cr_expect_str_eq(guess.choices[0].runs, "the tests");
	cr_expect_has(guess.choices[0].yaml, " -DA_TESTS=ON\n");
}

Test(guess, nothing_is_asked_without_an_executor)
{
	const struct pe_guess_opts opts = {.unasked = "nothing is committed yet"};

	scratch_write(&scratch, "Makefile",
		      "bench:\n\t./bench\nX := $(shell touch $(CURDIR)/asked)\n");
	cr_assert(
		eq(int, pe_config_guess(&guess, scratch.dir, &opts, &scratch.arena, &err), PE_OK));
	cr_expect(says("Make could not say which programs it makes: nothing is committed yet"));
	cr_expect_null(scratch_read(&scratch, "asked"));
}

Test(guess, what_is_not_guessed_is_a_sentence_with_its_line)
{
	look(NULL);
	cr_assert_not_null(config.to_do);
	cr_expect(eq(int, strncmp(config.to_do, "perfevo.yml:", 12), 0));
	cr_expect(says(strstr(config.to_do, "benchmark 'work': ")));
	cr_assert(eq(int,
		     pe_config_load(&config, "x.yml", scratch.dir,
				    "benchmarks:\n  a: go test ./...\n  b: [tool, ...]\n",
				    &scratch.arena, &err),
		     PE_OK));
	cr_expect_str_eq(
		config.to_do,
		"x.yml:3:6: still to do: benchmark 'b': replace '...' with the arguments of 'tool', or delete it if it needs none (runs of 20 ms to 2 s are best)");
}

Test(guess, a_guessed_config_builds_and_runs)
{
	scratch_write(&scratch, "Makefile", "all: bench\nbench: bench.o\n\t$(CC) -o $@ bench.o\n");
	scratch_write(&scratch, "bench.c", "int main(void) { return 0; }\n");
	look("Make");
	cr_expect_null(config.to_do);
	scratch_shell(&scratch, "make >/dev/null");
	scratch_shell(&scratch, config.benchmarks[0].command.text);
}

Test(guess, every_example_loads)
{
	static const char *const names[] = {"cmake", "make", "autotools", "meson", "cargo", "npm"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *path = pe_arena_printf(&scratch.arena, "%s/configs/examples/%s.yml",
						   PE_SOURCE_DIR, names[i]);

		cr_expect_ok(pe_config_load(&config, path, scratch.dir, NULL, &scratch.arena, &err),
			     err.message);
		cr_expect(gt(sz, config.n_benchmarks, 0));
	}
}
