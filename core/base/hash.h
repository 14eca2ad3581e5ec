/*
 * Hash: 128-bit FNV-1a, the identity of things that perfevo itself defines (a benchmark's version, a build
 * recipe, an overlay). It guards against edits, not against attackers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** The state; start with pe_hash_init(). */
struct pe_hash {
	uint64_t high, low;
};

#define PE_HASH_HEX 33 /**< 32 hexadecimal digits and the terminator */

/** Start with nothing added. */
void pe_hash_init(struct pe_hash *hash);

/** Add n bytes as they are. */
void pe_hash_bytes(struct pe_hash *hash, const void *bytes, size_t n);

/** Add a string with its length, so that ("ab","c") and ("a","bc") differ; NULL differs from "". */
void pe_hash_string(struct pe_hash *hash, const char *string);

/** Add a number. */
void pe_hash_number(struct pe_hash *hash, uint64_t number);

/** Write the hexadecimal form, highest digit first. */
void pe_hash_hex(const struct pe_hash *hash, char hex[PE_HASH_HEX]);
