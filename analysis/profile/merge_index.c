#include "analysis/profile/merge_index.h"

struct pe_merge_index pe_merge_index_new(const struct pe_cct *cct,
					 const struct pe_merge_names *names, struct pe_arena *arena)
{
	struct pe_merge_index index = {.cct = cct, .names = names};

	index.folded = pe_arena_new(arena, uint32_t, cct->n);
	index.only = pe_arena_new(arena, uint32_t, names->n);
	for (uint32_t i = 0; i < names->n; i++)
		index.only[i] = PE_CCT_NONE;
	for (uint32_t i = 0; i < cct->n; i++) {
		uint32_t class = names->class_of[cct->nodes[i].frame];

		index.only[class] = index.only[class] == PE_CCT_NONE ? i : PE_MERGE_SEVERAL;
		index.folded[i] = (cct->flags[i] & PE_CCT_FOLDED) != 0 ? i
				  : i == 0                             ? PE_CCT_NONE
					   : index.folded[cct->nodes[i].parent];
	}
	return index;
}

static bool is_of(const struct pe_merge_index *index, uint32_t node, uint32_t class)
{
	return index->names->class_of[index->cct->nodes[node].frame] == class;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

uint32_t pe_merge_index_child(const struct pe_merge_index *index, uint32_t node, uint32_t class,
			      uint32_t site, bool *exact)
{
	const struct pe_cct *cct = index->cct;
	uint32_t best = PE_CCT_NONE;

	*exact = false;
	for (uint32_t at = pe_cct_first(cct, node); at != PE_CCT_NONE; at = pe_cct_next(cct, at)) {
		const uint32_t line = cct->nodes[at].site;

		if (!is_of(index, at, class))
			continue;
		if (line == site) {
			*exact = true;
			return at;
		}
		if (best == PE_CCT_NONE ||
		    (site != 0 ? distance(line, site) < distance(cct->nodes[best].site, site)
			       : cct->calls != NULL && cct->calls[at] > cct->calls[best]))
			best = at;
	}
	return best;
}

uint32_t pe_merge_index_folded(const struct pe_merge_index *index, uint32_t node, uint32_t class,
			       uint32_t site, bool *exact)
{
	const struct pe_cct_node *nodes = index->cct->nodes;
	uint32_t nearest = PE_CCT_NONE;

	*exact = false;
	for (uint32_t at = index->folded[node]; at != PE_CCT_NONE;
	     at = nodes[at].parent != PE_CCT_NONE ? index->folded[nodes[at].parent] : PE_CCT_NONE) {
		if (!is_of(index, at, class))
			continue;
		if (nodes[at].site == site) {
			*exact = true;
			return at;
		}
		if (nearest == PE_CCT_NONE ||
		    distance(nodes[at].site, site) < distance(nodes[nearest].site, site))
			nearest = at;
	}
	return nearest;
}

uint32_t pe_merge_index_grandchild(const struct pe_merge_index *index, uint32_t node,
				   uint32_t class)
{
	const struct pe_cct *cct = index->cct;
	uint32_t found = PE_CCT_NONE;

	for (uint32_t i = pe_cct_first(cct, node); i != PE_CCT_NONE; i = pe_cct_next(cct, i))
		for (uint32_t at = pe_cct_first(cct, i); at != PE_CCT_NONE;
		     at = pe_cct_next(cct, at)) {
			if (!is_of(index, at, class))
				continue;
			if (found != PE_CCT_NONE)
				return PE_CCT_NONE;
			found = at;
		}
	return found;
}
