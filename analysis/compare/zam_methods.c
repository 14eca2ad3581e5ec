/* ZAM: own times of methods, over all contexts. */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of own time by method. */
struct sums {
	double *old_ns, *new_ns; /* by key, over all pairs */
	double *least;           /* the smallest difference of any pair */
	uint32_t *contexts, *now;
};

static void sum_pair(struct sums *sums, const struct pe_cct *old_cct, const struct pe_cct *new_cct,
		     const uint32_t *key, uint32_t n_keys, double *before, double *after)
{
	memset(before, 0, n_keys * sizeof(*before));
	memset(after, 0, n_keys * sizeof(*after));
	memset(sums->now, 0, n_keys * sizeof(*sums->now));
	for (uint32_t i = 0; i < old_cct->n; i++)
		before[key[old_cct->nodes[i].frame]] += (double)old_cct->self_ns[i];
	for (uint32_t j = 0; j < new_cct->n; j++) {
		after[key[new_cct->nodes[j].frame]] += (double)new_cct->self_ns[j];
		sums->now[key[new_cct->nodes[j].frame]]++;
	}
	for (uint32_t k = 0; k < n_keys; k++) {
		sums->old_ns[k] += before[k];
		sums->new_ns[k] += after[k];
		sums->least[k] = fmin(sums->least[k], after[k] - before[k]);
		if (sums->now[k] > sums->contexts[k])
			sums->contexts[k] = sums->now[k];
	}
}

static int by_difference(const void *x, const void *y)
{
	const struct pe_zam_method *a = x, *b = y;
	double size_a = a->new_ns - a->old_ns, size_b = b->new_ns - b->old_ns;

	if (size_a != size_b)
		return size_a > size_b ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

/* Whether a method became slower in every pair, by its sums. */
static bool is_slower(const struct pe_zam *out, const struct sums *sums, uint32_t k)
{
	return sums->least[k] >= (double)out->min_own_ns;
}

void pe_zam_methods_sum(struct pe_zam *out, const struct zam_profiles *profiles,
			struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	struct pe_frames *frames = profiles->news[0]->frames;
	uint32_t n = frames->n;
	const uint32_t *key = pe_side_keys(frames, NULL, true, &work);
	uint8_t *is_cause = pe_arena_new(&work, uint8_t, n);
	double *before = pe_arena_new(&work, double, n), *after = pe_arena_new(&work, double, n);
	struct sums sums = {
		.old_ns = pe_arena_new(&work, double, n),
		.new_ns = pe_arena_new(&work, double, n),
		.least = pe_arena_new(&work, double, n),
		.contexts = pe_arena_new(&work, uint32_t, n),
		.now = pe_arena_new(&work, uint32_t, n),
	};

	for (uint32_t k = 0; k < n; k++)
		sums.least[k] = INFINITY;
	for (uint32_t i = 0; i < profiles->n; i++)
		sum_pair(&sums, profiles->olds[i], profiles->news[i], key, n, before, after);
	for (uint32_t i = 0; i < out->n; i++)
		if (out->nodes[i].cause)
			is_cause[key[out->nodes[i].frame]] = 1;
	for (uint32_t k = 0; k < n; k++) {
		if (frames->at[k].kind == PE_FRAME_WAITING)
			sums.least[k] = 0;
		out->n_methods += is_slower(out, &sums, k);
	}
	out->methods = pe_arena_new(arena, struct pe_zam_method, out->n_methods);
	out->n_methods = 0;
	for (uint32_t k = 0; k < n; k++)
		if (is_slower(out, &sums, k))
			out->methods[out->n_methods++] = (struct pe_zam_method){
				.frame = k,
				.old_ns = sums.old_ns[k] / profiles->n,
				.new_ns = sums.new_ns[k] / profiles->n,
				.contexts = sums.contexts[k],
				.in_graph = is_cause[k] != 0,
			};
	if (out->n_methods > 1)
		qsort(out->methods, out->n_methods, sizeof(*out->methods), by_difference);
}
