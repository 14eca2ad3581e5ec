#include "core/stats/fdr.h"

#include "core/base/arena.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct ranked {
	double p;
	size_t place;
};

static int by_p(const void *left, const void *right)
{
	const struct ranked *l = left, *r = right;

	return (l->p > r->p) - (l->p < r->p);
}

void pe_fdr_adjust(double *adjusted, const double *p, size_t n, enum pe_fdr_dependence dependence)
{
	pe_auto_free struct ranked *ranked = pe_realloc(NULL, n + 1, sizeof(*ranked));
	double factor = 0, least = 1;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			ranked[m++] = (struct ranked){p[i], i};
	qsort(ranked, m, sizeof(*ranked), by_p);
	for (size_t i = 1; i <= m; i++)
		factor += dependence == PE_FDR_ANY ? 1 / (double)i : 0;
	if (dependence == PE_FDR_POSITIVE)
		factor = 1;
	for (size_t i = 0; i < n; i++)
		adjusted[i] = NAN;
	for (size_t i = m; i-- > 0;) {
		least = fmin(least, ranked[i].p * factor * (double)m / (double)(i + 1));
		adjusted[ranked[i].place] = least;
	}
}

/*
 * Shares of the wealth for the j-th test after it was earned, j from 1: the sequence that Javanmard and
 * Montanari, "Online rules for control of false discovery rate and false discovery exceedance", Annals of
 * Statistics 46 (2018), section 3, found to spend best. All of them make 1: the constant is one over their sum,
 * to 10^6 by adding, and from there by the integral 2 exp(-s) (s^3 + 3 s^2 + 6 s + 6), s = sqrt(ln(10^6)).
 */
static double share(size_t j)
{
	double ln = log((double)j);

	return 0.07908 * fmax(ln, log(2)) / ((double)j * exp(sqrt(ln)));
}

double pe_fdr_level(size_t t, const size_t *known, size_t n_known, const struct pe_fdr_opts *opts)
{
	static const struct pe_fdr_opts defaults = PE_FDR_DEFAULTS;
	double level;

	if (opts == NULL)
		opts = &defaults;
	assert(t > 0 && opts->wealth <= opts->rate);
	level = opts->wealth * share(t);
	for (size_t j = 0; j < n_known; j++) {
		assert(known[j] < t);
		level += (opts->rate - (j == 0 ? opts->wealth : 0)) * share(t - known[j]);
	}
	return level;
}
