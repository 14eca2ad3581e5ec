/*
 * hyperfine: --export-json (src/export/json.rs, src/benchmark/benchmark_result.rs). Each of its times is a process of its
 * own. User and system time are means, before 1.20 memory is missing. With -n the name stands in the place of the command.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <string.h>

static const struct pe_suite_definition max_rss = {"max-rss", "bytes", PE_LOWER_IS_BETTER,
						   PE_METRIC_NOISY};
static const struct pe_suite_definition user = {"user", "ns", PE_LOWER_IS_BETTER,
						PE_METRIC_CONTEXT};
static const struct pe_suite_definition sys = {"sys", "ns", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT};

/* One value a process; processes of the values of one result are the same. */
static void take_each(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		      const struct pe_suite_definition *about, const struct pe_json_value *values,
		      double factor)
{
	unsigned first = reader->process;

	for (size_t i = 0; i < pe_json_length(values); i++) {
		reader->process = first + (unsigned)i;
		pe_suite_value(reader, draft, about,
			       factor * pe_suite_number(pe_json_element(values, i)));
	}
	reader->process = first;
}

static void take_mean(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
		      const struct pe_suite_definition *about, const struct pe_json_value *value)
{
	if (value->kind == PE_JSON_NUMBER)
		pe_suite_value(reader, draft, about, 1e9 * pe_suite_number(value));
}

static void take_result(struct pe_suite_reader *reader, const struct pe_json_value *result,
			bool whole)
{
	const struct pe_json_value *times = pe_json_member(result, "times");
	struct pe_suite_name name = {.name = pe_suite_string(pe_json_member(result, "command"))};
	struct pe_suite_draft *draft;

	if (!whole) {
		pe_suite_cut(reader, name.name);
		return;
	}
	if (*name.name == '\0')
		return;
	pe_suite_param_members(reader, &name, pe_json_member(result, "parameters"));
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	if (draft == NULL)
		return;
	take_each(reader, draft, &pe_suite_wall, times, 1e9);
	if (pe_json_length(times) == 0) {
		pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES,
			      "results without times: their means are taken");
		take_mean(reader, draft, &pe_suite_wall, pe_json_member(result, "mean"));
	}
	take_each(reader, draft, &max_rss, pe_json_member(result, "memory_usage_byte"), 1);
	take_mean(reader, draft, &user, pe_json_member(result, "user"));
	take_mean(reader, draft, &sys, pe_json_member(result, "system"));
	pe_suite_iterations(draft, 1);
	reader->process += (unsigned)pe_json_length(times);
}

void pe_suite_read_hyperfine(struct pe_suite_reader *reader)
{
	static const struct pe_suite_part parts[] = {{"results", true, take_result}};

	pe_suite_documents(reader, PE_SUITE_HYPERFINE, parts, 1);
}
