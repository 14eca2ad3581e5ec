/* ZAM: own times of methods, over all contexts. */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/pairing.h"
#include "core/base/sort.h"

#include <math.h>

static int by_gain(const void *x, const void *y)
{
	const struct pe_zam_method *a = x, *b = y;
	double gain_a = a->new_ns - a->old_ns, gain_b = b->new_ns - b->old_ns;

	if (gain_a != gain_b)
		return gain_a > gain_b ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

void pe_zam_methods_keep(struct pe_zam *out, struct pe_zam_method *all, const double *gains,
			 uint32_t n)
{
	out->methods = all;
	for (uint32_t f = 0; f < n; f++) {
		struct pe_zam_method method = all[f];

		method.frame = f;
		if (gains[f] >= (double)out->min_own_ns)
			out->methods[out->n_methods++] = method;
	}
	pe_sort(out->methods, out->n_methods, by_gain);
}

/* Add one pair to the sums of methods; a gain is the smallest difference of any pair. */
static void add_pair(struct pe_zam_method *all, double *gains, const struct pe_cct *old_cct,
		     const struct pe_cct *new_cct, const uint32_t *key)
{
	const uint32_t n = new_cct->frames->n;
	pe_auto_arena work = PE_ARENA_INIT;
	double *apart = pe_arena_new(&work, double, n);
	uint32_t *contexts = pe_arena_new(&work, uint32_t, n);

	for (uint32_t i = 0; i < old_cct->n; i++) {
		const uint32_t k = key[old_cct->nodes[i].frame];

		all[k].old_ns += (double)old_cct->self_ns[i];
		apart[k] -= (double)old_cct->self_ns[i];
	}
	for (uint32_t j = 0; j < new_cct->n; j++) {
		const uint32_t k = key[new_cct->nodes[j].frame];

		all[k].new_ns += (double)new_cct->self_ns[j];
		apart[k] += (double)new_cct->self_ns[j];
		contexts[k]++;
	}
	for (uint32_t k = 0; k < n; k++) {
		gains[k] = fmin(gains[k], apart[k]);
		if (contexts[k] > all[k].contexts)
			all[k].contexts = contexts[k];
	}
}

void pe_zam_methods_sum(struct pe_zam *out, const struct zam_profiles *profiles,
			struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	const struct pe_frames *frames = profiles->news[0]->frames;
	const uint32_t *key = pe_side_keys(frames, NULL, true, &work);
	struct pe_zam_method *all = pe_arena_new(arena, struct pe_zam_method, frames->n);
	double *gains = pe_arena_new(&work, double, frames->n);

	for (uint32_t k = 0; k < frames->n; k++)
		gains[k] = frames->at[k].kind == PE_FRAME_WAITING ? 0 : INFINITY;
	for (uint32_t i = 0; i < profiles->n; i++)
		add_pair(all, gains, profiles->olds[i], profiles->news[i], key);
	for (uint32_t k = 0; k < frames->n; k++) {
		all[k].old_ns /= profiles->n;
		all[k].new_ns /= profiles->n;
	}
	for (uint32_t i = 0; i < out->n; i++)
		if (out->nodes[i].cause)
			all[key[out->nodes[i].frame]].in_graph = true;
	pe_zam_methods_keep(out, all, gains, frames->n);
}
