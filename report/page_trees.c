/*
 * The trees of a comparison by column: numbers that are alike stand beside each other and pack well. Parents
 * are told by their distance, which is 1 for most nodes of a tree in preorder.
 */
#include "report/page_parts.h"

#include "report/json_out.h"

#include <inttypes.h>

/* A number is often the one before it plus something small: no use of a comma's bookkeeping here. */
static void put_number(struct pe_text *out, uint32_t i, int64_t value)
{
	pe_text_addf(out, i > 0 ? ",%" PRId64 : "%" PRId64, value);
}

static void put_parents(struct pe_text *out, const struct pe_cct *cct)
{
	pe_json_open(out, "parent", '[');
	for (uint32_t i = 0; i < cct->n; i++)
		put_number(out, i, i > 0 ? i - cct->nodes[i].parent : 0);
	pe_text_addc(out, ']');
}

static void put_column(struct pe_text *out, const char *key, const uint64_t *column, uint32_t n)
{
	if (column == NULL)
		return;
	pe_json_open(out, key, '[');
	for (uint32_t i = 0; i < n; i++)
		pe_text_addf(out, i > 0 ? ",%" PRIu64 : "%" PRIu64, column[i]);
	pe_text_addc(out, ']');
}

static void put_calls(struct pe_text *out, const struct pe_cct *cct)
{
	if (cct->calls == NULL)
		return;
	pe_json_open(out, "calls", '[');
	for (uint32_t i = 0; i < cct->n; i++) {
		if (i > 0)
			pe_text_addc(out, ',');
		if ((cct->flags[i] & PE_CCT_UNCOUNTED) != 0)
			pe_text_add(out, "null");
		else
			pe_text_addf(out, "%" PRIu64, cct->calls[i]);
	}
	pe_text_addc(out, ']');
}

static void put_flags(struct pe_text *out, const struct pe_cct *cct)
{
	bool any = false;

	for (uint32_t i = 0; i < cct->n && !any; i++)
		any = cct->flags[i] != 0;
	if (!any)
		return;
	pe_json_open(out, "flags", '[');
	for (uint32_t i = 0; i < cct->n; i++)
		put_number(out, i, cct->flags[i]);
	pe_text_addc(out, ']');
}

static void put_tree(struct pe_text *out, const struct pe_runs *runs)
{
	const struct pe_cct *cct = runs->cct;
	bool sites = (cct->known & PE_CCT_SITES) != 0;

	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_number(out, "runs", runs->n);
	pe_json_put_number(out, "duration_ns", (double)cct->facts.duration_ns);
	pe_json_open(out, "known", '{');
	pe_json_put_bool(out, "time", cct->self_ns != NULL);
	pe_json_put_bool(out, "calls", cct->calls != NULL);
	pe_json_put_bool(out, "allocations", cct->allocations != NULL);
	pe_json_put_bool(out, "bytes", cct->allocated_bytes != NULL);
	pe_json_put_bool(out, "sites", sites);
	pe_text_addc(out, '}');
	put_parents(out, cct);
	pe_json_open(out, "frame", '[');
	for (uint32_t i = 0; i < cct->n; i++)
		put_number(out, i, cct->nodes[i].frame);
	pe_text_addc(out, ']');
	if (sites) {
		pe_json_open(out, "site", '[');
		for (uint32_t i = 0; i < cct->n; i++)
			put_number(out, i, cct->nodes[i].site);
		pe_text_addc(out, ']');
	}
	put_flags(out, cct);
	put_calls(out, cct);
	put_column(out, "self_ns", cct->self_ns, cct->n);
	put_column(out, "allocations", cct->allocations, cct->n);
	put_column(out, "bytes", cct->allocated_bytes, cct->n);
	pe_text_addc(out, '}');
}

static void put_both_trees(struct pe_text *out, const struct pe_delta *delta)
{
	pe_json_open(out, "trees", '[');
	put_tree(out, delta->old_runs);
	put_tree(out, delta->new_runs);
	pe_text_addc(out, ']');
}

static int64_t number_or_none(uint32_t node)
{
	return node != PE_CCT_NONE ? (int64_t)node : -1;
}

static void put_colours(struct pe_text *out, const char *key, const uint8_t *colours, uint32_t n)
{
	pe_json_open(out, key, '[');
	for (uint32_t i = 0; i < n; i++)
		put_number(out, i, colours[i]);
	pe_text_addc(out, ']');
}

static void put_variant(struct pe_text *out, const struct pe_page_variant *variant,
			const struct pe_delta *first)
{
	const struct pe_delta *delta = variant->delta;
	const struct pe_delta_node *nodes = delta->nodes;

	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "match", pe_match_rule_name(variant->rule));
	pe_json_put_bool(out, "call_sites", variant->call_sites);
	if (delta->old_runs == first->old_runs && delta->new_runs == first->new_runs)
		pe_json_put_text(out, "trees", NULL);
	else
		put_both_trees(out, delta);
	pe_json_open(out, "old", '[');
	for (uint32_t i = 0; i < delta->n; i++)
		put_number(out, i, number_or_none(nodes[i].old_node));
	pe_text_addc(out, ']');
	pe_json_open(out, "new", '[');
	for (uint32_t i = 0; i < delta->n; i++)
		put_number(out, i, number_or_none(nodes[i].new_node));
	pe_text_addc(out, ']');
	pe_json_open(out, "parent", '[');
	for (uint32_t i = 0; i < delta->n; i++)
		put_number(out, i, i > 0 ? i - nodes[i].parent : 0);
	pe_text_addc(out, ']');
	put_colours(out, "colour_time", variant->colours[PE_BASIS_TIME], delta->n);
	put_colours(out, "colour_share", variant->colours[PE_BASIS_SHARE], delta->n);
	pe_text_addc(out, '}');
}

void pe_page_put_trees(struct pe_text *out, const struct pe_compare_pair *pair,
		       const struct pe_page_variants *variants)
{
	if (pair->delta == NULL) {
		pe_json_put_text(out, "trees", NULL);
		pe_text_add(out, ",\"variants\":[]");
		return;
	}
	put_both_trees(out, pair->delta);
	pe_json_open(out, "variants", '[');
	for (size_t i = 0; i < variants->n; i++)
		put_variant(out, &variants->at[i], pair->delta);
	pe_text_addc(out, ']');
}
