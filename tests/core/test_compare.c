#include "core/stats/compare.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

static const double base8[] = {100, 102, 99, 101, 103, 98, 104, 97};
static const double head8[] = {105, 107, 100.5, 106, 108, 109, 103.5, 110.5};

/*
 * Reference values: the shift and its interval from numpy on all 64 sorted differences of logarithms, the cut from the
 * enumerated distribution.
 */
Test(compare, worked_example_without_ties)
{
	struct pe_comparison c = pe_compare_samples(base8, 8, head8, 8, NULL);

	cr_expect(epsilon_eq(dbl, c.relative, 0.059114694969148424, 1e-12));
	cr_expect(epsilon_eq(dbl, c.low, 0.02551020408163306, 1e-12));
	cr_expect(epsilon_eq(dbl, c.high, 0.0909090909090913, 1e-12));
	cr_expect(eq(int, c.verdict, PE_REGRESSED));
}

Test(compare, worked_example_with_ties)
{
	const double base[] = {1, 2, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9};
	const double head[] = {3, 4, 4, 6, 7, 7, 8, 9, 10, 11, 11, 12, 13};
	struct pe_comparison c = pe_compare_samples(base, N(base), head, N(head), NULL);

	cr_expect(epsilon_eq(dbl, c.relative, 0.7142857142857145, 1e-12));
	cr_expect(eq(int, c.verdict, PE_REGRESSED));
}

Test(compare, exchanging_the_sides_turns_everything_round)
{
	struct pe_comparison to = pe_compare_samples(base8, 8, head8, 8, NULL);
	struct pe_comparison fro = pe_compare_samples(head8, 8, base8, 8, NULL);

	cr_expect(epsilon_eq(dbl, (1 + to.relative) * (1 + fro.relative), 1, 1e-12));
	cr_expect(epsilon_eq(dbl, (1 + to.low) * (1 + fro.high), 1, 1e-12));
	cr_expect(eq(int, fro.verdict, PE_IMPROVED));
}

Test(compare, another_unit_changes_nothing_but_the_shift)
{
	double base[8], head[8];
	struct pe_comparison ms = pe_compare_samples(base8, 8, head8, 8, NULL), ns;

	for (int i = 0; i < 8; i++) {
		base[i] = 1e6 * base8[i];
		head[i] = 1e6 * head8[i];
	}
	ns = pe_compare_samples(base, 8, head, 8, NULL);
	cr_expect(epsilon_eq(dbl, ns.relative, ms.relative, 1e-12));
	cr_expect(epsilon_eq(dbl, ns.low, ms.low, 1e-12));
	cr_expect(epsilon_eq(dbl, ns.shift, 1e6 * ms.shift, 1e-3));
}

Test(compare, better_direction_decides_the_name)
{
	struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;

	opts.better = PE_HIGHER_IS_BETTER;
	cr_expect(eq(int, pe_compare_samples(base8, 8, head8, 8, &opts).verdict, PE_IMPROVED));
	cr_expect(eq(int, pe_compare_samples(head8, 8, base8, 8, &opts).verdict, PE_REGRESSED));
}

Test(compare, below_the_smallest_effect_is_not_a_regression)
{
	struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;

	/* 5.9 % with an interval up to 9.1 %. */
	opts.min_relative = 0.08;
	cr_expect(eq(int, pe_compare_samples(base8, 8, head8, 8, &opts).verdict, PE_UNDECIDED));
	opts.min_relative = 0.10;
	cr_expect(eq(int, pe_compare_samples(base8, 8, head8, 8, &opts).verdict, PE_UNCHANGED));
}

Test(compare, too_few_values_are_undecided)
{
	const double base[] = {100, 101, 102}, head[] = {200, 201, 202};
	struct pe_comparison c = pe_compare_samples(base, 3, head, 3, NULL);

	/* The least level that three a side can reach is 2 / 20. */
	cr_expect(eq(dbl, c.low, -1));
	cr_expect(eq(dbl, c.high, INFINITY));
	cr_expect(eq(int, c.verdict, PE_UNDECIDED));
	cr_expect(eq(int, pe_compare_samples(base, 3, head, 0, NULL).verdict, PE_UNDECIDED));
}

Test(compare, equal_values_are_unchanged)
{
	double same[30];
	struct pe_comparison c;

	for (int i = 0; i < 30; i++)
		same[i] = 42;
	c = pe_compare_samples(same, 30, same, 30, NULL);
	cr_expect_text("0 0 0", c.relative, c.low, c.high);
	cr_expect(eq(int, c.verdict, PE_UNCHANGED));
}

Test(compare, zeros_are_compared_as_they_are)
{
	double zero[20] = {0}, some[20], around[20];
	struct pe_comparison c;

	for (int i = 0; i < 20; i++) {
		some[i] = 5 + i % 3;
		around[i] = i % 2 == 0 ? 0 : 10 + i;
	}
	c = pe_compare_samples(zero, 20, some, 20, NULL);
	cr_expect(isnan(c.relative) && isnan(c.low));
	cr_expect(epsilon_eq(dbl, c.shift, 6, 1e-12));
	cr_expect(eq(int, c.verdict, PE_REGRESSED));
	cr_expect(eq(int, pe_compare_samples(around, 20, around, 20, NULL).verdict, PE_UNDECIDED));
}

Test(compare, outliers_do_not_decide)
{
	double base[25], head[25];
	struct pe_random random = random_of(3);

	for (int i = 0; i < 25; i++) {
		base[i] = 100 * exp(0.002 * pe_random_normal(&random));
		head[i] = 100 * exp(0.002 * pe_random_normal(&random));
	}
	head[3] = head[17] = 1e9;
	cr_expect(eq(int, pe_compare_samples(base, 25, head, 25, NULL).verdict, PE_UNCHANGED));
}

Test(compare, interval_covers_as_often_as_it_says)
{
	struct pe_random random = random_of(9);
	int covered = 0, missed = 0;

	for (int i = 0; i < 1000; i++) {
		double base[12], head[15];
		struct pe_comparison c;

		for (int j = 0; j < 12; j++)
			base[j] = exp(0.05 * pe_random_normal(&random));
		for (int j = 0; j < 15; j++)
			head[j] = exp(0.1 + 0.05 * pe_random_normal(&random));
		c = pe_compare_samples(base, 12, head, 15, NULL);
		covered += log1p(c.low) <= 0.1 && log1p(c.high) >= 0.1;
		missed += c.way != 1;
	}
	/* 95 % of 1000 less four standard deviations. */
	cr_expect(ge(int, covered, 922), "%d of 1000", covered);
	cr_expect(le(int, missed, 60), "5 sd apart, and not seen in %d", missed);
}

/* Beyond 50 a side the normal approximation takes over. */
Test(compare, approximation_continues_the_exact_test)
{
	double base[51], head[51];
	struct pe_comparison exact, approximate;

	for (int i = 0; i < 51; i++) {
		base[i] = 1000 + 2 * i;
		head[i] = 1021 + 2 * i;
	}
	exact = pe_compare_samples(base, 50, head, 50, NULL);
	approximate = pe_compare_samples(base, 51, head, 51, NULL);
	cr_expect(epsilon_eq(dbl, exact.low, approximate.low, 0.002));
	cr_expect(epsilon_eq(dbl, exact.high, approximate.high, 0.002));
}

/* --- Pairs under load that changes --- */

/* Other work that begins and ends at random, and takes 20 to 100 % of a run while it lasts. */
struct load {
	struct pe_random random;
	bool on;
	double share;
};

static double run_once(struct load *load, double level)
{
	double noise = 0.015 * pe_random_normal(&load->random);

	if (pe_random_unit(&load->random) < (load->on ? 0.08 : 0.05)) {
		load->on = !load->on;
		load->share = 0.2 + 0.8 * pe_random_unit(&load->random);
	}
	return level * exp(noise) * (load->on ? 1 + load->share : 1);
}

static enum pe_verdict compare_under_load(struct load *load, double change, size_t n)
{
	double base[40], head[40];

	for (size_t i = 0; i < n; i++) {
		if (pe_random_unit(&load->random) < 0.5) {
			base[i] = run_once(load, 100);
			head[i] = run_once(load, 100 * (1 + change));
		} else {
			head[i] = run_once(load, 100 * (1 + change));
			base[i] = run_once(load, 100);
		}
	}
	return pe_compare_paired(base, head, n, NULL).verdict;
}

Test(compare, pairs_decide_no_fault_with_the_wrong_sign_while_load_changes)
{
	struct load load = {.on = false};
	size_t wrong = 0, found = 0;

	pe_random_seed(&load.random, 35);
	for (int i = 0; i < 200; i++) {
		double change = (0.01 + 0.29 * i / 199) * (i % 2 == 0 ? 1 : -1);
		enum pe_verdict verdict = compare_under_load(&load, change, 40);

		wrong += verdict == (change > 0 ? PE_IMPROVED : PE_REGRESSED);
		found += verdict == (change > 0 ? PE_REGRESSED : PE_IMPROVED);
	}
	cr_expect(eq(sz, wrong, 0));
	cr_expect(gt(sz, found, 150));
}

Test(compare, pairs_of_equal_builds_are_never_decided)
{
	struct load load = {.on = false};
	size_t decided = 0;

	pe_random_seed(&load.random, 36);
	for (int i = 0; i < 1000; i++) {
		enum pe_verdict verdict = compare_under_load(&load, 0, i % 2 == 0 ? 10 : 40);

		decided += verdict == PE_IMPROVED || verdict == PE_REGRESSED;
	}
	/* 0.02 are expected. */
	cr_expect(eq(sz, decided, 0));
}

Test(compare, ten_pairs_decide_where_their_runs_do_not_overlap)
{
	const double base[] = {100, 101, 99, 100, 102, 98, 100, 101, 100, 99};
	double head[] = {150, 151, 149, 150, 152, 148, 150, 151, 150, 149};
	struct pe_comparison c = pe_compare_paired(base, head, 9, NULL);

	cr_expect(eq(int, c.verdict, PE_UNDECIDED));
	cr_expect(eq(int, pe_compare_paired(base, head, 10, NULL).verdict, PE_REGRESSED));
	cr_expect(eq(int, pe_compare_paired(head, base, 10, NULL).verdict, PE_IMPROVED));
	head[9] = 101.5;
	cr_expect(eq(int, pe_compare_paired(base, head, 10, NULL).verdict, PE_UNDECIDED));
	cr_expect(c.relative > 0.48 && c.relative < 0.52);
	cr_expect(epsilon_eq(dbl, c.shift / c.base, c.relative, 1e-12), "levels and change agree");
}

Test(compare, pairs_have_a_way_from_nine_on)
{
	const double base[] = {1, 1.01, 1.02, 1.01, 1, NAN, 1.03, 1.02, 1, 1.01, 1.02};
	const double head[] = {1.2, 1.21, 1.23, 1.2, 1.22, 1, 1.21, 1.2, 1.2, 1.23, 1.2};
	const double none[10] = {0}, some[] = {4, 9, 2, 7, 3, 8, 5, 6, 3, 4};

	cr_expect_text("1 -1 0", pe_compare_way_of_pairs(base, head, 11),
		       pe_compare_way_of_pairs(head, base, 11),
		       pe_compare_way_of_pairs(base, base, 11));
	cr_expect(eq(int, pe_compare_way_of_pairs(base, head, 9), 0), "eight are finite");
	cr_expect(eq(int, pe_compare_way_of_pairs(none, some, 10), 1), "there are no ratios of 0");
	cr_expect(eq(int, pe_compare_way_of_pairs(none, none, 10), 0));
}

/* What the evidence says where context switches are not recorded. */
static bool is_denied(double relative, int cpu, double instructions)
{
	const struct pe_compare_evidence evidence = {.cpu = cpu, .instructions = instructions};

	return pe_compare_is_denied(relative, &evidence);
}

Test(compare, what_is_decided_the_other_way_denies_a_wall_time)
{
	cr_expect(is_denied(-0.2, 1, NAN));
	cr_expect(is_denied(-0.2, 0, 0.08));
	cr_expect(not(is_denied(0.2, 1, NAN)));
	cr_expect(not(is_denied(-0.2, 0, NAN)));
	/* It waits, or its instructions take longer. */
	cr_expect(not(is_denied(0.5, 0, 0)));
	cr_expect(not(is_denied(0.2, 1, -0.35)));
	cr_expect(not(is_denied(0.5, 0, -0.001)));
}

Test(compare, a_wall_time_is_denied_only_where_the_slower_side_was_interrupted_more_often)
{
	struct pe_compare_evidence load = {-1, 1, true, NAN}, wait = {-1, 0, true, NAN};
	struct pe_compare_evidence counts = {0, -1, true, -0.3};

	cr_expect(pe_compare_is_denied(0.5, &load));
	cr_expect(not(pe_compare_is_denied(0.5, &wait)));
	wait.switches = -1;
	cr_expect(not(pe_compare_is_denied(0.5, &wait)));
	cr_expect(not(pe_compare_is_denied(0.5, &counts)));
	counts.switches = 1;
	cr_expect(pe_compare_is_denied(0.5, &counts));
	/* The old side is the slower one. */
	cr_expect(pe_compare_is_denied(-0.5, &(struct pe_compare_evidence){1, -1, true, NAN}));
	cr_expect(not(pe_compare_is_denied(-0.5, &(struct pe_compare_evidence){1, 1, true, NAN})));
}
