/*
 * Command-line options of the libraries. This table is the one place for the versions in which options appeared:
 *
 * Google Benchmark: "100x" for --benchmark_min_time since 1.8, which the text of --help shows; before, there is no option for
 * the number of iterations, but a time of 0 ends calibration with its first iteration. Catch2: iterations are always
 * calibrated. pyperf does not overwrite the file of -o. Criterion.rs writes below target/criterion in any case
 * (pe_suite_gather()); its options follow the "--" of cargo bench. BenchmarkDotNet writes into a folder of artifacts.
 *
 * Lists: only Google Benchmark lists the names of its results. go test -list has no sub-benchmarks, Catch2 lists test
 * cases, JMH no parameters: a list would cost a process and show less than one run.
 */
/* memmem(3) is GNU. */
#define _GNU_SOURCE
#include "suites/library.h"

#include "core/base/array.h"

#include <inttypes.h>
#include <string.h>

#define WORDS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}
#define NO_WORDS                                                                                   \
	(const char *const[])                                                                      \
	{                                                                                          \
		NULL                                                                               \
	}

static const struct pe_suite_library libraries[] = {
	{
		.format = PE_SUITE_GOOGLE_BENCHMARK,
		.label = "Google Benchmark",
		.file = WORDS("--benchmark_out={}", "--benchmark_out_format=json"),
		.output = WORDS("--benchmark_format=json"),
		.list = WORDS("--benchmark_list_tests=true"),
		.filter = WORDS("--benchmark_filter={}"),
		.repetitions = WORDS("--benchmark_repetitions={}"),
		.iterations = WORDS("--benchmark_min_time={}x"),
		.iterations_sign = "<integer>x",
		.help = WORDS("--help"),
		.one_iteration = WORDS("--benchmark_min_time=0"),
		.signs = WORDS("benchmark_list_tests", "libbenchmark.so"),
	},
	{
		.format = PE_SUITE_CATCH2,
		.label = "Catch2",
		.file = WORDS("-r", "xml", "-o", "{}"),
		.output = WORDS("-r", "xml"),
		.filter = WORDS("{}"),
		.repetitions = WORDS("--benchmark-samples", "{}"),
		.signs = WORDS("benchmark-samples", "libCatch2"),
	},
	{
		.format = PE_SUITE_PYTEST_BENCHMARK,
		.label = "pytest-benchmark",
		.file = WORDS("--benchmark-json={}"),
		.repetitions = WORDS("--benchmark-min-rounds={}"),
		.commands = WORDS("pytest"),
	},
	{
		.format = PE_SUITE_PYPERF,
		.label = "pyperf",
		.file = WORDS("-o", "{}"),
		.output = WORDS("--stdout"),
		.repetitions = WORDS("--values={}"),
		.iterations = WORDS("--loops={}"),
	},
	{
		.format = PE_SUITE_GO,
		.label = "go test",
		.output = NO_WORDS,
		/* With the prefix "test.", a compiled test program accepts them as well as 'go test'. */
		.filter = WORDS("-test.bench={}"),
		.repetitions = WORDS("-test.count={}"),
		.iterations = WORDS("-test.benchtime={}x"),
		.commands = WORDS("go test"),
		.also = "-bench",
	},
	{
		.format = PE_SUITE_CRITERION_RS,
		.label = "Criterion.rs",
		.output = NO_WORDS,
		.filter = WORDS("{}"),
		.repetitions = WORDS("--sample-size={}"),
		.commands = WORDS("cargo bench", "cargo criterion"),
	},
	{
		.format = PE_SUITE_JMH,
		.label = "JMH",
		.file = WORDS("-rf", "json", "-rff", "{}"),
		.filter = WORDS("{}"),
		.repetitions = WORDS("-i", "{}"),
	},
	{
		.format = PE_SUITE_BENCHMARKDOTNET,
		.label = "BenchmarkDotNet",
		.filter = WORDS("--filter", "{}"),
		.each = true,
		.repetitions = WORDS("--iterationCount", "{}"),
		.iterations = WORDS("--invocationCount", "{}", "--unrollFactor", "1"),
	},
	{
		.format = PE_SUITE_HYPERFINE,
		.label = "hyperfine",
		.file = WORDS("--export-json", "{}"),
		.output = WORDS("--style", "none", "--export-json", "/dev/stdout"),
		.repetitions = WORDS("--runs", "{}"),
	},
};

const struct pe_suite_library *pe_suite_library_find(enum pe_suite_format format)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (libraries[i].format == format)
			return &libraries[i];
	return NULL;
}

static bool has_word(const void *bytes, size_t n, pe_suite_words words)
{
	for (; words != NULL && *words != NULL; words++)
		if (memmem(bytes, n, *words, strlen(*words)) != NULL)
			return true;
	return false;
}

enum pe_suite_format pe_suite_format_of_command(const char *text)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (has_word(text, strlen(text), libraries[i].commands) &&
		    (libraries[i].also == NULL || strstr(text, libraries[i].also) != NULL))
			return libraries[i].format;
	return PE_SUITE_AUTO;
}

enum pe_suite_format pe_suite_format_of_program(const void *bytes, size_t n)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (has_word(bytes, n, libraries[i].signs))
			return libraries[i].format;
	return PE_SUITE_AUTO;
}

/* ---- Words for a request ---- */

struct line {
	PE_VEC(const char *) words;
	const struct pe_suite_library *of;
	struct pe_arena *arena;
	struct pe_err *err;
};

static const char *fill(const char *word, const char *value, struct pe_arena *arena)
{
	const char *at = strstr(word, "{}");

	return at != NULL
		       ? pe_arena_printf(arena, "%.*s%s%s", (int)(at - word), word, value, at + 2)
		       : word;
}

static int add(struct line *line, pe_suite_words words, const char *value, const char *what)
{
	if (words == NULL)
		return pe_fail(line->err, PE_EUNSUPPORTED, "%s has no option for %s",
			       line->of->label, what);
	for (; *words != NULL; words++)
		pe_vec_push(&line->words, fill(*words, value, line->arena));
	return PE_OK;
}

const char *pe_suite_repetitions(enum pe_suite_format format, unsigned n, struct pe_arena *arena)
{
	const struct pe_suite_library *library = pe_suite_library_find(format);
	const char *number = pe_arena_printf(arena, "%u", n), *all = NULL;

	for (size_t i = 0;
	     library != NULL && library->repetitions != NULL && library->repetitions[i] != NULL;
	     i++) {
		const char *word = fill(library->repetitions[i], number, arena);

		all = all != NULL ? pe_arena_printf(arena, "%s, %s", all, word) : word;
	}
	return all;
}

/* Add words of the config's filter, which selects one benchmark at a time. */
static int add_given(struct line *line, const struct pe_suite_request *request)
{
	if (request->n_selectors > 1)
		return pe_fail(line->err, PE_EUNSUPPORTED, "'filter' names one benchmark, not %zu",
			       request->n_selectors);
	for (size_t i = 0; i < request->filter->n; i++)
		pe_vec_push(&line->words,
			    fill(request->filter->at[i], request->selectors[0], line->arena));
	return PE_OK;
}

static int add_selectors(struct line *line, const struct pe_suite_request *request)
{
	const struct pe_suite_library *library = line->of;
	const char *expression;

	if (request->n_selectors == 0)
		return PE_OK;
	for (size_t i = 0; i < request->n_selectors; i++)
		if (request->selectors[i][0] == '\0')
			return pe_fail(line->err, PE_EUNSUPPORTED,
				       "nothing names this benchmark alone on the command line");
	if (request->filter != NULL)
		return add_given(line, request);
	for (size_t i = 0; library->each && i < request->n_selectors; i++)
		PE_TRY(add(line, library->filter, request->selectors[i], "one benchmark"));
	if (library->each)
		return PE_OK;
	expression = pe_suite_filter(library->format, request->selectors, request->n_selectors,
				     line->arena);
	if (library->filter != NULL && expression == NULL)
		return pe_fail(line->err, PE_EUNSUPPORTED,
			       "the filter of %s cannot name exactly these %zu benchmarks",
			       library->label, request->n_selectors);
	return add(line, library->filter, expression, "one benchmark");
}

static bool takes_iterations(const struct pe_suite_library *library, const char *help)
{
	return library->iterations != NULL &&
	       (library->iterations_sign == NULL ||
		(help != NULL && strstr(help, library->iterations_sign) != NULL));
}

static int add_iterations(struct line *line, const struct pe_suite_request *request)
{
	const struct pe_suite_library *library = line->of;

	if (takes_iterations(library, request->help))
		return add(line, library->iterations,
			   pe_arena_printf(line->arena, "%" PRIu64, request->iterations), "");
	if (request->iterations == 1 && library->one_iteration != NULL)
		return add(line, library->one_iteration, "", "");
	return pe_fail(line->err, PE_EUNSUPPORTED,
		       "%s has no option for a fixed number of iterations%s", library->label,
		       library->iterations != NULL ? " in this version" : "");
}

static int add_all(struct line *line, const struct pe_suite_request *request)
{
	PE_TRY(request->file != NULL
		       ? add(line, line->of->file, request->file, "a file of results")
		       : add(line, line->of->output, "", "results on standard output"));
	if (request->repetitions > 0)
		PE_TRY(add(line, line->of->repetitions,
			   pe_arena_printf(line->arena, "%u", request->repetitions),
			   "repetitions"));
	if (request->iterations > 0)
		PE_TRY(add_iterations(line, request));
	return add_selectors(line, request);
}

int pe_suite_words_for(struct pe_strings *out, enum pe_suite_format format,
		       const struct pe_suite_request *request, struct pe_arena *arena,
		       struct pe_err *err)
{
	pe_auto_free struct line line = {
		.of = pe_suite_library_find(format), .arena = arena, .err = err};

	*out = (struct pe_strings){0};
	if (line.of == NULL && (request->filter == NULL || request->iterations > 0))
		return pe_fail(err, PE_EUNSUPPORTED,
			       "programs that write %s have no options that perfevo knows",
			       pe_suite_format_name(format));
	PE_TRY(line.of != NULL ? add_all(&line, request) : add_selectors(&line, request));
	*out = (struct pe_strings){.at = pe_vec_copy(arena, &line.words), .n = line.words.n};
	return PE_OK;
}
