#include "core/base/xxh.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void pe_xxh_init(struct pe_xxh *hash)
{
	*hash = (struct pe_xxh){0, 0};
}

/* A chain, as by Merkle and Damgard (CRYPTO 1989): the state before, and the hash of the piece. */
void pe_xxh_bytes(struct pe_xxh *hash, const void *bytes, size_t n)
{
	const XXH128_hash_t piece = XXH3_128bits(bytes, n);
	const uint64_t link[] = {hash->high, hash->low, piece.high64, piece.low64};
	const XXH128_hash_t next = XXH3_128bits(link, sizeof(link));

	*hash = (struct pe_xxh){next.high64, next.low64};
}

void pe_xxh_number(struct pe_xxh *hash, uint64_t number)
{
	pe_xxh_bytes(hash, &number, sizeof(number));
}

void pe_xxh_string(struct pe_xxh *hash, const char *string)
{
	/* One byte more, the terminator, than NULL. */
	pe_xxh_bytes(hash, string, string != NULL ? strlen(string) + 1 : 0);
}

uint64_t pe_xxh_short(uint64_t before, const void *bytes, size_t n)
{
	return XXH3_64bits_withSeed(bytes, n, before);
}

void pe_xxh_write(const struct pe_xxh *hash, char text[PE_XXH_TEXT])
{
	snprintf(text, PE_XXH_TEXT, PE_XXH_MARK "%016llx%016llx", (unsigned long long)hash->high,
		 (unsigned long long)hash->low);
}
