#include "analysis/profile/exclude.h"

#include <stdlib.h>

struct excluding {
	const struct pe_cct *cct;
	const bool *excluded;
	uint32_t n;
	struct pe_cct_builder *builder;
	uint32_t *place; /* by node: its node in the result */
	uint32_t *site; /* by node: the call site of its children if it is left out, else its own */
};

static bool is_excluded(const struct excluding *pass, uint32_t node)
{
	uint32_t frame = pass->cct->nodes[node].frame;

	return node > 0 && frame < pass->n && pass->excluded[frame];
}

static bool has_excluded(const struct excluding *pass)
{
	for (uint32_t i = 0; i < pass->cct->n; i++)
		if (is_excluded(pass, i))
			return true;
	return false;
}

/* The call site of a node; the child of an excluded node takes the call site of that. */
static uint32_t site_of(const struct excluding *pass, uint32_t node)
{
	uint32_t parent = pass->cct->nodes[node].parent;

	return is_excluded(pass, parent) ? pass->site[parent] : pass->cct->nodes[node].site;
}

/* Copy the ranges. The calls of an excluded node are not counted anywhere. */
static void vary(struct excluding *pass)
{
	for (uint32_t i = 0; i < pass->cct->n_ranges; i++) {
		struct pe_cct_range range = pass->cct->ranges[i];

		if (is_excluded(pass, range.node))
			range.less[PE_CCT_COUNT_CALLS] = range.more[PE_CCT_COUNT_CALLS] = 0;
		pe_cct_builder_vary(pass->builder, pass->place[range.node], &range);
	}
}

static void place_node(struct excluding *pass, uint32_t node)
{
	const struct pe_cct_node *at = &pass->cct->nodes[node];
	uint32_t parent = pass->place[at->parent];

	pass->site[node] = site_of(pass, node);
	if (is_excluded(pass, node)) {
		pass->place[node] = parent;
	} else {
		pass->place[node] =
			pe_cct_builder_child(pass->builder, parent, at->frame, pass->site[node]);
		pe_cct_builder_flag(pass->builder, pass->place[node], pass->cct->flags[node]);
	}
}

const struct pe_cct *pe_cct_exclude(const struct pe_cct *cct, const bool *excluded, uint32_t n,
				    struct pe_arena *arena)
{
	struct excluding pass = {.cct = cct, .excluded = excluded, .n = n};
	struct pe_cct uncalled = *cct; /* the calls of an excluded node are those of nobody */

	if (cct->n == 0 || !has_excluded(&pass))
		return cct;
	pass.builder = pe_cct_builder_new(cct->frames, cct->known);
	pass.place = pe_realloc(NULL, cct->n, sizeof(*pass.place));
	pass.site = pe_realloc(NULL, cct->n, sizeof(*pass.site));
	pass.place[0] = 0;
	pass.site[0] = 0;
	pe_cct_builder_flag(pass.builder, 0, cct->flags[0]);
	uncalled.calls = NULL;
	for (uint32_t i = 0; i < cct->n; i++) {
		if (i > 0)
			place_node(&pass, i);
		pe_cct_builder_add(pass.builder, pass.place[i],
				   is_excluded(&pass, i) ? &uncalled : cct, i);
	}
	vary(&pass);
	free(pass.place);
	free(pass.site);
	return pe_cct_builder_finish(pass.builder, &cct->facts, arena);
}
