/*
 * Real programs: built here with the libraries that are installed, started with the words of suites/library.h, and read.
 * Where a library is missing, the test is skipped with a sentence.
 */
#include "suites/library.h"

#include "core/base/files.h"
#include "reading.h"

#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];
static struct pe_arena arena;

static void open_folder(void)
{
	strcpy(folder, "/tmp/pe-suites-XXXXXX");
	cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
	pe_files_remove(folder, NULL);
	pe_arena_release(&arena);
}

TestSuite(real, .init = open_folder, .fini = remove_folder, .timeout = 600);

/* Run a line of a shell in the folder, quietly. @return its exit status */
static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int shell(const char *format, ...)
{
	pe_auto_text line = PE_TEXT_INIT;
	va_list args;
	int status;

	pe_text_addf(&line, "cd %s && { ", folder);
	va_start(args, format);
	pe_text_addv(&line, format, args);
	va_end(args);
	pe_text_add(&line, "; } >>log 2>&1");
	status = system(pe_text_str(&line));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void need(int holds, const char *sentence)
{
	if (!holds)
		cr_skip_test("%s", sentence);
}

/* A source of data/ in the folder. */
static const char *source(const char *name)
{
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	const char *path = pe_arena_printf(&arena, "%s/%s", folder, name);

	data_file(&text, "suites/data", name);
	cr_assert_ok(pe_text_write_file(&text, path, &err), err.message);
	return path;
}

/* The words of a request, quoted for the shell. */
static const char *words_for(enum pe_suite_format format, struct pe_suite_request request)
{
	struct pe_err err = PE_ERR_INIT;
	pe_auto_text line = PE_TEXT_INIT;
	struct pe_strings words;
	const char *copy;

	cr_assert_ok(pe_suite_words_for(&words, format, &request, &arena, &err), err.message);
	for (size_t i = 0; i < words.n; i++) {
		pe_text_addc(&line, ' ');
		pe_text_add_quoted(&line, words.at[i]);
	}
	copy = pe_arena_strdup(&arena, pe_text_str(&line));
	return copy;
}

/* A file of the folder. */
static struct reading read_result(const char *name)
{
	struct pe_text text = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct reading reading;

	cr_assert_ok(pe_text_read_file(&text, pe_arena_printf(&arena, "%s/%s", folder, name), &err),
		     err.message);
	reading = reading_of(pe_text_str(&text), text.len, PE_SUITE_AUTO);
	reading.text = text;
	cr_assert(eq(int, reading.rc, 0), "%s\n%s", reading.err.message, pe_text_str(&text));
	return reading;
}

/* Ask for each benchmark alone: nothing but benchmarks of that selector runs. */
static void expect_each_alone(const char *program, const struct reading *all,
			      struct pe_suite_request request, const char *result)
{
	for (size_t i = 0; i < all->out.n_entries; i++) {
		const char *selector = all->out.entries[i].selector;

		/* One test case of Catch2 has several benchmarks. */
		if (i > 0 && strcmp(selector, all->out.entries[i - 1].selector) == 0)
			continue;
		request.selectors = &selector;
		request.n_selectors = 1;
		shell("%s %s%s%s", program, words_for(all->out.format, request),
		      request.file == NULL ? " >" : "", request.file == NULL ? result : "");
		{
			auto_reading one = read_result(result);

			cr_assert(gt(sz, one.out.n_entries, 0), "%s does not run", selector);
			for (size_t k = 0; k < one.out.n_entries; k++)
				cr_expect(TEXT(one.out.entries[k].selector, selector));
		}
		shell("rm -f %s", result);
	}
}

Test(real, google_benchmark)
{
	struct pe_suite_request request = {.file = "o.json", .repetitions = 3, .iterations = 1};

	need(shell("c++ -O1 %s -lbenchmark -lpthread -o suite", source("google_benchmark.cpp")) ==
		     0,
	     "Google Benchmark is not installed (Debian: libbenchmark-dev)");
	cr_assert(eq(int, shell("./suite %s", words_for(PE_SUITE_GOOGLE_BENCHMARK, request)), 0));
	{
		auto_reading all = read_result("o.json");
		const struct pe_suite_metric *wall = reading_metric(&all, "BM_Parse[64]", "wall");

		cr_expect_text("12 3", all.out.n_entries, wall->n_values);
		cr_expect(eq(dbl, reading_find(&all, "BM_Parse[64]")->iterations, 1));
		cr_expect(eq(int, reading_find(&all, "BM_Fails")->state, PE_SUITE_FAILED));
		request.repetitions = 0;
		expect_each_alone("./suite", &all, request, "o.json");
	}
	/* What a crash leaves of the file is what was written out before. */
	request.file = NULL;
	cr_expect(ne(int,
		     shell("SUITE_CRASHES=1 ./suite %s > o.json",
			   words_for(PE_SUITE_GOOGLE_BENCHMARK, request)),
		     0));
	{
		auto_reading cut = read_result("o.json");

		cr_expect(eq(int, cut.out.cut_short, 1));
	}
}

Test(real, catch2)
{
	struct pe_suite_request request = {.file = "o.xml", .repetitions = 3};

	need(shell("$(command -v clang++ || echo c++) -std=c++17 -O0 %s %s -o suite",
		   source("catch2.cpp"), PE_BINARY_DIR "/tests/suites/catch2_main.o") == 0,
	     "Catch2 2 is not installed (Debian: catch2)");
	shell("./suite --benchmark-no-analysis --benchmark-warmup-time 1 %s",
	      words_for(PE_SUITE_CATCH2, request));
	{
		auto_reading all = read_result("o.xml");

		cr_expect_text("6 0", all.out.n_entries, all.out.cut_short);
		expect_each_alone("./suite --benchmark-no-analysis --benchmark-warmup-time 1", &all,
				  request, "o.xml");
	}
	request.file = NULL;
	shell("SUITE_CRASHES=1 ./suite crashes %s > o.xml", words_for(PE_SUITE_CATCH2, request));
	{
		auto_reading cut = read_result("o.xml");

		cr_expect(eq(int, cut.out.cut_short, 1));
		cr_expect(TEXT(cut.out.running, "crashes"));
	}
}

Test(real, go)
{
	struct pe_suite_request request = {.repetitions = 2, .iterations = 50};

	need(shell("go version") == 0, "go is not installed (Debian: golang-go)");
	cr_assert(eq(int,
		     shell("cp %s suite_test.go && echo 'module example.org/suite' > go.mod",
			   source("suite_test.go.txt")),
		     0));
	shell("go test -run '^$' -bench . -benchmem %s > o.txt", words_for(PE_SUITE_GO, request));
	{
		auto_reading all = read_result("o.txt");
		const struct pe_suite_metric *wall =
			reading_metric(&all, "suite.BenchmarkSize[size=1024]", "wall");

		cr_assert_not_null(wall);
		cr_expect(eq(sz, wall->n_values, 2));
		cr_expect(eq(dbl, reading_find(&all, "suite.BenchmarkSum")->iterations, 50));
		request.repetitions = 1;
		expect_each_alone("go test -run '^$'", &all, request, "o.txt");
	}
}

Test(real, pytest_benchmark)
{
	struct pe_suite_request request = {.file = "o.json", .repetitions = 4};
	const char *python = "/usr/bin/python3 -m pytest -p no:cacheprovider";

	need(shell("/usr/bin/python3 -c 'import pytest, pytest_benchmark'") == 0,
	     "pytest-benchmark is not installed (Debian: python3-pytest-benchmark)");
	shell("cp %s test_suite.py && %s --benchmark-max-time=0.001 %s", source("pytest_suite.py"),
	      python, words_for(PE_SUITE_PYTEST_BENCHMARK, request));
	{
		auto_reading all = read_result("o.json");

		cr_expect(eq(int, all.out.format, PE_SUITE_PYTEST_BENCHMARK));
		cr_expect(eq(sz, all.out.n_entries, 5));
		cr_expect(ge(sz, all.out.entries[0].metrics[0].n_values, 3));
	}
}

Test(real, hyperfine)
{
	struct pe_suite_request request = {.file = "o.json", .repetitions = 3};

	need(shell("hyperfine --version") == 0, "hyperfine is not installed");
	shell("hyperfine -N -n 'named \"one\"' true %s", words_for(PE_SUITE_HYPERFINE, request));
	{
		auto_reading all = read_result("o.json");
		const struct pe_suite_metric *wall = reading_metric(&all, "named \"one\"", "wall");

		cr_assert_not_null(wall);
		cr_expect_text("3 3", wall->n_values, wall->n_processes);
	}
}
