/*
 * Library: what the command line of a suite's program understands, by the library that it is linked with: where its
 * results go, which benchmarks run, how often. A table says it; what a library does not have is NULL there.
 */
#ifndef PE_SUITES_LIBRARY_H
#define PE_SUITES_LIBRARY_H

#include "core/model/benchmark.h"
#include "suites/suite.h"

/**
 * Words of a command line, NULL-terminated, in which a value stands for {}, milliseconds for {ms}: {"--benchmark_out={}",
 * "--benchmark_out_format=json"}. NULL: the library has no such option.
 */
typedef const char *const *pe_suite_words;

struct pe_suite_library {
	enum pe_suite_format format;
	const char *label; /**< "Google Benchmark" */
	pe_suite_words
		file; /**< write results into a file, {}; what is measured keeps its standard output */
	pe_suite_words
		output; /**< write results to standard output; no words: it does so by itself */
	pe_suite_words list; /**< print the names and stop: those that results have */
	pe_suite_words
		filter; /**< run what pe_suite_filter() names, {}; repeated for each where `each` is set */
	bool each;
	pe_suite_words
		repetitions; /**< so many values a benchmark, {}; Catch2: samples of its one mean */
	pe_suite_words iterations; /**< exactly so many iterations a value, {} */
	/** what the program prints when it is asked for its options has this where it knows `iterations`; NULL: all do */
	const char *iterations_sign;
	pe_suite_words help; /**< print the options and stop; NULL: there is nothing to ask for */
	pe_suite_words
		one_iteration; /**< exactly one iteration a value, for versions that lack `iterations` */
	pe_suite_words
		signs; /**< the file of a program that is linked with it has one of these; NULL: nothing tells */
	pe_suite_words
		commands; /**< one of these in a command says that it runs such benchmarks; NULL: none does */
	const char *also; /**< and this, too; NULL: nothing */
};

/** The library of a format; NULL for those without a command line (nanobench: the program itself writes its file). */
const struct pe_suite_library *pe_suite_library_find(enum pe_suite_format format);

/** The format that a command's text tells: a toolchain's program, whose benchmarks are no files yet. PE_SUITE_AUTO: none. */
enum pe_suite_format pe_suite_format_of_command(const char *text);

/** The format that a program's file tells, by what is linked into it, statically or not. PE_SUITE_AUTO: none. */
enum pe_suite_format pe_suite_format_of_program(const void *bytes, size_t n);

/** The words that ask for so many values a benchmark, as a list of the config has them; NULL: there are none. */
const char *pe_suite_repetitions(enum pe_suite_format format, unsigned n, struct pe_arena *arena);

/** What one start of the program is to do. Zeroes: as the program does by itself. */
struct pe_suite_request {
	const char *file;             /**< where results go; NULL: standard output */
	const char *const *selectors; /**< run these alone; NULL: all */
	size_t n_selectors;
	unsigned repetitions; /**< 0: not said */
	uint64_t iterations;  /**< 0: not said */
	const char *
		help; /**< what the program printed when it was asked for its options; NULL: not asked */
	const struct pe_strings *
		filter; /**< words that name one benchmark, {}, in place of the library's own; NULL: those */
};

/**
 * The words that a program's command gets at its end.
 *
 * @param format  without a library, `filter` is all that can be asked for
 * @param out  in the arena
 * @return     PE_EUNSUPPORTED: the library has no option for it; the sentence names it
 */
int pe_suite_words_for(struct pe_strings *out, enum pe_suite_format format,
		       const struct pe_suite_request *request, struct pe_arena *arena,
		       struct pe_err *err);

/**
 * The expression that selects exactly these benchmarks in the library's own language, quoted for it and not for a shell.
 *
 * @return  NULL: the language cannot name them
 */
const char *pe_suite_filter(enum pe_suite_format format, const char *const *selectors, size_t n,
			    struct pe_arena *arena);

/**
 * Read what a program prints when it lists its benchmarks (pe_suite_library.list).
 *
 * @param out  entries with id and selector, in the order of the list; their values mean nothing
 * @return     PE_EUNSUPPORTED: its names are not all that its results are named by; PE_EINVALID
 */
int pe_suite_names_read(const char *bytes, size_t n, enum pe_suite_format format,
			struct pe_arena *arena, struct pe_suite_output *out, struct pe_err *err);

#endif
