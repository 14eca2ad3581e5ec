#include "core/stats/bisect.h"

#include "tests/support/random.h"
#include "core/stats/twolevel.h"
#include "tests/support/test.h"

static const struct pe_bisect_opts defaults = PE_BISECT_DEFAULTS;
static struct pe_arena arena = PE_ARENA_INIT;

static struct pe_bisect *made[200];
static size_t n_made;
static struct pe_bisect_line *revisions; /* of the latest search */

static void free_all(void)
{
	while (n_made > 0)
		pe_bisect_free(made[--n_made]);
	pe_arena_release(&arena);
}

TestSuite(bisect, .fini = free_all, .timeout = 600);

/* A line of revisions to be measured, and what measuring it is like. */
struct line {
	size_t n, culprit; /* 0: no step */
	double step;       /* relative */
	double noise;      /* relative, normal */
	double outliers;   /* chance of half as much again */
	struct pe_random random;
	size_t asked[1000], n_asked;
};

static double measured(struct line *line, size_t i)
{
	bool is_new = line->culprit > 0 && i >= line->culprit;
	double value = 1000 * (is_new ? 1 + line->step : 1);

	value *= 1 + line->noise * pe_random_normal(&line->random);
	return pe_random_unit(&line->random) < line->outliers ? 1.5 * value : value;
}

static struct line line_of(size_t n, size_t culprit, double step, double noise, uint64_t seed)
{
	struct line line = {.n = n, .culprit = culprit, .step = step, .noise = noise};

	pe_random_seed(&line.random, seed);
	return line;
}

static enum pe_bisect_answer run(struct pe_bisect *bisect, struct line *line)
{
	enum pe_bisect_answer answer;
	size_t i;

	while ((answer = pe_bisect_next(bisect, &i)) == PE_BISECT_GO_ON) {
		const struct pe_bisect_reading reading = {i, 1, measured(line, i), false};

		cr_assert(lt(sz, i, line->n));
		cr_assert(lt(sz, line->n_asked, 1000));
		line->asked[line->n_asked++] = i;
		pe_bisect_feed(bisect, &reading);
	}
	return answer;
}

static struct pe_bisect *new_bisect(size_t n, const struct pe_bisect_opts *opts)
{
	cr_assert(lt(sz, n_made, 200));
	revisions = pe_bisect_line_new(n, &arena);
	return made[n_made++] = pe_bisect_new(revisions, 0, n - 1, opts, &arena);
}

/* Of a place between revisions that can all be measured. */
static double probability_at(const struct pe_bisect *bisect, size_t place)
{
	struct pe_bisect_group groups[64];
	const size_t n = pe_bisect_groups(groups, bisect, 0);

	for (size_t g = 0; g < n; g++)
		if (groups[g].first == place)
			return groups[g].probability;
	return 0;
}

Test(bisect, names_the_culprit_of_a_clear_step)
{
	size_t covered = 0;

	for (size_t culprit = 1; culprit < 40; culprit += 3) {
		struct line line = line_of(40, culprit, 0.08, 0.01, culprit);
		struct pe_bisect *bisect = new_bisect(40, &defaults);
		struct pe_bisect_result told;

		cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
		told = pe_bisect_result(bisect);
		cr_expect(eq(sz, told.group.first, culprit));
		cr_expect(eq(sz, told.group.last, culprit));
		cr_expect(ge(dbl, told.group.probability, 0.95));
		cr_expect(epsilon_eq(dbl, told.old_level, 1000, 20));
		cr_expect(lt(sz, told.runs, 30));
		covered += told.low <= 0.08 && told.high >= 0.08;
	}
	cr_expect(ge(sz, covered, 11)); /* of 13 intervals of 95 % */
}

Test(bisect, finds_an_improvement_as_well)
{
	struct line line = line_of(30, 11, -0.1, 0.01, 5);
	struct pe_bisect *bisect = new_bisect(30, &defaults);

	cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
	cr_expect(eq(sz, pe_bisect_result(bisect).group.first, 11));
	cr_expect(lt(dbl, pe_bisect_result(bisect).relative, -0.07));
}

Test(bisect, says_that_the_ends_do_not_differ)
{
	size_t named = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct line line = line_of(30, 0, 0, 0.01, seed);
		struct pe_bisect *bisect = new_bisect(30, &defaults);
		enum pe_bisect_answer answer = run(bisect, &line);

		named += answer == PE_BISECT_FOUND;
		if (answer == PE_BISECT_SAME) {
			struct pe_bisect_result told = pe_bisect_result(bisect);
			struct pe_confirm_result ends = pe_confirm_result(&told.ends);

			cr_expect(gt(sz, ends.pairs, 7));
			cr_expect(gt(dbl, ends.least, 0));
		}
	}
	cr_expect(le(sz, named, 2));
}

Test(bisect, is_right_as_often_as_it_says)
{
	const size_t histories = 120;
	size_t right = 0, found = 0;
	double stated = 0;

	for (uint64_t seed = 1; seed <= histories; seed++) {
		struct line line = line_of(50, 1 + seed * 37 % 49, 0.03, 0.012, seed);
		struct pe_bisect_opts opts = PE_BISECT_DEFAULTS;
		struct pe_bisect *bisect;

		opts.seed = seed;
		bisect = new_bisect(50, &opts);
		if (run(bisect, &line) == PE_BISECT_FOUND) {
			struct pe_bisect_result told = pe_bisect_result(bisect);

			found++;
			stated += told.group.probability;
			right += told.group.first == line.culprit;
		}
	}
	cr_expect(ge(sz, found, histories * 9 / 10));
	/* Three deviations of what is left to chance. */
	cr_expect(ge(dbl, (double)right, stated - 3 * sqrt((double)found * 0.05)));
}

Test(bisect, is_not_led_astray_by_outliers)
{
	size_t right = 0;

	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct line line = line_of(40, 1 + seed, 0.08, 0.01, seed);
		struct pe_bisect *bisect = new_bisect(40, &defaults);

		line.outliers = 0.1;
		if (run(bisect, &line) == PE_BISECT_FOUND)
			right += pe_bisect_result(bisect).group.first == line.culprit;
	}
	cr_expect(ge(sz, right, 27));
}

Test(bisect, probabilities_add_up_to_one)
{
	struct line line = line_of(25, 9, 0.02, 0.01, 3);
	struct pe_bisect *bisect = new_bisect(25, &defaults);
	size_t i;

	for (int k = 0; k < 20 && pe_bisect_next(bisect, &i) == PE_BISECT_GO_ON; k++) {
		const struct pe_bisect_reading reading = {i, 1, measured(&line, i), false};
		double sum;

		pe_bisect_feed(bisect, &reading);
		sum = pe_bisect_result(bisect).none;
		for (size_t p = 1; p < 25; p++) {
			cr_expect(ge(dbl, probability_at(bisect, p), 0));
			sum += probability_at(bisect, p);
		}
		cr_expect(lt(dbl, fabs(sum - 1), 1e-9));
	}
}

Test(bisect, the_scale_of_the_metric_is_of_no_account)
{
	struct pe_bisect *small = new_bisect(20, &defaults), *large = new_bisect(20, &defaults);
	struct line line = line_of(20, 7, 0.05, 0.01, 8);
	size_t i, j;

	for (int k = 0; k < 12; k++) {
		double value;

		if (pe_bisect_next(small, &i) != PE_BISECT_GO_ON ||
		    pe_bisect_next(large, &j) != PE_BISECT_GO_ON)
			break;
		cr_assert(eq(sz, i, j));
		value = measured(&line, i);
		pe_bisect_feed(small, &(struct pe_bisect_reading){i, 1, value, false});
		pe_bisect_feed(large, &(struct pe_bisect_reading){i, 1, 1e6 * value, false});
		for (size_t p = 1; p < 20; p++)
			cr_expect(lt(dbl, fabs(probability_at(small, p) - probability_at(large, p)),
				     1e-6));
	}
}

Test(bisect, asks_no_revision_twice_in_a_row_once_the_ends_are_known)
{
	struct line line = line_of(40, 13, 0.03, 0.01, 11);
	struct pe_bisect *bisect = new_bisect(40, &defaults);

	cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
	for (size_t k = 7; k < line.n_asked; k++)
		cr_expect(ne(sz, line.asked[k], line.asked[k - 1]));
}

Test(bisect, the_answer_is_a_range_where_nothing_can_be_measured)
{
	struct line line = line_of(30, 15, 0.1, 0.01, 4);
	struct pe_bisect *bisect = new_bisect(30, &defaults);
	struct pe_bisect_result told;

	for (size_t i = 13; i < 18; i++)
		revisions->skipped[i] = true;
	cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
	told = pe_bisect_result(bisect);
	cr_expect(eq(sz, told.group.first, 13));
	cr_expect(eq(sz, told.group.last, 18));
	for (size_t k = 0; k < line.n_asked; k++)
		cr_expect(lt(int, line.asked[k] >= 13 && line.asked[k] < 18, 1));
}

Test(bisect, an_end_that_cannot_be_measured_is_the_end)
{
	struct pe_bisect *bisect = new_bisect(5, &defaults);
	size_t i;

	revisions->skipped[4] = true;
	cr_expect(eq(int, pe_bisect_next(bisect, &i), PE_BISECT_STUCK));
}

Test(bisect, revisions_that_execute_the_same_have_no_change_between_them)
{
	struct line line = line_of(30, 21, 0.1, 0.01, 6);
	struct pe_bisect *bisect = new_bisect(30, &defaults);

	for (size_t i = 1; i < 30; i++)
		if (i % 7 != 0)
			pe_bisect_line_same(revisions, i);
	cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
	cr_expect(eq(sz, pe_bisect_result(bisect).group.first, 21));
	cr_expect(eq(sz, pe_bisect_result(bisect).group.last, 21));
	for (size_t p = 1; p < 30; p++)
		if (p % 7 != 0)
			cr_expect(lt(dbl, probability_at(bisect, p), 1e-12));
}

Test(bisect, ends_that_execute_the_same_need_no_run)
{
	struct pe_bisect *bisect = new_bisect(4, &defaults);
	size_t i;

	for (i = 1; i < 4; i++)
		pe_bisect_line_same(revisions, i);
	cr_expect(eq(int, pe_bisect_next(bisect, &i), PE_BISECT_SAME));
}

/* Of 64 revisions those at multiples of 8 are built; a build costs as much as twenty runs. */
Test(bisect, prefers_what_is_built)
{
	struct line line = line_of(65, 30, 0.2, 0.005, 2);
	struct pe_bisect *bisect = new_bisect(65, &defaults);
	size_t built = 0, first = 0;

	for (size_t i = 0; i < 65; i++)
		revisions->build_cost[i] = i % 8 == 0 ? 0 : 20;
	cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
	while (first < line.n_asked && (line.asked[first] == 0 || line.asked[first] == 64))
		first++;
	for (size_t k = first; k < first + 3; k++)
		built += line.asked[k] % 8 == 0;
	cr_expect(eq(sz, built, 3));
	cr_expect(eq(sz, pe_bisect_result(bisect).group.first, 30));
}

Test(bisect, a_likely_place_is_looked_at_first)
{
	struct line line = line_of(60, 50, 0.1, 0.01, 9);
	struct pe_bisect *bisect = new_bisect(60, &defaults);
	size_t first = 0;

	revisions->weight[50] = 100;
	cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
	while (first < line.n_asked && (line.asked[first] == 0 || line.asked[first] == 59))
		first++;
	cr_assert(lt(sz, first, line.n_asked));
	cr_expect(ge(sz, line.asked[first], 49));
	cr_expect(le(sz, line.asked[first], 50));
}

Test(bisect, tempered_weights_leave_every_place_its_half)
{
	double weights[5] = {7, 1, 0, 0, 3}, nothing[3] = {0, 0, 0}, sum = 0;

	pe_bisect_temper(weights, 5, 0.5);
	for (size_t k = 1; k < 5; k++) {
		cr_expect(ge(dbl, weights[k], 0.125));
		sum += weights[k];
	}
	cr_expect(epsilon_eq(dbl, sum, 1, 1e-12));
	cr_expect(epsilon_eq(dbl, weights[4], 0.125 + 0.375, 1e-12));
	pe_bisect_suppose(weights, 5, 2, 3, 0.5);
	cr_expect(epsilon_eq(dbl, weights[2], 0.0625 + 0.25, 1e-12));
	cr_expect(epsilon_eq(dbl, weights[4], 0.25, 1e-12));
	pe_bisect_temper(nothing, 3, 0.5);
	cr_expect(epsilon_eq(dbl, nothing[2], 0.5, 1e-12));
}

Test(bisect, stored_readings_are_used_and_not_counted)
{
	struct line line = line_of(30, 12, 0.1, 0.01, 21);
	struct pe_bisect *bisect = new_bisect(30, &defaults), *again;

	cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
	again = new_bisect(30, &defaults);
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < 30; i++)
			pe_bisect_feed(again,
				       &(struct pe_bisect_reading){i, 7, measured(&line, i), true});
	cr_expect(eq(int, run(again, &line), PE_BISECT_FOUND));
	cr_expect(eq(sz, pe_bisect_result(again).runs, 0));
	cr_expect(eq(sz, pe_bisect_result(again).group.first, 12));
}

Test(bisect, runs_are_limited)
{
	struct line line = line_of(100, 40, 0.003, 0.02, 1);
	struct pe_bisect_opts opts = PE_BISECT_DEFAULTS;
	struct pe_bisect *bisect;

	opts.max_runs = 10;
	bisect = new_bisect(100, &opts);
	cr_expect(eq(int, run(bisect, &line), PE_BISECT_SPENT));
	cr_expect(eq(sz, pe_bisect_result(bisect).runs, 10));
}

Test(bisect, an_exact_metric_is_halved)
{
	for (size_t culprit = 1; culprit < 64; culprit++) {
		struct line line = line_of(64, culprit, 0.001, 0, 1);
		struct pe_bisect_opts opts = PE_BISECT_DEFAULTS;
		struct pe_bisect *bisect;

		opts.exact = true;
		opts.min_effect = 0;
		bisect = new_bisect(64, &opts);
		cr_assert(eq(int, run(bisect, &line), PE_BISECT_FOUND));
		cr_expect(eq(sz, pe_bisect_result(bisect).group.first, culprit));
		cr_expect(le(sz, line.n_asked, 10)); /* both ends twice and log2(64) */
	}
}

Test(bisect, an_exact_metric_may_be_zero_or_the_same)
{
	struct pe_bisect_opts opts = PE_BISECT_DEFAULTS;
	const double values[] = {0, 0, 3, 3};
	struct pe_bisect *bisect;
	size_t i;

	opts.exact = true;
	opts.min_effect = 0;
	bisect = new_bisect(4, &opts);
	while (pe_bisect_next(bisect, &i) == PE_BISECT_GO_ON)
		pe_bisect_feed(bisect, &(struct pe_bisect_reading){i, 1, values[i], false});
	cr_expect(eq(sz, pe_bisect_result(bisect).group.first, 2));
	bisect = new_bisect(2, &opts);
	while (pe_bisect_next(bisect, &i) == PE_BISECT_GO_ON)
		pe_bisect_feed(bisect, &(struct pe_bisect_reading){i, 1, 5, false});
	cr_expect(eq(int, pe_bisect_result(bisect).answer, PE_BISECT_SAME));
}

Test(bisect, two_neighbours_take_a_confirmation)
{
	struct line line = line_of(2, 1, 0.1, 0.01, 3);
	struct pe_bisect *bisect = new_bisect(2, &defaults);

	cr_expect(eq(int, run(bisect, &line), PE_BISECT_FOUND));
	cr_expect(eq(int, pe_bisect_result(bisect).ends.answer, PE_CONFIRMED));
}

/* --- Two levels --- */

Test(twolevel, what_moves_both_sides_moves_no_level)
{
	struct pe_twolevel levels;
	double variance, step;

	pe_twolevel_begin(&levels, PE_TWOLEVEL_MOVING, 0.01, 0, 0);
	for (int k = 0; k < 40; k++) {
		double machine = 0.0005 * k;

		pe_twolevel_take(&levels, false, k % 2, PE_TWOLEVEL_NO_SLOT,
				 machine + (k % 2 == 0 ? 0 : 0.05));
	}
	step = pe_twolevel_step(&levels, &variance);
	cr_expect(lt(dbl, fabs(step - 0.05), 0.003));
	cr_expect(lt(dbl, sqrt(variance), 0.005));
}

Test(twolevel, a_build_has_a_deviation_of_its_own)
{
	struct pe_twolevel levels;
	double variance;

	pe_twolevel_begin(&levels, PE_TWOLEVEL_MOVING, 0.01, 0.01, 0);
	for (int k = 0; k < 400; k++)
		pe_twolevel_take(&levels, false, k % 2, (size_t)(k % 2), k % 2 == 0 ? 0 : 0.05);
	pe_twolevel_step(&levels, &variance);
	/* However often they are run: two builds tell no more than two builds can. */
	cr_expect(ge(dbl, sqrt(variance), 0.99 * sqrt(2) * 0.01));
}

Test(twolevel, no_reading_says_more_than_outliers_are_rare)
{
	struct pe_twolevel old_side, new_side;

	pe_twolevel_begin(&old_side, PE_TWOLEVEL_MOVING, 0.01, 0, 0);
	for (int k = 0; k < 40; k++)
		pe_twolevel_take(&old_side, false, k % 2, PE_TWOLEVEL_NO_SLOT, k % 2 * 0.06);
	new_side = old_side;
	pe_twolevel_take(&old_side, false, 0, PE_TWOLEVEL_NO_SLOT, 0.06);
	pe_twolevel_take(&new_side, false, 1, PE_TWOLEVEL_NO_SLOT, 0.06);
	cr_expect(gt(dbl, new_side.log_likelihood - old_side.log_likelihood, 3));
	cr_expect(lt(dbl, new_side.log_likelihood - old_side.log_likelihood, 6));
}

Test(twolevel, a_new_batch_forgets_the_machine)
{
	struct pe_twolevel levels;
	double variance, step;

	pe_twolevel_begin(&levels, PE_TWOLEVEL_MOVING, 0.01, 0, 0);
	for (int w = 0; w < 2; w++)
		for (int k = 0; k < 20; k++)
			pe_twolevel_take(&levels, w == 1 && k == 0, k % 2, PE_TWOLEVEL_NO_SLOT,
					 0.5 * w + k % 2 * 0.04);
	step = pe_twolevel_step(&levels, &variance);
	cr_expect(lt(dbl, fabs(step - 0.04), 0.003));
}

/*
 * On a calm machine, where outliers and leaps are rare, the readings are all but normal together. Values of SciPy 1.10, with v, side
 * and slot as below and s, b, w = 0.01, 0.003, 0.00002 (noise, builds, walk):
 *
 *	C[i, j] = 9 (side[i] == side[j]) + b^2 (slot[i] == slot[j]) + w^2 (min(i, j) + 1) + s^2 (i == j)
 *	multivariate_normal.logpdf(v, zeros(8), C)                  15.168207938
 *	k = [9 if s else -9 for s in side]; k @ solve(C, v)         0.046620977710
 *	18 - k @ solve(C, k)                                        5.99910859e-05
 */
Test(twolevel, agrees_with_the_normal_distribution)
{
	const double values[] = {.001, .052, -.008, .047, .006, .055, .012, .044};
	const int side[] = {0, 1, 0, 1, 0, 1, 0, 1};
	const size_t slot[] = {0, 1, 0, 2, 3, 1, 0, 2};
	struct pe_twolevel levels;
	double variance, step;

	pe_twolevel_begin(&levels, PE_TWOLEVEL_CALM, 0.01, 0.003, 0);
	/* Slots are taken into use in order of their first reading. */
	for (size_t i = 0; i < 8; i++)
		pe_twolevel_take(&levels, false, side[i], slot[i], values[i]);
	step = pe_twolevel_step(&levels, &variance);
	cr_expect(lt(dbl, fabs(levels.log_likelihood - 15.168207938), 0.2));
	cr_expect(lt(dbl, fabs(step - 0.046620977710), 0.0002));
	cr_expect(lt(dbl, fabs(variance / 5.99910859e-05 - 1), 0.05));
}

/* Where runs fall into two modes, the gap between them is learnt, and is not taken for the step. */
Test(twolevel, two_modes_are_no_step)
{
	static const enum pe_twolevel_machine machines[] = {PE_TWOLEVEL_MOVING,
							    PE_TWOLEVEL_MODES + 1};
	const double gap = 0.055, steps[] = {0, 0.03};

	for (size_t s = 0; s < 2; s++) {
		struct pe_twolevel levels[2];
		struct pe_random random = random_of(3);
		double variance, step;

		for (size_t m = 0; m < 2; m++)
			pe_twolevel_begin(&levels[m], machines[m], 0.01, 0.001, 0);
		for (int k = 0; k < 60; k++) {
			double value = (k % 2) * steps[s] + 0.01 * pe_random_normal(&random) +
				       (pe_random_unit(&random) < 0.3 ? gap : 0);

			for (size_t m = 0; m < 2; m++)
				pe_twolevel_take(&levels[m], false, k % 2, (size_t)(k % 2), value);
		}
		step = pe_twolevel_step(&levels[1], &variance);
		cr_expect(lt(dbl, fabs(step - steps[s]), 3 * sqrt(variance)));
		cr_expect(lt(dbl, sqrt(variance), 0.004));
		cr_expect(gt(dbl, levels[1].log_likelihood - levels[0].log_likelihood, 10));
		/* In the mean, a reading is of both modes. */
		cr_expect(lt(dbl, fabs(pe_twolevel_expected(&levels[1], 0, 0) - 0.3 * gap), 0.006));
	}
}

Test(twolevel, modes_are_a_part_of_the_deviation)
{
	cr_expect(epsilon_eq(dbl, pe_twolevel_deviation(PE_TWOLEVEL_CALM, 0.01), 0.01, 1e-12));
	/* Two modes 6 deviations apart, the upper one in 3 runs of 10. */
	cr_expect(epsilon_eq(dbl, pe_twolevel_deviation(PE_TWOLEVEL_MODES + 1, 0.01),
			     0.01 * sqrt(1 + 0.3 * 0.7 * 36), 1e-12));
}
