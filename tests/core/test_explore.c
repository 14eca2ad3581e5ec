#include "core/stats/explore.h"

#include "tests/support/random.h"
#include "core/stats/deterministic.h"
#include "tests/core/history.h"
#include "tests/support/test.h"

#define MOST 10000

/* A line that is explored: what every revision costs, and what was measured. */
static struct {
	size_t n, measured, batches, company;
	double level[MOST];
	struct pe_explore_revision revisions[MOST];
	PE_VEC(struct pe_reading) readings;
	size_t order[MOST]; /* one a revision: the batch that measured it, from 1 */
	size_t why[PE_EXPLORE_COMPANY + 1];
} line;

static struct pe_arena arena;
static struct pe_explore_opts opts;

static void release_all(void)
{
	pe_vec_release(&line.readings);
	pe_arena_release(&arena);
}

TestSuite(explore, .fini = release_all, .timeout = 600);

static void begin(size_t n)
{
	pe_vec_release(&line.readings);
	memset(&line, 0, sizeof(line));
	line.n = n;
	opts = (struct pe_explore_opts)PE_EXPLORE_DEFAULTS;
	for (size_t i = 0; i < n; i++) {
		line.level[i] = 100;
		line.revisions[i] = (struct pe_explore_revision){1, i, false, false, 0};
	}
}

static void step(size_t at, double factor)
{
	for (size_t i = at; i < line.n; i++)
		line.level[i] *= factor;
}

static struct pe_changepoints found(void)
{
	struct pe_readings readings = {line.readings.data, line.readings.n, line.n};

	return pe_deterministic_find(&readings, &(struct pe_deterministic_opts){0, 0}, &arena);
}

static struct pe_explore_batch next(void)
{
	struct pe_changepoints now = found();
	const struct pe_changepoints *const series[] = {&now};

	return pe_explore_next(line.revisions, line.n, series, 1, &opts, &arena);
}

/* What must hold of every batch. */
static void check(const struct pe_explore_batch *batch)
{
	bool asks = false;

	cr_assert(gt(sz, batch->n, 0));
	cr_assert(le(sz, batch->n, opts.slots));
	cr_assert(le(sz, batch->n * opts.repeats, opts.runs_left));
	for (size_t i = 0; i < batch->n; i++) {
		const struct pe_explore_pick *pick = &batch->at[i];
		const struct pe_explore_revision *revision = &line.revisions[pick->revision];

		cr_assert(i == 0 || batch->at[i - 1].revision < pick->revision);
		cr_assert(pick->want > 0 && pick->left <= pick->revision &&
			  pick->revision <= pick->right);
		cr_assert(not(revision->lost));
		cr_assert(revision->measured == (pick->why == PE_EXPLORE_COMPANY ||
						 pick->why == PE_EXPLORE_LEVEL),
			  "%zu is picked as %d but %smeasured", pick->revision, (int)pick->why,
			  revision->measured ? "" : "not ");
		asks |= pick->why != PE_EXPLORE_COMPANY;
	}
	cr_assert(asks);
}

static void measure(const struct pe_explore_batch *batch)
{
	line.batches++;
	for (size_t i = 0; i < batch->n; i++) {
		size_t at = batch->at[i].revision;

		line.why[batch->at[i].why]++;
		if (line.revisions[at].measured) {
			line.company++;
			continue;
		}
		line.revisions[at].measured = true;
		line.order[at] = line.batches;
		line.measured++;
		pe_vec_push(&line.readings, (struct pe_reading){at, 0, 0, line.level[at]});
	}
}

/* Until it has no more to ask, or nothing open after the grid when `pinned`. */
static enum pe_explore_answer explore(bool pinned)
{
	for (size_t i = 0; i < 2 * line.n + 2; i++) {
		struct pe_explore_batch batch = next();
		size_t runs = batch.n * opts.repeats;

		if (batch.answer != PE_EXPLORE_GO_ON) {
			cr_expect(eq(sz, batch.n, 0));
			return batch.answer;
		}
		check(&batch);
		if (pinned && batch.open == 0) {
			bool over = true;

			for (size_t k = 0; k < batch.n; k++)
				over &= batch.at[k].why == PE_EXPLORE_CANCEL ||
					batch.at[k].why == PE_EXPLORE_COMPANY;
			if (over)
				return PE_EXPLORE_GO_ON;
		}
		measure(&batch);
		opts.runs_left -= opts.runs_left == SIZE_MAX ? 0 : runs;
	}
	cr_assert(false, "it does not end");
	return PE_EXPLORE_GO_ON;
}

static bool is_pinned(size_t at)
{
	return line.revisions[at - 1].measured && line.revisions[at].measured;
}

Test(explore, begins_with_ends_and_an_even_grid)
{
	struct pe_explore_batch batch;
	size_t widest = 0;

	begin(100);
	batch = next();
	check(&batch);
	cr_expect(eq(sz, batch.n, 14));
	cr_expect(eq(sz, batch.at[0].revision, 0));
	cr_expect(eq(int, batch.at[0].why, PE_EXPLORE_ENDS));
	cr_expect(eq(sz, batch.at[13].revision, 99));
	for (size_t i = 1; i < batch.n; i++)
		widest = batch.at[i].revision - batch.at[i - 1].revision > widest
				 ? batch.at[i].revision - batch.at[i - 1].revision
				 : widest;
	cr_expect(le(sz, widest, 9));
	for (size_t i = 1; i + 1 < batch.n; i++)
		cr_expect(eq(int, batch.at[i].why, PE_EXPLORE_GRID));
}

/* One halving a batch for each jump: the grid, and the binary logarithm of a gap for each. */
Test(explore, pins_several_steps_in_logarithmic_time)
{
	const size_t at[] = {17, 48, 49, 83};

	begin(100);
	for (size_t i = 0; i < 4; i++)
		step(at[i], 1.05);
	explore(true);
	for (size_t i = 0; i < 4; i++)
		cr_expect(is_pinned(at[i]), "%zu", at[i]);
	cr_expect(le(sz, line.measured, 14 + 4 * 3));
	cr_expect(eq(sz, line.why[PE_EXPLORE_CANCEL], 0));
}

Test(explore, pins_one_step_among_ten_thousand)
{
	begin(MOST);
	step(7777, 1.02);
	opts.grid = 9;
	explore(true);
	cr_expect(is_pinned(7777));
	cr_expect(le(sz, line.measured, 9 + 11), "%zu", line.measured); /* 1250 is under 2^11 */
}

/* Any steps at all, adjacent ones too: every one that the grid can see, and no revision twice. */
Test(explore, pins_whatever_the_grid_shows)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct pe_random random = random_of(seed);
		size_t at[5];

		begin(20 + pe_random_below(&random, 300));
		opts.slots = 4 + pe_random_below(&random, 20);
		for (size_t i = 0; i < 5; i++) {
			at[i] = 1 + pe_random_below(&random, line.n - 1);
			step(at[i], 1.05); /* all upwards: none cancels another */
		}
		explore(true);
		for (size_t i = 0; i < 5; i++)
			cr_expect(is_pinned(at[i]), "seed %zu: %zu", (size_t)seed, at[i]);
		release_all();
	}
}

Test(explore, measures_all_when_it_may_and_ends)
{
	begin(120);
	step(30, 1.1);
	step(35, 1 / 1.1);
	cr_expect(eq(int, explore(false), PE_EXPLORE_COMPLETE));
	cr_expect(eq(sz, line.measured, 120));
	cr_expect(gt(sz, line.why[PE_EXPLORE_CANCEL], 0));
}

Test(explore, never_spends_more_than_it_has)
{
	for (size_t runs = 0; runs < 200; runs += 7) {
		begin(100);
		step(40, 1.2);
		opts.runs_left = runs;
		cr_expect(eq(int, explore(false), PE_EXPLORE_SPENT));
		cr_expect(le(sz, (line.measured + line.company) * opts.repeats, runs));
		cr_expect(ge(sz, (line.measured + line.company + 4) * opts.repeats, runs),
			  "%zu and %zu of %zu", line.measured, line.company, runs);
		release_all();
	}
}

/* Up by 10 % and down again between two points of the grid: found in the gap that is suspected. */
Test(explore, looks_for_cancelling_pairs_where_they_are_suspected)
{
	size_t with, without;

	for (int suspected = 0; suspected < 2; suspected++) {
		begin(200);
		step(130, 1.1);
		step(133, 1 / 1.1);
		opts.grid = 5;
		for (size_t i = 130; suspected && i < 134; i += 3)
			line.revisions[i].weight = 30;
		explore(false);
		*(suspected ? &with : &without) =
			line.order[130] < line.order[131] ? line.order[130] : line.order[131];
		cr_expect(is_pinned(130));
		cr_expect(is_pinned(133));
		release_all();
	}
	cr_expect(lt(sz, with, without));
}

/* The prior pulls the first halving to the commit that it suspects. */
Test(explore, halves_the_prior_not_the_distance)
{
	struct pe_explore_batch batch;

	begin(100);
	step(90, 1.1);
	line.revisions[90].weight = 500;
	opts.grid = 2;
	batch = next();
	cr_assert(eq(sz, batch.n, 2));
	measure(&batch);
	batch = next();
	cr_expect(eq(sz, batch.open, 1));
	cr_assert(eq(sz, batch.n, 3), "the sides are measured along");
	cr_expect(batch.at[1].revision == 89 || batch.at[1].revision == 90, "%zu",
		  batch.at[1].revision);
	cr_expect(eq(int, batch.at[1].why, PE_EXPLORE_REFINE));
	cr_expect(eq(sz, batch.at[1].left, 0));
	cr_expect(eq(sz, batch.at[1].right, 99));
	cr_expect(epsilon_eq(dbl, batch.at[1].want, 0.1, 1e-9));
	explore(true);
	cr_expect(is_pinned(90));
	cr_expect(le(sz, line.measured, 5));
}

/* Revisions that execute the same as a neighbour cost nothing, and no change is looked for inside of them. */
/* The one that is asked between two measured ones, of which the second is of another level. */
static size_t halves(size_t n, void (*cost)(size_t i))
{
	struct pe_explore_batch batch;
	size_t asked = 0;

	begin(n);
	step(n / 3, 1.2);
	opts.grid = 2;
	for (size_t i = 0; i < n; i++)
		if (cost != NULL)
			cost(i);
	batch = next();
	measure(&batch);
	batch = next();
	for (size_t i = 0; i < batch.n; i++)
		if (batch.at[i].why == PE_EXPLORE_REFINE)
			asked = batch.at[i].revision;
	release_all();
	return asked;
}

static void one_is_built(size_t i)
{
	line.revisions[i].cost = i == 40 || i == 3 ? 1 : 30;
}

static void middle_takes_a_hundredfold(size_t i)
{
	line.revisions[i].cost = i == 50 ? 3000 : 30;
}

static void nobody_knows(size_t i)
{
	static const double costs[] = {0, -1, NAN, INFINITY};

	line.revisions[i].cost = costs[i % 4];
}

Test(explore, halves_by_what_is_told_for_the_cost)
{
	cr_expect(eq(sz, halves(101, NULL), 50));
	/* Not so far from the middle, and built; the other one would tell next to nothing. */
	cr_expect(eq(sz, halves(101, one_is_built), 40));
	cr_expect(ne(sz, halves(101, middle_takes_a_hundredfold), 50));
	cr_expect(ge(sz, halves(101, middle_takes_a_hundredfold), 45));
	cr_expect(le(sz, halves(101, middle_takes_a_hundredfold), 55));
	cr_expect(eq(sz, halves(101, nobody_knows), 50));
}

/* Two in ten are built: a grid of those costs next to nothing, and is as even as one point in four allows. */
Test(explore, grid_takes_what_is_built_nearby)
{
	struct pe_explore_batch batch;
	size_t built = 0;

	begin(200);
	opts.grid = 11;
	for (size_t i = 0; i < 200; i++)
		line.revisions[i].cost = i % 10 < 2 ? 1 : 30;
	batch = next();
	for (size_t i = 0; i < batch.n; i++) {
		built += batch.at[i].revision % 10 < 2;
		cr_expect(i == 0 || batch.at[i].revision - batch.at[i - 1].revision <= 31);
	}
	cr_expect(ge(sz, built, batch.n - 2), "%zu of %zu", built, batch.n);
}

Test(explore, ends_when_what_is_asked_for_is_decided)
{
	begin(100);
	step(37, 1.2);
	opts.least_gap = 0.05;
	cr_expect(eq(int, explore(false), PE_EXPLORE_DECIDED));
	cr_expect(is_pinned(37));
	cr_expect(lt(sz, line.measured, 45), "%zu are measured", line.measured);
	/* Without it all is looked into, to the last. */
	release_all();
	begin(100);
	opts.least_gap = 0;
	cr_expect(eq(int, explore(false), PE_EXPLORE_COMPLETE));
}

Test(explore, reused_revisions_are_free)
{
	size_t same = 0;

	begin(100);
	for (size_t i = 0; i < 100; i++)
		line.revisions[i].same = i - i % 10;
	step(60, 1.05);
	cr_expect(eq(int, explore(false), PE_EXPLORE_COMPLETE));
	cr_expect(eq(sz, line.measured, 10), "%zu", line.measured);

	/* A revert: what lies behind it executes what lay before. */
	begin(40);
	step(20, 1.3);
	for (size_t i = 30; i < 40; i++) {
		line.revisions[i].same = 10;
		line.level[i] = line.level[10];
	}
	opts.grid = 4;
	explore(true);
	cr_expect(is_pinned(20));
	for (size_t i = 29; i < 40; i++)
		same += line.revisions[i > 29 ? i : 10].measured;
	cr_expect(eq(sz, same, 1), "one of those that execute the same");
}

/* A reused revision between the two sides of a jump says which half holds it. */
Test(explore, reused_revisions_close_in_on_a_jump)
{
	struct pe_explore_batch batch;

	begin(101);
	step(80, 1.1);
	opts.grid = 2;
	line.revisions[70].same = 0;
	line.revisions[90].same =
		0; /* known to execute the same as the end, which is found later */
	line.revisions[90].same = 90;
	batch = next();
	measure(&batch);
	batch = next();
	cr_assert(eq(sz, batch.n, 3));
	cr_expect_text("70 100 85", batch.at[1].left, batch.at[1].right, batch.at[1].revision);
}

Test(explore, goes_round_what_cannot_be_measured)
{
	begin(100);
	step(50, 1.1);
	line.revisions[0].lost = line.revisions[99].lost = true;
	for (size_t i = 45; i < 53; i++)
		line.revisions[i].lost = true;
	explore(true);
	cr_expect(line.revisions[1].measured && line.revisions[98].measured);
	cr_expect(line.revisions[44].measured && line.revisions[53].measured);
}

Test(explore, short_lines_and_none)
{
	for (size_t n = 0; n < 6; n++) {
		begin(n);
		cr_expect(eq(int, explore(false), PE_EXPLORE_COMPLETE));
		cr_expect(eq(sz, line.measured, n));
	}
	begin(3);
	for (size_t i = 0; i < 3; i++)
		line.revisions[i].lost = true;
	cr_expect(eq(int, next().answer, PE_EXPLORE_COMPLETE));
}

/* Where a step at the edge of a stretch would not be seen, its edge is measured again, beside what is asked anyway. */
Test(explore, ends_are_measured_again_until_a_small_step_would_show)
{
	struct pe_changepoint_opts how = PE_CHANGEPOINT_DEFAULTS;
	const double noise[] = {0.001, 0.03};
	size_t levels[2] = {0, 0};

	how.alpha = PE_EXPLORE_ALPHA;
	for (size_t k = 0; k < 2; k++) {
		struct history h;

		history_init(&h, 100, 100, noise[k], 7);
		begin(100);
		for (unsigned batches = 0, round = 0; batches < 4; batches++) {
			struct pe_readings readings = {h.readings.data, h.readings.n, 100};
			struct pe_changepoints now = pe_changepoints_find(&readings, &how, &arena);
			const struct pe_changepoints *const series[] = {&now};
			struct pe_explore_batch batch =
				pe_explore_next(line.revisions, 100, series, 1, &opts, &arena);

			check(&batch);
			for (size_t i = 0; i < batch.n; i++) {
				levels[k] += batch.at[i].why == PE_EXPLORE_LEVEL;
				line.revisions[batch.at[i].revision].measured = true;
			}
			for (unsigned r = 0; r < opts.repeats; r++, round++)
				for (size_t i = 0; i < batch.n; i++)
					history_run(&h, batch.at[i].revision, 1, round, 0);
		}
		pe_vec_release(&h.readings);
		release_all();
	}
	cr_expect(le(sz, levels[0], 2));
	cr_expect(ge(sz, levels[1], 4));
}

Test(explore, a_reserve_is_for_jumps_and_a_third_at_most)
{
	cr_expect_text("0 120 300 120 0 0", pe_explore_reserve(1000, 100, 0),
		       pe_explore_reserve(1000, 100, 2), pe_explore_reserve(1000, 100, 100),
		       pe_explore_reserve(390, 100, 5), pe_explore_reserve(250, 100, 1),
		       pe_explore_reserve(0, 100, 3));
}

/* Enough: what is wanted decides, between the floor and the ceiling. */
Test(explore, enough_is_a_narrow_interval)
{
	struct pe_explore_enough_opts limits = {3, 40};
	double want[20];
	bool enough[20];
	size_t needed[3] = {0};
	const double wants[] = {0.2, 0.05, 0.01};

	for (size_t w = 0; w < 3; w++) {
		struct history h;

		history_init(&h, 20, 100, 0.02, 11);
		for (size_t i = 0; i < 20; i++)
			want[i] = wants[w];
		for (unsigned round = 0; round < 60 && needed[w] == 0; round++) {
			struct pe_readings readings;

			for (size_t i = 0; i < 20; i++)
				history_run(&h, i, 1, round, 0);
			readings = (struct pe_readings){h.readings.data, h.readings.n, 20};
			if (pe_explore_enough(enough, &readings, want, &limits) == 20)
				needed[w] = round + 1;
		}
		pe_vec_release(&h.readings);
	}
	cr_expect(eq(sz, needed[0], 3), "the floor");
	cr_expect(needed[1] > 3 && needed[1] < 30, "%zu", needed[1]);
	cr_expect(eq(sz, needed[2], 40), "the ceiling");
}

Test(explore, enough_knows_exact_values_and_silence)
{
	struct pe_reading at[] = {{0, 1, 0, 5}, {0, 1, 1, 5}, {2, 1, 0, 7},
				  {2, 1, 1, 7}, {3, 1, 0, 9}, {3, 1, 1, NAN}};
	struct pe_readings readings = {at, 6, 4};
	struct pe_explore_enough_opts limits = {2, 10};
	const double want[] = {0.01, 0.01, 0.01, 0.01};
	bool enough[4];

	cr_expect(eq(sz, pe_explore_enough(enough, &readings, want, &limits), 2));
	cr_expect(enough[0] && !enough[1] && enough[2] && !enough[3]);
	readings.n = 0;
	cr_expect(eq(sz, pe_explore_enough(enough, &readings, want, &limits), 0));
}
