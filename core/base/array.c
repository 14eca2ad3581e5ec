#include "core/base/array.h"

#include <string.h>

void *pe_array_copy(struct pe_arena *arena, const void *array, size_t n, size_t size)
{
	void *copy = pe_arena_alloc(arena, n + 1, size);

	return n > 0 ? memcpy(copy, array, n * size) : copy;
}

int pe_string_order(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}
