/*
 * BenchmarkDotNet: the full JSON exporter (JsonExporter.Full, *-report-full.json). Measurements have every iteration with
 * its stage: stage Result is the workload without its overhead, one record a value; without it, Actual is read.
 * LaunchIndex is the process. The brief exporter has Statistics.OriginalValues alone.
 */
#include "suites/suite_internal.h"

#include <math.h>
#include <string.h>

static const struct pe_suite_definition allocated = {"allocated-bytes", "bytes", PE_LOWER_IS_BETTER,
						     PE_METRIC_DETERMINISTIC};

/* Read "N=100&Mode=Fast", joined by an ampersand; before 0.11 by ", ". */
static void take_params(struct pe_suite_reader *reader, struct pe_suite_name *name,
			const char *text)
{
	char *at = pe_arena_strdup(&reader->scratch, text);
	const char *separator = strchr(text, '&') != NULL ? "&" : ", ";

	while (at != NULL && *at != '\0') {
		char *next = strstr(at, separator), *equals;

		if (next != NULL) {
			*next = '\0';
			next += strlen(separator);
		}
		equals = strchr(at, '=');
		if (equals != NULL)
			*equals = '\0';
		if (!pe_suite_param(reader, name, equals != NULL ? at : "",
				    equals != NULL ? equals + 1 : at))
			return;
		at = next;
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
	const struct pe_json_value *mode = pe_json_member(measurement, "IterationMode");

	/* Before 0.11, the mode was both mode and stage. */
	return (pe_json_equals(mode, "Workload") &&
		pe_json_equals(pe_json_member(measurement, "IterationStage"), stage)) ||
	       (strcmp(stage, "Result") == 0 && pe_json_equals(mode, "Result"));
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

static void take_statistics(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			    const struct pe_json_value *statistics)
{
	const struct pe_json_value *values = pe_json_member(statistics, "OriginalValues");

	for (size_t i = 0; i < pe_json_length(values); i++)
		pe_suite_value(reader, draft, &pe_suite_wall,
			       pe_json_number(pe_json_element(values, i)));
	if (pe_json_length(values) > 0 || statistics->kind != PE_JSON_OBJECT)
		return;
	pe_suite_note(
		reader, PE_SUITE_NOTE_AGGREGATES,
		"results without measurements: their medians are taken (JsonExporter.Full writes "
		"all)");
	pe_suite_value(reader, draft, &pe_suite_wall,
		       pe_json_number(pe_json_member(statistics, "Median")));
}

static void take_benchmark(struct pe_suite_reader *reader, struct pe_suite_draft *draft,
			   const struct pe_json_value *benchmark)
{
	const struct pe_json_value *measurements = pe_json_member(benchmark, "Measurements");
	const struct pe_json_value *bytes =
		pe_json_member(pe_json_member(benchmark, "Memory"), "BytesAllocatedPerOperation");
	unsigned launches = take_stage(reader, draft, measurements, "Result");

	if (launches == 0)
		launches = take_stage(reader, draft, measurements, "Actual");
	if (launches == 0)
		take_statistics(reader, draft, pe_json_member(benchmark, "Statistics"));
	if (bytes->kind == PE_JSON_NUMBER)
		pe_suite_value(reader, draft, &allocated, pe_json_number(bytes));
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
	.about = take_host,
	.version = "HostEnvironmentInfo.BenchmarkDotNetVersion",
};
