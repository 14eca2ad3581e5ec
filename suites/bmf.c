/*
 * Bencher Metric Format: {"BENCHMARK": {"MEASURE": {"value": 1, "lower_value": 0.9, "upper_value": 1.1}}}. One value a
 * measure; the bounds are of an unknown kind, and left. Measures that Bencher itself has are known by their slugs.
 */
#include "suites/suite_internal.h"

#include <string.h>

static const struct {
	const char *slug;
	struct pe_suite_definition about;
	double factor;
} measures[] = {
	{"latency", {"wall", "ns", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"throughput", {"throughput", "1/s", PE_HIGHER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"instructions", {"instructions", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"estimated-cycles", {"estimated-cycles", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1},
	{"build-time", {"build-time", "ns", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}, 1e9},
	{"file-size", {"file-size", "bytes", PE_LOWER_IS_BETTER, PE_METRIC_DETERMINISTIC}, 1},
};

static void take_measure(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			 const struct pe_json_value *measure)
{
	struct pe_suite_definition about = {measure->key, "1", PE_LOWER_IS_BETTER,
					    PE_METRIC_CONTEXT};
	double factor = 1;

	for (size_t i = 0; i < sizeof(measures) / sizeof(*measures); i++)
		if (strcmp(measures[i].slug, measure->key) == 0) {
			about = measures[i].about;
			factor = measures[i].factor;
		}
	pe_suite_value(reader, draft, &about,
		       factor * pe_suite_number(pe_json_member(measure, "value")));
}

static void take_benchmark(struct pe_suite_reader *reader, const struct pe_json_value *benchmark,
			   bool whole)
{
	struct pe_suite_name name = {.name = benchmark->key};
	struct pe_suite_draft *draft;

	if (!whole) {
		pe_suite_cut(reader, name.name);
		return;
	}
	if (benchmark->kind != PE_JSON_OBJECT || benchmark->n == 0)
		return;
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	for (size_t i = 0; draft != NULL && i < benchmark->n; i++)
		take_measure(reader, draft, &benchmark->items[i]);
}

void pe_suite_read_bmf(struct pe_suite_reader *reader)
{
	static const struct pe_suite_part parts[] = {{"*", false, take_benchmark}};

	pe_suite_documents(reader, PE_SUITE_BMF, parts, 1);
}
