#include "core/stats/order.h"

#include "core/base/sort.h"

#include <assert.h>
#include <math.h>

PE_SORT_NUMBERS(compare_doubles, double);

void pe_order_sort(double *values, size_t n)
{
	pe_sort(values, n, compare_doubles);
}

static void swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

static double middle_of_three(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

double pe_order_select(double *values, size_t n, size_t k)
{
	size_t lo = 0, hi = n;

	assert(k < n);
	/* Three-way partition: runs of equal values, common in counts, cost one pass. */
	while (hi - lo > 1) {
		double pivot =
			middle_of_three(values[lo], values[lo + (hi - lo) / 2], values[hi - 1]);
		size_t less = lo, more = hi, i = lo;

		while (i < more) {
			if (values[i] < pivot)
				swap(&values[i++], &values[less++]);
			else if (values[i] > pivot)
				swap(&values[i], &values[--more]);
			else
				i++;
		}
		if (k >= less && k < more)
			return pivot;
		if (k < less)
			hi = less;
		else
			lo = more;
	}
	return values[lo];
}

double pe_order_median(double *values, size_t n)
{
	double upper, lower;

	if (n == 0)
		return NAN;
	upper = pe_order_select(values, n, n / 2);
	if (n % 2 == 1)
		return upper;
	/* Selection leaves the n / 2 smallest in front. */
	lower = values[0];
	for (size_t i = 1; i < n / 2; i++)
		lower = fmax(lower, values[i]);
	return lower + (upper - lower) / 2;
}

double pe_order_quantile(const double *sorted, size_t n, double p)
{
	double position, below;
	size_t i;

	if (n == 0)
		return NAN;
	position = p * (double)(n - 1);
	below = floor(position);
	i = (size_t)below;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (position - below) * (sorted[i + 1] - sorted[i]);
}

double pe_order_mad(const double *values, size_t n, double centre, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(values[i] - centre);
	return pe_order_median(scratch, n);
}

double pe_order_scale(double *deviations, size_t n)
{
	const double mean_to_sd = 1.2533141373155003; /* sqrt(pi / 2) */
	double median = pe_order_mad(deviations, n, 0, deviations);
	double sum = 0;
	size_t kept;

	if (n < 2 || median > 0)
		return n == 0 ? 0 : PE_MAD_TO_SD * median;
	kept = n - (n + 9) / 10;
	pe_order_sort(deviations, n);
	for (size_t i = 0; i < kept; i++)
		sum += deviations[i];
	return mean_to_sd * sum / (double)kept;
}

double pe_normal_tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

double pe_normal_quantile(double tail)
{
	double lo = -40, hi = 40;

	assert(tail > 0 && tail < 1);
	/* The tail falls strictly: halving to the last bit needs no table of coefficients. */
	for (int i = 0; i < 64; i++) {
		double z = lo + (hi - lo) / 2;

		if (pe_normal_tail(z) > tail)
			lo = z;
		else
			hi = z;
	}
	return lo + (hi - lo) / 2;
}

double pe_student_quantile(double z, double freedom)
{
	double g;

	if (freedom < 2)
		freedom = 2;
	g = (freedom - 1.5) / ((freedom - 1) * (freedom - 1));
	return copysign(sqrt(freedom * expm1(z * z * g)), z);
}
