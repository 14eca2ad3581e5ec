/*
 * The law of a staircase: what noise adds to the level of a run, as a density. Runs are skewed, some are outliers, and some
 * programs have a second mode.
 */
#include "core/stats/staircase_inner.h"

#include "core/stats/order.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	BEYOND = 64,        /* levels on either side of the readings */
	LEVELS_MOST = 4096, /* of one commit */
};

/* Levels whose log-likelihood is lower than the best one by this are left out: 1e-14. */
static const double NEGLIGIBLE = 32;

/* The core is a shifted lognormal of mean 0, outliers are exponential and added to it. Sizes on the scale. */
struct shape {
	double deviation, skew;       /* of the core; skew is the deviation of the logarithm */
	double mode_share, mode_size; /* share of slower runs, and by how much */
	double slow, fast;            /* shares of outliers on either side */
	double outlier_mean;
	double far_mean; /* of the further half of them; 0: all are alike */
};

/* @param mean  of the lognormal that the core is, before it is moved to 0, in scales */
static double core_density(double skew, double scale, double mean, double value)
{
	const double root_two_pi = 2.5066282746310002;
	double above = value / scale + mean, z;

	if (!(above > 0))
		return 0;
	z = log(above) / skew;
	return exp(-z * z / 2) / (root_two_pi * skew * above * scale);
}

/* Add a share of the core, with an exponential variable added to it: a recursion along the grid. */
static void add_outliers(double *out, const double *core, size_t n, double fade, double share,
			 bool fast)
{
	double sum = 0;

	for (size_t i = 0; i < n && share > 0; i++) {
		size_t at = fast ? n - 1 - i : i;

		sum = fade * sum + (1 - fade) * core[at];
		out[at] += share * sum;
	}
}

/*
 * Tabulate a shape.
 *
 * @param fine   points a deviation of the core
 * @param reach  how far from 0 the table goes, at least
 */
static struct pe_run_law tabulate(const struct shape *shape, size_t fine, double reach,
				  struct pe_arena *arena)
{
	struct pe_run_law law = {.grid = shape->deviation / (double)fine};
	double near = exp(-law.grid / shape->outlier_mean);
	double far = shape->far_mean > 0 ? exp(-law.grid / shape->far_mean) : near;
	size_t mode = (size_t)lround(shape->mode_size / law.grid);
	const double spread = exp(shape->skew * shape->skew);
	const double scale = shape->deviation / sqrt((spread - 1) * spread);
	const double mean = exp(shape->skew * shape->skew / 2);
	double *core, *at;

	law.zero = (size_t)(reach / law.grid) + mode + 8 * fine;
	law.n = 2 * law.zero + 1;
	core = pe_arena_new(arena, double, law.n);
	law.at = at = pe_arena_new(arena, double, law.n);
	for (size_t i = 0; i < law.n; i++)
		core[i] = core_density(shape->skew, scale, mean,
				       ((double)i - (double)law.zero) * law.grid);
	for (size_t i = law.n; shape->mode_share > 0 && i-- > 0;)
		core[i] = (1 - shape->mode_share) * core[i] +
			  (i >= mode ? shape->mode_share * core[i - mode] : 0);
	for (size_t i = 0; i < law.n; i++)
		at[i] = (1 - shape->slow - shape->fast) * core[i] + DBL_MIN;
	add_outliers(at, core, law.n, near, shape->slow / 2, false);
	add_outliers(at, core, law.n, far, shape->slow / 2, false);
	add_outliers(at, core, law.n, near, shape->fast / 2, true);
	add_outliers(at, core, law.n, far, shape->fast / 2, true);
	for (size_t i = 0; i < law.n; i++)
		at[i] = log(at[i]);
	return law;
}

void pe_run_law_add(double *restrict out, const struct pe_run_law *law, double value, size_t n)
{
	const double place = value / law->grid + (double)law->zero, down = floor(place);
	const double part = place - down, rest = 1 - part, *table = law->at;
	const long last = (long)law->n - 2, at = (long)fmin(down, (double)(law->n + n));
	long i = 0;

	for (; i < (long)n && at - i > last; i++)
		out[i] += table[law->n - 1];
	for (; i < (long)n && i <= at; i++)
		out[i] += rest * table[at - i] + part * table[at - i + 1];
	for (; i < (long)n; i++)
		out[i] += table[0];
}

/* Logarithm of the probability of a commit's readings at an unknown level. */
static double fit_of_commit(const struct pe_run_law *law, const double *values, size_t n)
{
	/* The slowest third are outliers where they are far off, and so is a fast one of eight; whatever they are. */
	const double low = round(values[n / 8] / law->grid) - BEYOND;
	const double high = round(values[n - 1 - n / 3] / law->grid) + BEYOND;
	const size_t levels = (size_t)fmin(high - low, LEVELS_MOST);
	double at[LEVELS_MOST], most = -INFINITY, sum = 0;

	memset(at, 0, levels * sizeof(*at));
	for (size_t i = 0; i < n; i++)
		pe_run_law_add(at, law, values[i] - low * law->grid, levels);
	for (size_t x = 0; x < levels; x++)
		most = at[x] > most ? at[x] : most;
	for (size_t x = 0; x < levels; x++)
		if (at[x] >= most - NEGLIGIBLE)
			sum += exp(at[x] - most);
	return log(sum * law->grid) + most;
}

/*
 * Probability of the readings' scatter about a level of each commit's own; its logarithm. What builds of equal speed
 * differ by moves a commit's readings together, and is nothing to it.
 */
static double fit_of(const struct pe_staircase *stairs, const struct pe_run_law *law)
{
	const size_t *start = stairs->samples.start;
	size_t n = stairs->samples.n, most = 40, every = n > most ? n / most : 1;
	double fit = 0;

	for (size_t b = 0; b < n; b += every)
		fit += fit_of_commit(law, stairs->samples.value + start[b],
				     start[b + 1] - start[b]);
	return fit;
}

/*
 * Deviation of a run, roughly, a second mode among it: the 80 % quantile of the readings' distances from the median of
 * their commit. 0 without any.
 */
static double spread_of(const struct pe_samples *s)
{
	const double normal_quantile = 1.2816;
	pe_auto_free double *distance =
		pe_realloc(NULL, s->start[s->n] - s->start[0], sizeof(*distance));
	double spread = 0;
	size_t count = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t n = s->start[i + 1] - s->start[i];
		const double *own = s->value + s->start[i];
		double middle = pe_order_quantile(own, n, 0.5);

		for (size_t j = 0; n > 1 && j < n; j++)
			distance[count++] = fabs(own[j] - middle) * (double)n / ((double)n - 0.8);
	}
	pe_order_sort(distance, count);
	if (count > 0)
		spread = pe_order_quantile(distance, count, 0.8) / normal_quantile;
	return spread;
}

struct pe_run_law pe_staircase_law(const struct pe_staircase *stairs, struct pe_arena *arena)
{
	/* Skew; share and size of a second mode, in deviations. */
	static const double shapes[][3] = {
		{.7, 0, 0}, {.2, 0, 0}, {.5, .35, 3}, {.5, .35, 5}, {.5, .35, 8}};
	static const double sizes[] = {.15, .25, .4, .6, .85, 1.2};
	enum { N_SIZES = sizeof(sizes) / sizeof(*sizes) };
	/* Three points a deviation tell levels apart. */
	enum { N_LAWS = N_SIZES * sizeof(shapes) / sizeof(*shapes), FINE = 3 };
	/* A second mode has to be the better explanation, not one as good. */
	const double doubt = log(.3), reach = 600;
	double best = -INFINITY, spread = spread_of(&stairs->samples);
	double range = pe_samples_range(&stairs->samples);
	struct shape chosen = {0};

	for (size_t i = 0; i < N_LAWS; i++) {
		const double *shape = shapes[i / N_SIZES];
		double size = fmax(sizes[i % N_SIZES] * spread, stairs->builds / 4), fit;
		struct shape tried = {size, shape[0], shape[1], shape[2] * size,
				      .06,  .01,      4 * size, 20 * size};
		pe_auto_arena tables = PE_ARENA_INIT;
		struct pe_run_law law = tabulate(&tried, FINE, fmin(range, reach * size), &tables);

		fit = fit_of(stairs, &law) + (shape[1] > 0 ? doubt : 0);
		if (fit > best) {
			best = fit;
			chosen = tried;
		}
	}
	return tabulate(&chosen, FINE, fmin(range, reach * chosen.deviation), arena);
}
