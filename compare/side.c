#include "compare/side.h"

#include <stdlib.h>
#include <string.h>

/* splitmix64's finaliser: every bit of the result depends on every bit of the argument. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* What a node itself did, as a number. */
static uint64_t values(const struct pe_cct *cct, uint32_t i)
{
	uint64_t hash = 0;

	if (cct->calls != NULL)
		hash = mix(cct->calls[i]);
	if (cct->self_ns != NULL)
		hash = mix(hash ^ cct->self_ns[i]);
	if (cct->allocations != NULL)
		hash = mix(hash ^ cct->allocations[i]) + mix(cct->allocated_bytes[i]);
	return hash;
}

/*
 * From the back, so that children come before their parents. A subtree is its own method, the sequence of
 * its children's methods, and the set of their subtrees: siblings of one method may change places.
 */
static void hash_subtrees(struct side *side)
{
	const struct pe_cct *cct = side->cct;
	pe_auto_arena work = PE_ARENA_INIT;
	uint64_t *sequence = pe_arena_new(&work, uint64_t, cct->n);
	uint64_t *sites = pe_arena_new(&work, uint64_t, cct->n);

	for (uint32_t i = cct->n; i-- > 0;) {
		uint32_t parent = cct->nodes[i].parent;

		side->shape[i] = mix(side->shape[i] ^ mix(sequence[i] + side->key[i]));
		side->content[i] =
			mix(side->content[i] ^ mix(sites[i] ^ mix(values(cct, i) + side->key[i])));
		if (i == 0 || pe_side_skips(side, i))
			continue;
		sequence[parent] = mix(sequence[parent] ^ side->key[i]);
		sites[parent] =
			mix(sites[parent] ^ (((uint64_t)side->site[i] << 32) + side->key[i] + 1));
		side->shape[parent] += mix(side->shape[i]);
		side->content[parent] += mix(side->content[i] ^ side->site[i]);
	}
}

static void weigh(struct side *side)
{
	const struct pe_cct *cct = side->cct;
	const uint64_t *column = cct->total_ns != NULL ? cct->total_ns : cct->calls;
	double whole = 0;

	if (column == NULL)
		return;
	if (column == cct->total_ns)
		whole = (double)column[0];
	else
		for (uint32_t i = 0; i < cct->n; i++)
			whole += (double)column[i];
	if (whole > 0)
		for (uint32_t i = 0; i < cct->n; i++)
			side->weight[i] = (double)column[i] / whole;
}

void pe_side_make(struct side *side, const struct pe_cct *cct, const uint8_t *cut,
		  const uint32_t *key_of, const struct pe_match_opts *carry, bool sites,
		  struct pe_arena *arena)
{
	side->cct = cct;
	side->cut = cut;
	side->key = pe_arena_new(arena, uint32_t, cct->n);
	side->site = pe_arena_new(arena, uint32_t, cct->n);
	side->shape = pe_arena_new(arena, uint64_t, cct->n);
	side->content = pe_arena_new(arena, uint64_t, cct->n);
	side->weight = pe_arena_new(arena, double, cct->n);
	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];

		side->key[i] = key_of[node->frame];
		if (!sites || node->site == 0)
			continue;
		side->site[i] = carry != NULL && carry->map_site != NULL && i > 0
					? carry->map_site(cct->nodes[node->parent].frame,
							  node->site, carry->payload)
					: node->site;
	}
	hash_subtrees(side);
	weigh(side);
}

struct named {
	const struct pe_frame *frame;
	uint32_t number;
};

static int by_component_and_name(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	int order = strcmp(a->frame->name, b->frame->name);

	if (order == 0)
		order = strcmp(a->frame->component, b->frame->component);
	if (order == 0)
		order = (int)a->frame->kind - (int)b->frame->kind;
	return order;
}

static int by_component_name_and_number(const void *x, const void *y)
{
	const struct named *a = x, *b = y;
	int order = by_component_and_name(x, y);

	return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

uint32_t *pe_side_keys(const struct pe_frames *frames, const uint32_t *renamed, bool by_name,
		       struct pe_arena *arena)
{
	uint32_t *key = pe_arena_new(arena, uint32_t, frames->n);
	struct named *order;
	uint32_t *first;

	for (uint32_t i = 0; i < frames->n; i++)
		key[i] = renamed != NULL && renamed[i] < frames->n ? renamed[i] : i;
	if (!by_name)
		return key;
	order = pe_realloc(NULL, frames->n, sizeof(*order));
	first = pe_realloc(NULL, frames->n, sizeof(*first));
	for (uint32_t i = 0; i < frames->n; i++)
		order[i] = (struct named){&frames->at[i], i};
	if (frames->n > 1)
		qsort(order, frames->n, sizeof(*order), by_component_name_and_number);
	for (uint32_t i = 0; i < frames->n; i++)
		first[order[i].number] =
			i > 0 && by_component_and_name(&order[i - 1], &order[i]) == 0
				? first[order[i - 1].number]
				: order[i].number;
	for (uint32_t i = 0; i < frames->n; i++)
		key[i] = first[key[i]];
	free(order);
	free(first);
	return key;
}

int pe_side_compare(const struct side *a, const struct side *b)
{
	if (a->cct->n != b->cct->n)
		return a->cct->n < b->cct->n ? -1 : 1;
	if (a->shape[0] != b->shape[0])
		return a->shape[0] < b->shape[0] ? -1 : 1;
	if (a->content[0] != b->content[0])
		return a->content[0] < b->content[0] ? -1 : 1;
	return 0;
}
