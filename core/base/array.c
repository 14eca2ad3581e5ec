#include "core/base/array.h"

#include "core/base/sort.h"

#include <string.h>

void *pe_array_copy(struct pe_arena *arena, const void *array, size_t n, size_t size)
{
	void *copy = pe_arena_alloc(arena, n + 1, size);

	return n > 0 ? memcpy(copy, array, n * size) : copy;
}

bool pe_has_string(const char *const *at, size_t n, const char *string)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(at[i], string) == 0)
			return true;
	return false;
}

int pe_string_order(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

size_t pe_strings_settle(const char **at, size_t n)
{
	size_t kept = 0;

	pe_sort(at, n, pe_string_order);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || strcmp(at[kept - 1], at[i]) != 0)
			at[kept++] = at[i];
	return kept;
}
