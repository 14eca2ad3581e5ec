/*
 * Xxh: 128 bits of XXH3, the identity of bulk that is only compared: machine code, and the files that a run reads. Two
 * that are equal by chance are as good as impossible. It resists nobody who constructs them: an author who does
 * has results of another commit taken for those of his own, and for no one else's; a program of his could lie about its
 * cost as well. What resists is vcs/digest.h; what names definitions that are stored (a benchmark's version, a recipe) is
 * core/base/hash.h, whose values never change.
 */
#ifndef PE_CORE_BASE_XXH_H
#define PE_CORE_BASE_XXH_H

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

/** Write the mark and the hexadecimal form: what is of another kind never equals it. */
void pe_xxh_write(const struct pe_xxh *hash, char text[PE_XXH_TEXT]);

#endif
