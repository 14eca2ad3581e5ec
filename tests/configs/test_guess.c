/* What init writes for a tree: cases of trees (cases/guess), and what needs more than files. */
#include "configs/config.h"

#include "scratch.h"
#include "tests/support/cases.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static struct scratch scratch;
static struct pe_guess guess;
static struct pe_config config;
static struct pe_err err;

static void init(void)
{
	scratch_init(&scratch);
	/* Without ninja on PATH, whatever this machine has. */
	setenv("PATH", "/nowhere", 1);
}

static void release(void)
{
	setenv("PATH", "/usr/bin:/bin", 1);
	scratch_release(&scratch);
}

static void look(const char *system)
{
	err = (struct pe_err)PE_ERR_INIT;
	cr_assert(eq(int, pe_config_guess(&guess, scratch.dir, NULL, &scratch.arena, &err), PE_OK),
		  "%s", err.message);
	cr_assert(eq(int,
		     pe_config_load(&config, "perfevo.yml", scratch.dir, guess.yaml, &scratch.arena,
				    &err),
		     PE_OK),
		  "%s\n%s", err.message, guess.yaml);
	if (system != NULL)
		cr_expect_str_eq(guess.system, system);
	else
		cr_expect(eq(ptr, (void *)guess.system, NULL));
}

TestSuite(guess, .init = init, .fini = release, .timeout = 600);

/* What the build prepares, and its steps, one a line. */
static const char *steps(void)
{
	const char *all = "";

	for (size_t i = 0; i < config.recipe.prepare.n; i++)
		all = pe_arena_printf(&scratch.arena, "%s%s\n", all,
				      config.recipe.prepare.at[i].text);
	for (size_t i = 0; i < config.recipe.steps.n; i++)
		all = pe_arena_printf(&scratch.arena, "%s%s\n", all,
				      config.recipe.steps.at[i].text);
	return all;
}

/* "name: command" of the benchmarks, one a line. */
static const char *benchmarks(void)
{
	const char *all = "";

	for (size_t i = 0; i < config.n_benchmarks; i++)
		all = pe_arena_printf(&scratch.arena, "%s%s: %s\n", all, config.benchmarks[i].name,
				      config.benchmarks[i].command.text);
	return all;
}

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
	err = (struct pe_err)PE_ERR_INIT;
	cr_assert(eq(int, pe_config_guess(&guess, scratch.dir, NULL, &scratch.arena, &err), PE_OK),
		  "%s", err.message);
	look(guess.system);
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

Test(guess, cmake_takes_ninja_where_it_is)
{
	scratch_write(&scratch, "bin/ninja", "");
	scratch_write(&scratch, "CMakeLists.txt", "project(a C)\n");
	scratch_shell(&scratch, "/bin/chmod +x bin/ninja");
	setenv("PATH", scratch_path(&scratch, "bin"), 1);
	look("CMake");
	cr_expect(ne(ptr, strstr(steps(), "-G Ninja "), NULL));
	cr_expect(says("replace '...' with the command that should stay fast"));
}

Test(guess, variables_that_grow_without_end_are_given_up)
{
	const char *text = "project(p C)\nset(A xx)\n";

	for (int i = 0; i < 60; i++)
		text = pe_arena_printf(&scratch.arena, "%sset(A ${A}${A})\n", text);
	scratch_write(&scratch, "CMakeLists.txt",
		      pe_arena_printf(&scratch.arena, "%sadd_executable(${A}_bench x.c)\n", text));
	look("CMake");
	cr_expect_str_eq(benchmarks(), "work: ...\n");
	scratch_shell(&scratch, "/bin/rm CMakeLists.txt");
	text = "";
	for (char name = 'A'; name < 'K'; name++) {
		text = pe_arena_printf(&scratch.arena, "%s%c =", text, name);
		for (int i = 0; i < 100; i++)
			text = pe_arena_printf(&scratch.arena, "%s$(%c)", text, name + 1);
		text = pe_arena_printf(&scratch.arena, "%s\n", text);
	}
	scratch_write(&scratch, "Makefile",
		      pe_arena_printf(&scratch.arena, "%sK =\nall: $(C)p\n", text));
	look("Make");
}

Test(guess, what_is_not_guessed_is_a_sentence_with_its_line)
{
	look(NULL);
	cr_assert(ne(ptr, (void *)config.to_do, NULL));
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
	setenv("PATH", "/usr/bin:/bin", 1);
	scratch_write(&scratch, "Makefile", "all: bench\nbench: bench.o\n\t$(CC) -o $@ bench.o\n");
	scratch_write(&scratch, "bench.c", "int main(void) { return 0; }\n");
	look("Make");
	cr_expect(eq(ptr, (void *)config.to_do, NULL));
	scratch_shell(&scratch, "make >/dev/null");
	scratch_shell(&scratch, config.benchmarks[0].command.text);
}

Test(guess, every_example_loads)
{
	static const char *const names[] = {"cmake", "make", "autotools", "meson", "cargo", "npm"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *path = pe_arena_printf(&scratch.arena, "%s/configs/examples/%s.yml",
						   PE_SOURCE_DIR, names[i]);

		cr_expect(eq(int,
			     pe_config_load(&config, path, scratch.dir, NULL, &scratch.arena, &err),
			     PE_OK),
			  "%s", err.message);
		cr_expect(gt(sz, config.n_benchmarks, 0));
	}
}
