/*
 * BenchmarkDotNet: the full JSON exporter (JsonExporter.Full, *-report-full.json). Measurements have every iteration with
 * its stage: stage Result is the workload without its overhead, one record a value; without it, Actual is read.
 * LaunchIndex is the process. Without measurements, the median of the statistics is read.
 */
#include "suites/suite_internal.h"

#include <string.h>

static const struct pe_suite_definition allocated = {"allocated-bytes", "bytes", PE_LOWER_IS_BETTER,
						     PE_METRIC_DETERMINISTIC};

/* Read "N=100&Mode=Fast". */
static void take_params(struct pe_suite_reader *reader, struct pe_suite_name *name,
			const char *text)
{
	char *rest = NULL, *equals;

	for (char *at = strtok_r(pe_arena_strdup(&reader->scratch, text), "&", &rest); at != NULL;
	     at = strtok_r(NULL, "&", &rest)) {
		equals = strchr(at, '=');
		if (equals != NULL)
			*equals = '\0';
		if (!pe_suite_param(reader, name, equals != NULL ? at : "",
				    equals != NULL ? equals + 1 : at))
			return;
	}
}

static void take_name(struct pe_suite_reader *reader, struct pe_suite_name *name,
		      const struct pe_json_value *benchmark)
{
	const char *space = pe_suite_string(pe_json_member(benchmark, "Namespace"));
	const char *type = pe_suite_string(pe_json_member(benchmark, "Type"));
	const char *method = pe_suite_string(pe_json_member(benchmark, "Method"));

	if (*method != '\0')
		name->name = pe_arena_printf(&reader->scratch, "%s%s%s.%s", space,
					     *space != '\0' ? "." : "", type, method);
	take_params(reader, name, pe_suite_string(pe_json_member(benchmark, "Parameters")));
}

static bool is_stage(const struct pe_json_value *measurement, const char *stage)
{
	return pe_json_equals(pe_json_member(measurement, "IterationMode"), "Workload") &&
	       pe_json_equals(pe_json_member(measurement, "IterationStage"), stage);
}

/* Read the values of one stage; returns the number of their launches, 0: there are no values. */
static unsigned take_stage(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			   const struct pe_json_value *measurements, const char *stage)
{
	unsigned first = reader->process, most = 0;

	for (size_t i = 0; i < pe_json_length(measurements); i++) {
		const struct pe_json_value *measurement = pe_json_element(measurements, i);
		double operations = pe_json_number(pe_json_member(measurement, "Operations"));
		int64_t launch = pe_json_whole(pe_json_member(measurement, "LaunchIndex"), 1);

		if (!is_stage(measurement, stage))
			continue;
		if (launch < 1 || launch > 1 << 20)
			launch = 1;
		if ((unsigned)launch > most)
			most = (unsigned)launch;
		reader->process = first + (unsigned)launch - 1;
		pe_suite_value(reader, draft, &pe_suite_wall,
			       pe_json_number(pe_json_member(measurement, "Nanoseconds")) /
				       operations);
		pe_suite_iterations(draft, operations);
	}
	reader->process = first;
	return most;
}

static void take_benchmark(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			   const struct pe_json_value *benchmark)
{
	const struct pe_json_value *measurements = pe_json_member(benchmark, "Measurements");
	unsigned launches = take_stage(reader, draft, measurements, "Result");

	if (launches == 0)
		launches = take_stage(reader, draft, measurements, "Actual");
	reader->process += launches;
}

static void take_host(struct pe_suite_reader *reader, const struct pe_json_value *root)
{
	const struct pe_json_value *host = pe_json_member(root, "HostEnvironmentInfo");

	if (pe_json_equals(pe_json_member(host, "Configuration"), "DEBUG"))
		pe_suite_note(reader, PE_SUITE_NOTE_DEBUG_LIBRARY,
			      "BenchmarkDotNet says that the benchmarks were built in Debug");
	if (pe_json_true(pe_json_member(host, "HasAttachedDebugger")))
		pe_suite_note(reader, PE_SUITE_NOTE_MACHINE,
			      "BenchmarkDotNet says that a debugger is attached");
}

const struct pe_suite_layout pe_suite_benchmarkdotnet = {
	.records = "Benchmarks",
	.name = "FullName",
	.complete = take_name,
	.take = take_benchmark,
	.values = {{"Statistics.Median", &pe_suite_wall, 1, PE_SUITE_OPTIONAL | PE_SUITE_INSTEAD},
		   {"Memory.BytesAllocatedPerOperation", &allocated, 1, PE_SUITE_OPTIONAL}},
	.aggregates =
		"results without measurements: their medians are taken (JsonExporter.Full writes all)",
	.about = take_host,
	.version = "HostEnvironmentInfo.BenchmarkDotNetVersion",
};
