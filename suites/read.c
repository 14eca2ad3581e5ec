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
	[PE_SUITE_CATCH2] = {"catch2", "Catch2", pe_suite_read_catch2},
	[PE_SUITE_NANOBENCH] = {"nanobench", "nanobench", pe_suite_read_nanobench},
	[PE_SUITE_PYTEST_BENCHMARK] = {"pytest-benchmark", "pytest-benchmark",
				       pe_suite_read_pytest_benchmark},
	[PE_SUITE_PYPERF] = {"pyperf", "pyperf", pe_suite_read_pyperf},
	[PE_SUITE_GO] = {"go", "go test -bench", pe_suite_read_go},
	[PE_SUITE_CRITERION_RS] = {"criterion-rs", "Criterion.rs", pe_suite_read_criterion_rs},
	[PE_SUITE_JMH] = {"jmh", "JMH", pe_suite_read_jmh},
	[PE_SUITE_BENCHMARKDOTNET] = {"benchmarkdotnet", "BenchmarkDotNet",
				      pe_suite_read_benchmarkdotnet},
	[PE_SUITE_HYPERFINE] = {"hyperfine", "hyperfine", pe_suite_read_hyperfine},
	[PE_SUITE_BMF] = {"bmf", "Bencher Metric Format", pe_suite_read_bmf},
	[PE_SUITE_BENCHMARK_JS] = {"benchmark-js", "benchmark.js", pe_suite_read_benchmark_js},
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
	size_t xml = n > 0 ? pe_suite_find_catch2(bytes, n, 0) : SIZE_MAX;
	enum pe_suite_format json = pe_suite_find_document(&search, PE_SUITE_AUTO);

	/* What comes first is the output; the other one may be quoted in it. */
	if (xml != SIZE_MAX && (json == PE_SUITE_AUTO || xml < search.at))
		return PE_SUITE_CATCH2;
	if (json == PE_SUITE_AUTO && pe_suite_is_go(bytes, n))
		return PE_SUITE_GO;
	if (json == PE_SUITE_AUTO && pe_suite_is_criterion_text(bytes, n))
		return PE_SUITE_CRITERION_RS;
	if (json == PE_SUITE_AUTO && pe_suite_is_nanobench_table(bytes, n))
		return PE_SUITE_NANOBENCH;
	if (json == PE_SUITE_AUTO && pe_suite_is_benchmark_js(bytes, n))
		return PE_SUITE_BENCHMARK_JS;
	return json;
}

int pe_suite_read(const char *bytes, size_t n, enum pe_suite_format format, struct pe_arena *arena,
		  struct pe_suite_output *out, struct pe_err *err)
{
	struct pe_suite_reader reader = {.bytes = bytes, .n = n, .arena = arena, .out = out};

	*out = (struct pe_suite_output){.version = "", .running = ""};
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
