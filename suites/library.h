/*
 * Library: command-line options of a suite's program, by the library that it is linked with: destination of results,
 * selected benchmarks, repetitions. An option that a library does not have is NULL.
 */
#pragma once

#include "core/model/benchmark.h"
#include "suites/suite.h"

/**
 * Words of a command line, NULL-terminated, in which {} is replaced by a value: {"--benchmark_out={}",
 * "--benchmark_out_format=json"}. NULL: the library has no such option.
 */
typedef const char *const *pe_suite_words;

struct pe_suite_library {
	enum pe_suite_format format;
	const char *label; /**< "Google Benchmark" */
	pe_suite_words
		file; /**< write results into a file, {}; the program keeps its standard output */
	pe_suite_words output; /**< write results to standard output; no words: the default */
	pe_suite_words list;   /**< print the names of the results and stop */
	pe_suite_words
		filter; /**< run the benchmarks of pe_suite_filter(), {}; repeated for each where `each` is set */
	bool each;
	pe_suite_words
		repetitions; /**< number of values a benchmark, {}; Catch2: samples of its one mean */
	pe_suite_words iterations; /**< exact number of iterations a value, {} */
	/** a part of the text of `help` in versions that have `iterations`; NULL: all have */
	const char *iterations_sign;
	pe_suite_words help; /**< print the options and stop; NULL: not needed */
	pe_suite_words
		one_iteration; /**< exactly one iteration a value, for versions without `iterations` */
	pe_suite_words
		signs; /**< one of these is in the file of a program linked with it; NULL: no sign */
	pe_suite_words
		commands; /**< one of these in a command means that it runs such benchmarks; NULL: no sign */
	const char *also; /**< and this one, too; NULL: nothing */
};

/** The library of a format; NULL for those without a command line (nanobench: the program itself writes its file). */
const struct pe_suite_library *pe_suite_library_find(enum pe_suite_format format);

/** The format of a command by its text, for toolchains that build the benchmarks themselves. PE_SUITE_AUTO: unknown. */
enum pe_suite_format pe_suite_format_of_command(const char *text);

/** The format of a program by its file: the libraries linked into it, statically or not. PE_SUITE_AUTO: unknown. */
enum pe_suite_format pe_suite_format_of_program(const void *bytes, size_t n);

/** The words for a number of values a benchmark, as a list of the config; NULL: there are none. */
const char *pe_suite_repetitions(enum pe_suite_format format, unsigned n, struct pe_arena *arena);

/** Options of one start of the program. Zeroes: the program's defaults. */
struct pe_suite_request {
	const char *file;             /**< for results; NULL: standard output */
	const char *const *selectors; /**< run these alone; NULL: all */
	size_t n_selectors;
	unsigned repetitions; /**< 0: default */
	uint64_t iterations;  /**< 0: default */
	const char *
		help; /**< the text that the program printed for the words `help`; NULL: it was not run */
	const struct pe_strings *
		filter; /**< words that name one benchmark, {}, in place of the library's own; NULL: those */
};

/**
 * Make the words to append to a program's command.
 *
 * @param format  without a library, `filter` is the only possible option
 * @param out  in the arena
 * @return     PE_EUNSUPPORTED: the library has no option for it; the message names it
 */
int pe_suite_words_for(struct pe_strings *out, enum pe_suite_format format,
		       const struct pe_suite_request *request, struct pe_arena *arena,
		       struct pe_err *err);

/**
 * Make the expression that selects exactly these benchmarks in the library's own language, not quoted for a shell.
 *
 * @return  NULL: the language cannot name them
 */
const char *pe_suite_filter(enum pe_suite_format format, const char *const *selectors, size_t n,
			    struct pe_arena *arena);

/**
 * Read a program's list of benchmarks (pe_suite_library.list).
 *
 * @param out  entries with id and selector, in the order of the list; their values have no meaning
 * @return     PE_EUNSUPPORTED: the list lacks parts of the results' names; PE_EINVALID
 */
int pe_suite_names_read(const char *bytes, size_t n, enum pe_suite_format format,
			struct pe_arena *arena, struct pe_suite_output *out, struct pe_err *err);
