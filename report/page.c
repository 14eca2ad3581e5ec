/*
 * The page around its blocks. Everything it needs is in it, and a content security policy forbids it to load
 * anything else: only scripts and styles that carry the page's nonce count, so that text which slipped through
 * as markup could neither run nor fetch. The nonce is made of the data: the same data give the same page.
 */
#include "report/page_parts.h"

#include "core/json/writer.h"
#include "core/base/base64.h"
#include "core/base/hash.h"
#include "report/assets.h"
#include "report/format.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

/* --- Blocks --- */

/*
 * Append a block that is complete, deflated (zlib, RFC 1950) and in base64, and empty it for the next one: a script element that no
 * browser runs, in which nothing can be taken for markup.
 */
static void put_block(struct pe_text *out, struct pe_hash *hash, const char *id,
		      struct pe_json *json)
{
	uLongf n = compressBound(json->out->len);
	unsigned char *packed = pe_realloc(NULL, n, 1);
	int rc = compress2(
		packed, &n, (const unsigned char *)json->out->data, json->out->len,
		Z_DEFAULT_COMPRESSION); /* the best takes three times as long for a hundredth */

	if (rc == Z_MEM_ERROR)
		pe_out_of_memory(json->out->len);
	assert(rc == Z_OK); /* the room is what zlib asked for */
	pe_hash_bytes(hash, json->out->data, json->out->len);
	pe_text_addf(out, "<script type=\"application/x-perfevo\" id=\"block-%s\">", id);
	pe_base64_add(out, packed, n);
	pe_text_add(out, "</script>\n");
	free(packed);
	pe_text_clear(json->out);
	*json = (struct pe_json)PE_JSON_INIT(json->out);
}

static void put_index(struct pe_json *json, const struct pe_page *page)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "format", 4);
	pe_page_put_evolution(json, page->evolution);
	pe_page_put_history(json, page);
	pe_json_each_row(json, "comparisons", i, page->n_comparisons,
			 pe_page_put_entry(json, &page->comparisons[i], i));
	pe_json_end(json);
}

static void put_blocks(struct pe_text *out, struct pe_hash *hash, const struct pe_page *page)
{
	struct pe_text text = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&text);
	bool apart = page->evolution != NULL && pe_page_lines_apart(page->evolution);
	char id[32];

	put_index(&json, page);
	put_block(out, hash, "index", &json);
	for (size_t i = 0; apart && i < page->evolution->n_lines; i++) {
		snprintf(id, sizeof(id), "l%zu", i);
		pe_page_put_line(&json, page->evolution, i);
		put_block(out, hash, id, &json);
	}
	for (size_t i = 0; i < page->n_comparisons; i++) {
		snprintf(id, sizeof(id), "c%zu", i);
		pe_page_put_comparison(&json, &page->comparisons[i]);
		put_block(out, hash, id, &json);
	}
	pe_text_release(&text);
}

/* --- The document --- */

static void put_head(struct pe_text *out, const struct pe_page *page, const char *nonce)
{
	pe_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	pe_text_addf(out,
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		     "script-src 'nonce-%s'; style-src 'nonce-%s'; img-src data:; "
		     "base-uri 'none'; form-action 'none'\">\n",
		     nonce, nonce);
	pe_text_add(out, "<meta name=\"viewport\" content=\"width=device-width, "
			 "initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
			 "<link rel=\"icon\" href=\"data:,\">\n<title>");
	pe_escape_xml(out, page->title != NULL ? page->title : "perfevo");
	pe_text_add(out, "</title>\n");
	pe_text_addf(out, "<!--\nhighlight.js\n\n%s\n\nd3-hierarchy\n\n%s\n-->\n",
		     pe_asset_highlight_licence, pe_asset_hierarchy_licence);
	pe_text_addf(out, "<style nonce=\"%s\">\n%s</style>\n", nonce, pe_asset_style);
	pe_text_add(out, "</head>\n");
}

void pe_page_html(struct pe_text *out, const struct pe_page *page)
{
	struct pe_text blocks = PE_TEXT_INIT;
	struct pe_hash hash;
	char nonce[PE_HASH_HEX];

	pe_hash_init(&hash);
	put_blocks(&blocks, &hash, page);
	pe_hash_hex(&hash, nonce);
	put_head(out, page, nonce);
	pe_text_add(out, pe_asset_body);
	pe_text_addn(out, blocks.data, blocks.len);
	pe_text_addf(out, "<script nonce=\"%s\">\n%s\n</script>\n", nonce, pe_asset_script);
	pe_text_add(out, "</body>\n</html>\n");
	pe_text_release(&blocks);
}
