#include "core/base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void pe_base64_add(struct pe_text *out, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t group = (uint32_t)at[i] << 16;
		char four[4];

		if (i + 1 < n)
			group |= (uint32_t)at[i + 1] << 8;
		if (i + 2 < n)
			group |= at[i + 2];
		four[0] = alphabet[group >> 18];
		four[1] = alphabet[group >> 12 & 63];
		four[2] = alphabet[group >> 6 & 63];
		four[3] = alphabet[group & 63];
		if (i + 2 >= n)
			four[3] = '=';
		if (i + 1 >= n)
			four[2] = '=';
		pe_text_addn(out, four, sizeof(four));
	}
}

/* 64: no digit. */
static uint32_t value_of(char digit)
{
	if (digit >= 'A' && digit <= 'Z')
		return (uint32_t)(digit - 'A');
	if (digit >= 'a' && digit <= 'z')
		return (uint32_t)(digit - 'a') + 26;
	if (digit >= '0' && digit <= '9')
		return (uint32_t)(digit - '0') + 52;
	return digit == '+' ? 62 : digit == '/' ? 63 : 64;
}

bool pe_base64_read(uint8_t *out, size_t *n, const char *digits, size_t n_digits)
{
	size_t padding = 0;

	*n = 0;
	if (n_digits % 4 != 0)
		return false;
	while (padding < 2 && padding < n_digits && digits[n_digits - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < n_digits; i += 4) {
		const size_t missing = i + 4 == n_digits ? padding : 0;
		uint32_t group = 0;

		for (size_t k = 0; k < 4; k++) {
			uint32_t value = k < 4 - missing ? value_of(digits[i + k]) : 0;

			if (value > 63)
				return false;
			group = group << 6 | value;
		}
		/* Bits behind the last byte. */
		if ((group & ((UINT32_C(1) << 8 * missing) - 1)) != 0)
			return false;
		for (size_t k = 0; k < 3 - missing; k++)
			out[(*n)++] = (uint8_t)(group >> (16 - 8 * k));
	}
	return true;
}
