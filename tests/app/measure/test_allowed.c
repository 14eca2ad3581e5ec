/*
 * Each key of the config is asked for by `perfevo allow`, or stands here with the reason why somebody else's config may
 * have it. A new key of configs/perfevo.schema.json is in neither list, and fails.
 */
#include "app/measure/allowed.h"

#include "tests/support/app_fixture.h"
#include "tests/support/config_keys.h"
#include "tests/support/test.h"

TestSuite(allowed, .timeout = 600);

/* A config that has the key, and a line that is asked for. */
static const struct {
	const char *key, *config, *line;
} asked[] = {
	{"sandbox.mode", "sandbox: {mode: off}", "sandbox: off"},
	{"sandbox.network", "sandbox: {mode: require, network: true}", "sandbox: network"},
	{"sandbox.read", "sandbox: {mode: require, read: [/srv]}", "sandbox reads: /srv"},
	{"sandbox.write", "sandbox: {mode: require, write: [/srv]}", "sandbox writes: /srv"},
	{"build.prepare", "sandbox: require\nbuild: {prepare: curl x, steps: y}",
	 "sandbox: network for build prepare"},
	{"build.pass-env", "build: {pass-env: [TOKEN], steps: y}", "build pass-env: TOKEN"},
	{"run.pass-env", "run: {pass-env: [TOKEN]}", "pass-env: TOKEN"},
	{"overlay", "overlay: [secret]", "untracked file: secret"},
	{"overlay.paths", "overlay: {paths: [secret]}", "untracked file: secret"},
	{"overlay.revision", "overlay: {revision: 'stash@{0}', paths: [secret]}",
	 "overlay revision: stash@{0}"},
	{"benchmarks.NAME.inputs", "", "untracked file: secret"},
	{"limits.memory", "limits: {memory: 4GiB}", "limits memory: 4096 MiB"},
	{"limits.processes", "limits: {processes: 99999}", "limits processes: 99999"},
	{"disk", "disk: 1TiB", "disk: 1048576 MiB"},
	{"trust", "trust: ['SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']",
	 "trust: SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
	{"cache", "cache: /srv", "cache: /srv"},
	{"farm.spool", "farm: {spool: /srv}", "farm spool: /srv"},
	{"farm.cache", "farm: {cache: /srv}", "farm cache: /srv"},
	{"farm.options", "farm: {options: [--wrap=x]}", "farm options: --wrap=x"},
	{"farm.options", "farm: {options: [-p, x]}", "farm options: -p x"},
	{"farm.account", "farm: {account: x}", "farm account: x"},
	{"nightly.fetch", "nightly: {fetch: x}", "nightly fetch: x"},
	{"nightly.farm", "nightly: {farm: slurm}", "nightly farm: slurm"},
	{"nightly.report", "nightly: {report: /srv/x}", "nightly report: /srv/x"},
	{"nightly.notify.mail", "nightly: {notify: {mail: eve@x.org}}", "nightly mail: eve@x.org"},
	{"nightly.notify.command", "nightly: {notify: {command: x}}", "nightly command: x"},
	{"nightly.notify.command", "nightly: {notify: {command: \"a\\nb\"}}",
	 "nightly command: a\\nb"},
	{"nightly.notify.file", "nightly: {notify: {file: /srv/x}}", "nightly file: /srv/x"},
};

static const char *const profile =
	"exclude exclude.files exclude.functions exclude.size build mode rate runs command format language";

/* Keys of a mapping that need no permission. */
static const struct {
	const char *above, *keys, *reason;
} harmless[] = {
	{"",
	 "build benchmarks suites defaults tests tree paths profile hooks nightly farm gate "
	 "spark metrics run sandbox limits",
	 "mappings, or commands that run in the sandbox"},
	{"", "layout", "what a regression counts as"},
	{"build", "steps env timeout jobs parallel clean ccache",
	 "in the sandbox, as the build scripts of the tree"},
	{"benchmarks.NAME", "command cwd env setup prepare cleanup input parameters",
	 "in the sandbox; an input is opened beneath the tree and without links"},
	{"benchmarks.NAME", "warmup repeats timeout tags allocations exit metrics profile name",
	 "how often, how long, and how it is shown"},
	{"benchmarks.NAME.metrics.NAME", "unit better regex json stream decimal deterministic name",
	 "how output of the sandbox is read; expressions are bounded"},
	{"benchmarks.NAME.profile", NULL, "in the sandbox; the file is opened without links"},
	{"suites.NAME", "command options cwd env setup prepare cleanup output",
	 "in the sandbox; the output is opened beneath the tree and without links"},
	{"suites.NAME",
	 "format repeats timeout tags filter include exclude renamed allocations profile",
	 "which results, how often, and how they are shown"},
	{"suites.NAME.profile", NULL, "in the sandbox; the file is opened without links"},
	{"defaults", "warmup repeats timeout env tags allocations", "as in benchmarks"},
	{"tests",
	 "include exclude warmup repeats timeout env tags allocations kind build-dir "
	 "command programs sources cwd list run",
	 "as in benchmarks"},
	{"tree", "exclude", "leaves files out of trees"},
	{"paths", "include exclude", "which commits are looked at"},
	{"profile", NULL, "in the sandbox; the file is opened without links"},
	{"hooks", "post-commit post-commit.notify pre-push pre-push.budget pre-push.block",
	 "what hooks wait for and show; who may push is the server's to say"},
	{"nightly", "revision last budget notify", "which commits and how long"},
	{"farm", "partition constraint nodes time pin", "single arguments of sbatch(1)"},
	{"gate", "wall instructions allocations peak",
	 "thresholds; 'ci --config-from base' guards them"},
	{"spark", "methods", "how much is shown"},
	{"metrics", "NAME.min-change NAME.min-difference NAME.judge NAME.primary",
	 "thresholds; 'ci --config-from base' guards them"},
	{"run", "cpu nice aslr instructions", "conditions that a user may set for himself"},
};

static struct pe_arena arena;

static const char *join(const char *path, const char *name)
{
	return pe_arena_printf(&arena, "%s%s%s", path, *path != '\0' ? "." : "", name);
}

static bool is_harmless(const char *key)
{
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		const char *keys = harmless[i].keys != NULL ? harmless[i].keys : profile;
		char *list = pe_arena_strdup(&arena, keys), *rest = NULL;

		for (char *name = strtok_r(list, " ", &rest); name != NULL;
		     name = strtok_r(NULL, " ", &rest))
			if (strcmp(join(harmless[i].above, name), key) == 0)
				return true;
	}
	return false;
}

static bool is_asked(const char *key)
{
	bool found = false;

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		found = found || strcmp(asked[i].key, key) == 0;
	return found;
}

Test(allowed, knows_each_key_of_the_schema)
{
	pe_auto_free config_keys keys = {0};

	config_keys_read(&keys, &arena);
	cr_expect(gt(sz, keys.n, 100));
	for (size_t i = 0; i < keys.n; i++)
		cr_expect(is_asked(keys.data[i]) || is_harmless(keys.data[i]),
			  "may somebody else's config have '%s'?", keys.data[i]);
	pe_arena_release(&arena);
}

Test(allowed, asks_for_what_reaches_out_of_the_sandbox)
{
	struct app_fixture fixture;

	unsetenv("PERFEVO_SANDBOX");
	app_fixture_open(&fixture, 1, "benchmarks: {b: x}\n");
	tmp_repo_sh(&fixture.repo, "cd repo && echo x >secret");
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		const char *text = pe_arena_printf(
			&fixture.arena, "%s\nbenchmarks: {b: {command: x%s}}\n", asked[i].config,
			*asked[i].config == '\0' ? ", inputs: [secret]" : "");
		const char *line = pe_arena_printf(&fixture.arena, "%s\n", asked[i].line);
		struct pe_config *kept = fixture.app.config, config;
		struct pe_text lines = PE_TEXT_INIT;
		size_t new;

		cr_assert(eq(int,
			     pe_config_load(&config, "perfevo.yml", kept->root, text,
					    &fixture.arena, &fixture.err),
			     PE_OK),
			  "%s: %s", text, fixture.err.message);
		fixture.app.config = &config;
		cr_expect(eq(int, pe_allowed_put(&fixture.app, &lines, &new), PE_OK));
		cr_expect(strstr(pe_text_str(&lines), line) != NULL, "%s asks for:\n%s", text,
			  pe_text_str(&lines));
		fixture.app.config = kept;
		pe_text_release(&lines);
	}
	app_fixture_close(&fixture);
}
