#include "analysis/profile/exclude.h"

static bool is_excluded(const struct pe_cct *cct, uint32_t node, const bool *excluded, uint32_t n)
{
	const uint32_t frame = cct->nodes[node].frame;

	return node > 0 && frame < n && excluded[frame];
}

const struct pe_cct *pe_cct_exclude(const struct pe_cct *cct, const bool *excluded, uint32_t n,
				    struct pe_arena *arena)
{
	struct pe_cct_builder *builder;
	/* By node: its node in the result; the call site of its children if it is left out, else its own. */
	pe_auto_free uint32_t *place = pe_realloc(NULL, cct->n, sizeof(*place));
	pe_auto_free uint32_t *site = pe_realloc(NULL, cct->n, sizeof(*site));
	struct pe_cct uncalled = *cct; /* the calls of an excluded node are those of nobody */
	bool any = false;

	for (uint32_t i = 0; i < cct->n && !any; i++)
		any = is_excluded(cct, i, excluded, n);
	if (!any)
		return cct;
	builder = pe_cct_builder_new(cct->frames, cct->known);
	uncalled.calls = NULL;
	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];
		const bool out = is_excluded(cct, i, excluded, n);

		place[i] = site[i] = 0;
		if (i > 0) {
			site[i] = is_excluded(cct, node->parent, excluded, n) ? site[node->parent]
									      : node->site;
			place[i] = out ? place[node->parent]
				       : pe_cct_builder_child(builder, place[node->parent],
							      node->frame, site[i]);
		}
		if (!out)
			pe_cct_builder_flag(builder, place[i], cct->flags[i]);
		pe_cct_builder_add(builder, place[i], out ? &uncalled : cct, i);
	}
	for (uint32_t i = 0; i < cct->n_ranges; i++) {
		struct pe_cct_range range = cct->ranges[i];

		if (is_excluded(cct, range.node, excluded, n))
			range.less[PE_CCT_COUNT_CALLS] = range.more[PE_CCT_COUNT_CALLS] = 0;
		pe_cct_builder_vary(builder, place[range.node], &range);
	}
	return pe_cct_builder_finish(builder, &cct->facts, arena);
}
