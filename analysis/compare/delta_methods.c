/* Delta methods: each method's own cost in a delta tree on both sides, over all its contexts. */
#include "analysis/compare/delta.h"

#include <stdlib.h>

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

static void add_node(struct pe_delta_method *method, const struct pe_delta *delta, uint32_t node)
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
		add_node(&out->at[number[delta->nodes[i].frame] - 1], delta, i);
	qsort(out->at, out->n, sizeof(*out->at), by_size);
}
