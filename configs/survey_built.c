/*
 * CMake and Meson: both are configured outside of the sources, and then list their programs. An option for benchmarks that
 * is off is turned on if that adds some.
 */
#include "configs/survey.h"
#include "configs/read.h"

#include "core/base/place.h"

#include <string.h>
#include <strings.h>

/* Results of one configuration. */
struct answer {
	struct pe_built_target *targets;
	size_t n;
	const char *dry;       /* CMake: output of a dry run of the whole build; NULL: unknown */
	struct pe_strings off; /* options that are off, as "NAME=ON" */
	struct pe_built_test *runs; /* Meson's benchmarks, else its tests */
	size_t n_runs;
	const char *tests; /* possible value of `tests:`; NULL: there are none */
};

struct system {
	const char *name, *file;
	const char *configure, *again; /* again: additional option of a second configuration */
	const char *build, *target;    /* target: builds a program that `build` omits */
	const char *tests;             /* possible value of `tests:`, if they were on */
	bool (*ask)(struct answer *out, struct pe_survey *survey);
};

/* --- CMake --- */

/* Options of the form NAME:BOOL=OFF in the cache. */
static struct pe_strings options_off(const struct pe_survey *survey)
{
	static const char *const values[] = {"OFF", "NO", "FALSE", "0", "N", ""};
	const char *text = pe_survey_read(survey, "build/CMakeCache.txt");
	pe_string_vec off = {0};
	char *rest = NULL, *line = pe_arena_strdup(survey->arena, text != NULL ? text : "");

	for (line = strtok_r(line, "\r\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		char *value = strstr(line, ":BOOL=");

		for (size_t i = 0; value != NULL && i < sizeof(values) / sizeof(*values); i++)
			if (strcasecmp(value + 6, values[i]) == 0)
				pe_vec_push(&off, pe_arena_printf(survey->arena, "%.*s=ON",
								  (int)(value - line), line));
	}
	return pe_discovery_take(&off, survey->arena);
}

static bool ask_cmake(struct answer *out, struct pe_survey *survey)
{
	const char *list;

	if (pe_discovery_cmake_targets(&out->targets, &out->n, survey->ask, "build") != PE_OK)
		return false;
	out->off = options_off(survey);
	out->dry = pe_survey_ask(survey, "cmake --build build -- -n");
	list = pe_survey_ask(survey, "cd build && ctest --show-only=json-v1");
	if (list != NULL &&
	    pe_json_ctest_list(&out->runs, &out->n_runs, list, strlen(list), survey->arena, NULL) ==
		    PE_OK &&
	    out->n_runs > 0)
		out->tests = "ctest";
	/* The programs that tests run are known only after the build. */
	out->n_runs = 0;
	survey->unasked = NULL;
	return true;
}

/* Whether a dry run of the build has exactly a program's name after some words. */
static bool is_said(const char *dry, const char *words, const char *name)
{
	const char *all = dry;
	size_t n = strlen(words), length = strlen(name);

	while ((all = strstr(all, words)) != NULL) {
		all += n;
		if (strncmp(all, name, length) == 0 && strchr("\"'\n;", all[length]) != NULL)
			return true;
	}
	return false;
}

/* Whether a build makes a target: Ninja prints the linked file, make the built target. */
static bool is_made(const struct answer *answer, const struct pe_built_target *target,
		    const char *path)
{
	const bool inside = strncmp(path, "build/", 6) == 0;

	return !target->on_request &&
	       (answer->dry == NULL || is_said(answer->dry, "Built target ", target->name) ||
		is_said(answer->dry, "executable ", inside ? path + 6 : target->artifacts.at[0]));
}

/* --- Meson --- */

static bool read_runs(struct answer *out, struct pe_survey *survey, const char *kind,
		      const char *file)
{
	const struct pe_json_value *list;

	if (pe_discovery_meson_info(&list, survey->ask, "build", file) != PE_OK ||
	    pe_json_meson_tests(&out->runs, &out->n_runs, list, survey->arena, NULL) != PE_OK ||
	    out->n_runs == 0)
		return false;
	out->tests = kind;
	return true;
}

static bool ask_meson(struct answer *out, struct pe_survey *survey)
{
	const struct pe_json_value *list;

	if (pe_discovery_meson_info(&list, survey->ask, "build", "intro-targets.json") != PE_OK)
		return false;
	out->targets = pe_json_meson_targets(&out->n, list, survey->arena);
	if (pe_discovery_meson_info(&list, survey->ask, "build", "intro-buildoptions.json") ==
	    PE_OK)
		out->off = pe_json_meson_options_off(list, survey->arena);
	if (!read_runs(out, survey, "meson-benchmarks", "intro-benchmarks.json"))
		read_runs(out, survey, "meson", "intro-tests.json");
	return true;
}

/* --- Both --- */

/* Whether a test or benchmark of Meson starts a program, itself or by a script. */
static bool starts(const struct pe_built_test *run, const struct pe_built_target *target)
{
	for (size_t i = 0; run->command != NULL && run->command[i] != NULL; i++)
		if (strcmp(run->command[i], target->artifacts.at[0]) == 0)
			return true;
	return false;
}

/* The benchmark library of a program, by the includes of its sources: a format of suites; NULL: none. */
static const char *library_of(const struct pe_survey *survey, const struct pe_built_target *target,
			      bool *hidden)
{
	static const char *const libraries[][2] = {
		{"google-benchmark", "benchmark/benchmark\\.h"},
		{"nanobench", "nanobench\\.h"},
		{"catch2", "BENCHMARK(_ADVANCED)?\\("},
	};

	for (size_t i = 0; i < target->sources.n; i++) {
		const char *path = pe_discovery_relative(survey->ask, target->sources.at[i]);

		/* Most sources have no benchmarks. */
		if (path == NULL ||
		    !pe_survey_matches(survey, path, "bench\\.h|benchmark\\.h|BENCHMARK"))
			continue;
		for (size_t l = 0; l < 3; l++) {
			if (!pe_survey_matches(survey, path, libraries[l][1]) ||
			    (l == 2 && !pe_survey_matches(survey, path, "catch")))
				continue;
			*hidden = l == 2 && pe_survey_matches(survey, path, "\\[!benchmark\\]");
			return libraries[l][0];
		}
	}
	return NULL;
}

/* The path of a program if it is the project's own: those of fetched or copied dependencies are not measured. */
static const char *own_path(const struct pe_survey *survey, const struct pe_built_target *target)
{
	const char *path = target->artifacts.n > 0 && target->name != NULL && !target->sanitized
				   ? pe_discovery_relative(survey->ask, target->artifacts.at[0])
				   : NULL;

	return path != NULL && pe_survey_is_fit(path) && pe_survey_is_fit(target->name) &&
			       strstr(path, "/subprojects/") == NULL &&
			       strstr(path, "/_deps/") == NULL
		       ? path
		       : NULL;
}

static bool is_started(const struct answer *answer, const struct pe_built_target *target)
{
	bool started = false;

	for (size_t i = 0; i < answer->n_runs; i++)
		started = started || starts(&answer->runs[i], target);
	return started;
}

/*
 * Add each program once. Those that Meson's tests or benchmarks start are measured by these, with their arguments,
 * except suites, whose library has a value for each of their benchmarks.
 *
 * @param extra  receives the names of programs that look like benchmarks, and that a build of all omits
 */
static void place(struct pe_survey *survey, const struct answer *answer, struct pe_text *extra)
{
	survey->targets.n = 0;
	for (size_t i = 0; i < answer->n; i++) {
		const struct pe_built_target *target = &answer->targets[i];
		const char *path = own_path(survey, target), *format;
		size_t before = survey->suites.n + survey->benches.n, programs = survey->programs.n;
		bool hidden = false;

		if (path == NULL)
			continue;
		pe_vec_push(&survey->targets,
			    (struct pe_candidate){.name = target->name, .command = path});
		format = library_of(survey, target, &hidden);
		if (format != NULL)
			/* Catch2 runs benchmarks with this tag only if it is selected. */
			pe_survey_add_suite(survey, target->name, format, NULL, "%s%s", path,
					    hidden ? " '[!benchmark]'" : "");
		else if (!is_started(answer, target))
			pe_survey_add_program(survey, target->name, path);
		if (is_made(answer, target, path))
			continue;
		survey->programs.n = programs;
		if (survey->suites.n + survey->benches.n > before)
			pe_text_addf(extra, " %s", target->name);
	}
	/* Meson's benchmarks start suites, too. */
	survey->tests = survey->suites.n > 0 && answer->tests != NULL &&
					strcmp(answer->tests, "meson-benchmarks") == 0
				? NULL
				: answer->tests;
}

static bool configure(struct answer *out, struct pe_survey *survey, const struct system *system,
		      const char *command)
{
	*out = (struct answer){.n = 0};
	if (pe_survey_ask(survey, "%s", command) == NULL)
		return false;
	if (system->ask(out, survey))
		return true;
	if (survey->unasked == NULL)
		survey->unasked = survey->ask->err->message;
	return false;
}

/* Whether an option enables the thing in its name, unlike BENCHMARK_ENABLE_LTO or P_NO_TESTS. */
static bool switches_on(const struct pe_survey *survey, const char *option, const char *what)
{
	const char *name = pe_discovery_lower(
		pe_arena_strndup(survey->arena, option, strcspn(option, "=")), survey->arena);

	return strncmp(name, "benchmark_", 10) != 0 && strstr(name, what) != NULL &&
	       !pe_read_matches(name, "without|disable|skip|exclude|no_|install|lto|sanitize|"
				      "valgrind|download|cover|perf_|werror|gtest");
}

static const char *options_for(const struct pe_survey *survey, const struct pe_strings *off,
			       const char *what)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (size_t i = 0; i < off->n; i++)
		if (switches_on(survey, off->at[i], what) &&
		    strpbrk(off->at[i], "'\"$`\\ \t:") == NULL)
			pe_text_addf(&out, " -D%s", off->at[i]);
	return pe_arena_strdup(survey->arena, pe_text_str(&out));
}

/* Add programs, with the options that add benchmarks, if they do. Returns the configure step. */
static const char *place_best(struct pe_survey *survey, const struct system *system,
			      const struct answer *plain, struct pe_text *extra)
{
	const char *options = options_for(survey, &plain->off, "bench");
	const char *command = pe_arena_printf(survey->arena, "%s%s", system->configure, options);
	struct answer with;

	if (options[0] != '\0' &&
	    configure(&with, survey, system,
		      pe_arena_printf(survey->arena, "%s%s", command, system->again))) {
		place(survey, &with, extra);
		/* Meson's benchmarks in place of its tests may be fewer. */
		if (survey->benches.n + survey->suites.n > 0 || with.n_runs > plain->n_runs ||
		    (with.n_runs > 0 && plain->n_runs > 0 && strcmp(with.tests, plain->tests) != 0))
			return command;
	} else if (options[0] != '\0') {
		pe_survey_add_unknown(survey, "the benchmarks are off by default, and with%s %s",
				      options, survey->unasked);
		survey->unasked = NULL;
	}
	survey->programs.n = 0;
	pe_text_clear(extra);
	place(survey, plain, extra);
	return system->configure;
}

/*
 * Tests that are off by default. They are switched on if the tree makes nothing else to run, for a first answer no more than
 * a program. Returns the configure step, `command` unless it changes.
 */
static const char *place_tests(struct pe_survey *survey, const struct system *system,
			       const char *command, const struct answer *plain,
			       struct pe_text *extra)
{
	const char *options = options_for(survey, &plain->off, "test"), *step;
	struct answer with;

	if (plain->tests != NULL || options[0] == '\0')
		return command;
	step = pe_arena_printf(survey->arena, "%s%s", system->configure, options);
	if (survey->benches.n + survey->suites.n == 0 && (survey->programs.n == 0 || survey->one) &&
	    configure(&with, survey, system,
		      pe_arena_printf(survey->arena, "%s%s", step, system->again)) &&
	    with.tests != NULL) {
		place(survey, &with, extra);
		/* A benchmark that comes with the tests has arguments that nobody named. */
		survey->benches.n = 0;
		return step;
	}
	survey->unasked = NULL;
	pe_survey_add_unknown(
		survey,
		"the tests are off by default: add%s to the configure step, and 'tests: %s' to measure them",
		options, system->tests);
	return command;
}

static bool survey_system(struct pe_survey *survey, const struct system *system)
{
	pe_auto_text extra = PE_TEXT_INIT;
	const char *command = system->configure;
	struct answer plain;

	if (!pe_survey_has(survey, system->file))
		return false;
	survey->system = system->name;
	survey->alone = system->target;
	if (configure(&plain, survey, system, command)) {
		command = place_best(survey, system, &plain, &extra);
		command = place_tests(survey, system, command, &plain, &extra);
	}
	pe_survey_add_step(survey, "%s", command);
	pe_survey_add_step(survey, "%s", system->build);
	if (extra.len > 0)
		pe_survey_add_step(survey, "%s%s", system->target, pe_text_str(&extra));
	return true;
}

bool pe_survey_cmake(struct pe_survey *survey)
{
	const bool ninja = pe_place_on_path("ninja", survey->arena) != NULL;
	const struct system system = {
		.name = "CMake",
		.file = "CMakeLists.txt",
		.configure = pe_arena_printf(survey->arena,
					     "cmake -S . -B build -G %s -DCMAKE_BUILD_TYPE=Release",
					     ninja ? "Ninja" : "'Unix Makefiles'"),
		.again = "",
		.build = "cmake --build build",
		.target = "cmake --build build --target",
		.tests = "ctest",
		.ask = ask_cmake,
	};

	return survey_system(survey, &system);
}

bool pe_survey_meson(struct pe_survey *survey)
{
	static const struct system system = {
		.name = "Meson",
		.file = "meson.build",
		.configure = "meson setup build --buildtype=release",
		.again = " --reconfigure",
		.build = "meson compile -C build",
		.target = "meson compile -C build",
		.tests = "meson",
		.ask = ask_meson,
	};

	return survey_system(survey, &system);
}
