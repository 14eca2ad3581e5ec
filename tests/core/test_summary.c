#include "core/stats/summary.h"

#include "core/base/random.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

/* Reference values: numpy's mean, median, quantile (its default is type 7), scipy 1.10's median_abs_deviation. */
Test(summary, worked_example)
{
	const double ms[] = {12.1, 11.8, 12.4, 13.9, 11.7, 12.0, 12.2, 19.5, 11.9, 12.3};
	struct pe_summary s = pe_summarize(ms, 10);

	cr_expect(eq(sz, s.n, 10));
	cr_expect(eq(dbl, s.min, 11.7));
	cr_expect(eq(dbl, s.max, 19.5));
	cr_expect(epsilon_eq(dbl, s.mean, 12.98, 1e-12));
	cr_expect(epsilon_eq(dbl, s.median, 12.15, 1e-12));
	cr_expect(epsilon_eq(dbl, s.q25, 11.925, 1e-12));
	cr_expect(epsilon_eq(dbl, s.q75, 12.375, 1e-12));
	cr_expect(epsilon_eq(dbl, s.mad, 0.25, 1e-12));
	cr_expect(eq(dbl, s.location, s.q25));
	/* sqrt(1/4 * 3/4) / phi(z) = 1.36263; 1.36263 * 1.482602 * 0.25 / sqrt(10) */
	cr_expect(epsilon_eq(dbl, s.error, 0.159712, 1e-5));
	/* Binomial: 1 - 2 (1 + 10) / 1024 */
	cr_expect(eq(dbl, s.median_lo, 11.8));
	cr_expect(eq(dbl, s.median_hi, 13.9));
	cr_expect(epsilon_eq(dbl, s.coverage, 0.978515625, 1e-12));
}

Test(summary, of_nothing_is_not_a_number)
{
	struct pe_summary s = pe_summarize(NULL, 0);

	cr_expect(eq(sz, s.n, 0));
	cr_expect(isnan(s.median) && isnan(s.location) && isnan(s.error) && isnan(s.median_lo));
	cr_expect(eq(dbl, s.coverage, 0));
}

Test(summary, of_one_value_claims_nothing)
{
	const double value = 7;
	struct pe_summary s = pe_summarize(&value, 1);

	cr_expect(eq(dbl, s.median, 7));
	cr_expect(eq(dbl, s.q25, 7));
	cr_expect(eq(dbl, s.error, 0));
	cr_expect(eq(dbl, s.median_lo, 7));
	cr_expect(eq(dbl, s.coverage, 0));
}

/* Reference values: scipy.stats 1.10, binom.cdf. Ranks from 0. */
Test(summary, median_interval_takes_the_innermost_order_statistics)
{
	static const struct {
		size_t n, rank;
		double coverage;
	} cases[] = {
		{5, 0, 0.9375},
		{6, 0, 0.96875},
		{25, 7, 0.9567147493362427},
		{100, 39, 0.9647997997822951},
		{1000, 468, 0.9537088026395019},
	};
	double values[1000];

	for (size_t i = 0; i < 1000; i++)
		values[i] = (double)i;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_summary s = pe_summarize(values, cases[i].n);

		cr_expect(eq(dbl, s.median_lo, (double)cases[i].rank));
		cr_expect(eq(dbl, s.median_hi, (double)(cases[i].n - 1 - cases[i].rank)));
		cr_expect(epsilon_eq(dbl, s.coverage, cases[i].coverage, 1e-9));
	}
}

Test(summary, median_interval_covers_as_often_as_it_says)
{
	struct pe_random random;
	int covered = 0;

	pe_random_seed(&random, 11);
	for (int i = 0; i < 2000; i++) {
		double values[25];
		struct pe_summary s;

		for (int j = 0; j < 25; j++)
			values[j] = exp(pe_random_normal(&random)); /* median 1 */
		s = pe_summarize(values, 25);
		covered += s.median_lo <= 1 && s.median_hi >= 1;
	}
	cr_assert(ge(int, covered, 1885), "%d of 2000", covered);
	cr_assert(le(int, covered, 1940), "%d of 2000", covered);
}

Test(summary, one_huge_outlier_moves_no_rank_statistic_far)
{
	double values[25];
	struct pe_summary clean, hit;

	for (int i = 0; i < 25; i++)
		values[i] = 100 + i;
	clean = pe_summarize(values, 25);
	values[24] = 1e12;
	hit = pe_summarize(values, 25);
	cr_expect(eq(dbl, hit.median, clean.median));
	cr_expect(eq(dbl, hit.location, clean.location));
	cr_expect(eq(dbl, hit.error, clean.error));
	cr_expect(gt(dbl, hit.mean, 1e9));
}
