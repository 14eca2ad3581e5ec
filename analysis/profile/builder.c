/* Builder: nodes in order of arrival, an index over (parent, frame, site), and links between relatives. */
#include "analysis/profile/cct.h"

#include "core/base/hash_index.h"
#include "core/base/sort.h"

#include <stdlib.h>

enum { MOST_NODES = 1u << 30 };

struct pe_cct_builder {
	struct pe_frames *frames;
	unsigned known;
	PE_VEC(struct pe_cct_made) made;    /* the nodes; less than UINT32_MAX */
	struct pe_hash_index index;         /* over all nodes but the root */
	PE_VEC(struct pe_cct_range) ranges; /* in order of arrival; node is that of the builder */
};

static uint32_t key_hash(uint32_t parent, uint32_t frame, uint32_t site)
{
	return pe_hash_pair((uint64_t)parent << 32 | frame, site);
}

static uint32_t find(const struct pe_cct_builder *builder, uint32_t hash, uint32_t parent,
		     uint32_t frame, uint32_t site)
{
	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&builder->index, hash, slot)) != NULL;) {
		const struct pe_cct_made *made = &builder->made.data[slot->row];

		if (made->parent == parent && made->frame == frame && made->site == site)
			return slot->row;
	}
	return PE_CCT_NONE;
}

static uint32_t make(struct pe_cct_builder *builder, uint32_t parent, uint32_t frame, uint32_t site)
{
	const struct pe_cct_made made = {
		.parent = parent,
		.first = PE_CCT_NONE,
		.last = PE_CCT_NONE,
		.next = PE_CCT_NONE,
		.frame = frame,
		.site = site,
	};

	if (builder->made.n >= MOST_NODES)
		pe_out_of_memory(2 * builder->made.n * sizeof(made));
	pe_vec_push(&builder->made, made);
	return (uint32_t)builder->made.n - 1;
}

struct pe_cct_builder *pe_cct_builder_new(struct pe_frames *frames, unsigned known)
{
	struct pe_cct_builder *builder = pe_realloc(NULL, 1, sizeof(*builder));
	struct pe_frame root = {.name = "(root)", .kind = PE_FRAME_ROOT};

	*builder = (struct pe_cct_builder){.frames = frames, .known = known};
	make(builder, PE_CCT_NONE, pe_frames_add(frames, &root), 0);
	return builder;
}

/* @param elder  the sibling that it follows; PE_CCT_NONE: it is the first */
static uint32_t add_child(struct pe_cct_builder *builder, uint32_t hash, uint32_t parent,
			  uint32_t elder, uint32_t frame, uint32_t site)
{
	const uint32_t node = make(builder, parent, frame, site);
	struct pe_cct_made *above = &builder->made.data[parent];
	uint32_t *link = elder != PE_CCT_NONE ? &builder->made.data[elder].next : &above->first;

	pe_hash_index_add(&builder->index, hash, node);
	builder->made.data[node].next = *link;
	*link = node;
	if (above->last == elder)
		above->last = node;
	return node;
}

uint32_t pe_cct_builder_child_after(struct pe_cct_builder *builder, uint32_t parent, uint32_t elder,
				    uint32_t frame, uint32_t site)
{
	uint32_t hash = key_hash(parent, frame, site);
	uint32_t found = find(builder, hash, parent, frame, site);

	return found != PE_CCT_NONE ? found : add_child(builder, hash, parent, elder, frame, site);
}

uint32_t pe_cct_builder_child(struct pe_cct_builder *builder, uint32_t parent, uint32_t frame,
			      uint32_t site)
{
	return pe_cct_builder_child_after(builder, parent, builder->made.data[parent].last, frame,
					  site);
}

bool pe_cct_builder_is_process(const struct pe_cct_builder *builder, uint32_t node)
{
	return node != 0 &&
	       builder->frames->at[builder->made.data[node].frame].kind == PE_FRAME_PROCESS;
}

uint32_t pe_cct_builder_fold(struct pe_cct_builder *builder, uint32_t parent, uint32_t frame,
			     uint32_t site)
{
	uint32_t hash = key_hash(parent, frame, site);
	uint32_t found = find(builder, hash, parent, frame, site);

	if (found != PE_CCT_NONE)
		return found;
	for (uint32_t at = parent; at != PE_CCT_NONE; at = builder->made.data[at].parent) {
		if (builder->made.data[at].frame == frame && builder->made.data[at].site == site) {
			builder->made.data[at].flags |= PE_CCT_FOLDED;
			return at;
		}
		/* A program that starts itself is no recursion. */
		if (pe_cct_builder_is_process(builder, at))
			break;
	}
	return add_child(builder, hash, parent, builder->made.data[parent].last, frame, site);
}

const struct pe_cct_made *pe_cct_builder_node(const struct pe_cct_builder *builder, uint32_t node)
{
	return &builder->made.data[node];
}

struct pe_cct_values *pe_cct_builder_at(struct pe_cct_builder *builder, uint32_t node)
{
	return &builder->made.data[node].values;
}

void pe_cct_builder_add(struct pe_cct_builder *builder, uint32_t node, const struct pe_cct *cct,
			uint32_t from)
{
	struct pe_cct_values *to = pe_cct_builder_at(builder, node);

	for (int c = 0; c < PE_CCT_N_COLUMNS; c++)
		if (cct->columns[c] != NULL)
			pe_cct_add(&to->of[c], cct->columns[c][from]);
}

uint32_t *pe_cct_builder_copy(struct pe_cct_builder *builder, const struct pe_cct *cct,
			      struct pe_arena *arena)
{
	uint32_t *copy_of = pe_arena_new(arena, uint32_t, cct->n);

	for (uint32_t i = 0; i < cct->n; i++) {
		const struct pe_cct_node *node = &cct->nodes[i];

		copy_of[i] = i == 0 ? 0
				    : pe_cct_builder_child(builder, copy_of[node->parent],
							   node->frame, node->site);
		pe_cct_builder_flag(builder, copy_of[i], cct->flags[i]);
		pe_cct_builder_add(builder, copy_of[i], cct, i);
	}
	return copy_of;
}

void pe_cct_builder_flag(struct pe_cct_builder *builder, uint32_t node, unsigned flags)
{
	builder->made.data[node].flags |= flags;
}

void pe_cct_builder_vary(struct pe_cct_builder *builder, uint32_t node,
			 const struct pe_cct_range *range)
{
	struct pe_cct_range one = *range;

	one.node = node;
	builder->made.data[node].flags |= PE_CCT_UNSTABLE;
	pe_vec_push(&builder->ranges, one);
}

void pe_cct_builder_vary_all(struct pe_cct_builder *builder, const struct pe_cct *cct,
			     const uint32_t *became)
{
	for (uint32_t i = 0; i < cct->n_ranges; i++)
		pe_cct_builder_vary(builder, became[cct->ranges[i].node], &cct->ranges[i]);
}

uint32_t pe_cct_builder_count(const struct pe_cct_builder *builder)
{
	return (uint32_t)builder->made.n;
}

void pe_cct_builder_know(struct pe_cct_builder *builder, unsigned known)
{
	builder->known |= known;
}

static void put_values(struct pe_cct *cct, uint32_t to, const struct pe_cct_values *values)
{
	for (int c = 0; c < PE_CCT_N_COLUMNS; c++)
		if (cct->columns[c] != NULL)
			cct->columns[c][to] = values->of[c];
}

/* Number the nodes in preorder. Each node's place is stored in its own `last`, which is not needed any more. */
static void lay_out(struct pe_cct *cct, struct pe_cct_builder *builder)
{
	uint32_t node = 0, placed = 0;

	while (node != PE_CCT_NONE) {
		struct pe_cct_made *made = &builder->made.data[node];
		uint32_t to = placed++;

		made->last = to;
		cct->nodes[to] = (struct pe_cct_node){
			.parent = node == 0 ? PE_CCT_NONE : builder->made.data[made->parent].last,
			.frame = made->frame,
			.site = made->site,
		};
		cct->flags[to] = (uint8_t)made->flags;
		put_values(cct, to, &made->values);
		if (made->first != PE_CCT_NONE) {
			node = made->first;
			continue;
		}
		while (node != PE_CCT_NONE) {
			cct->nodes[builder->made.data[node].last].end = placed;
			if (builder->made.data[node].next != PE_CCT_NONE) {
				node = builder->made.data[node].next;
				break;
			}
			node = builder->made.data[node].parent;
		}
	}
}

PE_SORT_BY(by_node, struct pe_cct_range, node);

static void add_range(struct pe_cct_range *to, const struct pe_cct_range *range)
{
	to->runs = range->runs > to->runs ? range->runs : to->runs;
	for (int c = 0; c < PE_CCT_N_COUNTS; c++) {
		pe_cct_add(&to->less[c], range->less[c]);
		pe_cct_add(&to->more[c], range->more[c]);
	}
}

/* After lay_out(), `last` of a node is its place. */
static void lay_ranges(struct pe_cct *cct, struct pe_cct_builder *builder, struct pe_arena *arena)
{
	size_t n = builder->ranges.n;

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		builder->ranges.data[i].node =
			builder->made.data[builder->ranges.data[i].node].last;
	pe_sort(builder->ranges.data, n, by_node);
	cct->ranges = pe_arena_new(arena, struct pe_cct_range, n);
	for (size_t i = 0; i < n; i++) {
		const struct pe_cct_range *range = &builder->ranges.data[i];

		if (cct->n_ranges > 0 && cct->ranges[cct->n_ranges - 1].node == range->node)
			add_range(&cct->ranges[cct->n_ranges - 1], range);
		else
			cct->ranges[cct->n_ranges++] = *range;
	}
}

struct pe_cct *pe_cct_builder_finish_placed(uint32_t *place, struct pe_cct_builder *builder,
					    const struct pe_cct_facts *facts,
					    struct pe_arena *arena)
{
	struct pe_cct *cct =
		pe_cct_new(builder->frames, (uint32_t)builder->made.n, builder->known, arena);

	lay_out(cct, builder);
	lay_ranges(cct, builder, arena);
	for (size_t i = 0; place != NULL && i < builder->made.n; i++)
		place[i] = builder->made.data[i].last;
	cct->facts = *facts;
	pe_cct_sum(cct);
	if (cct->facts.duration_ns == 0 && cct->total_ns != NULL)
		cct->facts.duration_ns = cct->total_ns[0];
	pe_cct_builder_free(builder);
	return cct;
}

struct pe_cct *pe_cct_builder_finish(struct pe_cct_builder *builder,
				     const struct pe_cct_facts *facts, struct pe_arena *arena)
{
	return pe_cct_builder_finish_placed(NULL, builder, facts, arena);
}

void pe_cct_builder_free(struct pe_cct_builder *builder)
{
	if (builder == NULL)
		return;
	pe_vec_release(&builder->made);
	pe_hash_index_release(&builder->index);
	pe_vec_release(&builder->ranges);
	free(builder);
}
