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

/* Nodes in which counting runs differ, each with the number of these runs. */
static void put_differs(struct pe_text *out, const struct pe_cct *cct)
{
	if (cct->n_ranges == 0)
		return;
	pe_json_put_number(out, "counting_runs", cct->facts.counting_runs);
	pe_json_open(out, "differs", '[');
	for (uint32_t i = 0; i < cct->n_ranges; i++)
		pe_text_addf(out, "%s[%u,%u]", i > 0 ? "," : "", cct->ranges[i].node,
			     cct->ranges[i].runs);
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
	put_differs(out, cct);
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

/* Which nodes of a side a delta tree is of: mostly each the next one, so the distance from the last is told. */
static void put_nodes(struct pe_text *out, const char *key, const struct pe_delta *delta, bool news)
{
	int64_t last = -1;

	pe_json_open(out, key, '[');
	for (uint32_t i = 0; i < delta->n; i++) {
		uint32_t node = news ? delta->nodes[i].new_node : delta->nodes[i].old_node;

		put_number(out, i, node != PE_CCT_NONE ? (int64_t)node - last : 0);
		if (node != PE_CCT_NONE)
			last = node;
	}
	pe_text_addc(out, ']');
}

/* Index of the first variant that has the same trees, n where there is none; the first has those of the pair. */
static size_t find_trees(const struct pe_page_variants *variants, size_t n)
{
	const struct pe_delta *delta = variants->at[n].delta;

	for (size_t i = 0; i < n; i++)
		if (variants->at[i].delta->old_runs == delta->old_runs &&
		    variants->at[i].delta->new_runs == delta->new_runs)
			return i;
	return n;
}

static void put_colours(struct pe_text *out, const char *key, const uint8_t *colours, uint32_t n)
{
	pe_json_open(out, key, '[');
	for (uint32_t i = 0; i < n; i++)
		put_number(out, i, colours[i]);
	pe_text_addc(out, ']');
}

static void put_variant(struct pe_text *out, const struct pe_page_variants *variants, size_t v)
{
	const struct pe_page_variant *variant = &variants->at[v];
	const struct pe_delta *delta = variant->delta;
	size_t shared = find_trees(variants, v);

	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "match", pe_match_rule_name(variant->rule));
	pe_json_put_bool(out, "call_sites", variant->call_sites);
	if (v == 0 || shared == 0)
		pe_json_put_text(out, "trees", NULL);
	else if (shared < v)
		pe_json_put_number(out, "trees", (double)shared);
	else
		put_both_trees(out, delta);
	put_nodes(out, "old", delta, false);
	put_nodes(out, "new", delta, true);
	pe_json_open(out, "parent", '[');
	for (uint32_t i = 0; i < delta->n; i++)
		put_number(out, i, i > 0 ? i - delta->nodes[i].parent : 0);
	pe_text_addc(out, ']');
	put_colours(out, "colour_own", variant->colours[PE_BASIS_OWN], delta->n);
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
		put_variant(out, variants, i);
	pe_text_addc(out, ']');
}
