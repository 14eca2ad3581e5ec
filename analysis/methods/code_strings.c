#include "analysis/methods/code_strings.h"

/* Bytes of the character at the start of a text, as UTF-8; 0: none. */
static uint64_t character(const unsigned char *bytes, uint64_t n)
{
	const unsigned char c = bytes[0];
	uint64_t length;

	if (c < 0x80)
		return c >= 0x20 || (c >= 7 && c <= 13) || c == 0x1b;
	length = c >= 0xc2 && c < 0xe0   ? 2
		 : c >= 0xe0 && c < 0xf0 ? 3
		 : c >= 0xf0 && c < 0xf5 ? 4
					 : 0;
	if (length > n)
		return 0;
	for (uint64_t i = 1; i < length; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

uint64_t pe_code_string_length(const unsigned char *bytes, uint64_t n)
{
	for (uint64_t i = 0, step; i < n; i += step) {
		if (bytes[i] == '\0')
			return i > 0 ? i + 1 : 0;
		step = character(bytes + i, n - i);
		if (step == 0)
			return 0;
	}
	return 0;
}
