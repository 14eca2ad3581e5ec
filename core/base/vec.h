/*
 * Vec: the growing array. PE_VEC(type) declares { data, n, capacity }; zero-initialise it, release it with
 * pe_vec_release(), or leave the data to whoever takes it over.
 */
#pragma once

#include "core/base/arena.h"

#include <assert.h>
#include <stdlib.h>

#define PE_VEC(type)                                                                               \
	struct {                                                                                   \
		type *data;                                                                        \
		size_t n, capacity;                                                                \
	}

/** Append a value; amortised constant time. */
#define pe_vec_push(vec, ...)                                                                      \
	do {                                                                                       \
		if ((vec)->n == (vec)->capacity) {                                                 \
			(vec)->capacity = (vec)->capacity != 0 ? 2 * (vec)->capacity : 8;          \
			(vec)->data =                                                              \
				pe_realloc((vec)->data, (vec)->capacity, sizeof(*(vec)->data));    \
		}                                                                                  \
		assert((vec)->data != NULL); /* where there is room, there is memory */            \
		(vec)->data[(vec)->n++] = (__VA_ARGS__);                                           \
	} while (0)

/** Free the data and empty the array. */
#define pe_vec_release(vec)                                                                        \
	do {                                                                                       \
		free((vec)->data);                                                                 \
		(vec)->data = NULL;                                                                \
		(vec)->n = (vec)->capacity = 0;                                                    \
	} while (0)
