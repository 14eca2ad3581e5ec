/*
 * perfevo's own format, for programs that print their own values: a JSON object a line, among any other lines.
 *
 *	{"name": "parse", "parameters": {"size": 1024}, "metric": "wall", "unit": "us", "values": [12.5, 12.7]}
 *
 * docs/suites.md has its members. Lines of one name, parameters and metric add up.
 */
#include "suites/suite_internal.h"

#include <string.h>

/* ---- Members of a line ---- */

static const char *text_of(const struct pe_json_value *line, const char *key, const char *otherwise)
{
	const char *text = pe_suite_string(pe_json_member(line, key));

	return *text != '\0' ? text : otherwise;
}

/* Read an object of named parameters, or an array of positional ones. */
static void take_params(struct pe_suite_reader *reader, struct pe_suite_name *name,
			const struct pe_json_value *params)
{
	if (params->kind == PE_JSON_OBJECT)
		pe_suite_param_members(reader, name, params);
	for (size_t i = 0; i < pe_json_length(params); i++) {
		const char *value = pe_suite_scalar(pe_json_element(params, i), &reader->scratch);

		if (value != NULL && !pe_suite_param(reader, name, "", value))
			return;
	}
}

static struct pe_suite_definition value_of(const struct pe_json_value *line, const char *metric,
					   const char *unit)
{
	const struct pe_metric *known = pe_metric_find(metric);
	const struct pe_json_value *better = pe_json_member(line, "better");
	struct pe_suite_definition about = {metric, unit, PE_LOWER_IS_BETTER, PE_METRIC_NOISY};

	if (known != NULL) {
		about.better = known->better;
		about.kind = known->kind;
	}
	if (pe_json_equals(better, "higher") ||
	    (!pe_json_there(better) && (pe_suite_is_rate(unit) || pe_suite_is_rate(metric))))
		about.better = PE_HIGHER_IS_BETTER;
	if (pe_json_equals(better, "lower"))
		about.better = PE_LOWER_IS_BETTER;
	if (pe_json_true(pe_json_member(line, "deterministic")))
		about.kind = PE_METRIC_DETERMINISTIC;
	else if (pe_json_there(better))
		about.kind = PE_METRIC_NOISY;
	if (pe_json_equals(better, "none"))
		about.kind = PE_METRIC_CONTEXT;
	return about;
}

static void take_values(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			const struct pe_json_value *line)
{
	const char *metric = text_of(line, "metric", "wall");
	const struct pe_metric *known = pe_metric_find(metric);
	const char *unit = text_of(line, "unit", known != NULL ? known->unit : "1");
	double factor = pe_suite_base_unit(&unit);
	struct pe_suite_definition about = value_of(line, metric, unit);
	const struct pe_json_value *values = pe_json_member(line, "values"),
				   *value = pe_json_member(line, "value");

	pe_suite_iterations(draft, pe_json_number(pe_json_member(line, "iterations")));
	if (pe_json_there(value))
		pe_suite_value(reader, draft, &about, factor * pe_json_number(value));
	for (size_t i = 0; i < pe_json_length(values); i++)
		pe_suite_value(reader, draft, &about,
			       factor * pe_json_number(pe_json_element(values, i)));
}

static bool is_line(const struct pe_json_value *line)
{
	static const char *const says[] = {"value", "values", "error", "skipped"};

	if (*pe_suite_string(pe_json_member(line, "name")) == '\0')
		return false;
	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		if (pe_json_there(pe_json_member(line, says[i])))
			return true;
	return false;
}

static void take_line(struct pe_suite_reader *reader, const struct pe_json_value *line)
{
	struct pe_suite_name name = {.name = pe_suite_string(pe_json_member(line, "name"))};
	struct pe_suite_draft *draft;

	name.selector = text_of(line, "selector", name.name);
	take_params(reader, &name, pe_json_member(line, "parameters"));
	draft = pe_suite_draft(reader, &name, PE_SUITE_MERGE);
	if (draft == NULL)
		return;
	if (pe_json_there(pe_json_member(line, "error")))
		pe_suite_failed(reader, draft, PE_SUITE_FAILED,
				pe_suite_string(pe_json_member(line, "error")));
	else if (pe_json_there(pe_json_member(line, "skipped")))
		pe_suite_failed(reader, draft, PE_SUITE_SKIPPED,
				pe_suite_string(pe_json_member(line, "skipped")));
	else
		take_values(reader, draft, line);
}

/* ---- Lines of a file ---- */

/* Read a line. One that is no such object is other output; the last line may be a cut object. */
static void read_line(char *text, bool whole, void *payload)
{
	struct pe_suite_reader *reader = payload;
	const struct pe_json_value *line;

	if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3;
	text += strspn(text, " \t");
	if (*text != '{')
		return;
	line = pe_suite_tree(text, strlen(text), &reader->scratch);
	if (line != NULL && is_line(line)) {
		reader->found++;
		take_line(reader, line);
	} else if (line == NULL && !whole) {
		pe_suite_cut(reader, NULL);
	}
}

void pe_suite_read_lines(struct pe_suite_reader *reader)
{
	pe_suite_lines(reader, read_line, reader);
}
