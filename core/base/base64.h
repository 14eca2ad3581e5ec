/* Base64: bytes in documents that are text (RFC 4648, section 4), without line breaks. */
#pragma once

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Append n bytes as digits, padded. */
void pe_base64_add(struct pe_text *out, const void *bytes, size_t n);

/**
 * Read digits: every byte sequence has one form, and no other is taken.
 *
 * @param out     room for n_digits / 4 * 3 bytes
 * @param n       set to the number of bytes
 * @return        false: something else than padded digits
 */
bool pe_base64_read(uint8_t *out, size_t *n, const char *digits, size_t n_digits);
