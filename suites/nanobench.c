/*
 * nanobench: templates::json() of src/include/nanobench.h. A result has its measurements, one an epoch, each the mean of
 * its iterations in seconds; what the library prints is that divided by `batch`, and so is it here. Counters of the CPU
 * that it could not read are zero.
 *
 * The template puts names in as they are: a quote in one is no JSON, and what follows cannot be read.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *key;
	struct pe_suite_definition about;
} counters[] = {
	{"instructions", {"instructions", "1", PE_LOWER_IS_BETTER, PE_METRIC_NOISY}},
	{"cpucycles", {"cpu-cycles", "1", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT}},
	{"branchinstructions", {"branches", "1", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT}},
	{"branchmisses", {"branch-misses", "1", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT}},
};

static void take_measurement(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			     const struct pe_json_value *measurement, double batch)
{
	pe_suite_value(reader, draft, &pe_suite_wall,
		       pe_suite_number(pe_json_member(measurement, "elapsed")) * 1e9 / batch);
	pe_suite_iterations(draft, pe_suite_number(pe_json_member(measurement, "iterations")));
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		double value = pe_suite_number(pe_json_member(measurement, counters[i].key));

		if (value > 0)
			pe_suite_value(reader, draft, &counters[i].about, value / batch);
	}
}

static void take_result(struct pe_suite_reader *reader, const struct pe_json_value *result,
			bool whole)
{
	const char *title = pe_suite_string(pe_json_member(result, "title"));
	const struct pe_json_value *measurements = pe_json_member(result, "measurements");
	double batch = pe_suite_number(pe_json_member(result, "batch"));
	struct pe_suite_name name = {.name = pe_suite_string(pe_json_member(result, "name"))};
	struct pe_suite_draft *draft;

	/* The title is that of the table; "benchmark" when none was said. */
	if (*title != '\0' && strcmp(title, "benchmark") != 0)
		name.name = pe_arena_printf(&reader->scratch, "%s/%s", title, name.name);
	if (!whole) {
		pe_suite_cut(reader, name.name);
		return;
	}
	if (*pe_suite_string(pe_json_member(result, "name")) == '\0')
		return;
	draft = pe_suite_draft(reader, &name, PE_SUITE_EACH);
	if (draft == NULL)
		return;
	if (!(batch > 0))
		batch = 1;
	for (size_t i = 0; i < pe_json_length(measurements); i++)
		take_measurement(reader, draft, pe_json_element(measurements, i), batch);
	if (pe_json_length(measurements) > 0)
		return;
	pe_suite_note(reader, PE_SUITE_NOTE_AGGREGATES,
		      "results without measurements: their medians are taken (templates::json() "
		      "writes all)");
	pe_suite_value(reader, draft, &pe_suite_wall,
		       pe_suite_number(pe_json_member(result, "median(elapsed)")) * 1e9 / batch);
}

void pe_suite_read_nanobench(struct pe_suite_reader *reader)
{
	static const struct pe_suite_part parts[] = {{"results", true, take_result}};

	pe_suite_documents(reader, PE_SUITE_NANOBENCH, parts, 1);
	/* A program that writes its results so prints the table, too: it has nothing else. */
	if (reader->found == 0)
		pe_suite_read_nanobench_table(reader);
}
