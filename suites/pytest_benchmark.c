/*
 * pytest-benchmark: --benchmark-json of 3 to 5. stats.data has every round, in seconds an iteration; --benchmark-save (and
 * autosave) leave it out unless --benchmark-save-data is given. `params` has parameters by name, as they are or as their
 * repr(); `param` is the text in brackets of the test's id.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <string.h>

static bool all_scalar(struct pe_suite_reader *reader, const struct pe_json_value *params)
{
	if (params->kind != PE_JSON_OBJECT || params->n == 0)
		return false;
	for (size_t i = 0; i < params->n; i++)
		if (pe_suite_scalar(&params->items[i], &reader->scratch) == NULL)
			return false;
	return true;
}

/* The id without the brackets that hold its parameters. */
static void take_apart(struct pe_suite_reader *reader, struct pe_suite_name *name,
		       const struct pe_json_value *benchmark)
{
	const char *full = pe_suite_string(pe_json_member(benchmark, "fullname"));
	const char *param = pe_suite_string(pe_json_member(benchmark, "param"));
	size_t n, k = strlen(param);

	if (*full == '\0')
		full = pe_suite_string(pe_json_member(benchmark, "name"));
	name->name = name->selector = full;
	n = strlen(full);
	if (k > 0 && n > k + 2 && full[n - 1] == ']' && full[n - k - 2] == '[' &&
	    strncmp(full + n - k - 1, param, k) == 0)
		name->name = pe_arena_strndup(&reader->scratch, full, n - k - 2);
	if (all_scalar(reader, pe_json_member(benchmark, "params")))
		pe_suite_param_members(reader, name, pe_json_member(benchmark, "params"));
	else if (k > 0)
		pe_suite_param(reader, name, "", param);
}

static void take_extra(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		       const struct pe_json_value *extra)
{
	if (extra->kind != PE_JSON_OBJECT)
		return;
	for (size_t i = 0; i < extra->n; i++) {
		const struct pe_suite_definition about = {extra->items[i].key, "1",
							  PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT};

		if (extra->items[i].kind == PE_JSON_NUMBER)
			pe_suite_value(reader, draft, &about, pe_suite_number(&extra->items[i]));
	}
}

static void take_benchmark(struct pe_suite_reader *reader, const struct pe_json_value *benchmark,
			   bool whole)
{
	const struct pe_json_value *stats = pe_json_member(benchmark, "stats");
	const struct pe_json_value *data = pe_json_member(stats, "data");
	struct pe_suite_name name = {0};
	struct pe_suite_draft *draft;

	take_apart(reader, &name, benchmark);
	if (!whole) {
		pe_suite_cut(reader, name.selector);
		return;
	}
	if (*name.name == '\0')
		return;
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	if (draft == NULL)
		return;
	for (size_t i = 0; i < pe_json_length(data); i++)
		pe_suite_value(reader, draft, &pe_suite_wall,
			       1e9 * pe_suite_number(pe_json_element(data, i)));
	if (pe_json_length(data) == 0) {
		pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES,
			      "the file has no rounds, of which medians are taken: "
			      "--benchmark-save-data keeps them");
		pe_suite_value(reader, draft, &pe_suite_wall,
			       1e9 * pe_suite_number(pe_json_member(stats, "median")));
	}
	pe_suite_iterations(draft, pe_suite_number(pe_json_member(stats, "iterations")));
	take_extra(reader, draft, pe_json_member(benchmark, "extra_info"));
}

static void take_version(struct pe_suite_reader *reader, const struct pe_json_value *version,
			 bool whole)
{
	(void)whole;
	reader->out->version = pe_arena_strdup(reader->arena, pe_suite_string(version));
}

void pe_suite_read_pytest_benchmark(struct pe_suite_reader *reader)
{
	static const struct pe_suite_part parts[] = {
		{"benchmarks", true, take_benchmark},
		{"version", false, take_version},
	};

	pe_suite_documents(reader, PE_SUITE_PYTEST_BENCHMARK, parts, 2);
}
