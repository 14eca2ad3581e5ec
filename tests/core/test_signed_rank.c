#include "core/stats/signed_rank.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

TestSuite(signed_rank, .timeout = 600);

/*
 * Hamilton depression scale factor before and after a tranquilliser: Hollander and Wolfe, Nonparametric
 * Statistical Methods (1973), example 3.1; also in the help of R's wilcox.test, which prints V = 40,
 * p-value = 0.01953 for
 *
 *	wilcox.test(x, y, paired = TRUE, alternative = "greater")
 */
static const double depression[] = {1.83 - 0.878, 0.50 - 0.647, 1.62 - 0.598,
				    2.48 - 2.05,  1.68 - 1.06,  1.88 - 1.29,
				    1.55 - 1.06,  3.06 - 3.14,  1.30 - 1.29};

Test(signed_rank, agrees_with_the_textbook)
{
	struct pe_signed_rank_interval interval = pe_signed_rank_interval(depression, 9, 0.04);

	cr_expect(epsilon_eq(dbl, pe_signed_rank_p(depression, 9), 10. / 512, 1e-12));
	/* Section 3.2: the estimate is 0.46; section 3.3: 96.1 % from 0.010 to 0.786. */
	cr_expect(epsilon_eq(dbl, interval.estimate, 0.46, 0.0005));
	cr_expect(epsilon_eq(dbl, interval.low, 0.010, 1e-9));
	cr_expect(epsilon_eq(dbl, interval.high, 0.786, 1e-9));
	cr_expect(epsilon_eq(dbl, interval.level, 1 - 0.961, 0.0005));
}

/*
 * Reference values: scipy 1.10, wilcoxon(d, alternative='greater', mode='exact'), V = 263; numpy's median of the means
 * of all pairs, each value with itself too, and, 89 being the largest c with P(V <= c) <= 0.025 by counting the ways
 * to make each sum, the 90th of them from either end.
 */
Test(signed_rank, agrees_with_another_implementation)
{
	const double d[] = {0.8, -1.3, 2.1, 0.4,  3.6, -0.2, 1.9, 2.7,  -2.2, 0.6, 4.1,  1.1, -0.9,
			    2.4, 3.3,  0.1, -1.6, 1.4, 2.9,  0.5, -0.7, 3.9,  1.7, -0.3, 2.6};
	struct pe_signed_rank_interval interval = pe_signed_rank_interval(d, 25, 0.05);

	cr_expect(epsilon_eq(dbl, pe_signed_rank_p(d, 25), 0.002789407968521118, 1e-15));
	cr_expect(epsilon_eq(dbl, interval.estimate, 1.15, 1e-12));
	cr_expect(epsilon_eq(dbl, interval.low, 0.4, 1e-12));
	cr_expect(epsilon_eq(dbl, interval.high, 1.95, 1e-12));
	cr_expect(epsilon_eq(dbl, interval.level, 0.04826241731643677, 1e-15));
}

/*
 * As many as the last look of a confirmation has, every third one negative. Reference value: numpy, the ways to make
 * each sum counted by c[k:] += c[:-k], a factor of 1/2 for each k.
 */
Test(signed_rank, agrees_with_another_implementation_on_many)
{
	double d[135];

	for (int i = 0; i < 135; i++)
		d[i] = (i + 1) % 3 == 0 ? -(i + 1) : i + 1;
	cr_expect(epsilon_eq(dbl, pe_signed_rank_p(d, 135), 0.000502371869678017, 1e-14));
}

/* The definition itself: all signs, each size's rank counted out, differences of 0 ranked and without a sign. */
static double count_out(const double *d, size_t n)
{
	double rank[16], observed = 0;
	size_t as_large = 0;

	for (size_t i = 0; i < n; i++) {
		double below = 0, equal = 0;

		for (size_t j = 0; j < n; j++) {
			below += fabs(d[j]) < fabs(d[i]);
			equal += fabs(d[j]) == fabs(d[i]);
		}
		rank[i] = d[i] == 0 ? 0 : below + (equal + 1) / 2;
		observed += d[i] > 0 ? rank[i] : 0;
	}
	for (size_t signs = 0; signs < (size_t)1 << n; signs++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += (signs >> i & 1) != 0 ? rank[i] : 0;
		as_large += sum >= observed;
	}
	return (double)as_large / (double)((size_t)1 << n);
}

Test(signed_rank, is_exact_with_ties_and_zeros)
{
	struct pe_random random = random_of(5);

	for (int round = 0; round < 60; round++) {
		size_t n = 1 + pe_random_below(&random, 11);
		int64_t spread = round % 3 == 0 ? 100000 : round % 3 == 1 ? 7 : 2;
		double d[16];

		for (size_t i = 0; i < n; i++)
			d[i] = (double)((int64_t)pe_random_below(&random,
								 2 * (uint64_t)spread + 1) -
					spread + spread / 4);
		cr_assert(epsilon_eq(dbl, pe_signed_rank_p(d, n), count_out(d, n), 1e-12),
			  "round %d, n %zu", round, n);
	}
}

Test(signed_rank, of_nothing_says_nothing)
{
	const double zeros[] = {0, 0, 0, 0};

	cr_expect_text("1 1 0", pe_signed_rank_p(NULL, 0), pe_signed_rank_p(zeros, 4),
		       pe_signed_rank_interval(zeros, 4, 0.3).estimate);
}

Test(signed_rank, few_differences_have_no_interval)
{
	const double d[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct pe_signed_rank_interval interval = pe_signed_rank_interval(d, 8, 0.0078);

	cr_expect(isinf(interval.low) && isinf(interval.high));
	cr_expect(eq(dbl, interval.level, 1));
	interval = pe_signed_rank_interval(d, 8, 2. / 256);
	cr_expect(eq(dbl, interval.low, 1));
	cr_expect(eq(dbl, interval.high, 8));
	cr_expect(epsilon_eq(dbl, interval.level, 2. / 256, 1e-12));
	cr_expect(eq(dbl, interval.estimate, 4.5));
}

/* P(sum <= c) and P(sum >= total - c) mirror each other, and the interval lies the same way about zero. */
Test(signed_rank, turned_round_it_says_the_same)
{
	double d[135], turned[135];
	struct pe_signed_rank_interval forth, back;
	struct pe_random random = random_of(6);

	for (size_t i = 0; i < 135; i++) {
		d[i] = pe_random_normal(&random) + 0.2;
		turned[i] = -d[i];
	}
	forth = pe_signed_rank_interval(d, 135, 0.05);
	back = pe_signed_rank_interval(turned, 135, 0.05);
	cr_expect(epsilon_eq(dbl, forth.low, -back.high, 1e-12));
	cr_expect(epsilon_eq(dbl, forth.estimate, -back.estimate, 1e-12));
	cr_expect(le(dbl, forth.level, 0.05));
	cr_expect(gt(dbl, forth.level, 0.049));
	/* Both tails share the observed sum, whose chance is small. */
	cr_expect(epsilon_eq(dbl, pe_signed_rank_p(d, 135) + pe_signed_rank_p(turned, 135), 1,
			     0.005));
}
