#include "core/stats/run_likelihood.h"

#include "core/stats/order.h"
#include "core/stats/staircase_inner.h"

#include <math.h>
#include <stdlib.h>

/* Lower bound of a single commit's log-likelihood: half of its limit in squared deviations (pin.c). */
#define LEAST (-12.5)

struct pe_run_likelihood {
	const struct pe_staircase_model *model;
	const double *stray;
	struct pe_staircase_curve *curves; /* logarithms, 0 at most; n is 0 until it is computed */
	struct pe_arena *arena;
};

struct pe_run_likelihood *pe_run_likelihood_new(const struct pe_staircase_model *model,
						const double *stray, struct pe_arena *arena)
{
	struct pe_run_likelihood *out = pe_arena_new(arena, struct pe_run_likelihood, 1);

	*out = (struct pe_run_likelihood){
		model, stray,
		pe_arena_new(arena, struct pe_staircase_curve, model->stairs.samples.n), arena};
	return out;
}

static const struct pe_staircase_curve *curve_of(const struct pe_run_likelihood *likelihood,
						 size_t commit)
{
	const struct pe_staircase_model *model = likelihood->model;
	const double builds = model->stairs.builds, stray = likelihood->stray[commit];
	const double more = sqrt(fmax(0, stray * stray - builds * builds)) / model->law.grid;
	struct pe_staircase_curve *curve = &likelihood->curves[commit];

	if (curve->n > 0)
		return curve;
	/* The model includes a part of the deviation between builds of equal speed. */
	*curve = pe_staircase_blur(&model->seen[commit], more, likelihood->arena);
	for (size_t i = 0; i < curve->n; i++)
		curve->at[i] = fmax(LEAST, log(curve->at[i]));
	return curve;
}

static double value_at(const struct pe_staircase_curve *curve, long at)
{
	return at >= curve->first && at < curve->first + (long)curve->n
		       ? curve->at[at - curve->first]
		       : LEAST;
}

double pe_run_likelihood_at(const struct pe_run_likelihood *likelihood, size_t commit, double level)
{
	const struct pe_staircase_curve *curve = curve_of(likelihood, commit);
	const double at = level / likelihood->model->law.grid, down = floor(at), part = at - down;

	return (1 - part) * value_at(curve, (long)down) + part * value_at(curve, (long)down + 1);
}

/* The level that a commit's runs like best, in grids. */
static double peak_of(const struct pe_staircase_curve *curve)
{
	size_t best = 0;

	for (size_t i = 1; i < curve->n; i++)
		if (curve->at[i] > curve->at[best])
			best = i;
	return (double)(curve->first + (long)best);
}

/* Of all of them together; in grids. */
static double sum_at(const struct pe_run_likelihood *likelihood, size_t from, size_t to, long at)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += value_at(&likelihood->curves[i], at);
	return sum;
}

double pe_run_likelihood_level(const struct pe_run_likelihood *likelihood, size_t from, size_t to)
{
	/* Of a law's 24 grids between its modes, and more. */
	const long reach = 64;
	pe_auto_free double *peaks = pe_realloc(NULL, to - from, sizeof(*peaks));
	double best = -INFINITY, left, right, bend;
	long middle, level = 0;

	for (size_t i = from; i < to; i++)
		peaks[i - from] = peak_of(curve_of(likelihood, i));
	middle = (long)pe_order_select(peaks, to - from, (to - from) / 2);
	for (long at = middle - reach; at <= middle + reach; at++) {
		const double sum = sum_at(likelihood, from, to, at);

		if (sum > best) {
			best = sum;
			level = at;
		}
	}
	/* Small steps are less than a grid: the top of the parabola through the highest point and those next to it. */
	left = best - sum_at(likelihood, from, to, level - 1);
	right = best - sum_at(likelihood, from, to, level + 1);
	bend = left + right;
	return ((double)level + (bend > 0 ? (left - right) / (2 * bend) : 0)) *
	       likelihood->model->law.grid;
}
