/*
 * Xxh: 128 bits of XXH3, the identity of bulk data that is only compared: machine code, and the files that a run reads.
 * Chance collisions are practically impossible. Constructed ones are not: an author who makes one has results of another
 * of his commits taken for this one's, as a program of his that misreports its cost would. Digests that have to resist
 * are vcs/digest.h; keys of stored definitions (a benchmark's version, a recipe) are core/base/hash.h, whose values never
 * change.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** The state, and the value so far; start with pe_xxh_init(). */
struct pe_xxh {
	uint64_t high, low;
};

#define PE_XXH_MARK "x3:"                                  /**< of its written form */
#define PE_XXH_TEXT (sizeof(PE_XXH_MARK) + 2 * (size_t)16) /**< with the terminator */

/** Start with nothing added. */
void pe_xxh_init(struct pe_xxh *hash);

/** Add n bytes as one piece: ("ab", "c") and ("a", "bc") differ. */
void pe_xxh_bytes(struct pe_xxh *hash, const void *bytes, size_t n);

/** Add a string as one piece; NULL differs from "". */
void pe_xxh_string(struct pe_xxh *hash, const char *string);

/** Add a number. */
void pe_xxh_number(struct pe_xxh *hash, uint64_t number);

/** 64 bits of n bytes, put to those of what comes before them: the same in every process, so that they can be stored. */
uint64_t pe_xxh_short(uint64_t before, const void *bytes, size_t n);

/** Write the mark and the hexadecimal form: what is of another kind never equals it. */
void pe_xxh_write(const struct pe_xxh *hash, char text[PE_XXH_TEXT]);
