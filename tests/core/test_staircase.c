/* Levels of single builds, where reused-over commits have left no others: each has to be told by its own runs. */
#include "core/stats/changepoint.h"
#include "core/stats/confirm.h"
#include "tests/core/history.h"
#include "tests/support/test.h"

static struct pe_arena arena = PE_ARENA_INIT;
static struct pe_changepoints steps; /* of the running test */
static struct history h;

static void release_all(void)
{
	pe_arena_release(&arena);
	pe_vec_release(&h.readings);
}

TestSuite(staircase, .fini = release_all, .timeout = 600);

static struct pe_changepoints find(void)
{
	struct pe_changepoint_opts opts = PE_CHANGEPOINT_DEFAULTS;
	struct pe_readings r = history_readings(&h);

	opts.alpha = PE_CHANGEPOINT_SUSPECT_ALPHA;
	return pe_changepoints_find(&r, &opts, &arena);
}

/* Levels relative to the first, by build; 0 ends them. */
static void make(const double *levels, uint64_t seed)
{
	size_t n = 0;

	while (levels[n] > 0)
		n++;
	history_init(&h, n, 22.3e6, 0.01, seed);
	for (size_t i = 0; i < n; i++)
		h.level[i] *= levels[i];
}

/* That share of all readings, drawn anew, half as slow again in the mean. */
static void disturb(double share)
{
	for (size_t i = 0; i < h.readings.n; i++)
		if (pe_random_unit(&h.random) < share)
			h.readings.data[i].value *= 1 + pe_random_unit(&h.random);
}

static bool is_where_levels_change(const struct pe_changepoints *found)
{
	size_t n = 0;

	for (size_t i = 1; i < h.n_commits; i++) {
		if (h.level[i] == h.level[i - 1])
			continue;
		if (n == found->n || found->at[n].index != i ||
		    (found->at[n].level_after > found->at[n].level_before) !=
			    (h.level[i] > h.level[i - 1]))
			return false;
		n++;
	}
	return n == found->n;
}

struct stairs {
	char name[48]; /* not a pointer: it would be another process's */
	double levels[16];
	unsigned runs;
	double outliers; /* besides the one in twenty that every history has */
	size_t least;    /* of 40 histories in which all is found and nothing else */
};

static struct stairs every_step_is_found_cases[] = {
	{"up twice", {1, 1.448, 1.803}, 8, 0, 40},
	{"few runs", {1, 1.448, 1.803}, 5, 0, 39},
	{"outliers", {1, 1.448, 1.803}, 8, .05, 38},
	{"more runs do not make it worse", {1, 1.448, 1.803}, 25, .05, 40},
	{"down twice", {1, .7, .5}, 8, .05, 38},
	{"two builds", {1, 1.2}, 8, 0, 40},
	{"two builds of five runs", {1, 1.4}, 5, 0, 38},
	{"five runs and outliers", {1, 1.2, 1.45, 1.2, 1.5}, 5, .08, 38},
	{"two builds of five runs and outliers", {1, 1.15}, 5, .1, 37},
	{"up and down and up", {1, 1.3, .9, 1.2, 1.5}, 8, 0, 40},
	{"eight single builds", {1, 1.1, 1.3, 1.5, 1.3, 1.1, 1.4, 1.6}, 10, 0, 38},
	{"one between many", {1, 1, 1, 1, 1.1, 1.25, 1.25, 1.25, 1.25}, 8, 0, 38},
	{"two between many", {1, 1, 1, 1, 1.1, 1.1, 1.25, 1.25, 1.25, 1.25}, 8, 0, 38},
	{"the first and the last", {1, 1.15, 1.15, 1.15, 1.15, 1.15, 1.3}, 8, 0, 38},
	{"a spike of one", {1, 1, 1, 1.3, 1, 1, 1}, 5, 0, 38},
	{"five times as slow of six runs", {1, 1, 5.2, 5.2}, 6, 0, 39},
	{"nothing", {1, 1, 1}, 8, .05, 40},
	{"nothing in eight", {1, 1, 1, 1, 1, 1, 1, 1}, 5, .05, 39},
};

TestOver(struct stairs *c, every_step_is_found_cases, staircase, every_step_is_found)
{
	size_t right = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		make(c->levels, seed);
		history_rounds(&h, c->runs, 0.01);
		disturb(c->outliers);
		steps = find();
		right += is_where_levels_change(&steps);
		release_all();
	}
	cr_expect(ge(sz, right, c->least), "%s: %zu of 40", c->name, right);
}

Test(staircase, unequal_numbers_of_runs)
{
	size_t right = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		const size_t runs[] = {25, 6, 12, 7};
		size_t kept = 0;

		make((const double[]){1, 1.3, 1.5, 1.2, 0}, seed);
		history_rounds(&h, 25, 0.01);
		for (size_t i = 0; i < h.readings.n; i++)
			if (h.readings.data[i].round < runs[h.readings.data[i].commit])
				h.readings.data[kept++] = h.readings.data[i];
		h.readings.n = kept;
		steps = find();
		right += is_where_levels_change(&steps);
		release_all();
	}
	cr_expect(ge(sz, right, 38), "%zu of 40", right);
}

/* A new build each night, with its predecessor and the two oldest as anchors, on a machine of another speed. */
Test(staircase, batches_tied_by_anchors)
{
	size_t right = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		make((const double[]){1, 1.2, 1.4, 1.1, 1.3, 0}, seed);
		history_batch(&h, (const size_t[]){0, 1}, 2, 0, 8, 0, 0.01);
		for (size_t i = 2; i < h.n_commits; i++) {
			const size_t together[] = {0, 1, i, i - 1};

			history_batch(&h, together, i == 2 ? 3 : 4, (int64_t)i, 8,
				      0.05 * pe_random_normal(&h.random), 0.01);
		}
		steps = find();
		right += is_where_levels_change(&steps);
		release_all();
	}
	cr_expect(ge(sz, right, 38), "%zu of 40", right);
}

/* Builds of equal code that differ by so much, each by chance: one of three gaps looks like a step, and none is. */
static size_t suspects_among_layouts(double layout, size_t builds, size_t runs)
{
	size_t suspects = 0;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		history_init(&h, builds, 22.3e6, 0.016, seed);
		for (size_t i = 0; i < builds; i++)
			h.level[i] *= exp(layout * pe_random_normal(&h.random));
		history_rounds(&h, (unsigned)runs, 0.01);
		suspects += find().n;
		release_all();
	}
	return suspects;
}

Test(staircase, layouts_are_no_steps)
{
	static const struct {
		size_t builds, runs, most;
	} cases[] = {{4, 5, 12}, {4, 10, 16}, {8, 10, 25}, {20, 10, 70}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t suspects = suspects_among_layouts(.02, cases[i].builds, cases[i].runs);

		cr_expect(le(sz, suspects, cases[i].most), "%zu builds of %zu runs: %zu",
			  cases[i].builds, cases[i].runs, suspects);
	}
}

/* What "no change" is worth is no more than what would be seen, also where others are many times larger. */
Test(staircase, smallest_change_is_of_the_size_of_noise)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		make((const double[]){1, 1, 5.2, 5.2, 0}, seed);
		history_rounds(&h, 6, 0.01);
		steps = find();
		cr_expect(lt(dbl, steps.commits[1].least, 0.3), "seed %d: %g", (int)seed,
			  steps.commits[1].least);
		cr_expect(lt(dbl, steps.commits[3].least, 0.3), "seed %d: %g", (int)seed,
			  steps.commits[3].least);
		release_all();
	}
}

/* Two runs of either build say next to nothing: not that a change of so many thousand percent would have been detected. */
Test(staircase, too_few_runs_are_worth_no_value)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		make((const double[]){1, 1.4, 0}, seed);
		history_rounds(&h, 2, 0.01);
		disturb(0.3);
		steps = find();
		cr_expect(steps.n > 0 || isinf(steps.commits[1].least) ||
				  steps.commits[1].least <= 1,
			  "seed %d: %g", (int)seed, steps.commits[1].least);
		release_all();
	}
}

/* Builds beyond the next step vouch for neither side. */
Test(staircase, confirming_a_step_takes_no_build_beyond_the_next)
{
	make((const double[]){1, 1, 1, 1, 1.2, 1.4, 1.4, 1.4, 1.4, 0}, 1);
	history_rounds(&h, 10, 0.01);
	steps = find();
	cr_assert(eq(sz, steps.n, 2));
	for (size_t i = 0; i < 2; i++) {
		struct pe_confirm_sides sides = pe_confirm_sides(&steps, i);

		cr_expect(eq(sz, sides.n_left, i == 0 ? 3 : 1));
		cr_expect(eq(sz, sides.n_right, i == 0 ? 1 : 3));
		cr_expect(eq(sz, i == 0 ? sides.right[0] : sides.left[0], 4));
	}
}
