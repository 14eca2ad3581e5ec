#include "core/stats/witness.h"

#include "core/stats/order.h"
#include "core/stats/staircase_inner.h"

#include <math.h>
#include <stdlib.h>

/* What a single commit can say, as a logarithm: half of what it can cost in squared deviations (pin.c). */
#define LEAST (-12.5)

struct pe_witness {
	const struct pe_staircase_model *model;
	const double *stray;
	struct pe_staircase_curve
		*curves; /* logarithms, 0 at most; n is 0 until it was asked for */
	struct pe_arena *arena;
};

struct pe_witness *pe_witness_of(const struct pe_staircase_model *model, const double *stray,
				 struct pe_arena *arena)
{
	struct pe_witness *out = pe_arena_new(arena, struct pe_witness, 1);

	*out = (struct pe_witness){
		model, stray,
		pe_arena_new(arena, struct pe_staircase_curve, model->stairs.samples.n), arena};
	return out;
}

static const struct pe_staircase_curve *curve_of(const struct pe_witness *witness, size_t commit)
{
	const struct pe_staircase_model *model = witness->model;
	const double builds = model->stairs.builds, stray = witness->stray[commit];
	const double more = sqrt(fmax(0, stray * stray - builds * builds)) / model->law.grid;
	struct pe_staircase_curve *curve = &witness->curves[commit];

	if (curve->n > 0)
		return curve;
	/* The model sees builds of equal speed differ by so much already. */
	*curve = pe_staircase_blur(&model->seen[commit], more, witness->arena);
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

double pe_witness_says(const struct pe_witness *witness, size_t commit, double level)
{
	const struct pe_staircase_curve *curve = curve_of(witness, commit);
	const double at = level / witness->model->law.grid, down = floor(at), part = at - down;

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
static double sum_at(const struct pe_witness *witness, size_t from, size_t to, long at)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += value_at(&witness->curves[i], at);
	return sum;
}

double pe_witness_level(const struct pe_witness *witness, size_t from, size_t to)
{
	/* Of a law's 24 grids between its modes, and more. */
	const long reach = 64;
	pe_auto_free double *peaks = pe_realloc(NULL, to - from, sizeof(*peaks));
	double best = -INFINITY, left, right, bend;
	long middle, level = 0;

	for (size_t i = from; i < to; i++)
		peaks[i - from] = peak_of(curve_of(witness, i));
	middle = (long)pe_order_select(peaks, to - from, (to - from) / 2);
	for (long at = middle - reach; at <= middle + reach; at++) {
		const double sum = sum_at(witness, from, to, at);

		if (sum > best) {
			best = sum;
			level = at;
		}
	}
	/* Small steps are less than a grid: the top of the parabola through the highest point and those next to it. */
	left = best - sum_at(witness, from, to, level - 1);
	right = best - sum_at(witness, from, to, level + 1);
	bend = left + right;
	return ((double)level + (bend > 0 ? (left - right) / (2 * bend) : 0)) *
	       witness->model->law.grid;
}
