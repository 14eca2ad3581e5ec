/*
 * Delta: merges two trees. A joint number is a node's number in the new tree, or for a removed node its number in the old
 * tree plus the size of the new one. In the end, nodes are laid out in preorder.
 */
#include "analysis/compare/delta.h"

#include "core/base/sort.h"

/* The merged tree before it is laid out: links by joint number. */
struct merge {
	const struct pe_cct *old_cct, *new_cct;
	const struct pe_match *match;
	uint32_t n_new;
	uint32_t *parent, *first, *next, *last;
};

static uint32_t joint_old(const struct merge *merge, uint32_t i)
{
	uint32_t j = merge->match->to_new[i];

	return j != PE_CCT_NONE ? j : merge->n_new + i;
}

static bool is_root(const struct merge *merge, uint32_t joint)
{
	return joint == 0 || joint == merge->n_new;
}

/*
 * Set the parents of the merged tree. A pair whose old parent is removed goes below that parent, else below its new parent:
 * at most one of both paths has nodes of its own (match.h, promise 2).
 */
static void set_parents(struct merge *merge)
{
	for (uint32_t j = 1; j < merge->n_new; j++) {
		uint32_t i = merge->match->to_old[j];
		uint32_t above = i != PE_CCT_NONE ? merge->old_cct->nodes[i].parent : PE_CCT_NONE;

		merge->parent[j] =
			above != PE_CCT_NONE && merge->match->to_new[above] == PE_CCT_NONE
				? merge->n_new + above
				: merge->new_cct->nodes[j].parent;
	}
	for (uint32_t i = 1; i < merge->old_cct->n; i++)
		if (merge->match->to_new[i] == PE_CCT_NONE)
			merge->parent[merge->n_new + i] =
				joint_old(merge, merge->old_cct->nodes[i].parent);
}

static void append(struct merge *merge, uint32_t joint)
{
	uint32_t parent = merge->parent[joint];

	if (merge->first[parent] == PE_CCT_NONE)
		merge->first[parent] = joint;
	else
		merge->next[merge->last[parent]] = joint;
	merge->last[parent] = joint;
}

static void insert_after(struct merge *merge, uint32_t joint, uint32_t elder)
{
	uint32_t parent = merge->parent[joint];

	if (elder == PE_CCT_NONE) {
		merge->next[joint] = merge->first[parent];
		merge->first[parent] = joint;
	} else {
		merge->next[joint] = merge->next[elder];
		merge->next[elder] = joint;
	}
	if (merge->last[parent] == elder || merge->last[parent] == PE_CCT_NONE)
		merge->last[parent] = joint;
}

/* Link siblings in the new order; then insert each removed node after its elder sibling of the old tree. */
static void link_siblings(struct merge *merge)
{
	const struct pe_cct *old_cct = merge->old_cct;

	for (uint32_t j = 1; j < merge->n_new; j++)
		append(merge, j);
	for (uint32_t p = 0; p < old_cct->n; p++) {
		uint32_t elder = PE_CCT_NONE, joint_parent = joint_old(merge, p);

		for (uint32_t c = pe_cct_first(old_cct, p); c != PE_CCT_NONE;
		     c = pe_cct_next(old_cct, c)) {
			uint32_t joint = joint_old(merge, c);

			if (merge->match->to_new[c] == PE_CCT_NONE)
				insert_after(merge, joint, elder);
			if (merge->parent[joint] == joint_parent)
				elder = joint;
		}
	}
}

static void place_node(const struct merge *merge, struct pe_delta *out, uint32_t joint,
		       uint32_t parent)
{
	struct pe_delta_node *node = &out->nodes[out->n];
	bool removed = joint >= merge->n_new;
	uint32_t i = removed ? joint - merge->n_new : merge->match->to_old[joint];

	*node = (struct pe_delta_node){
		.parent = parent,
		.frame = removed ? merge->old_cct->nodes[i].frame
				 : merge->new_cct->nodes[joint].frame,
		.old_node = i,
		.new_node = removed ? PE_CCT_NONE : joint,
	};
	out->both += !removed && i != PE_CCT_NONE;
	out->added += i == PE_CCT_NONE;
	out->removed += removed;
	out->n++;
}

/* Lay out in preorder: go to the first child, else to the next sibling of the nearest node that has one. */
static void lay_out(const struct merge *merge, struct pe_delta *out)
{
	uint32_t joint = 0, parent = PE_CCT_NONE;

	for (;;) {
		uint32_t at = out->n;

		place_node(merge, out, joint, parent);
		if (merge->first[joint] != PE_CCT_NONE) {
			joint = merge->first[joint];
			parent = at;
			continue;
		}
		out->nodes[at].end = out->n;
		while (!is_root(merge, joint) && merge->next[joint] == PE_CCT_NONE) {
			joint = merge->parent[joint];
			out->nodes[parent].end = out->n;
			parent = out->nodes[parent].parent;
		}
		if (is_root(merge, joint))
			break;
		joint = merge->next[joint];
	}
}

void pe_delta_make(struct pe_delta *out, const struct pe_runs *old_runs,
		   const struct pe_runs *new_runs, const struct pe_match *match,
		   struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct merge merge = {
		.old_cct = old_runs->cct,
		.new_cct = new_runs->cct,
		.match = match,
		.n_new = new_runs->cct->n,
	};
	size_t joint = (size_t)merge.n_new + merge.old_cct->n;

	*out = (struct pe_delta){
		.old_runs = old_runs,
		.new_runs = new_runs,
		.match = match,
		.frames = old_runs->cct->frames,
		.nodes = pe_arena_new(arena, struct pe_delta_node, joint - match->pairs),
	};
	merge.parent = pe_cct_no_nodes(joint, &work);
	merge.first = pe_cct_no_nodes(joint, &work);
	merge.next = pe_cct_no_nodes(joint, &work);
	merge.last = pe_cct_no_nodes(joint, &work);
	set_parents(&merge);
	link_siblings(&merge);
	lay_out(&merge, out);
}

/* --- Methods: own costs over all contexts --- */

static const struct {
	enum pe_delta_metric own, total;
} metrics[] = {
	[PE_COST_TIME] = {PE_DELTA_SELF_NS, PE_DELTA_TOTAL_NS},
	[PE_COST_ALLOCATIONS] = {PE_DELTA_ALLOCATIONS, PE_DELTA_TOTAL_ALLOCATIONS},
	[PE_COST_BYTES] = {PE_DELTA_BYTES, PE_DELTA_TOTAL_BYTES},
	[PE_COST_INSTRUCTIONS] = {PE_DELTA_INSTRUCTIONS, PE_DELTA_TOTAL_INSTRUCTIONS},
	[PE_COST_CALLS] = {PE_DELTA_CALLS, PE_DELTA_CALLS},
};

enum pe_delta_metric pe_cost_own(enum pe_cost cost)
{
	return metrics[cost].own;
}

enum pe_delta_metric pe_cost_total(enum pe_cost cost)
{
	return metrics[cost].total;
}

bool pe_delta_knows(const struct pe_delta *delta, enum pe_cost cost)
{
	return pe_delta_values(delta, 0, metrics[cost].own).known;
}

static void add_method(struct pe_delta_method *method, const struct pe_delta *delta, uint32_t node)
{
	const struct pe_delta_node *at = &delta->nodes[node];
	struct pe_delta_values calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	struct pe_delta_values own = pe_delta_values(delta, node, PE_DELTA_SELF_NS);
	struct pe_delta_values allocations = pe_delta_values(delta, node, PE_DELTA_ALLOCATIONS);
	struct pe_delta_values instructions = pe_delta_values(delta, node, PE_DELTA_INSTRUCTIONS);

	method->frame = at->frame;
	method->contexts_old += at->old_node != PE_CCT_NONE;
	method->contexts_new += at->new_node != PE_CCT_NONE;
	method->calls_old += calls.old_value;
	method->calls_new += calls.new_value;
	method->self_old_ns += own.old_value;
	method->self_new_ns += own.new_value;
	method->allocations_old += allocations.old_value;
	method->allocations_new += allocations.new_value;
	method->instructions_old += instructions.old_value;
	method->instructions_new += instructions.new_value;
	/* Two's complement: an overflow of a partial sum does not change the whole sum. */
	for (int cost = 0; cost < PE_N_COSTS; cost++)
		method->difference[cost] = (int64_t)((uint64_t)method->difference[cost] +
						     (uint64_t)pe_delta_difference(pe_delta_values(
							     delta, node, metrics[cost].own)));
}

static uint64_t size_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int by_size(const void *x, const void *y)
{
	const struct pe_delta_method *a = x, *b = y;

	for (int cost = 0; cost < PE_N_COSTS; cost++) {
		uint64_t size_a = size_of(a->difference[cost]),
			 size_b = size_of(b->difference[cost]);

		if (size_a != size_b)
			return size_a > size_b ? -1 : 1;
	}
	return (a->frame > b->frame) - (a->frame < b->frame);
}

void pe_delta_methods_sum(struct pe_delta_methods *out, const struct pe_delta *delta,
			  struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	/* By frame: 1 + index among the methods. */
	uint32_t *number = pe_arena_new(&work, uint32_t, delta->frames->n);

	*out = (struct pe_delta_methods){NULL, 0};
	for (uint32_t i = 0; i < delta->n; i++)
		if (number[delta->nodes[i].frame] == 0)
			number[delta->nodes[i].frame] = ++out->n;
	out->at = pe_arena_new(arena, struct pe_delta_method, out->n);
	for (uint32_t i = 0; i < delta->n; i++)
		add_method(&out->at[number[delta->nodes[i].frame] - 1], delta, i);
	pe_sort(out->at, out->n, by_size);
}
