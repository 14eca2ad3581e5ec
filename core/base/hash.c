#include "core/base/hash.h"

#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* FNV-1a, 128 bits: offset basis and prime as published by Fowler, Noll and Vo. */
static const uint64_t BASIS_HIGH = 0x6c62272e07bb0142u, BASIS_LOW = 0x62b821756295c58du;
static const uint64_t PRIME_HIGH = 0x0000000001000000u, PRIME_LOW = 0x000000000000013bu;

void pe_hash_init(struct pe_hash *hash)
{
	hash->high = BASIS_HIGH;
	hash->low = BASIS_LOW;
}

void pe_hash_bytes(struct pe_hash *hash, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	wide state = (wide)hash->high << 64 | hash->low;
	const wide prime = (wide)PRIME_HIGH << 64 | PRIME_LOW;

	for (size_t i = 0; i < n; i++)
		state = (state ^ at[i]) * prime;
	hash->high = (uint64_t)(state >> 64);
	hash->low = (uint64_t)state;
}

void pe_hash_number(struct pe_hash *hash, uint64_t number)
{
	unsigned char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
	pe_hash_bytes(hash, bytes, sizeof(bytes));
}

void pe_hash_string(struct pe_hash *hash, const char *string)
{
	pe_hash_number(hash, string != NULL ? strlen(string) : UINT64_MAX);
	if (string != NULL)
		pe_hash_bytes(hash, string, strlen(string));
}

void pe_hash_hex(const struct pe_hash *hash, char hex[PE_HASH_HEX])
{
	snprintf(hex, PE_HASH_HEX, "%016llx%016llx", (unsigned long long)hash->high,
		 (unsigned long long)hash->low);
}
