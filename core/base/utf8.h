/* Utf8: foreign text, one character at a time; what is not UTF-8 comes out as U+FFFD. */
#ifndef PE_CORE_BASE_UTF8_H
#define PE_CORE_BASE_UTF8_H

#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

/**
 * Decode the next character of a terminated string.
 *
 * @param out     its code point; U+FFFD for a malformed, overlong, surrogate or out-of-range
 * sequence
 * @param string  not at its end
 * @return        bytes consumed, at least 1; a malformed sequence consumes its longest well-formed
 * start (The Unicode Standard, section 3.9, "substitution of maximal subparts")
 */
size_t pe_utf8_next(uint32_t *out, const char *string);

/** Append a string with U+FFFD in place of what is not UTF-8. */
void pe_utf8_add(struct pe_text *out, const char *string);

/** Whether a terminal must not see it: C0, C1, DEL, and the characters that reorder text (bidi
 * controls). */
int pe_utf8_is_control(uint32_t point);

#endif
