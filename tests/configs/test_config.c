/* The config: cases of it (cases/), what is found out of files and the environment, and what makes a series. */
#include "configs/config.h"

#include "configs/accepted.h"
#include "configs/read.h"
#include "configs/yaml.h"
#include "core/exec/build_variant.h"
#include "scratch.h"
#include "tests/support/cases.h"
#include "tests/support/test.h"

#include <inttypes.h>

static struct pe_arena arena;
static struct pe_err err;
static struct pe_config config;

TestSuiteWith(config, setenv("HOME", "/home/me", 1), pe_arena_release(&arena), .timeout = 600);

static int load(const char *text)
{
	err = (struct pe_err)PE_ERR_INIT;
	return pe_config_load(&config, "perfevo.yml", "/top", text, &arena, &err);
}

static void loads(const char *text)
{
	cr_assert_ok(load(text), err.message);
}

/* --- All of a config as lines --- */

#define SAY(...) pe_text_addf(out, __VA_ARGS__)

static void say(struct pe_text *out, const char *key, const char *value)
{
	if (value != NULL)
		SAY("%s %s\n", key, value);
}

static void say_strings(struct pe_text *out, const char *key, const struct pe_strings *strings)
{
	SAY("%s", key);
	for (size_t i = 0; i < strings->n; i++)
		SAY(" [%s]", strings->at[i]);
	SAY("\n");
	cr_expect(strings->at == NULL || strings->at[strings->n] == NULL, "%s has no end", key);
}

/* The words of a command that is no line for the shell. */
static void say_command(struct pe_text *out, const char *key, const struct pe_command *command)
{
	if (command->argv == NULL)
		return;
	SAY("%s %s", key, command->text);
	if (strcmp(command->argv[0], "/bin/sh") != 0)
		for (size_t i = 0; command->argv[i] != NULL; i++)
			SAY(" [%s]", command->argv[i]);
	else
		cr_expect_str_eq(command->argv[2], command->text);
	SAY("\n");
}

static void say_commands(struct pe_text *out, const char *key, const struct pe_commands *commands)
{
	for (size_t i = 0; i < commands->n; i++)
		say_command(out, key, &commands->at[i]);
}

static void say_profile(struct pe_text *out, const struct pe_profile_plan *plan)
{
	say(out, " profile", plan->mode != 0 ? pe_profile_mode_name(plan->mode) : NULL);
	say(out, " profile language", pe_profile_language_name(plan->language));
	say(out, " profile format", plan->format);
	say_strings(out, " profile without files", &plan->exclude.files);
	say_strings(out, " profile without functions", &plan->exclude.functions);
	say_command(out, " profile command", &plan->command);
	say_commands(out, " profile build", &plan->build);
	SAY(" profile size %" PRIu64 " rate %u runs %u\n", plan->exclude.size_bytes, plan->rate,
	    plan->runs);
}

static void say_benchmark(struct pe_text *out, const char *what, const struct pe_benchmark *b)
{
	say(out, what, b->name);
	say_command(out, " command", &b->command);
	say(out, " cwd", b->cwd);
	say(out, " input", b->input);
	say_strings(out, " tags", &b->tags);
	say_strings(out, " parameters", &b->parameters);
	say_strings(out, " env", &b->env);
	say_strings(out, " inputs", &b->inputs);
	say_commands(out, " setup", &b->setup);
	say_commands(out, " prepare", &b->prepare);
	say_commands(out, " cleanup", &b->cleanup);
	SAY(" warmup %u\n repeats %u\n timeout %" PRIu64 "\n exit %d\n allocations %d\n", b->warmup,
	    b->repeats, b->timeout_ns, b->expected_status, b->count_allocations);
	for (size_t i = 0; i < b->n_customs; i++) {
		const struct pe_custom_metric *custom = &b->customs[i];

		SAY(" metric %s [%s] %s %s%s%s by %s\n", custom->metric.name, custom->metric.unit,
		    custom->metric.better == PE_HIGHER_IS_BETTER ? "higher" : "lower",
		    custom->metric.kind == PE_METRIC_DETERMINISTIC ? "exact " : "",
		    custom->from_stderr ? "stderr " : "",
		    custom->how == PE_EXTRACT_JSON ? "json" : "regex", custom->expression);
	}
	cr_expect(eq(int, b->is_test, strcmp(what, "tests") == 0));
	say_profile(out, b->profile);
}

static void say_tests(struct pe_text *out, const struct pe_tests *tests)
{
	if (tests->kind == PE_TESTS_NONE)
		return;
	SAY("tests %d %s\n", (int)tests->kind,
	    tests->kind == PE_TESTS_LIST ? "list" : pe_tests_kind_name(tests->kind));
	say(out, " build", tests->build_dir);
	say_command(out, " list", &tests->list);
	say_command(out, " run", &tests->run);
	say_strings(out, " sources", &tests->sources);
	say(out, " include", tests->include);
	say(out, " exclude", tests->exclude);
	say_benchmark(out, "tests", &tests->model);
}

static void say_suite(struct pe_text *out, const struct pe_suite *suite)
{
	SAY("suite %s %s\n", suite->name, suite->format);
	say_command(out, " command", &suite->command);
	say(out, " output", suite->output);
	say_strings(out, " options", &suite->options);
	say_strings(out, " filter", &suite->filter);
	say(out, " include", suite->include);
	say(out, " exclude", suite->exclude);
	for (size_t i = 0; i < suite->n_renamed; i++)
		SAY(" %s is %s\n", suite->renamed[i].from,
		    pe_suite_renamed(suite, suite->renamed[i].from));
	say_benchmark(out, "suite", &suite->model);
}

static void say_around(struct pe_text *out, const struct pe_config *c)
{
	SAY("cpu %d\nnice %d\nfixed layout %d\ninstructions %d\n", c->surroundings.cpu,
	    c->surroundings.nice, c->surroundings.fixed_layout, (int)c->surroundings.instructions);
	say_strings(out, "pass-env", &c->surroundings.pass_env);
	SAY("sandbox %d\nsandbox is said %d\nnetwork %d\n", (int)c->sandbox.mode,
	    c->sandbox_is_said, (int)c->sandbox.network);
	say_strings(out, "read", &c->sandbox.read);
	say_strings(out, "write", &c->sandbox.write);
	/* Bounds that the config does not say are the machine's. */
	if (c->limits.memory_at != NULL || c->limits.memory_bytes == 0)
		SAY("memory %" PRIu64 "\n", c->limits.memory_bytes);
	else
		SAY("memory of the machine\n");
	say(out, "memory at", c->limits.memory_at);
	if (c->limits.processes_at != NULL || c->limits.processes == 0)
		SAY("processes %u\n", c->limits.processes);
	else
		SAY("processes of the machine\n");
	say(out, "nightly mail", c->nightly.mail);
	say(out, "nightly fetch", c->nightly.fetch);
	say(out, "nightly farm", c->nightly.farm);
	say(out, "farm spool", c->farm.spool);
	SAY("nightly last %u\nfarm moves %d\nlayout fails %d\ndisk %" PRIu64 "\n", c->nightly.last,
	    c->farm.moves, c->gate.layout_fails, c->disk_bytes);
	say(out, "cache", c->cache_dir);
	say_strings(out, "trust", &c->trust);
	say(out, "to do", c->to_do);
	for (size_t i = 0; c->spark.methods != NULL && i < PE_N_SPARK_BOUNDS; i++)
		SAY("spark %" PRIu32 "\n", c->spark.methods[i]);
	for (size_t i = 0; i < c->n_thresholds; i++)
		SAY("threshold %s %.9g %.9g judged %d\n", c->thresholds[i].metric,
		    c->thresholds[i].min_relative, c->thresholds[i].min_absolute,
		    c->thresholds[i].judged);
}

static void say_config(struct pe_text *out, const struct pe_config *c)
{
	const struct pe_recipe *recipe = &c->recipe;

	say_commands(out, "step", &recipe->steps);
	say_strings(out, "build env", &recipe->env);
	SAY("build timeout %" PRIu64 "\nparallel %u\nclean %d\nccache %d\nbuild sandbox %d\n",
	    recipe->timeout_ns, recipe->parallel, (int)recipe->clean, recipe->ccache,
	    (int)recipe->sandbox);
	if (recipe->jobs != (unsigned)sysconf(_SC_NPROCESSORS_ONLN))
		SAY("jobs %u\n", recipe->jobs);
	say_strings(out, "overlay", &c->overlay.paths);
	say(out, "overlay of", c->overlay.revision);
	say_strings(out, "include", &c->paths.include);
	say_strings(out, "exclude", &c->paths.exclude);
	for (size_t i = 0; i < c->n_benchmarks; i++)
		say_benchmark(out, "benchmark", &c->benchmarks[i]);
	for (size_t i = 0; i < c->n_suites; i++)
		say_suite(out, &c->suites[i]);
	say_tests(out, &c->tests);
	say_around(out, c);
}

/* What is as it is by default says nothing; the first case says all. */
static void read_case(struct pe_text *result, const char *word, const char *input, size_t n)
{
	pe_auto_text all = PE_TEXT_INIT, preset = PE_TEXT_INIT;
	char *rest = NULL;

	(void)n;
	if (load(input) != PE_OK) {
		cr_expect(eq(int, err.code, PE_EINVALID));
		pe_text_addf(result, "refused: %s", err.message);
		return;
	}
	cr_expect_text("perfevo.yml /top", config.path, config.root);
	pe_text_addc(&all, '\n');
	say_config(&all, &config);
	loads("benchmarks: {b: x}\n");
	pe_text_addc(&preset, '\n');
	say_config(&preset, &config);
	for (char *line = strtok_r(all.data, "\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		if (strcmp(word, "all") == 0 ||
		    strstr(pe_text_str(&preset), pe_arena_printf(&arena, "\n%s\n", line)) == NULL)
			pe_text_addf(result, "%s\n", line);
}

Test(config, is_read_as_its_cases_say)
{
	cases_check("configs/cases", "config", read_case);
}

/* --- YAML --- */

static void say_yaml(struct pe_text *out, const struct pe_yaml *node)
{
	if (node == NULL) {
		SAY("nothing");
		return;
	}
	SAY("%zu:%zu ", node->mark.line, node->mark.column);
	if (node->kind == PE_YAML_SCALAR)
		SAY(node->plain ? "%s" : "'%s'", node->text);
	for (size_t i = 0; i < node->n; i++) {
		SAY(i > 0 ? ", " : node->kind == PE_YAML_LIST ? "[" : "{");
		if (node->kind == PE_YAML_MAP)
			SAY("%s: ", node->pairs[i].key->text);
		say_yaml(out, node->kind == PE_YAML_LIST ? node->items[i] : node->pairs[i].value);
	}
	if (node->n > 0)
		SAY(node->kind == PE_YAML_LIST ? "]" : "}");
	if (pe_yaml_is_null(node))
		SAY(" (null)");
}

static void read_yaml(struct pe_text *result, const char *word, const char *input, size_t n)
{
	struct pe_yaml *root = NULL;

	(void)word;
	err = (struct pe_err)PE_ERR_INIT;
	if (pe_yaml_parse(&root, "c.yml", input, n, &arena, &err) == PE_OK)
		say_yaml(result, root);
	else
		pe_text_addf(result, "refused: %s", err.message);
}

Test(config, is_a_tree_of_yaml_that_knows_its_places)
{
	static char large[(1 << 20) + 2];
	struct pe_yaml *root;

	cases_check("configs/cases", "yaml", read_yaml);
	cr_assert(eq(int, pe_yaml_parse(&root, "c.yml", "a: &x [1]\nb: *x\n", 16, &arena, &err),
		     PE_OK));
	cr_expect(eq(ptr, pe_yaml_get(root, "a"), pe_yaml_get(root, "b")));
	cr_expect_null(pe_yaml_get(root, "c"));
	memset(large, '#', sizeof(large) - 1);
	cr_expect(eq(int, pe_yaml_parse(&root, "c.yml", large, sizeof(large) - 1, &arena, &err),
		     PE_EINVALID));
	cr_expect_str_eq(err.message, "c.yml:1:1: larger than 1 MiB: this is no config");
}

/* --- What is no case --- */

Test(config, paths_choose_source_files)
{
	static const struct {
		const char *path;
		bool all, excluding, including;
	} cases[] = {
		{"src/a.c", true, true, true},
		{"src/a.gen.c", true, false, true},
		{"lib/third_party/z/a.c", true, false, false},
		{"lib/a/b.h", true, true, true},
		{"lib/a/b.c", true, true, false},
		{"src/old/a.c", true, true, false},
		{"test/src/a.c", true, true, false},
	};
	struct pe_paths all, excluding;

	loads("benchmarks: {b: x}\n");
	all = config.paths;
	loads("paths: {exclude: [third_party/, '*.gen.c']}\nbenchmarks: {b: x}\n");
	excluding = config.paths;
	loads("paths: {include: [/src, 'lib/**/*.h'], exclude: src/old}\nbenchmarks: {b: x}\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_expect(eq(int, pe_paths_have(&all, cases[i].path), cases[i].all));
		cr_expect(eq(int, pe_paths_have(&excluding, cases[i].path), cases[i].excluding),
			  "%s", cases[i].path);
		cr_expect(eq(int, pe_paths_have(&config.paths, cases[i].path), cases[i].including),
			  "%s", cases[i].path);
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
	cr_expect_has(err.message, ":1:18: unknown key 'comand'");
	scratch_write(&scratch, "perfevo.yml", "benchmarks: {b: x}\n");
	cr_expect(eq(int, pe_config_load(&config, path, scratch.dir, NULL, &arena, &err), PE_OK));
	scratch_release(&scratch);
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

Test(config, profile_is_no_part_of_a_benchmarks_version)
{
	char before[PE_HASH_HEX];

	loads("benchmarks: {b: x}\n");
	cr_assert(eq(int, pe_config_seal(&config, NULL, &err), PE_OK));
	memcpy(before, config.benchmarks[0].version, sizeof(before));
	loads("benchmarks: {b: {command: x, profile: {mode: counting}}}\n");
	cr_assert(eq(int, pe_config_seal(&config, NULL, &err), PE_OK));
	cr_expect_str_eq(config.benchmarks[0].version, before);
}

Test(config, the_environment_has_the_last_word)
{
	setenv("PERFEVO_SANDBOX", "require", 1);
	loads("build: {steps: make, env: {A: b}}\nsandbox: off\nbenchmarks: {b: x}\n");
	cr_expect(eq(int, config.recipe.sandbox, PE_SANDBOX_REQUIRE));
	cr_expect_text("CCACHE_DISABLE=1 A=b", config.recipe.env.at[0], config.recipe.env.at[1]);
	setenv("PERFEVO_SANDBOX", "perhaps", 1);
	cr_expect(eq(int, load("sandbox: off\nbenchmarks: {b: x}\n"), PE_EINVALID));
	cr_expect_str_eq(err.message,
			 "PERFEVO_SANDBOX must be auto, require or off, not 'perhaps'");
}

Test(config, a_mode_that_is_asked_for_afterwards_is_as_the_key_itself)
{
	char by_option[PE_HASH_HEX], by_key[PE_HASH_HEX];
	struct pe_limits limits;

	loads("build: {steps: make, env: {A: b}}\nbenchmarks: {b: x}\n");
	pe_sandbox_require(&config, false, &arena);
	pe_sandbox_require(&config, false, &arena);
	pe_recipe_hash(&config.recipe, by_option);
	limits = config.limits;
	loads("build: {steps: make, env: {A: b}}\nsandbox: require\nbenchmarks: {b: x}\n");
	pe_recipe_hash(&config.recipe, by_key);
	cr_expect_str_eq(by_option, by_key);
	cr_expect(eq(u64, limits.memory_bytes, config.limits.memory_bytes));
	cr_expect(eq(uint, limits.processes, config.limits.processes));
	cr_expect_not(config.recipe.ccache);
}

Test(config, words_of_a_command_are_quoted_in_a_text_for_the_shell_alone)
{
	static const struct {
		const char *const argv[5], *filled, *appended;
	} cases[] = {
		{{"/bin/sh", "-c", "prof {}"}, "prof 'a b'", "prof {} 'a b'"},
		{{"/bin/sh", "-c", "\"$0\" \"$@\"", "{}"},
		 "/bin/sh -c '\"$0\" \"$@\"' 'a b'",
		 "/bin/sh -c '\"$0\" \"$@\"' '{}' 'a b'"},
		{{"/bin/sh", "-c"}, "/bin/sh -c", "/bin/sh -c 'a b'"},
		{{"prof", "{}"}, "prof 'a b'", "prof '{}' 'a b'"},
	};
	const char *word = "a b";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct pe_command command = pe_command_of_argv(cases[i].argv, &arena);
		const struct pe_strings words = {&word, 1};

		cr_expect_str_eq(pe_command_fill(&command, "{}", word, &arena).text,
				 cases[i].filled);
		cr_expect_str_eq(pe_command_append(&command, &words, &arena).text,
				 cases[i].appended);
	}
}

#define D64 "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"

Test(config, of_what_is_no_file_of_the_tree)
{
	static const struct {
		const char *path, *message; /* NULL: it is read */
	} cases[] = {
		{"tree/good.yml", NULL},
		{"tree/inside.yml", "is a symbolic link"},
		{"tree/out.yml", "is a symbolic link"},
		{"tree/folder/good.yml", "is a symbolic link"},
		{"tree/nothing.yml", "is a symbolic link"},
		{"tree/absent.yml", "no such file"},
		{"tree/fifo.yml", "is no regular file"},
		{"tree", "is no regular file"},
		{"tree/loop.yml", "is a symbolic link"},
		{"tree/" D64 D64 D64 D64 "/long.yml", "File name too long"},
	};
	struct scratch scratch;
	struct pe_accepted_list accepted;

	scratch_init(&scratch);
	scratch_shell(
		&scratch,
		"mkdir tree; echo 'b: x' >tree/good.yml; echo secret: root >other;"
		"ln -s good.yml tree/inside.yml; ln -s . tree/folder; ln -s ../other tree/out.yml;"
		"ln -s /nowhere tree/nothing.yml; ln -s loop.yml tree/loop.yml;"
		"mkfifo tree/fifo.yml");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		pe_auto_text text = PE_TEXT_INIT;
		const char *path = scratch_path(&scratch, cases[i].path);
		const char *root = pe_arena_printf(&arena, "%s/", scratch_path(&scratch, "tree"));
		int rc = pe_yaml_read_file(&text, path, root, &err);

		cr_expect(eq(int, rc == PE_OK, cases[i].message == NULL), "%s", path);
		cr_expect(rc == PE_OK || strstr(err.message, cases[i].message) != NULL, "%s",
			  err.message);
		cr_expect_lacks(pe_text_str(&text), "root");
	}
	/* Accepted changes are looked for by the same rule; there may be none. */
	cr_expect(eq(int,
		     pe_accepted_load(&accepted, scratch_path(&scratch, "tree/absent.yml"), &arena,
				      &err),
		     PE_OK));
	cr_expect(eq(sz, accepted.n, 0));
	cr_expect(eq(
		int,
		pe_accepted_load(&accepted, scratch_path(&scratch, "tree/out.yml"), &arena, &err),
		PE_EINVALID));
	scratch_release(&scratch);
}
