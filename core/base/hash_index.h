/*
 * Hash index: finds rows of the caller's by a key. The index holds row numbers with 32 bits of their hash; rows and keys
 * stay where the caller has them, in whatever form, and the caller compares the few that have the same hash:
 *
 *	uint32_t hash = pe_hash_pair(caller, callee);
 *
 *	for (struct pe_hash_slot *slot = NULL; (slot = pe_hash_index_next(&index, hash, slot)) != NULL;)
 *		if (rows[slot->row].caller == caller && rows[slot->row].callee == callee)
 *			return slot->row;
 *	pe_hash_index_add(&index, hash, n_rows);
 *
 * Open addressing with linear probing (Knuth, The Art of Computer Programming 3 (1998), section 6.4, algorithm L), at most
 * half full. Rows are not removed.
 */
#pragma once

#include "core/base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define PE_HASH_FREE UINT32_MAX

struct pe_hash_slot {
	uint32_t hash;
	uint32_t row; /**< PE_HASH_FREE: none */
};

/** Zero-initialise; released by pe_hash_index_release(). */
struct pe_hash_index {
	struct pe_hash_slot *slots;
	uint32_t n;    /**< rows */
	uint32_t size; /**< slots in use: 0 or a power of two */
	uint32_t capacity;
};

/**
 * The next slot that has a hash.
 *
 * @param slot  what the last call returned; NULL: from the start
 * @return      NULL when there is no more; until the next row is added its row may be replaced
 */
static inline struct pe_hash_slot *pe_hash_index_next(const struct pe_hash_index *index,
						      uint32_t hash,
						      const struct pe_hash_slot *slot)
{
	uint32_t at = slot == NULL ? hash : (uint32_t)(slot - index->slots) + 1;

	if (index->size == 0)
		return NULL;
	for (;; at++) {
		struct pe_hash_slot *found = &index->slots[at & (index->size - 1)];

		if (found->row == PE_HASH_FREE)
			return NULL;
		if (found->hash == hash)
			return found;
	}
}

/** Add a row; that no equal one is there was found out before. Amortised constant time. */
void pe_hash_index_add(struct pe_hash_index *index, uint32_t hash, uint32_t row);

/** Forget all rows and make room for n. */
void pe_hash_index_reset(struct pe_hash_index *index, size_t n);

void pe_hash_index_release(struct pe_hash_index *index);

/**
 * Random numbers, others in each process: keys come from files of strangers, who could choose them so that all have one
 * hash (Crosby and Wallach, Denial of service via algorithmic complexity attacks, USENIX Security 2003).
 */
extern uint64_t pe_hash_secret[2];

static inline uint64_t pe_hash_mix(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/** The hash of two numbers: all their bits reach all of its (wyhash64 of Wang Yi's wyhash). */
static inline uint32_t pe_hash_pair(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product =
		(unsigned __int128)(a ^ pe_hash_secret[0]) * (b ^ pe_hash_secret[1]);

	return (uint32_t)pe_hash_mix((uint64_t)product ^ pe_hash_secret[0],
				     (uint64_t)(product >> 64) ^ pe_hash_secret[1]);
}

/** The hash of n bytes, put to that of what comes before them; its lower half is as good as its upper one. */
uint64_t pe_hash_text(uint64_t before, const void *bytes, size_t n);

/* ---- From two numbers to one ---- */

struct pe_map_entry {
	uint64_t a, b;
	uint32_t value;
};

/** Zero-initialise; released by pe_map_release(). */
struct pe_map {
	struct pe_hash_index index;
	PE_VEC(struct pe_map_entry) entries; /**< in the order of arrival */
};

/** The value of a key, until the next one is put; NULL: it is not there. */
uint32_t *pe_map_find(const struct pe_map *map, uint64_t a, uint64_t b);

/**
 * The value of a key, until the next one is put; put there when the key is new.
 *
 * @param is_new  set to whether it was; NULL: not asked
 */
uint32_t *pe_map_put(struct pe_map *map, uint64_t a, uint64_t b, uint32_t value, bool *is_new);

/** The value of a key, or what is given instead. */
static inline uint32_t pe_map_get(const struct pe_map *map, uint64_t a, uint64_t b,
				  uint32_t otherwise)
{
	const uint32_t *value = pe_map_find(map, a, b);

	return value != NULL ? *value : otherwise;
}

/** Change the value of a key, or put it there. */
static inline void pe_map_set(struct pe_map *map, uint64_t a, uint64_t b, uint32_t value)
{
	*pe_map_put(map, a, b, value, NULL) = value;
}

/** Forget all keys and make room for n. */
void pe_map_reset(struct pe_map *map, size_t n);

void pe_map_release(struct pe_map *map);
