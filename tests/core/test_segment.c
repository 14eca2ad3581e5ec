/* Against the definition: all segmentations of short series are tried, all levels of each segment too. */
#include "core/stats/segment.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(segment, (void)0, pe_arena_release(&arena), .timeout = 600);

static double loss(const struct pe_segment_value *v, double level, double k)
{
	double u = fabs(v->value - level) / v->sd;

	return fmin(v->limit, u <= k ? u * u : 2 * k * u - k * k);
}

static double total(const struct pe_segment_value *v, size_t n, double level, double k)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += loss(&v[i], level, k);
	return sum;
}

/* Between the places where some loss changes its form the sum is a parabola: three points tell its lowest. */
static double best_cost(const struct pe_segment_value *v, size_t n, double k)
{
	double bends[64], best = INFINITY;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		double far = isinf(v[i].limit) ? 0 : (v[i].limit + k * k) / (2 * k);
		double at[] = {-far, -k, k, far};

		for (size_t j = 0; j < 4; j++)
			bends[m++] = v[i].value + at[j] * v[i].sd;
	}
	for (size_t i = 1; i < m; i++)
		for (size_t j = i; j > 0 && bends[j] < bends[j - 1]; j--) {
			double kept = bends[j];

			bends[j] = bends[j - 1];
			bends[j - 1] = kept;
		}
	for (size_t i = 0; i + 1 < m; i++) {
		double a = bends[i], b = bends[i + 1], h = (b - a) / 2;
		double fa = total(v, n, a, k), fm = total(v, n, a + h, k), fb = total(v, n, b, k);
		double curve = fa - 2 * fm + fb;

		best = fmin(best, fmin(fa, fb));
		if (curve > 1e-12) {
			double x = a + h + h * (fa - fb) / (2 * curve);

			if (x > a && x < b)
				best = fmin(best, total(v, n, x, k));
		}
	}
	return best;
}

static double best_segmentation(const struct pe_segment_value *v, size_t n, double penalty,
				double k)
{
	double cost[16] = {0};

	for (size_t end = 1; end <= n; end++) {
		cost[end] = INFINITY;
		for (size_t from = 0; from < end; from++)
			cost[end] = fmin(cost[end],
					 cost[from] + penalty + best_cost(v + from, end - from, k));
	}
	return cost[n];
}

static double cost_of(const struct pe_segments *s, const struct pe_segment_value *v, size_t n,
		      double penalty, double k)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t end = i + 1 < s->n ? s->start[i + 1] : n;

		sum += penalty + best_cost(v + s->start[i], end - s->start[i], k);
	}
	return sum;
}

Test(segment, finds_the_exact_minimum)
{
	struct pe_random random = random_of(4);

	for (int trial = 0; trial < 600; trial++) {
		size_t n = 1 + pe_random_below(&random, 12);
		double penalty = 6 * pe_random_unit(&random), k = 1 + 2 * pe_random_unit(&random);
		double level = 0, offset = trial % 5 == 0 ? 1000 : 0;
		struct pe_segment_value v[12];
		struct pe_segments found;

		for (size_t i = 0; i < n; i++) {
			if (pe_random_below(&random, 4) == 0)
				level = 4 * pe_random_normal(&random);
			v[i].value = offset + level + pe_random_normal(&random);
			v[i].sd = 0.5 + pe_random_unit(&random);
			v[i].limit = trial % 3 == 0 ? INFINITY
				     : pe_random_below(&random, 2)
					     ? k * k
					     : k * k + 5 * pe_random_unit(&random);
			if (pe_random_below(&random, 8) == 0)
				v[i].value += 50;
		}
		found = pe_segment(v, n, penalty, k, &arena);
		cr_assert(eq(sz, found.start[0], 0));
		cr_assert(epsilon_eq(dbl, found.cost, best_segmentation(v, n, penalty, k), 1e-6));
		cr_assert(epsilon_eq(dbl, cost_of(&found, v, n, penalty, k), found.cost, 1e-6));
	}
}

Test(segment, of_nothing_is_empty)
{
	cr_assert(eq(sz, pe_segment(NULL, 0, 1, 3, &arena).n, 0));
}

Test(segment, clipped_outlier_makes_no_segment_and_an_unclipped_one_does)
{
	struct pe_segment_value v[21];

	for (size_t i = 0; i < 21; i++)
		v[i] = (struct pe_segment_value){i == 10 ? 30 : 0, 1, 9};
	cr_expect(eq(sz, pe_segment(v, 21, 14, 3, &arena).n, 1));
	v[10].limit = INFINITY;
	cr_expect(eq(sz, pe_segment(v, 21, 14, 3, &arena).n, 3));
}

Test(segment, level_resists_a_third_of_outliers)
{
	struct pe_segment_value v[12];

	for (size_t i = 0; i < 12; i++)
		v[i] = (struct pe_segment_value){i % 3 == 0 ? 1e6 : 5, 1, INFINITY};
	/* Four outliers pull with 3 each, eight values at 5 hold with 1 per unit: 5 + 12 / 8. */
	cr_assert(epsilon_eq(dbl, pe_segment_level(v, 12, 3), 6.5, 1e-9));
}

/* Ten thousand commits: a quadratic search would take 10^8 / 2 segment costs, and this test its time limit. */
Test(segment, long_series_stay_cheap)
{
	enum { LENGTH = 10000 };
	struct pe_segment_value *v = pe_arena_new(&arena, struct pe_segment_value, LENGTH);
	struct pe_segments found;
	struct pe_random random = random_of(8);

	for (size_t i = 0; i < LENGTH; i++)
		v[i] = (struct pe_segment_value){
			10. * (double)(i / 1000) + pe_random_normal(&random), 1, INFINITY};
	found = pe_segment(v, LENGTH, 3 * log(LENGTH), 3, &arena);
	cr_assert(eq(sz, found.n, 10));
	for (size_t s = 0; s < 10; s++)
		cr_expect(eq(sz, found.start[s], 1000 * s));
}
