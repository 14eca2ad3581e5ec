/*
 * Guess: a config for a tree that has none. The survey examines the tree; this file writes the config, with
 * comments on the values to change.
 */
#include "configs/config.h"
#include "configs/read.h"
#include "configs/survey.h"

#include <stdlib.h>
#include <string.h>

/* Append a text as one YAML scalar on one line: plain if that is safe, else in single quotes. */
static void add_scalar(struct pe_text *out, const char *text)
{
	if (pe_read_matches(text, "^[A-Za-z_./]([A-Za-z0-9_+./= -]*[A-Za-z0-9_+./=-])?$") &&
	    !pe_read_matches(text, "^(true|false|yes|no|on|off|null)$")) {
		pe_text_add(out, text);
		return;
	}
	pe_text_addc(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			pe_text_addc(out, '\'');
		pe_text_addc(out, *text);
	}
	pe_text_addc(out, '\'');
}

static void add_commands(struct pe_text *out, const char *key, const pe_string_vec *commands)
{
	pe_text_add(out, commands->n > 0 ? key : "");
	for (size_t i = 0; i < commands->n; i++) {
		pe_text_add(out, "    - ");
		add_scalar(out, commands->data[i]);
		pe_text_addc(out, '\n');
	}
}

static void add_build(struct pe_text *out, const struct pe_survey *survey)
{
	if (survey->steps.n + survey->prepares.n == 0) {
		pe_text_add(out, "# How a commit is built, at the top of its tree:\n"
				 "#\n"
				 "# build:\n"
				 "#   - make\n\n");
		return;
	}
	pe_text_add(
		out,
		"# How each commit is built: commands for the shell, run at the top of its tree.\n"
		"# MAKEFLAGS and CMAKE_BUILD_PARALLEL_LEVEL are set to use all processors.\n"
		"build:\n");
	add_commands(out,
		     "  prepare: # what fetches: it has the network where a sandbox has none\n",
		     &survey->prepares);
	add_commands(out, "  steps:\n", &survey->steps);
	if (survey->env != NULL)
		pe_text_addf(out, "  env: %s\n", survey->env);
	pe_text_add(out, "  timeout: 10m\n\n");
}

/* "  NAME:" and its command. */
static void add_named(struct pe_text *out, const char *name, const char *command)
{
	pe_text_add(out, "  ");
	add_scalar(out, name);
	pe_text_add(out, ":\n    command: ");
	add_scalar(out, command);
	pe_text_addc(out, '\n');
}

static void add_benchmark(struct pe_text *out, const struct pe_survey *survey, const char *name,
			  const char *command)
{
	add_named(out, name, command);
	if (survey->run_env != NULL)
		pe_text_addf(out, "    env: %s\n", survey->run_env);
}

/* Append "..." for the user to replace: a program's work cannot be guessed, and nothing is measured before. */
static void add_placeholder(struct pe_text *out, const struct pe_survey *survey)
{
	const struct pe_candidate *program =
		survey->programs.n > 0 ? &survey->programs.data[0] : NULL;

	pe_text_add(
		out,
		"# What should stay fast: replace '" PE_TO_DO
		"' with its command or arguments. Runs of\n"
		"# 20 ms to 2 s are best. A script of your own goes under 'overlay', below, so that\n"
		"# old commits run it, too.\n"
		"benchmarks:\n");
	add_benchmark(out, survey, program != NULL ? program->name : "work",
		      program != NULL
			      ? pe_arena_printf(survey->arena, "%s " PE_TO_DO, program->command)
			      : PE_TO_DO);
}

static void add_benchmarks(struct pe_text *out, const struct pe_survey *survey)
{
	if (survey->benches.n > 0)
		pe_text_add(
			out,
			"# What is measured. A text runs in the shell, a list runs without one.\n"
			"benchmarks:\n");
	else if (survey->suites.n > 0 || survey->tests != NULL)
		return;
	else
		add_placeholder(out, survey);
	for (size_t i = 0; i < survey->benches.n; i++)
		add_benchmark(out, survey, survey->benches.data[i].name,
			      survey->benches.data[i].command);
	pe_text_add(out, "    # warmup: 2        discarded runs\n"
			 "    # repeats: 25      runs recorded\n"
			 "    # timeout: 60s\n"
			 "    # input: data.txt  given as stdin\n"
			 "    # parameters: {size: [10, 1000]}   and {size} in the command\n\n");
}

static void add_suites(struct pe_text *out, const struct pe_survey *survey)
{
	if (survey->suites.n == 0)
		return;
	pe_text_add(
		out,
		"# Programs that run many benchmarks: each is measured for itself, by the values that\n"
		"# the program gives. 'include' and 'exclude' choose among them.\n"
		"suites:\n");
	for (size_t i = 0; i < survey->suites.n; i++) {
		const struct pe_candidate *suite = &survey->suites.data[i];

		add_named(out, suite->name, suite->command);
		pe_text_addf(out, "    format: %s\n", suite->format);
		if (suite->output != NULL)
			pe_text_addf(out, "    output: %s\n", suite->output);
	}
	pe_text_addc(out, '\n');
}

static void add_tests(struct pe_text *out, const struct pe_survey *survey)
{
	if (survey->tests == NULL)
		return;
	if (strstr(survey->tests, "meson-benchmarks") != NULL)
		pe_text_add(
			out,
			"# What 'meson test --benchmark' runs; a benchmark whose own source changed is left\n"
			"# out. The unit tests in their place: tests: meson\n");
	else
		pe_text_add(
			out,
			"# The unit tests as benchmarks; those whose own source changed are left out. To\n"
			"# choose among them: tests: {kind: KIND, exclude: '^slow', repeats: 10}\n");
	pe_text_addf(out, "tests: %s\n\n", survey->tests);
}

static void add_profile(struct pe_text *out, const struct pe_survey *survey)
{
	if (survey->profile != NULL)
		pe_text_addf(
			out,
			"# Where the time goes, for 'perfevo compare': what the language brings.\n"
			"profile: %s\n\n",
			survey->profile);
}

static void add_overlay(struct pe_text *out, const struct pe_survey *survey)
{
	static const char *const folders[] = {"bench", "benchmark", "benchmarks", "perf"};

	pe_text_add(out, "# Files of your tree copied into every measured commit, so that a "
			 "benchmark written\n"
			 "# today runs on the commits of last year:\n");
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (pe_survey_has(survey, folders[i])) {
			pe_text_addf(out, "# overlay: [%s]\n", folders[i]);
			return;
		}
	}
	pe_text_add(out, "# overlay: [bench]\n");
}

static void release(struct pe_survey *survey)
{
	pe_vec_release(&survey->prepares);
	pe_vec_release(&survey->steps);
	pe_vec_release(&survey->benches);
	pe_vec_release(&survey->programs);
	pe_vec_release(&survey->suites);
	pe_vec_release(&survey->targets);
	pe_vec_release(&survey->unknown);
}

/* Whether there is something to run. */
static bool finds(const struct pe_survey *survey)
{
	return survey->suites.n + survey->benches.n + survey->programs.n > 0 ||
	       survey->tests != NULL || survey->test_program != NULL;
}

/* Survey a tree, possibly with several build systems: use the first with something to run, else the first. */
static void survey_tree(struct pe_survey *survey)
{
	static bool (*const systems[])(struct pe_survey *) = {
		pe_survey_cmake,  pe_survey_meson, pe_survey_cargo,
		pe_survey_go,     pe_survey_tools, pe_survey_npm,
		pe_survey_python, pe_survey_make,  pe_survey_scripts,
	};

	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems) && !finds(survey); i++) {
		const bool first = survey->system == NULL;
		struct pe_survey at = {.root = survey->root,
				       .arena = survey->arena,
				       .ask = survey->ask,
				       .progress = survey->progress,
				       .one = survey->one,
				       .unasked = survey->ask == NULL ? survey->unasked : NULL};

		/* Scripts are used only if nothing describes a build. */
		if ((systems[i] == pe_survey_scripts && !first) || !systems[i](&at) ||
		    !(first || finds(&at))) {
			release(&at);
		} else if (at.chores && !first) {
			survey->benches = at.benches;
			at.benches = (pe_candidate_vec){0};
			release(&at);
		} else {
			release(survey);
			*survey = at;
		}
	}
	if (survey->system == NULL)
		pe_survey_add_unknown(
			survey, "how this project is built: write the commands under 'build'");
	else if (survey->unasked != NULL)
		pe_survey_add_unknown(survey, "%s could not say which programs it makes: %s",
				      survey->system, survey->unasked);
}

static const char *write_down(struct pe_survey *survey)
{
	pe_auto_text out = PE_TEXT_INIT;

	pe_text_addf(&out, "# perfevo.yml: what perfevo builds and measures%s%s%s\n\n",
		     survey->system != NULL ? " (guessed for " : "",
		     survey->system != NULL ? survey->system : "",
		     survey->system != NULL ? ")" : "");
	add_build(&out, survey);
	add_benchmarks(&out, survey);
	add_suites(&out, survey);
	add_tests(&out, survey);
	add_profile(&out, survey);
	add_overlay(&out, survey);
	return pe_arena_strdup(survey->arena, pe_text_str(&out));
}

/* Whether a shell command has a path, or ./ and the path, as a word. */
static bool has_path(const char *command, const char *path)
{
	const size_t n = strlen(path);

	for (const char *at = command; (at = strstr(at, path)) != NULL; at += n)
		if ((at == command || strchr(" './", at[-1]) != NULL) &&
		    (at[n] == '\0' || strchr(" ';|&<>)", at[n]) != NULL))
			return true;
	return false;
}

/*
 * If a command runs one program of the build, build it alone: tests and libraries beside it may take most of the time.
 *
 * Returns the program's target; NULL: all is built.
 */
static const char *build_alone(struct pe_survey *survey, const char *command)
{
	const char *target = NULL, **steps;

	for (size_t i = 0; i < survey->targets.n; i++) {
		if (!has_path(command, survey->targets.data[i].command))
			continue;
		if (target != NULL)
			return NULL;
		target = survey->targets.data[i].name;
	}
	if (target == NULL)
		return NULL;
	steps = pe_arena_new(survey->arena, const char *, 2);
	steps[0] = survey->steps.data[0]; /* the configure step */
	steps[1] = pe_arena_printf(survey->arena, "%s %s", survey->alone, target);
	survey->steps = (pe_string_vec){.data = steps, .n = 2};
	return target;
}

/* Add a choice: a benchmark or a suite, or, where both are NULL, the tests. */
static void add_choice(struct pe_guess *out, const struct pe_survey *survey,
		       const struct pe_candidate *bench, const struct pe_candidate *suite,
		       const char *runs)
{
	const struct pe_candidate *program = bench != NULL ? bench : suite;
	struct pe_guess_choice *choice = &out->choices[out->n_choices++];
	struct pe_survey one = *survey;

	one.benches = (pe_candidate_vec){.data = (void *)bench, .n = bench != NULL};
	one.suites = (pe_candidate_vec){.data = (void *)suite, .n = suite != NULL};
	if (program != NULL) {
		one.tests = NULL;
		choice->target = build_alone(&one, program->command);
	}
	choice->runs = runs;
	choice->yaml = write_down(&one);
}

static void add_command(struct pe_guess *out, const struct pe_survey *survey, const char *command,
			const char *runs)
{
	const struct pe_candidate bench = {.name = "try", .command = command};

	add_choice(out, survey, &bench, NULL, runs);
}

/*
 * Add what may be run, the most telling first: the given command, and nothing else; a benchmark, a suite, or the tests; a
 * program that runs tests; at worst one that prints its help, whatever its exit status.
 */
static void add_choices(struct pe_guess *out, const struct pe_survey *survey, const char *command)
{
	if (command != NULL) {
		add_command(out, survey, command, command);
		return;
	}
	if (survey->benches.n > 0)
		add_choice(out, survey, &survey->benches.data[0], NULL,
			   survey->benches.data[0].command);
	else if (survey->suites.n > 0)
		add_choice(out, survey, NULL, &survey->suites.data[0],
			   survey->suites.data[0].command);
	else if (survey->tests != NULL)
		add_choice(out, survey, NULL, NULL, "the tests");
	if (survey->test_program != NULL)
		add_command(out, survey, survey->test_program, survey->test_program);
	if (survey->programs.n > 0) {
		command = pe_arena_printf(survey->arena, "%s --help",
					  survey->programs.data[0].command);
		add_command(out, survey,
			    pe_arena_printf(survey->arena, "%s || test $? -lt 125", command),
			    command);
	}
}

int pe_config_guess(struct pe_guess *out, const char *root, const struct pe_guess_opts *opts,
		    struct pe_arena *arena, struct pe_err *err)
{
	struct pe_err ignored = PE_ERR_INIT;
	struct pe_discovery ask = {.config = opts->asking,
				   .tree = root,
				   .executor = opts->executor,
				   .interrupts = opts->interrupts,
				   .arena = arena,
				   .err = &ignored};
	struct pe_survey survey = {.root = root,
				   .arena = arena,
				   .progress = opts->progress,
				   .one = opts->one && opts->command == NULL,
				   .unasked = opts->unasked};
	struct pe_config config;
	int rc;

	if (opts->executor != NULL && pe_discovery_resolve(&ask) == PE_OK)
		survey.ask = &ask;
	survey_tree(&survey);
	if (opts->interrupts != NULL && *opts->interrupts > 0) {
		release(&survey);
		return pe_fail(err, PE_ESTOPPED, "stopped");
	}
	*out = (struct pe_guess){.yaml = write_down(&survey), .system = survey.system};
	if (opts->one)
		add_choices(out, &survey, opts->command);
	/* The header promises that the text loads. */
	rc = pe_config_load(&config, "perfevo.yml", root, out->yaml, arena, err);
	if (rc != PE_OK)
		pe_err_context(err, "the guessed config");
	else if (config.to_do != NULL)
		pe_survey_add_unknown(&survey, "%s", strstr(config.to_do, "benchmark '"));
	out->unknown = pe_discovery_take(&survey.unknown, arena);
	if (rc == PE_OK && config.to_do != NULL)
		out->to_do = out->unknown.at[out->unknown.n - 1];
	release(&survey);
	return rc;
}
