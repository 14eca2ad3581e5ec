#include "core/stats/order.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static void fill(double *values, size_t n, uint64_t seed, int distinct)
{
	struct pe_random random = random_of(seed);

	for (size_t i = 0; i < n; i++)
		values[i] = distinct > 0 ? (double)pe_random_below(&random, (uint64_t)distinct)
					 : pe_random_normal(&random);
}

Test(order, selection_agrees_with_sorting)
{
	for (size_t n = 1; n <= 60; n++) {
		double values[60], sorted[60], work[60];

		fill(values, n, n, n % 3 == 0 ? 4 : 0);
		memcpy(sorted, values, sizeof(sorted));
		pe_order_sort(sorted, n);
		for (size_t k = 0; k < n; k++) {
			memcpy(work, values, sizeof(work));
			cr_assert(eq(dbl, pe_order_select(work, n, k), sorted[k]));
		}
		memcpy(work, values, sizeof(work));
		cr_assert(eq(dbl, pe_order_median(work, n), pe_order_quantile(sorted, n, 0.5)));
	}
}

Test(order, median_of_nothing_is_not_a_number)
{
	cr_assert(isnan(pe_order_median(NULL, 0)));
	cr_assert(isnan(pe_order_quantile(NULL, 0, 0.5)));
}

/* Type 7 by hand: position (n - 1) p = 3 * 0.25 = 0.75 between 1 and 2. */
Test(order, quantile_interpolates_between_order_statistics)
{
	const double sorted[] = {1, 2, 4, 8};

	cr_expect(epsilon_eq(dbl, pe_order_quantile(sorted, 4, 0.25), 1.75, 1e-15));
	cr_expect(epsilon_eq(dbl, pe_order_quantile(sorted, 4, 0.75), 5, 1e-15));
	cr_expect(eq(dbl, pe_order_quantile(sorted, 4, 0), 1));
	cr_expect(eq(dbl, pe_order_quantile(sorted, 4, 1), 8));
}

Test(order, scale_of_normal_deviations_is_their_standard_deviation)
{
	static double values[20001];

	fill(values, 20001, 5, 0);
	cr_assert(epsilon_eq(dbl, pe_order_scale(values, 20001), 1, 0.02));
}

/* Reference value: scipy.stats 1.10, median_abs_deviation(x, scale='normal'), of x about its median 12.15. */
Test(order, scale_agrees_with_another_implementation)
{
	double x[] = {12.1, 11.8, 12.6, 15.9, 11.9, 12.3, 12.0, 12.2, 11.7, 13.4};

	for (size_t i = 0; i < 10; i++)
		x[i] -= 12.15;
	cr_expect(epsilon_eq(dbl, pe_order_scale(x, 10), 0.44478066555167767, 1e-12));
}

Test(order, scale_looks_past_the_median_when_most_deviations_are_zero)
{
	double mostly_zero[] = {0, 0, 0, 0, 0, 0, 3, -3, 3, 50};
	double one_step[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 50};

	/* The largest, 50, is left out: 1.2533 * 9 / 9. */
	cr_expect(epsilon_eq(dbl, pe_order_scale(mostly_zero, 10), 1.2533141373155, 1e-12));
	cr_expect(eq(dbl, pe_order_scale(one_step, 10), 0));
}

/* Reference values: scipy.stats 1.10, norm.sf(3), norm.isf(0.025), norm.isf(1e-6). */
Test(order, normal_tail_and_quantile)
{
	cr_expect(epsilon_eq(dbl, pe_normal_tail(3), 0.0013498980316300933, 1e-15));
	cr_expect(epsilon_eq(dbl, pe_normal_quantile(0.025), 1.9599639845400545, 1e-9));
	cr_expect(epsilon_eq(dbl, pe_normal_quantile(1e-6), 4.753424308822899, 1e-9));
	cr_expect(epsilon_eq(dbl, pe_normal_quantile(0.975), -1.9599639845400545, 1e-9));
}

/* Reference values: scipy.stats 1.10, t.isf(norm.sf(z), freedom). The recipe is good to 3 % in this range. */
Test(order, student_quantile)
{
	cr_expect(epsilon_eq(dbl, pe_student_quantile(1.96, 3), 3.1825559726449284, 0.09));
	cr_expect(epsilon_eq(dbl, pe_student_quantile(1.96, 10), 2.228188514301729, 0.01));
	cr_expect(epsilon_eq(dbl, pe_student_quantile(3.7, 5), 9.526670816225831, 0.28));
	cr_expect(epsilon_eq(dbl, pe_student_quantile(3.7, 30), 4.2069355049428285, 0.01));
	cr_expect(epsilon_eq(dbl, pe_student_quantile(3, 1e9), 3, 1e-6));
	cr_expect(eq(dbl, pe_student_quantile(2, 0), pe_student_quantile(2, 2)));
	cr_expect(epsilon_eq(dbl, pe_student_quantile(-1.96, 10), -2.228188514301729, 0.01));
}
