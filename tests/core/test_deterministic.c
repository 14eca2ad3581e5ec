#include "core/stats/deterministic.h"

#include "tests/support/test.h"

static const struct pe_deterministic_opts any = {0, 0};
static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(deterministic, (void)0, pe_arena_release(&arena));

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
	struct pe_changepoints found = find(runs, 4, &any);

	cr_assert(eq(sz, found.n, 1));
	cr_expect_text("2 1 100000 100001", found.at[0].index, found.at[0].before,
		       found.at[0].level_before, found.at[0].level_after);
	cr_expect(epsilon_eq(dbl, found.at[0].relative, 1e-5, 1e-15));
	cr_expect(eq(dbl, found.at[0].low, found.at[0].relative));
	cr_expect(eq(dbl, found.at[0].high, found.at[0].relative));
	cr_expect(eq(dbl, found.commits[3].level, 100001));
	cr_expect(eq(dbl, found.commits[3].error, 0));
}

Test(deterministic, equal_counts_have_no_change)
{
	const double runs[][2] = {{7, 7}, {7, 7}, {7, 7}};

	cr_expect(eq(sz, find(runs, 3, &any).n, 0));
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

static struct pe_exactness check(const double (*runs)[2], size_t n, double tolerance)
{
	struct pe_reading *at = pe_arena_new(&arena, struct pe_reading, 2 * n);

	for (size_t i = 0; i < 2 * n; i++)
		at[i] = (struct pe_reading){i / 2, 1, (unsigned)(i % 2), runs[i / 2][i % 2]};
	return pe_deterministic_check(&(struct pe_readings){at, 2 * n, n}, tolerance, &arena);
}

Test(deterministic, one_build_that_differs_breaks_the_promise_of_all)
{
	const double runs[][2] = {{100, 100}, {120, 120}, {120, 90}, {MISSING, 7}, {5, MISSING}};
	struct pe_exactness kept = check(runs, 5, 0);

	/* Single runs promise nothing. */
	cr_expect(eq(sz, kept.builds, 3));
	cr_expect(eq(sz, kept.broken, 1));
	cr_expect(epsilon_eq(dbl, kept.most, 0.25, 1e-15));
}

Test(deterministic, builds_that_differ_from_each_other_keep_the_promise)
{
	const double runs[][2] = {{100, 100}, {200, 200}, {0, 0}};
	struct pe_exactness kept = check(runs, 3, 0);

	cr_expect_text("3 0 0", kept.builds, kept.broken, kept.most);
}

Test(deterministic, failed_builds_are_stepped_over)
{
	const double runs[][2] = {{5, 5}, {MISSING, MISSING}, {MISSING, 6}, {6, 6}};
	struct pe_changepoints found = find(runs, 4, &any);

	cr_assert(eq(sz, found.n, 1));
	cr_expect_text("0 2 0", found.at[0].before, found.at[0].index, found.commits[1].n);
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
		pe_deterministic_find(&(struct pe_readings){NULL, 0, 2}, &any, &arena);

	cr_expect(eq(sz, found.n, 0));
	cr_expect(eq(sz, found.n_components, 0));
}

Test(deterministic, values_within_the_tolerance_are_one)
{
	const double runs[][2] = {{248327115, 248327132}, {-1000, -1000.2}, {0, 0}};

	cr_expect(eq(sz, check(runs, 3, 1e-4).builds, 3));
	cr_expect(eq(sz, check(runs, 3, 1e-4).broken, 1), "of -1000 two in ten thousand");
	cr_expect(eq(sz, check(runs, 3, 0).broken, 2));
}

/* Another interpreter counts otherwise: a batch is an epoch. */
Test(deterministic, values_of_different_batches_are_not_compared)
{
	const struct pe_reading apart[] = {
		{0, 1, 0, 10}, {1, 1, 0, 10}, {2, 2, 0, 20}, {3, 2, 0, 25}};
	/* The second commit is counted in both. */
	const struct pe_reading linked[] = {
		{0, 1, 0, 10}, {1, 1, 0, 10}, {1, 2, 0, 18}, {2, 2, 0, 20}, {3, 2, 0, 20}};
	/* One in between has counts of the first alone. */
	const struct pe_reading between[] = {
		{0, 1, 0, 10}, {0, 2, 0, 18}, {1, 1, 0, 10}, {2, 2, 0, 20}};
	struct pe_changepoints found =
		pe_deterministic_find(&(struct pe_readings){apart, 4, 4}, &any, &arena);

	cr_assert(eq(sz, found.n, 1));
	cr_expect_text("3 2 0 1", found.at[0].index, found.n_components, found.commits[1].component,
		       found.commits[3].component);
	found = pe_deterministic_find(&(struct pe_readings){linked, 5, 4}, &any, &arena);
	cr_assert(eq(sz, found.n, 1));
	cr_expect_text("1 18 20 1 18", found.at[0].before, found.at[0].level_before,
		       found.at[0].level_after, found.n_components, found.commits[1].level);
	found = pe_deterministic_find(&(struct pe_readings){between, 4, 3}, &any, &arena);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].before, 0));
	cr_expect(eq(sz, found.at[0].index, 2));
}
