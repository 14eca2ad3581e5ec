/* Hash tables over (node, class), filled in one pass. */
#include "profile/merge_index.h"

static uint32_t *find(const struct pe_merge_index *index, uint32_t *slots, uint32_t above,
		      uint32_t class, bool grand)
{
	const struct pe_cct_node *nodes = index->cct->nodes;
	uint64_t hash = ((uint64_t)above << 32 | class) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t mask = index->n_slots - 1;

	for (uint32_t at = (uint32_t)(hash >> 32) & mask;; at = (at + 1) & mask) {
		uint32_t node = slots[at] - 1, parent;

		if (slots[at] == 0)
			return &slots[at];
		parent = nodes[node].parent;
		if (grand)
			parent = nodes[parent].parent;
		if (parent == above && index->names->class_of[nodes[node].frame] == class)
			return &slots[at];
	}
}

/* Backwards, so that of siblings the first stands in the slot and the others follow it in order. */
static void enter(struct pe_merge_index *index, uint32_t node, uint32_t class)
{
	uint32_t parent = index->cct->nodes[node].parent;
	uint32_t above = index->cct->nodes[parent].parent;
	uint32_t *slot = find(index, index->children, parent, class, false);

	index->next_same[node] = *slot != 0 ? *slot - 1 : PE_CCT_NONE;
	*slot = node + 1;
	if (above == PE_CCT_NONE)
		return;
	slot = find(index, index->grand, above, class, true);
	if (*slot == 0)
		*slot = node + 1;
	else
		index->several[*slot - 1] = true;
}

struct pe_merge_index pe_merge_index_new(const struct pe_cct *cct,
					 const struct pe_merge_names *names, struct pe_arena *arena)
{
	struct pe_merge_index index = {.cct = cct, .names = names, .n_slots = 16};

	while (index.n_slots < 2 * (uint64_t)cct->n)
		index.n_slots *= 2;
	index.children = pe_arena_new(arena, uint32_t, index.n_slots);
	index.grand = pe_arena_new(arena, uint32_t, index.n_slots);
	index.next_same = pe_arena_new(arena, uint32_t, cct->n);
	index.folded = pe_arena_new(arena, uint32_t, cct->n);
	index.several = pe_arena_new(arena, bool, cct->n);
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
	for (uint32_t i = cct->n; i-- > 1;)
		enter(&index, i, names->class_of[cct->nodes[i].frame]);
	return index;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

uint32_t pe_merge_index_child(const struct pe_merge_index *index, uint32_t node, uint32_t class,
			      uint32_t site, bool *exact)
{
	const struct pe_cct *cct = index->cct;
	uint32_t at = *find(index, index->children, node, class, false) - 1;
	uint32_t best = at;

	*exact = false;
	for (; at != PE_CCT_NONE; at = index->next_same[at]) {
		uint32_t line = cct->nodes[at].site;

		if (line == site) {
			*exact = true;
			return at;
		}
		if (site != 0 ? distance(line, site) < distance(cct->nodes[best].site, site)
			      : cct->calls != NULL && cct->calls[at] > cct->calls[best])
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
		if (index->names->class_of[nodes[at].frame] != class)
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
	uint32_t found = *find(index, index->grand, node, class, true) - 1;

	return found != PE_CCT_NONE && !index->several[found] ? found : PE_CCT_NONE;
}
