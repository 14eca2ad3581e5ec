/*
 * Test list: the tests of one program that is linked with a test library, from the library's own list, and the words of a
 * command line that run exactly one of them.
 */
#ifndef PE_CONFIGS_TEST_LIST_H
#define PE_CONFIGS_TEST_LIST_H

#include "configs/config.h"

/** One test. Strings are in the arena. */
struct pe_test_item {
	const char *name; /**< gtest "Suite.Test", Boost "suite/inner/case", else the test case's */
	const char *suite;  /**< doctest: its TEST_SUITE; else "" */
	const char *file;   /**< source file, with the compiler's name for it; NULL: unknown */
	const char *reason; /**< reason why it does not run ("disabled"); NULL: it runs */
};

struct pe_test_list {
	const struct pe_test_item *items;
	size_t n;
	bool escapes_commas; /**< doctest: this version's filters support "\," */
	bool old_catch;      /**< Catch2 of version 2 */
};

/**
 * Read a program's list of tests: gtest's JSON or plain list, doctest's XML, Boost's DOT,
 * Catch2's XML (version 3) or names with files (version 2).
 *
 * @param kind  one of the libraries
 * @return      PE_EINVALID: it is no such list
 */
int pe_test_list_read(struct pe_test_list *out, enum pe_tests_kind kind, const char *text,
		      size_t len, struct pe_arena *arena, struct pe_err *err);

/**
 * Make the words that make the program run one test and no other of its list, in the library's own language
 * with its limits (wildcards that cannot be escaped, letters of either case), checked against all other tests.
 *
 * @param out     in the arena
 * @param reason  why no expression matches this test alone; NULL: there is one
 */
void pe_test_words(struct pe_strings *out, const char **reason, enum pe_tests_kind kind,
		   const struct pe_test_list *list, size_t i, struct pe_arena *arena);

#endif
