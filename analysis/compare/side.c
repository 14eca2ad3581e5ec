#include "analysis/compare/pairing.h"

#include "core/base/vec.h"

#include <stdlib.h>

/* A hash of a node's own values. */
static uint64_t values(const struct pe_cct *cct, uint32_t i)
{
	uint64_t hash = 0;

	if (cct->calls != NULL)
		hash = pe_mix(cct->calls[i]);
	if (cct->self_ns != NULL)
		hash = pe_mix(hash ^ cct->self_ns[i]);
	if (cct->allocations != NULL)
		hash = pe_mix(hash ^ cct->allocations[i]) + pe_mix(cct->allocated_bytes[i]);
	return hash;
}

static const uint64_t HASH_SEED = UINT64_C(0xcbf29ce484222325);

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
		uint64_t hash = HASH_SEED + (uint64_t)frame->kind;

		hash = hash_string(hash, frame->name);
		hash = hash_string(hash, frame->signature);
		names[f] = pe_mix(hash_string(hash, frame->component));
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

		node->shape = pe_mix(below.shape ^ pe_mix(below.methods + name));
		node->content =
			pe_mix(below.content ^ pe_mix(below.sites ^ pe_mix(values(cct, i) + name)));
		if (i == 0 || pe_side_skips(side, i))
			continue;
		above = find_parent(&path, cct->nodes[i].parent);
		above->methods = pe_mix(above->methods ^ name);
		above->sites = pe_mix(above->sites ^ (pe_mix(node->site) + name));
		above->shape += pe_mix(node->shape);
		above->content += pe_mix(node->content ^ node->site);
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
		side->nodes[i].site =
			carry != NULL && carry->sites.map_site != NULL && i > 0
				? carry->sites.map_site(cct->nodes[node->parent].frame, node->site,
							carry->sites.payload)
				: node->site;
	}
	hash_subtrees(side, hash_names(cct->frames, arena));
	weigh(side);
}

/* The keys of old frames: of their methods in new. */
static uint32_t *keys_in_new(const uint32_t *key, const uint32_t *renamed, uint32_t n,
			     struct pe_arena *arena)
{
	uint32_t *of_old = pe_arena_new(arena, uint32_t, n);

	for (uint32_t i = 0; i < n; i++)
		of_old[i] = key[renamed[i] < n ? renamed[i] : i];
	return of_old;
}

uint32_t *pe_side_keys(const struct pe_frames *frames, const uint32_t *renamed, bool by_name,
		       struct pe_arena *arena)
{
	uint32_t *key = pe_arena_new(arena, uint32_t, frames->n);
	struct pe_map first = {0}; /* by hash of component and name, and kind */

	for (uint32_t i = 0; by_name && i < frames->n; i++) {
		const struct pe_frame *frame = &frames->at[i];
		const uint64_t hash =
			hash_string(hash_string(HASH_SEED, frame->name), frame->component);

		key[i] = *pe_map_put(&first, hash, (uint64_t)frame->kind, i, NULL);
	}
	pe_map_release(&first);
	for (uint32_t i = 0; !by_name && i < frames->n; i++)
		key[i] = i;
	return renamed != NULL ? keys_in_new(key, renamed, frames->n, arena) : key;
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
