/*
 * Sort: sorts arrays, and defines comparison functions for qsort() and bsearch() by the members that decide, the first one
 * first. Numbers ascend; texts are compared by strcmp().
 *
 *	PE_SORT_BY(by_place, struct place, path, line);
 *	pe_sort(places, n, by_place);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** qsort(3), which takes no null pointer, of an array that may be empty. */
#define pe_sort(array, n, order) pe_sort_array((array), (n), sizeof(*(array)), (order))

static inline void pe_sort_array(void *array, size_t n, size_t size,
				 int (*order)(const void *, const void *))
{
	if (n > 1)
		qsort(array, n, size, order);
}

static inline int pe_sort_signed(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static inline int pe_sort_unsigned(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static inline int pe_sort_double(double a, double b)
{
	return (a > b) - (a < b);
}

/* clang-format off */
/** Compare two numbers or two texts. */
#define PE_SORT(a, b)                                                                              \
	_Generic((a),                                                                              \
		char *: strcmp, const char *: strcmp,                                              \
		double: pe_sort_double,                                                            \
		bool: pe_sort_unsigned, unsigned char: pe_sort_unsigned,                           \
		unsigned short: pe_sort_unsigned, unsigned: pe_sort_unsigned,                      \
		unsigned long: pe_sort_unsigned, unsigned long long: pe_sort_unsigned,             \
		default: pe_sort_signed)((a), (b))

#define PE_SORT_STEP(key) order = order != 0 ? order : PE_SORT(x->key, y->key);
#define PE_SORT_1(a) PE_SORT_STEP(a)
#define PE_SORT_2(a, b) PE_SORT_STEP(a) PE_SORT_STEP(b)
#define PE_SORT_3(a, b, c) PE_SORT_2(a, b) PE_SORT_STEP(c)
#define PE_SORT_4(a, b, c, d) PE_SORT_3(a, b, c) PE_SORT_STEP(d)
#define PE_SORT_5(a, b, c, d, e) PE_SORT_4(a, b, c, d) PE_SORT_STEP(e)
#define PE_SORT_PICK(a, b, c, d, e, steps, ...) steps
#define PE_SORT_STEPS(...)                                                                         \
	PE_SORT_PICK(__VA_ARGS__, PE_SORT_5, PE_SORT_4, PE_SORT_3, PE_SORT_2, PE_SORT_1, 0)(__VA_ARGS__)

#define PE_SORT_FUNCTION(function, ...)                                                            \
	static int function(const void *left, const void *right)                                   \
	{                                                                                          \
		__VA_ARGS__                                                                        \
		return order;                                                                      \
	}                                                                                          \
	static int function(const void *left, const void *right)

/** Define a comparison of structs by up to five members. */
#define PE_SORT_BY(function, type, ...)                                                            \
	PE_SORT_FUNCTION(function, const type *x = left; const type *y = right; int order = 0;     \
			 PE_SORT_STEPS(__VA_ARGS__))

/** The same with the greatest first by the first member. */
#define PE_SORT_DOWN_BY(function, type, first, ...)                                                \
	PE_SORT_FUNCTION(function, const type *x = left; const type *y = right;                    \
			 int order = PE_SORT(y->first, x->first); PE_SORT_STEPS(__VA_ARGS__))

/** Define a comparison of pointers to structs. */
#define PE_SORT_POINTERS_BY(function, type, ...)                                                   \
	PE_SORT_FUNCTION(function, const type *x = *(const type *const *)left;                     \
			 const type *y = *(const type *const *)right; int order = 0;               \
			 PE_SORT_STEPS(__VA_ARGS__))

/** Define a comparison of numbers. */
#define PE_SORT_NUMBERS(function, type)                                                            \
	PE_SORT_FUNCTION(function,                                                                 \
			 int order = PE_SORT(*(const type *)left, *(const type *)right);)
/* clang-format on */
