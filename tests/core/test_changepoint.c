#include "core/stats/changepoint.h"

#include "core/stats/rounds.h"
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

TestSuite(changepoint, .fini = release_all, .timeout = 600);

static struct pe_changepoints find(const struct pe_changepoint_opts *opts)
{
	struct pe_readings r = history_readings(&h);

	return pe_changepoints_find(&r, opts, &arena);
}

/* One value a commit, all measured in one round. */
static struct pe_changepoints find_in(const double *values, size_t n)
{
	struct pe_reading *at = pe_arena_new(&arena, struct pe_reading, n);

	for (size_t i = 0; i < n; i++)
		at[i] = (struct pe_reading){i, 0, 0, values[i]};
	return pe_changepoints_find(&(struct pe_readings){at, n, n}, &usual, &arena);
}

Test(changepoint, finds_a_single_step)
{
	const double ns[] = {100, 101, 99, 100, 102, 110, 111, 109, 110, 112};

	found = find_in(ns, 10);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].index, 5));
	cr_expect(eq(sz, found.at[0].before, 4));
	/* exp of the mean logarithms' difference: the weights are equal and nothing is clipped. */
	cr_expect(epsilon_eq(dbl, found.at[0].relative, 0.0996, 0.0005));
	cr_expect(epsilon_eq(dbl, found.at[0].level_before, 100.395, 0.01));
	cr_expect(lt(dbl, found.at[0].low, 0.0996));
	cr_expect(gt(dbl, found.at[0].low, 0.06));
	cr_expect(gt(dbl, found.at[0].high, 0.0996));
	cr_expect(lt(dbl, found.at[0].high, 0.14));
}

Test(changepoint, finds_a_step_of_two_percent_in_a_wandering_machine)
{
	history_init(&h, 100, 1e9, 0.012, 21);
	history_step(&h, 63, 1.02);
	history_rounds(&h, 25, 0.03);
	found = find(&usual);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].index, 63));
	cr_expect(epsilon_eq(dbl, found.at[0].relative, 0.02, 0.002));
	cr_expect(lt(dbl, found.at[0].low, 0.02));
	cr_expect(gt(dbl, found.at[0].high, 0.02));
	cr_expect(gt(dbl, found.at[0].strength, 10));
	cr_expect(epsilon_eq(dbl, found.commits[99].level / found.commits[0].level, 1.02, 0.002));
	cr_expect(eq(sz, found.commits[99].n, 25));
}

/* 60 histories of 50 commits: at most one false alarm, where 0.1 in 1000 make 0.3 likely. */
Test(changepoint, noise_is_no_change)
{
	size_t alarms = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		history_init(&h, 50, 100, 0.02, seed);
		history_rounds(&h, seed % 2 == 0 ? 25 : 10, 0.02);
		alarms += find(&usual).n;
		release_all();
	}
	cr_assert(le(sz, alarms, 1));
}

struct short_case {
	size_t n_commits, step;
	unsigned rounds;
	double factor;
	bool found;
};

static struct short_case short_series_cases[] = {
	{2, 1, 25, 1.5, true},  {2, 1, 25, 0.6, true},  {2, 1, 10, 1.5, true},
	{3, 2, 25, 1.5, true},  {3, 1, 25, 1.5, true},  {4, 3, 25, 1.2, true},
	{5, 2, 25, 1.05, true}, {5, 4, 25, 1.10, true}, {2, 1, 25, 1.004, false},
	{2, 1, 25, 1, false},   {3, 1, 25, 1, false},   {5, 1, 25, 1, false},
	{2, 1, 1, 1.5, false},  {3, 2, 1, 1.5, false},
};

TestOver(struct short_case *c, short_series_cases, changepoint, short_series)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		history_init(&h, c->n_commits, 100, 0.01, seed);
		history_step(&h, c->step, c->factor);
		history_rounds(&h, c->rounds, 0.01);
		found = find(&usual);
		cr_assert(eq(sz, found.n, c->found ? 1 : 0), "%zu commits, %g, seed %d",
			  c->n_commits, c->factor, (int)seed);
		if (c->found)
			cr_assert(eq(sz, found.at[0].index, c->step));
		release_all();
	}
}

/* Levels of a history; those at commits that are not named are the last one's. */
struct levels {
	const char *what;
	size_t n;
	unsigned rounds;
	double start;
	struct {
		size_t from;
		double level;
	} at[4];
	size_t found[3]; /* 0 ends them */
};

static void make_levels(const struct levels *c, uint64_t seed)
{
	history_init(&h, c->n, c->start, 0.01, seed);
	for (size_t k = 0; k < 4 && c->at[k].level > 0; k++)
		for (size_t i = c->at[k].from; i < c->n; i++)
			h.level[i] = c->at[k].level;
	history_rounds(&h, c->rounds, 0.01);
}

static void expect_places(const struct pe_changepoints *of, const size_t *places, const char *what,
			  uint64_t seed)
{
	size_t n = 0;

	while (n < 3 && places[n] != 0)
		n++;
	cr_assert(eq(sz, of->n, n), "%s, seed %d", what, (int)seed);
	for (size_t i = 0; i < n; i++)
		cr_expect(eq(sz, of->at[i].index, places[i]), "%s, seed %d", what, (int)seed);
}

/* The steps of a staircase lie between their neighbours: neither spike nor end. */
Test(changepoint, lone_commits_and_the_newest_are_heard_beside_others)
{
	static const struct levels cases[] = {
		{"the newest", 30, 15, 100, {{29, 108}}, {29}},
		{"a revert that is the newest: half of its neighbours lie on the level it returns to",
		 12,
		 10,
		 100,
		 {{8, 150}, {11, 100}},
		 {8, 11}},
		{"a change, its revert, and it again",
		 16,
		 10,
		 100,
		 {{9, 30}, {10, 100}, {11, 30}},
		 {9, 10, 11}},
		{"a staircase", 20, 5, 100, {{9, 50}, {10, 25}, {11, 12.5}}, {9, 10, 11}},
	};

	for (size_t i = 0; i < 4; i++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			make_levels(&cases[i], seed);
			found = find(&usual);
			expect_places(&found, cases[i].found, cases[i].what, seed);
			release_all();
		}
}

/*
 * Fifteen times as fast for one commit, slow again (the build of the first, its readings reused), then
 * fast for good: five readings are too few for ranks to tell the end of a series from its neighbours.
 */
Test(changepoint, large_changes_are_heard_from_five_readings)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		history_init(&h, 11, 18.7e6, 0.01, seed);
		h.level[0] = h.level[2] = 288e6;
		for (size_t i = 3; i < 11; i++)
			h.level[i] *= 1 + 0.01 * pe_random_normal(&h.random);
		history_rounds(&h, 5, 0.01);
		for (size_t i = 0; i < h.readings.n; i++)
			if (h.readings.data[i].commit == 2)
				h.readings.data[i].value = h.readings.data[i - 2].value;
		found = find(&usual);
		expect_places(&found, (const size_t[]){1, 2, 3}, "reused", seed);
		release_all();
	}
}

Test(changepoint, components_are_never_joined)
{
	size_t left[10], right[10];

	history_init(&h, 20, 100, 0.005, 35);
	for (size_t i = 0; i < 10; i++) {
		left[i] = i;
		right[i] = 10 + i;
	}
	history_step(&h, 15, 1.07);
	history_batch(&h, left, 10, 1, 15, 0, 0.01);
	history_batch(&h, right, 10, 2, 15, 0.4, 0.01); /* another machine, one might say */
	found = find(&usual);
	cr_expect(eq(sz, found.n_components, 2));
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].index, 15));
}

/* Each new commit in a session of its own, with two references and two predecessors, on a day of its own. */
Test(changepoint, arriving_commits_are_judged_across_sessions)
{
	history_init(&h, 40, 100, 0.01, 36);
	history_step(&h, 28, 1.03);
	for (size_t i = 4; i < 40; i++) {
		const size_t together[] = {0, 1, i - 2, i - 1, i};

		history_batch(&h, together, 5, (int64_t)i, 15, 0.1 * pe_random_normal(&h.random),
			      0.005);
	}
	found = find(&usual);
	cr_expect(eq(sz, found.n_components, 1));
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].index, 28));
	cr_expect(epsilon_eq(dbl, found.at[0].relative, 0.03, 0.005));
}

/*
 * Batches of 30 commits that share two with the next and no references: the offset between two batches is
 * known from four cells only, and its error moves 28 commits at once. That must not pass for a change.
 */
Test(changepoint, seams_between_batches_are_no_changes)
{
	size_t alarms = 0, found_steps = 0;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		history_init(&h, 114, 100, 0.01, 2000 + seed);
		history_step(&h, 71, 1.05);
		for (size_t from = 0; from + 30 <= 114; from += 28) {
			size_t commits[30];

			for (size_t i = 0; i < 30; i++)
				commits[i] = from + i;
			history_batch(&h, commits, 30, (int64_t)from, 10,
				      0.05 * pe_random_normal(&h.random), 0.01);
		}
		found = find(&usual);
		for (size_t i = 0; i < found.n; i++) {
			alarms += found.at[i].index != 71;
			found_steps += found.at[i].index == 71;
		}
		release_all();
	}
	cr_expect(le(sz, alarms, 1));
	cr_expect(ge(sz, found_steps, 19));
}

Test(changepoint, names_the_measured_neighbours_of_missing_commits)
{
	size_t measured[20], n = 0;

	history_init(&h, 20, 100, 0.005, 37);
	history_step(&h, 11, 1.2);
	for (size_t i = 0; i < 20; i++)
		if (i != 0 && (i < 9 || i > 12))
			measured[n++] = i;
	history_batch(&h, measured, n, 1, 10, 0, 0);
	found = find(&usual);
	cr_assert(eq(sz, found.n, 1));
	cr_expect_text("8 13 0", found.at[0].before, found.at[0].index, found.commits[10].n);
	cr_expect(isnan(found.commits[10].level) && isnan(found.commits[0].location));
	cr_expect(eq(sz, found.commits[10].component, PE_NO_COMPONENT));
}

Test(changepoint, constant_series_have_none)
{
	history_init(&h, 50, 12345, 0, 1);
	history_rounds(&h, 5, 0);
	found = find(&usual);
	cr_expect(eq(sz, found.n, 0));
	cr_expect(epsilon_eq(dbl, found.commits[7].level, 12345, 1e-6));
	cr_expect(eq(dbl, found.commits[7].error, 0));
}

Test(changepoint, exact_values_with_one_step)
{
	history_init(&h, 50, 4096, 0, 1);
	history_step(&h, 30, 1.01);
	history_rounds(&h, 5, 0);
	found = find(&usual);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].index, 30));
	cr_expect(epsilon_eq(dbl, found.at[0].relative, 0.01, 1e-6));
}

Test(changepoint, below_the_smallest_effect_is_dropped)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;

	history_init(&h, 60, 100, 0.004, 38);
	history_step(&h, 30, 1.012);
	history_rounds(&h, 25, 0);
	cr_expect(eq(sz, find(&opts).n, 1));
	opts.min_effect = 0.02;
	cr_expect(eq(sz, find(&opts).n, 0));
}

Test(changepoint, huge_outliers_do_not_matter)
{
	history_init(&h, 40, 100, 0.005, 39);
	history_step(&h, 20, 1.03);
	history_rounds(&h, 15, 0.01);
	for (size_t i = 3; i < h.readings.n; i += 17)
		h.readings.data[i].value *= 1e9;
	found = find(&usual);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.at[0].index, 20));
	cr_expect(epsilon_eq(dbl, found.at[0].relative, 0.03, 0.005));
}

Test(changepoint, zeros_put_the_series_on_the_linear_scale)
{
	history_init(&h, 40, 1000, 0.01, 40);
	history_step(&h, 25, 1.5);
	for (size_t i = 0; i < 10; i++)
		h.level[i] = 0;
	history_rounds(&h, 10, 0);
	found = find(&usual);
	cr_expect(found.linear);
	cr_assert(eq(sz, found.n, 2));
	cr_expect(eq(sz, found.at[0].index, 10));
	cr_expect(isnan(found.at[0].relative) && isnan(found.at[0].low),
		  "from 0 there is no relative change");
	cr_expect(epsilon_eq(dbl, found.at[0].level_after, 1000, 10));
	cr_expect(eq(sz, found.at[1].index, 25));
	cr_expect(epsilon_eq(dbl, found.at[1].relative, 0.5, 0.02));
}

Test(changepoint, values_that_are_not_finite_are_left_out)
{
	history_init(&h, 20, 100, 0.005, 41);
	history_rounds(&h, 10, 0);
	for (size_t i = 60; i < 80; i++)
		h.readings.data[i].value = i % 2 == 0 ? NAN : INFINITY;
	cr_expect(eq(sz, find(&usual).n, 0));
	cr_expect(eq(sz, find(&usual).commits[3].n, 9));
}

Test(changepoint, of_nothing_and_of_one)
{
	const double one = 5;

	cr_expect_text("0 0 0",
		       pe_changepoints_find(&(struct pe_readings){NULL, 0, 0}, &usual, &arena).n,
		       pe_changepoints_find(&(struct pe_readings){NULL, 0, 4}, &usual, &arena).n,
		       find_in(&one, 1).n);
}

static void three_steps(uint64_t seed)
{
	history_init(&h, 60, 100, 0.01, seed);
	history_step(&h, 15, 1.04);
	history_step(&h, 33, 0.95);
	history_step(&h, 48, 1.08);
	history_rounds(&h, 12, 0.02);
}

/* The same history in another unit, in another order with other names of rounds, and read backwards. */
Test(changepoint, unit_order_and_direction_change_no_place)
{
	struct pe_changepoints plain, other;
	size_t n;

	three_steps(52);
	n = h.readings.n;
	plain = find(&usual);
	cr_assert(eq(sz, plain.n, 3));
	cr_expect_text("15 33 48", plain.at[0].index, plain.at[1].index, plain.at[2].index);
	cr_expect(epsilon_eq(dbl, plain.at[1].relative, -0.05, 0.01));
	cr_expect(lt(dbl, plain.at[1].strength, 0));
	for (size_t i = 0; i < n; i++)
		h.readings.data[i].value *= 1e6;
	other = find(&usual);
	cr_assert(eq(sz, other.n, 3));
	for (size_t i = 0; i < 3; i++) {
		cr_expect(eq(sz, other.at[i].index, plain.at[i].index));
		cr_expect(epsilon_eq(dbl, other.at[i].relative, plain.at[i].relative, 1e-9));
		cr_expect(epsilon_eq(dbl, other.at[i].level_after / plain.at[i].level_after, 1e6,
				     1e-2));
	}
	for (size_t i = 0; i < n; i++)
		h.readings.data[i].round = 1000 - 7 * h.readings.data[i].round;
	for (size_t i = n; i > 1; i--) {
		size_t j = pe_random_below(&h.random, i);
		struct pe_reading kept = h.readings.data[j];

		h.readings.data[j] = h.readings.data[i - 1];
		h.readings.data[i - 1] = kept;
	}
	other = find(&usual);
	cr_assert(eq(sz, other.n, 3));
	for (size_t i = 0; i < 3; i++) {
		cr_expect(eq(sz, other.at[i].index, plain.at[i].index));
		cr_expect(epsilon_eq(dbl, other.at[i].strength, plain.at[i].strength, 1e-6));
	}
	for (size_t i = 0; i < n; i++)
		h.readings.data[i].commit = 59 - h.readings.data[i].commit;
	other = find(&usual);
	cr_assert(eq(sz, other.n, 3));
	for (size_t i = 0; i < 3; i++) {
		cr_expect(eq(sz, other.at[2 - i].index, 60 - plain.at[i].index));
		cr_expect(epsilon_eq(
			dbl, (1 + other.at[2 - i].relative) * (1 + plain.at[i].relative), 1, 1e-6));
	}
}

/* The interval of a clear step holds its true size about as often as it says. */
Test(changepoint, interval_covers_the_true_change)
{
	size_t covered = 0, found_once = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		history_init(&h, 24, 100, 0.01, 1000 + seed);
		history_step(&h, 12, 1.05);
		history_rounds(&h, 10, 0.01);
		found = find(&usual);
		if (found.n == 1 && found.at[0].index == 12) {
			found_once++;
			covered += found.at[0].low <= 0.05 && found.at[0].high >= 0.05;
		}
		release_all();
	}
	cr_expect(ge(sz, found_once, 57));
	cr_expect(ge(sz, covered, found_once * 85 / 100), "%zu of %zu", covered, found_once);
}

/* How often a step of `factor` at a commit is found, within three of it. */
static size_t times_found(size_t step, double factor, unsigned rounds, size_t histories)
{
	size_t times = 0;

	for (uint64_t seed = 1; seed <= histories; seed++) {
		bool heard = false;

		history_init(&h, 40, 100, 0.01, 3000 + seed);
		history_step(&h, step, factor);
		history_rounds(&h, rounds, 0.01);
		found = find(&usual);
		for (size_t i = 0; i < found.n; i++)
			heard |= found.at[i].index + 3 >= step && found.at[i].index <= step + 3;
		times += heard;
		release_all();
	}
	return times;
}

struct least_case {
	size_t commit;
	unsigned rounds;
};

static struct least_case smallest_change_is_found_nine_times_in_ten_cases[] = {
	{20, 10}, {20, 5}, {35, 10}, {39, 15}, {1, 15}};

/* What a history without a change says it would have found, found in others like it. */
TestOver(struct least_case *c, smallest_change_is_found_nine_times_in_ten_cases, changepoint,
	 smallest_change_is_found_nine_times_in_ten)
{
	double least = 0;
	size_t times;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		history_init(&h, 40, 100, 0.01, seed);
		history_rounds(&h, c->rounds, 0.01);
		least += find(&usual).commits[c->commit].least / 10;
		release_all();
	}
	times = times_found(c->commit, 1 + least, c->rounds, 100);
	cr_expect(ge(sz, times, 82), "%zu of 100 at %g", times, least);
	times = times_found(c->commit, 1 + least / 2, c->rounds, 100);
	cr_expect(le(sz, times, 70), "%zu of 100 at half of %g", times, least);
}

Test(changepoint, smallest_change_is_told_where_none_was_found)
{
	history_init(&h, 40, 100, 0.01, 3);
	history_step(&h, 20, 1.2);
	history_rounds(&h, 10, 0.01);
	found = find(&usual);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(isnan(found.commits[0].least) && isnan(found.commits[20].least));
	cr_expect(gt(dbl, found.commits[21].least, found.commits[30].least),
		  "a lone commit has to say more");
	cr_expect(ge(dbl, found.commits[30].least, 0.005));
	cr_expect(lt(dbl, found.commits[30].least, 0.05));
}
