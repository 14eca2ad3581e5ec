#include "core/stats/location.h"

#include "core/stats/order.h"

#include <math.h>
#include <string.h>

/* Standard error of the lower quartile relative to sd / sqrt(n), for normal noise. */
#define QUARTILE_FACTOR 1.3626

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

struct pe_located pe_locate_all(const struct pe_samples *samples, struct pe_arena *arena)
{
	const double prior = 4;
	struct pe_located out = {pe_arena_new(arena, double, samples->n),
				 pe_arena_new(arena, double, samples->n), 0};
	double *median = pe_arena_new(arena, double, samples->n);
	double *scratch =
		pe_arena_new(arena, double, samples->start[samples->n] - samples->start[0]);
	double pooled;

	for (size_t i = 0; i < samples->n; i++) {
		size_t n = samples->start[i + 1] - samples->start[i];

		memcpy(scratch, samples->value + samples->start[i], n * sizeof(*scratch));
		pe_order_sort(scratch, n);
		out.at[i] = pe_order_quantile(scratch, n, 0.25);
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
		out.variance[i] = QUARTILE_FACTOR * QUARTILE_FACTOR * variance / (double)n;
	}
	return out;
}
