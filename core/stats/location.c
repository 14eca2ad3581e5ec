#include "core/stats/location.h"

#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double trimmed_mean(const double *sorted, size_t n)
{
	size_t cut = n / 5;
	double sum = 0;

	for (size_t i = cut; i < n - cut; i++)
		sum += sorted[i] - sorted[cut];
	return sorted[cut] + sum / (double)(n - 2 * cut);
}

/* The mean of a pair is half the difference of one and the other's negative. */
static double hodges_lehmann(const double *sorted, size_t n)
{
	pe_auto_free double *negative = pe_realloc(NULL, n, sizeof(*negative));

	for (size_t i = 0; i < n; i++)
		negative[i] = -sorted[n - 1 - i];
	return pe_order_shift(negative, n, sorted, n) / 2;
}

double pe_locate(double *values, size_t n, enum pe_location how)
{
	pe_order_sort(values, n);
	switch (how) {
	case PE_LOCATION_MEDIAN:
		return pe_order_quantile(values, n, 0.5);
	case PE_LOCATION_TRIMMED:
		return trimmed_mean(values, n);
	case PE_LOCATION_HODGES_LEHMANN:
		return hodges_lehmann(values, n);
	default:
		return pe_order_quantile(values, n, 0.25);
	}
}

double pe_location_factor(enum pe_location how)
{
	static const double factors[PE_N_LOCATIONS] = {
		[PE_LOCATION_QUARTILE] = 1.3626,
		[PE_LOCATION_MEDIAN] = 1.2533,
		[PE_LOCATION_TRIMMED] = 1.0690,
		[PE_LOCATION_HODGES_LEHMANN] = 1.0233,
	};

	return factors[how];
}

double pe_samples_range(const struct pe_samples *samples)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = samples->start[0]; i < samples->start[samples->n]; i++) {
		low = fmin(low, samples->value[i]);
		high = fmax(high, samples->value[i]);
	}
	return high - low;
}

/* Degrees of freedom of a scaled MAD, per deviation: its efficiency. */
#define MAD_EFFICIENCY 0.37

/* Median deviations of few values fall short; n / (n - 0.8) after Croux and Rousseeuw (1992). */
static double few(size_t n)
{
	return (double)n / ((double)n - 0.8);
}

static double pooled_scale(const struct pe_samples *samples, const double *median, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < samples->n; i++) {
		size_t count = samples->start[i + 1] - samples->start[i];

		for (size_t j = samples->start[i]; count > 1 && j < samples->start[i + 1]; j++)
			scratch[n++] = (samples->value[j] - median[i]) * few(count);
	}
	return pe_order_scale(scratch, n);
}

struct pe_located pe_locate_all(const struct pe_samples *samples, enum pe_location how,
				struct pe_arena *arena)
{
	const double prior = 4;
	struct pe_located out = {pe_arena_new(arena, double, samples->n),
				 pe_arena_new(arena, double, samples->n), 0};
	double *median = pe_arena_new(arena, double, samples->n);
	double *scratch =
		pe_arena_new(arena, double, samples->start[samples->n] - samples->start[0]);
	double factor = pe_location_factor(how), pooled;

	for (size_t i = 0; i < samples->n; i++) {
		size_t n = samples->start[i + 1] - samples->start[i];

		memcpy(scratch, samples->value + samples->start[i], n * sizeof(*scratch));
		out.at[i] = pe_locate(scratch, n, how);
		median[i] = pe_order_quantile(scratch, n, 0.5);
		out.freedom += MAD_EFFICIENCY * (double)(n - 1);
	}
	pooled = pooled_scale(samples, median, scratch);
	for (size_t i = 0; i < samples->n; i++) {
		size_t n = samples->start[i + 1] - samples->start[i];
		double own =
			PE_MAD_TO_SD * few(n) *
			pe_order_mad(samples->value + samples->start[i], n, median[i], scratch);
		double weight = (double)(n - 1);
		double variance = (weight * own * own + prior * pooled * pooled) / (weight + prior);

		variance = fmin(fmax(variance, pooled * pooled / 4), 4 * pooled * pooled);
		out.variance[i] = factor * factor * variance / (double)n;
	}
	return out;
}
