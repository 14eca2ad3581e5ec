/*
 * Programs with many benchmarks: by the library that C and C++ sources include, and by the files of languages whose
 * tools run benchmarks themselves. What perfevo cannot read or place is reported, not guessed.
 */
#include "configs/survey.h"

#include <ctype.h>
#include <string.h>

enum { MAX_SUITES = 20 };

/* --- Names --- */

static bool is_suite_name(const struct pe_survey *survey, const char *name)
{
	for (size_t i = 0; i < survey->suites.n; i++)
		if (strcmp(survey->suites.data[i].name, name) == 0)
			return false;
	return *name != '\0';
}

static const char *suite_name(const struct pe_survey *survey, const char *name)
{
	char *own = pe_arena_strdup(survey->arena, name);

	for (char *at = own; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && strchr("_-.", *at) == NULL)
			*at = '-';
	name = *own != '\0' ? own : "bench";
	for (unsigned i = 2; !is_suite_name(survey, name); i++)
		name = pe_arena_printf(survey->arena, "%s-%u", own, i);
	return name;
}

void pe_survey_add_suite(struct pe_survey *survey, const char *name, const char *command,
			 const char *format, const char *output)
{
	struct pe_suite_candidate suite = {.format = format, .output = output};

	if (survey->suites.n >= MAX_SUITES)
		return;
	for (size_t i = 0; i < survey->suites.n; i++)
		if (strcmp(survey->suites.data[i].command, command) == 0)
			return;
	suite.name = suite_name(survey, name);
	suite.command = pe_arena_strdup(survey->arena, command);
	pe_vec_push(&survey->suites, suite);
}

/* --- C and C++ sources --- */

const char *pe_survey_library_of(const struct pe_survey *survey, const char *path, bool *hidden)
{
	const char *text = pe_survey_read(survey, path);

	if (text == NULL)
		return NULL;
	if (strstr(text, "benchmark/benchmark.h") != NULL)
		return "google-benchmark";
	if (strstr(text, "nanobench.h") != NULL)
		return "nanobench";
	if (strstr(text, "catch") != NULL &&
	    (strstr(text, "BENCHMARK(") != NULL || strstr(text, "BENCHMARK_ADVANCED(") != NULL)) {
		*hidden = *hidden || strstr(text, "[!benchmark]") != NULL;
		return "catch2";
	}
	return NULL;
}

/* --- Go --- */

/* By default each benchmark runs for a second, in every process of every commit. */
#define GO_SECONDS "0.2s"

/*
 * A program that is built once: builds of two commits can be found to be the same, `profile: go` has an option for it,
 * and a run does not link.
 */
static void add_go_program(struct pe_survey *survey, const char *dir)
{
	const bool at_top = strcmp(dir, ".") == 0;
	const char *options =
		"-test.run='^$' -test.bench=. -test.benchmem -test.benchtime=" GO_SECONDS;

	survey->profile = "go";
	pe_survey_add_step(survey, at_top ? "go test -c -o perfevo.test ."
					  : pe_arena_printf(survey->arena,
							    "go test -c -o %s/perfevo.test ./%s",
							    dir, dir));
	pe_survey_add_suite(
		survey, "go",
		at_top ? pe_arena_printf(survey->arena, "./perfevo.test %s", options)
		       : pe_arena_printf(survey->arena, "cd %s && ./perfevo.test %s", dir, options),
		"go", NULL);
}

/* Test programs go into the cache of builds, so that a run does not compile. */
static void add_go_packages(struct pe_survey *survey, bool measures)
{
	pe_survey_add_step(survey, "go test -run='^$' ./...");
	if (measures)
		pe_survey_add_suite(survey, "go",
				    "go test -run='^$' -bench=. -benchmem -benchtime=" GO_SECONDS
				    " ./...",
				    "go", NULL);
}

bool pe_survey_go(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};
	const char *dir = NULL;
	bool one = true;

	if (!pe_survey_has(survey, "go.mod"))
		return false;
	survey->system = "Go";
	pe_survey_find(&found, survey, "*_test.go", 6);
	for (size_t i = 0; i < found.n; i++) {
		const char *text = pe_survey_read(survey, found.data[i].path);

		if (text == NULL || strstr(text, "\nfunc Benchmark") == NULL)
			continue;
		one = one && (dir == NULL || strcmp(dir, found.data[i].dir) == 0);
		dir = found.data[i].dir;
	}
	if (pe_survey_has(survey, "go.sum"))
		pe_vec_push(&survey->prepares, "go mod download");
	pe_survey_add_step(survey, "go build ./...");
	if (dir != NULL && one && pe_survey_is_fit(dir))
		add_go_program(survey, dir);
	else if (found.n > 0)
		add_go_packages(survey, dir != NULL);
	return true;
}

/* --- Java --- */

/* The folder of the first description that speaks of JMH; NULL: none does. */
static const char *jmh_folder(const struct pe_survey *survey, const char *name)
{
	pe_auto_free pe_found_vec found = {0};

	pe_survey_find(&found, survey, name, 3);
	for (size_t i = found.n; i-- > 0;) {
		const char *text = pe_survey_read(survey, found.data[i].path);

		if (text != NULL &&
		    (strstr(text, "jmh-core") != NULL || strstr(text, "me.champeau.jmh") != NULL) &&
		    pe_survey_is_fit(found.data[i].dir))
			return found.data[i].dir;
	}
	return NULL;
}

static bool survey_maven(struct pe_survey *survey)
{
	const char *dir;

	if (!pe_survey_has(survey, "pom.xml"))
		return false;
	survey->system = "Maven";
	pe_survey_add_step(survey, "mvn -q -B -DskipTests package");
	dir = jmh_folder(survey, "pom.xml");
	if (dir != NULL)
		pe_survey_add_suite(
			survey, "jmh",
			pe_arena_printf(survey->arena, "java -jar %s",
					pe_survey_join(survey, dir, "target/benchmarks.jar")),
			"jmh", NULL);
	return true;
}

bool pe_survey_java(struct pe_survey *survey)
{
	bool kotlin = pe_survey_has(survey, "build.gradle.kts");
	const char *dir;

	if (survey_maven(survey))
		return true;
	if (!kotlin && !pe_survey_has(survey, "build.gradle"))
		return false;
	survey->system = "Gradle";
	dir = jmh_folder(survey, kotlin ? "build.gradle.kts" : "build.gradle");
	pe_survey_add_step(survey, dir != NULL ? "./gradlew --no-daemon -q assemble jmhJar"
					       : "./gradlew --no-daemon -q assemble");
	/* No other jar of a module ends so, and the version in its name moves. */
	if (dir != NULL)
		pe_survey_add_suite(
			survey, "jmh",
			pe_arena_printf(survey->arena, "java -jar %s",
					pe_survey_join(survey, dir, "build/libs/*-jmh.jar")),
			"jmh", NULL);
	return true;
}

/* --- .NET --- */

bool pe_survey_dotnet(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};

	pe_survey_find(&found, survey, "*.csproj", 4);
	if (found.n == 0)
		return false;
	survey->system = ".NET";
	pe_survey_add_step(survey, "dotnet build -c Release");
	for (size_t i = 0; i < found.n; i++) {
		const char *text = pe_survey_read(survey, found.data[i].path);

		if (text == NULL || strstr(text, "BenchmarkDotNet") == NULL ||
		    !pe_survey_is_fit(found.data[i].path))
			continue;
		/* Words behind the command are the program's; its results go to files named by classes. */
		pe_survey_add_suite(
			survey, "dotnet",
			pe_arena_printf(
				survey->arena,
				"sh -c 'rm -rf BenchmarkDotNet.Artifacts; [ $# -gt 0 ] || set -- --filter \"*\"; dotnet run -c Release --no-build --project %s -- --exporters fulljson \"$@\" >&2 && cat BenchmarkDotNet.Artifacts/results/*-report-full.json' bench",
				found.data[i].path),
			"benchmarkdotnet", NULL);
	}
	return true;
}

/* --- Python --- */

/* def test_x(benchmark), def test_x(self, benchmark, data) */
static bool takes_fixture(const char *text)
{
	for (const char *at = text; (at = strstr(at, "def test")) != NULL; at += 8) {
		const char *open = at + strcspn(at, "(\n"), *end;

		if (*open != '(')
			continue;
		end = open + strcspn(open, ")");
		for (const char *word = open;
		     (word = strstr(word, "benchmark")) != NULL && word < end; word += 9)
			if (strchr("(, \n\t", word[-1]) != NULL &&
			    strchr("),: \n\t", word[9]) != NULL)
				return true;
	}
	return false;
}

/* The folder that all files lie in that use the fixture, for the command line; NULL: none does. */
static const char *fixture_folder(const struct pe_survey *survey, const pe_found_vec *found)
{
	const char *folder = NULL;

	for (size_t i = 0; i < found->n; i++) {
		const char *text = pe_survey_read(survey, found->data[i].path);

		if (text == NULL || !takes_fixture(text))
			continue;
		if (folder != NULL && strcmp(folder, found->data[i].dir) != 0)
			return ".";
		folder = found->data[i].dir;
	}
	return folder != NULL && pe_survey_is_fit(folder) ? folder : NULL;
}

/* It asks whether it is one, or calls what does the work where a module would only define it. */
static bool is_program(const char *text)
{
	static const char *const calls[] = {"print(",     "main(",   "run(", "bench(",
					    "benchmark(", "timeit.", "for ", "while "};

	if (strstr(text, "__main__") != NULL)
		return true;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		for (const char *at = text; (at = strstr(at, calls[i])) != NULL; at++)
			if (at == text || at[-1] == '\n')
				return true;
	return false;
}

/* Without the fixture, pytest runs what CodSpeed measures, too. */
static bool is_test_file(const char *text)
{
	return strstr(text, "\ndef test") != NULL || strncmp(text, "def test", 8) == 0;
}

static void take_pyperf(struct pe_survey *survey, const pe_found_vec *found, const char *python)
{
	for (size_t i = 0; i < found->n; i++) {
		const char *path = found->data[i].path, *slash = strrchr(path, '/'), *text;
		const char *name = slash != NULL ? slash + 1 : path;

		text = pe_survey_is_fit(path) ? pe_survey_read(survey, path) : NULL;
		if (text == NULL || (strstr(text, "pyperf.Runner(") == NULL &&
				     strstr(text, "perf.Runner(") == NULL))
			continue;
		pe_survey_add_suite(survey, pe_arena_strndup(survey->arena, name, strlen(name) - 3),
				    pe_arena_printf(survey->arena, "%s %s", python, path), "pyperf",
				    NULL);
	}
}

/* What is installed from the tree is installed beside it: the user's own packages stay as they are. */
static void add_environment(struct pe_survey *survey, bool tests)
{
	pe_vec_push(&survey->prepares, "python3 -m venv --system-site-packages .venv");
	pe_vec_push(&survey->prepares,
		    tests ? ".venv/bin/pip install -q -e . pytest pytest-benchmark"
			  : ".venv/bin/pip install -q -e .");
}

static bool uses_pytest(const struct pe_survey *survey)
{
	return survey->benches.n > 0 && strstr(survey->benches.data[0].command, " pytest ") != NULL;
}

bool pe_survey_python(struct pe_survey *survey)
{
	const char *project = pe_survey_read(survey, "pyproject.toml"), *folder = NULL;
	const char *python = "python3";
	pe_auto_free pe_found_vec files = {0};
	bool installs = pe_survey_has(survey, "setup.py") ||
			(project != NULL && (strstr(project, "[project]") != NULL ||
					     strstr(project, "[tool.poetry]") != NULL));

	pe_survey_find(&files, survey, "*.py", 4);
	if (installs)
		python = ".venv/bin/python";
	folder = fixture_folder(survey, &files);
	if (folder != NULL)
		pe_survey_add_suite(
			survey, "pytest",
			pe_arena_printf(survey->arena,
					"%s -m pytest -q -p no:cacheprovider --benchmark-only %s",
					python, folder),
			"pytest-benchmark", NULL);
	take_pyperf(survey, &files, python);
	if (survey->suites.n == 0)
		pe_survey_add_scripts(survey, "*.py", python, is_program);
	if (survey->suites.n + survey->benches.n == 0)
		pe_survey_add_scripts(survey, "*.py",
				      pe_arena_printf(survey->arena,
						      "%s -m pytest -q -p no:cacheprovider",
						      python),
				      is_test_file);
	if (!installs && survey->suites.n + survey->benches.n == 0)
		return false;
	survey->system = "Python";
	survey->profile = "python";
	/* Without it the order in sets, and what each run counts, is chance's. */
	survey->run_env =
		"{PYTHONHASHSEED: '0'} # the same hashes in each run: so counts are exact";
	if (installs)
		add_environment(survey, folder != NULL || uses_pytest(survey));
	return true;
}
