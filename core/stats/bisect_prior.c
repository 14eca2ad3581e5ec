/* What is likely before anything is measured. */
#include "core/stats/bisect.h"

void pe_bisect_temper(double *weights, size_t n, double trust)
{
	double sum = 0;

	for (size_t k = 1; k < n; k++)
		sum += weights[k];
	for (size_t k = 1; k < n; k++)
		weights[k] = sum > 0 ? trust * weights[k] / sum + (1 - trust) / (double)(n - 1)
				     : 1 / (double)(n - 1);
}

void pe_bisect_suppose(double *weights, size_t n, size_t first, size_t last, double trust)
{
	for (size_t k = 1; k < n; k++)
		weights[k] *= 1 - trust;
	for (size_t k = first; k <= last; k++)
		weights[k] += trust / (double)(last - first + 1);
}
