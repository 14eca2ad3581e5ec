/* Indexes over (node, class), filled in one pass. */
#include "analysis/profile/merge_index.h"

/* Find the slot of a class below a node, or two levels below it; NULL: none. */
static struct pe_hash_slot *find(const struct pe_merge_index *index, uint32_t above, uint32_t class,
				 bool grand)
{
	const struct pe_hash_index *slots = grand ? &index->grand : &index->children;
	const struct pe_cct_node *nodes = index->cct->nodes;
	const uint32_t hash = pe_hash_pair(above, class);

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(slots, hash, slot)) != NULL;) {
		uint32_t parent = nodes[slot->row].parent;

		if (grand)
			parent = nodes[parent].parent;
		if (parent == above && index->names->class_of[nodes[slot->row].frame] == class)
			return slot;
	}
	return NULL;
}

/* Enter a node. Nodes come from the last to the first, so the first sibling ends up in the slot and the others follow it. */
static void enter(struct pe_merge_index *index, uint32_t node, uint32_t class)
{
	uint32_t parent = index->cct->nodes[node].parent;
	uint32_t above = index->cct->nodes[parent].parent;
	struct pe_hash_slot *slot = find(index, parent, class, false);

	index->next_same[node] = slot != NULL ? slot->row : PE_CCT_NONE;
	if (slot != NULL)
		slot->row = node;
	else
		pe_hash_index_add(&index->children, pe_hash_pair(parent, class), node);
	if (above == PE_CCT_NONE)
		return;
	slot = find(index, above, class, true);
	if (slot == NULL)
		pe_hash_index_add(&index->grand, pe_hash_pair(above, class), node);
	else
		index->several[slot->row] = true;
}

struct pe_merge_index pe_merge_index_new(const struct pe_cct *cct,
					 const struct pe_merge_names *names, struct pe_arena *arena)
{
	struct pe_merge_index index = {.cct = cct, .names = names};

	pe_hash_index_reset(&index.children, cct->n);
	pe_hash_index_reset(&index.grand, cct->n);
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
	const struct pe_hash_slot *slot = find(index, node, class, false);
	uint32_t at = slot != NULL ? slot->row : PE_CCT_NONE, best = at;

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
	const struct pe_hash_slot *slot = find(index, node, class, true);

	return slot != NULL && !index->several[slot->row] ? slot->row : PE_CCT_NONE;
}

void pe_merge_index_release(struct pe_merge_index *index)
{
	pe_hash_index_release(&index->children);
	pe_hash_index_release(&index->grand);
}
