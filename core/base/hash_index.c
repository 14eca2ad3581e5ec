/* getrandom(2) is Linux's. */
#define _GNU_SOURCE
#include "core/base/hash_index.h"

#include <assert.h>
#include <string.h>
#include <sys/random.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Odd, and in force where there is no randomness: the digits of pi. */
uint64_t pe_hash_secret[2] = {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707345)};

__attribute__((constructor)) static void draw_secret(void)
{
	uint64_t drawn[2];

	if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) != (ssize_t)sizeof(drawn))
		return;
	pe_hash_secret[0] = drawn[0] | 1;
	pe_hash_secret[1] = drawn[1] | 1;
}

enum { FIRST_SIZE = 16 };

static void put(struct pe_hash_index *index, struct pe_hash_slot row)
{
	uint32_t at = row.hash;

	while (index->slots[at & (index->size - 1)].row != PE_HASH_FREE)
		at++;
	index->slots[at & (index->size - 1)] = row;
}

/* Empty slots. */
static void make(struct pe_hash_index *index, uint32_t size)
{
	assert(size > 0);
	if (size > index->capacity) {
		free(index->slots);
		index->slots = pe_realloc(NULL, size, sizeof(*index->slots));
		index->capacity = size;
	}
	index->size = size;
	memset(index->slots, 0xff, size * sizeof(*index->slots));
}

static void grow(struct pe_hash_index *index)
{
	struct pe_hash_slot *old = index->slots;
	uint32_t n = index->size;

	if (n > UINT32_MAX / 2)
		pe_out_of_memory(2 * (size_t)n * sizeof(*old));
	index->slots = NULL;
	index->capacity = 0;
	make(index, n != 0 ? 2 * n : FIRST_SIZE);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].row != PE_HASH_FREE)
			put(index, old[i]);
	free(old);
}

void pe_hash_index_add(struct pe_hash_index *index, uint32_t hash, uint32_t row)
{
	if (index->n >= index->size / 2)
		grow(index);
	put(index, (struct pe_hash_slot){hash, row});
	index->n++;
}

void pe_hash_index_reset(struct pe_hash_index *index, size_t n)
{
	uint32_t size = FIRST_SIZE;

	while (size < 2 * n && size <= UINT32_MAX / 2)
		size *= 2;
	make(index, size);
	index->n = 0;
}

void pe_hash_index_release(struct pe_hash_index *index)
{
	free(index->slots);
	*index = (struct pe_hash_index){0};
}

uint64_t pe_hash_text(uint64_t before, const void *bytes, size_t n)
{
	return XXH3_64bits_withSeed(bytes, n, before ^ pe_hash_secret[0]);
}

static uint32_t *find(const struct pe_map *map, uint32_t hash, uint64_t a, uint64_t b)
{
	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&map->index, hash, slot)) != NULL;) {
		struct pe_map_entry *entry = &map->entries.data[slot->row];

		if (entry->a == a && entry->b == b)
			return &entry->value;
	}
	return NULL;
}

uint32_t *pe_map_find(const struct pe_map *map, uint64_t a, uint64_t b)
{
	return find(map, pe_hash_pair(a, b), a, b);
}

uint32_t *pe_map_put(struct pe_map *map, uint64_t a, uint64_t b, uint32_t value, bool *is_new)
{
	const uint32_t hash = pe_hash_pair(a, b);
	uint32_t *found = find(map, hash, a, b);

	if (is_new != NULL)
		*is_new = found == NULL;
	if (found != NULL)
		return found;
	pe_hash_index_add(&map->index, hash, (uint32_t)map->entries.n);
	pe_vec_push(&map->entries, (struct pe_map_entry){a, b, value});
	return &map->entries.data[map->entries.n - 1].value;
}

void pe_map_reset(struct pe_map *map, size_t n)
{
	pe_hash_index_reset(&map->index, n);
	map->entries.n = 0;
}

void pe_map_release(struct pe_map *map)
{
	pe_hash_index_release(&map->index);
	pe_vec_release(&map->entries);
}
