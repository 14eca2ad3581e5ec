#include "core/stats/power.h"

#include "tests/core/history.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>

static struct pe_arena arena = PE_ARENA_INIT;
static struct history h;

static void release_all(void)
{
	pe_arena_release(&arena);
	pe_vec_release(&h.readings);
}

TestSuite(power, .fini = release_all, .timeout = 120.0);

#define MOST 200

/* Skewed runs of 2 %, one in 25 disturbed. */
static void draw(double *values, size_t n, double level, struct pe_random *random)
{
	for (size_t i = 0; i < n; i++) {
		double value = 0.02 * (exp(0.7 * pe_random_normal(random)) - 1);

		if (pe_random_unit(random) < 0.04)
			value += 0.3 * pe_random_unit(random);
		values[i] = level * exp(value);
	}
}

static double decided(size_t n, double factor, bool changed)
{
	size_t count = 0;

	for (uint64_t seed = 1; seed <= 300; seed++) {
		double base[MOST], head[MOST];
		struct pe_random random;
		enum pe_verdict verdict;

		pe_random_seed(&random, 7000 + seed);
		draw(base, n, 100, &random);
		draw(head, n, 100 * factor, &random);
		verdict = pe_compare_samples(base, n, head, n, NULL).verdict;
		count += changed ? verdict == PE_REGRESSED : verdict != PE_UNDECIDED;
	}
	return (double)count / 300;
}

struct sizes {
	size_t n;
	double low, high;
};

ParameterizedTestParameters(power, smallest_change_is_seen_nine_times_in_ten)
{
	static struct sizes sizes[] = {
		{5, 0.75, 1}, {10, 0.82, 0.97}, {30, 0.84, 0.96}, {80, 0.84, 0.96}};

	return cr_make_param_array(struct sizes, sizes, sizeof(sizes) / sizeof(*sizes));
}

ParameterizedTest(struct sizes *s, power, smallest_change_is_seen_nine_times_in_ten)
{
	double least = 0, seen;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		double base[MOST], head[MOST];
		struct pe_random random;

		pe_random_seed(&random, seed);
		draw(base, s->n, 100, &random);
		draw(head, s->n, 100, &random);
		least += pe_power_of(base, s->n, head, s->n, NULL).least / 10;
	}
	seen = decided(s->n, 1 + least, true);
	cr_expect(ge(dbl, seen, s->low), "%g of %zu at %g", seen, s->n, least);
	cr_expect(le(dbl, seen, s->high), "%g of %zu at %g", seen, s->n, least);
}

Test(power, too_few_are_never_apart)
{
	const double base[] = {100, 101, 102}, head[] = {200, 201, 202};
	struct pe_power power = pe_power_of(base, 3, head, 3, NULL);

	cr_expect(isinf(power.least));
	cr_expect(gt(sz, power.more, 0), "three against three are 0.1 at best");
	cr_expect(le(sz, power.more, 4));
	cr_expect(isnan(pe_power_of(base, 0, head, 3, NULL).least));
	cr_expect(eq(sz, pe_power_of(base, 0, head, 3, NULL).more, SIZE_MAX));
}

/* Undecided about 1.5 %, by ten runs a side: as many more as are asked for decide it. */
Test(power, more_runs_decide)
{
	size_t more = 0, n = 0;

	for (uint64_t seed = 1; seed <= 400 && n < 10; seed++) {
		double base[MOST], head[MOST];
		struct pe_comparison compared;
		struct pe_random random;
		struct pe_power power;

		pe_random_seed(&random, seed);
		draw(base, 10, 100, &random);
		draw(head, 10, 101.5, &random);
		compared = pe_compare_samples(base, 10, head, 10, NULL);
		if (fabs(compared.relative - 0.015) > 0.002)
			continue;
		power = pe_power_of(base, 10, head, 10, NULL);
		cr_assert(eq(int, power.more > 0, compared.verdict == PE_UNDECIDED));
		n += power.more > 0;
		more += power.more;
	}
	cr_assert(ge(sz, n, 5));
	cr_assert(lt(sz, 10 + more / n, (size_t)MOST), "%zu", more / n);
	cr_expect(ge(dbl, decided(10 + more / n, 1.015, true), 0.75), "%zu", more / n);
	cr_expect(le(dbl, decided(10, 1.015, true), 0.6), "else there was nothing to add");
}

Test(power, linear_values_have_it_too)
{
	const double base[] = {0, 10, 11, 9, 10, 12, 8, 10}, head[] = {10, 11, 0, 10, 9, 11, 10, 9};
	struct pe_power power = pe_power_of(base, 8, head, 8, NULL);

	cr_expect(gt(dbl, power.least, 0.05));
	cr_expect(lt(dbl, power.least, 1));
}

Test(power, repeats_bring_the_smallest_change_down)
{
	struct pe_changepoints found, more;
	struct pe_readings readings;
	double want;
	size_t repeats;

	history_init(&h, 40, 100, 0.03, 1);
	history_rounds(&h, 6, 0.01);
	readings = history_readings(&h);
	found = pe_changepoints_find(&readings, NULL, &arena);
	want = 0.75 * found.commits[20].least;
	repeats = pe_power_repeats(&found, 20, want);
	cr_assert(gt(sz, repeats, 6));
	cr_assert(lt(sz, repeats, 40));
	pe_vec_release(&h.readings);
	history_init(&h, 40, 100, 0.03, 2);
	history_rounds(&h, (unsigned)repeats, 0.01);
	readings = history_readings(&h);
	more = pe_changepoints_find(&readings, NULL, &arena);
	cr_expect(epsilon_eq(dbl, more.commits[20].least, want, 0.25 * want));
	cr_expect(eq(sz, pe_power_repeats(&found, 20, 1e-5), 0), "builds differ by more");
	cr_expect(eq(sz, pe_power_repeats(&found, 0, 0.1), 0));
	cr_expect(le(sz, pe_power_repeats(&found, 20, 10 * want), 1));
}
