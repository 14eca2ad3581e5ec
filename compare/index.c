/* Index: a hash table that is made for one level and forgotten with it. */
#include "compare/level.h"

#include <string.h>

void pe_level_index(struct level *level, size_t n)
{
	size_t size = 8;

	while (size < 2 * n)
		size *= 2;
	pe_level_room(&level->code, size);
	pe_level_room(&level->head, size);
	memset(level->head.data, 0, size * sizeof(*level->head.data));
}

uint32_t *pe_level_at(struct level *level, uint64_t code)
{
	size_t mask = level->head.n - 1;
	size_t slot = (size_t)((code * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;

	while (level->head.data[slot] != 0 && level->code.data[slot] != code)
		slot = (slot + 1) & mask;
	level->code.data[slot] = code;
	return &level->head.data[slot];
}
