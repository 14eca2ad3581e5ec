/* The config itself: the top-level keys are read in the order of their table, whatever their order in the file. */
#include "configs/config.h"

#include "configs/sections.h"
#include "core/base/array.h"
#include "core/base/glob.h"
#include "core/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read the share from which on a gate fails; 'off' is a share that no change reaches. */
static int read_limit(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	if (node->kind == PE_YAML_SCALAR && strcmp(node->text, "off") == 0)
		*(double *)field = INFINITY;
	else if (node->kind != PE_YAML_SCALAR || !pe_read_fraction_text(field, node->text))
		return pe_read_expected(reader, node,
					"a percentage such as 3%, a fraction such as 0.03, or off");
	return PE_OK;
}

static const struct pe_key gate_keys[] = {
	PE_KEY("wall", read_limit, struct pe_gate_limits, wall),
	PE_KEY("instructions", read_limit, struct pe_gate_limits, instructions),
	PE_KEY("allocations", read_limit, struct pe_gate_limits, allocations),
	PE_KEY("peak", read_limit, struct pe_gate_limits, peak),
};

static const char *const parallel_words[] = {"auto", NULL}; /* 0 */
static const char *const clean_words[] = {
	[PE_CLEAN_ALWAYS] = "always",
	[PE_CLEAN_AUTO] = "auto",
	[PE_CLEAN_NEVER] = "never",
	NULL,
};

static const struct pe_key build_keys[] = {
	PE_KEY("prepare", pe_read_commands, struct pe_recipe, prepare),
	PE_KEY("steps", pe_read_commands, struct pe_recipe, steps),
	PE_KEY("env", pe_read_env, struct pe_recipe, env),
	PE_KEY_VARIABLES("pass-env", struct pe_recipe, pass_env),
	PE_KEY("timeout", pe_read_duration, struct pe_recipe, timeout_ns),
	PE_KEY("jobs", pe_read_positive, struct pe_recipe, jobs),
	PE_KEY_NUMBER("parallel", 1, 1000000, parallel_words,
		      "a whole number from 1 to 1000000, or auto", struct pe_recipe, parallel),
	PE_KEY_WORDS("clean", clean_words, struct pe_recipe, clean),
	PE_KEY("ccache", pe_read_bool, struct pe_recipe, ccache),
};

static int read_build(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_recipe *out = field;

	if (node->kind == PE_YAML_MAP)
		return pe_read_map(reader, node, PE_KEYS(build_keys), out, "'build'");
	return pe_read_commands(reader, node, &out->steps);
}

/* Read a path of an overlay, which is inside the tree, apart from git's own files and from the tree's root. */
static int read_overlay_path(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	const char **path = field;

	PE_TRY(pe_read_path(reader, node, field));
	if (strcmp(*path, ".") == 0)
		return pe_read_fail(
			reader, node,
			"an overlay of the whole tree would hide every revision: name the files or folders that it needs");
	if (strcmp(*path, ".git") == 0 || strncmp(*path, ".git/", 5) == 0)
		return pe_read_fail(reader, node, "git's own folder cannot be overlaid");
	return PE_OK;
}

static const struct pe_key overlay_keys[] = {
	PE_KEY_LIST("paths", read_overlay_path, struct pe_overlay, paths),
	PE_KEY("revision", pe_read_text, struct pe_overlay, revision),
};

static int read_overlay(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_overlay *out = field;

	if (node->kind != PE_YAML_MAP)
		return pe_read_list(reader, node, &overlay_keys[0], &out->paths);
	PE_TRY(pe_read_map(reader, node, PE_KEYS(overlay_keys), out, "'overlay'"));
	return out->paths.n > 0 ? PE_OK : pe_read_fail(reader, node, "'overlay' needs 'paths'");
}

static const struct pe_key tree_keys[] = {
	PE_KEY_LIST("exclude", pe_read_path, struct pe_config, recipe.exclude),
};

/* Read a pattern. One that negates an earlier one is refused, because their order does not count. */
static int read_pattern(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	const char **pattern = field;

	PE_TRY(pe_read_text(reader, node, field));
	if ((*pattern)[0] == '!')
		return pe_read_fail(reader, node,
				    "'!' does not turn a pattern round here: write it under '%s'",
				    strcmp(reader->key, "include") == 0 ? "exclude" : "include");
	return (*pattern)[strspn(*pattern, "/")] != '\0'
		       ? PE_OK
		       : pe_read_expected(reader, node, "a pattern such as src/ or '*.gen.c'");
}

static const struct pe_key paths_keys[] = {
	PE_KEY_LIST("include", read_pattern, struct pe_paths, include),
	PE_KEY_LIST("exclude", read_pattern, struct pe_paths, exclude),
};

bool pe_paths_have(const struct pe_paths *paths, const char *path)
{
	bool included = paths->include.n == 0;

	for (size_t i = 0; i < paths->include.n && !included; i++)
		included = pe_glob_match(paths->include.at[i], path);
	for (size_t i = 0; i < paths->exclude.n && included; i++)
		included = !pe_glob_match(paths->exclude.at[i], path);
	return included;
}

static int read_aslr(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	bool aslr = true;
	int rc = pe_read_bool(reader, node, &aslr);

	*(bool *)field = !aslr;
	return rc;
}

static const char *const cpu_words[] = {"any", "auto", NULL}; /* -1, -2 */
static const char *const instructions_words[] = {"auto", "hardware", "simulated", "off", NULL};

static const struct pe_key run_keys[] = {
	PE_KEY_NUMBER("cpu", 0, 9999, cpu_words, "the number of a processor, auto or any",
		      struct pe_surroundings, cpu),
	PE_KEY_NUMBER("nice", -20, 19, NULL, "a nice value from -20 to 19", struct pe_surroundings,
		      nice),
	PE_KEY("aslr", read_aslr, struct pe_surroundings, fixed_layout),
	PE_KEY_WORDS("instructions", instructions_words, struct pe_surroundings, instructions),
	PE_KEY_VARIABLES("pass-env", struct pe_surroundings, pass_env),
};

static int keep(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	(void)reader;
	*(const struct pe_yaml **)field = pe_yaml_is_null(node) ? NULL : node;
	return PE_OK;
}

/* State of reading a threshold: the meaning of a value depends on its metric's unit. */
struct threshold {
	struct pe_threshold threshold;
	const char *unit;
	const struct pe_yaml *change, *difference;
};

static const struct pe_key threshold_keys[] = {
	PE_KEY("min-change", keep, struct threshold, change),
	PE_KEY("min-difference", keep, struct threshold, difference),
	PE_KEY("judge", pe_read_bool, struct threshold, threshold.judged),
	PE_KEY("primary", pe_read_bool, struct threshold, threshold.primary),
};

static const struct pe_metric *find_metric(const struct pe_config *config, const char *name)
{
	const struct pe_metric *metric = pe_metric_find(name);

	for (size_t i = 0; metric == NULL && i < config->n_benchmarks; i++)
		for (size_t j = 0; j < config->benchmarks[i].n_customs; j++)
			if (strcmp(config->benchmarks[i].customs[j].metric.name, name) == 0)
				return &config->benchmarks[i].customs[j].metric;
	return metric;
}

static int fail_metric(struct pe_reader *reader, const struct pe_yaml *key,
		       const struct pe_config *config)
{
	pe_auto_free PE_VEC(const char *) names = {0};
	const char *suggestion;

	for (size_t i = 0; i < PE_N_METRICS; i++)
		pe_vec_push(&names, pe_metrics[i].name);
	for (size_t i = 0; i < config->n_benchmarks; i++)
		for (size_t j = 0; j < config->benchmarks[i].n_customs; j++)
			pe_vec_push(&names, config->benchmarks[i].customs[j].metric.name);
	suggestion = pe_read_suggestion(reader->arena, key->text, names.data, names.n);
	return pe_read_fail(reader, key, "there is no metric '%s'%s", key->text, suggestion);
}

static int read_threshold(struct pe_reader *reader, const struct pe_yaml_pair *pair,
			  const struct pe_config *config, struct pe_threshold *out)
{
	const struct pe_metric *metric = find_metric(config, pair->key->text);
	const char *where = pe_arena_printf(reader->arena, "metric '%s'", pair->key->text);
	struct threshold read = {.threshold = {NULL, -1, -1, true, false}};

	if (metric == NULL)
		return fail_metric(reader, pair->key, config);
	/* A threshold for a context metric makes it judged. */
	read.threshold.metric = metric->name;
	PE_TRY(pe_read_map(reader, pair->value, PE_KEYS(threshold_keys), &read, where));
	reader->key = "min-change";
	if (read.change != NULL &&
	    (read.change->kind != PE_YAML_SCALAR ||
	     !pe_read_fraction_text(&read.threshold.min_relative, read.change->text)))
		return pe_read_expected(reader, read.change,
					"a percentage such as 2%, or a fraction such as 0.02");
	reader->key = "min-difference";
	if (read.difference != NULL && (read.difference->kind != PE_YAML_SCALAR ||
					!pe_read_amount_text(&read.threshold.min_absolute,
							     read.difference->text, metric->unit)))
		return pe_read_expected(
			reader, read.difference,
			pe_arena_printf(reader->arena, "a number of %s",
					strcmp(metric->unit, "1") == 0 ? "counts" : metric->unit));
	*out = read.threshold;
	return PE_OK;
}

static int read_thresholds(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_config *out = field;

	if (node->kind != PE_YAML_MAP)
		return pe_read_fail(reader, node, "'metrics' must be a mapping of metrics, not %s",
				    pe_yaml_kind_name(node));
	out->thresholds = pe_arena_new(reader->arena, struct pe_threshold, node->n);
	for (size_t i = 0; i < node->n; i++)
		PE_TRY(read_threshold(reader, &node->pairs[i], out, &out->thresholds[i]));
	out->n_thresholds = node->n;
	return PE_OK;
}

static const struct pe_key post_commit_keys[] = {
	PE_KEY("notify", pe_read_bool, struct pe_hooks_plan, notify),
};

static const struct pe_key pre_push_keys[] = {
	PE_KEY("budget", pe_read_duration, struct pe_hooks_plan, push_budget_ns),
	PE_KEY("block", pe_read_bool, struct pe_hooks_plan, push_blocks),
};

/* Each hook's keys are fields of the one plan. */
static const struct pe_key hooks_keys[] = {
	PE_KEY_GROUP("post-commit", post_commit_keys),
	PE_KEY_GROUP("pre-push", pre_push_keys),
};

static const struct pe_key notify_keys[] = {
	/* For the head of a mail: one address, without a line break. */
	PE_KEY_MATCH("mail", "^[^[:cntrl:] ,]*@[^[:cntrl:] ,]*$", "one address",
		     struct pe_nightly_plan, mail),
	PE_KEY("command", pe_read_text, struct pe_nightly_plan, command),
	PE_KEY("file", pe_read_text, struct pe_nightly_plan, file),
};

static const struct pe_key nightly_keys[] = {
	PE_KEY_MATCH("farm", "^slurm$", "slurm", struct pe_nightly_plan, farm),
	PE_KEY("fetch", pe_read_text, struct pe_nightly_plan, fetch),
	PE_KEY("revision", pe_read_text, struct pe_nightly_plan, revision),
	PE_KEY("last", pe_read_positive, struct pe_nightly_plan, last),
	PE_KEY("budget", pe_read_duration, struct pe_nightly_plan, budget_ns),
	PE_KEY("report", pe_read_text, struct pe_nightly_plan, report),
	PE_KEY_GROUP("notify", notify_keys),
};

static const char *const pin_words[] = {"node", "class", NULL};

static const struct pe_key farm_keys[] = {
	PE_KEY("partition", pe_read_text, struct pe_farm_plan, partition),
	PE_KEY("constraint", pe_read_text, struct pe_farm_plan, constraint),
	PE_KEY("account", pe_read_text, struct pe_farm_plan, account),
	/* Relative paths would differ between machines. */
	PE_KEY_MATCH("spool", "^/", "an absolute path", struct pe_farm_plan, spool),
	PE_KEY_MATCH("cache", "^/", "an absolute path", struct pe_farm_plan, cache),
	PE_KEY("nodes", pe_read_positive, struct pe_farm_plan, nodes),
	PE_KEY("time", pe_read_duration, struct pe_farm_plan, time_ns),
	PE_KEY_WORDS("pin", pin_words, struct pe_farm_plan, moves),
	PE_KEY("options", pe_read_texts, struct pe_farm_plan, options),
};

#define SPARK_BOUNDS "'methods' must be five numbers that rise, such as [1, 3, 6, 11, 26]"

/* Read bounds, which must ascend: other steps could not be reached. */
static int read_bounds(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	uint32_t *bounds = pe_arena_new(reader->arena, uint32_t, PE_N_SPARK_BOUNDS);

	if (node->kind != PE_YAML_LIST || node->n != PE_N_SPARK_BOUNDS)
		return pe_read_fail(reader, node, SPARK_BOUNDS);
	for (size_t i = 0; i < PE_N_SPARK_BOUNDS; i++) {
		unsigned bound;

		PE_TRY(pe_read_positive(reader, node->items[i], &bound));
		if (i > 0 && bound <= bounds[i - 1])
			return pe_read_fail(reader, node->items[i], SPARK_BOUNDS);
		bounds[i] = bound;
	}
	*(const uint32_t **)field = bounds;
	return PE_OK;
}

static const struct pe_key spark_keys[] = {
	PE_KEY("methods", read_bounds, struct pe_spark_plan, methods),
};

static int read_cache(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_config *out = field;
	const char *home = getenv("HOME"), *cache;

	PE_TRY(pe_read_text(reader, node, &cache));
	if (strncmp(cache, "~/", 2) == 0 && home != NULL)
		out->cache_dir = pe_arena_printf(reader->arena, "%s/%s", home, cache + 2);
	else if (cache[0] == '/' || out->root == NULL)
		out->cache_dir = cache;
	else
		out->cache_dir = pe_arena_printf(reader->arena, "%s/%s", out->root, cache);
	return PE_OK;
}

static int read_profile(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	return pe_profile_read(reader, node, (void *)((struct pe_config *)field)->profile);
}

static const char *const layout_words[] = {"report", "fail", NULL};

/* Keys in the order of reading: a key comes after those whose values it needs. */
static const struct pe_key top_keys[] = {
	PE_KEY("build", read_build, struct pe_config, recipe),
	PE_KEY_MAP("nightly", nightly_keys, struct pe_config, nightly),
	PE_KEY_ALWAYS("sandbox", pe_sandbox_read),
	PE_KEY_ALWAYS("limits", pe_limits_read),
	{.name = "profile", .read = read_profile},
	/* These are the defaults of benchmarks, too. */
	PE_KEY("defaults", pe_benchmark_read_defaults, struct pe_config, tests.model),
	{.name = "benchmarks", .read = pe_benchmarks_read},
	{.name = "suites", .read = pe_suites_read},
	PE_KEY("tests", pe_tests_read, struct pe_config, tests),
	PE_KEY_GROUP("tree", tree_keys),
	PE_KEY("overlay", read_overlay, struct pe_config, overlay),
	PE_KEY_MAP("run", run_keys, struct pe_config, surroundings),
	PE_KEY_MAP("paths", paths_keys, struct pe_config, paths),
	PE_KEY_MAP("hooks", hooks_keys, struct pe_config, hooks),
	PE_KEY_MAP("farm", farm_keys, struct pe_config, farm),
	PE_KEY_MAP("spark", spark_keys, struct pe_config, spark),
	PE_KEY_MAP("gate", gate_keys, struct pe_config, gate),
	PE_KEY_WORDS("layout", layout_words, struct pe_config, gate.layout_fails),
	{.name = "metrics", .read = read_thresholds},
	PE_KEY("disk", pe_read_size, struct pe_config, disk_bytes),
	{.name = "cache", .read = read_cache},
	/* As ssh-keygen prints it: SHA-256 in base64, without padding. */
	PE_KEY_MATCHES("trust", "^SHA256:[A-Za-z0-9+/]{43}$",
		       "the fingerprint of a key, as 'ssh-keygen -lf KEY.pub' prints it",
		       struct pe_config, trust),
};

/* A tree's limit is the budget of all builds, but at least this: one slot is always provided, whatever 'disk:' is. */
static const uint64_t LEAST_TREE_BYTES = 1u << 30;

static int read_config(struct pe_reader *reader, const struct pe_yaml *root, struct pe_config *out)
{
	const char *nothing =
		"nothing to measure: add 'benchmarks:', 'suites:' or 'tests:' ('perfevo init' writes a config)";

	if (root == NULL || pe_yaml_is_null(root))
		return pe_fail(reader->err, PE_EINVALID, "%s:1:1: %s", reader->path, nothing);
	reader->root = root;
	PE_TRY(pe_read_map_in_order(reader, root, PE_KEYS(top_keys), out));
	if (out->n_benchmarks + out->n_suites == 0 && out->tests.kind == PE_TESTS_NONE)
		return pe_read_fail(reader, root, "%s", nothing);
	out->limits.disk_bytes =
		out->disk_bytes > LEAST_TREE_BYTES ? out->disk_bytes : LEAST_TREE_BYTES;
	return PE_OK;
}

static unsigned processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}

int pe_config_load(struct pe_config *out, const char *path, const char *root, const char *text,
		   struct pe_arena *arena, struct pe_err *err)
{
	struct pe_reader reader = {.path = path, .arena = arena, .err = err};
	pe_auto_text file = PE_TEXT_INIT;
	struct pe_yaml *document = NULL;
	struct pe_profile_plan *profile = pe_arena_new(arena, struct pe_profile_plan, 1);
	int rc;

	*out = (struct pe_config){
		.path = pe_arena_strdup(arena, path),
		.root = pe_arena_strdup(arena, root),
		.recipe = {.timeout_ns = UINT64_C(600000000000),
			   .jobs = processors(),
			   .ccache = true},
		.surroundings = {.cpu = -1},
		.gate = PE_GATE_LIMITS_DEFAULT,
		.hooks = {.notify = true,
			  .push_budget_ns = UINT64_C(60000000000),
			  .push_blocks = true},
		.nightly = {.last = 50, .budget_ns = UINT64_C(21600) * 1000000000},
		.disk_bytes = PE_DISK_BYTES,
		.limits.disk_bytes = PE_DISK_BYTES,
		.profile = profile,
		.tests = {.build_dir = "build", .model = pe_benchmark_defaults()},
	};
	out->tests.model.profile = profile;
	out->tests.model.is_test = true;
	if (text == NULL)
		PE_TRY(pe_yaml_read_file(&file, path, root, err));
	else
		pe_text_add(&file, text);
	PE_TRY(pe_yaml_parse(&document, path, pe_text_str(&file), file.len, arena, err));
	rc = read_config(&reader, document, out);
	out->to_do = reader.to_do;
	return rc;
}
