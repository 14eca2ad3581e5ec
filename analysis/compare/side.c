#include "analysis/compare/pairing.h"

#include "core/base/sort.h"
#include "core/base/vec.h"

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

/* A hash of a node's own values. */
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

/* FNV-1a, with the terminating 0: the same in each process. */
static uint64_t hash_string(uint64_t hash, const char *string)
{
	for (const unsigned char *c = (const unsigned char *)string;; c++) {
		hash = (hash ^ *c) * UINT64_C(0x100000001b3);
		if (*c == '\0')
			return hash;
	}
}

/* Hash the names of frames. Numbers of frames depend on the order in which trees were read, so they decide nothing. */
static uint64_t *hash_names(const struct pe_frames *frames, struct pe_arena *arena)
{
	uint64_t *names = pe_arena_new(arena, uint64_t, frames->n);

	for (uint32_t f = 0; f < frames->n; f++) {
		const struct pe_frame *frame = &frames->at[f];
		uint64_t hash = UINT64_C(0xcbf29ce484222325) + (uint64_t)frame->kind;

		hash = hash_string(hash, frame->name);
		hash = hash_string(hash, frame->signature);
		names[f] = mix(hash_string(hash, frame->component));
	}
	return names;
}

/* The hashes of a node's children, while they are added. */
struct open {
	uint32_t node;
	uint64_t methods, sites; /* one after the other */
	uint64_t shape, content; /* in any order */
};

struct path {
	PE_VEC(struct open) nodes;
};

static struct open *find_parent(struct path *path, uint32_t parent)
{
	if (path->nodes.n == 0 || path->nodes.data[path->nodes.n - 1].node != parent)
		pe_vec_push(&path->nodes, (struct open){.node = parent});
	return &path->nodes.data[path->nodes.n - 1];
}

static struct open close_node(struct path *path, uint32_t node)
{
	if (path->nodes.n == 0 || path->nodes.data[path->nodes.n - 1].node != node)
		return (struct open){.node = node};
	return path->nodes.data[--path->nodes.n];
}

/*
 * Hash subtrees from the back, so that children come before their parents, and only nodes on the path to the root are open.
 * The hash of a subtree is of its own method, the sequence of its children's methods, and the set of their subtrees: siblings
 * of one method may change places.
 */
static void hash_subtrees(struct side *side, const uint64_t *names)
{
	const struct pe_cct *cct = side->cct;
	struct path path = {0};

	for (uint32_t i = cct->n; i-- > 0;) {
		struct side_node *node = &side->nodes[i];
		const uint64_t name = names[node->key];
		const struct open below = close_node(&path, i);
		struct open *above;

		node->shape = mix(below.shape ^ mix(below.methods + name));
		node->content = mix(below.content ^ mix(below.sites ^ mix(values(cct, i) + name)));
		if (i == 0 || pe_side_skips(side, i))
			continue;
		above = find_parent(&path, cct->nodes[i].parent);
		above->methods = mix(above->methods ^ name);
		above->sites = mix(above->sites ^ (mix(node->site) + name));
		above->shape += mix(node->shape);
		above->content += mix(node->content ^ node->site);
	}
	pe_vec_release(&path.nodes);
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
			side->nodes[i].weight = (double)column[i] / whole;
}

void pe_side_make(struct side *side, const struct pe_cct *cct, const uint8_t *cut,
		  const uint32_t *key_of, const struct pe_match_opts *carry, bool sites,
		  struct pe_arena *arena)
{
	side->cct = cct;
	side->cut = cut;
	side->nodes = pe_arena_new(arena, struct side_node, cct->n);
	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];

		side->nodes[i].key = key_of[node->frame];
		if (!sites || node->site == 0)
			continue;
		side->nodes[i].site = carry != NULL && carry->map_site != NULL && i > 0
					      ? carry->map_site(cct->nodes[node->parent].frame,
								node->site, carry->payload)
					      : node->site;
	}
	hash_subtrees(side, hash_names(cct->frames, arena));
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
	pe_auto_arena work = PE_ARENA_INIT;
	struct named *order;
	uint32_t *first;

	for (uint32_t i = 0; i < frames->n; i++)
		key[i] = renamed != NULL && renamed[i] < frames->n ? renamed[i] : i;
	if (!by_name)
		return key;
	order = pe_arena_new(&work, struct named, frames->n);
	first = pe_arena_new(&work, uint32_t, frames->n);
	for (uint32_t i = 0; i < frames->n; i++)
		order[i] = (struct named){&frames->at[i], i};
	pe_sort(order, frames->n, by_component_name_and_number);
	for (uint32_t i = 0; i < frames->n; i++)
		first[order[i].number] =
			i > 0 && by_component_and_name(&order[i - 1], &order[i]) == 0
				? first[order[i - 1].number]
				: order[i].number;
	for (uint32_t i = 0; i < frames->n; i++)
		key[i] = first[key[i]];
	return key;
}

int pe_side_compare(const struct side *a, const struct side *b)
{
	if (a->cct->n != b->cct->n)
		return a->cct->n < b->cct->n ? -1 : 1;
	if (a->nodes[0].shape != b->nodes[0].shape)
		return a->nodes[0].shape < b->nodes[0].shape ? -1 : 1;
	if (a->nodes[0].content != b->nodes[0].content)
		return a->nodes[0].content < b->nodes[0].content ? -1 : 1;
	return 0;
}
