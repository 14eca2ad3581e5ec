/* The formats: their names, their readers, and how those are told apart that are no JSON. */
#include "suites/suite_internal.h"

#include <string.h>

static const struct {
	const char *name, *label;
	void (*read)(struct pe_suite_reader *reader);
} formats[PE_SUITE_N_FORMATS] = {
	[PE_SUITE_AUTO] = {"auto", "a known library", NULL},
	[PE_SUITE_LINES] = {"lines", "perfevo's own lines", pe_suite_read_lines},
	[PE_SUITE_GOOGLE_BENCHMARK] = {"google-benchmark", "Google Benchmark",
				       pe_suite_read_google_benchmark},
	[PE_SUITE_CATCH2] = {"catch2", "Catch2", NULL},
	[PE_SUITE_NANOBENCH] = {"nanobench", "nanobench", NULL},
	[PE_SUITE_PYTEST_BENCHMARK] = {"pytest-benchmark", "pytest-benchmark", NULL},
	[PE_SUITE_PYPERF] = {"pyperf", "pyperf", NULL},
	[PE_SUITE_GO] = {"go", "go test -bench", NULL},
	[PE_SUITE_CRITERION_RS] = {"criterion-rs", "Criterion.rs", NULL},
	[PE_SUITE_JMH] = {"jmh", "JMH", NULL},
	[PE_SUITE_BENCHMARKDOTNET] = {"benchmarkdotnet", "BenchmarkDotNet", NULL},
	[PE_SUITE_HYPERFINE] = {"hyperfine", "hyperfine", NULL},
	[PE_SUITE_BMF] = {"bmf", "Bencher Metric Format", NULL},
};

const char *pe_suite_format_name(enum pe_suite_format format)
{
	return (unsigned)format < PE_SUITE_N_FORMATS ? formats[format].name : NULL;
}

enum pe_suite_format pe_suite_format_find(const char *name)
{
	for (unsigned i = 0; i < PE_SUITE_N_FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return (enum pe_suite_format)i;
	return PE_SUITE_N_FORMATS;
}

enum pe_suite_format pe_suite_recognise(const char *bytes, size_t n)
{
	struct pe_suite_search search = {.bytes = bytes, .n = n};

	return pe_suite_find_document(&search, PE_SUITE_AUTO);
}

int pe_suite_read(const char *bytes, size_t n, enum pe_suite_format format, struct pe_arena *arena,
		  struct pe_suite_output *out, struct pe_err *err)
{
	struct pe_suite_reader reader = {.bytes = bytes, .n = n, .arena = arena, .out = out};

	*out = (struct pe_suite_output){.library = "", .running = ""};
	if (format == PE_SUITE_AUTO)
		format = pe_suite_recognise(bytes, n);
	out->format = format;
	if ((unsigned)format < PE_SUITE_N_FORMATS && formats[format].read != NULL)
		formats[format].read(&reader);
	pe_suite_finish(&reader);
	pe_suite_reader_release(&reader);
	if (reader.found == 0)
		return pe_fail(
			err, PE_EINVALID,
			"no output of %s in %zu bytes: its document begins a line of its own",
			formats[format].label, n);
	return PE_OK;
}
