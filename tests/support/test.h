/*
 * Tests: functions that run in processes of their own, and what they assert. The words are Criterion's, whose headers take
 * longer to read than the tests and whose processes take longer to start.
 *
 *	TestSuite(SUITE, .init = set_up, .fini = tear_down, .timeout = SECONDS)
 *	Test(SUITE, FACT, .signal = SIGABRT) { ... }
 *	cr_expect(eq(int, status, 0), "%s", sentence)		the test goes on; cr_assert() ends it
 *
 * A condition is an expression, or a comparison eq ne lt le gt ge(KIND, A, B) that prints its values where it fails.
 */
#pragma once

/* Macros take no arguments where they could. */
#pragma GCC system_header
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct pe_test_params {
	const void *first;
	size_t size, n;
};

struct pe_test {
	const char *suite, *name; /* a suite has no name */
	void (*run)(void);
	void (*run_with)(const void *param);
	struct pe_test_params (*params)(void);
	void (*init)(void), (*fini)(void);
	int signal; /* that ends it */
	unsigned timeout;
	struct pe_test *next;
};

void pe_test_add(struct pe_test *test);
int pe_test_main(int argc, char **argv);
void pe_test_failed(const char *file, int line, const char *condition, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Ends the running test, which has failed. */
_Noreturn void pe_test_end(void);
_Noreturn void pe_test_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool pe_test_not(bool condition);
bool pe_test_any(size_t n, const bool *conditions);
bool pe_test_near(double a, double b, double distance);

#define PE_TEST_KINDS(kind)                                                                        \
	kind(int, int) kind(i32, int32_t) kind(long, long) kind(i64, int64_t) kind(chr, char)      \
		kind(uint, unsigned) kind(u32, uint32_t) kind(u64, uint64_t) kind(sz, size_t)      \
			kind(dbl, double) kind(ptr, const void *) kind(str, const char *)
#define PE_TEST_DECLARED(kind, type) bool pe_test_##kind(type a, const char *relation, type b);
PE_TEST_KINDS(PE_TEST_DECLARED)

#define eq(kind, a, b)                   pe_test_##kind(a, "==", b)
#define ne(kind, a, b)                   pe_test_##kind(a, "!=", b)
#define lt(kind, a, b)                   pe_test_##kind(a, "<", b)
#define le(kind, a, b)                   pe_test_##kind(a, "<=", b)
#define gt(kind, a, b)                   pe_test_##kind(a, ">", b)
#define ge(kind, a, b)                   pe_test_##kind(a, ">=", b)
#define epsilon_eq(kind, a, b, distance) pe_test_near(a, b, distance)
#define zero(kind, a)                    eq(kind, a, 0)
#define not(condition) pe_test_not(condition)
#define any(...) pe_test_any(sizeof((bool[]){__VA_ARGS__}), (bool[]){__VA_ARGS__})

#define cr_expect(condition, ...)                                                                  \
	do {                                                                                       \
		if (!(condition))                                                                  \
			pe_test_failed(__FILE__, __LINE__, #condition, " " __VA_ARGS__);           \
	} while (0)
#define cr_assert(condition, ...)                                                                  \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			pe_test_failed(__FILE__, __LINE__, #condition, " " __VA_ARGS__);           \
			pe_test_end();                                                             \
		}                                                                                  \
	} while (0)
#define cr_fail(...)      pe_test_failed(__FILE__, __LINE__, "never", " " __VA_ARGS__)
#define cr_skip_test(...) pe_test_skip(" " __VA_ARGS__)

#define cr_expect_eq(a, b, ...)    cr_expect((a) == (b), __VA_ARGS__)
#define cr_expect_neq(a, b, ...)   cr_expect((a) != (b), __VA_ARGS__)
#define cr_expect_lt(a, b, ...)    cr_expect((a) < (b), __VA_ARGS__)
#define cr_expect_leq(a, b, ...)   cr_expect((a) <= (b), __VA_ARGS__)
#define cr_expect_gt(a, b, ...)    cr_expect((a) > (b), __VA_ARGS__)
#define cr_expect_geq(a, b, ...)   cr_expect((a) >= (b), __VA_ARGS__)
#define cr_expect_not(a, ...)      cr_expect(!(a), __VA_ARGS__)
#define cr_expect_null(a, ...)     cr_expect((a) == NULL, __VA_ARGS__)
#define cr_expect_not_null(a, ...) cr_expect((a) != NULL, __VA_ARGS__)
#define cr_expect_float_eq(a, b, distance, ...)                                                    \
	cr_expect(epsilon_eq(dbl, a, b, distance), __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...)  cr_expect(eq(str, a, b), __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) cr_expect(ne(str, a, b), __VA_ARGS__)
#define cr_expect_str_empty(a, ...)  cr_expect(eq(str, a, ""), __VA_ARGS__)
#define cr_assert_eq(a, b, ...)      cr_assert((a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...)     cr_assert((a) != (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...)      cr_assert((a) < (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...)      cr_assert((a) > (b), __VA_ARGS__)
#define cr_assert_not(a, ...)        cr_assert(!(a), __VA_ARGS__)
#define cr_assert_not_null(a, ...)   cr_assert((a) != NULL, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...)  cr_assert(eq(str, a, b), __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) cr_assert(ne(str, a, b), __VA_ARGS__)

/* A call that returns 0, or else what it says; one that fails with a code and says a part; a text with a part, or without. */
#define cr_expect_ok(call, sentence) cr_expect(eq(int, call, 0), "%s", sentence)
#define cr_assert_ok(call, sentence) cr_assert(eq(int, call, 0), "%s", sentence)
#define cr_expect_fails(call, code, sentence, part)                                                \
	do {                                                                                       \
		cr_expect(eq(int, call, code));                                                    \
		cr_expect_has(sentence, part);                                                     \
	} while (0)
#define cr_expect_has(text, part)   cr_expect(strstr(text, part) != NULL, "%s in %s", part, text)
#define cr_expect_lacks(text, part) cr_expect(strstr(text, part) == NULL, "%s is in %s", part, text)
#define cr_assert_has(text, part)   cr_assert(strstr(text, part) != NULL, "%s in %s", part, text)

/* Up to 16 values of any type as text, with a space between, one after the other: a truth is 0 or 1, NULL is "-". */
#define cr_expect_text(expected, ...)                                                              \
	do {                                                                                       \
		PE_TEST_EACH(__VA_ARGS__, PE_TEST_16, PE_TEST_15, PE_TEST_14, PE_TEST_13,          \
			     PE_TEST_12, PE_TEST_11, PE_TEST_10, PE_TEST_9, PE_TEST_8, PE_TEST_7,  \
			     PE_TEST_6, PE_TEST_5, PE_TEST_4, PE_TEST_3, PE_TEST_2, PE_TEST_1)     \
		(__VA_ARGS__);                                                                     \
		if (!pe_test_said(expected))                                                       \
			pe_test_failed(__FILE__, __LINE__, #__VA_ARGS__, " ");                     \
	} while (0)
/* Add a value to the text, and compare it, which ends it. */
void pe_test_say_d(long long value);
void pe_test_say_u(unsigned long long value);
void pe_test_say_g(double value);
void pe_test_say_s(const char *value);
void pe_test_say_p(const void *value);
bool pe_test_said(const char *expected);
/* clang-format off */
#define PE_TEST_SAY(x) _Generic((x), char *: pe_test_say_s, const char *: pe_test_say_s, float: pe_test_say_g, \
	double: pe_test_say_g, bool: pe_test_say_d, char: pe_test_say_d, short: pe_test_say_d, int: pe_test_say_d, \
	long: pe_test_say_d, long long: pe_test_say_d, unsigned char: pe_test_say_u, unsigned short: pe_test_say_u, \
	unsigned: pe_test_say_u, unsigned long: pe_test_say_u, unsigned long long: pe_test_say_u, default: pe_test_say_p)(x)
#define PE_TEST_EACH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, each, ...) each
#define PE_TEST_1(x) PE_TEST_SAY(x)
#define PE_TEST_2(x, ...) PE_TEST_SAY(x); PE_TEST_1(__VA_ARGS__)
#define PE_TEST_3(x, ...) PE_TEST_SAY(x); PE_TEST_2(__VA_ARGS__)
#define PE_TEST_4(x, ...) PE_TEST_SAY(x); PE_TEST_3(__VA_ARGS__)
#define PE_TEST_5(x, ...) PE_TEST_SAY(x); PE_TEST_4(__VA_ARGS__)
#define PE_TEST_6(x, ...) PE_TEST_SAY(x); PE_TEST_5(__VA_ARGS__)
#define PE_TEST_7(x, ...) PE_TEST_SAY(x); PE_TEST_6(__VA_ARGS__)
#define PE_TEST_8(x, ...) PE_TEST_SAY(x); PE_TEST_7(__VA_ARGS__)
#define PE_TEST_9(x, ...) PE_TEST_SAY(x); PE_TEST_8(__VA_ARGS__)
#define PE_TEST_10(x, ...) PE_TEST_SAY(x); PE_TEST_9(__VA_ARGS__)
#define PE_TEST_11(x, ...) PE_TEST_SAY(x); PE_TEST_10(__VA_ARGS__)
#define PE_TEST_12(x, ...) PE_TEST_SAY(x); PE_TEST_11(__VA_ARGS__)
#define PE_TEST_13(x, ...) PE_TEST_SAY(x); PE_TEST_12(__VA_ARGS__)
#define PE_TEST_14(x, ...) PE_TEST_SAY(x); PE_TEST_13(__VA_ARGS__)
#define PE_TEST_15(x, ...) PE_TEST_SAY(x); PE_TEST_14(__VA_ARGS__)
#define PE_TEST_16(x, ...) PE_TEST_SAY(x); PE_TEST_15(__VA_ARGS__)
/* clang-format on */

#define PE_TEST_ADD(id, ...)                                                                       \
	static struct pe_test id##_test = {__VA_ARGS__};                                           \
	static __attribute__((constructor)) void id##_add(void)                                    \
	{                                                                                          \
		pe_test_add(&id##_test);                                                           \
	}
#define TestSuite(suite_, ...)                                                                     \
	PE_TEST_ADD(suite_, .suite = #suite_, __VA_ARGS__)                                         \
	struct pe_test
/* A suite of tests that each begin and end with a statement. */
#define TestSuiteWith(suite_, init_, fini_, ...)                                                   \
	static void suite_##_init(void)                                                            \
	{                                                                                          \
		init_;                                                                             \
	}                                                                                          \
	static void suite_##_fini(void)                                                            \
	{                                                                                          \
		fini_;                                                                             \
	}                                                                                          \
	TestSuite(suite_, .init = suite_##_init, .fini = suite_##_fini, __VA_ARGS__)
#define Test(suite_, name_, ...)                                                                   \
	static void suite_##_##name_##_run(void);                                                  \
	PE_TEST_ADD(suite_##_##name_, .suite = #suite_, .name = #name_,                            \
		    .run = suite_##_##name_##_run, __VA_ARGS__)                                    \
	static void suite_##_##name_##_run(void)

/* A test that runs once for each element of an array, in a process each: param is a pointer to one. */
#define TestOver(param, array, suite_, name_, ...)                                                 \
	static void suite_##_##name_##_run(param);                                                 \
	static void suite_##_##name_##_run_with(const void *with)                                  \
	{                                                                                          \
		suite_##_##name_##_run((void *)with);                                              \
	}                                                                                          \
	static struct pe_test_params suite_##_##name_##_params(void)                               \
	{                                                                                          \
		return (struct pe_test_params){.first = array,                                     \
					       .size = sizeof(array[0]),                           \
					       .n = sizeof(array) / sizeof(array[0])};             \
	}                                                                                          \
	PE_TEST_ADD(suite_##_##name_, .suite = #suite_, .name = #name_,                            \
		    .run_with = suite_##_##name_##_run_with, .params = suite_##_##name_##_params,  \
		    __VA_ARGS__)                                                                   \
	static void suite_##_##name_##_run(param)
