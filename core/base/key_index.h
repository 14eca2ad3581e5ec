/* Key index: where a key of the store stands in an array of the caller's. */
#pragma once

#include "core/base/hash_index.h"

/** Zero-initialise; released by pe_key_index_release(). */
struct pe_key_index {
	struct pe_map map;
};

/** Set the place of a key; for a key that is put twice the first place counts. */
static inline void pe_key_index_put(struct pe_key_index *index, int64_t key, size_t at)
{
	pe_map_put(&index->map, (uint64_t)key, 0, (uint32_t)at, NULL);
}

/** Where a key stands; SIZE_MAX: nowhere. */
static inline size_t pe_key_index_find(const struct pe_key_index *index, int64_t key)
{
	const uint32_t *at = pe_map_find(&index->map, (uint64_t)key, 0);

	return at != NULL ? *at : SIZE_MAX;
}

static inline void pe_key_index_release(struct pe_key_index *index)
{
	pe_map_release(&index->map);
}
