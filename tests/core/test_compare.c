#include "core/stats/compare.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

/* Twenty pairs: 5.0 to 6.8 % more, whatever the level of the pair. */
static double base20[20], head20[20];

static void fill(void)
{
	for (int i = 0; i < 20; i++) {
		base20[i] = 97 + i * 7 % 8;
		head20[i] = base20[i] * (1.05 + 0.002 * (i % 10));
	}
}

static struct pe_comparison compare(const double *base, const double *head,
				    const struct pe_compare_opts *opts)
{
	return pe_compare_paired(base, head, 20, opts);
}
static const struct pe_compare_opts defaults = PE_COMPARE_DEFAULTS;

Test(compare, exchanging_the_sides_turns_everything_round, .init = fill)
{
	struct pe_comparison to = compare(base20, head20, &defaults);
	struct pe_comparison fro = compare(head20, base20, &defaults);

	cr_expect(epsilon_eq(dbl, to.relative, 0.059, 0.001));
	cr_expect(to.low > 0.05 && to.high < 0.068);
	cr_expect(epsilon_eq(dbl, (1 + to.relative) * (1 + fro.relative), 1, 1e-12));
	cr_expect(epsilon_eq(dbl, (1 + to.low) * (1 + fro.high), 1, 1e-12));
	cr_expect(eq(int, to.verdict, PE_REGRESSED));
	cr_expect(eq(int, fro.verdict, PE_IMPROVED));
}

Test(compare, another_unit_changes_nothing_but_the_shift, .init = fill)
{
	double base[20], head[20];
	struct pe_comparison ms = compare(base20, head20, &defaults), ns;

	for (int i = 0; i < 20; i++) {
		base[i] = 1e6 * base20[i];
		head[i] = 1e6 * head20[i];
	}
	ns = compare(base, head, &defaults);
	cr_expect(epsilon_eq(dbl, ns.relative, ms.relative, 1e-12));
	cr_expect(epsilon_eq(dbl, ns.low, ms.low, 1e-12));
	cr_expect(epsilon_eq(dbl, ns.shift, 1e6 * ms.shift, 1e-3));
}

Test(compare, better_direction_decides_the_name, .init = fill)
{
	struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;

	opts.better = PE_HIGHER_IS_BETTER;
	cr_expect(eq(int, compare(base20, head20, &opts).verdict, PE_IMPROVED));
	cr_expect(eq(int, compare(head20, base20, &opts).verdict, PE_REGRESSED));
}

Test(compare, below_the_smallest_effect_is_not_a_regression, .init = fill)
{
	struct pe_compare_opts opts = PE_COMPARE_DEFAULTS;

	opts.min_relative = 0.06;
	cr_expect(eq(int, compare(base20, head20, &opts).verdict, PE_UNDECIDED));
	opts.min_relative = 0.08;
	cr_expect(eq(int, compare(base20, head20, &opts).verdict, PE_UNCHANGED));
}

Test(compare, too_few_pairs_are_undecided, .init = fill)
{
	struct pe_comparison c = pe_compare_paired(base20, head20, 5, &defaults);

	/* The least level of ranks that five can reach is 2 / 32. By Student: 5.0, 5.2, 5.4, 5.6, 5.8 %, 2.776 errors. */
	cr_expect(epsilon_eq(dbl, c.relative, 0.054, 1e-5));
	cr_expect(epsilon_eq(dbl, c.high - c.relative, 2.776 * 0.00316228 / sqrt(5), 2e-4));
	cr_expect(eq(int, c.verdict, PE_UNDECIDED));
	c = pe_compare_paired(base20, head20, 3, &defaults);
	cr_expect(eq(dbl, c.low, -1));
	cr_expect(eq(dbl, c.high, INFINITY));
	cr_expect(eq(int, c.verdict, PE_UNDECIDED));
	cr_expect(eq(int, pe_compare_paired(base20, head20, 0, &defaults).verdict, PE_UNDECIDED));
}

Test(compare, equal_values_are_unchanged, .init = fill)
{
	struct pe_comparison c = compare(base20, base20, &defaults);

	cr_expect_text("0 0 0", c.relative, c.low, c.high);
	cr_expect(eq(int, c.verdict, PE_UNCHANGED));
}

Test(compare, zeros_are_compared_as_they_are)
{
	double zero[20] = {0}, some[20];
	struct pe_comparison c;

	for (int i = 0; i < 20; i++)
		some[i] = 5 + i % 3;
	c = compare(zero, some, &defaults);
	cr_expect(epsilon_eq(dbl, c.shift, 6, 1e-12));
	cr_expect(eq(int, c.verdict, PE_REGRESSED));
}

Test(compare, outliers_do_not_decide, .init = fill)
{
	double head[20];

	for (int i = 0; i < 20; i++)
		head[i] = base20[i] * (i % 2 == 0 ? 1.001 : 0.999);
	head[3] = head[17] = 1e9;
	cr_expect(eq(int, compare(base20, head, &defaults).verdict, PE_UNCHANGED));
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
	return pe_compare_paired(base, head, n, &defaults).verdict;
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
	struct pe_comparison c = pe_compare_paired(base, head, 9, &defaults);

	cr_expect(eq(int, c.verdict, PE_UNDECIDED));
	cr_expect(eq(int, pe_compare_paired(base, head, 10, &defaults).verdict, PE_REGRESSED));
	cr_expect(eq(int, pe_compare_paired(head, base, 10, &defaults).verdict, PE_IMPROVED));
	head[9] = 101.5;
	cr_expect(eq(int, pe_compare_paired(base, head, 10, &defaults).verdict, PE_UNDECIDED));
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
