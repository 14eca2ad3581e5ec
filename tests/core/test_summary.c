#include "core/stats/summary.h"

#include "tests/support/test.h"

/* Reference values: numpy's median, quantile (its default is type 7), scipy 1.10's median_abs_deviation. */
Test(summary, worked_example)
{
	const double ms[] = {12.1, 11.8, 12.4, 13.9, 11.7, 12.0, 12.2, 19.5, 11.9, 12.3};
	struct pe_summary s = pe_summarize(ms, 10);

	cr_expect_text("10 11.7 19.5", s.n, s.min, s.max);
	cr_expect(epsilon_eq(dbl, s.median, 12.15, 1e-12));
	cr_expect(epsilon_eq(dbl, s.q25, 11.925, 1e-12));
	cr_expect(epsilon_eq(dbl, s.q75, 12.375, 1e-12));
	cr_expect(epsilon_eq(dbl, s.mad, 0.25, 1e-12));
	/* sqrt(1/4 * 3/4) / phi(z) = 1.36263; 1.36263 * 1.482602 * 0.25 / sqrt(10) */
	cr_expect(epsilon_eq(dbl, s.error, 0.159712, 1e-5));
}

Test(summary, of_nothing_is_not_a_number)
{
	struct pe_summary s = pe_summarize(NULL, 0);

	cr_expect(eq(sz, s.n, 0));
	cr_expect(isnan(s.median) && isnan(s.q25) && isnan(s.error));
}

Test(summary, of_one_value_claims_nothing)
{
	const double value = 7;
	struct pe_summary s = pe_summarize(&value, 1);

	cr_expect_text("7 7 0", s.median, s.q25, s.error);
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
	cr_expect(eq(dbl, hit.error, clean.error));
}
