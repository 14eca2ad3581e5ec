/*
 * Languages whose own tools build and measure, by their project files. Files that perfevo cannot read or place are reported,
 * not guessed. And C files without any build system.
 */
#include "configs/survey.h"
#include "configs/read.h"

#include "core/json/tree.h"

#include <string.h>
#include <strings.h>

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
	size_t before = survey->benches.n;
	const char *for_profilers = NULL;

	pe_survey_find(&found, survey, pattern, 3, NULL);
	for (size_t i = 0; i < found.n; i++) {
		const char *path = found.data[i].path, *name = stem(survey, path, pattern);
		const bool at_top = strchr(path, '/') == NULL && strncasecmp(path, "bench", 5) == 0;

		if ((!is_bench_folder(found.data[i].dir) && !at_top) || !pe_survey_is_fit(path) ||
		    pe_survey_matches(survey, path, sign) == others)
			continue;
		if (strcmp(name, "profile") == 0)
			for_profilers = path;
		else
			pe_survey_add_bench(survey, name, "%s %s", program, path);
	}
	/* A script for profilers repeats the work of those beside it. */
	if (for_profilers != NULL && survey->benches.n == before)
		pe_survey_add_bench(survey, "profile", "%s %s", program, for_profilers);
}

/* --- Cargo --- */

/* State of reading a Cargo.toml: enough of TOML for names in sections. */
struct manifest {
	const char *section, *package;
	bool benches, criterion, workspace;
};

static void take_binary(struct pe_survey *survey, const char *name)
{
	pe_survey_add_program(survey, name,
			      pe_arena_printf(survey->arena, "target/release/%s", name));
}

static void take_manifest_line(struct manifest *manifest, struct pe_survey *survey, char *line)
{
	char *name = line + strlen("name");

	if (*line == '[') {
		line += strspn(line, "[ ");
		line[strcspn(line, "] ")] = '\0';
		manifest->section = line;
		manifest->benches = manifest->benches || strcmp(line, "bench") == 0;
		manifest->workspace = manifest->workspace || strcmp(line, "workspace") == 0;
		return;
	}
	if (strncmp(line, "criterion", 9) == 0 && strchr(" =.", line[9]) != NULL)
		manifest->criterion = true;
	if (strncmp(line, "name", 4) != 0 || *(name += strspn(name, " \t=")) != '"')
		return;
	name[1 + strcspn(name + 1, "\"")] = '\0';
	if (strcmp(manifest->section, "package") == 0)
		manifest->package = name + 1;
	else if (strcmp(manifest->section, "bin") == 0)
		take_binary(survey, name + 1);
}

static void read_manifest(struct manifest *manifest, struct pe_survey *survey,
			  const struct pe_found *found)
{
	const char *text = pe_survey_read(survey, found->path);
	char *rest = NULL, *lines = pe_arena_strdup(survey->arena, text != NULL ? text : "");
	pe_auto_free pe_found_vec binaries = {0};

	manifest->section = "";
	manifest->package = NULL;
	for (char *line = strtok_r(lines, "\r\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\r\n", &rest))
		take_manifest_line(manifest, survey, line + strspn(line, " \t"));
	if (manifest->package != NULL &&
	    pe_survey_has(survey, pe_survey_join(survey, found->dir, "src/main.rs")))
		take_binary(survey, manifest->package);
	/* src/bin/NAME.rs are programs of that name. */
	pe_survey_find(&binaries, survey, "*.rs", 4, NULL);
	for (size_t i = 0; i < binaries.n; i++)
		if (strcmp(binaries.data[i].dir, pe_survey_join(survey, found->dir, "src/bin")) ==
		    0)
			take_binary(survey, stem(survey, binaries.data[i].path, "*.rs"));
}

/* Add benchmarks of Rust's own library, whose printed results perfevo reads; only nightly compilers support it. */
static void add_libtest(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};
	bool nightly = false;

	pe_survey_find(&found, survey, "*.rs", 3, "#\\[bench\\]|benchmark_main!\\(");
	if (found.n == 0)
		return;
	for (size_t i = 0; i < found.n; i++)
		nightly = nightly ||
			  pe_survey_matches(survey, found.data[i].path, "extern crate test;");
	pe_survey_add_step(survey, "cargo bench --no-run");
	pe_survey_add_suite(survey, "bench", "criterion-rs", NULL, "cargo bench");
	if (nightly)
		pe_survey_add_unknown(
			survey,
			"whether cargo is a nightly one, as #[bench] needs: if not, put 'RUSTC_BOOTSTRAP=1' before 'cargo bench', twice");
}

bool pe_survey_cargo(struct pe_survey *survey)
{
	const char *locked = pe_survey_has(survey, "Cargo.lock") ? " --locked" : "";
	pe_auto_free pe_found_vec found = {0};
	struct manifest all = {.section = ""};

	if (!pe_survey_has(survey, "Cargo.toml"))
		return false;
	survey->system = "Cargo";
	pe_survey_find(&found, survey, "Cargo.toml", 2, NULL);
	/*
	 * The nearest one first: deeper ones are built, too, only in a workspace, which does not include a folder for
	 * fuzzing.
	 */
	for (size_t i = 0; i < found.n && (i == 0 || all.workspace); i++)
		if (strstr(found.data[i].dir, "fuzz") == NULL)
			read_manifest(&all, survey, &found.data[i]);
	survey->env = "{CARGO_PROFILE_RELEASE_DEBUG: limited, CARGO_PROFILE_BENCH_DEBUG: limited}";
	pe_vec_push(&survey->prepares, pe_arena_printf(survey->arena, "cargo fetch%s", locked));
	pe_survey_add_step(survey, "cargo build --release%s", locked);
	if (all.criterion) {
		pe_survey_add_step(survey, "cargo bench --no-run");
		pe_survey_add_suite(survey, "criterion", "criterion-rs", "target/criterion",
				    "cargo bench");
	} else {
		add_libtest(survey);
	}
	if (all.benches && survey->suites.n == 0)
		pe_survey_add_unknown(
			survey,
			"how to run the [[bench]] targets: 'cargo bench' repeats by itself; name a program that does the work once");
	return true;
}

/* --- Go --- */

/* By default each benchmark runs for a second, in every process of every commit. */
#define GO_SECONDS "0.2s"

/*
 * Add a test program that is built once: builds of two commits can be recognised as equal, `profile: go` has an option
 * for it, and a run does not link.
 */
static void add_go_program(struct pe_survey *survey, const char *dir)
{
	const bool at_top = strcmp(dir, ".") == 0;

	survey->profile = "go";
	pe_survey_add_step(survey, "go test -c -o %s %s%s",
			   pe_survey_join(survey, dir, "perfevo.test"), at_top ? "" : "./", dir);
	pe_survey_add_suite(
		survey, "go", "go", NULL,
		"%s%s%s./perfevo.test -test.run='^$' -test.bench=. -test.benchmem -test.benchtime=" GO_SECONDS,
		at_top ? "" : "cd ", at_top ? "" : dir, at_top ? "" : " && ");
}

bool pe_survey_go(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec tests = {0}, found = {0};
	bool one = true;

	if (!pe_survey_has(survey, "go.mod"))
		return false;
	survey->system = "Go";
	pe_survey_find(&tests, survey, "*_test.go", 6, NULL);
	pe_survey_find(&found, survey, "*_test.go", 6, "^func Benchmark");
	for (size_t i = 1; i < found.n; i++)
		one = one && strcmp(found.data[i].dir, found.data[0].dir) == 0;
	if (pe_survey_has(survey, "go.sum"))
		pe_vec_push(&survey->prepares, "go mod download");
	pe_survey_add_step(survey, "go build ./...");
	if (found.n > 0 && one && pe_survey_is_fit(found.data[0].dir)) {
		add_go_program(survey, found.data[0].dir);
	} else if (tests.n > 0) {
		/* Build test programs into the build cache, so that a run does not compile. */
		pe_survey_add_step(survey, "go test -run='^$' ./...");
		if (found.n > 0)
			pe_survey_add_suite(
				survey, "go", "go", NULL,
				"go test -run='^$' -bench=. -benchmem -benchtime=" GO_SECONDS
				" ./...");
	}
	return true;
}

/* --- Java --- */

bool pe_survey_java(struct pe_survey *survey)
{
	static const struct {
		const char *file, *system, *build, *with_jmh, *jar;
	} tools[] = {
		{"pom.xml", "Maven", "mvn -q -B -DskipTests package", "", "target/benchmarks.jar"},
		/* No other jar of a module ends so; the version in its name changes. */
		{"build.gradle.kts", "Gradle", "./gradlew --no-daemon -q assemble", " jmhJar",
		 "build/libs/*-jmh.jar"},
		{"build.gradle", "Gradle", "./gradlew --no-daemon -q assemble", " jmhJar",
		 "build/libs/*-jmh.jar"},
	};

	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		pe_auto_free pe_found_vec found = {0};
		const char *dir = NULL;

		if (!pe_survey_has(survey, tools[i].file))
			continue;
		survey->system = tools[i].system;
		pe_survey_find(&found, survey, tools[i].file, 3, "jmh-core|me\\.champeau\\.jmh");
		for (size_t k = 0; k < found.n; k++)
			if (pe_survey_is_fit(found.data[k].dir))
				dir = found.data[k].dir;
		pe_survey_add_step(survey, "%s%s", tools[i].build,
				   dir != NULL ? tools[i].with_jmh : "");
		if (dir != NULL)
			pe_survey_add_suite(survey, "jmh", "jmh", NULL, "java -jar %s",
					    pe_survey_join(survey, dir, tools[i].jar));
		return true;
	}
	return false;
}

/* --- .NET --- */

bool pe_survey_dotnet(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec projects = {0}, found = {0};

	pe_survey_find(&projects, survey, "*.csproj", 4, NULL);
	if (projects.n == 0)
		return false;
	survey->system = ".NET";
	pe_survey_add_step(survey, "dotnet build -c Release");
	pe_survey_find(&found, survey, "*.csproj", 4, "BenchmarkDotNet");
	/* Arguments of the command are the program's; its results go to files named by classes. */
	for (size_t i = 0; i < found.n; i++)
		if (pe_survey_is_fit(found.data[i].path))
			pe_survey_add_suite(
				survey, "dotnet", "benchmarkdotnet", NULL,
				"sh -c 'rm -rf BenchmarkDotNet.Artifacts; [ $# -gt 0 ] || set -- --filter \"*\"; dotnet run -c Release --no-build --project %s -- --exporters fulljson \"$@\" >&2 && cat BenchmarkDotNet.Artifacts/results/*-report-full.json' bench",
				found.data[i].path);
	return true;
}

/* --- Python --- */

/* def test_x(benchmark), def test_x(self, benchmark, data); with a line for each parameter: benchmark, */
#define FIXTURE "def test[^(]*\\(([^)]*[, \t])?benchmark[,): \t]|^[ \t]+benchmark(,|: |$)"
/* A program checks for __main__, or calls functions where a module would only define them. */
#define PYTHON_PROGRAM "__main__|^((print|main|run|bench|benchmark)\\(|timeit\\.|for |while )"
#define PYTEST         "%s -m pytest -q -p no:cacheprovider"

/* The folder of all files that use the fixture, for the command line; NULL: none does. */
static const char *fixture_folder(const struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};
	const char *folder = NULL;

	pe_survey_find(&found, survey, "*.py", 4, FIXTURE);
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

	pe_survey_find(&found, survey, "*.py", 4, "perf\\.Runner\\(");
	for (size_t i = 0; i < found.n; i++)
		if (pe_survey_is_fit(found.data[i].path))
			pe_survey_add_suite(survey, stem(survey, found.data[i].path, "*.py"),
					    "pyperf", NULL, "%s %s", python, found.data[i].path);
}

bool pe_survey_python(struct pe_survey *survey)
{
	const bool installs =
		pe_survey_has(survey, "setup.py") ||
		pe_survey_matches(survey, "pyproject.toml", "\\[project\\]|\\[tool\\.poetry\\]");
	const char *python = installs ? ".venv/bin/python" : "python3";
	const char *folder = fixture_folder(survey);
	bool tests = folder != NULL;

	if (tests)
		pe_survey_add_suite(survey, "pytest", "pytest-benchmark", NULL,
				    PYTEST " --benchmark-only %s", python, folder);
	add_pyperf(survey, python);
	if (survey->suites.n == 0)
		add_scripts(survey, "*.py", python, PYTHON_PROGRAM, false);
	/* Without the fixture, pytest runs CodSpeed's benchmarks, too. */
	if (survey->suites.n + survey->benches.n == 0) {
		add_scripts(survey, "*.py", pe_arena_printf(survey->arena, PYTEST, python),
			    "^def test", false);
		tests = survey->benches.n > 0;
	}
	if (!installs && survey->suites.n + survey->benches.n == 0)
		return false;
	survey->system = "Python";
	survey->profile = "python";
	/* Without it, the order in sets is random, and with it the counts of each run. */
	survey->run_env =
		"{PYTHONHASHSEED: '0'} # the same hashes in each run: so counts are exact";
	if (!installs)
		return true;
	/* The tree is installed into an environment beside it: the user's own packages stay as they are. */
	pe_vec_push(&survey->prepares, "python3 -m venv --system-site-packages .venv");
	pe_vec_push(&survey->prepares,
		    tests ? ".venv/bin/pip install -q -e . pytest pytest-benchmark"
			  : ".venv/bin/pip install -q -e .");
	return true;
}

/* --- npm --- */

#define WORD "-*[A-Za-z0-9_+./][A-Za-z0-9_+./-]*"

/*
 * Whether every word of a command can be used in the config as it is. "A=1 node x" cannot, and "cd x" would end with
 * its step.
 */
static bool is_plain(const char *command)
{
	return pe_read_matches(command, "^" WORD "( +" WORD ")*$") &&
	       strncmp(command, "cd ", 3) != 0;
}

/* Split "a && b"; no parts when one of them has special characters of a shell. */
static void split_script(pe_string_vec *parts, const struct pe_survey *survey, const char *script)
{
	for (const char *at = script, *end; at != NULL; at = end != NULL ? end + 2 : NULL) {
		char *part;
		size_t n;

		end = strstr(at, "&&");
		at += strspn(at, " ");
		n = end != NULL ? (size_t)(end - at) : strlen(at);
		while (n > 0 && at[n - 1] == ' ')
			n--;
		part = pe_arena_strndup(survey->arena, at, n);
		if (!is_plain(part)) {
			parts->n = 0;
			return;
		}
		pe_vec_push(parts, part);
	}
}

/* Add "npm run build && node bench.js": the parts before the last one build. npm's scripts find programs of packages. */
static void add_script(struct pe_survey *survey, const char *name, const char *script)
{
	pe_auto_free pe_string_vec parts = {0};
	const char *last = "";

	split_script(&parts, survey, script);
	for (size_t i = 0; i < parts.n; i++) {
		const char *part = parts.data[i];
		const bool whole = strncmp(part, "node ", 5) == 0 ||
				   (i + 1 < parts.n && strncmp(part, "npm ", 4) == 0);

		last = pe_arena_printf(survey->arena, "%s%s", whole ? "" : "npx ", part);
		if (i + 1 < parts.n)
			pe_survey_add_step(survey, "%s", last);
	}
	/* npm itself takes longer to start than many benchmarks run: call node directly if possible. */
	if (parts.n > 1 || strncmp(last, "node ", 5) == 0)
		pe_survey_add_bench(survey, name, "%s", last);
	else
		pe_survey_add_bench(survey, name, "npm run --silent %s", name);
	if (parts.n == 0 && strstr(script, "&&") != NULL)
		pe_survey_add_unknown(
			survey,
			"which part of the script '%s' is the benchmark: all of it runs each time ('%.100s'); name the last command alone, and let 'build' do the others",
			name, script);
}

/* The program of "bin", which is one path, or an object of program names and paths, of which the first is used. */
static const char *program_of(const struct pe_json_value *package)
{
	const struct pe_json_value *bin = pe_json_member(package, "bin");

	for (size_t i = 0; bin->kind == PE_JSON_OBJECT && i < bin->n; i++)
		if (bin->items[i].kind == PE_JSON_STRING)
			return bin->items[i].text;
	return pe_json_string(bin) != NULL ? pe_json_string(bin)
					   : pe_json_string(pe_json_member(package, "main"));
}

/* Report a library of benchmarks whose results perfevo does not read. */
static void note_library(struct pe_survey *survey, const struct pe_json_value *package)
{
	static const char *const libraries[] = {"tinybench", "mitata", "benchmark", "benny"};
	const struct pe_json_value *needs = pe_json_member(package, "dependencies");
	const struct pe_json_value *develops = pe_json_member(package, "devDependencies");

	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		if (!pe_json_there(pe_json_member(needs, libraries[i])) &&
		    !pe_json_there(pe_json_member(develops, libraries[i])))
			continue;
		pe_survey_add_unknown(
			survey,
			"single benchmarks of '%s', whose results perfevo does not read: let the script print them as JSON lines (docs/suites.md)",
			libraries[i]);
		return;
	}
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
	note_library(survey, package);
	if (program_of(package) != NULL)
		pe_vec_push(
			&survey->programs,
			(struct pe_candidate){.name = "start",
					      .command = pe_arena_printf(survey->arena, "node %s",
									 program_of(package))});
	return true;
}

/* --- C files --- */

/* Compile C files: one file with main is linked with all others; several make a program each. */
bool pe_survey_c_files(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec mains = {0};

	pe_survey_find(&mains, survey, "*.c", 0, "(^|[^[:alnum:]_])main[ \t]*\\(");
	if (mains.n == 0)
		return false;
	survey->system = "C files";
	pe_survey_add_step(survey, "mkdir -p build");
	for (size_t i = 0; i < mains.n; i++) {
		const char *path = mains.data[i].path, *name = stem(survey, path, "*.c");

		if (!pe_survey_is_fit(path))
			continue;
		pe_survey_add_step(survey, "${CC:-cc} -O2 -o build/%s %s -lm", name,
				   mains.n == 1 ? "*.c" : path);
		pe_survey_add_program(survey, name,
				      pe_arena_printf(survey->arena, "build/%s", name));
	}
	return true;
}
