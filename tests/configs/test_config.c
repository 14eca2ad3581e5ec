#include "configs/config.h"

#include "scratch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pe_arena arena;
static struct pe_err err;
static struct pe_config config;

static void release(void)
{
	pe_arena_release(&arena);
}

TestSuite(config, .fini = release, .timeout = 600);

static int load(const char *text)
{
	err = (struct pe_err)PE_ERR_INIT;
	return pe_config_load(&config, "perfevo.yml", "/top", text, &arena, &err);
}

static void loads(const char *text)
{
	cr_assert(eq(int, load(text), PE_OK), "%s", err.message);
}

static void refused(const char *text, const char *message)
{
	cr_expect(eq(int, load(text), PE_EINVALID), "accepted: %s", text);
	cr_expect_str_eq(err.message, message);
}

/* A benchmark 'b' with one more key at line 4, column 5. */
static void refused_key(const char *key, const char *message)
{
	refused(pe_arena_printf(&arena, "benchmarks:\n  b:\n    command: x\n    %s\n", key),
		pe_arena_printf(&arena, "perfevo.yml:4:%s", message));
}

static void same_strings(const struct pe_strings *got, size_t n, const char *const *want)
{
	cr_assert(eq(sz, got->n, n));
	for (size_t i = 0; i < n; i++)
		cr_expect_str_eq(got->at[i], want[i]);
	cr_expect(eq(ptr, (void *)got->at[n], NULL));
}

#define SAME(got, ...)                                                                             \
	same_strings((got), sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                \
		     (const char *[]){__VA_ARGS__})

Test(config, defaults_are_the_documented_ones)
{
	const struct pe_benchmark *b;

	loads("benchmarks: {b: ./prog}\n");
	b = &config.benchmarks[0];
	cr_assert(eq(sz, config.n_benchmarks, 1));
	cr_expect_str_eq(config.path, "perfevo.yml");
	cr_expect_str_eq(config.root, "/top");
	cr_expect_str_eq(b->name, "b");
	cr_expect_str_eq(b->cwd, ".");
	cr_expect(eq(uint, b->warmup, 2));
	cr_expect(eq(uint, b->repeats, 25));
	cr_expect(eq(u64, b->timeout_ns, UINT64_C(60000000000)));
	cr_expect(eq(int, b->expected_status, 0));
	cr_expect(b->count_allocations);
	cr_expect(not(b->is_test));
	cr_expect(eq(u64, config.recipe.timeout_ns, UINT64_C(600000000000)));
	cr_expect(eq(int, config.recipe.clean, PE_CLEAN_ALWAYS));
	cr_expect(config.recipe.ccache);
	cr_expect(eq(uint, config.recipe.jobs, (unsigned)sysconf(_SC_NPROCESSORS_ONLN)));
	cr_expect(eq(uint, config.recipe.parallel, 0));
	cr_expect(eq(int, config.surroundings.cpu, -1));
	cr_expect(not(config.surroundings.fixed_layout));
	cr_expect(eq(u64, config.disk_bytes, UINT64_C(10) << 30));
	cr_expect(eq(ptr, (void *)config.cache_dir, NULL));
	cr_expect(eq(int, config.tests.kind, PE_TESTS_NONE));
}

Test(config, build_holds_steps_and_surroundings)
{
	loads("build:\n"
	      "  steps:\n"
	      "    - ./configure --prefix=/usr\n"
	      "    - [make, all, 'a b']\n"
	      "  env: {CFLAGS: -O2, EMPTY: }\n"
	      "  timeout: 1h30m\n"
	      "  jobs: 3\n"
	      "  parallel: 2\n"
	      "  clean: auto\n"
	      "  ccache: off\n"
	      "benchmarks: {b: x}\n");
	cr_assert(eq(sz, config.recipe.steps.n, 2));
	cr_expect_str_eq(config.recipe.steps.at[0].argv[0], "/bin/sh");
	cr_expect_str_eq(config.recipe.steps.at[0].argv[1], "-c");
	cr_expect_str_eq(config.recipe.steps.at[0].argv[2], "./configure --prefix=/usr");
	cr_expect_str_eq(config.recipe.steps.at[1].argv[2], "a b");
	cr_expect_str_eq(config.recipe.steps.at[1].text, "make all 'a b'");
	SAME(&config.recipe.env, "CFLAGS=-O2", "EMPTY=");
	cr_expect(eq(u64, config.recipe.timeout_ns, UINT64_C(5400000000000)));
	cr_expect(eq(uint, config.recipe.jobs, 3));
	cr_expect(eq(uint, config.recipe.parallel, 2));
	cr_expect(eq(int, config.recipe.clean, PE_CLEAN_AUTO));
	cr_expect(not(config.recipe.ccache));
}

Test(config, build_may_be_commands_alone)
{
	loads("build: make -j2\nbenchmarks: {b: x}\n");
	cr_assert(eq(sz, config.recipe.steps.n, 1));
	loads("build: [make a, make b]\nbenchmarks: {b: x}\n");
	cr_assert(eq(sz, config.recipe.steps.n, 2));
	cr_expect_str_eq(config.recipe.steps.at[1].text, "make b");
}

Test(config, a_benchmark_holds_all_it_can)
{
	const struct pe_benchmark *b;
	struct pe_strings argv;

	loads("benchmarks:\n"
	      "  parse:\n"
	      "    command: [./parse, --all, big.json]\n"
	      "    cwd: ./data//in/\n"
	      "    env: [A=1, B=2]\n"
	      "    warmup: 0\n"
	      "    repeats: 7\n"
	      "    timeout: 2.5\n"
	      "    setup: make data\n"
	      "    prepare: [sync, [rm, -f, out]]\n"
	      "    cleanup: [rm -f x]\n"
	      "    input: in.txt\n"
	      "    inputs: [big.json, dir]\n"
	      "    exit: 3\n"
	      "    tags: [fast, io]\n"
	      "    allocations: false\n"
	      "    metrics:\n"
	      "      throughput: {unit: MB/s, better: higher, regex: '([0-9.]+) MB/s'}\n"
	      "      nodes: {json: /tree/nodes, deterministic: true}\n"
	      "      lag: {unit: ms, regex: 'lag=([0-9]+)', stream: stderr}\n");
	b = &config.benchmarks[0];
	argv = (struct pe_strings){b->command.argv, 3};
	SAME(&argv, "./parse", "--all", "big.json");
	cr_expect_str_eq(b->command.text, "./parse --all big.json");
	cr_expect_str_eq(b->cwd, "data/in");
	SAME(&b->env, "A=1", "B=2");
	cr_expect(eq(uint, b->warmup, 0));
	cr_expect(eq(uint, b->repeats, 7));
	cr_expect(eq(u64, b->timeout_ns, UINT64_C(2500000000)));
	cr_expect_str_eq(b->setup.at[0].text, "make data");
	cr_assert(eq(sz, b->prepare.n, 2));
	cr_expect_str_eq(b->prepare.at[1].argv[0], "rm");
	cr_expect(eq(sz, b->cleanup.n, 1));
	cr_expect_str_eq(b->input, "in.txt");
	SAME(&b->inputs, "big.json", "dir");
	cr_expect(eq(int, b->expected_status, 3));
	SAME(&b->tags, "fast", "io");
	cr_expect(not(b->count_allocations));
	cr_assert(eq(sz, b->n_customs, 3));
	cr_expect_str_eq(b->customs[0].metric.name, "throughput");
	cr_expect_str_eq(b->customs[0].metric.unit, "MB/s");
	cr_expect(eq(int, b->customs[0].metric.better, PE_HIGHER_IS_BETTER));
	cr_expect(eq(int, b->customs[0].metric.kind, PE_METRIC_NOISY));
	cr_expect(eq(int, b->customs[0].how, PE_EXTRACT_REGEX));
	cr_expect_str_eq(b->customs[0].expression, "([0-9.]+) MB/s");
	cr_expect(eq(int, b->customs[1].how, PE_EXTRACT_JSON));
	cr_expect_str_eq(b->customs[1].metric.unit, "1");
	cr_expect(eq(int, b->customs[1].metric.kind, PE_METRIC_DETERMINISTIC));
	cr_expect(b->customs[2].from_stderr);
}

Test(config, benchmarks_may_be_a_list)
{
	loads("benchmarks:\n  - name: one\n    command: a\n  - {name: two, command: b}\n");
	cr_assert(eq(sz, config.n_benchmarks, 2));
	cr_expect_str_eq(config.benchmarks[0].name, "one");
	cr_expect_str_eq(config.benchmarks[1].name, "two");
}

Test(config, defaults_reach_benchmarks_and_tests)
{
	loads("benchmarks:\n"
	      "  a: {command: x, repeats: 9, env: {K: own, L: 1}}\n"
	      "  b: x\n"
	      "tests: {ctest: {warmup: 3}}\n"
	      "defaults: {warmup: 1, repeats: 5, timeout: 2m, allocations: no,\n"
	      "           env: {J: 0, K: shared}, tags: [all]}\n");
	cr_expect(eq(uint, config.benchmarks[0].repeats, 9));
	cr_expect(eq(uint, config.benchmarks[0].warmup, 1));
	SAME(&config.benchmarks[0].env, "J=0", "K=own", "L=1");
	SAME(&config.benchmarks[1].env, "J=0", "K=shared");
	cr_expect(eq(uint, config.benchmarks[1].repeats, 5));
	cr_expect(eq(u64, config.benchmarks[1].timeout_ns, UINT64_C(120000000000)));
	cr_expect(not(config.benchmarks[1].count_allocations));
	SAME(&config.benchmarks[1].tags, "all");
	cr_expect(eq(uint, config.tests.model.warmup, 3));
	cr_expect(eq(uint, config.tests.model.repeats, 5));
	cr_expect(config.tests.model.is_test);
}

Test(config, overlay_in_three_forms)
{
	loads("overlay: bench/\nbenchmarks: {b: x}\n");
	SAME(&config.overlay.paths, "bench");
	loads("overlay: [bench, data/x]\nbenchmarks: {b: x}\n");
	SAME(&config.overlay.paths, "bench", "data/x");
	cr_expect(eq(ptr, (void *)config.overlay.revision, NULL));
	loads("overlay: {paths: bench, revision: v2}\nbenchmarks: {b: x}\n");
	SAME(&config.overlay.paths, "bench");
	cr_expect_str_eq(config.overlay.revision, "v2");
}

Test(config, paths_choose_source_files)
{
	loads("benchmarks: {b: x}\n");
	cr_expect(pe_paths_have(&config.paths, "src/a.c"));
	loads("paths: {exclude: [third_party/, '*.gen.c']}\nbenchmarks: {b: x}\n");
	SAME(&config.paths.exclude, "third_party/", "*.gen.c");
	cr_expect(pe_paths_have(&config.paths, "src/a.c"));
	cr_expect_not(pe_paths_have(&config.paths, "src/a.gen.c"));
	cr_expect_not(pe_paths_have(&config.paths, "lib/third_party/z/a.c"));
	loads("paths: {include: [/src, 'lib/**/*.h'], exclude: src/old}\nbenchmarks: {b: x}\n");
	cr_expect(pe_paths_have(&config.paths, "src/a.c"));
	cr_expect(pe_paths_have(&config.paths, "lib/a/b.h"));
	cr_expect_not(pe_paths_have(&config.paths, "lib/a/b.c"));
	cr_expect_not(pe_paths_have(&config.paths, "src/old/a.c"));
	cr_expect_not(pe_paths_have(&config.paths, "test/src/a.c"));
	refused("paths: [src]\nbenchmarks: {b: x}\n",
		"perfevo.yml:1:8: 'paths' must be a mapping, not a list");
	refused("paths: {include: ['!a']}\nbenchmarks: {b: x}\n",
		"perfevo.yml:1:19: '!' does not turn a pattern round here: write it under "
		"'exclude'");
	refused("paths: {exclude: /}\nbenchmarks: {b: x}\n",
		"perfevo.yml:1:18: 'exclude' must be a pattern such as src/ or '*.gen.c', not '/'");
}

Test(config, tests_in_their_forms)
{
	loads("tests: ctest\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_CTEST));
	cr_expect_str_eq(config.tests.build_dir, "build");
	loads("tests: {ctest: }\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_CTEST));
	loads("tests:\n  ctest: {build-dir: out, include: ^fast, exclude: slow$, repeats: 4}\n");
	cr_expect_str_eq(config.tests.build_dir, "out");
	cr_expect_str_eq(config.tests.include, "^fast");
	cr_expect_str_eq(config.tests.exclude, "slow$");
	cr_expect(eq(uint, config.tests.model.repeats, 4));
	loads("tests:\n  list: ./t --list\n  run: [./t, '{name}']\n  sources: 'tests/{name}*.c'\n"
	      "  cwd: build\n  env: {A: b}\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_LIST));
	cr_expect_str_eq(config.tests.list.argv[2], "./t --list");
	cr_expect_str_eq(config.tests.run.argv[1], "{name}");
	SAME(&config.tests.sources, "tests/{name}*.c");
	SAME(&config.tests.model.env, "A=b");
	cr_expect_str_eq(config.tests.model.cwd, "build");
	loads("tests: meson\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_MESON));
	cr_expect_str_eq(config.tests.build_dir, "build");
	loads("tests: {kind: meson-benchmarks, build-dir: out, repeats: 3}\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_MESON_BENCHMARKS));
	cr_expect_str_eq(config.tests.build_dir, "out");
	cr_expect(eq(uint, config.tests.model.repeats, 3));
	loads("tests: {kind: gtest, command: ./build/all, sources: tests/all.cc}\n");
	cr_expect(eq(int, config.tests.kind, PE_TESTS_GTEST));
	cr_assert(eq(sz, config.tests.programs.n, 1));
	cr_expect_str_eq(config.tests.programs.at[0].text, "./build/all");
	cr_expect(not(config.tests.several));
	loads("tests: {kind: doctest, programs: [./a, ./b --x]}\n");
	cr_assert(eq(sz, config.tests.programs.n, 2));
	cr_expect_str_eq(config.tests.programs.at[1].text, "./b --x");
	cr_expect(config.tests.several);
}

Test(config, thresholds_and_surroundings)
{
	loads("benchmarks:\n"
	      "  b: {command: x, metrics: {rate: {regex: '(.)'}}}\n"
	      "metrics:\n"
	      "  wall: {min-change: 2.5%, min-difference: 1ms}\n"
	      "  max-rss: {min-change: 0.1, min-difference: 4MiB, judge: true}\n"
	      "  instructions: {judge: false}\n"
	      "  rate: {min-difference: 7}\n"
	      "run: {cpu: auto, nice: -5, aslr: false, pass-env: [DISPLAY, LD_LIBRARY_PATH]}\n"
	      "disk: 2GiB\ncache: here\n");
	cr_assert(eq(sz, config.n_thresholds, 4));
	cr_expect_str_eq(config.thresholds[0].metric, "wall");
	cr_expect(ieee_ulp_eq(dbl, config.thresholds[0].min_relative, 0.025, 4));
	cr_expect(ieee_ulp_eq(dbl, config.thresholds[0].min_absolute, 1e6, 4));
	cr_expect(config.thresholds[0].judged);
	cr_expect(ieee_ulp_eq(dbl, config.thresholds[1].min_absolute, 4194304, 4));
	cr_expect(ieee_ulp_eq(dbl, config.thresholds[1].min_relative, 0.1, 4));
	cr_expect(lt(dbl, config.thresholds[2].min_relative, 0));
	cr_expect(not(config.thresholds[2].judged));
	cr_expect(ieee_ulp_eq(dbl, config.thresholds[3].min_absolute, 7, 4));
	cr_expect(eq(int, config.surroundings.cpu, -2));
	cr_expect(eq(int, config.surroundings.nice, -5));
	cr_expect(config.surroundings.fixed_layout);
	SAME(&config.surroundings.pass_env, "DISPLAY", "LD_LIBRARY_PATH");
	cr_expect(eq(u64, config.disk_bytes, UINT64_C(2) << 30));
	cr_expect_str_eq(config.cache_dir, "/top/here");
}

Test(config, anchors_may_be_kept_under_x)
{
	loads("x-env: &env {A: 1}\nbenchmarks:\n  a: {command: x, env: *env}\n  b: x\n");
	SAME(&config.benchmarks[0].env, "A=1");
}

Test(config, unknown_keys_get_a_suggestion)
{
	refused("benchmarks:\n  parse:\n    comand: x\n",
		"perfevo.yml:3:5: unknown key 'comand' in benchmark 'parse' (did you mean "
		"'command'?)");
	refused("benchmarks:\n  parse:\n    cmd: ./a\n",
		"perfevo.yml:3:5: unknown key 'cmd' in benchmark 'parse' (did you mean 'command'?)");
	refused("bulid: make\n", "perfevo.yml:1:1: unknown key 'bulid' (did you mean 'build'?)");
	refused("benchmarks:\n  a: {cmd: x}\n",
		"perfevo.yml:2:7: unknown key 'cmd' in benchmark 'a' (did you mean 'command'?)");
	refused("build: {stpes: x}\n",
		"perfevo.yml:1:9: unknown key 'stpes' in 'build' (did you mean 'steps'?)");
	refused("run: {frequency: 1}\n",
		"perfevo.yml:1:7: unknown key 'frequency' in 'run' (known: "
		"cpu, nice, aslr, instructions, pass-env)");
	refused("tests: {ctest: {builddir: x}}\n",
		"perfevo.yml:1:17: unknown key 'builddir' in 'ctest' (did you mean 'build-dir'?)");
	refused("benchmarks: {b: x}\nmetrics: {wal: {judge: true}}\n",
		"perfevo.yml:2:11: there is no metric 'wal' (did you mean 'wall'?)");
	refused_key("metrics: {m: {rgex: x}}",
		    "19: unknown key 'rgex' in metric 'm' (did you mean 'regex'?)");
	refused("overlay: {path: x}\n",
		"perfevo.yml:1:11: unknown key 'path' in 'overlay' (did you mean 'paths'?)");
	refused("defaults: {command: x}\n",
		"perfevo.yml:1:12: unknown key 'command' in 'defaults' "
		"(known: warmup, repeats, timeout, env, tags, allocations)");
}

Test(config, values_of_the_wrong_kind_are_refused_in_place)
{
	refused_key("repeats: many",
		    "14: 'repeats' must be a whole number from 1 to 1000000, not 'many'");
	refused_key("repeats: 0",
		    "14: 'repeats' must be a whole number from 1 to 1000000, not '0'");
	refused_key("warmup: -1", "13: 'warmup' must be a whole number up to 1000000, not '-1'");
	refused_key("timeout: soon",
		    "14: 'timeout' must be a duration such as 90s, 5m or 1500ms, not 'soon'");
	refused_key("timeout: 0",
		    "14: 'timeout' must be a duration such as 90s, 5m or 1500ms, not '0'");
	refused_key("exit: 256", "11: 'exit' must be an exit status from 0 to 255, not '256'");
	refused_key("cwd: /usr", "10: 'cwd' must be relative to the top of the tree, not '/usr'");
	refused_key("input: a/../../b", "12: 'input' may not leave the tree ('..')");
	refused_key("env: [A]", "11: 'env' must be a variable with its value, not 'A'");
	refused_key("env: {1A: x}", "11: 'env' must be a variable with its value, not '1A'");
	refused_key("allocations: 1", "18: 'allocations' must be true or false, not '1'");
	refused_key("tags: {a: b}",
		    "11: 'tags' must be a value or a list of values, not a mapping");
	refused_key("setup: ", "11: 'setup' must be a command or a list of commands, not nothing");
	refused_key("parameters: [a]",
		    "17: 'parameters' must be a mapping of names to lists of values, not a list");
	refused("benchmarks: {b: {command: [a, [b]]}}\n",
		"perfevo.yml:1:31: 'command' must be a single value, not a list");
	refused("benchmarks: {b: }\n", "perfevo.yml:1:17: 'b' must be a command: a text for the "
				       "shell, or a list of words, not nothing");
	refused("build: {clean: maybe}\n",
		"perfevo.yml:1:16: 'clean' must be always, auto or never, not 'maybe'");
}

Test(config, texts_that_must_parse_are_parsed_at_load)
{
	refused_key("metrics: {m: {regex: '(a'}}",
		    "26: 'regex' is not a valid regular expression: Unmatched ( or \\(: (a");
	refused_key("metrics: {m: {regex: 'abc'}}",
		    "26: 'regex' has no group: put the number in parentheses, such as '([0-9.]+) "
		    "MB/s'");
	refused_key("metrics: {m: {json: a/b}}",
		    "25: 'json' must be a JSON pointer such as /results/0/time, not 'a/b'");
	refused_key("metrics: {m: {json: /a~b}}",
		    "25: 'json' must be a JSON pointer such as /results/0/time, not '/a~b'");
	refused_key("metrics: {m: {unit: s}}",
		    "15: metric 'm' needs either 'regex' or 'json' to be read by");
	refused_key("metrics: {m: {regex: (a), json: /a}}",
		    "15: metric 'm' needs either 'regex' or 'json' to be read by");
	refused_key("metrics: {m: {json: /a, stream: stderr}}",
		    "15: metric 'm': JSON is read from stdout, not from stderr");
	refused_key("metrics: {wall: {regex: (a)}}",
		    "15: metric 'wall' is built in: choose another name");
	refused_key("metrics: {m: {regex: (a), better: more}}",
		    "39: 'better' must be lower or higher, not 'more'");
	refused("tests: {ctest: {exclude: 'a)('}}\n",
		"perfevo.yml:1:26: 'exclude' is not a valid regular expression: Unmatched ( or "
		"\\(: a)(");
}

Test(config, names_are_unique_and_present)
{
	refused("benchmarks:\n  - {name: a, command: x}\n  - {name: a, command: y}\n",
		"perfevo.yml:3:5: there is a benchmark 'a' already");
	refused("benchmarks:\n  a: x\n  a: y\n",
		"perfevo.yml:3:3: key 'a' is given twice (first at 2:3)");
	refused("benchmarks:\n  - {command: x}\n", "perfevo.yml:2:5: a benchmark needs a 'name'");
	refused("benchmarks:\n  a: {name: b, command: x}\n",
		"perfevo.yml:2:13: benchmark 'a' has its name already: remove 'name'");
	refused("benchmarks:\n  a: {repeats: 2}\n",
		"perfevo.yml:2:6: benchmark 'a' has no command");
	refused("benchmarks:\n  \"a\\nb\": x\n", "perfevo.yml:2:3: a control character in a name");
	refused("benchmarks:\n  a: {command: x, metrics: {m: {regex: (a), unit: s}}}\n"
		"  b: {command: x, metrics: {m: {regex: (a), unit: ms}}}\n",
		"perfevo.yml:3:3: metric 'm' has another unit, 'better' or 'deterministic' than in "
		"benchmark 'a'");
}

Test(config, an_empty_config_says_what_to_add)
{
	const char *sentence =
		"perfevo.yml:1:1: nothing to measure: add 'benchmarks:', 'suites:' or 'tests:' "
		"('perfevo init' writes a config)";

	refused("", sentence);
	refused("---\n", sentence);
	refused("build: make\n", sentence);
	refused("benchmarks: {}\ntests: {ctest: false}\n", sentence);
	refused("- a\n", "perfevo.yml:1:1: the config must be a mapping, not a list");
}

Test(config, tests_that_cannot_be_run_are_refused)
{
	refused("tests: gtest\n", "perfevo.yml:1:8: 'tests: gtest' needs a program: {kind: gtest, "
				  "command: ./build/tests}");
	refused("tests: mesn\n",
		"perfevo.yml:1:8: 'tests' must be ctest, meson, meson-benchmarks, gtest, doctest, "
		"boost or catch2 (did you mean 'meson'?)");
	refused("tests: {kind: catch, command: x}\n",
		"perfevo.yml:1:15: 'kind' must be ctest, meson, meson-benchmarks, gtest, doctest, "
		"boost or catch2 (did you mean 'catch2'?)");
	refused("tests: {kind: gtest}\n",
		"perfevo.yml:1:8: 'tests' of kind gtest needs 'command' or 'programs'");
	refused("tests: {kind: gtest, command: a, programs: b}\n",
		"perfevo.yml:1:8: 'tests' of kind gtest needs 'command' or 'programs', not both");
	refused("tests: {kind: gtest, command: a, build-dir: b}\n",
		"perfevo.yml:1:8: 'tests' of kind gtest takes no 'build-dir'");
	refused("tests: {kind: meson, command: a}\n",
		"perfevo.yml:1:8: 'tests' of kind meson takes no 'command', 'programs', 'sources' "
		"or 'cwd'");
	refused("tests: {kind: meson, list: a, run: '{name}'}\n",
		"perfevo.yml:1:8: 'tests' takes one of 'kind', 'ctest', and 'list' with 'run'");
	refused("tests: {list: a, run: '{name}', command: b}\n",
		"perfevo.yml:1:8: 'tests' with 'list' and 'run' takes no 'command', 'programs' or "
		"'build-dir'");
	refused("tests: {list: a}\n", "perfevo.yml:1:8: 'tests' needs both 'list' and 'run'");
	refused("tests: {repeats: 1}\n",
		"perfevo.yml:1:8: 'tests' needs 'kind', 'ctest', or 'list' and 'run'");
	refused("tests: {list: a, run: b}\n",
		"perfevo.yml:1:23: 'run' must hold {name}, where the test's name belongs");
	refused("tests: {ctest: , list: a}\n",
		"perfevo.yml:1:8: 'tests' takes either 'ctest' or 'list' and 'run', not both; what "
		"belongs to ctest stands below it");
}

Test(config, overlays_and_thresholds_are_checked)
{
	refused("overlay: .\nbenchmarks: {b: x}\n", "perfevo.yml:1:10: an overlay of the whole "
						    "tree would hide every revision: name the "
						    "files or folders that it needs");
	refused("overlay: [a, .git/hooks]\nbenchmarks: {b: x}\n",
		"perfevo.yml:1:14: git's own folder cannot be overlaid");
	refused("overlay: {revision: v1}\nbenchmarks: {b: x}\n",
		"perfevo.yml:1:10: 'overlay' needs 'paths'");
	refused("benchmarks: {b: x}\nmetrics: {wall: {min-change: 2}}\n",
		"perfevo.yml:2:30: 'min-change' must be a percentage such as 2%, or a fraction "
		"such "
		"as 0.02, not '2'");
	refused("benchmarks: {b: x}\nmetrics: {wall: {min-difference: 4KiB}}\n",
		"perfevo.yml:2:34: 'min-difference' must be a number of ns, not '4KiB'");
	refused("benchmarks: {b: x}\nrun: {cpu: first}\n",
		"perfevo.yml:2:12: 'cpu' must be the number of a processor, auto or any, not "
		"'first'");
	refused("benchmarks: {b: x}\nrun: {nice: 20}\n",
		"perfevo.yml:2:13: 'nice' must be a nice value from -20 to 19, not '20'");
	refused("benchmarks: {b: x}\ndisk: much\n",
		"perfevo.yml:2:7: 'disk' must be a size such as 10GiB or 512M, not 'much'");
}

Test(config, durations_and_sizes_have_units)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} durations[] = {
		{"90s", UINT64_C(90000000000)},
		{"5m", UINT64_C(300000000000)},
		{"1500ms", 1500000000},
		{"20us", 20000},
		{"7ns", 7},
		{"0.25", 250000000},
		{"'2 h'", UINT64_C(7200000000000)},
		{"1m30s", UINT64_C(90000000000)},
		{"1d", UINT64_C(86400000000000)},
	};
	static const struct {
		const char *text;
		uint64_t bytes;
	} sizes[] = {
		{"4096", 4096},   {"10GiB", UINT64_C(10) << 30}, {"1.5K", 1536},
		{"2MB", 2000000}, {"1 TiB", UINT64_C(1) << 40},  {"3B", 3},
	};

	for (size_t i = 0; i < sizeof(durations) / sizeof(*durations); i++) {
		loads(pe_arena_printf(&arena, "benchmarks: {b: {command: x, timeout: %s}}\n",
				      durations[i].text));
		cr_expect(eq(u64, config.benchmarks[0].timeout_ns, durations[i].ns), "%s",
			  durations[i].text);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		loads(pe_arena_printf(&arena, "disk: %s\nbenchmarks: {b: x}\n", sizes[i].text));
		cr_expect(eq(u64, config.disk_bytes, sizes[i].bytes), "%s", sizes[i].text);
	}
}

Test(config, a_file_is_read_and_a_missing_one_is_not_found)
{
	struct scratch scratch;
	const char *path;

	scratch_init(&scratch);
	path = scratch_path(&scratch, "perfevo.yml");
	cr_expect(eq(int, pe_config_load(&config, path, scratch.dir, NULL, &arena, &err),
		     PE_ENOTFOUND));
	scratch_write(&scratch, "perfevo.yml", "benchmarks: {b: {comand: x}}\n");
	cr_expect(eq(int, pe_config_load(&config, path, scratch.dir, NULL, &arena, &err),
		     PE_EINVALID));
	cr_expect(eq(int, strncmp(err.message, path, strlen(path)), 0));
	cr_expect(ne(ptr, strstr(err.message, ":1:18: unknown key 'comand'"), NULL));
	scratch_write(&scratch, "perfevo.yml", "benchmarks: {b: x}\n");
	cr_expect(eq(int, pe_config_load(&config, path, scratch.dir, NULL, &arena, &err), PE_OK));
	scratch_release(&scratch);
}

Test(config, a_home_folder_is_understood_in_cache)
{
	setenv("HOME", "/home/me", 1);
	loads("cache: ~/big\nbenchmarks: {b: x}\n");
	cr_expect_str_eq(config.cache_dir, "/home/me/big");
	loads("cache: /mnt/x\nbenchmarks: {b: x}\n");
	cr_expect_str_eq(config.cache_dir, "/mnt/x");
}

Test(config, layout_is_reported_unless_it_is_to_fail)
{
	loads("benchmarks: {b: x}\n");
	cr_expect_not(config.gate.layout_fails);
	loads("benchmarks: {b: x}\nlayout: report\n");
	cr_expect_not(config.gate.layout_fails);
	loads("benchmarks: {b: x}\nlayout: fail\n");
	cr_expect(config.gate.layout_fails);
	refused("benchmarks: {b: x}\nlayout: true\n",
		"perfevo.yml:2:9: 'layout' must be report or fail, not 'true'");
}

Test(config, spark_bounds_rise)
{
	const uint32_t wanted[] = {1, 2, 4, 8, 1000000};

	loads("benchmarks: {b: x}\n");
	cr_expect(eq(ptr, (void *)config.spark.methods, NULL));
	loads("benchmarks: {b: x}\nspark: {methods: [1, 2, 4, 8, 1000000]}\n");
	cr_expect(eq(int, memcmp(config.spark.methods, wanted, sizeof(wanted)), 0));
	refused("benchmarks: {b: x}\nspark: {methods: [1, 2]}\n",
		"perfevo.yml:2:18: 'methods' must be five numbers that rise, such as [1, 3, 6, 11, "
		"26]");
	refused("benchmarks: {b: x}\nspark: {methods: [1, 3, 3, 11, 26]}\n",
		"perfevo.yml:2:25: 'methods' must be five numbers that rise, such as [1, 3, 6, 11, "
		"26]");
	refused("benchmarks: {b: x}\nspark: {methods: [0, 3, 6, 11, 26]}\n",
		"perfevo.yml:2:19: 'methods' must be a whole number from 1 to 1000000, not '0'");
}

/* --- Suites --- */

Test(config, a_suite_is_a_command_or_a_mapping)
{
	const struct pe_suite *one;

	loads("suites:\n"
	      "  plain: ./bench\n"
	      "  full:\n"
	      "    command: [./bench, --x]\n"
	      "    format: google-benchmark\n"
	      "    include: ^BM_\n"
	      "    options: --benchmark_min_time=0.1s\n"
	      "    renamed: {BM_Old: BM_New, BM_New: BM_Newest}\n"
	      "    repeats: 4\n"
	      "defaults: {repeats: 7, allocations: true}\n");
	cr_assert(eq(sz, config.n_suites, 2));
	one = &config.suites[0];
	cr_expect_str_eq(one->command.argv[2], "./bench");
	cr_expect_str_eq(one->format, "auto");
	cr_expect(eq(uint, one->model.repeats, 7));
	cr_expect(eq(uint, one->model.warmup, 0));
	cr_expect(one->model.count_allocations);
	one = &config.suites[1];
	cr_expect_str_eq(one->format, "google-benchmark");
	cr_expect(eq(uint, one->model.repeats, 4));
	cr_expect_str_eq(pe_suite_renamed(one, "BM_Old"), "BM_Newest");
	loads("suites: {s: ./bench}\n");
	cr_expect(eq(uint, config.suites[0].model.repeats, 10));
	cr_expect(eq(u64, config.suites[0].model.timeout_ns, UINT64_C(600000000000)));
	cr_expect(not(config.suites[0].model.count_allocations));
}

Test(config, a_suite_says_what_is_wrong_with_it)
{
	refused("suites: [./bench]\n",
		"perfevo.yml:1:9: 'suites' must be a mapping of names to suites, not a list");
	refused("suites: {a b: ./bench}\n",
		"perfevo.yml:1:10: suite 'a b': a name is made of letters, digits, '_', '-', '.'");
	refused("suites: {s: {repeats: 3}}\n", "perfevo.yml:1:13: suite 's' has no command");
	refused("suites: {s: {command: x, renamed: {A: C, B: C}}}\n",
		"perfevo.yml:1:45: 'A' and 'B' cannot both have become 'C': name the later one's own successor");
	cr_expect(
		eq(int, load("suites: {s: {command: x, format: google-benchmrk}}\n"), PE_EINVALID));
	cr_expect_not_null(strstr(err.message, "(did you mean 'google-benchmark'?)"), "%s",
			   err.message);
}

Test(config, options_that_only_say_how_long_begin_no_new_series)
{
	char before[PE_HASH_HEX];

	loads("suites: {s: {command: x, options: [--a]}}\n");
	cr_assert(eq(int, pe_config_seal(&config, NULL, &err), PE_OK));
	strcpy(before, config.suites[0].version);
	loads("suites: {s: {command: x, options: [--a, --benchmark_min_time=2s], include: B, timeout: 5s}}\n");
	cr_assert(eq(int, pe_config_seal(&config, NULL, &err), PE_OK));
	cr_expect_str_eq(config.suites[0].version, before);
	loads("suites: {s: {command: x, options: [--b]}}\n");
	cr_assert(eq(int, pe_config_seal(&config, NULL, &err), PE_OK));
	cr_expect(strcmp(config.suites[0].version, before) != 0);
}
