/*
 * List: the tests or benchmarks that a program or a build names before any of them runs, read from what it prints when it
 * is asked: gtest, doctest, Boost.Test, Catch2, Meson, and names one a line.
 */
#ifndef PE_SUITES_LIST_H
#define PE_SUITES_LIST_H

#include "core/model/benchmark.h"

enum pe_suite_list_format {
	PE_SUITE_LIST_GTEST,   /**< --gtest_list_tests */
	PE_SUITE_LIST_DOCTEST, /**< -ltc; with -r=xml also file and line, and names as they are */
	PE_SUITE_LIST_BOOST,   /**< --list_content */
	PE_SUITE_LIST_CATCH2,  /**< --list-tests; with -r xml (Catch2 3) also file and line */
	PE_SUITE_LIST_MESON,   /**< meson introspect --tests, --benchmarks; intro-tests.json */
	PE_SUITE_LIST_NAMES,   /**< a name a line: --benchmark_list_tests, go test -list, ... */
	PE_SUITE_LIST_N_FORMATS
};

/** One test. Strings live in the arena; what a format does not say is NULL or 0. */
struct pe_suite_test {
	const char *name;     /**< for people and ids: "Suite.Case", "suite/case" */
	const char *selector; /**< as pe_suite_list_filter() takes it */
	bool disabled;        /**< it does not run unless it is named */
	const char *file;
	unsigned line;
	/* Meson alone: how it is started. */
	struct pe_strings command; /**< its words; empty: the program that was asked */
	const char *working_directory;
	struct pe_strings environment; /**< "K=V" */
	struct pe_strings groups;      /**< its suites */
	struct pe_strings depends;     /**< ids of targets */
	double timeout_s;              /**< 0: none */
};

/**
 * Read a list.
 *
 * @param out  an array in the arena, *n long, in the order of the list
 * @return     PE_EINVALID: it is no such list; the sentence says what was expected, and where
 */
int pe_suite_list_read(struct pe_suite_test **out, size_t *n, const char *bytes, size_t len,
		       enum pe_suite_list_format format, struct pe_arena *arena,
		       struct pe_err *err);

/** The words that make a program print its list; NULL for those that a tool prints (Meson) or that differ (names). */
const char *const *pe_suite_list_words(enum pe_suite_list_format format);

/**
 * The words that make a program run exactly one test of its list, NULL-terminated, in the arena, quoted for the
 * framework and not for a shell; NULL: its language cannot name it.
 */
const char *const *pe_suite_list_filter(enum pe_suite_list_format format, const char *selector,
					struct pe_arena *arena);

#endif
