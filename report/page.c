/*
 * The page around its blocks. Everything it needs is in it, and a content security policy forbids it to load
 * anything else: only scripts and styles that carry the page's nonce count, so that text which slipped through
 * as markup could neither run nor fetch. The nonce is made of the data: the same data give the same page.
 */
#include "report/page_parts.h"

#include "core/base/hash.h"
#include "report/assets.h"
#include "report/format.h"
#include "report/json_out.h"

#include <stdio.h>

/* --- Blocks --- */

static void put_index_block(struct pe_text *out, struct pe_hash *hash, const struct pe_page *page)
{
	struct pe_text json = PE_TEXT_INIT;

	pe_text_addc(&json, '{');
	pe_json_put_number(&json, "format", 2);
	pe_page_put_evolution(&json, page->evolution);
	pe_page_put_history(&json, page);
	pe_json_open(&json, "comparisons", '[');
	for (size_t i = 0; i < page->n_comparisons; i++)
		pe_page_put_entry(&json, &page->comparisons[i], i);
	pe_text_add(&json, "]}");
	pe_hash_bytes(hash, json.data, json.len);
	pe_page_put_block(out, "index", &json);
	pe_text_release(&json);
}

/* Pack a block that is full, and empty it for the next one. */
static void put_block(struct pe_text *out, struct pe_hash *hash, char kind, size_t number,
		      struct pe_text *json)
{
	char id[32];

	snprintf(id, sizeof(id), "%c%zu", kind, number);
	pe_hash_bytes(hash, json->data, json->len);
	pe_page_put_block(out, id, json);
	pe_text_clear(json);
}

static void put_blocks(struct pe_text *out, struct pe_hash *hash, const struct pe_page *page)
{
	struct pe_text json = PE_TEXT_INIT;
	size_t apart = page->evolution != NULL && pe_page_lines_apart(page->evolution)
			       ? page->evolution->n_lines
			       : 0;

	put_index_block(out, hash, page);
	for (size_t i = 0; i < apart; i++) {
		pe_page_put_line(&json, page->evolution, i);
		put_block(out, hash, 'l', i, &json);
	}
	for (size_t i = 0; i < page->n_comparisons; i++) {
		pe_page_put_comparison(&json, &page->comparisons[i]);
		put_block(out, hash, 'c', i, &json);
	}
	pe_text_release(&json);
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
	pe_text_addf(out, "<!--\nuPlot\n\n%s\n-->\n<!--\nhighlight.js\n\n%s\n-->\n",
		     pe_asset_uplot_licence, pe_asset_highlight_licence);
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
