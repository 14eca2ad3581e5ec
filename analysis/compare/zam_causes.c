/* The critical graph where changes are known: the paths to the causes of the attribution. */
#include "analysis/compare/zam_steps.h"

struct marks {
	const struct pe_delta *delta;
	uint8_t *in;      /* by node of the delta tree: 1: on a path; 2: a cause shows there */
	uint32_t *blamed; /* by node of the delta tree, of a cause: its node to look at */
};

static void mark_way(struct marks *marks, const struct pe_cause_part *part, uint32_t who)
{
	const struct pe_delta_node *nodes = marks->delta->nodes;

	if (part->amount <= 0 || part->node == PE_CCT_NONE ||
	    nodes[part->node].new_node == PE_CCT_NONE)
		return;
	marks->blamed[part->node] = part->node;
	for (uint32_t i = part->node; i != PE_CCT_NONE; i = nodes[i].parent) {
		if (nodes[i].frame != who)
			continue;
		marks->blamed[part->node] = i;
		break;
	}
	for (uint32_t i = part->node; i != PE_CCT_NONE && marks->in[i] == 0; i = nodes[i].parent)
		marks->in[i] = 1;
	marks->in[part->node] = 2;
}

static void add_waiting(struct pe_zam *out, const struct pe_delta *delta, const uint32_t *at)
{
	for (uint32_t i = 1; i < delta->n; i++) {
		struct pe_delta_values ns = pe_delta_values(delta, i, PE_DELTA_SELF_NS);

		if (delta->frames->at[delta->nodes[i].frame].kind != PE_FRAME_WAITING)
			continue;
		for (uint32_t j = i; j != PE_CCT_NONE; j = delta->nodes[j].parent) {
			if (at[j] == PE_CCT_NONE)
				continue;
			out->nodes[at[j]].old_waiting_ns += (double)ns.old_value;
			out->nodes[at[j]].new_waiting_ns += (double)ns.new_value;
		}
	}
}

static void put_node(struct pe_zam *out, const struct marks *marks, uint32_t i, const uint32_t *at)
{
	const struct pe_delta_node *node = &marks->delta->nodes[i];
	const struct pe_delta_values ns = pe_delta_values(marks->delta, i, PE_DELTA_TOTAL_NS);
	const bool cause = marks->in[i] == 2;

	out->nodes[at[i]] = (struct pe_zam_node){
		.parent = i > 0 ? at[node->parent] : PE_CCT_NONE,
		.end = at[i] + 1,
		.frame = node->frame,
		.node = i,
		.added = node->old_node == PE_CCT_NONE,
		.cause = cause,
		.blamed = cause ? at[marks->blamed[i]] : PE_CCT_NONE,
		.old_ns = (double)ns.old_value,
		.new_ns = (double)ns.new_value,
	};
	out->causes += cause;
}

static void sum_methods(struct pe_zam *out, const struct marks *marks,
			const struct pe_attribution *causes, struct pe_arena *arena)
{
	const struct pe_delta *delta = marks->delta;
	pe_auto_arena work = PE_ARENA_INIT;
	double *gains = pe_arena_new(&work, double, delta->frames->n);
	struct pe_zam_method *all = pe_arena_new(arena, struct pe_zam_method, delta->frames->n);

	for (uint32_t i = 0; i < delta->n; i++) {
		struct pe_zam_method *method = &all[delta->nodes[i].frame];
		struct pe_delta_values ns = pe_delta_values(delta, i, PE_DELTA_SELF_NS);

		method->in_graph = method->in_graph || marks->in[i] == 2;
		if (causes->cause_of[i] == 0)
			continue;
		method->old_ns += (double)ns.old_value;
		method->new_ns += (double)ns.new_value;
		method->contexts += delta->nodes[i].new_node != PE_CCT_NONE;
	}
	for (uint32_t f = 0; f < delta->frames->n; f++)
		gains[f] = all[f].new_ns - all[f].old_ns;
	pe_zam_methods_keep(out, all, gains, delta->frames->n);
}

void pe_zam_of_causes(struct pe_zam *out, const struct pe_delta *delta,
		      const struct pe_attribution *causes, int64_t least_ns, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct marks marks = {delta, pe_arena_new(&work, uint8_t, delta->n),
			      pe_arena_new(&work, uint32_t, delta->n)};
	uint32_t *at = pe_arena_new(&work, uint32_t, delta->n);
	const uint64_t least = least_ns > 1 ? (uint64_t)least_ns : 1;

	*out = (struct pe_zam){.min_ns = least,
			       .min_waiting_ns = least,
			       .min_own_ns = least,
			       .min_from_noise = true,
			       .pairs = 1,
			       .nodes_in = delta->new_runs->cct->n};
	marks.in[0] = 1;
	for (uint32_t c = 0; c < causes->n; c++)
		for (uint32_t p = 0; p < causes->causes[c].n_parts; p++)
			mark_way(&marks, &causes->causes[c].parts[p], causes->causes[c].frame);
	for (uint32_t i = 0; i < delta->n; i++)
		at[i] = marks.in[i] != 0 ? out->n++ : PE_CCT_NONE;
	out->nodes = pe_arena_new(arena, struct pe_zam_node, out->n);
	for (uint32_t i = 0; i < delta->n; i++)
		if (at[i] != PE_CCT_NONE)
			put_node(out, &marks, i, at);
	for (uint32_t i = out->n; i-- > 1;)
		if (out->nodes[out->nodes[i].parent].end < out->nodes[i].end)
			out->nodes[out->nodes[i].parent].end = out->nodes[i].end;
	add_waiting(out, delta, at);
	sum_methods(out, &marks, causes, arena);
}
