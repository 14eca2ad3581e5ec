/* Two counting runs of one build: what differs is the program's own doing. */
#include "profile/merge.h"

#include "profile/merge_build.h"

#include <stdlib.h>

static bool same(const uint64_t *one, uint32_t i, const uint64_t *other, uint32_t j)
{
	return one == NULL || other == NULL || one[i] == other[j];
}

static bool same_counts(const struct pe_cct *first, uint32_t i, const struct pe_cct *second,
			uint32_t j)
{
	return same(first->calls, i, second->calls, j) &&
	       same(first->allocations, i, second->allocations, j) &&
	       same(first->allocated_bytes, i, second->allocated_bytes, j) &&
	       same(first->frees, i, second->frees, j);
}

struct pe_cct *pe_merge_runs(const struct pe_cct *first, const struct pe_cct *second,
			     struct pe_arena *arena)
{
	struct pe_cct_builder *builder = pe_cct_builder_new(first->frames, first->known);
	uint32_t *first_of = pe_merge_copy(builder, first, arena);
	uint32_t n_first = pe_cct_builder_count(builder);
	uint32_t *from = pe_realloc(NULL, n_first, sizeof(*from)); /* by node of the result */
	uint32_t *became = pe_realloc(NULL, second->n, sizeof(*became));
	bool *met = pe_realloc(NULL, n_first, sizeof(*met));

	for (uint32_t i = 0; i < n_first; i++)
		met[i] = false;
	for (uint32_t i = 0; i < first->n; i++)
		from[first_of[i]] = i;
	for (uint32_t i = 0; i < second->n; i++) {
		const struct pe_cct_node *node = &second->nodes[i];
		uint32_t at = i == 0 ? 0
				     : pe_cct_builder_child(builder, became[node->parent],
							    node->frame, node->site);

		became[i] = at;
		if (at < n_first)
			met[at] = true;
		if (at >= n_first || !same_counts(first, from[at], second, i))
			pe_cct_builder_flag(builder, at, PE_CCT_UNSTABLE);
		pe_cct_builder_flag(builder, at, second->flags[i]);
	}
	for (uint32_t i = 0; i < n_first; i++)
		if (!met[i])
			pe_cct_builder_flag(builder, i, PE_CCT_UNSTABLE);
	free(from);
	free(became);
	free(met);
	return pe_cct_builder_finish(builder, &first->facts, arena);
}
