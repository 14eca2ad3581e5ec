#include "analysis/compare/zam_steps.h"

#include <math.h>

/* By key: gain of a method over all contexts, with its callees and without. */
struct net {
	double *total, *self;
};

static void add_tree(struct net *net, const struct pe_cct *cct, const struct zam_values *values,
		     const uint32_t *key, double sign)
{
	for (uint32_t i = 0; i < cct->n; i++) {
		net->total[key[cct->nodes[i].frame]] += sign * values->total[i];
		net->self[key[cct->nodes[i].frame]] += sign * values->own[i];
	}
}

struct zam_values pe_zam_times(const struct pe_cct *cct, bool waiting, struct pe_arena *arena)
{
	struct zam_values values = {pe_arena_new(arena, double, cct->n),
				    pe_arena_new(arena, double, cct->n)};

	for (uint32_t i = cct->n; i-- > 0;) {
		if (!waiting || pe_cct_frame(cct, i)->kind == PE_FRAME_WAITING)
			values.own[i] = (double)cct->self_ns[i];
		values.total[i] += values.own[i];
		if (i > 0)
			values.total[cct->nodes[i].parent] += values.total[i];
	}
	return values;
}

void pe_zam_gain_find(struct zam_gain *out, const struct pe_match *match,
		      const struct zam_values *old_values, const struct zam_values *new_values,
		      const uint32_t *key, struct pe_arena *arena)
{
	const struct pe_cct *old_cct = match->old_cct, *new_cct = match->new_cct;
	uint32_t n_frames = new_cct->frames->n;
	struct net net = {pe_arena_new(arena, double, n_frames),
			  pe_arena_new(arena, double, n_frames)};

	out->ns = pe_arena_new(arena, double, new_cct->n);
	out->moved = pe_arena_new(arena, double, new_cct->n);
	out->own = pe_arena_new(arena, double, new_cct->n);
	add_tree(&net, old_cct, old_values, key, -1);
	add_tree(&net, new_cct, new_values, key, 1);
	/* Children come first, so their sums are complete: out->moved always, out->ns where the parent is new. */
	for (uint32_t j = new_cct->n; j-- > 0;) {
		uint32_t i = match->to_old[j], k = key[new_cct->nodes[j].frame];
		uint32_t parent = new_cct->nodes[j].parent;

		out->own[j] = fmin(new_values->own[j] - (i != PE_CCT_NONE ? old_values->own[i] : 0),
				   fmax(0, net.self[k]));
		if (i == PE_CCT_NONE) {
			out->ns[j] = fmin(out->own[j] + out->ns[j], fmax(0, net.total[k]));
			out->moved[j] = new_values->total[j] - out->ns[j];
		} else {
			out->ns[j] = new_values->total[j] - old_values->total[i] - out->moved[j];
		}
		if (j == 0)
			break;
		out->moved[parent] += out->moved[j];
		if (match->to_old[parent] == PE_CCT_NONE)
			out->ns[parent] += out->ns[j];
	}
}
