/* ZAM: derives mu from the differences between runs of one revision. */
#include "analysis/compare/zam_steps.h"

#include "analysis/compare/pairing.h"
#include "core/stats/order.h"

#include <math.h>

/* The greatest difference of any node's times, or waiting times, between two runs of one revision. */
static double most_apart(const struct pe_match *match, bool waiting, struct pe_arena *arena)
{
	const double *a = pe_zam_times(match->old_cct, waiting, arena).total;
	const double *b = pe_zam_times(match->new_cct, waiting, arena).total;
	double most = 0;

	for (uint32_t i = 0; i < match->old_cct->n; i++) {
		uint32_t j = match->to_new[i];

		most = fmax(most, fabs(a[i] - (j != PE_CCT_NONE ? b[j] : 0)));
	}
	for (uint32_t j = 0; j < match->new_cct->n; j++)
		if (match->to_old[j] == PE_CCT_NONE)
			most = fmax(most, b[j]);
	return most;
}

static double middle(double *values, uint32_t n)
{
	return n > 0 ? pe_order_select(values, n, n / 2) : 0;
}

/* Own time by key, over all contexts. */
static const double *own_sums(const struct pe_cct *cct, const uint32_t *key, struct pe_arena *arena)
{
	double *sums = pe_arena_new(arena, double, cct->frames->n);

	for (uint32_t i = 0; i < cct->n; i++)
		if (pe_cct_frame(cct, i)->kind != PE_FRAME_WAITING)
			sums[key[cct->nodes[i].frame]] += (double)cct->self_ns[i];
	return sums;
}

/* The greatest difference of any method's own time between two runs of one side: the median of all such pairs. */
static double own_noise(const struct zam_profiles *profiles, struct pe_arena *arena)
{
	const struct pe_frames *frames = profiles->olds[0]->frames;
	const uint32_t *key = pe_side_keys(frames, NULL, true, arena);
	uint32_t n = profiles->n, pairs = 0;
	double *most = pe_arena_new(arena, double, (size_t)n *n);
	const double **sums = pe_arena_new(arena, const double *, 2 * (size_t)n);

	for (uint32_t i = 0; i < n; i++) {
		sums[i] = own_sums(profiles->olds[i], key, arena);
		sums[n + i] = own_sums(profiles->news[i], key, arena);
	}
	for (uint32_t i = 0; i < 2 * n; i++)
		for (uint32_t j = i + 1; j < (i < n ? n : 2 * n); j++, pairs++)
			for (uint32_t k = 0; k < frames->n; k++)
				most[pairs] = fmax(most[pairs], fabs(sums[i][k] - sums[j][k]));
	return middle(most, pairs);
}

/* Find the greatest differences between neighbouring runs of one side, of time and of waiting: n - 1 of each. */
static void side_noise(double *times, double *waits, const struct pe_cct *const *runs, uint32_t n,
		       const struct pe_match_opts *opts)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct pe_cct *a = runs[i - 1], *b = runs[i];
		pe_auto_arena work = PE_ARENA_INIT;
		struct pe_match match;

		pe_match_make(&match, a, b, opts, &work);
		times[i - 1] = most_apart(&match, false, &work);
		waits[i - 1] = most_apart(&match, true, &work);
	}
}

/*
 * Find mu: the median over both sides. It is not the maximum, because a sampler sometimes puts a long call below another
 * caller. It is not of one side alone, because with two pairs that is one value, which may be small by chance. A cause also
 * has to show in every pair.
 */
void pe_zam_noise_find(struct pe_zam *out, const struct zam_profiles *profiles,
		       const struct pe_match_opts *opts)
{
	pe_auto_arena work = PE_ARENA_INIT;
	uint32_t n = profiles->n, gaps = n - 1;
	double *times = pe_arena_new(&work, double, 2 * (size_t)n);
	double *waits = pe_arena_new(&work, double, 2 * (size_t)n);
	double whole = 0, least;

	side_noise(times, waits, profiles->olds, n, opts);
	side_noise(times + gaps, waits + gaps, profiles->news, n, opts);
	for (uint32_t i = 0; i < n; i++)
		whole += (double)profiles->olds[i]->total_ns[0] / n;
	least = fmax(1, floor(whole / 100));
	out->min_ns = (uint64_t)fmax(least, middle(times, 2 * gaps));
	out->min_waiting_ns = (uint64_t)fmax(least, middle(waits, 2 * gaps));
	out->min_own_ns = (uint64_t)fmax(least, own_noise(profiles, &work));
}
