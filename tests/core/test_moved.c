/* What is said of the machine, from series made with a known one. Sizes and directions, never times. */
#include "core/stats/moved.h"

#include "core/base/random.h"
#include "tests/support/test.h"

#include <math.h>

enum { MOST = 4096, COMMITS = 40 };

static struct pe_reading at[MOST];
static size_t n_at;
static struct pe_random dice;

static void begin(void)
{
	n_at = 0;
	pe_random_seed(&dice, 20261121);
}

TestSuite(moved, .init = begin, .timeout = 600);

/* Runs of a commit in a batch, about a level, with a deviation. */
static void run(size_t commit, int64_t batch, size_t runs, double level, double noise)
{
	for (unsigned r = 0; r < runs; r++)
		at[n_at++] = (struct pe_reading){commit, batch, r,
						 level * exp(noise * pe_random_normal(&dice))};
}

/* Four anchors, measured in batch 1 and, slower by a factor, in batch 2. Each commit has a level of its own. */
static void anchors(double factor, double noise)
{
	for (size_t c = 0; c < 4; c++) {
		run(c, 1, 10, 1e6 * (double)(c + 1), noise);
		run(c, 2, 10, 1e6 * (double)(c + 1) * factor, noise);
	}
}

/* The readings made since `from` are a benchmark's. */
static struct pe_readings since(size_t from)
{
	return (struct pe_readings){at + from, n_at - from, COMMITS};
}

static struct pe_moved find_one(int64_t newest)
{
	const struct pe_readings readings = since(0);

	return pe_moved_find(&readings, 1, newest, NULL);
}

Test(moved, a_slower_machine_is_told_with_its_size)
{
	struct pe_moved found;

	anchors(1.034, 0.01);
	found = find_one(2);
	cr_expect(found.moved);
	cr_expect(epsilon_eq(dbl, found.relative, 0.034, 0.01));
	cr_expect(found.low > 0 && found.low < found.relative && found.relative < found.high);
	cr_expect(eq(sz, found.cells, 4));
	cr_expect(eq(sz, found.commits, 4));
	cr_expect(eq(sz, found.benchmarks, 1));
	cr_expect(eq(i64, found.from, 1));
	cr_expect(eq(i64, found.since, 1));
}

/* Worked by hand: without noise the difference is exact, and so is its interval. */
Test(moved, without_noise_it_is_exact)
{
	struct pe_moved found;

	anchors(1.25, 0);
	found = find_one(2);
	cr_expect(found.moved);
	cr_expect(epsilon_eq(dbl, found.relative, 0.25, 1e-12));
	cr_expect(epsilon_eq(dbl, found.low, 0.25, 1e-12));
	cr_expect(epsilon_eq(dbl, found.high, 0.25, 1e-12));
}

Test(moved, a_faster_machine_is_one_that_moved_too)
{
	struct pe_moved found;

	anchors(0.9, 0.01);
	found = find_one(2);
	cr_expect(found.moved);
	cr_expect(epsilon_eq(dbl, found.relative, -0.1, 0.01));
	cr_expect(found.high < 0);
}

Test(moved, one_that_stayed_did_not)
{
	anchors(1, 0.02);
	cr_expect(not(find_one(2).moved));
}

Test(moved, less_than_a_percent_is_not_told)
{
	struct pe_moved found;

	anchors(1.008, 0.0005);
	found = find_one(2);
	cr_expect(not(found.moved));
	cr_expect(found.low > 0);
}

Test(moved, a_single_batch_says_nothing)
{
	struct pe_moved found;

	for (size_t c = 0; c < 10; c++)
		run(c, 1, 10, 1e6, 0.01);
	found = find_one(1);
	cr_expect(not(found.moved));
	cr_expect(isnan(found.relative));
	cr_expect(eq(sz, found.cells, 0));
	cr_expect(not(find_one(2).moved));
	cr_expect(not(pe_moved_find(NULL, 0, 1, NULL).moved));
}

/* Three times slower, but never measured before: it is the code, or it is not, but it is no witness. */
Test(moved, a_commit_that_is_new_does_not_count)
{
	struct pe_moved found;

	anchors(1, 0.01);
	for (size_t c = 4; c < 20; c++)
		run(c, 2, 10, 3e6, 0.01);
	found = find_one(2);
	cr_expect(not(found.moved));
	cr_expect(eq(sz, found.cells, 4));
	cr_expect(lt(dbl, fabs(found.relative), 0.02));
}

Test(moved, one_commit_alone_is_no_witness)
{
	run(0, 1, 20, 1e6, 0.01);
	run(0, 2, 20, 1.2e6, 0.01);
	cr_expect(not(find_one(2).moved));
	run(1, 1, 20, 1e6, 0.01);
	run(1, 2, 20, 1.2e6, 0.01);
	cr_expect(find_one(2).moved);
}

/* One build of four is another than it was (a library that it alone uses): the others say that the machine stayed. */
Test(moved, commits_that_disagree_are_no_witnesses)
{
	for (size_t c = 0; c < 4; c++) {
		run(c, 1, 10, 1e6, 0.005);
		run(c, 2, 10, c < 2 ? 1.1e6 : 1e6, 0.005);
	}
	cr_expect(not(find_one(2).moved));
}

Test(moved, one_benchmark_of_several_is_not_the_machine)
{
	struct pe_readings three[3];
	size_t from;

	anchors(1.1, 0.01);
	three[0] = since(0);
	from = n_at;
	anchors(1, 0.01);
	three[1] = since(from);
	from = n_at;
	anchors(1, 0.01);
	three[2] = since(from);
	cr_expect(pe_moved_find(three, 1, 2, NULL).moved);
	cr_expect(not(pe_moved_find(three, 2, 2, NULL).moved));
	cr_expect(not(pe_moved_find(three, 3, 2, NULL).moved));
}

Test(moved, several_benchmarks_say_so_together)
{
	struct pe_readings three[3], swapped[3];
	struct pe_moved found, again;
	size_t from;

	anchors(1.03, 0.01);
	three[0] = since(0);
	from = n_at;
	anchors(1.05, 0.01);
	three[1] = since(from);
	from = n_at;
	anchors(1.04, 0.01);
	three[2] = since(from);
	found = pe_moved_find(three, 3, 2, NULL);
	cr_expect(found.moved);
	cr_expect(epsilon_eq(dbl, found.relative, 0.04, 0.01));
	cr_expect(eq(sz, found.cells, 12));
	cr_expect(eq(sz, found.commits, 4));
	cr_expect(eq(sz, found.benchmarks, 3));
	swapped[0] = three[2];
	swapped[1] = three[0];
	swapped[2] = three[1];
	again = pe_moved_find(swapped, 3, 2, NULL);
	cr_expect(epsilon_eq(dbl, again.relative, found.relative, 1e-12));
	cr_expect(epsilon_eq(dbl, again.low, found.low, 1e-12));
}

/* Its runs would not have shown it: it is neither for nor against. */
Test(moved, a_noisy_benchmark_does_not_hide_what_others_see)
{
	struct pe_readings three[3];
	size_t from;

	anchors(1.04, 0.005);
	three[0] = since(0);
	from = n_at;
	anchors(1.04, 0.005);
	three[1] = since(from);
	from = n_at;
	anchors(1.04, 0.3);
	three[2] = since(from);
	cr_expect(pe_moved_find(three, 3, 2, NULL).moved);
}

/* References of a year ago, and yesterday's commits: each is compared with when it was measured last. */
Test(moved, the_latest_earlier_batch_counts)
{
	struct pe_moved found;

	for (size_t c = 0; c < 4; c++) {
		run(c, 3, 10, 2e6, 0.005);
		run(c, 7, 10, 1e6, 0.005);
		run(c, 9, 10, 1e6, 0.005);
	}
	run(5, 4, 10, 1e6, 0.005);
	run(5, 9, 10, 1e6, 0.005);
	found = find_one(9);
	cr_expect(not(found.moved));
	cr_expect(lt(dbl, fabs(found.relative), 0.01));
	cr_expect(eq(i64, found.from, 4));
	cr_expect(eq(i64, found.since, 7));
}

/* A session of several batches is one: they are compared with what was before all of them. */
Test(moved, several_batches_may_be_the_newest)
{
	struct pe_moved found;

	for (size_t c = 0; c < 4; c++) {
		run(c, 1, 10, 1e6, 0.005);
		run(c, 5, 10, 1.05e6, 0.005);
		run(c, 6, 10, 1.05e6, 0.005);
	}
	cr_expect(not(find_one(6).moved));
	found = find_one(5);
	cr_expect(found.moved);
	cr_expect(eq(i64, found.since, 1));
}

Test(moved, values_without_a_logarithm_are_left_out)
{
	struct pe_moved found;

	anchors(1.1, 0.01);
	at[n_at++] = (struct pe_reading){0, 2, 11, 0};
	at[n_at++] = (struct pe_reading){1, 2, 11, -1};
	at[n_at++] = (struct pe_reading){2, 1, 11, NAN};
	at[n_at++] = (struct pe_reading){3, 1, 11, INFINITY};
	found = find_one(2);
	cr_expect(found.moved);
	cr_expect(epsilon_eq(dbl, found.relative, 0.1, 0.01));
}

/* One run a commit says nothing of noise: only many that agree do. */
Test(moved, single_runs_need_many_commits)
{
	for (size_t c = 0; c < 2; c++) {
		run(c, 1, 1, 1e6, 0.001);
		run(c, 2, 1, 1.1e6, 0.001);
	}
	cr_expect(not(find_one(2).moved));
	for (size_t c = 2; c < 20; c++) {
		run(c, 1, 1, 1e6, 0.001);
		run(c, 2, 1, 1.1e6, 0.001);
	}
	cr_expect(find_one(2).moved);
}

Test(moved, order_and_unit_do_not_matter)
{
	struct pe_moved found, again;

	anchors(1.05, 0.01);
	found = find_one(2);
	for (size_t i = 0; i < n_at / 2; i++) {
		struct pe_reading one = at[i];

		at[i] = at[n_at - 1 - i];
		at[n_at - 1 - i] = one;
	}
	for (size_t i = 0; i < n_at; i++)
		at[i].value /= 1e9;
	again = find_one(2);
	cr_expect(epsilon_eq(dbl, again.relative, found.relative, 1e-9));
	cr_expect(epsilon_eq(dbl, again.low, found.low, 1e-9));
	cr_expect(epsilon_eq(dbl, again.high, found.high, 1e-9));
}

/* A run of ordinary noise, skewed, one in twenty-five an outlier; or of two modes, eight percent apart. */
static double noise_of(bool two_modes)
{
	double value = 1 + 0.016 * pe_random_normal(&dice);

	if (two_modes)
		return value + (pe_random_unit(&dice) < 0.3 ? 0.08 : 0);
	return value + (pe_random_unit(&dice) < 0.04 ? 0.1 + 0.2 * pe_random_unit(&dice) : 0);
}

/* How many of 1000 sessions with four anchors say that the machine moved, and whether intervals hold the truth. */
static size_t simulate(double factor, bool two_modes, size_t *held)
{
	size_t told = 0;

	*held = 0;
	for (int s = 0; s < 1000; s++) {
		struct pe_moved found;

		n_at = 0;
		for (size_t c = 0; c < 4; c++)
			for (int64_t w = 1; w <= 2; w++)
				for (unsigned r = 0; r < 10; r++)
					at[n_at++] = (struct pe_reading){
						c, w, r,
						1e6 * noise_of(two_modes) * (w == 2 ? factor : 1)};
		found = find_one(2);
		told += found.moved;
		*held += found.low <= factor - 1 && factor - 1 <= found.high;
	}
	return told;
}

Test(moved, is_seldom_told_of_a_machine_that_stayed)
{
	size_t held, told = simulate(1, false, &held);

	cr_expect(le(sz, told, 10), "%zu of 1000", told);
	cr_expect(ge(sz, held, 940), "%zu of 1000", held);
	told = simulate(1, true, &held);
	cr_expect(le(sz, told, 20), "%zu of 1000", told);
}

Test(moved, is_told_of_one_that_moved)
{
	size_t held, told = simulate(1.05, false, &held);

	cr_expect(ge(sz, told, 980), "%zu of 1000", told);
	cr_expect(ge(sz, held, 940), "%zu of 1000", held);
}
