#include "configs/sections.h"

#include "configs/parameters.h"
#include "core/model/run.h"
#include "core/base/array.h"
#include "core/base/regex.h"
#include "core/base/vec.h"

#include <string.h>

enum {
	MAX_NAME = 200,
	MAX_BENCHMARKS = 10000,
	MAX_CUSTOMS = PE_RUN_MAX_SAMPLES - PE_N_METRICS,
};

typedef PE_VEC(struct pe_benchmark) benchmark_vec;

struct customs {
	struct pe_custom_metric *at;
	size_t n;
};

/* State of reading one benchmark; benchmark comes first, so that tables serve both. */
struct body {
	struct pe_benchmark benchmark;
	struct customs customs;
	struct pe_profile_plan profile;
	const char *name;
};

/* State of reading a custom metric. */
struct custom {
	struct pe_custom_metric metric;
	const char *regex, *pointer, *decimal;
	bool deterministic;
};

static const char *const better_words[] = {
	[PE_LOWER_IS_BETTER] = "lower",
	[PE_HIGHER_IS_BETTER] = "higher",
	NULL,
};
static const char *const stream_words[] = {"stdout", "stderr", NULL};

/* Read an expression with a group, from which the number is read. */
static int read_number_regex(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_regex regex;
	size_t groups;

	PE_TRY(pe_read_regex(reader, node, field));
	if (pe_regex_init(&regex, node->text, NULL) != PE_OK)
		return pe_read_expected(reader, node, "a regular expression");
	groups = pe_regex_groups(&regex);
	pe_regex_release(&regex);
	if (groups == 0)
		return pe_read_fail(
			reader, node,
			"'regex' has no group: put the number in parentheses, such as '([0-9.]+) MB/s'");
	return PE_OK;
}

static const struct pe_key custom_keys[] = {
	PE_KEY_ELSEWHERE("name"),
	PE_KEY_MATCH("unit", "^[^[:cntrl:]]*$", "a unit without control characters", struct custom,
		     metric.metric.unit),
	PE_KEY_WORDS("better", better_words, struct custom, metric.metric.better),
	PE_KEY("regex", read_number_regex, struct custom, regex),
	/* RFC 6901: empty, or tokens that each begin with a slash; a tilde is ~0 or ~1. */
	PE_KEY_MATCH("json", "^(/([^~]|~[01])*)?$", "a JSON pointer such as /results/0/time",
		     struct custom, pointer),
	PE_KEY_WORDS("stream", stream_words, struct custom, metric.from_stderr),
	PE_KEY_MATCH("decimal", "^[.,]$", "'.' or ','", struct custom, decimal),
	PE_KEY("deterministic", pe_read_bool, struct custom, deterministic),
};

static int check_custom(struct pe_reader *reader, const struct pe_yaml *node,
			const struct customs *before, const struct custom *custom)
{
	const char *name = custom->metric.metric.name;

	if (!pe_read_matches(name, "^[A-Za-z0-9_.-]+$"))
		return pe_read_fail(reader, node,
				    "metric '%s': a name is made of letters, digits, '_', '-', '.'",
				    name);
	if (pe_metric_find(name) != NULL)
		return pe_read_fail(reader, node, "metric '%s' is built in: choose another name",
				    name);
	for (size_t i = 0; i < before->n; i++)
		if (strcmp(before->at[i].metric.name, name) == 0)
			return pe_read_fail(reader, node, "metric '%s' is given twice", name);
	if ((custom->regex == NULL) == (custom->pointer == NULL))
		return pe_read_fail(reader, node,
				    "metric '%s' needs either 'regex' or 'json' to be read by",
				    name);
	if (custom->pointer != NULL && custom->metric.from_stderr)
		return pe_read_fail(reader, node,
				    "metric '%s': JSON is read from stdout, not from stderr", name);
	if (custom->pointer != NULL && custom->decimal != NULL)
		return pe_read_fail(reader, node, "metric '%s': 'decimal' is for 'regex'", name);
	return PE_OK;
}

/* A body of a mapping, which follows its name, or of a list, which contains its name. */
struct named {
	const char *name;
	const struct pe_yaml *place, *body;
};

static int find_named(struct named *out, struct pe_reader *reader, const struct pe_yaml *node,
		      size_t i, const char *noun)
{
	const struct pe_yaml *body =
		node->kind == PE_YAML_MAP ? node->pairs[i].value : node->items[i];
	const struct pe_yaml *name = pe_yaml_get(body, "name");

	*out = (struct named){.name = "", .place = body, .body = body};
	if (node->kind == PE_YAML_MAP) {
		out->place = node->pairs[i].key;
		out->name = out->place->text;
		return name == NULL ? PE_OK
				    : pe_read_fail(reader, name,
						   "%s '%s' has its name already: remove 'name'",
						   noun, out->name);
	}
	if (body->kind != PE_YAML_MAP)
		return pe_read_fail(reader, body,
				    "a %s of a list must be a mapping with a 'name', not %s", noun,
				    pe_yaml_kind_name(body));
	if (name == NULL || name->kind != PE_YAML_SCALAR || name->text[0] == '\0')
		return pe_read_fail(reader, name != NULL ? name : body, "a %s needs a 'name'",
				    noun);
	out->name = name->text;
	return PE_OK;
}

static int read_custom(struct pe_reader *reader, const struct named *named, struct customs *out)
{
	const char *name = named->name;
	struct custom custom = {
		.metric.metric = {.name = name,
				  .unit = "1",
				  .label = name,
				  .better = PE_LOWER_IS_BETTER,
				  .min_relative = 0.02},
	};
	const char *where = pe_arena_printf(reader->arena, "metric '%s'", name);

	PE_TRY(pe_read_map(reader, named->body, PE_KEYS(custom_keys), &custom, where));
	PE_TRY(check_custom(reader, named->place, out, &custom));
	custom.metric.how = custom.regex != NULL ? PE_EXTRACT_REGEX : PE_EXTRACT_JSON;
	custom.metric.expression = custom.regex != NULL ? custom.regex : custom.pointer;
	custom.metric.decimal = custom.decimal != NULL ? custom.decimal[0] : '\0';
	if (custom.deterministic) {
		custom.metric.metric.kind = PE_METRIC_DETERMINISTIC;
		custom.metric.metric.min_relative = 0.001;
	}
	out->at[out->n++] = custom.metric;
	return PE_OK;
}

static int read_customs(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct customs *out = field;
	struct pe_parameters *parameters = reader->parameters;
	struct named named;

	if (node->kind == PE_YAML_SCALAR)
		return pe_read_expected(reader, node, "a mapping of names to metrics");
	if (node->n > MAX_CUSTOMS)
		return pe_read_fail(reader, node, "more than %d metrics in one benchmark",
				    MAX_CUSTOMS);
	out->at = pe_arena_new(reader->arena, struct pe_custom_metric, node->n);
	reader->parameters = NULL; /* braces are part of expressions here */
	for (size_t i = 0; i < node->n; i++) {
		PE_TRY(find_named(&named, reader, node, i, "metric"));
		PE_TRY(read_custom(reader, &named, out));
	}
	reader->parameters = parameters;
	return PE_OK;
}

static const struct pe_key body_keys[] = {
	PE_KEY_ELSEWHERE("name"),
	PE_KEY_ELSEWHERE("parameters"),
	PE_KEY("command", pe_read_command, struct body, benchmark.command),
	PE_KEY("cwd", pe_read_path, struct body, benchmark.cwd),
	PE_KEY("env", pe_read_env, struct body, benchmark.env),
	PE_KEY("warmup", pe_read_count, struct body, benchmark.warmup),
	PE_KEY("repeats", pe_read_positive, struct body, benchmark.repeats),
	PE_KEY("timeout", pe_read_duration, struct body, benchmark.timeout_ns),
	PE_KEY("setup", pe_read_commands, struct body, benchmark.setup),
	PE_KEY("prepare", pe_read_commands, struct body, benchmark.prepare),
	PE_KEY("cleanup", pe_read_commands, struct body, benchmark.cleanup),
	PE_KEY("input", pe_read_path, struct body, benchmark.input),
	PE_KEY_LIST("inputs", pe_read_path, struct body, benchmark.inputs),
	PE_KEY_NUMBER("exit", 0, 255, NULL, "an exit status from 0 to 255", struct body,
		      benchmark.expected_status),
	PE_KEY("tags", pe_read_texts, struct body, benchmark.tags),
	PE_KEY("allocations", pe_read_bool, struct body, benchmark.count_allocations),
	PE_KEY("metrics", read_customs, struct body, customs),
	PE_KEY("profile", pe_profile_read, struct body, profile),
};

static const struct pe_key default_keys[] = {
	PE_KEY("warmup", pe_read_count, struct pe_benchmark, warmup),
	PE_KEY("repeats", pe_read_positive, struct pe_benchmark, repeats),
	PE_KEY("timeout", pe_read_duration, struct pe_benchmark, timeout_ns),
	PE_KEY("env", pe_read_env, struct pe_benchmark, env),
	PE_KEY("tags", pe_read_texts, struct pe_benchmark, tags),
	PE_KEY("allocations", pe_read_bool, struct pe_benchmark, count_allocations),
};

struct pe_benchmark pe_benchmark_defaults(void)
{
	return (struct pe_benchmark){
		.cwd = ".",
		.warmup = 2,
		.repeats = 25,
		.timeout_ns = UINT64_C(60000000000),
		.count_allocations = true,
	};
}

int pe_benchmark_read_defaults(struct pe_reader *reader, const struct pe_yaml *node, void *model)
{
	return pe_read_map(reader, node, PE_KEYS(default_keys), model, "'defaults'");
}

/* Check that metrics of one name are equal in every benchmark: they are one column of the store. */
static int check_customs(struct pe_reader *reader, const struct pe_yaml *place,
			 const benchmark_vec *before, const struct customs *customs)
{
	for (size_t i = 0; i < before->n; i++) {
		for (size_t j = 0; j < before->data[i].n_customs; j++) {
			const struct pe_metric *theirs = &before->data[i].customs[j].metric;

			for (size_t k = 0; k < customs->n; k++) {
				const struct pe_metric *ours = &customs->at[k].metric;

				if (strcmp(ours->name, theirs->name) != 0 ||
				    (strcmp(ours->unit, theirs->unit) == 0 &&
				     ours->better == theirs->better && ours->kind == theirs->kind))
					continue;
				return pe_read_fail(
					reader, place,
					"metric '%s' has another unit, 'better' or 'deterministic' than in benchmark '%s'",
					ours->name, before->data[i].name);
			}
		}
	}
	return PE_OK;
}

static int check_name(struct pe_reader *reader, const struct pe_yaml *place,
		      const benchmark_vec *before, const char *name)
{
	if (strlen(name) > MAX_NAME)
		return pe_read_fail(reader, place, "a name longer than %d bytes: '%.40s...'",
				    MAX_NAME, name);
	for (const char *at = name; *at != '\0'; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			return pe_read_fail(reader, place, "a control character in a name");
	if (name[0] == '\0')
		return pe_read_fail(reader, place, "an empty name");
	for (size_t i = 0; i < before->n; i++)
		if (strcmp(before->data[i].name, name) == 0)
			return pe_read_fail(reader, place, "there is a benchmark '%s' already",
					    name);
	return PE_OK;
}

/* The message about a command that 'perfevo init' left incomplete; NULL: it is complete. */
static const char *find_to_do(const struct pe_reader *reader, const struct pe_yaml *node,
			      const struct body *body)
{
	const char *text = body->benchmark.command.text, *at = text;
	const struct pe_yaml *command = pe_yaml_get(node, "command");
	struct pe_yaml_mark mark = command != NULL ? command->mark : node->mark;
	const char *what;

	while ((at = strstr(at, PE_TO_DO)) != NULL) {
		if ((at == text || at[-1] == ' ') && (at[3] == '\0' || at[3] == ' '))
			break;
		at++;
	}
	if (at == NULL)
		return NULL;
	what = at == text
		       ? "the command that should stay fast"
		       : pe_arena_printf(reader->arena,
					 "the arguments of '%.*s', or delete it if it needs none",
					 (int)strcspn(text, " "), text);
	return pe_arena_printf(reader->arena,
			       "%s:%zu:%zu: still to do: benchmark '%s': replace '" PE_TO_DO
			       "' with %s (runs of 20 ms to 2 s are best)",
			       reader->path, mark.line, mark.column, body->name, what);
}

/* Read one combination of one benchmark. */
static int read_combination(struct body *body, struct pe_reader *reader, const struct pe_yaml *node)
{
	const char *where = pe_arena_printf(reader->arena, "benchmark '%s'", body->name);

	if (node->kind == PE_YAML_MAP)
		PE_TRY(pe_read_map(reader, node, PE_KEYS(body_keys), body, where));
	else
		PE_TRY(pe_read_named_command(reader, node, body->name, &body->benchmark.command));
	if (body->benchmark.command.argv == NULL)
		return pe_read_fail(reader, node, "%s has no command", where);
	if (reader->to_do == NULL)
		reader->to_do = find_to_do(reader, node, body);
	body->benchmark.customs = body->customs.at;
	body->benchmark.n_customs = body->customs.n;
	if (pe_yaml_get(node, "profile") != NULL) {
		struct pe_profile_plan *plan =
			pe_arena_new(reader->arena, struct pe_profile_plan, 1);

		*plan = body->profile;
		body->benchmark.profile = plan;
	}
	return PE_OK;
}

static int read_benchmark(benchmark_vec *out, struct pe_reader *reader, const struct named *named,
			  const struct pe_benchmark *model)
{
	const struct pe_yaml *matrix = pe_yaml_get(named->body, "parameters");
	struct pe_parameters parameters = {0};

	reader->key = "parameters";
	if (matrix != NULL)
		PE_TRY(pe_parameters_read(reader, matrix, &parameters));
	reader->key = NULL;
	for (size_t i = 0; i < pe_parameters_count(&parameters); i++) {
		struct body body = {.benchmark = *model, .name = named->name};

		if (model->profile != NULL)
			body.profile = *model->profile;
		pe_parameters_pick(&parameters, i);
		reader->parameters = &parameters;
		PE_TRY(read_combination(&body, reader, named->body));
		reader->parameters = NULL;
		body.benchmark.name =
			pe_arena_printf(reader->arena, "%s%s", named->name,
					pe_parameters_suffix(&parameters, reader->arena));
		body.benchmark.parameters = pe_parameters_strings(&parameters, reader->arena);
		PE_TRY(check_name(reader, named->place, out, body.benchmark.name));
		if (i == 0)
			PE_TRY(check_customs(reader, named->place, out, &body.customs));
		if (out->n >= MAX_BENCHMARKS)
			return pe_read_fail(reader, named->place, "more than %d benchmarks",
					    MAX_BENCHMARKS);
		pe_vec_push(out, body.benchmark);
	}
	return pe_parameters_check_used(reader, &parameters);
}

int pe_benchmarks_read(struct pe_reader *reader, const struct pe_yaml *node, void *config)
{
	struct pe_config *out = config;
	struct pe_benchmark model = out->tests.model;
	pe_auto_free benchmark_vec benchmarks = {0};

	if (node->kind == PE_YAML_SCALAR)
		return pe_read_fail(reader, node,
				    "'benchmarks' must be a mapping of names to benchmarks, not %s",
				    pe_yaml_kind_name(node));
	model.is_test = false;
	for (size_t i = 0; i < node->n; i++) {
		struct named named;

		PE_TRY(find_named(&named, reader, node, i, "benchmark"));
		PE_TRY(read_benchmark(&benchmarks, reader, &named, &model));
	}
	out->n_benchmarks = benchmarks.n;
	out->benchmarks = pe_vec_copy(reader->arena, &benchmarks);
	return PE_OK;
}
