/*
 * The trees of a comparison by column: numbers that are alike stand beside each other and pack well. Parents
 * are written as their distance, which is 1 for most nodes of a tree in preorder.
 */
#include "report/page_parts.h"

#include "core/json/writer.h"

/* A parent is written as its distance. */
static void put_distance(struct pe_json *json, size_t i, uint32_t parent)
{
	pe_json_put(json, NULL, i > 0 ? (uint32_t)i - parent : 0);
}

static void put_column(struct pe_json *json, const char *key, const uint64_t *column, uint32_t n)
{
	if (column != NULL)
		pe_json_each(json, key, i, n, pe_json_put(json, NULL, column[i]));
}

static void put_calls(struct pe_json *json, const struct pe_cct *cct)
{
	pe_json_begin_array(json, "calls");
	for (uint32_t i = 0; i < cct->n; i++) {
		if ((cct->flags[i] & PE_CCT_UNCOUNTED) != 0)
			pe_json_null(json, NULL);
		else
			pe_json_put(json, NULL, cct->calls[i]);
	}
	pe_json_end(json);
}

static void put_flags(struct pe_json *json, const struct pe_cct *cct)
{
	bool any = false;

	for (uint32_t i = 0; i < cct->n && !any; i++)
		any = cct->flags[i] != 0;
	if (any)
		pe_json_each(json, "flags", i, cct->n, pe_json_put(json, NULL, cct->flags[i]));
}

/* Nodes in which counting runs differ, each with the number of these runs. */
static void put_differs(struct pe_json *json, const struct pe_cct *cct)
{
	if (cct->n_ranges == 0)
		return;
	pe_json_put(json, "counting_runs", cct->facts.counting_runs);
	pe_json_each(json, "differs", i, cct->n_ranges,
		     pe_json_row(json, NULL, &cct->ranges[i], node, runs));
}

static void put_tree(struct pe_json *json, const struct pe_runs *runs)
{
	const struct pe_cct *cct = runs->cct;
	bool sites = (cct->known & PE_CCT_SITES) != 0;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "runs", runs->n);
	pe_json_put(json, "duration_ns", cct->facts.duration_ns);
	pe_json_begin_object(json, "known");
	pe_json_bool(json, "time", cct->self_ns != NULL);
	pe_json_bool(json, "calls", cct->calls != NULL);
	pe_json_bool(json, "allocations", cct->allocations != NULL);
	pe_json_bool(json, "bytes", cct->allocated_bytes != NULL);
	pe_json_bool(json, "instructions", runs->instructions != NULL);
	pe_json_bool(json, "sites", sites);
	pe_json_end(json);
	pe_json_each(json, "parent", i, cct->n, put_distance(json, i, cct->nodes[i].parent));
	pe_json_each(json, "frame", i, cct->n, pe_json_put(json, NULL, cct->nodes[i].frame));
	if (sites)
		pe_json_each(json, "site", i, cct->n, pe_json_put(json, NULL, cct->nodes[i].site));
	put_flags(json, cct);
	put_differs(json, cct);
	if (cct->calls != NULL)
		put_calls(json, cct);
	put_column(json, "self_ns", cct->self_ns, cct->n);
	put_column(json, "allocations", cct->allocations, cct->n);
	put_column(json, "bytes", cct->allocated_bytes, cct->n);
	put_column(json, "instructions", runs->instructions, cct->n);
	if (runs->instructions != NULL)
		pe_json_put(json, "whole_instructions", runs->whole_instructions);
	pe_json_end(json);
}

static void put_both_trees(struct pe_json *json, const struct pe_delta *delta)
{
	pe_json_begin_array(json, "trees");
	put_tree(json, delta->old_runs);
	put_tree(json, delta->new_runs);
	pe_json_end(json);
}

/* Which nodes of a side a delta tree is of: mostly each the next one, so the distance from the last is written. */
static void put_nodes(struct pe_json *json, const char *key, const struct pe_delta *delta,
		      bool news)
{
	int64_t last = -1;

	pe_json_begin_array(json, key);
	for (uint32_t i = 0; i < delta->n; i++) {
		uint32_t node = news ? delta->nodes[i].new_node : delta->nodes[i].old_node;

		pe_json_put(json, NULL, node != PE_CCT_NONE ? (int64_t)node - last : 0);
		if (node != PE_CCT_NONE)
			last = node;
	}
	pe_json_end(json);
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

static void put_colours(struct pe_json *json, const char *key, const uint8_t *colours, uint32_t n)
{
	pe_json_each(json, key, i, n, pe_json_put(json, NULL, colours[i]));
}

static void put_variant(struct pe_json *json, const struct pe_page_variants *variants, size_t v)
{
	const struct pe_page_variant *variant = &variants->at[v];
	const struct pe_delta *delta = variant->delta;
	size_t shared = find_trees(variants, v);

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "match", pe_match_rule_name(variant->rule));
	pe_json_bool(json, "call_sites", variant->call_sites);
	if (v == 0 || shared == 0)
		pe_json_null(json, "trees");
	else if (shared < v)
		pe_json_put(json, "trees", shared);
	else
		put_both_trees(json, delta);
	put_nodes(json, "old", delta, false);
	put_nodes(json, "new", delta, true);
	pe_json_each(json, "parent", i, delta->n, put_distance(json, i, delta->nodes[i].parent));
	put_colours(json, "colour_own", variant->colours[PE_BASIS_OWN], delta->n);
	put_colours(json, "colour_time", variant->colours[PE_BASIS_TIME], delta->n);
	put_colours(json, "colour_share", variant->colours[PE_BASIS_SHARE], delta->n);
	pe_json_end(json);
}

void pe_page_put_trees(struct pe_json *json, const struct pe_compare_pair *pair,
		       const struct pe_page_variants *variants)
{
	if (pair->delta == NULL) {
		pe_json_null(json, "trees");
		pe_json_begin_array(json, "variants");
		pe_json_end(json);
		return;
	}
	put_both_trees(json, pair->delta);
	pe_json_each_row(json, "variants", i, variants->n, put_variant(json, variants, i));
}
