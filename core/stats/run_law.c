#include "core/stats/run_law.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

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

struct pe_run_law pe_run_law_of(const struct pe_run_shape *shape, size_t fine, double reach,
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
