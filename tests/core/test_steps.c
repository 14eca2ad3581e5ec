#include "core/stats/steps.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(steps, (void)0, pe_arena_release(&arena), .timeout = 600);

enum { COMMITS = 100 };

/* A line, its steps, and what measuring it is like. */
struct line {
	size_t at[4], n;
	double level[COMMITS];
	double noise;
	struct pe_random random;
};

/* Steps of 5 to 20 % at commits in turn, between levels of which no two are alike. */
static bool draw(struct line *line)
{
	double levels[5] = {0};
	size_t level = 0;

	for (size_t k = 0; k < line->n; k++) {
		double size = 0.05 + 0.15 * pe_random_unit(&line->random);

		line->at[k] = 1 + pe_random_below(&line->random, COMMITS - 1);
		levels[k + 1] = levels[k] + (pe_random_below(&line->random, 2) != 0 ? size : -size);
		for (size_t j = 0; j <= k; j++)
			if (fabs(levels[k + 1] - levels[j]) < 0.04 ||
			    (j < k && line->at[j] >= line->at[k]))
				return false;
	}
	for (size_t i = 0; i < COMMITS; i++) {
		level += level < line->n && line->at[level] == i;
		line->level[i] = levels[level];
	}
	return true;
}

static double measure(struct line *line, size_t i)
{
	double noise = line->noise > 0 ? line->noise * pe_random_normal(&line->random) : 0;

	return exp(line->level[i] + noise);
}

static struct pe_steps *begin(const struct line *line, enum pe_steps_want want, double min_effect)
{
	struct pe_steps_opts opts = {PE_BISECT_DEFAULTS, want, 0};

	opts.bisect.exact = !(line->noise > 0);
	opts.bisect.min_effect = min_effect;
	opts.bisect.max_runs = 2000;
	return pe_steps_new(pe_bisect_line_new(COMMITS, &arena), &opts, &arena);
}

static struct pe_steps_result climb(struct line *line, enum pe_steps_want want, double min_effect)
{
	struct pe_steps *steps = begin(line, want, min_effect);
	struct pe_steps_result found;
	size_t i;

	while (pe_steps_next(steps, &i) == PE_BISECT_GO_ON) {
		const struct pe_bisect_reading reading = {i, 1, measure(line, i), false};

		pe_steps_feed(steps, &reading);
	}
	found = pe_steps_result(steps, 0, &arena);
	pe_steps_free(steps);
	return found;
}

static bool names_all(const struct pe_steps_result *found, const struct line *line)
{
	bool all = found->answer == PE_BISECT_FOUND && found->n == line->n;

	for (size_t k = 0; all && k < line->n; k++)
		all = found->steps[k].result.group.first == line->at[k] &&
		      found->steps[k].result.group.last == line->at[k];
	return all;
}

Test(steps, those_that_are_there_are_named_one_to_four)
{
	size_t right = 0, runs = 0, named = 0, there = 0;
	double stated = 0;

	for (size_t trial = 0; trial < 200; trial++) {
		struct line line = {.n = 1 + trial % 4, .noise = trial % 25 == 7 ? 0.01 : 0};
		struct pe_steps_result found;

		pe_random_seed(&line.random, trial);
		while (!draw(&line))
			;
		found = climb(&line, PE_STEPS_ALL, 0.03);
		right += names_all(&found, &line);
		for (size_t k = 0; line.noise > 0 && k < found.n; k++) {
			named++;
			stated += found.steps[k].result.group.probability;
			for (size_t j = 0; j < line.n; j++)
				there += found.steps[k].result.group.first == line.at[j];
		}
		if (line.noise > 0)
			continue;
		runs += found.range.runs;
		cr_expect(names_all(&found, &line), "trial %zu", trial);
		cr_expect(eq(sz, found.n_rests, 0));
	}
	cr_expect(ge(sz, right, 198));
	cr_expect(lt(sz, runs, 192 * 20));
	/* Three deviations of what is left to chance. */
	cr_expect(ge(dbl, (double)there, stated - 3 * sqrt((double)named * 0.05)));
}

static struct line stairs(double noise)
{
	struct line line = {.noise = noise};

	for (size_t i = 0; i < COMMITS; i++)
		line.level[i] = (i >= 20 ? 0.1 : 0) + (i >= 60 ? 0.2 : 0) + (i >= 80 ? 0.01 : 0);
	return line;
}

Test(steps, one_of_several_may_be_asked_for_and_the_rest_is_said)
{
	struct line line = stairs(0);
	struct pe_steps_result found = climb(&line, PE_STEPS_FIRST, 0.03);

	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.steps[0].result.group.first, 20));
	cr_expect(epsilon_eq(dbl, log1p(found.steps[0].result.relative), 0.1, 1e-9));
	cr_expect(found.partial);
	cr_assert(eq(sz, found.n_rests, 1));
	cr_expect(eq(sz, found.rests[0].first, 20));
	cr_expect(eq(sz, found.rests[0].last, COMMITS - 1));
	cr_expect(not(found.rests[0].searched));
	cr_expect(epsilon_eq(dbl, log1p(found.rests[0].result.relative), 0.21, 1e-9));
	found = climb(&line, PE_STEPS_LARGEST, 0.03);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.steps[0].result.group.first, 60));
	found = climb(&line, PE_STEPS_ALL, 0.03);
	cr_expect(eq(sz, found.n, 2));
	cr_assert(eq(sz, found.n_rests, 1));
	cr_expect(epsilon_eq(dbl, log1p(found.rests[0].result.relative), 0.01, 1e-9));
	cr_expect(found.rests[0].searched);
	cr_expect(eq(sz, found.rests[0].last, COMMITS - 1));
	found = climb(&line, PE_STEPS_ALL, 0.3);
	cr_expect(eq(int, found.answer, PE_BISECT_SMALL));
	cr_expect(epsilon_eq(dbl, log1p(found.range.relative), 0.31, 1e-9));
}

/* Counts that differ by 18 of 419 million are one level beside a step of 0.4 %. */
Test(steps, a_spread_far_below_the_step_is_exact_enough)
{
	struct pe_steps_opts opts = {PE_BISECT_DEFAULTS, PE_STEPS_ALL, 0.02};
	struct pe_steps_result found;
	struct pe_steps *steps;
	size_t i, k = 0;

	opts.bisect.exact = true;
	opts.bisect.min_effect = 0;
	steps = pe_steps_new(pe_bisect_line_new(COMMITS, &arena), &opts, &arena);
	while (pe_steps_next(steps, &i) == PE_BISECT_GO_ON) {
		const struct pe_bisect_reading reading = {
			i, 1, (i < 42 ? 419231863 : 420908790) + (double)(k++ * 7 % 18), false};

		pe_steps_feed(steps, &reading);
	}
	found = pe_steps_result(steps, 0, &arena);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.steps[0].result.group.first, 42));
	cr_expect(eq(sz, found.n_rests, 0));
	cr_expect(lt(sz, found.range.runs, 14));
	pe_steps_free(steps);
}

/* The first step and the far end are never read together. */
Test(steps, what_noisy_ones_leave_is_said)
{
	struct line line = {.noise = 0.01};
	struct pe_steps_result found;

	pe_random_seed(&line.random, 3);
	for (size_t i = 0; i < COMMITS; i++)
		line.level[i] = (i >= 20 ? 0.1 : 0) + (i >= 60 ? 0.4 : 0);
	found = climb(&line, PE_STEPS_FIRST, 0.03);
	cr_assert(eq(sz, found.n, 1));
	cr_expect(eq(sz, found.steps[0].result.group.first, 20));
	cr_assert(eq(sz, found.n_rests, 1));
	cr_expect(eq(sz, found.rests[0].first, 20));
	cr_expect(not(found.rests[0].searched));
	cr_expect(epsilon_eq(dbl, log1p(found.rests[0].result.relative), 0.4, 0.03));
}

Test(steps, a_small_one_beside_a_large_one_is_found)
{
	size_t right = 0;

	for (size_t trial = 0; trial < 2; trial++) {
		struct line line = {.at = {30, 70}, .n = 2, .noise = 0.01};
		struct pe_steps_result found;

		pe_random_seed(&line.random, trial);
		for (size_t i = 0; i < COMMITS; i++)
			line.level[i] = (i >= 30 ? 0.05 : 0) + (i >= 70 ? 0.7 : 0);
		found = climb(&line, PE_STEPS_ALL, 0.03);
		right += names_all(&found, &line);
		if (found.n == 2)
			cr_expect(
				epsilon_eq(dbl, log1p(found.steps[1].result.relative), 0.7, 0.02));
	}
	cr_expect(eq(sz, right, 2));
}

/* What is read makes no sense at all. */
static double nonsense(struct pe_random *random, size_t kind, size_t k)
{
	switch (kind) {
	case 0:
		return pe_random_unit(random);
	case 1:
		return k % 2 != 0 ? 1 : 2;
	case 2:
		return NAN;
	case 3:
		return pe_random_below(random, 3) != 0 ? 1 : -1;
	case 4:
		return exp(5 * pe_random_normal(random));
	default:
		return 1 + (double)k / 50;
	}
}

Test(steps, it_ends_whatever_is_read)
{
	enum { FEW = 20, RUNS = 50 };

	for (size_t trial = 0; trial < 24; trial++) {
		const bool exact = trial % 2 != 0;
		struct pe_steps_opts opts = {PE_BISECT_DEFAULTS, (enum pe_steps_want)(trial % 3),
					     0.02};
		struct pe_random random = random_of(trial);
		struct pe_bisect_line *line = pe_bisect_line_new(FEW, &arena);
		struct pe_steps *steps;
		struct pe_steps_result found;
		enum pe_bisect_answer answer;
		size_t asked = 0, i;

		opts.bisect.exact = exact;
		opts.bisect.max_runs = RUNS;
		steps = pe_steps_new(line, &opts, &arena);
		for (size_t k = 1; k < FEW; k += 7)
			pe_bisect_line_same(line, k);
		while ((answer = pe_steps_next(steps, &i)) == PE_BISECT_GO_ON) {
			const struct pe_bisect_reading reading = {
				i, 1, nonsense(&random, trial / 4, asked), false};

			cr_assert(lt(sz, i, FEW));
			cr_assert(lt(sz, asked, RUNS + FEW));
			asked++;
			if (pe_random_below(&random, 10) == 0)
				line->skipped[i] = true;
			else
				pe_steps_feed(steps, &reading);
		}
		found = pe_steps_result(steps, 0, &arena);
		for (size_t g = 1; g < found.at.n_groups; g++)
			cr_expect(ge(dbl, found.at.groups[g - 1].probability,
				     found.at.groups[g].probability));
		pe_steps_free(steps);
	}
}

Test(steps, an_exact_line_takes_one_reading_of_each_revision_at_most)
{
	struct line line = {.noise = 0};
	struct pe_steps_result found;

	for (size_t i = 0; i < COMMITS; i++)
		line.level[i] = (double)i / 20;
	found = climb(&line, PE_STEPS_ALL, 0);
	cr_expect(eq(sz, found.n, COMMITS - 1));
	cr_expect(eq(sz, found.range.runs, COMMITS + 2));
}
