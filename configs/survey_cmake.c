/* CMake: listfiles describe programs by calls with a name, and build out of the tree. */
#include "configs/survey.h"

#include "core/base/place.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* MAX_VALUE: a variable that is set from itself again and again grows without end. */
enum { MAX_ARGS = 64, MAX_DIRS = 200, MAX_VALUE = 4096 };

/* One call: its name in lower case, and its first arguments without quotes. */
struct call {
	char name[64];
	const char *args[MAX_ARGS];
	size_t n;
};

struct variable {
	const char *name, *value;
};

/* A program, and what the calls say about it. */
struct executable {
	const char *name, *path, *format, *tests;
	bool excluded, hidden, has_sources;
};

/* What the listfiles of one project say. */
struct listfiles {
	struct pe_survey *survey;
	const char *dir;        /* of the file being read, in the tree */
	pe_line_vec dirs;       /* folders with a listfile, as add_subdirectory() names them */
	const char *output_dir; /* where programs go; NULL: beside their listfile */
	PE_VEC(struct variable) variables;
	PE_VEC(struct executable) executables;
	pe_line_vec options;   /* names of options that are off and speak of benchmarks */
	const char *tests_off; /* an option that is off and stands for tests */
	bool enabled, has_tests;
};

static const char *skip_comment(const char *at)
{
	/* #[[ ... ]] spans lines. */
	if (at[1] == '[' && at[2] == '[') {
		const char *end = strstr(at, "]]");

		return end != NULL ? end + 2 : at + strlen(at);
	}
	return at + strcspn(at, "\n");
}

static const char *skip_blank(const char *at)
{
	for (;;) {
		at += strspn(at, " \t\r\n;");
		if (*at != '#')
			return at;
		at = skip_comment(at);
	}
}

/* One argument at *at, moving it behind. */
static const char *read_arg(const char **at, struct pe_arena *arena)
{
	const char *start = *at;
	size_t n;

	if (*start == '"') {
		for (n = 1; start[n] != '\0' && start[n] != '"'; n++)
			if (start[n] == '\\' && start[n + 1] != '\0')
				n++;
		*at = start + n + (start[n] == '"');
		return pe_arena_strndup(arena, start + 1, n - 1);
	}
	n = strcspn(start, " \t\r\n;()#\"");
	*at = start + (n > 0 ? n : 1);
	return pe_arena_strndup(arena, start, n);
}

static const char *read_args(struct call *call, const char *at, struct pe_arena *arena)
{
	unsigned depth = 1;

	call->n = 0;
	while (*(at = skip_blank(at)) != '\0') {
		const char *arg;

		if (*at == '(' || *at == ')') {
			depth += *at == '(' ? 1u : -1u;
			at++;
			if (depth == 0)
				break;
			continue;
		}
		arg = read_arg(&at, arena);
		if (call->n < MAX_ARGS)
			call->args[call->n++] = arg;
	}
	return at;
}

/* The next call of a listfile, moving *at behind it. */
static bool next_call(struct call *call, const char **at, struct pe_arena *arena)
{
	const char *text = *at;

	while (*(text = skip_blank(text)) != '\0') {
		size_t n = 0;

		while (isalnum((unsigned char)text[n]) || text[n] == '_')
			n++;
		if (n > 0 && n < sizeof(call->name) && text[n + strspn(text + n, " \t")] == '(') {
			for (size_t i = 0; i < n; i++)
				call->name[i] = (char)tolower((unsigned char)text[i]);
			call->name[n] = '\0';
			*at = read_args(call, strchr(text + n, '(') + 1, arena);
			return true;
		}
		text += n > 0 ? n : 1;
	}
	return false;
}

static const char *value_of(const struct listfiles *files, const char *name, size_t n)
{
	for (size_t i = files->variables.n; i-- > 0;)
		if (strlen(files->variables.data[i].name) == n &&
		    strncmp(files->variables.data[i].name, name, n) == 0)
			return files->variables.data[i].value;
	return NULL;
}

static void set_variable(struct listfiles *files, const char *name, const char *value)
{
	pe_vec_push(&files->variables, (struct variable){name, value});
}

/* A text with its ${variables}; NULL when one is not known. */
static const char *expand(const struct listfiles *files, const char *text)
{
	pe_auto_text out = PE_TEXT_INIT;
	const char *expanded;

	for (const char *at; (at = strstr(text, "${")) != NULL;) {
		size_t n = strcspn(at + 2, "}");
		const char *value = value_of(files, at + 2, n);

		if (value == NULL || at[2 + n] == '\0' || out.len > MAX_VALUE)
			return NULL;
		pe_text_addn(&out, text, (size_t)(at - text));
		pe_text_add(&out, value);
		text = at + 2 + n + 1;
	}
	pe_text_add(&out, text);
	expanded = pe_arena_strdup(files->survey->arena, pe_text_str(&out));
	return strchr(expanded, '$') == NULL ? expanded : NULL;
}

/* The libraries by what is linked: those of benchmarks are found in sources, too, those of tests here alone. */
static const struct {
	const char *link, *format, *tests;
} linked[] = {
	{"benchmark", "google-benchmark", NULL},
	{"benchmark_main", "google-benchmark", NULL},
	{"benchmark::benchmark", "google-benchmark", NULL},
	{"benchmark::benchmark_main", "google-benchmark", NULL},
	{"gtest", NULL, "gtest"},
	{"gtest_main", NULL, "gtest"},
	{"GTest::gtest", NULL, "gtest"},
	{"GTest::gtest_main", NULL, "gtest"},
	{"gmock_main", NULL, "gtest"},
	{"GTest::gmock_main", NULL, "gtest"},
	{"doctest::doctest", NULL, "doctest"},
	{"Boost::unit_test_framework", NULL, "boost"},
	{"Catch2::Catch2", NULL, "catch2"},
	{"Catch2::Catch2WithMain", NULL, "catch2"},
};

static struct executable *executable_of(struct listfiles *files, const char *name)
{
	for (size_t i = 0; name != NULL && i < files->executables.n; i++)
		if (strcmp(files->executables.data[i].name, name) == 0)
			return &files->executables.data[i];
	return NULL;
}

/* A source beside its listfile; what begins with a variable of CMake's is named from the top. */
static const char *source_path(const struct listfiles *files, const char *word)
{
	const char *beside = pe_survey_join(files->survey, files->dir, word);

	return pe_survey_has(files->survey, beside) ? beside : word;
}

/* The library of a program by what it is linked with, or by one of its sources. */
static void take_library(struct listfiles *files, struct executable *executable, const char *word)
{
	const char *ending = strrchr(word, '.');

	for (size_t i = 0; i < sizeof(linked) / sizeof(*linked); i++) {
		if (strcmp(word, linked[i].link) != 0)
			continue;
		if (linked[i].format != NULL)
			executable->format = linked[i].format;
		if (linked[i].tests != NULL)
			executable->tests = linked[i].tests;
	}
	if (ending == NULL || (ending[1] != 'c' && ending[1] != 'C') || !pe_survey_is_fit(word))
		return;
	executable->has_sources = true;
	if (executable->format == NULL)
		executable->format = pe_survey_library_of(files->survey, source_path(files, word),
							  &executable->hidden);
}

static void take_executable(struct listfiles *files, const struct call *call)
{
	struct pe_survey *survey = files->survey;
	struct executable executable = {.name = call->n > 0 ? expand(files, call->args[0]) : NULL};
	const char *dir;

	if (executable.name == NULL)
		return;
	if (call->n > 1 &&
	    (strcmp(call->args[1], "IMPORTED") == 0 || strcmp(call->args[1], "ALIAS") == 0))
		return;
	executable.excluded = call->n > 1 && strcmp(call->args[1], "EXCLUDE_FROM_ALL") == 0;
	dir = files->output_dir;
	if (dir == NULL)
		dir = pe_survey_join(survey, "build", files->dir);
	if (files->output_dir == NULL && strcmp(files->dir, ".") == 0)
		dir = "build";
	executable.path = pe_survey_join(survey, dir, executable.name);
	for (size_t i = 1; i < call->n; i++) {
		const char *source = expand(files, call->args[i]);

		if (source != NULL)
			take_library(files, &executable, source);
	}
	pe_vec_push(&files->executables, executable);
}

static void take_links(struct listfiles *files, const struct call *call)
{
	struct executable *executable =
		call->n > 1 ? executable_of(files, expand(files, call->args[0])) : NULL;

	for (size_t i = 1; executable != NULL && i < call->n; i++) {
		const char *word = expand(files, call->args[i]);

		if (word != NULL)
			take_library(files, executable, word);
	}
}

static void place_programs(struct listfiles *files)
{
	struct pe_survey *survey = files->survey;

	for (size_t i = 0; i < files->executables.n; i++) {
		const struct executable *executable = &files->executables.data[i];

		if (!pe_survey_is_fit(executable->path))
			continue;
		if (executable->format != NULL)
			pe_survey_add_suite(survey, executable->name,
					    executable->hidden
						    ? pe_arena_printf(survey->arena,
								      "%s '[!benchmark]'",
								      executable->path)
						    : executable->path,
					    executable->format, NULL);
		else if (!executable->excluded)
			pe_survey_add_program(survey, executable->name, executable->path);
		if (!executable->has_sources && executable->format == NULL &&
		    !executable->excluded && pe_survey_is_fit(executable->name))
			pe_vec_push(&survey->opaque,
				    (struct pe_candidate){executable->name, executable->path});
	}
}

/* A program of a test library, where ctest has no tests. */
static void place_tests(struct listfiles *files)
{
	struct pe_survey *survey = files->survey;

	for (size_t i = 0; survey->tests == NULL && i < files->executables.n; i++) {
		const struct executable *executable = &files->executables.data[i];

		if (executable->tests != NULL && executable->format == NULL &&
		    !executable->excluded && pe_survey_is_fit(executable->path))
			survey->tests = pe_arena_printf(survey->arena, "{kind: %s, command: %s}",
							executable->tests, executable->path);
	}
}

static bool is_off(const struct call *call)
{
	return call->n < 3 || strcmp(call->args[2], "OFF") == 0 ||
	       strcmp(call->args[2], "NO") == 0 || strcmp(call->args[2], "FALSE") == 0;
}

/* Which word of an option's name, between marks, begins with one of these: 1 for the first; 0: none does. */
static size_t word_of(const char *name, const char *const *words, bool *last)
{
	for (size_t at = 1; *name != '\0'; at++) {
		size_t n = strcspn(name, "_.-");

		for (size_t i = 0; words[i] != NULL; i++) {
			if (strncasecmp(name, words[i], strlen(words[i])) == 0) {
				*last = name[n] == '\0';
				return at;
			}
		}
		name += n + (name[n] != '\0');
	}
	return 0;
}

/* Whether an option switches such things on: P_BENCHMARKS, BUILD_BENCH_TOOLS; neither BENCHMARK_ENABLE_LTO nor P_TEST_WITH_VALGRIND. */
static bool switches_on(const char *name, const char *const *words)
{
	static const char *const switches[] = {"build", "enable", NULL};
	bool last = false, any;
	size_t at = word_of(name, words, &last);

	return at > 0 && (last || (at > 1 && word_of(name, switches, &any) > 0));
}

static void take_option(struct listfiles *files, const struct call *call)
{
	static const char *const negations[] = {"without", "disable", "skip",
						"exclude", "no_",     NULL};
	static const char *const benches[] = {"bench", NULL};
	static const char *const tests[] = {"test", "unittest", NULL};
	const char *name = call->n > 0 ? call->args[0] : "";
	bool last;

	if (!is_off(call) || strchr(name, '$') != NULL || word_of(name, negations, &last) > 0)
		return;
	if (switches_on(name, benches))
		pe_vec_push(&files->options, name);
	if (files->tests_off == NULL && switches_on(name, tests))
		files->tests_off = name;
}

static void take_subdirectory(struct listfiles *files, const struct call *call)
{
	const char *name = call->n > 0 ? expand(files, call->args[0]) : NULL;
	const char *dir;

	if (name == NULL || name[0] == '/' || name[0] == '\0' || strstr(name, "..") != NULL)
		return;
	while (strncmp(name, "./", 2) == 0)
		name += 2;
	dir = pe_survey_join(files->survey, files->dir, name);
	for (size_t i = 0; i < files->dirs.n; i++)
		if (strcmp(files->dirs.data[i], dir) == 0)
			return;
	if (files->dirs.n < MAX_DIRS)
		pe_vec_push(&files->dirs, dir);
}

static void take_set(struct listfiles *files, const struct call *call)
{
	const char *value;

	if (call->n < 2)
		return;
	value = expand(files, call->args[1]);
	if (value == NULL)
		return;
	if (strcmp(call->args[0], "CMAKE_RUNTIME_OUTPUT_DIRECTORY") == 0 ||
	    strcmp(call->args[0], "EXECUTABLE_OUTPUT_PATH") == 0)
		files->output_dir = strncmp(value, "./", 2) == 0 ? value + 2 : value;
	else
		set_variable(files, call->args[0], value);
}

static void take_call(struct listfiles *files, const struct call *call)
{
	static const char *const adders[] = {"add_test", "gtest_discover_tests", "gtest_add_tests",
					     "catch_discover_tests", "doctest_discover_tests"};

	if (strcmp(call->name, "add_executable") == 0)
		take_executable(files, call);
	else if (strcmp(call->name, "add_subdirectory") == 0)
		take_subdirectory(files, call);
	else if (strcmp(call->name, "target_link_libraries") == 0 ||
		 strcmp(call->name, "target_sources") == 0)
		take_links(files, call); /* words of another kind say nothing */
	else if (strcmp(call->name, "set") == 0)
		take_set(files, call);
	else if (strcmp(call->name, "option") == 0 ||
		 strcmp(call->name, "cmake_dependent_option") == 0)
		take_option(files, call);
	else if (strcmp(call->name, "project") == 0 && call->n > 0 &&
		 strcmp(files->dir, ".") == 0) {
		set_variable(files, "PROJECT_NAME", call->args[0]);
		set_variable(files, "CMAKE_PROJECT_NAME", call->args[0]);
	} else if (strcmp(call->name, "enable_testing") == 0 ||
		   (strcmp(call->name, "include") == 0 && call->n > 0 &&
		    strcmp(call->args[0], "CTest") == 0))
		files->enabled = true;
	for (size_t i = 0; i < sizeof(adders) / sizeof(*adders); i++)
		files->has_tests = files->has_tests || strcmp(call->name, adders[i]) == 0;
}

static void read_listfiles(struct listfiles *files)
{
	struct pe_survey *survey = files->survey;
	struct call call;

	set_variable(files, "CMAKE_BINARY_DIR", "build");
	set_variable(files, "PROJECT_BINARY_DIR", "build");
	set_variable(files, "CMAKE_SOURCE_DIR", ".");
	set_variable(files, "PROJECT_SOURCE_DIR", ".");
	pe_vec_push(&files->dirs, ".");
	for (size_t i = 0; i < files->dirs.n; i++) {
		const char *at;

		files->dir = files->dirs.data[i];
		at = pe_survey_read(survey, pe_survey_join(survey, files->dir, "CMakeLists.txt"));
		set_variable(files, "CMAKE_CURRENT_BINARY_DIR",
			     strcmp(files->dir, ".") == 0
				     ? "build"
				     : pe_survey_join(survey, "build", files->dir));
		set_variable(files, "CMAKE_CURRENT_SOURCE_DIR", files->dir);
		set_variable(files, "CMAKE_CURRENT_LIST_DIR", files->dir);
		while (at != NULL && next_call(&call, &at, survey->arena))
			take_call(files, &call);
	}
	pe_vec_release(&files->dirs);
}

/* Programs that `cmake --build` leaves out are built by their names. */
static void add_build_steps(struct listfiles *files)
{
	struct pe_survey *survey = files->survey;
	pe_auto_text configure = PE_TEXT_INIT, excluded = PE_TEXT_INIT;
	bool measures = survey->benches.n + survey->suites.n > 0;

	pe_text_addf(&configure, "cmake -S . -B build -G %s -DCMAKE_BUILD_TYPE=Release",
		     pe_place_on_path("ninja", survey->arena) != NULL ? "Ninja"
								      : "'Unix Makefiles'");
	for (size_t i = 0; i < files->options.n && measures; i++)
		pe_text_addf(&configure, " -D%s=ON", files->options.data[i]);
	pe_survey_add_step(survey, configure.data);
	pe_survey_add_step(survey, "cmake --build build");
	for (size_t i = 0; i < files->executables.n; i++) {
		const struct executable *executable = &files->executables.data[i];

		if (executable->excluded && executable->format != NULL &&
		    pe_survey_is_fit(executable->name))
			pe_text_addf(&excluded, " %s", executable->name);
	}
	if (excluded.len > 0)
		pe_survey_add_step(survey,
				   pe_arena_printf(survey->arena, "cmake --build build --target%s",
						   excluded.data));
}

bool pe_survey_cmake(struct pe_survey *survey)
{
	struct listfiles files = {.survey = survey};

	if (!pe_survey_has(survey, "CMakeLists.txt"))
		return false;
	survey->system = "CMake";
	read_listfiles(&files);
	if (files.enabled && files.has_tests && files.tests_off == NULL)
		survey->tests = "ctest";
	if (files.has_tests && files.tests_off != NULL)
		pe_survey_add_unknown(
			survey,
			pe_arena_printf(
				survey->arena,
				"the tests are off by default: add -D%s=ON to the configure step, and 'tests: ctest' to measure them",
				pe_survey_is_fit(files.tests_off) ? files.tests_off : "OPTION"));
	place_programs(&files);
	if (files.tests_off == NULL)
		place_tests(&files);
	add_build_steps(&files);
	pe_vec_release(&files.variables);
	pe_vec_release(&files.executables);
	pe_vec_release(&files.options);
	return true;
}
