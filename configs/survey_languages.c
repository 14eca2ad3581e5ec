/*
 * Languages whose own tools build and measure, by their project files. Files that perfevo cannot read or place are reported,
 * not guessed.
 */
#include "configs/survey.h"
#include "configs/read.h"

#include "core/json/tree.h"

#include <string.h>
#include <strings.h>

/* Folders inside each other in which project files and sources are looked for. */
enum { DEPTH = 6 };

/* The name of a file without its folder and the ending of a pattern: "a" of "bench/a.js" and "*.js". */
static const char *stem(const struct pe_survey *survey, const char *path, const char *pattern)
{
	const char *base = pe_path_name(path);

	return pe_arena_strndup(survey->arena, base, strlen(base) + 1 - strlen(pattern));
}

static bool is_bench_folder(const char *dir)
{
	const char *name = pe_path_name(dir);

	return strncasecmp(name, "bench", 5) == 0 || strcasecmp(name, "perf") == 0;
}

/*
 * Add each script of a folder for benchmarks ("bench", "benchmarks/parse") as one: "node bench/a.js"; at the top of the
 * tree, those whose name begins with it: "node bench.js".
 *
 * @param sign    a regular expression for a line of a program, or, if `others` is set, of other files
 */
static void add_scripts(struct pe_survey *survey, const char *pattern, const char *program,
			const char *sign, bool others)
{
	pe_auto_free pe_found_vec found = {0};

	pe_survey_find(&found, survey, pattern, DEPTH, NULL);
	for (size_t i = 0; i < found.n; i++) {
		const char *path = found.data[i].path;
		const bool at_top = strchr(path, '/') == NULL && strncasecmp(path, "bench", 5) == 0;

		if ((is_bench_folder(found.data[i].dir) || at_top) && pe_survey_is_fit(path) &&
		    pe_survey_matches(survey, path, sign) != others)
			pe_survey_add_bench(survey, stem(survey, path, pattern), "%s %s", program,
					    path);
	}
}

/* --- Maven, Gradle, .NET --- */

/* A tool whose project files name the library of their benchmarks: each such project is a suite. */
static const struct tool {
	const char *name, *file; /* "*.csproj": in any folder; else at the top */
	const char *build;
	const char *library;       /* a regular expression for a line of a project file */
	const char *with;          /* what `build` needs for benchmarks */
	const char *suite, *start; /* its format; its command up to the path */
	const char *product;       /* that path, from the project's folder; NULL: the file's own */
	const char *rest;          /* of the command */
} tools[] = {
	{"Maven", "pom.xml", "mvn -q -B -DskipTests package", "jmh-core", "", "jmh", "java -jar ",
	 "target/benchmarks.jar", ""},
	/* No other jar of a module ends so; the version in its name changes. */
	{"Gradle", "build.gradle.kts", "./gradlew --no-daemon -q assemble", "me\\.champeau\\.jmh",
	 " jmhJar", "jmh", "java -jar ", "build/libs/*-jmh.jar", ""},
	{"Gradle", "build.gradle", "./gradlew --no-daemon -q assemble", "me\\.champeau\\.jmh",
	 " jmhJar", "jmh", "java -jar ", "build/libs/*-jmh.jar", ""},
	/* Arguments of the command are the program's; its results go to files named by classes. */
	{".NET", "*.csproj", "dotnet build -c Release", "BenchmarkDotNet", "", "benchmarkdotnet",
	 "sh -c 'rm -rf BenchmarkDotNet.Artifacts; [ $# -gt 0 ] || set -- --filter \"*\"; dotnet run -c Release --no-build --project ",
	 NULL,
	 " -- --exporters fulljson \"$@\" >&2 && cat BenchmarkDotNet.Artifacts/results/*-report-full.json' bench"},
};

static bool survey_tool(struct pe_survey *survey, const struct tool *tool)
{
	pe_auto_free pe_found_vec projects = {0}, found = {0};

	pe_survey_find(&projects, survey, tool->file, tool->file[0] == '*' ? DEPTH : 0, NULL);
	if (projects.n == 0)
		return false;
	survey->system = tool->name;
	pe_survey_find(&found, survey, tool->file, DEPTH, tool->library);
	pe_survey_add_step(survey, "%s%s", tool->build, found.n > 0 ? tool->with : "");
	for (size_t i = 0; i < found.n; i++) {
		const char *path = tool->product != NULL ? pe_survey_join(survey, found.data[i].dir,
									  tool->product)
							 : found.data[i].path;

		if (pe_survey_is_fit(found.data[i].path))
			pe_survey_add_suite(survey, tool->suite, tool->suite, NULL, "%s%s%s",
					    tool->start, path, tool->rest);
	}
	return true;
}

bool pe_survey_tools(struct pe_survey *survey)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (survey_tool(survey, &tools[i]))
			return true;
	return false;
}

/* --- Cargo --- */

/* What cargo says of all packages. */
struct packages {
	bool benches, criterion;
};

static void take_package(struct packages *packages, struct pe_survey *survey,
			 const struct pe_json_value *package)
{
	const struct pe_json_value *targets = pe_json_member(package, "targets");
	const struct pe_json_value *needs = pe_json_member(package, "dependencies");

	for (size_t i = 0; i < pe_json_length(targets); i++) {
		const struct pe_json_value *target = pe_json_element(targets, i);
		const struct pe_json_value *kind =
			pe_json_element(pe_json_member(target, "kind"), 0);
		const char *name = pe_json_string(pe_json_member(target, "name"));

		packages->benches |= pe_json_equals(kind, "bench");
		if (name != NULL && pe_json_equals(kind, "bin"))
			pe_survey_add_program(
				survey, name,
				pe_arena_printf(survey->arena, "target/release/%s", name));
	}
	for (size_t i = 0; i < pe_json_length(needs); i++)
		packages->criterion |= pe_json_equals(
			pe_json_member(pe_json_element(needs, i), "name"), "criterion");
}

static struct packages ask_cargo(struct pe_survey *survey)
{
	const char *text =
		pe_survey_ask(survey, "cargo metadata --no-deps --format-version 1 --offline");
	struct packages packages = {.benches = false};
	const struct pe_json_value *all, *list;

	if (text == NULL || pe_json_tree(&all, text, strlen(text), survey->arena, NULL) != PE_OK)
		return packages;
	list = pe_json_member(all, "packages");
	for (size_t i = 0; i < pe_json_length(list); i++)
		take_package(&packages, survey, pe_json_element(list, i));
	return packages;
}

bool pe_survey_cargo(struct pe_survey *survey)
{
	const char *locked = pe_survey_has(survey, "Cargo.lock") ? " --locked" : "";
	pe_auto_free pe_found_vec libtest = {0};
	struct packages packages;

	if (!pe_survey_has(survey, "Cargo.toml"))
		return false;
	survey->system = "Cargo";
	survey->env = "{CARGO_PROFILE_RELEASE_DEBUG: limited, CARGO_PROFILE_BENCH_DEBUG: limited}";
	pe_vec_push(&survey->prepares, pe_arena_printf(survey->arena, "cargo fetch%s", locked));
	pe_survey_add_step(survey, "cargo build --release%s", locked);
	packages = ask_cargo(survey);
	/* Rust's own library of benchmarks prints its results. */
	pe_survey_find(&libtest, survey, "*.rs", DEPTH, "#\\[bench\\]|benchmark_main!\\(");
	if (packages.criterion)
		pe_survey_add_suite(survey, "criterion", "criterion-rs", "target/criterion",
				    "cargo bench");
	else if (libtest.n > 0)
		pe_survey_add_suite(survey, "bench", "criterion-rs", NULL, "cargo bench");
	else if (packages.benches)
		pe_survey_add_unknown(
			survey,
			"how to run the [[bench]] targets: 'cargo bench' repeats by itself; name a program that does the work once");
	if (survey->suites.n > 0)
		pe_survey_add_step(survey, "cargo bench --no-run");
	return true;
}

/* --- Go --- */

/*
 * Add the benchmarks of a folder's package by a test program that is built once: builds of two commits can be recognised
 * as equal, `profile: go` has an option for it, and a run does not link. By default each benchmark runs for a second, in
 * every process of every commit.
 */
static void add_go_program(struct pe_survey *survey, const char *dir)
{
	const bool at_top = strcmp(dir, ".") == 0;

	survey->profile = "go";
	pe_survey_add_step(survey, "go test -c -o %s %s%s",
			   pe_survey_join(survey, dir, "perfevo.test"), at_top ? "" : "./", dir);
	pe_survey_add_suite(
		survey, at_top ? "go" : dir, "go", NULL,
		"%s%s%s./perfevo.test -test.run='^$' -test.bench=. -test.benchmem -test.benchtime=0.2s",
		at_top ? "" : "cd ", at_top ? "" : dir, at_top ? "" : " && ");
}

bool pe_survey_go(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};

	if (!pe_survey_has(survey, "go.mod"))
		return false;
	survey->system = "Go";
	if (pe_survey_has(survey, "go.sum"))
		pe_vec_push(&survey->prepares, "go mod download");
	pe_survey_add_step(survey, "go build ./...");
	/* The files of a folder stand together. */
	pe_survey_find(&found, survey, "*_test.go", DEPTH, "^func Benchmark");
	for (size_t i = 0; i < found.n; i++)
		if (pe_survey_is_fit(found.data[i].dir) &&
		    (i == 0 || strcmp(found.data[i].dir, found.data[i - 1].dir) != 0))
			add_go_program(survey, found.data[i].dir);
	return true;
}

/* --- Python --- */

/* def test_x(benchmark), def test_x(self, benchmark, data); with a line for each parameter: benchmark, */
#define FIXTURE "def test[^(]*\\(([^)]*[, \t])?benchmark[,): \t]|^[ \t]+benchmark(,|: |$)"
/* A program checks for __main__, or calls functions where a module would only define them. */
#define PYTHON_PROGRAM "__main__|^((print|main|run|bench|benchmark)\\(|timeit\\.|for |while )"

/* The folder of all files that use the fixture, for the command line; NULL: none does. */
static const char *fixture_folder(const struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};
	const char *folder = NULL;

	pe_survey_find(&found, survey, "*.py", DEPTH, FIXTURE);
	for (size_t i = 0; i < found.n; i++) {
		if (folder != NULL && strcmp(folder, found.data[i].dir) != 0)
			return ".";
		folder = found.data[i].dir;
	}
	return folder != NULL && pe_survey_is_fit(folder) ? folder : NULL;
}

static void add_pyperf(struct pe_survey *survey, const char *python)
{
	pe_auto_free pe_found_vec found = {0};

	pe_survey_find(&found, survey, "*.py", DEPTH, "perf\\.Runner\\(");
	for (size_t i = 0; i < found.n; i++)
		if (pe_survey_is_fit(found.data[i].path))
			pe_survey_add_suite(survey, stem(survey, found.data[i].path, "*.py"),
					    "pyperf", NULL, "%s %s", python, found.data[i].path);
}

/* Add suites, and scripts where there are none. */
static void add_python(struct pe_survey *survey, const char *python, const char *fixtures)
{
	survey->system = "Python";
	survey->profile = "python";
	/* Without it, the order in sets is random, and with it the counts of each run. */
	survey->run_env =
		"{PYTHONHASHSEED: '0'} # the same hashes in each run: so counts are exact";
	if (fixtures != NULL)
		pe_survey_add_suite(survey, "pytest", "pytest-benchmark", NULL,
				    "%s -m pytest -q -p no:cacheprovider --benchmark-only %s",
				    python, fixtures);
	add_pyperf(survey, python);
	if (survey->suites.n == 0)
		add_scripts(survey, "*.py", python, PYTHON_PROGRAM, false);
}

bool pe_survey_python(struct pe_survey *survey)
{
	const char *fixtures;

	if (!pe_survey_has(survey, "setup.py") &&
	    !pe_survey_matches(survey, "pyproject.toml", "\\[project\\]|\\[tool\\.poetry\\]"))
		return false;
	fixtures = fixture_folder(survey);
	add_python(survey, ".venv/bin/python", fixtures);
	/* The tree is installed into an environment beside it: the user's own packages stay as they are. */
	pe_vec_push(&survey->prepares, "python3 -m venv --system-site-packages .venv");
	pe_vec_push(&survey->prepares,
		    fixtures != NULL ? ".venv/bin/pip install -q -e . pytest pytest-benchmark"
				     : ".venv/bin/pip install -q -e .");
	return true;
}

bool pe_survey_scripts(struct pe_survey *survey)
{
	add_python(survey, "python3", fixture_folder(survey));
	return survey->suites.n + survey->benches.n > 0;
}

/* --- npm --- */

/*
 * Add a script as a benchmark. npm itself takes longer to start than many benchmarks run: a script that starts node, without
 * special characters of a shell, is its command.
 */
static void add_script(struct pe_survey *survey, const char *name, const char *script)
{
	if (pe_read_matches(script, "^node( +-*[A-Za-z0-9_+./][A-Za-z0-9_+./-]*)+$"))
		pe_survey_add_bench(survey, name, "%s", script);
	else
		pe_survey_add_bench(survey, name, "npm run --silent %s", name);
	if (strstr(script, "&&") != NULL)
		pe_survey_add_unknown(
			survey,
			"which part of the script '%s' is the benchmark: all of it runs each time ('%.100s'); name the last command alone, and let 'build' do the others",
			name, script);
}

/* Add the program of "bin", which is one path, or an object of program names and paths, of which the first is used. */
static void add_start(struct pe_survey *survey, const struct pe_json_value *bin)
{
	const char *path =
		pe_json_string(bin->kind == PE_JSON_OBJECT && bin->n > 0 ? bin->items : bin);

	if (path != NULL)
		pe_vec_push(&survey->programs,
			    (struct pe_candidate){
				    .name = "start",
				    .command = pe_arena_printf(survey->arena, "node %s", path)});
}

bool pe_survey_npm(struct pe_survey *survey)
{
	static const char *const patterns[] = {"*.js", "*.mjs", "*.cjs"};
	static const char *const names[] = {"bench", "benchmark", "perf"};
	const char *text = pe_survey_read(survey, "package.json"), *script = NULL;
	const struct pe_json_value *package, *scripts;

	if (!pe_survey_has(survey, "package.json"))
		return false;
	survey->system = "npm";
	survey->profile = "node";
	text = text != NULL ? text : "";
	if (pe_json_tree(&package, text, strlen(text), survey->arena, NULL) != PE_OK ||
	    package->kind != PE_JSON_OBJECT)
		pe_survey_add_unknown(survey, "what package.json says: it cannot be read as JSON");
	scripts = pe_json_member(package, "scripts");
	/* Prefer packages that an earlier commit fetched: it is faster, and their versions are the same. */
	pe_vec_push(&survey->prepares,
		    pe_survey_has(survey, "package-lock.json")
			    ? "npm ci --prefer-offline --no-audit --no-fund"
			    : "npm install --prefer-offline --no-audit --no-fund");
	if (pe_json_string(pe_json_member(scripts, "build")) != NULL)
		pe_survey_add_step(survey, "npm run build");
	for (size_t i = 0; i < 3 && script == NULL; i++) {
		script = pe_json_string(pe_json_member(scripts, names[i]));
		if (script != NULL)
			add_script(survey, names[i], script);
	}
	/* A file that others load is no program. */
	for (size_t i = 0; i < 3 && script == NULL; i++)
		add_scripts(survey, patterns[i], "node", "module\\.exports|^export ", true);
	add_start(survey, pe_json_member(package, "bin"));
	return true;
}
