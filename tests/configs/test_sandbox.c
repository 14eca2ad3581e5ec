/* What confines and bounds commands, and the keys around runs: what each takes, and what it says to anything else. */
#include "configs/accepted.h"
#include "configs/config.h"
#include "configs/sandbox.h"
#include "configs/yaml.h"

#include "scratch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

static struct pe_arena arena;
static struct pe_err err;
static struct pe_config config;

static void release(void)
{
	pe_arena_release(&arena);
}

TestSuite(sandbox, .fini = release, .timeout = 600);
TestSuite(refusals, .fini = release, .timeout = 600);

/* A config of one benchmark, and of these lines before it. */
static int load(const char *lines)
{
	err = (struct pe_err)PE_ERR_INIT;
	return pe_config_load(&config, "perfevo.yml", "/top",
			      pe_arena_printf(&arena, "%s\nbenchmarks: {b: x}\n", lines), &arena,
			      &err);
}

static void loads(const char *lines)
{
	cr_assert(eq(int, load(lines), PE_OK), "%s: %s", lines, err.message);
}

Test(sandbox, a_word_or_a_mapping_says_its_mode)
{
	static const struct {
		const char *lines;
		enum pe_sandbox_mode mode;
		bool said;
	} cases[] = {
		{"", PE_SANDBOX_OFF, false},
		{"sandbox: off", PE_SANDBOX_OFF, true},
		{"sandbox: false", PE_SANDBOX_OFF, true},
		{"sandbox: auto", PE_SANDBOX_AUTO, true},
		{"sandbox: require", PE_SANDBOX_REQUIRE, true},
		{"sandbox: {network: true}", PE_SANDBOX_AUTO, true},
		{"sandbox: {mode: require}", PE_SANDBOX_REQUIRE, true},
		/* What is fetched by night, nobody has seen. */
		{"nightly: {fetch: origin}", PE_SANDBOX_REQUIRE, false},
		{"nightly: {fetch: origin}\nsandbox: off", PE_SANDBOX_OFF, true},
		{"nightly: {last: 5}", PE_SANDBOX_OFF, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		loads(cases[i].lines);
		cr_expect(eq(int, config.sandbox.mode, cases[i].mode), "%s", cases[i].lines);
		cr_expect(eq(int, config.sandbox_is_said, cases[i].said), "%s", cases[i].lines);
		cr_expect(eq(int, config.recipe.ccache, cases[i].mode != PE_SANDBOX_REQUIRE),
			  "what strangers compile goes into no cache of others");
	}
	loads("sandbox: {network: false, read: [/opt, ~/data, '~'], write: /var/x}");
	cr_expect(eq(int, config.sandbox.network, PE_NETWORK_NONE));
	cr_assert(eq(sz, config.sandbox.read.n, 3));
	cr_expect_str_eq(config.sandbox.read.at[0], "/opt");
	cr_expect_str_eq(config.sandbox.read.at[1],
			 pe_arena_printf(&arena, "%s/data", getenv("HOME")));
	cr_expect_str_eq(config.sandbox.read.at[2], getenv("HOME"));
	cr_expect_str_eq(config.sandbox.write.at[0], "/var/x");
}

Test(sandbox, the_environment_has_the_last_word)
{
	setenv("PERFEVO_SANDBOX", "require", 1);
	loads("build: {steps: make, env: {A: b}}\nsandbox: off");
	cr_expect(eq(int, config.recipe.sandbox, PE_SANDBOX_REQUIRE));
	cr_expect_str_eq(config.recipe.env.at[0], "CCACHE_DISABLE=1");
	cr_expect_str_eq(config.recipe.env.at[1], "A=b");
	setenv("PERFEVO_SANDBOX", "perhaps", 1);
	cr_expect(eq(int, load("sandbox: off"), PE_EINVALID));
	cr_expect_str_eq(err.message,
			 "PERFEVO_SANDBOX must be auto, require or off, not 'perhaps'");
}

Test(sandbox, without_bounds_the_strictest_mode_has_the_machines)
{
	loads("limits: {memory: 64MiB, processes: 9}");
	cr_expect(eq(u64, config.limits.memory_bytes, UINT64_C(64) << 20));
	cr_expect(eq(uint, config.limits.processes, 9));
	cr_expect_str_eq(config.limits.memory_at, "perfevo.yml:1");
	loads("limits: {processes: 9}");
	cr_expect(eq(u64, config.limits.memory_bytes, 0));
	loads("sandbox: require\nlimits: {processes: 9}");
	cr_expect(config.limits.memory_bytes > 0);
	cr_expect(eq(uint, config.limits.processes, 9));
	cr_expect(eq(ptr, (void *)config.limits.memory_at, NULL));
	loads("nightly: {fetch: origin}");
	cr_expect(config.limits.memory_bytes > 0);
}

Test(sandbox, a_mode_that_is_asked_for_afterwards_is_as_the_key_itself)
{
	char asked[PE_HASH_HEX], said[PE_HASH_HEX];
	struct pe_limits limits;

	loads("build: {steps: make, env: {A: b}}");
	pe_sandbox_require(&config, &arena);
	pe_sandbox_require(&config, &arena);
	pe_recipe_hash(&config.recipe, asked);
	limits = config.limits;
	loads("build: {steps: make, env: {A: b}}\nsandbox: require");
	pe_recipe_hash(&config.recipe, said);
	cr_expect_str_eq(asked, said);
	cr_expect(eq(u64, limits.memory_bytes, config.limits.memory_bytes));
	cr_expect(eq(uint, limits.processes, config.limits.processes));
	cr_expect_not(config.recipe.ccache);
}

Test(sandbox, other_keys_around_runs)
{
	loads("run: {cpu: any, instructions: simulated}\nbuild: {parallel: auto}\n"
	      "nightly: {farm: slurm, notify: {mail: a@b.example}}\n"
	      "farm: {pin: class, spool: /srv/spool}\n"
	      "trust: 'SHA256:0123456789012345678901234567890123456789012'");
	cr_expect(eq(int, config.surroundings.cpu, -1));
	cr_expect(eq(int, config.surroundings.instructions, PE_INSTRUCTIONS_SIMULATED));
	cr_expect(eq(uint, config.recipe.parallel, 0));
	cr_expect_str_eq(config.nightly.mail, "a@b.example");
	cr_expect(config.farm.moves);
	loads("run: {cpu: 3}\nfarm: {pin: node}");
	cr_expect(eq(int, config.surroundings.cpu, 3));
	cr_expect(not(config.farm.moves));
}

/* Each is one line of YAML, and what is said of it. */
Test(refusals, name_the_place_and_what_would_be_right)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"sandbox: perhaps", "1:10: 'sandbox' must be auto, require or off, not 'perhaps'"},
		{"sandbox: [off]", "1:10: 'sandbox' must be a mapping, not a list"},
		{"sandbox: {mode: [auto]}",
		 "1:17: 'mode' must be auto, require or off, not a list"},
		{"sandbox: {network: never}", "1:20: 'network' must be true or false, not 'never'"},
		{"sandbox: {read: data}",
		 "1:17: 'read' must be absolute paths, or such that begin with ~/, not 'data'"},
		{"sandbox: {write: [/x, ~you/y]}",
		 "1:23: 'write' must be absolute paths, or such that begin with ~/, not '~you/y'"},
		{"limits: {memory: much}",
		 "1:18: 'memory' must be a size such as 10GiB or 512M, not 'much'"},
		{"limits: {processes: 0}",
		 "1:21: 'processes' must be a whole number from 1 to 1000000, not '0'"},
		{"limits: 5", "1:9: 'limits' must be a mapping, not a single value"},
		{"run: {cpu: many}",
		 "1:12: 'cpu' must be the number of a processor, auto or any, not 'many'"},
		{"run: {cpu: [1]}",
		 "1:12: 'cpu' must be the number of a processor, auto or any, not a list"},
		{"run: {instructions: some}",
		 "1:21: 'instructions' must be auto, hardware, simulated or off, not 'some'"},
		{"build: {parallel: 0}",
		 "1:19: 'parallel' must be a whole number from 1 to 1000000, or auto, not '0'"},
		{"build: {pass-env: 'A=B'}",
		 "1:19: 'pass-env' must be the name of an environment variable, not 'A=B'"},
		{"nightly: {farm: cloud}", "1:17: 'farm' must be slurm or local, not 'cloud'"},
		{"nightly: {notify: {mail: 'a b@c'}}",
		 "1:26: 'mail' must be one address, not 'a b@c'"},
		{"nightly: {notify: {mail: nobody}}",
		 "1:26: 'mail' must be one address, not 'nobody'"},
		{"nightly: {notify: {mail: [a@b]}}",
		 "1:26: 'mail' must be a single value, not a list"},
		{"farm: {spool: spool}", "1:15: 'spool' must be an absolute path, not 'spool'"},
		{"farm: {pin: chance}", "1:13: 'pin' must be node or class, not 'chance'"},
		{"farm: {pin: }", "1:13: 'pin' must be a single value, not nothing"},
		{"spark: {methods: [1, 3, 2, 4, 5]}",
		 "1:25: 'methods' must be five numbers that rise, such as [1, 3, 6, 11, 26]"},
		{"trust: SHA256:short",
		 "1:8: 'trust' must be the fingerprint of a key, as 'ssh-keygen -lf KEY.pub' prints it, not 'SHA256:short'"},
		{"trust: [[x]]", "1:9: 'trust' must be a single value, not a list"},
		{"metrics: [x]", "1:10: 'metrics' must be a mapping of metrics, not a list"},
		{"suites: {s: {command: x, format: [a]}}",
		 "1:34: 'format' must be the name of a format, not a list"},
		{"suites: {s: {command: x, renamed: {A: A}}}", "1:39: 'A' keeps its name"},
		{"suites: {s: {command: x, renamed: [A]}}",
		 "1:35: 'renamed' must be a mapping of old names to new ones, not a list"},
		{"suites: {s: {command: x, renamed: {A: }}}",
		 "1:39: 'A' needs the name that it has now"},
		{"suites: {s: {command: x, filter: [--only]}}",
		 "1:34: 'filter' needs {} where the name of a benchmark is to stand, as in \"--only={}\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cr_expect(eq(int, load(cases[i].line), PE_EINVALID), "accepted: %s", cases[i].line);
		cr_expect_str_eq(err.message,
				 pe_arena_printf(&arena, "perfevo.yml:%s", cases[i].message));
	}
}

/* The same of the keys of a benchmark. */
Test(refusals, of_a_benchmark_too)
{
	static const struct {
		const char *yaml, *message;
	} cases[] = {
		{"{'': x}", "1:14: an empty name"},
		{"{b: {command: x, metrics: all}}",
		 "1:39: 'metrics' must be a mapping of names to metrics, not 'all'"},
		{"{b: {command: x, metrics: {m: {regex: [a]}}}}",
		 "1:51: 'regex' must be a regular expression, not a list"},
		{"{b: {command: x, metrics: {m: {regex: '(', better: lower}}}}",
		 "1:51: 'regex' is not a valid regular expression: Unmatched ( or \\(: ("},
		{"{b: {command: x, metrics: {m: {regex: '([0-9])', stream: both}}}}",
		 "1:70: 'stream' must be stdout or stderr, not 'both'"},
		{"{b: {command: x, metrics: {m: {regex: '([0-9])', unit: \"a\\tb\"}}}}",
		 "1:68: a control character in a unit"},
		{"{b: {command: x, metrics: [{name: m, regex: '([0-9])'}, {name: m, json: /x}]}}",
		 "1:69: metric 'm' is given twice"},
		{"{b: {command: x, cwd: [a]}}", "1:35: 'cwd' must be a single value, not a list"},
		{"{b: {command: x, repeats: [3]}}",
		 "1:39: 'repeats' must be a whole number from 1 to 1000000, not a list"},
		{"{b: {command: x, repeats: 3x}}",
		 "1:39: 'repeats' must be a whole number from 1 to 1000000, not '3x'"},
		{"{b: {command: x, timeout: 5parsecs}}",
		 "1:39: 'timeout' must be a duration such as 90s, 5m or 1500ms, not '5parsecs'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		err = (struct pe_err)PE_ERR_INIT;
		cr_expect(eq(int,
			     pe_config_load(
				     &config, "perfevo.yml", "/top",
				     pe_arena_printf(&arena, "benchmarks: %s\n", cases[i].yaml),
				     &arena, &err),
			     PE_EINVALID),
			  "accepted: %s", cases[i].yaml);
		cr_expect_str_eq(err.message,
				 pe_arena_printf(&arena, "perfevo.yml:%s", cases[i].message));
	}
}

Test(refusals, of_what_is_no_file_of_the_tree)
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
		cr_expect(eq(ptr, strstr(pe_text_str(&text), "root"), NULL));
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
