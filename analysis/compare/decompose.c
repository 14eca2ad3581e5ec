/* Decompose: a difference as a sum, exact to the last nanosecond: every step takes a part and leaves the rest. */
#include "analysis/compare/delta.h"

#include <stdlib.h>

static const char *const part_names[PE_N_PARTS] = {
	[PE_PART_ADDED] = "calls added",         [PE_PART_REMOVED] = "calls removed",
	[PE_PART_CALLS] = "more or fewer calls", [PE_PART_PER_CALL] = "cost per call",
	[PE_PART_UNSPLIT] = "calls not known",   [PE_PART_REST] = "unexplained",
};

static const struct {
	enum pe_delta_metric own, total;
} metrics[PE_N_COSTS] = {
	[PE_COST_TIME] = {PE_DELTA_SELF_NS, PE_DELTA_TOTAL_NS},
	[PE_COST_ALLOCATIONS] = {PE_DELTA_ALLOCATIONS, PE_DELTA_TOTAL_ALLOCATIONS},
	[PE_COST_BYTES] = {PE_DELTA_BYTES, PE_DELTA_TOTAL_BYTES},
	[PE_COST_INSTRUCTIONS] = {PE_DELTA_INSTRUCTIONS, PE_DELTA_TOTAL_INSTRUCTIONS},
};

const char *pe_part_name(enum pe_part part)
{
	return part_names[part];
}

enum pe_delta_metric pe_cost_total(enum pe_cost cost)
{
	return metrics[cost].total;
}

bool pe_delta_knows(const struct pe_delta *delta, enum pe_cost cost)
{
	return pe_delta_values(delta, 0, metrics[cost].own).known;
}

/* Two's complement: what passes the range comes back with the parts that are subtracted again. */
static void add(int64_t *to, int64_t value)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)value);
}

/* What the difference in calls costs at the old price of a call; whatever is cut off is left to the rest. */
static int64_t cost_of_calls(struct pe_delta_values calls, uint64_t old_cost)
{
	const double most = 4e18;
	int64_t product;
	double cost;

	if (old_cost <= INT64_MAX && calls.old_value <= INT64_MAX &&
	    !__builtin_mul_overflow(pe_delta_difference(calls), (int64_t)old_cost, &product))
		return product / (int64_t)calls.old_value;
	cost = (double)pe_delta_difference(calls) * (double)old_cost / (double)calls.old_value;
	if (cost > most)
		cost = most;
	return (int64_t)(cost < -most ? -most : cost);
}

struct pe_parts pe_delta_parts(const struct pe_delta *delta, uint32_t node, enum pe_cost cost)
{
	struct pe_delta_values values = pe_delta_values(delta, node, metrics[cost].own);
	struct pe_delta_values calls;
	struct pe_parts parts = {{0}};
	int64_t difference;

	if (!values.known)
		return parts;
	difference = pe_delta_difference(values);
	switch (pe_delta_state(delta, node)) {
	case PE_DELTA_ADDED:
		parts.part[PE_PART_ADDED] = difference;
		return parts;
	case PE_DELTA_REMOVED:
		parts.part[PE_PART_REMOVED] = difference;
		return parts;
	default:
		break;
	}
	calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	if (!calls.known || (calls.old_value == 0 && calls.new_value == 0)) {
		parts.part[PE_PART_UNSPLIT] = difference;
	} else if (calls.old_value == 0) {
		parts.part[PE_PART_CALLS] = difference;
	} else {
		parts.part[PE_PART_CALLS] = cost_of_calls(calls, values.old_value);
		add(&parts.part[PE_PART_PER_CALL], difference);
		add(&parts.part[PE_PART_PER_CALL], -parts.part[PE_PART_CALLS]);
	}
	return parts;
}

static void add_parts(struct pe_parts *to, const struct pe_parts *parts)
{
	for (int i = 0; i < PE_N_PARTS; i++)
		add(&to->part[i], parts->part[i]);
}

static void add_node(struct pe_delta_method *method, const struct pe_delta *delta, uint32_t node)
{
	const struct pe_delta_node *at = &delta->nodes[node];
	struct pe_delta_values calls = pe_delta_values(delta, node, PE_DELTA_CALLS);
	struct pe_delta_values own = pe_delta_values(delta, node, PE_DELTA_SELF_NS);
	struct pe_delta_values allocations = pe_delta_values(delta, node, PE_DELTA_ALLOCATIONS);
	struct pe_delta_values instructions = pe_delta_values(delta, node, PE_DELTA_INSTRUCTIONS);

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
	if (at->old_node != PE_CCT_NONE)
		method->variance_old_ns2 += pe_runs_variance(delta->old_runs, at->old_node, false);
	if (at->new_node != PE_CCT_NONE)
		method->variance_new_ns2 += pe_runs_variance(delta->new_runs, at->new_node, false);
}

static uint64_t size_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* A method by how much it differs. */
struct ranked {
	uint64_t size[PE_N_COSTS];
	uint32_t frame, at;
};

static int by_size(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	for (int cost = 0; cost < PE_N_COSTS; cost++)
		if (a->size[cost] != b->size[cost])
			return a->size[cost] > b->size[cost] ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

/* The methods in order; small keys are sorted, and each method is moved once. */
static void hand_over(struct pe_decomposition *out, const struct pe_delta_method *methods,
		      struct pe_arena *arena)
{
	pe_auto_free struct ranked *order = pe_realloc(NULL, out->n_methods, sizeof(*order));

	for (uint32_t i = 0; i < out->n_methods; i++) {
		order[i] = (struct ranked){.frame = methods[i].frame, .at = i};
		for (int cost = 0; cost < PE_N_COSTS; cost++)
			order[i].size[cost] = size_of(pe_parts_sum(&methods[i].parts[cost]));
	}
	qsort(order, out->n_methods, sizeof(*order), by_size);
	out->methods = pe_arena_new(arena, struct pe_delta_method, out->n_methods);
	for (uint32_t i = 0; i < out->n_methods; i++)
		out->methods[i] = methods[order[i].at];
}

static void find_wholes(struct pe_decomposition *out, const struct pe_delta *delta)
{
	const struct pe_cct *old_cct = delta->old_runs->cct, *new_cct = delta->new_runs->cct;

	for (int cost = 0; cost < PE_N_COSTS; cost++) {
		struct pe_delta_values total = pe_delta_values(delta, 0, metrics[cost].total);

		out->known[cost] = total.known && pe_delta_knows(delta, (enum pe_cost)cost);
		if (cost == PE_COST_TIME && total.known &&
		    old_cct->facts.duration_ns >= total.old_value &&
		    new_cct->facts.duration_ns >= total.new_value) {
			total.old_value = old_cct->facts.duration_ns;
			total.new_value = new_cct->facts.duration_ns;
		}
		if (cost == PE_COST_INSTRUCTIONS) {
			total.old_value = delta->old_runs->whole_instructions;
			total.new_value = delta->new_runs->whole_instructions;
		}
		out->whole[cost] = pe_delta_difference(total);
	}
}

void pe_delta_decompose(struct pe_decomposition *out, const struct pe_delta *delta,
			struct pe_arena *arena)
{
	uint32_t n_frames = delta->frames->n;
	uint32_t *number = calloc(n_frames, sizeof(*number)); /* 1 + place among the methods */
	struct pe_delta_method *methods;

	if (number == NULL)
		pe_out_of_memory(n_frames * sizeof(*number));
	*out = (struct pe_decomposition){0};
	find_wholes(out, delta);
	for (uint32_t i = 0; i < delta->n; i++)
		if (number[delta->nodes[i].frame] == 0)
			number[delta->nodes[i].frame] = ++out->n_methods;
	methods = calloc(out->n_methods, sizeof(*methods));
	if (methods == NULL)
		pe_out_of_memory(out->n_methods * sizeof(*methods));
	for (uint32_t i = 0; i < delta->n; i++) {
		struct pe_delta_method *method = &methods[number[delta->nodes[i].frame] - 1];

		method->frame = delta->nodes[i].frame;
		add_node(method, delta, i);
		for (int cost = 0; cost < PE_N_COSTS; cost++) {
			struct pe_parts parts;

			if (!out->known[cost])
				continue;
			parts = pe_delta_parts(delta, i, (enum pe_cost)cost);
			add_parts(&method->parts[cost], &parts);
			add_parts(&out->parts[cost], &parts);
		}
	}
	free(number);
	for (int cost = 0; cost < PE_N_COSTS; cost++) {
		int64_t *rest = &out->parts[cost].part[PE_PART_REST];

		if (!out->known[cost])
			continue;
		add(rest, out->whole[cost]);
		for (int part = 0; part < PE_PART_REST; part++)
			add(rest, (int64_t)(-(uint64_t)out->parts[cost].part[part]));
	}
	hand_over(out, methods, arena);
	free(methods);
}
