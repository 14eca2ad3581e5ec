#include "core/stats/deterministic.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

static struct pe_arena arena = PE_ARENA_INIT;

static void release_arena(void)
{
	pe_arena_release(&arena);
}

TestSuite(deterministic, .fini = release_arena);

#define MISSING NAN

/* Two runs a commit; MISSING for one that did not take place. */
static struct pe_changepoints find(const double (*runs)[2], size_t n,
				   const struct pe_deterministic_opts *opts)
{
	struct pe_reading *at = pe_arena_new(&arena, struct pe_reading, 2 * n);

	for (size_t i = 0; i < 2 * n; i++)
		at[i] = (struct pe_reading){i / 2, 1, (unsigned)(i % 2), runs[i / 2][i % 2]};
	return pe_deterministic_find(&(struct pe_readings){at, 2 * n, n}, opts, &arena);
}

Test(deterministic, one_more_allocation_is_a_change)
{
	const double runs[][2] = {
		{100000, 100000}, {100000, 100000}, {100001, 100001}, {100001, 100001}};
	struct pe_changepoints found = find(runs, 4, NULL);

	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].index, 2));
	cr_expect(eq(sz, found.at[0].before, 1));
	cr_expect(eq(dbl, found.at[0].level_before, 100000));
	cr_expect(eq(dbl, found.at[0].level_after, 100001));
	cr_expect(epsilon_eq(dbl, found.at[0].relative, 1e-5, 1e-15));
	cr_expect(eq(dbl, found.at[0].low, found.at[0].relative));
	cr_expect(eq(dbl, found.at[0].high, found.at[0].relative));
	cr_expect(eq(dbl, found.commits[3].level, 100001));
	cr_expect(eq(dbl, found.commits[3].error, 0));
}

Test(deterministic, equal_counts_have_no_change)
{
	const double runs[][2] = {{7, 7}, {7, 7}, {7, 7}};

	cr_expect(eq(sz, find(runs, 3, NULL).n, 0));
}

Test(deterministic, minimum_effects_must_both_be_reached)
{
	const double runs[][2] = {{1000, 1000}, {1009, 1009}, {1030, 1030}};
	struct pe_deterministic_opts opts = {0.01, 0};

	/* 0.9 %, then 2.1 %. */
	cr_assert(eq(sz, find(runs, 3, &opts).n, 1));
	cr_expect(eq(sz, find(runs, 3, &opts).at[0].index, 2));
	opts.min_absolute = 21;
	cr_expect(eq(sz, find(runs, 3, &opts).n, 1));
	opts.min_absolute = 22;
	cr_expect(eq(sz, find(runs, 3, &opts).n, 0));
}

Test(deterministic, runs_that_differ_widen_the_bar)
{
	/* 110..130 against 150..160: 20 apart, as wide as the wider range. One more, and it is a change. */
	const double near[][2] = {{130, 110}, {150, 160}}, far[][2] = {{130, 110}, {151, 160}};
	const double touching[][2] = {{130, 110}, {130, 160}};

	cr_expect(eq(sz, find(near, 2, NULL).n, 0));
	cr_expect(eq(sz, find(touching, 2, NULL).n, 0));
	cr_assert(eq(sz, find(far, 2, NULL).n, 1));
	cr_expect(epsilon_eq(dbl, find(far, 2, NULL).at[0].relative, 155.5 / 120 - 1, 1e-12));
	cr_expect(epsilon_eq(dbl, find(far, 2, NULL).at[0].low, 151. / 130 - 1, 1e-12));
	cr_expect(epsilon_eq(dbl, find(far, 2, NULL).at[0].high, 160. / 110 - 1, 1e-12));
}

/* Commits 4 and 5 happened to agree in both runs; the others show that the metric is not exact. */
Test(deterministic, agreement_by_chance_does_not_pass_for_exactness)
{
	double runs[10][2];

	for (int i = 0; i < 10; i++) {
		runs[i][0] = 1000 + 3 * (i % 3);
		runs[i][1] = runs[i][0] + 12;
	}
	runs[4][0] = runs[4][1] = 1005;
	runs[5][0] = runs[5][1] = 1010;
	cr_expect(eq(sz, find((const double(*)[2])runs, 10, NULL).n, 0));
	for (int i = 5; i < 10; i++)
		for (int j = 0; j < 2; j++)
			runs[i][j] += 20;
	cr_assert(eq(sz, find((const double(*)[2])runs, 10, NULL).n, 1));
	cr_expect(eq(sz, find((const double(*)[2])runs, 10, NULL).at[0].index, 5));
}

Test(deterministic, failed_builds_are_stepped_over)
{
	const double runs[][2] = {{5, 5}, {MISSING, MISSING}, {MISSING, 6}, {6, 6}};
	struct pe_changepoints found = find(runs, 4, NULL);

	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].before, 0));
	cr_expect(eq(sz, found.at[0].index, 2));
	cr_expect(eq(sz, found.commits[1].n, 0));
	cr_expect(isnan(found.commits[1].level));
	cr_expect(eq(sz, found.commits[2].n, 1));
}

Test(deterministic, from_zero_the_relative_change_is_undefined)
{
	const double runs[][2] = {{0, 0}, {40, 40}, {0, 0}};
	struct pe_deterministic_opts opts = {0.5, 1};
	struct pe_changepoints found = find(runs, 3, &opts);

	cr_assert(eq(sz, found.n, 2));
	cr_expect(isnan(found.at[0].relative) && isnan(found.at[0].low) && isnan(found.at[0].high));
	cr_expect(eq(dbl, found.at[1].relative, -1));
}

Test(deterministic, of_nothing_is_nothing)
{
	struct pe_changepoints found =
		pe_deterministic_find(&(struct pe_readings){NULL, 0, 2}, NULL, &arena);

	cr_expect(eq(sz, found.n, 0));
	cr_expect(eq(sz, found.n_components, 0));
}
