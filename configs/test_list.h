/*
 * Test list: the tests of one program that is linked with a test library, as the library lists them, and the words of a
 * command line that run exactly one of them.
 */
#ifndef PE_CONFIGS_TEST_LIST_H
#define PE_CONFIGS_TEST_LIST_H

#include "configs/config.h"

/** One test. Strings live in the arena. */
struct pe_test_item {
	const char *name; /**< gtest "Suite.Test", Boost "suite/inner/case", else the test case's */
	const char *suite; /**< doctest: its TEST_SUITE; else "" */
	const char
		*file; /**< where it is written, as the compiler named the file; NULL: not known */
	const char *reason; /**< why it does not run ("disabled"); NULL: it runs */
};

struct pe_test_list {
	const struct pe_test_item *items;
	size_t n;
	bool escapes_commas; /**< doctest: this version's filters know "\," */
	bool old_catch;      /**< Catch2 of version 2 */
};

/**
 * Read what a program printed when it was asked for its tests: gtest's JSON or plain list, doctest's XML, Boost's DOT,
 * Catch2's XML (version 3) or names with files (version 2).
 *
 * @param kind  one of the libraries
 * @return      PE_EINVALID: it is no such list
 */
int pe_test_list_read(struct pe_test_list *out, enum pe_tests_kind kind, const char *text,
		      size_t len, struct pe_arena *arena, struct pe_err *err);

/**
 * The words that make the program run one test and no other of its list: the library's own language is taken for what
 * it is (wildcards that cannot be escaped, letters of either case), and held against all other tests.
 *
 * @param out     in the arena
 * @param reason  why no expression names this test alone; NULL: there is one
 */
void pe_test_words(struct pe_strings *out, const char **reason, enum pe_tests_kind kind,
		   const struct pe_test_list *list, size_t i, struct pe_arena *arena);

#endif
