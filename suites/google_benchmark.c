/*
 * Google Benchmark: src/json_reporter.cc of 1.0 to 1.9. Every repetition is a record; those of one benchmark have one
 * run_name, and one family_index and per_family_instance_index, which differ between benchmarks of one name (since
 * 1.6). Aggregates are records, too, with run_type "aggregate" (since 1.5; before, a suffix of the name).
 *
 * The name is FUNCTION/ARGUMENTS/OPTIONS (src/benchmark_name.cc): arguments are parameters; options describe the
 * measurement, and are left out of the name: a longer min_time must not end a history.
 */
#include "suites/library.h"
#include "suites/suite_internal.h"

#include "core/base/array.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pe_json_value *member(const struct pe_json_value *record, const char *key)
{
	return pe_json_member(record, key);
}

/* ---- Names ---- */

static bool is_integer(const char *text)
{
	return pe_suite_is_digits(text + (*text == '-'));
}

static bool is_option(const char *part)
{
	static const char *const whole[] = {"real_time", "manual_time", "process_time"};
	static const char *const before[] = {
		"min_time:", "min_warmup_time:", "iterations:", "repeats:"};

	if (pe_has_string(whole, sizeof(whole) / sizeof(*whole), part))
		return true;
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (strncmp(part, before[i], strlen(before[i])) == 0 &&
		    isdigit((unsigned char)part[strlen(before[i])]))
			return true;
	return false;
}

/* Whether a part is a parameter, "1024" or "size:1024"; *name and *value point into it. */
static bool is_argument(char *part, const char **name, const char **value)
{
	char *colon = strrchr(part, ':');

	*name = "";
	*value = part;
	if (is_integer(part))
		return true;
	if (colon == NULL || colon == part || colon[-1] == ':' || !is_integer(colon + 1))
		return false;
	*colon = '\0';
	*name = part;
	*value = colon + 1;
	return true;
}

/* The last slash that separates parts of a name: not within the brackets of a template or call. */
static char *last_slash(char *name)
{
	int depth = 0;

	for (char *at = name + strlen(name); at-- > name;) {
		depth += (*at == '>' || *at == ')') - (*at == '<' || *at == '(');
		if (*at == '/' && depth <= 0)
			return at > name ? at : NULL;
	}
	return NULL;
}

/* Split off parameters and options, from the end. */
static void take_apart(struct pe_suite_reader *reader, struct pe_suite_name *name,
		       const char *run_name)
{
	char *rest = pe_arena_strdup(&reader->scratch, run_name), *slash;
	const char *key, *value;

	name->name = rest;
	name->selector = run_name;
	while (name->n_params < PE_SUITE_MAX_PARAMS && (slash = last_slash(rest)) != NULL) {
		if (!is_option(slash + 1) && (!is_argument(slash + 1, &key, &value) ||
					      !pe_suite_param(reader, name, key, value)))
			break;
		*slash = '\0';
	}
	for (size_t i = 0; i < name->n_params / 2; i++) {
		struct pe_suite_param kept = name->params[i];

		name->params[i] = name->params[name->n_params - 1 - i];
		name->params[name->n_params - 1 - i] = kept;
	}
}

/* ---- Values ---- */

/* Members of a record that are no counters. */
static const char *const known[] = {
	/* clang-format off */
	"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
	"repetition_index", "threads", "aggregate_name", "aggregate_unit", "error_occurred",
	"error_message", "skipped", "skip_message", "iterations", "real_time", "cpu_time",
	"time_unit", "label", "big_o", "rms", "cpu_coefficient", "real_coefficient",
	/* clang-format on */
};

static const struct pe_suite_known counters[] = {
	{"bytes_per_second",
	 {"bytes_per_second", "bytes/s", PE_HIGHER_IS_BETTER, PE_METRIC_NOISY},
	 1},
	{"items_per_second", {"items_per_second", "1/s", PE_HIGHER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"allocs_per_iter",
	 {"allocs_per_iter", "1", PE_LOWER_IS_BETTER, PE_METRIC_DETERMINISTIC},
	 1},
	{"max_bytes_used",
	 {"max_bytes_used", "bytes", PE_LOWER_IS_BETTER, PE_METRIC_DETERMINISTIC},
	 1},
	{.key = NULL},
};

/* Add the program's own counters as context: their better direction is unknown. */
static void take_counters(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			  const struct pe_json_value *record)
{
	for (size_t i = 0; i < record->n; i++) {
		const struct pe_json_value *value = &record->items[i];

		if ((value->kind == PE_JSON_NUMBER || value->kind == PE_JSON_STRING) &&
		    !pe_has_string(known, sizeof(known) / sizeof(*known), value->key))
			pe_suite_value_of(reader, draft, counters, value->key, "1",
					  pe_json_number(value));
	}
}

static void take_values(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			const struct pe_json_value *record)
{
	const char *unit = pe_suite_string(member(record, "time_unit"));
	double scale = *unit != '\0' ? pe_suite_time_unit(unit) : 1;

	/* NaN makes the value be refused: its unit is unknown. */
	if (scale == 0)
		scale = NAN;
	pe_suite_value(reader, draft, &pe_suite_wall,
		       scale * pe_json_number(member(record, "real_time")));
	pe_suite_value(reader, draft, &pe_suite_cpu,
		       scale * pe_json_number(member(record, "cpu_time")));
	pe_suite_iterations(draft, pe_json_number(member(record, "iterations")));
	take_counters(reader, draft, record);
}

/* The aggregate of a record, "" for a repetition. Before 1.5 it is a suffix of the name, and is cut off. */
static const char *aggregate_of(struct pe_suite_reader *reader, const struct pe_json_value *record,
				const char **run_name)
{
	static const char *const suffixes[] = {"mean", "median", "stddev", "cv", "BigO", "RMS"};
	const char *name = pe_suite_string(member(record, "name")), *suffix = strrchr(name, '_');

	*run_name = pe_suite_string(member(record, "run_name"));
	if (**run_name == '\0')
		*run_name = name;
	if (pe_json_there(member(record, "run_type")))
		return pe_json_equals(member(record, "run_type"), "aggregate")
			       ? pe_suite_string(member(record, "aggregate_name"))
			       : "";
	for (size_t i = 0; suffix != NULL && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strcmp(suffix + 1, suffixes[i]) == 0) {
			*run_name =
				pe_arena_strndup(&reader->scratch, name, (size_t)(suffix - name));
			return suffixes[i];
		}
	return "";
}

static bool take_state(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		       const struct pe_json_value *record)
{
	if (pe_json_true(member(record, "error_occurred")))
		pe_suite_failed(reader, draft, PE_SUITE_FAILED,
				pe_suite_string(member(record, "error_message")));
	else if (pe_json_true(member(record, "skipped")))
		pe_suite_failed(reader, draft, PE_SUITE_SKIPPED,
				pe_suite_string(member(record, "skip_message")));
	else
		return false;
	return true;
}

static void take_record(struct pe_suite_reader *reader, const struct pe_json_value *record)
{
	struct pe_suite_name name = {0};
	const char *run_name, *aggregate = aggregate_of(reader, record, &run_name);
	struct pe_suite_draft *draft;
	uint64_t family = (uint64_t)pe_json_whole(member(record, "family_index"), 0);
	uint64_t instance = (uint64_t)pe_json_whole(member(record, "per_family_instance_index"), 0);

	/*
	 * All records of a benchmark are written after it ended: the cut one is named only because the running one is
	 * unknown.
	 */
	if (record->is_cut) {
		pe_suite_cut(reader, run_name);
		return;
	}
	if (*run_name == '\0' || (*aggregate != '\0' && strcmp(aggregate, "median") != 0))
		return;
	take_apart(reader, &name, run_name);
	draft = pe_suite_draft(reader, &name, family << 32 ^ instance);
	if (draft == NULL || take_state(reader, draft, record))
		return;
	if (*aggregate != '\0' && pe_suite_has_values(draft))
		return;
	if (*aggregate != '\0')
		pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES,
			      "the file has aggregates alone, of which medians are taken: without "
			      "--benchmark_report_aggregates_only it has every repetition");
	take_values(reader, draft, record);
}

void pe_suite_take_google_benchmark(struct pe_suite_reader *reader,
				    const struct pe_json_value *root)
{
	const struct pe_json_value *context = member(root, "context");
	const char *version = pe_suite_string(member(context, "library_version"));

	if (*version != '\0')
		reader->out->version = pe_arena_strdup(reader->arena, version + (*version == 'v'));
	if (pe_json_equals(member(context, "library_build_type"), "debug"))
		pe_suite_note(
			reader, PE_SUITE_NOTE_DEBUG_LIBRARY,
			"Google Benchmark itself was built without NDEBUG: its own work is part of "
			"short iterations (build it with CMAKE_BUILD_TYPE=Release)");
	if (pe_json_true(member(context, "cpu_scaling_enabled")))
		pe_suite_note(reader, PE_SUITE_NOTE_MACHINE,
			      "Google Benchmark says that the frequency of the CPU scales");
	pe_suite_each(reader, member(root, "benchmarks"), take_record);
}

/* ---- The list of a program's benchmarks ---- */

/* Whether a line is a result, as JSON or below the rules of a table: the program ignored the option and measured. */
static bool is_result(const char *line)
{
	return line[0] == '{' || line[0] == '[' || strncmp(line, "-----", 5) == 0;
}

int pe_suite_names_read(const char *bytes, size_t n, enum pe_suite_format format,
			struct pe_arena *arena, struct pe_suite_output *out, struct pe_err *err)
{
	struct pe_suite_reader reader = {.bytes = bytes, .n = n, .arena = arena, .out = out};
	char *copy = pe_arena_strndup(arena, bytes, n), *rest = NULL, *line;

	*out = (struct pe_suite_output){.format = format, .version = "", .running = ""};
	if (format != PE_SUITE_GOOGLE_BENCHMARK)
		return pe_fail(err, PE_EUNSUPPORTED, "%s: a list of names is not read",
			       pe_suite_format_name(format));
	for (line = strtok_r(copy, "\r\n", &rest); line != NULL && !is_result(line);
	     line = strtok_r(NULL, "\r\n", &rest)) {
		struct pe_suite_name name = {0};
		struct pe_suite_draft *draft;

		take_apart(&reader, &name, line);
		draft = pe_suite_draft(&reader, &name, PE_SUITE_MERGE);
		if (draft != NULL)
			pe_suite_value(&reader, draft, &pe_suite_wall, 1);
	}
	pe_suite_finish(&reader);
	pe_suite_reader_release(&reader);
	if (line != NULL)
		return pe_fail(err, PE_EUNSUPPORTED, "results in place of a list of names");
	if (out->n_entries == 0)
		return pe_fail(err, PE_EINVALID, "a list without names");
	return PE_OK;
}
