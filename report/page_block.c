/* Blocks of a page: what is only data travels packed, and nothing in it can be taken for markup. */
#include "report/page_parts.h"

#include "core/base/base64.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

void pe_page_put_block(struct pe_text *out, const char *id, const struct pe_text *text)
{
	uLongf n = compressBound(text->len);
	unsigned char *packed = pe_realloc(NULL, n, 1);
	int rc = compress2(
		packed, &n, (const unsigned char *)pe_text_str(text), text->len,
		Z_DEFAULT_COMPRESSION); /* the best takes three times as long for a hundredth */

	if (rc == Z_MEM_ERROR)
		pe_out_of_memory(text->len);
	assert(rc == Z_OK); /* the room is what zlib asked for */
	pe_text_addf(out, "<script type=\"application/x-perfevo\" id=\"block-%s\">", id);
	pe_base64_add(out, packed, n);
	pe_text_add(out, "</script>\n");
	free(packed);
}
