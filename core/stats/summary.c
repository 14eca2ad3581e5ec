#include "core/stats/summary.h"

#include "core/base/arena.h"
#include "core/stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double pe_quartile_error(double mad, size_t n)
{
	return 1.3626 * PE_MAD_TO_SD * mad / sqrt((double)n);
}

/* P(Bin(n, 1/2) = k), through logarithms so that n in the thousands does not underflow half way. */
static double coin(size_t n, size_t k)
{
	double log_ways =
		lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);

	return exp(log_ways - (double)n * 0.6931471805599453);
}

/* The innermost pair of order statistics that holds the median with at least 95 %. */
static void median_interval(struct pe_summary *out, const double *sorted, size_t n)
{
	double below = coin(n, 0); /* P(fewer than rank + 1 values lie under the median) */
	size_t rank = 0;

	while (rank + 1 < n - 1 - (rank + 1)) {
		double wider = below + coin(n, rank + 1);

		if (2 * wider > 0.05)
			break;
		below = wider;
		rank++;
	}
	out->median_lo = sorted[rank];
	out->median_hi = sorted[n - 1 - rank];
	out->coverage = fmax(0, 1 - 2 * below);
}

struct pe_summary pe_summarize(const double *values, size_t n)
{
	struct pe_summary out = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
	double *sorted, sum = 0;

	if (n == 0)
		return out;
	sorted = pe_realloc(NULL, n, sizeof(*sorted));
	memcpy(sorted, values, n * sizeof(*sorted));
	pe_order_sort(sorted, n);
	for (size_t i = 0; i < n; i++)
		sum += sorted[i] / (double)n;
	out.min = sorted[0];
	out.max = sorted[n - 1];
	out.mean = sum;
	out.median = pe_order_quantile(sorted, n, 0.5);
	out.q25 = pe_order_quantile(sorted, n, 0.25);
	out.q75 = pe_order_quantile(sorted, n, 0.75);
	median_interval(&out, sorted, n);
	out.mad = pe_order_mad(values, n, out.median, sorted);
	out.location = out.q25;
	out.error = pe_quartile_error(out.mad, n);
	free(sorted);
	return out;
}
