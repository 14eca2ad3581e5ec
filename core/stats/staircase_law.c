/*
 * The law of a staircase. Most time goes into the likelihood of each commit's readings at each level under every law: levels
 * are bounded in blocks first, and most blocks need not be computed.
 *
 * Inner structs: table (a law, and what bounds its blocks), place (of a reading, in a table), likelihood (scratch for one
 * commit).
 */
#include "core/stats/staircase.h"

#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>

enum {
	BLOCK = 16, /* levels that are bounded together; a reading is among BLOCK + 1 points of them */
	EDGE = 2 * BLOCK,   /* points at either end of a table that have the end's value */
	BEYOND = 64,        /* levels on either side of the readings */
	LEVELS_MOST = 4096, /* of one commit */
	N_BLOCKS = LEVELS_MOST / BLOCK + 1
};

/* Levels whose log-likelihood is lower than the best one by this are left out: 1e-14. */
static const double NEGLIGIBLE = 32;

/* From the greatest value of the law to its least, so that levels that rise go forward. */
struct table {
	double grid;
	double *at;   /* with an edge at both ends */
	double *most; /* the highest of BLOCK + 1 points from here on */
	long n, zero; /* points; that of value 0 */
};

/* A reading relative to the lowest level: a grid point and the part of a grid step beyond it. */
struct place {
	long at;
	double part;
};

struct likelihood {
	struct place *places; /* one a reading */
	double bound[N_BLOCKS], at[N_BLOCKS * BLOCK];
};

static double larger(double a, double b)
{
	return b > a ? b : a;
}

static void find_highest(struct table *table)
{
	const size_t n = (size_t)table->n;

	for (size_t i = 0; i < n; i++)
		table->most[i] = table->at[i];
	/* Of two, four, eight and sixteen, and of one more. */
	for (size_t reach = 1; reach < BLOCK; reach *= 2)
		for (size_t i = 0; i + reach < n; i++)
			table->most[i] = larger(table->most[i], table->most[i + reach]);
	for (size_t i = 0; i + BLOCK < n; i++)
		table->most[i] = larger(table->most[i], table->at[i + BLOCK]);
}

static struct table table_of(const struct pe_run_law *law, struct pe_arena *arena)
{
	const size_t n = law->n + 2 * EDGE, last = EDGE + law->n - 1;
	struct table out = {law->grid, pe_arena_new(arena, double, n),
			    pe_arena_new(arena, double, n), (long)n, (long)(last - law->zero)};

	for (size_t i = 0; i < n; i++)
		out.at[i] = i < EDGE ? law->at[law->n - 1] : law->at[i < last ? last - i : 0];
	find_highest(&out);
	return out;
}

/* @param value  above the lowest level, in grids */
static struct place place_of(const struct table *table, double value)
{
	const double down = floor(value), far = 1e9;
	const double at = (double)table->zero - 1 - down;

	return (struct place){(long)fmax(-far, fmin(at, far)), value - down};
}

/* The points that a block of levels sees of a place. */
static size_t points_of(const struct table *table, const struct place *place, size_t block)
{
	const long at = place->at + (long)(block * BLOCK), last = table->n - 1 - BLOCK;

	return (size_t)(at < 0 ? 0 : at < last ? at : last);
}

static struct likelihood *likelihood_of(const struct pe_samples *samples, struct pe_arena *arena)
{
	struct likelihood *out = pe_arena_new(arena, struct likelihood, 1);
	size_t most = 0;

	for (size_t i = 0; i < samples->n; i++)
		if (samples->start[i + 1] - samples->start[i] > most)
			most = samples->start[i + 1] - samples->start[i];
	out->places = pe_arena_new(arena, struct place, most);
	return out;
}

/* @return  the highest */
static double add_up(double *out, const struct table *table, const struct place *places, size_t n,
		     size_t block)
{
	double sum[BLOCK] = {0}, most = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		const double *at = table->at + points_of(table, &places[i], block);
		const double part = places[i].part, rest = 1 - part;

		for (size_t x = 0; x < BLOCK; x++)
			sum[x] += rest * at[x + 1] + part * at[x];
	}
	for (size_t x = 0; x < BLOCK; x++) {
		out[x] = sum[x];
		most = larger(most, sum[x]);
	}
	return most;
}

/* Bounds of all blocks. @return  the block with the highest */
static size_t bound_all(struct likelihood *work, const struct table *table, size_t n,
			size_t n_blocks)
{
	size_t best = 0;

	for (size_t block = 0; block < n_blocks; block++) {
		double bound = 0;

		for (size_t i = 0; i < n; i++)
			bound += table->most[points_of(table, &work->places[i], block)];
		work->bound[block] = bound;
		if (bound > work->bound[best])
			best = block;
	}
	return best;
}

/* Logarithm of the probability of a commit's readings at an unknown level. */
static double fit_of_commit(struct likelihood *work, const struct table *table,
			    const double *values, size_t n)
{
	/* The slowest third are outliers where they are far off, and so is a fast one of eight; whatever they are. */
	const double grid = table->grid, low = values[n / 8], high = values[n - 1 - n / 3];
	const double first = round(low / grid) - BEYOND;
	const double levels = fmin(round(high / grid) + BEYOND - first, LEVELS_MOST);
	const size_t n_blocks = ((size_t)levels + BLOCK - 1) / BLOCK;
	double most, sum = 0;
	size_t best;

	for (size_t i = 0; i < n; i++)
		work->places[i] = place_of(table, values[i] / grid - first);
	best = bound_all(work, table, n, n_blocks);
	most = add_up(work->at + best * BLOCK, table, work->places, n, best);
	for (size_t block = 0; block < n_blocks; block++)
		if (block != best && work->bound[block] >= most - NEGLIGIBLE)
			most = larger(most, add_up(work->at + block * BLOCK, table, work->places, n,
						   block));
	for (size_t block = 0; block < n_blocks; block++) {
		if (work->bound[block] < most - NEGLIGIBLE)
			continue;
		for (size_t x = block * BLOCK; x < (block + 1) * BLOCK; x++)
			if (work->at[x] >= most - NEGLIGIBLE)
				sum += exp(work->at[x] - most);
	}
	return log(sum * grid) + most;
}

/*
 * Probability of the readings' scatter about a level of each commit's own; its logarithm. What builds of equal speed
 * differ by moves a commit's readings together, and is nothing to it.
 */
static double fit_of(const struct pe_staircase *stairs, const struct pe_run_law *law,
		     struct likelihood *work, struct pe_arena *arena)
{
	const struct table table = table_of(law, arena);
	const size_t *start = stairs->samples.start;
	size_t n = stairs->samples.n, most = 40, every = n > most ? n / most : 1;
	double fit = 0;

	for (size_t b = 0; b < n; b += every)
		fit += fit_of_commit(work, &table, stairs->samples.value + start[b],
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
	struct pe_run_shape chosen = {0};
	pe_auto_arena scratch = PE_ARENA_INIT;
	struct likelihood *work = likelihood_of(&stairs->samples, &scratch);

	for (size_t i = 0; i < N_LAWS; i++) {
		const double *shape = shapes[i / N_SIZES];
		double size = fmax(sizes[i % N_SIZES] * spread, stairs->builds / 4), fit;
		struct pe_run_shape tried = {size, shape[0], shape[1], shape[2] * size,
					     .06,  .01,      4 * size, 20 * size};
		pe_auto_arena tables = PE_ARENA_INIT;
		struct pe_run_law law =
			pe_run_law_of(&tried, FINE, fmin(range, reach * size), &tables);

		fit = fit_of(stairs, &law, work, &tables) + (shape[1] > 0 ? doubt : 0);
		if (fit > best) {
			best = fit;
			chosen = tried;
		}
	}
	return pe_run_law_of(&chosen, FINE, fmin(range, reach * chosen.deviation), arena);
}
