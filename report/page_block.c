/* Blocks of a page: what is only data travels packed, and nothing in it can be taken for markup. */
#include "report/page_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 without line breaks (RFC 4648, section 4). */
static void put_base64(struct pe_text *out, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16;
		char four[4];

		if (i + 1 < n)
			group |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < n)
			group |= bytes[i + 2];
		four[0] = digits[group >> 18];
		four[1] = digits[group >> 12 & 63];
		four[2] = digits[group >> 6 & 63];
		four[3] = digits[group & 63];
		if (i + 2 >= n)
			four[3] = '=';
		if (i + 1 >= n)
			four[2] = '=';
		pe_text_addn(out, four, sizeof(four));
	}
}

void pe_page_put_block(struct pe_text *out, const char *id, const struct pe_text *text)
{
	uLongf n = compressBound(text->len);
	unsigned char *packed = pe_realloc(NULL, n, 1);
	int rc = compress2(packed, &n, (const unsigned char *)pe_text_str(text), text->len,
			   Z_BEST_COMPRESSION);

	if (rc == Z_MEM_ERROR)
		pe_out_of_memory(text->len);
	assert(rc == Z_OK); /* the room is what zlib asked for */
	pe_text_addf(out, "<script type=\"application/x-perfevo\" id=\"block-%s\">", id);
	put_base64(out, packed, n);
	pe_text_add(out, "</script>\n");
	free(packed);
}
