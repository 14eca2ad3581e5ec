#include "configs/sections.h"

#include "suites/suite.h"

#include <string.h>

enum { MAX_NAME = 100, MAX_SUITES = 100, SUITE_REPEATS = 10 };

static const uint64_t SUITE_TIMEOUT_NS = UINT64_C(600000000000);

/* State of reading a suite; it comes first, so that tables serve both. */
struct body {
	struct pe_suite suite;
	struct pe_profile_plan profile;
};

static int read_format(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	const char *names[PE_SUITE_N_FORMATS];
	pe_auto_text list = PE_TEXT_INIT;

	if (node->kind != PE_YAML_SCALAR)
		return pe_read_expected(reader, node, "the name of a format");
	*(const char **)field = pe_suite_format_name(pe_suite_format_find(node->text));
	if (*(const char **)field != NULL)
		return PE_OK;
	for (unsigned i = 0; i < PE_SUITE_N_FORMATS; i++) {
		names[i] = pe_suite_format_name(i);
		pe_text_addf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	return pe_read_fail(
		reader, node, "there is no format '%s'%s: %s", node->text,
		pe_read_suggestion(reader->arena, node->text, names, PE_SUITE_N_FORMATS),
		pe_text_str(&list));
}

/* Refuse a new name that another one has: two benchmarks would share one series. */
static int check_rename(struct pe_reader *reader, const struct pe_yaml_pair *pair,
			const struct pe_suite *suite)
{
	for (size_t i = 0; i < suite->n_renamed; i++)
		if (strcmp(suite->renamed[i].to, pair->value->text) == 0)
			return pe_read_fail(
				reader, pair->value,
				"'%s' and '%s' cannot both have become '%s': name the later one's own successor",
				suite->renamed[i].from, pair->key->text, pair->value->text);
	if (strcmp(pair->key->text, pair->value->text) == 0)
		return pe_read_fail(reader, pair->value, "'%s' keeps its name", pair->key->text);
	return PE_OK;
}

static int read_renamed(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_suite *suite = field;
	struct pe_rename *renamed = pe_arena_new(reader->arena, struct pe_rename, node->n);

	if (node->kind != PE_YAML_MAP)
		return pe_read_expected(reader, node, "a mapping of old names to new ones");
	suite->renamed = renamed;
	for (size_t i = 0; i < node->n; i++) {
		const struct pe_yaml_pair *pair = &node->pairs[i];

		if (pair->value->kind != PE_YAML_SCALAR || pair->value->text[0] == '\0')
			return pe_read_fail(reader, pair->value,
					    "'%s' needs the name that it has now", pair->key->text);
		PE_TRY(check_rename(reader, pair, suite));
		renamed[suite->n_renamed++] =
			(struct pe_rename){pair->key->text, pair->value->text};
	}
	return PE_OK;
}

/* Read a filter: one of its words must contain the name. */
static int read_filter(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_strings *words = field;

	PE_TRY(pe_read_texts(reader, node, field));
	for (size_t i = 0; i < words->n; i++)
		if (strstr(words->at[i], "{}") != NULL)
			return PE_OK;
	return pe_read_fail(
		reader, node,
		"'filter' needs {} where the name of a benchmark is to stand, as in \"--only={}\"");
}

static const struct pe_key body_keys[] = {
	PE_KEY("command", pe_read_command, struct body, suite.command),
	PE_KEY("format", read_format, struct body, suite.format),
	PE_KEY("output", pe_read_path, struct body, suite.output),
	PE_KEY("options", pe_read_texts, struct body, suite.options),
	PE_KEY("cwd", pe_read_path, struct body, suite.model.cwd),
	PE_KEY("env", pe_read_env, struct body, suite.model.env),
	PE_KEY("setup", pe_read_commands, struct body, suite.model.setup),
	PE_KEY("prepare", pe_read_commands, struct body, suite.model.prepare),
	PE_KEY("cleanup", pe_read_commands, struct body, suite.model.cleanup),
	PE_KEY("repeats", pe_read_positive, struct body, suite.model.repeats),
	PE_KEY("timeout", pe_read_duration, struct body, suite.model.timeout_ns),
	PE_KEY("tags", pe_read_texts, struct body, suite.model.tags),
	PE_KEY("filter", read_filter, struct body, suite.filter),
	PE_KEY("include", pe_read_regex, struct body, suite.include),
	PE_KEY("exclude", pe_read_regex, struct body, suite.exclude),
	PE_KEY("renamed", read_renamed, struct body, suite),
	PE_KEY("allocations", pe_read_bool, struct body, suite.model.count_allocations),
	PE_KEY("profile", pe_profile_read, struct body, profile),
};

/* Check a name, which precedes a slash in the names of its members, and in command lines. */
static int check_name(struct pe_reader *reader, const struct pe_yaml *node,
		      const struct pe_suite *before, size_t n)
{
	const char *name = node->text;

	if (strlen(name) > MAX_NAME || !pe_read_matches(name, "^[A-Za-z0-9_.-]+$"))
		return pe_read_fail(
			reader, node,
			"suite '%.40s': a name is made of letters, digits, '_', '-', '.'", name);
	for (size_t i = 0; i < n; i++)
		if (strcmp(before[i].name, name) == 0)
			return pe_read_fail(reader, node, "there is a suite '%s' already", name);
	return PE_OK;
}

static int read_suite(struct pe_suite *out, struct pe_reader *reader,
		      const struct pe_yaml_pair *pair, const struct pe_benchmark *model)
{
	const char *name = pair->key->text;
	const char *where = pe_arena_printf(reader->arena, "suite '%s'", name);
	struct body body = {.suite = {.name = name, .format = "auto", .model = *model}};
	struct pe_profile_plan *plan = pe_arena_new(reader->arena, struct pe_profile_plan, 1);

	body.profile = *model->profile;
	if (pair->value->kind == PE_YAML_MAP)
		PE_TRY(pe_read_map(reader, pair->value, PE_KEYS(body_keys), &body, where));
	else
		PE_TRY(pe_read_named_command(reader, pair->value, name, &body.suite.command));
	if (body.suite.command.argv == NULL)
		return pe_read_fail(reader, pair->value, "%s has no command", where);
	*plan = body.profile;
	body.suite.model.profile = plan;
	*out = body.suite;
	return PE_OK;
}

int pe_suites_read(struct pe_reader *reader, const struct pe_yaml *node, void *config)
{
	struct pe_config *out = config;
	const struct pe_yaml *defaults = pe_yaml_get(reader->root, "defaults");
	struct pe_benchmark model = pe_benchmark_defaults();

	if (node->kind != PE_YAML_MAP)
		return pe_read_fail(reader, node,
				    "'suites' must be a mapping of names to suites, not %s",
				    pe_yaml_kind_name(node));
	if (node->n > MAX_SUITES)
		return pe_read_fail(reader, node, "more than %d suites", MAX_SUITES);
	/* A process of a suite calibrates and warms up itself, and takes as long as all of its benchmarks together. */
	model.repeats = SUITE_REPEATS;
	model.timeout_ns = SUITE_TIMEOUT_NS;
	model.count_allocations = false;
	model.profile = out->profile;
	if (defaults != NULL && !pe_yaml_is_null(defaults))
		PE_TRY(pe_benchmark_read_defaults(reader, defaults, &model));
	model.warmup = 0;
	out->suites = pe_arena_new(reader->arena, struct pe_suite, node->n);
	for (size_t i = 0; i < node->n; i++) {
		PE_TRY(check_name(reader, node->pairs[i].key, out->suites, out->n_suites));
		PE_TRY(read_suite(&out->suites[out->n_suites++], reader, &node->pairs[i], &model));
	}
	return PE_OK;
}
