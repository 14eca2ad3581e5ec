/* The formats: their names, their readers, and the recognition of those other than JSON. */
#include "suites/suite_internal.h"

#include <string.h>

static const struct {
	const char *name, *label;
	pe_suite_take_fn take;                        /* reads a document */
	const struct pe_suite_layout *layout;         /* or describes it */
	void (*read)(struct pe_suite_reader *reader); /* reads files without a document */
} formats[PE_SUITE_N_FORMATS] = {
	[PE_SUITE_AUTO] = {"auto", "a known library", .take = NULL},
	[PE_SUITE_LINES] = {"lines", "perfevo's own lines", .read = pe_suite_read_lines},
	[PE_SUITE_GOOGLE_BENCHMARK] = {"google-benchmark", "Google Benchmark",
				       .take = pe_suite_take_google_benchmark},
	[PE_SUITE_CATCH2] = {"catch2", "Catch2", .read = pe_suite_read_catch2},
	[PE_SUITE_NANOBENCH] = {"nanobench", "nanobench", .layout = &pe_suite_nanobench},
	[PE_SUITE_PYTEST_BENCHMARK] = {"pytest-benchmark", "pytest-benchmark",
				       .layout = &pe_suite_pytest_benchmark},
	[PE_SUITE_PYPERF] = {"pyperf", "pyperf", .take = pe_suite_take_pyperf},
	[PE_SUITE_GO] = {"go", "go test -bench", .read = pe_suite_read_go},
	[PE_SUITE_CRITERION_RS] = {"criterion-rs", "Criterion.rs",
				   .take = pe_suite_take_criterion_rs,
				   .read = pe_suite_read_libtest},
	[PE_SUITE_JMH] = {"jmh", "JMH", .layout = &pe_suite_jmh},
	[PE_SUITE_BENCHMARKDOTNET] = {"benchmarkdotnet", "BenchmarkDotNet",
				      .layout = &pe_suite_benchmarkdotnet},
	[PE_SUITE_HYPERFINE] = {"hyperfine", "hyperfine", .layout = &pe_suite_hyperfine},
	[PE_SUITE_BMF] = {"bmf", "Bencher Metric Format", .layout = &pe_suite_bmf},
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

/* Whether a text has a benchmark of a format near its beginning. */
static bool has_text(const char *bytes, size_t n, enum pe_suite_format format)
{
	enum { WINDOW_BYTES = 1 << 20 };
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_suite_output out = {.version = ""};
	struct pe_suite_reader reader = {.bytes = bytes,
					 .n = n < WINDOW_BYTES ? n : WINDOW_BYTES,
					 .arena = &arena,
					 .out = &out};

	formats[format].read(&reader);
	pe_suite_reader_release(&reader);
	return reader.found > 0;
}

/* Skip the mark of UTF-8, which PowerShell and .NET put before a text. */
static void skip_mark(const char **bytes, size_t *n)
{
	if (*n >= 3 && memcmp(*bytes, "\xef\xbb\xbf", 3) == 0) {
		*bytes += 3;
		*n -= 3;
	}
}

/* The format of a file by its content; PE_SUITE_AUTO: unknown. */
static enum pe_suite_format recognise(const char *bytes, size_t n)
{
	static const enum pe_suite_format texts[] = {PE_SUITE_GO, PE_SUITE_CRITERION_RS};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_suite_search search;
	enum pe_suite_format json;
	size_t xml;

	skip_mark(&bytes, &n);
	search = (struct pe_suite_search){.bytes = bytes, .n = n, .arena = &arena};
	xml = n > 0 ? pe_suite_find_catch2(bytes, n, 0) : SIZE_MAX;
	json = pe_suite_find_document(&search, PE_SUITE_AUTO);
	/* The first one is the output; the other may be quoted in it. */
	if (xml != SIZE_MAX && (json == PE_SUITE_AUTO || xml < search.at))
		return PE_SUITE_CATCH2;
	for (size_t i = 0; json == PE_SUITE_AUTO && i < sizeof(texts) / sizeof(*texts); i++)
		if (has_text(bytes, n, texts[i]))
			return texts[i];
	return json;
}

static void read_as(struct pe_suite_reader *reader, enum pe_suite_format format)
{
	if (formats[format].layout != NULL)
		pe_suite_read_layout(reader, format, formats[format].layout);
	else if (formats[format].take != NULL)
		pe_suite_documents(reader, format, formats[format].take);
	/* A program that can write documents may have printed text instead. */
	if (reader->found == 0 && formats[format].read != NULL)
		formats[format].read(reader);
}

int pe_suite_read(const char *bytes, size_t n, enum pe_suite_format format, struct pe_arena *arena,
		  struct pe_suite_output *out, struct pe_err *err)
{
	struct pe_suite_reader reader;

	skip_mark(&bytes, &n);
	reader = (struct pe_suite_reader){.bytes = bytes, .n = n, .arena = arena, .out = out};
	*out = (struct pe_suite_output){.version = "", .running = ""};
	if (format == PE_SUITE_AUTO)
		format = recognise(bytes, n);
	out->format = format;
	read_as(&reader, format);
	pe_suite_finish(&reader);
	pe_suite_reader_release(&reader);
	if (reader.found == 0 && n >= 2 &&
	    (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
		return pe_fail(err, PE_EINVALID,
			       "no output of %s: this is text in UTF-16: convert it to UTF-8",
			       formats[format].label);
	if (reader.found == 0)
		return pe_fail(
			err, PE_EINVALID,
			"no output of %s in %zu bytes: its document begins a line of its own (docs/suites.md)",
			formats[format].label, n);
	return PE_OK;
}
