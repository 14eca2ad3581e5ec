#include "profile/import_map.h"

#include "core/base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static struct pe_map_entry *find(const struct pe_map *map, uint64_t a, uint64_t b)
{
	uint64_t hash = (a ^ b * UINT64_C(0xbf58476d1ce4e5b9)) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t mask = map->n_slots - 1, slot = (uint32_t)((hash ^ hash >> 32) & mask);

	while (map->slots[slot].is_used && (map->slots[slot].a != a || map->slots[slot].b != b))
		slot = (slot + 1) & mask;
	return &map->slots[slot];
}

static void grow(struct pe_map *map)
{
	struct pe_map_entry *old = map->slots;
	uint32_t n_old = map->n_slots;

	map->n_slots = n_old != 0 ? 2 * n_old : FIRST_SLOTS;
	map->slots = pe_realloc(NULL, map->n_slots, sizeof(*old));
	memset(map->slots, 0, map->n_slots * sizeof(*old));
	for (uint32_t i = 0; i < n_old; i++)
		if (old[i].is_used)
			*find(map, old[i].a, old[i].b) = old[i];
	free(old);
}

static struct pe_map_entry *find_or_put(struct pe_map *map, uint64_t a, uint64_t b, uint32_t value,
					bool *is_new)
{
	struct pe_map_entry *entry;

	if (map->n >= map->n_slots / 2)
		grow(map);
	entry = find(map, a, b);
	*is_new = !entry->is_used;
	if (!entry->is_used) {
		*entry = (struct pe_map_entry){.a = a, .b = b, .value = value, .is_used = true};
		map->n++;
	}
	return entry;
}

uint32_t pe_map_put(struct pe_map *map, uint64_t a, uint64_t b, uint32_t value, bool *is_new)
{
	bool unasked;

	return find_or_put(map, a, b, value, is_new != NULL ? is_new : &unasked)->value;
}

uint32_t pe_map_get(const struct pe_map *map, uint64_t a, uint64_t b, uint32_t otherwise)
{
	const struct pe_map_entry *entry = map->n_slots != 0 ? find(map, a, b) : NULL;

	return entry != NULL && entry->is_used ? entry->value : otherwise;
}

void pe_map_set(struct pe_map *map, uint64_t a, uint64_t b, uint32_t value)
{
	bool is_new;

	find_or_put(map, a, b, value, &is_new)->value = value;
}

void pe_map_release(struct pe_map *map)
{
	free(map->slots);
	*map = (struct pe_map){0};
}
