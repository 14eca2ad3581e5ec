/*
 * Arrays: what many of them need. A local PE_VEC that is declared `pe_auto_free` (arena.h) is released where its
 * block is left: its data is its first member.
 */
#pragma once

#include "core/base/vec.h"

#include <stdbool.h>

/** The elements of a PE_VEC in an arena, with a zeroed one behind them; never NULL. */
#define pe_vec_copy(arena, vec)                                                                    \
	((__typeof__((vec)->data))pe_array_copy((arena), (vec)->data, (vec)->n,                    \
						sizeof(*(vec)->data)))

/** A copy of n elements of size bytes in an arena, with a zeroed one behind them. */
void *pe_array_copy(struct pe_arena *arena, const void *array, size_t n, size_t size);

/** Whether one of n strings is equal to another. */
bool pe_has_string(const char *const *at, size_t n, const char *string);

/** strcmp() of two strings in an array of pointers, for qsort() and bsearch(). */
int pe_string_order(const void *left, const void *right);

/** Sort n strings, and drop those that another one is equal to. @return  how many are left, at the front */
size_t pe_strings_settle(const char **at, size_t n);
