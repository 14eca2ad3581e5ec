/*
 * Names: the list of a suite's program. They are passed to the reader of its results, as results without values, so that
 * a name and its later result have the same id.
 */
#include "suites/library.h"

#include "core/json/writer.h"

#include <string.h>

static void add_name(struct pe_json *json, const char *name)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", name);
	pe_json_put(json, "run_name", name);
	pe_json_put(json, "run_type", "iteration");
	pe_json_put(json, "iterations", 1);
	pe_json_put(json, "real_time", 1);
	pe_json_put(json, "time_unit", "ns");
	pe_json_end(json);
}

/* Whether a line is a result, as JSON or below the rules of a table: the program ignored the option and measured. */
static bool is_result(const char *line)
{
	return line[0] == '{' || line[0] == '[' || strncmp(line, "-----", 5) == 0;
}

int pe_suite_names_read(const char *bytes, size_t n, enum pe_suite_format format,
			struct pe_arena *arena, struct pe_suite_output *out, struct pe_err *err)
{
	pe_auto_text document = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&document);
	char *copy = pe_arena_strndup(arena, bytes, n), *rest = NULL;

	if (format != PE_SUITE_GOOGLE_BENCHMARK)
		return pe_fail(err, PE_EUNSUPPORTED, "%s: a list of names is not read",
			       pe_suite_format_name(format));
	pe_json_begin_object(&json, NULL);
	pe_json_begin_array(&json, "benchmarks");
	for (char *line = strtok_r(copy, "\r\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		if (is_result(line))
			return pe_fail(err, PE_EUNSUPPORTED, "results in place of a list of names");
		add_name(&json, line);
	}
	pe_json_end(&json);
	pe_json_end(&json);
	return pe_suite_read(pe_text_str(&document), document.len, format, arena, out, err);
}
