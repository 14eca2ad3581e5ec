/* Inner structs: ways (from which level each level of a commit is reached), origins (the levels that steps come from). */
#include "core/stats/staircase_inner.h"

#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>

/* fmax() is a call; here no value is NAN, and millions are compared. */
static double larger(double a, double b)
{
	return b > a ? b : a;
}

static double highest(const struct pe_staircase_curve *curve)
{
	double most = 0;

	for (size_t i = 0; i < curve->n; i++)
		most = larger(most, curve->at[i]);
	return most;
}

/* Leave out the ends that are next to nothing, and scale the rest to a maximum of 1. */
static struct pe_staircase_curve trim(struct pe_staircase_curve curve)
{
	const double negligible = 1e-13;
	double most = highest(&curve);

	if (!(most > 0))
		return curve;
	while (curve.n > 1 && curve.at[curve.n - 1] < negligible * most)
		curve.n--;
	for (; curve.n > 1 && curve.at[0] < negligible * most; curve.n--) {
		curve.at++;
		curve.first++;
	}
	if (most < 1 || most > 1) {
		for (size_t i = 0; i < curve.n; i++)
			curve.at[i] /= most;
		curve.scale += log(most);
	}
	return curve;
}

/* A curve as seen through a deviation, in grids. */
struct pe_staircase_curve pe_staircase_blur(const struct pe_staircase_curve *in, double deviation,
					    struct pe_arena *arena)
{
	long reach = (long)ceil(4 * deviation);
	struct pe_staircase_curve out = {
		.n = in->n + 2 * (size_t)reach, .first = in->first - reach, .scale = in->scale};
	double total = 0;

	out.at = pe_arena_new(arena, double, out.n);
	for (long e = -reach; e <= reach; e++) {
		double z = deviation > 0 ? (double)e / deviation : 0, weight = exp(-z * z / 2);

		total += weight;
		for (size_t i = 0; i < in->n; i++)
			out.at[i + (size_t)(e + reach)] += weight * in->at[i];
	}
	out.scale -= log(total);
	return trim(out);
}

/* Leave out the ends of a curve of logarithms that trim() would in any case. */
static void trim_logarithms(struct pe_staircase_curve *curve)
{
	const double least = curve->scale - 32; /* exp(-32) is an eighth of what is negligible */

	while (curve->n > 1 && curve->at[curve->n - 1] < least)
		curve->n--;
	for (; curve->n > 1 && curve->at[0] < least; curve->n--) {
		curve->at++;
		curve->first++;
	}
}

/* Likelihood of a build's readings by the level it is on. */
static struct pe_staircase_curve likelihood(const struct pe_staircase_model *m, size_t build)
{
	const struct pe_samples *samples = &m->stairs.samples;
	const double *values = samples->value + samples->start[build];
	size_t n = samples->start[build + 1] - samples->start[build];
	/* The slowest third are outliers where they are far off, and so is a fast one of eight; whatever they are. */
	double grid = m->law.grid, low = values[n / 8], high = values[n - 1 - n / 3];
	struct pe_staircase_curve curve = {.scale = -INFINITY};
	const long beyond = 64, most = 4096;

	curve.first = lround(low / grid) - beyond;
	curve.n = (size_t)fmin(lround(high / grid) + beyond - curve.first, most);
	curve.at = pe_arena_new(m->arena, double, curve.n);
	for (size_t i = 0; i < n; i++)
		pe_run_law_add(curve.at, &m->law, values[i] - (double)curve.first * grid, curve.n);
	for (size_t x = 0; x < curve.n; x++)
		curve.scale = larger(curve.scale, curve.at[x]);
	trim_logarithms(&curve);
	for (size_t x = 0; x < curve.n; x++)
		curve.at[x] = exp(curve.at[x] - curve.scale);
	curve = trim(curve);
	return pe_staircase_blur(&curve, m->stairs.builds / grid, m->arena);
}

static void find_step_chances(struct pe_staircase_model *m, const struct pe_staircase_steps *steps)
{
	double grid = m->law.grid, total = 0;
	double most = fmax(steps->most, pe_samples_range(&m->stairs.samples));

	m->n_step = (long)(most / grid) + 2;
	m->step = pe_arena_new(m->arena, double, (size_t)m->n_step);
	for (long i = 1; i < m->n_step; i++) {
		double size = (double)i * grid;

		if (size >= steps->least - grid / 2 && size <= most + grid / 2)
			total += m->step[i] = 1 / size;
	}
	for (long i = 1; total > 0 && i < m->n_step; i++)
		m->step[i] *= steps->chance / (2 * total);
	m->step_most = pe_arena_new(m->arena, double, (size_t)m->n_step);
	for (long i = m->n_step - 1; i >= 0; i--)
		m->step_most[i] = larger(m->step[i], i + 1 < m->n_step ? m->step_most[i + 1] : 0);
	m->stay = 1 - steps->chance;
}

struct pe_staircase_model *pe_staircase_model_of(const struct pe_staircase *stairs,
						 const struct pe_run_law *law,
						 const struct pe_staircase_steps *steps,
						 struct pe_arena *arena)
{
	struct pe_staircase_model *m = pe_arena_new(arena, struct pe_staircase_model, 1);
	const size_t n = stairs->samples.n;

	*m = (struct pe_staircase_model){.law = *law, .stairs = *stairs, .arena = arena};
	m->seen = pe_arena_new(arena, struct pe_staircase_curve, n);
	for (size_t i = 0; i < n; i++)
		m->seen[i] = likelihood(m, i);
	find_step_chances(m, steps);
	return m;
}

static double value_at(const struct pe_staircase_curve *curve, long at)
{
	return at >= curve->first && at < curve->first + (long)curve->n
		       ? curve->at[at - curve->first]
		       : 0;
}

/* The levels that steps come from, and the highest of each few, by which most of them are passed over unseen. */
struct origins {
	const struct pe_staircase_curve *from;
	double *most; /* one a block */
	double all;   /* the highest of them */
};

enum { BLOCK = 16 };

static struct origins origins_of(const struct pe_staircase_model *m,
				 const struct pe_staircase_curve *from)
{
	struct origins out = {from, pe_arena_new(m->arena, double, from->n / BLOCK + 1), 0};

	for (size_t i = 0; i < from->n; i++)
		out.most[i / BLOCK] = larger(out.most[i / BLOCK], from->at[i]);
	for (size_t i = 0; i < from->n; i += BLOCK)
		out.all = larger(out.all, out.most[i / BLOCK]);
	return out;
}

static double step_from(const struct pe_staircase_model *m, const struct pe_staircase_curve *from,
			size_t i, long at)
{
	long size = labs(from->first + (long)i - at);

	return size < m->n_step ? m->step[size] * from->at[i] : 0;
}

/* No step from the block that begins at i is likelier. */
static double bound_of(const struct pe_staircase_model *m, const struct origins *origins, size_t i,
		       long at)
{
	long low = origins->from->first + (long)i, high = low + BLOCK - 1;
	long size = at < low ? low - at : at > high ? at - high : 0;

	return size < m->n_step ? m->step_most[size] * origins->most[i / BLOCK] : 0;
}

/*
 * The step that most probably leads to a level, and from where: the first of those that are equally likely.
 *
 * @param best   what it has to exceed; returned where none does
 * @param guess  an origin that is likely to be good: that of the level before. Is replaced by the one found
 */
static double best_step(const struct pe_staircase_model *m, const struct origins *origins, long at,
			double best, size_t *guess)
{
	const struct pe_staircase_curve *from = origins->from;
	double least = larger(best, step_from(m, from, *guess, at));

	for (size_t block = 0; block < from->n; block += BLOCK) {
		double bound = bound_of(m, origins, block, at);

		if (bound <= best || bound < least)
			continue;
		for (size_t i = block; i < from->n && i < block + BLOCK; i++) {
			double here = step_from(m, from, i, at);

			if (here > best) {
				best = here;
				*guess = i;
			}
		}
	}
	return best;
}

/* The best way to each level of a commit: the level of the one before. */
struct ways {
	long first, *from;
	size_t n;
};

/* Predicted curve of the next commit's level when it stays: between batches, blurred by their offsets' error. */
static struct pe_staircase_curve stays(const struct pe_staircase_model *m,
				       const struct pe_staircase_curve *before, size_t next)
{
	const double *block = m->stairs.block_variance;
	double error = block != NULL ? sqrt(block[next - 1] + block[next]) / m->law.grid : 0;

	return error > 0 ? pe_staircase_blur(before, error, m->arena) : *before;
}

static struct pe_staircase_curve best_ways(const struct pe_staircase_model *m,
					   const struct pe_staircase_curve *before, size_t next,
					   struct ways *ways)
{
	const struct pe_staircase_curve *own = &m->seen[next];
	struct pe_staircase_curve same = stays(m, before, next);
	struct pe_staircase_curve now = {pe_arena_new(m->arena, double, own->n),
					 before->scale + own->scale, own->first, own->n};
	double rescale = exp(same.scale - before->scale);
	struct origins origins = origins_of(m, before);
	double most_step = m->step_most[0] * origins.all;
	size_t origin = 0;

	*ways = (struct ways){own->first, pe_arena_new(m->arena, long, own->n), own->n};
	for (size_t i = 0; i < now.n; i++) {
		long at = now.first + (long)i;
		double stay = m->stay * rescale * value_at(&same, at);
		double most = stay;

		/* Where it is so likely to have stayed, no step has to be looked for. */
		if (stay < most_step)
			most = best_step(m, &origins, at, stay, &origin);
		ways->from[i] = most > stay ? before->first + (long)origin : at;
		now.at[i] = own->at[i] * most;
	}
	return trim(now);
}

static void trace_back(bool *is_step, const struct ways *ways, size_t n, long level)
{
	for (size_t b = n - 1; b > 0; b--) {
		long place = level - ways[b].first, last = (long)ways[b].n - 1, from;

		/* A blurred level can be beyond the kept points. */
		place = place < 0 ? 0 : place < last ? place : last;
		from = ways[b].from[place];
		is_step[b] = from != ways[b].first + place;
		level = from;
	}
	is_step[0] = false;
}

double pe_staircase_find(bool *is_step, const struct pe_staircase_model *m)
{
	size_t n = m->stairs.samples.n, best = 0;
	struct ways *ways = pe_arena_new(m->arena, struct ways, n);
	struct pe_staircase_curve now = m->seen[0];

	for (size_t b = 1; b < n; b++)
		now = best_ways(m, &now, b, &ways[b]);
	for (size_t i = 1; i < now.n; i++)
		if (now.at[i] > now.at[best])
			best = i;
	trace_back(is_step, ways, n, now.first + (long)best);
	return now.scale + log(now.at[best]);
}

/* --- What would have been seen --- */

/* A curve from another level: as if that were 0. */
static struct pe_staircase_curve from_level(const struct pe_staircase_curve *curve, double level,
					    double grid)
{
	struct pe_staircase_curve out = *curve;

	out.first -= lround(level / grid);
	return out;
}

static struct pe_staircase_curve product(const struct pe_staircase_curve *a,
					 const struct pe_staircase_curve *b, struct pe_arena *arena)
{
	struct pe_staircase_curve out = {pe_arena_new(arena, double, a->n), 0, a->first, a->n};

	for (size_t i = 0; i < a->n; i++)
		out.at[i] = a->at[i] * value_at(b, a->first + (long)i);
	return trim(out);
}

/* Is it likely that two curves' readings are of one level, more than a step to be, if one of the curves is moved? */
static bool agree(const struct pe_staircase_curve *a, const struct pe_staircase_curve *b, long move,
		  double stay, double step)
{
	long shift = a->first - b->first - move; /* a's i is b's i + shift */
	long from = shift < 0 ? -shift : 0, to = (long)b->n - shift;

	if (0 >= step)
		return true;
	for (long i = from; i < to && i < (long)a->n; i++)
		if (a->at[i] * b->at[i + shift] * stay >= step)
			return true;
	return false;
}

/* The fewest grids by which a curve has to move for a step to be the likelier path. */
static double least_move(const struct pe_staircase_model *m,
			 const struct pe_staircase_curve *others,
			 const struct pe_staircase_curve *own, int way)
{
	long none = 0, enough = 1;

	while (enough < m->n_step && agree(others, own, way * enough, m->stay, m->step[enough]))
		enough *= 2;
	while (none + 1 < enough) {
		long middle = none + (enough - none) / 2;

		if (middle < m->n_step &&
		    agree(others, own, way * middle, m->stay, m->step[middle]))
			none = middle;
		else
			enough = middle;
	}
	return (double)enough;
}

double pe_staircase_least(const struct pe_staircase_model *m, const double *level)
{
	pe_auto_arena work = PE_ARENA_INIT;
	size_t n = m->stairs.samples.n, count = 0;
	double *moves = pe_arena_new(&work, double, 2 * n), least = INFINITY;

	for (size_t i = 1; i < n; i++) {
		struct pe_staircase_curve own = from_level(&m->seen[i], level[i], m->law.grid);
		struct pe_staircase_curve others =
			from_level(&m->seen[i - 1], level[i - 1], m->law.grid);

		if (i > 1) {
			struct pe_staircase_curve before =
				from_level(&m->seen[i - 2], level[i - 2], m->law.grid);

			others = product(&others, &before, &work);
		}
		moves[count++] = least_move(m, &others, &own, 1);
		moves[count++] = least_move(m, &others, &own, -1);
	}
	pe_order_sort(moves, count);
	if (count > 0)
		least = m->law.grid * pe_order_quantile(moves, count, 0.9);
	return least;
}
