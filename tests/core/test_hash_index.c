#include "core/base/hash_index.h"
#include "core/base/xxh.h"

#include "tests/support/test.h"

/* Every third number is a key; rows are numbered in another order than hashes. */
static uint32_t find(const struct pe_hash_index *index, const uint64_t *keys, uint64_t key)
{
	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(index, pe_hash_pair(key, 0), slot)) != NULL;)
		if (keys[slot->row] == key)
			return slot->row;
	return PE_HASH_FREE;
}

Test(hash_index, finds_what_was_added_and_nothing_else)
{
	enum { N = 5000 };
	struct pe_hash_index index = {0};
	uint64_t keys[N] = {0};

	cr_expect(eq(u32, find(&index, keys, 0), PE_HASH_FREE));
	for (uint32_t i = 0; i < N; i++) {
		keys[i] = 3 * (uint64_t)i;
		pe_hash_index_add(&index, pe_hash_pair(keys[i], 0), i);
	}
	for (uint64_t key = 0; key < (uint64_t)3 * N; key++)
		cr_assert(eq(u32, find(&index, keys, key),
			     key % 3 == 0 ? (uint32_t)(key / 3) : PE_HASH_FREE));
	pe_hash_index_reset(&index, 10);
	cr_expect(eq(u32, find(&index, keys, 0), PE_HASH_FREE));
	cr_expect(eq(u32, index.n, 0));
	pe_hash_index_release(&index);
}

/* Whoever names methods so that hashes collide gets slow answers, but right ones. */
Test(hash_index, tells_rows_of_one_hash_apart, .timeout = 600)
{
	enum { N = 600 };
	struct pe_hash_index index = {0};
	bool seen[N] = {false};
	uint32_t n = 0;

	for (uint32_t i = 0; i < N; i++)
		pe_hash_index_add(&index, UINT32_MAX, i);
	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&index, UINT32_MAX, slot)) != NULL; n++)
		seen[slot->row] = true;
	cr_expect(eq(u32, n, N));
	for (uint32_t i = 0; i < N; i++)
		cr_expect(seen[i]);
	cr_expect(eq(ptr, pe_hash_index_next(&index, UINT32_MAX - 1, NULL), NULL));
	pe_hash_index_release(&index);
}

Test(hash_index, map_keeps_the_first_value_until_it_is_set)
{
	struct pe_map map = {0};
	bool is_new;

	cr_expect_text("7 3 1 3", pe_map_get(&map, 1, 2, 7), *pe_map_put(&map, 1, 2, 3, &is_new),
		       is_new, *pe_map_put(&map, 1, 2, 4, &is_new));
	cr_expect(not(is_new));
	pe_map_set(&map, 1, 2, 5);
	cr_expect(eq(u32, pe_map_get(&map, 1, 2, 7), 5));
	cr_expect(eq(u32, pe_map_get(&map, 2, 1, 7), 7));
	pe_map_reset(&map, 0);
	cr_expect(eq(u32, pe_map_get(&map, 1, 2, 7), 7));
	pe_map_release(&map);
}

/* 20,000 keys of one hash each, by the inverse of a known mixing of their bits: a file of them took time by the square. */
Test(hash_index, keys_that_a_stranger_chose_have_hashes_of_their_own)
{
	enum { N = 20000 };
	const uint64_t a = 1, factor = UINT64_C(0x9e3779b97f4a7c15),
		       last = UINT64_C(0xbf58476d1ce4e5b9);
	const uint64_t mixed = (a * factor) ^ (a * factor) >> 29;
	struct pe_map seen = {0};
	uint64_t inverse = last;
	size_t distinct = 0;

	for (int i = 0; i < 6; i++) /* Newton's iteration, modulo 2^64 */
		inverse *= 2 - last * inverse;
	for (uint64_t i = 0; i < N; i++) {
		uint64_t b = ((UINT64_C(0x12345678) << 32 | i) * inverse) ^ mixed;
		bool is_new;

		cr_assert(eq(u64, ((mixed ^ b) * last) >> 32, 0x12345678));
		pe_map_put(&seen, pe_hash_pair(a, b), 0, 0, &is_new);
		distinct += is_new;
	}
	cr_expect(gt(sz, distinct, N - 10));
	pe_map_release(&seen);
}

Test(hash_index, a_short_hash_is_the_same_in_every_process)
{
	/* Those of tokens are stored. */
	cr_assert(eq(u64, pe_xxh_short(0, "", 0), 0x2d06800538d394c2));
}
