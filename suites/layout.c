/* Documents of JSON whose records have their values at fixed paths, listed in a table, with functions for special cases. */
#include "suites/suite_internal.h"

#include <string.h>

/* ---- Paths ---- */

typedef void (*value_fn)(const struct pe_json_value *value, const char *key, void *payload);

/* Call a function with each value at a path; with a missing value if a member is missing. */
static void each_at(const struct pe_json_value *value, const char *path, const char *key,
		    value_fn found, void *payload)
{
	char member[64];
	size_t n = strcspn(path, ".[");
	const char *rest = path + n;

	if (*path == '\0') {
		found(value, key, payload);
		return;
	}
	if (*path == '*') {
		for (size_t i = 0; value->kind == PE_JSON_OBJECT && i < value->n; i++)
			each_at(&value->items[i], rest + (*rest == '.'), value->items[i].key, found,
				payload);
		return;
	}
	memcpy(member, path, n);
	member[n] = '\0';
	value = pe_json_member(value, member);
	if (*rest != '[') {
		each_at(value, rest + (*rest == '.'), key, found, payload);
		return;
	}
	rest += strlen("[]");
	for (size_t i = 0; i < pe_json_length(value); i++)
		each_at(pe_json_element(value, i), rest + (*rest == '.'), key, found, payload);
}

/* The value at a path; a missing one for NULL. */
static const struct pe_json_value *at(const struct pe_json_value *record, const char *path)
{
	return path != NULL ? pe_json_at(record, path) : pe_json_element(record, SIZE_MAX);
}

/* ---- Values ---- */

/* The values of one path, while they are read. */
struct taking {
	struct pe_suite_reader *reader;
	struct pe_suite_draft *draft;
	const struct pe_suite_values *values;
	double divisor;
	unsigned first, n; /* number of its first process; processes so far */
};

void pe_suite_value_of(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		       const struct pe_suite_known *known, const char *key, const char *unit,
		       double value)
{
	const struct pe_suite_definition other = {
		key, unit, pe_suite_is_rate(unit) ? PE_HIGHER_IS_BETTER : PE_LOWER_IS_BETTER,
		PE_METRIC_CONTEXT};

	while (known != NULL && known->key != NULL && strcmp(known->key, key) != 0)
		known++;
	if (known != NULL && known->key != NULL)
		pe_suite_value(reader, draft, &known->about, known->factor * value);
	else
		pe_suite_value(reader, draft, &other, value);
}

static void take_value(const struct pe_json_value *value, const char *key, void *payload)
{
	struct taking *taking = payload;
	const struct pe_suite_values *values = taking->values;
	double number = values->factor * pe_json_number(value) / taking->divisor;

	if (((values->flags & PE_SUITE_OPTIONAL) != 0 && value->kind != PE_JSON_NUMBER) ||
	    ((values->flags & PE_SUITE_POSITIVE) != 0 && !(number > 0)))
		return;
	if ((values->flags & PE_SUITE_PROCESSES) != 0)
		taking->reader->process = taking->first + taking->n++;
	if (values->about != NULL)
		pe_suite_value(taking->reader, taking->draft, values->about, number);
	else
		pe_suite_value_of(taking->reader, taking->draft, taking->reader->layout->known, key,
				  "1", number);
}

static void take_iterations(const struct pe_json_value *value, const char *key, void *payload)
{
	(void)key;
	pe_suite_iterations(payload, pe_json_number(value));
}

static void take_values(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			const struct pe_json_value *record)
{
	const struct pe_suite_layout *layout = reader->layout;
	const double divisor = pe_json_number(at(record, layout->divisor));
	const unsigned first = reader->process;
	unsigned most = 0;

	for (const struct pe_suite_values *values = layout->values; values->path != NULL;
	     values++) {
		struct taking taking = {.reader = reader,
					.draft = draft,
					.values = values,
					.divisor = divisor > 0 ? divisor : 1,
					.first = first};

		if ((values->flags & PE_SUITE_INSTEAD) != 0) {
			if (pe_suite_has_values(draft))
				continue;
			pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES, "%s", layout->aggregates);
		}
		each_at(record, values->path, NULL, take_value, &taking);
		reader->process = first;
		most = taking.n > most ? taking.n : most;
	}
	reader->process = first + most;
	if (layout->iterations != NULL)
		each_at(record, layout->iterations, NULL, take_iterations, draft);
	if (layout->once)
		pe_suite_iterations(draft, 1);
}

/* ---- Records ---- */

/* Take the version of the root or of a record, whichever has it. */
static void take_version(struct pe_suite_reader *reader, const struct pe_json_value *value)
{
	const char *version = pe_suite_string(at(value, reader->layout->version));

	if (*version != '\0' && *reader->out->version == '\0')
		reader->out->version = pe_arena_strdup(reader->arena, version);
}

static void take_record(struct pe_suite_reader *reader, const struct pe_json_value *record)
{
	const struct pe_suite_layout *layout = reader->layout;
	struct pe_suite_name name = {.name = record->key};
	struct pe_suite_draft *draft;

	take_version(reader, record);
	if (layout->name != NULL)
		name.name = pe_suite_string(at(record, layout->name));
	pe_suite_param_members(reader, &name, at(record, layout->params));
	if (layout->complete != NULL)
		layout->complete(reader, &name, record);
	if (record->is_cut) {
		pe_suite_cut(reader, name.selector != NULL ? name.selector : name.name);
		return;
	}
	if (*name.name == '\0' || record->kind != PE_JSON_OBJECT || record->n == 0)
		return;
	draft = pe_suite_draft(reader, &name, layout->merges ? PE_SUITE_MERGE : PE_SUITE_EACH);
	if (draft == NULL)
		return;
	if (layout->take != NULL)
		layout->take(reader, draft, record);
	take_values(reader, draft, record);
}

static void take_document(struct pe_suite_reader *reader, const struct pe_json_value *root)
{
	const struct pe_suite_layout *layout = reader->layout;

	take_version(reader, root);
	if (layout->about != NULL)
		layout->about(reader, root);
	pe_suite_each(reader,
		      layout->records != NULL ? pe_json_member(root, layout->records) : root,
		      take_record);
}

void pe_suite_read_layout(struct pe_suite_reader *reader, enum pe_suite_format format,
			  const struct pe_suite_layout *layout)
{
	reader->layout = layout;
	pe_suite_documents(reader, format, take_document);
}

/* ---- hyperfine ---- */

static const struct pe_suite_definition max_rss = {"max-rss", "bytes", PE_LOWER_IS_BETTER,
						   PE_METRIC_NOISY};
static const struct pe_suite_definition user = {"user", "ns", PE_LOWER_IS_BETTER,
						PE_METRIC_CONTEXT};
static const struct pe_suite_definition sys = {"sys", "ns", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT};

/*
 * --export-json. Each of its times is of a process of its own; with -n the name replaces the command. User and system
 * time are means, and before 1.20 there is no memory.
 */
const struct pe_suite_layout pe_suite_hyperfine = {
	.records = "results",
	.name = "command",
	.params = "parameters",
	.once = true,
	.values = {{"times[]", &pe_suite_wall, 1e9, PE_SUITE_PROCESSES},
		   {"mean", &pe_suite_wall, 1e9, PE_SUITE_OPTIONAL | PE_SUITE_INSTEAD},
		   {"memory_usage_byte[]", &max_rss, 1, PE_SUITE_PROCESSES},
		   {"user", &user, 1e9, PE_SUITE_OPTIONAL},
		   {"system", &sys, 1e9, PE_SUITE_OPTIONAL}},
	.aggregates = "results without times: their means are taken",
};

/* ---- nanobench ---- */

static const struct pe_suite_definition instructions = {"instructions", "1", PE_LOWER_IS_BETTER,
							PE_METRIC_NOISY};
static const struct pe_suite_definition cycles = {"cpu-cycles", "1", PE_LOWER_IS_BETTER,
						  PE_METRIC_CONTEXT};
static const struct pe_suite_definition branches = {"branches", "1", PE_LOWER_IS_BETTER,
						    PE_METRIC_CONTEXT};
static const struct pe_suite_definition misses = {"branch-misses", "1", PE_LOWER_IS_BETTER,
						  PE_METRIC_CONTEXT};

/* Add the title, which is that of the table; the default is "benchmark". */
static void add_title(struct pe_suite_reader *reader, struct pe_suite_name *name,
		      const struct pe_json_value *record)
{
	const char *title = pe_suite_string(pe_json_member(record, "title"));

	if (*name->name != '\0' && *title != '\0' && strcmp(title, "benchmark") != 0)
		name->name = pe_arena_printf(&reader->scratch, "%s/%s", title, name->name);
}

/*
 * templates::json() of src/include/nanobench.h. A result has its measurements, one an epoch, each the mean of its iterations;
 * the library prints it divided by `batch`, as is done here. CPU counters that it could not read are zero.
 *
 * The template does not escape names: a quote in one makes invalid JSON, and the rest cannot be read.
 */
const struct pe_suite_layout pe_suite_nanobench = {
	.records = "results",
	.name = "name",
	.complete = add_title,
	.iterations = "measurements[].iterations",
	.divisor = "batch",
	.values = {{"measurements[].elapsed", &pe_suite_wall, 1e9, 0},
		   {"measurements[].instructions", &instructions, 1, PE_SUITE_POSITIVE},
		   {"measurements[].cpucycles", &cycles, 1, PE_SUITE_POSITIVE},
		   {"measurements[].branchinstructions", &branches, 1, PE_SUITE_POSITIVE},
		   {"measurements[].branchmisses", &misses, 1, PE_SUITE_POSITIVE},
		   {"median(elapsed)", &pe_suite_wall, 1e9, PE_SUITE_INSTEAD}},
	.aggregates =
		"results without measurements: their medians are taken (templates::json() writes all)",
};

/* ---- pytest-benchmark ---- */

static bool all_scalar(struct pe_suite_reader *reader, const struct pe_json_value *params)
{
	for (size_t i = 0; params->kind == PE_JSON_OBJECT && i < params->n; i++)
		if (pe_suite_scalar(&params->items[i], &reader->scratch) == NULL)
			return false;
	return params->kind == PE_JSON_OBJECT && params->n > 0;
}

/* Remove the brackets with the parameters from a test's id, and add these, by name if all of them are plain values. */
static void take_brackets(struct pe_suite_reader *reader, struct pe_suite_name *name,
			  const struct pe_json_value *record)
{
	const struct pe_json_value *params = pe_json_member(record, "params");
	const char *param = pe_suite_string(pe_json_member(record, "param")), *full = name->name;
	size_t n, k = strlen(param);

	if (*full == '\0')
		full = pe_suite_string(pe_json_member(record, "name"));
	name->name = name->selector = full;
	n = strlen(full);
	if (k > 0 && n > k + 2 && full[n - 1] == ']' && full[n - k - 2] == '[' &&
	    strncmp(full + n - k - 1, param, k) == 0)
		name->name = pe_arena_strndup(&reader->scratch, full, n - k - 2);
	if (all_scalar(reader, params))
		pe_suite_param_members(reader, name, params);
	else if (k > 0)
		pe_suite_param(reader, name, "", param);
}

/*
 * --benchmark-json of 3 to 5. stats.data has every round, in seconds an iteration; --benchmark-save (and autosave) omit it
 * unless --benchmark-save-data is given. `params` has parameters by name, as they are or as their repr(); `param` is the
 * text in brackets of the test's id.
 */
const struct pe_suite_layout pe_suite_pytest_benchmark = {
	.records = "benchmarks",
	.name = "fullname",
	.complete = take_brackets,
	.iterations = "stats.iterations",
	.values = {{"stats.data[]", &pe_suite_wall, 1e9, 0},
		   {"stats.median", &pe_suite_wall, 1e9, PE_SUITE_INSTEAD},
		   {"extra_info.*", NULL, 1, PE_SUITE_OPTIONAL}},
	.aggregates =
		"the file has no rounds, of which medians are taken: --benchmark-save-data keeps them",
	.version = "version",
};

/* ---- Bencher Metric Format ---- */

/* Bencher's own measures, by their slugs. */
static const struct pe_suite_known measures[] = {
	{"latency", {"wall", "ns", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"throughput", {"throughput", "1/s", PE_HIGHER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"instructions", {"instructions", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"estimated-cycles", {"estimated-cycles", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"build-time", {"build-time", "ns", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1e9},
	{"file-size", {"file-size", "bytes", PE_LOWER_IS_BETTER, PE_METRIC_DETERMINISTIC}, 1},
	{.key = NULL},
};

/*
 * {"BENCHMARK": {"MEASURE": {"value": 1, "lower_value": 0.9, "upper_value": 1.1}}}. One value a measure; the kind of
 * the bounds
 * is unknown, and they are ignored.
 */
const struct pe_suite_layout pe_suite_bmf = {
	.values = {{"*.value", NULL, 1, 0}},
	.known = measures,
};
