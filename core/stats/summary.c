#include "core/stats/summary.h"

#include "core/base/arena.h"
#include "core/stats/order.h"

#include <math.h>
#include <string.h>

struct pe_summary pe_summarize(const double *values, size_t n)
{
	struct pe_summary out = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	pe_auto_free double *sorted = pe_realloc(NULL, n + 1, sizeof(*sorted));

	if (n == 0)
		return out;
	memcpy(sorted, values, n * sizeof(*sorted));
	pe_order_sort(sorted, n);
	out.min = sorted[0];
	out.max = sorted[n - 1];
	out.median = pe_order_quantile(sorted, n, 0.5);
	out.q25 = pe_order_quantile(sorted, n, 0.25);
	out.q75 = pe_order_quantile(sorted, n, 0.75);
	out.mad = pe_order_mad(values, n, out.median, sorted);
	out.error = 1.3626 * PE_MAD_TO_SD * out.mad / sqrt((double)n);
	return out;
}
