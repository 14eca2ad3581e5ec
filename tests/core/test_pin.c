#include "core/stats/pin.h"

#include "tests/core/history.h"
#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;
static struct pe_changepoints found; /* of the running test */
static struct history h;

static void release_all(void)
{
	pe_arena_release(&arena);
	pe_vec_release(&h.readings);
}

TestSuite(pin, .fini = release_all, .timeout = 600);

static struct pe_changepoints find(void)
{
	struct pe_readings r = history_readings(&h);

	return pe_changepoints_find(&r, &usual, &arena);
}

/* Squares only: the chance of a place one to the right is exp of half what the value between pays more. */
Test(pin, agrees_with_a_hand_calculation)
{
	struct pe_segment_value values[] = {{0, 1, INFINITY},
					    {0, 1, INFINITY},
					    {1.2, 1, INFINITY},
					    {2, 1, INFINITY},
					    {2, 1, INFINITY}};
	double cost[5], sum = 0;
	struct pe_pin pin = pe_pin_change(values, 5, 2, 0, 2, 10);

	for (size_t place = 1; place < 5; place++) {
		cost[place] = 0;
		for (size_t i = 0; i < 5; i++) {
			double off = values[i].value - (i >= place ? 2 : 0);

			cost[place] += off * off;
		}
		sum += exp(-0.75 * cost[place] / 2);
	}
	cr_expect(epsilon_eq(dbl, pin.sure, exp(-0.75 * cost[2] / 2) / sum, 1e-12));
	cr_expect(eq(sz, pin.first, 1), "0.48, 0.35 and 0.10 do not make 0.95 without the last");
	cr_expect(eq(sz, pin.last, 4));
}

Test(pin, clear_step_is_sure)
{
	history_init(&h, 40, 100, 0.01, 1);
	history_step(&h, 22, 1.2);
	history_rounds(&h, 10, 0.01);
	found = find();
	cr_assert(eq(sz, found.n, 1));
	cr_expect(gt(dbl, found.at[0].sure, 0.999));
	cr_expect_text("22 22 0", found.at[0].first, found.at[0].last,
		       pe_pin_remeasure(&found, 0, 0.95, &arena).n);
}

/*
 * 200 small steps: where it says it is sure it is right, the range holds the step in about 95 % of them, and
 * in the mean it is right at least as often as it says, and not much more often.
 */
Test(pin, probabilities_are_what_they_say)
{
	size_t found_once = 0, held = 0, right = 0;
	double said = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		history_init(&h, 40, 100, 0.02, seed);
		history_step(&h, 20, 1.02);
		history_rounds(&h, 8, 0.01);
		found = find();
		if (found.n == 1) {
			found_once++;
			said += found.at[0].sure;
			right += found.at[0].index == 20;
			held += found.at[0].first <= 20 && found.at[0].last >= 20;
		}
		release_all();
	}
	cr_expect(ge(sz, found_once, 120), "%zu", found_once);
	cr_expect(ge(dbl, (double)held, 0.90 * (double)found_once), "%zu of %zu", held, found_once);
	said /= (double)found_once;
	cr_expect(le(dbl, said, (double)right / (double)found_once + 0.03),
		  "%zu of %zu right, %g said", right, found_once, said);
	cr_expect(ge(dbl, said, (double)right / (double)found_once - 0.2),
		  "%zu of %zu right, %g said", right, found_once, said);
	cr_expect(lt(sz, right, found_once * 95 / 100), "else there is nothing to learn here");
}

/* Ten runs of each commit, about a third of them in a second mode that is 4 % slower; the step is as large as that. */
static void make_two_modes(double step, uint64_t seed)
{
	history_init(&h, 40, 100, 0, seed);
	history_step(&h, 20, exp(step));
	for (unsigned round = 0; round < 10; round++) {
		for (size_t commit = 0; commit < h.n_commits; commit++) {
			const bool slow = pe_random_unit(&h.random) < 0.35;
			const double noise = 0.007 * pe_random_normal(&h.random);

			history_run(&h, commit, 1, round, noise + (slow ? 0.04 : 0));
		}
	}
}

static void set_run(size_t commit, unsigned round, double machine)
{
	for (size_t i = 0; i < h.readings.n; i++)
		if (h.readings.data[i].commit == commit && h.readings.data[i].round == round)
			h.readings.data[i].value = h.level[commit] * exp(machine);
}

/*
 * Of the first commit of the new level chance has eight runs in the slower mode, where the faster one of the old level
 * was: its quartile is the old one's. But two of its runs lie where no run of the old level does.
 */
Test(pin, runs_tell_a_step_from_a_mode)
{
	make_two_modes(-0.04, 1);
	for (unsigned round = 0; round < 10; round++)
		set_run(20, round, 0.001 * round + (round < 8 ? 0.036 : -0.008));
	found = find();
	cr_assert(eq(sz, found.n, 1));
	cr_expect(gt(dbl, found.commits[20].location, 0.98 * h.level[19]),
		  "the quartile is the old one's");
	cr_expect(eq(sz, found.at[0].index, 20));
	cr_expect(eq(sz, found.at[0].before, 19));
	cr_expect(gt(dbl, found.at[0].sure, 0.9), "%g", found.at[0].sure);
}

/* As far as it is a step of all runs: one or two that lie elsewhere are outliers, at either side. */
Test(pin, outliers_move_no_place)
{
	history_init(&h, 40, 100, 0.01, 4);
	history_step(&h, 20, 1.08);
	history_rounds(&h, 10, 0.01);
	set_run(19, 2, 0.08);
	set_run(19, 7, 0.09);
	set_run(20, 1, -0.08);
	set_run(20, 4, 3);
	found = find();
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].index, 20));
	cr_expect(gt(dbl, found.at[0].sure, 0.95), "%g", found.at[0].sure);
}

/* Steps as large as the gap between the modes, either way: placed as often as is said, and mostly rightly. */
Test(pin, probabilities_hold_with_two_modes)
{
	size_t n = 0, held = 0, right = 0;
	double said = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		make_two_modes(seed % 2 == 0 ? 0.04 : -0.04, seed);
		found = find();
		for (size_t i = 0; i < found.n; i++) {
			cr_assert(lt(sz, found.at[i].before, found.at[i].index));
			cr_assert(le(sz, found.at[i].first, found.at[i].index));
			cr_assert(ge(sz, found.at[i].last, found.at[i].index));
		}
		if (found.n == 1) {
			n++;
			said += found.at[0].sure;
			right += found.at[0].index == 20;
			held += found.at[0].first <= 20 && found.at[0].last >= 20;
		}
		release_all();
	}
	cr_expect(ge(sz, n, 50), "%zu", n);
	cr_expect(ge(sz, right, n - 2), "%zu of %zu", right, n);
	cr_expect(ge(sz, held, n - 2), "%zu of %zu", held, n);
	cr_expect(le(dbl, said / (double)n, (double)right / (double)n + 0.03), "%g", said);
}

/* Steps at neighbouring commits: none is moved to where the next one is, or past it. */
Test(pin, neighbouring_changes_stay_apart)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		history_init(&h, 30, 100, 0.03, seed);
		history_step(&h, 14, 1.1);
		history_step(&h, 15, 1.1);
		history_step(&h, 17, 1 / 1.15);
		history_rounds(&h, 6, 0.01);
		found = find();
		for (size_t i = 0; i < found.n; i++) {
			cr_assert(lt(sz, found.at[i].before, found.at[i].index));
			cr_assert(i == 0 || found.at[i - 1].index <= found.at[i].before);
		}
		release_all();
	}
}

/* What is measured again: the doubtful ones and three of each level, never beyond the next change. */
Test(pin, names_what_to_measure_again)
{
	struct pe_pin_commits again;

	history_init(&h, 40, 100, 0.01, 3);
	history_step(&h, 20, 1.1);
	history_step(&h, 23, 1.1);
	history_rounds(&h, 10, 0.01);
	found = find();
	cr_assert(eq(sz, found.n, 2));
	found.at[0].sure = 0.6;
	found.at[0].first = 19;
	found.at[0].last = 21;
	again = pe_pin_remeasure(&found, 0, 0.95, &arena);
	cr_assert(eq(sz, again.n, 7), "22 is the last of its level");
	for (size_t i = 0; i < 7; i++)
		cr_expect(eq(sz, again.commit[i], 16 + i));
	found.at[0].last = 22;
	again = pe_pin_remeasure(&found, 0, 0.95, &arena);
	cr_expect(eq(sz, again.n, 7));
	cr_expect(eq(sz, again.commit[6], 22));
}

/* Small steps that were found, measured again up to four times in eight rounds on other days. */
Test(pin, measuring_again_tells_the_commit)
{
	size_t before = 0, after = 0, n = 0, sure = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct pe_pin_opts opts = {1, 0, 0.95};
		struct pe_pin_commits around;
		struct pe_readings readings;
		size_t index;
		double said;

		history_init(&h, 40, 100, 0.02, seed);
		history_step(&h, 20, 1.02);
		history_rounds(&h, 8, 0.01);
		found = find();
		if (found.n != 1) {
			release_all();
			continue;
		}
		opts.jitter = found.jitter;
		index = found.at[0].index;
		said = found.at[0].sure;
		around = pe_pin_remeasure(&found, 0, 0.95, &arena);
		before += index == 20;
		for (int64_t batch = 2; around.n > 0 && batch < 6; batch++) {
			struct pe_pin_refined refined;

			history_batch(&h, around.commit, around.n, batch, 8,
				      0.05 * pe_random_normal(&h.random), 0.01);
			readings = history_readings(&h);
			refined = pe_pin_refine(&readings, &around, &opts, &arena);
			cr_assert(refined.before < refined.index);
			index = refined.index;
			said = refined.sure;
			around = refined.again;
		}
		n++;
		sure += said >= 0.95;
		after += index == 20;
		release_all();
	}
	cr_expect(ge(sz, after, n * 9 / 10), "%zu of %zu", after, n);
	cr_expect(ge(sz, after, before + n / 10), "%zu before, %zu after, of %zu", before, after,
		  n);
	cr_expect(ge(sz, sure, n / 2), "%zu of %zu", sure, n);
}

Test(pin, nothing_to_compare_is_no_place)
{
	struct pe_pin_opts opts = {1, 0, 0.95};
	size_t commits[] = {3};
	struct pe_pin_commits one = {commits, 1}, none = {commits, 0};
	struct pe_readings readings;

	history_init(&h, 10, 100, 0.01, 5);
	history_rounds(&h, 5, 0);
	readings = history_readings(&h);
	cr_expect(eq(sz, pe_pin_refine(&readings, &one, &opts, &arena).index, PE_NO_COMPONENT));
	cr_expect(eq(sz, pe_pin_refine(&readings, &none, &opts, &arena).index, PE_NO_COMPONENT));
}
