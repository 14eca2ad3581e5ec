/* Readings that are left out of a bisection: so far from the others of their build that they tell nothing. */
#include "core/stats/bisect_inner.h"
#include "core/base/sort.h"
#include "core/stats/order.h"

#include <math.h>

/*
 * How many deviations make a reading gross, and how many of a build show it. The modes of noise are up to eleven apart
 * (twolevel.c): left out, the runs of the rarer mode would make noise look small and steps between modes certain.
 */
static const double far = 16;
static const size_t enough = 3;
/* Noise is not taken for smaller than this, whatever a few readings agree on. */
static const double least = 5e-4;

struct deviation {
	size_t build, reading;
	double value;
	double median; /* of the readings of its build, of which there are `times` */
	size_t times;
};

PE_SORT_BY(compare_deviations, struct deviation, build, value);

/* The medians of the builds, for sorted readings. */
static void find_medians(struct deviation *at, size_t n)
{
	for (size_t from = 0, to; from < n; from = to) {
		double median;

		for (to = from; to < n && at[to].build == at[from].build;)
			to++;
		median = (at[from + (to - from - 1) / 2].value + at[from + (to - from) / 2].value) /
			 2;
		for (size_t i = from; i < to; i++) {
			at[i].median = median;
			at[i].times = to - from;
		}
	}
}

static double from_median(const struct deviation *one)
{
	return one->times < enough ? 0 : one->value - one->median;
}

/* The scale of all deviations; those of 0 are medians and not deviations. */
static double scale_of(const struct deviation *at, size_t n)
{
	pe_auto_free double *sizes = pe_realloc(NULL, n, sizeof(*sizes));
	size_t some = 0;

	for (size_t i = 0; i < n; i++)
		if (fabs(from_median(&at[i])) > 0)
			sizes[some++] = from_median(&at[i]);
	return some > 0 ? fmax(pe_order_scale(sizes, some), least) : least;
}

/*
 * Standard deviation of readings of one build without the fifth that is farthest out; 0: too few readings. Noise with two
 * modes is wider than its bulk, and the noise model has only a bulk and outliers.
 */
static double spread_of(const struct deviation *at, size_t n)
{
	/* Of what is left of a normal distribution, by that of the whole. */
	const double kept = 0.8, left = 0.662;
	const size_t few = 4;
	pe_auto_free double *squares = pe_realloc(NULL, n + 1, sizeof(*squares));
	double sum = 0;
	size_t some = 0, freedom = 0;

	for (size_t i = 0; i < n; i++) {
		const double times = (double)at[i].times;

		freedom += i > 0 && at[i].build == at[i - 1].build;
		if (at[i].times > 1)
			squares[some++] = pow(at[i].value - at[i].median, 2) * times / (times - 1);
	}
	pe_order_sort(squares, some);
	some = (size_t)(kept * (double)some);
	for (size_t i = 0; i < some; i++)
		sum += squares[i];
	return freedom < few ? 0
			     : sqrt(sum / (double)some) / left * (1 - 0.5 / sqrt((double)freedom));
}

bool pe_bisect_find_gross(struct pe_bisect *b)
{
	size_t n = b->readings.n;
	pe_auto_free struct deviation *at = pe_realloc(NULL, n + 1, sizeof(*at));
	bool changed = false;
	double scale;

	for (size_t i = 0; i < n; i++) {
		const struct pe_bisect_reading *one = &b->readings.data[i];

		at[i] = (struct deviation){
			b->build[one->revision], i,
			b->opts.unit > 0 ? one->value / b->opts.unit : log(one->value), 0, 0};
	}
	pe_sort(at, n, compare_deviations);
	find_medians(at, n);
	scale = scale_of(at, n);
	b->spread = spread_of(at, n);
	for (size_t i = 0; i < n; i++) {
		bool gross = fabs(from_median(&at[i])) > far * scale;

		changed = changed || gross != b->gross.data[at[i].reading];
		b->gross.data[at[i].reading] = gross;
	}
	return changed;
}
