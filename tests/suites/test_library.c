/* Libraries: the words for a request, and filters in each language. */
#include "suites/library.h"

#include "reading.h"

TestSuite(library, .timeout = 600);

/* Words behind each other; the sentence where there are none. */
static void expect_words(const char *expected, enum pe_suite_format format,
			 struct pe_suite_request request)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_strings words;

	if (pe_suite_words_for(&words, format, &request, &arena, &err) != PE_OK)
		pe_text_add(&text, err.message);
	for (size_t i = 0; i < words.n; i++)
		pe_text_addf(&text, "%s%s", i > 0 ? " " : "", words.at[i]);
	cr_expect(TEXT(pe_text_str(&text), expected));
}

Test(library, google_benchmark_knows_iterations_since_1_8)
{
	const char *old = "[--benchmark_min_time=<min_time>]",
		   *new = "[--benchmark_min_time=`<integer>x` OR `<float>s` ]";

	expect_words("--benchmark_out=o.json --benchmark_out_format=json "
		     "--benchmark_repetitions=5",
		     PE_SUITE_GOOGLE_BENCHMARK,
		     (struct pe_suite_request){.file = "o.json", .repetitions = 5});
	expect_words("--benchmark_format=json --benchmark_min_time=100x", PE_SUITE_GOOGLE_BENCHMARK,
		     (struct pe_suite_request){.iterations = 100, .help = new});
	expect_words("Google Benchmark has no option for a fixed number of iterations in this "
		     "version",
		     PE_SUITE_GOOGLE_BENCHMARK,
		     (struct pe_suite_request){.iterations = 100, .help = old});
	expect_words("--benchmark_format=json --benchmark_min_time=0", PE_SUITE_GOOGLE_BENCHMARK,
		     (struct pe_suite_request){.iterations = 1, .help = old});
}

Test(library, words_of_a_config_name_one_benchmark_in_place_of_its_own)
{
	const char *two[] = {"a b", "c"}, *given[] = {"-k", "{}"};
	const struct pe_strings filter = {given, 2};

	expect_words(
		"-k a b", PE_SUITE_LINES,
		(struct pe_suite_request){.selectors = two, .n_selectors = 1, .filter = &filter});
	expect_words(
		"'filter' names one benchmark, not 2", PE_SUITE_LINES,
		(struct pe_suite_request){.selectors = two, .n_selectors = 2, .filter = &filter});
	expect_words("--benchmark_format=json -k c", PE_SUITE_GOOGLE_BENCHMARK,
		     (struct pe_suite_request){
			     .selectors = two + 1, .n_selectors = 1, .filter = &filter});
	expect_words(
		"programs that write lines have no options that perfevo knows", PE_SUITE_LINES,
		(struct pe_suite_request){
			.iterations = 100, .selectors = two, .n_selectors = 2, .filter = &filter});
}

Test(library, words_of_the_others)
{
	const char *one = "a.b";

	expect_words(
		"-r xml -o o.xml --benchmark-samples 20 a.b", PE_SUITE_CATCH2,
		(struct pe_suite_request){
			.file = "o.xml", .repetitions = 20, .selectors = &one, .n_selectors = 1});
	expect_words(
		"-test.count=3 -test.benchtime=100x -test.bench=^(a\\.b)$", PE_SUITE_GO,
		(struct pe_suite_request){
			.repetitions = 3, .iterations = 100, .selectors = &one, .n_selectors = 1});
	expect_words("-rf json -rff o ^(a\\.b)$", PE_SUITE_JMH,
		     (struct pe_suite_request){.file = "o", .selectors = &one, .n_selectors = 1});
	expect_words("go test has no option for a file of results", PE_SUITE_GO,
		     (struct pe_suite_request){.file = "o"});
	expect_words("pytest-benchmark has no option for one benchmark", PE_SUITE_PYTEST_BENCHMARK,
		     (struct pe_suite_request){.file = "o", .selectors = &one, .n_selectors = 1});
	expect_words("programs that write nanobench have no options that perfevo knows",
		     PE_SUITE_NANOBENCH, (struct pe_suite_request){.file = "o"});
}

static void expect_filter(const char *expected, enum pe_suite_format format, size_t n,
			  const char *const *names)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *found = pe_suite_filter(format, names, n, &arena);

	cr_expect(TEXT(found != NULL ? found : "NULL", expected));
}

#define NAMES(...)                                                                                 \
	sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[])         \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

Test(library, filters_name_exactly)
{
	expect_filter("^(BM_Copy<std::vector<int>, 4>/real_time|a\\.\\*\\(]\\{}\\[)$",
		      PE_SUITE_GOOGLE_BENCHMARK,
		      NAMES("BM_Copy<std::vector<int>, 4>/real_time", "a.*(]{}["));
	expect_filter("^BenchmarkSize$/^(n=16|n=1\\.5\\])$", PE_SUITE_GO,
		      NAMES("BenchmarkSize/n=16", "BenchmarkSize/n=1.5]"));
	expect_filter("^(BenchmarkA|BenchmarkB)$", PE_SUITE_GO, NAMES("BenchmarkA", "BenchmarkB"));
	expect_filter("NULL", PE_SUITE_GO, NAMES("BenchmarkA/x", "BenchmarkB/x"));
	expect_filter("NULL", PE_SUITE_GO, NAMES("BenchmarkA/x", "BenchmarkA/x/y"));
	expect_filter("NULL", PE_SUITE_GO, NAMES("BenchmarkA/x", "BenchmarkA"));
	expect_filter("Do A\\, then \\\"B\\\" \\[c]\\\\,\\~x", PE_SUITE_CATCH2,
		      NAMES("Do A, then \"B\" [c]\\", "~x"));
	expect_filter("NULL", PE_SUITE_CATCH2, NAMES("all*"));
	expect_filter("NULL", PE_SUITE_CATCH2, NAMES(" x"));
	expect_filter("NULL", PE_SUITE_BMF, NAMES("x"));
}

static void expect_program(enum pe_suite_format expected, const char *bytes)
{
	cr_expect(eq(int, (int)pe_suite_format_of_program(bytes, strlen(bytes)), (int)expected),
		  "%s", bytes);
}

/* A library is known by what is linked, a toolchain by its command. */
Test(library, is_known_by_its_program_and_command)
{
	expect_program(PE_SUITE_GOOGLE_BENCHMARK, "\x7f"
						  "ELF ... --benchmark_list_tests={true|false}");
	expect_program(PE_SUITE_CATCH2, "\x7f"
					"ELF ... libCatch2.so.3 ...");
	expect_program(PE_SUITE_AUTO, "#!/bin/sh\nexec ./all_benchmarks\n");
	cr_expect(eq(int, (int)pe_suite_format_of_command("cd src && go test -run=^$ -bench=."),
		     (int)PE_SUITE_GO));
	cr_expect(eq(int, (int)pe_suite_format_of_command("go test ./..."), (int)PE_SUITE_AUTO));
	cr_expect(eq(int, (int)pe_suite_format_of_command("cargo criterion"),
		     (int)PE_SUITE_CRITERION_RS));
	cr_expect(eq(int, (int)pe_suite_format_of_command("python3 -m pytest bench"),
		     (int)PE_SUITE_PYTEST_BENCHMARK));
	cr_expect(eq(int, (int)pe_suite_format_of_command("./bench"), (int)PE_SUITE_AUTO));
}

/* libtest's filter names parts of names: nothing is better than too much. */
Test(library, without_a_selector_there_is_no_filter)
{
	const char *const names[] = {"a", ""};

	expect_words("nothing names this benchmark alone on the command line",
		     PE_SUITE_CRITERION_RS,
		     (struct pe_suite_request){.selectors = names, .n_selectors = 2});
}

Test(library, repetitions_are_words_where_there_are_any)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *words = pe_suite_repetitions(PE_SUITE_GOOGLE_BENCHMARK, 7, &arena);

	cr_assert_not_null(words);
	cr_expect_has(words, "--benchmark_repetitions=7");
	cr_expect_null(pe_suite_repetitions(PE_SUITE_BMF, 7, &arena));
	cr_expect_null(pe_suite_repetitions(PE_SUITE_AUTO, 7, &arena));
}
