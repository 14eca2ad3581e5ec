/*
 * A search visits the left-over subtrees of one side depth by depth, and does not enter nodes with a partner. So a node is
 * visited only by the search of its nearest paired ancestor, and all searches of a match together are linear.
 */
#include "analysis/compare/pairing.h"

static bool free_node(const struct side *side, uint32_t node)
{
	return side->partner[node] == PE_CCT_NONE && !pe_side_skips(side, node);
}

static void collect_seekers(struct below *below, uint32_t parent)
{
	const struct side *side = below->seekers;
	const uint8_t *holds = below->hay_left ? below->holds_right : below->holds_left;

	below->wants.n = 0;
	for (uint32_t c = pe_cct_first(side->cct, parent); c != PE_CCT_NONE;
	     c = pe_cct_next(side->cct, c)) {
		uint32_t key = side->nodes[c].key;

		if (!free_node(side, c) || holds[c] != 0)
			continue;
		if (below->stamp[key] != below->serial) {
			below->stamp[key] = below->serial;
			below->wanted[key] = 0;
		}
		pe_vec_push(&below->wants, (struct below_want){c, below->wanted[key], false});
		below->wanted[key] = (uint32_t)below->wants.n;
	}
	below->open = (uint32_t)below->wants.n;
}

/* Add a node to the candidates if a seeker has its key. */
static void note(struct below *below, const struct below_at *at)
{
	uint32_t key = below->hay->nodes[at->node].key;

	if (below->stamp[key] != below->serial)
		return;
	if (below->candidates_stamp[key] != below->serial) {
		below->candidates_stamp[key] = below->serial;
		below->candidates[key] = 0;
	}
	if (below->candidates[key] == 0)
		pe_vec_push(&below->keys, key);
	pe_vec_push(&below->found, (struct below_found){at->node, at->top, below->candidates[key]});
	below->candidates[key] = (uint32_t)below->found.n;
}

/* place: index in wants, and in found. */
static void pair_found(void *payload, const struct child *a, const struct child *b)
{
	struct below *below = payload;
	struct below_found *found = &below->found.data[b->place];
	uint32_t left = below->hay_left ? found->node : a->node;
	uint32_t right = below->hay_left ? a->node : found->node;

	below->wants.data[a->place].done = true;
	below->open--;
	below->level->left->partner[left] = right;
	below->level->right->partner[right] = left;
	below->state[left] = (uint8_t)below->searched;
	if (below->depth > 0) {
		below->state[left] = below->hay_left ? BELOW_LEFT_LONGER : BELOW_RIGHT_LONGER;
		(below->hay_left ? below->holds_left : below->holds_right)[found->top] = 1;
	}
	pe_vec_push(&below->paired, left);
}

/* Pair the seekers of a key with the candidates of this depth. */
static void settle(struct below *below, uint32_t key)
{
	below->a.n = below->b.n = 0;
	for (uint32_t i = below->wanted[key]; i != 0; i = below->wants.data[i - 1].next)
		if (!below->wants.data[i - 1].done)
			pe_vec_push(&below->a,
				    pe_level_child(below->seekers, below->wants.data[i - 1].node,
						   i - 1));
	for (uint32_t i = below->candidates[key]; i != 0; i = below->found.data[i - 1].next)
		pe_vec_push(&below->b,
			    pe_level_child(below->hay, below->found.data[i - 1].node, i - 1));
	below->candidates[key] = 0;
	if (below->a.n == 0)
		below->stamp[key] = below->serial - 1; /* no seeker is left */
	else
		pe_alike_pair(below->a.data, (uint32_t)below->a.n, below->b.data,
			      (uint32_t)below->b.n, UINT32_MAX, pair_found, below);
}

static void collect_front(struct below *below, uint32_t parent)
{
	const struct side *hay = below->hay;

	below->now.n = 0;
	for (uint32_t c = pe_cct_first(hay->cct, parent); c != PE_CCT_NONE;
	     c = pe_cct_next(hay->cct, c))
		if (free_node(hay, c))
			pe_vec_push(&below->now, (struct below_at){c, c});
}

static void descend(struct below *below)
{
	const struct side *hay = below->hay;
	struct below_front swapped;

	below->next.n = 0;
	for (size_t i = 0; i < below->now.n; i++) {
		struct below_at at = below->now.data[i];

		if (!free_node(hay, at.node))
			continue;
		for (uint32_t c = pe_cct_first(hay->cct, at.node); c != PE_CCT_NONE;
		     c = pe_cct_next(hay->cct, c))
			if (free_node(hay, c))
				pe_vec_push(&below->next, (struct below_at){c, at.top});
	}
	swapped = below->now;
	below->now = below->next;
	below->next = swapped;
	below->depth++;
}

static void search_one_way(struct below *below, uint32_t l, uint32_t r, bool hay_left)
{
	struct level *level = below->level;

	below->seekers = hay_left ? level->right : level->left;
	below->hay = hay_left ? level->left : level->right;
	below->hay_left = hay_left;
	below->depth = 0;
	below->searched = (enum below_state)below->state[l];
	below->serial += 2; /* serial - 1 marks keys without a seeker left */
	collect_seekers(below, hay_left ? r : l);
	if (below->open == 0)
		return;
	collect_front(below, hay_left ? l : r);
	while (below->open > 0 && below->now.n > 0) {
		below->found.n = below->keys.n = 0;
		for (size_t i = 0; i < below->now.n; i++)
			note(below, &below->now.data[i]);
		for (size_t i = 0; i < below->keys.n; i++)
			settle(below, below->keys.data[i]);
		descend(below);
	}
}

void pe_below_search(struct below *below, uint32_t l, uint32_t r)
{
	uint8_t state = below->state[l];

	below->paired.n = 0;
	if (state != BELOW_LEFT_LONGER)
		search_one_way(below, l, r, false);
	if (state != BELOW_RIGHT_LONGER)
		search_one_way(below, l, r, true);
}

void pe_below_release(struct below *below)
{
	pe_vec_release(&below->wants);
	pe_vec_release(&below->found);
	pe_vec_release(&below->now);
	pe_vec_release(&below->next);
	pe_vec_release(&below->keys);
	pe_vec_release(&below->a);
	pe_vec_release(&below->b);
	pe_vec_release(&below->paired);
}
