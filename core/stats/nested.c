#include "core/stats/nested.h"

#include "core/base/arena.h"
#include "core/stats/order.h"

#include <math.h>
#include <string.h>

/* Variance of the median of n values, in units of theirs (normal ones; of two it is their mean). */
static double variance_of_median(size_t n)
{
	const double many = 1.5708; /* pi / 2 */

	return (n > 2 ? many : 1) / (double)n;
}

static double median_of(const double *values, size_t n, double *work)
{
	memcpy(work, values, n * sizeof(*work));
	return pe_order_median(work, n);
}

/* One benchmark's estimate of the ratio; NAN: none. `work` has room for its values, and for its processes twice. */
static double ratio_of(const struct pe_nested *one, double *work)
{
	double within = 0, between = 0, mean = 0, freedom = 0;
	const size_t k = one->n, n = k > 0 ? one->processes[0].n : 0;
	double *medians = work + n;

	if (k < 2 || n < 2)
		return NAN;
	for (size_t p = 0; p < k; p++) {
		const struct pe_nested_process *process = &one->processes[p];
		double own = 0;

		if (process->n != n)
			return NAN;
		medians[p] = median_of(process->values, n, work);
		for (size_t i = 0; i < n; i++)
			own += process->values[i] / (double)n;
		/* By the absolute deviations: an outlier is one value of many. Of few they fall short (Croux and Rousseeuw). */
		for (size_t i = 0; i < n; i++)
			work[i] = fabs(process->values[i] - (n > 2 ? medians[p] : own));
		within += pow((n > 2 ? 1.4826 * (double)n / ((double)n - 0.8) : 1.4142) *
				      pe_order_median(work, n),
			      2);
		mean += medians[p] / (double)k;
	}
	within /= (double)k;
	for (size_t p = 0; p < k; p++)
		between += pow(medians[p] - mean, 2);
	freedom = (double)k - 1;
	/* The median of a variance that rests on so few (Wilson and Hilferty, PNAS 17 (1931)). */
	between /= freedom * pow(1 - 2 / (9 * freedom), 3);
	return within > 0 ? between / within - variance_of_median(n) : NAN;
}

/* Seconds for one unit of precision. */
static double seconds(double ratio, double n, double start_s, double value_s)
{
	return (ratio + variance_of_median((size_t)n)) * (start_s + n * value_s);
}

struct pe_nested_choice pe_nested_choose(const struct pe_nested *benchmarks, size_t n, double now,
					 double start_s, double value_s)
{
	const double most = 1000, c = variance_of_median(1000) * 1000;
	struct pe_nested_choice choice = {NAN, 0, now, 1};
	pe_auto_free double *ratios = pe_realloc(NULL, n + 1, sizeof(*ratios));
	double freedom = 0, error;
	size_t room = 0;

	for (size_t i = 0; i < n; i++) {
		size_t values = benchmarks[i].n > 0 ? benchmarks[i].processes[0].n : 0;

		if (values + benchmarks[i].n > room)
			room = values + benchmarks[i].n;
	}
	pe_auto_free double *work = pe_realloc(NULL, room + 1, sizeof(*work));

	for (size_t i = 0; i < n; i++) {
		double ratio = ratio_of(&benchmarks[i], work);

		if (isnan(ratio))
			continue;
		ratios[choice.n++] = ratio;
		freedom += (double)benchmarks[i].n - 1;
	}
	if (choice.n == 0 || !(start_s > 0) || !(value_s > 0) || now < 1)
		return choice;
	/* A ratio within its error of 0 is replaced by its upper bound. */
	error = variance_of_median((size_t)now) * sqrt(2 / freedom);
	choice.ratio = fmax(fmax(0.001, error), pe_order_median(ratios, choice.n));
	choice.best = fmin(most, fmax(1, round(sqrt(c * start_s / (value_s * choice.ratio)))));
	choice.gain = fmax(1, seconds(choice.ratio, now, start_s, value_s) /
				      seconds(choice.ratio, choice.best, start_s, value_s));
	return choice;
}
