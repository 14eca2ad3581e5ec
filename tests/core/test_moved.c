/* What is said of the machine, from series made with a known one. Sizes and directions, never times. */
#include "core/stats/moved.h"

#include "core/base/random.h"
#include "tests/support/test.h"

#include <math.h>

enum { MOST = 4096, COMMITS = 40 };

static double values[MOST];
static size_t n_values;
static struct pe_moved_cell cells[COMMITS];
static size_t n_cells;
static struct pe_random dice;

static void begin(void)
{
	n_values = n_cells = 0;
	pe_random_seed(&dice, 20261121);
}

TestSuite(moved, .init = begin, .timeout = 600);

static const double *runs_at(size_t n, double level, double noise)
{
	const double *out = values + n_values;

	for (size_t i = 0; i < n; i++)
		values[n_values++] = level * exp(noise * pe_random_normal(&dice));
	return out;
}

/* A commit of a benchmark: so many runs before and now, about a level and a multiple of it, with a deviation. */
static void commit(size_t benchmark, size_t runs, double level, double factor, double noise)
{
	const double *before = runs_at(runs, level, noise);
	const double *now = runs_at(runs, level * factor, noise);

	cells[n_cells++] = (struct pe_moved_cell){benchmark, before, now, runs, runs};
}

/* Four anchors, slower by a factor now. Each commit has a level of its own. */
static void anchors(size_t benchmark, double factor, double noise)
{
	for (size_t c = 0; c < 4; c++)
		commit(benchmark, 10, 1e6 * (double)(c + 1), factor, noise);
}

static struct pe_moved find(void)
{
	return pe_moved_find(cells, n_cells);
}

Test(moved, is_what_the_sides_differ_by_and_not_told_where_it_may_be_none)
{
	static const struct {
		const char *what;
		double factor[3]; /* of up to three benchmarks */
		double noise[3];
		bool moved;
		double relative, within; /* 0: not looked at */
	} cases[] = {
		{"slower", {1.034}, {0.01}, true, 0.034, 0.01},
		{"exact without noise, by hand", {1.25}, {0}, true, 0.25, 1e-12},
		{"faster", {0.9}, {0.01}, true, -0.1, 0.01},
		{"one that stayed", {1}, {0.02}, false, 0, 0},
		{"less than a percent", {1.008}, {0.0005}, false, 0.008, 0.001},
		{"one benchmark of two", {1.1, 1}, {0.01, 0.01}, false, 0, 0},
		{"one benchmark of three", {1.1, 1, 1}, {0.01, 0.01, 0.01}, false, 0, 0},
		{"three that say so", {1.03, 1.05, 1.04}, {0.01, 0.01, 0.01}, true, 0.04, 0.01},
		/* Two that agree are twice as many as one that does not. */
		{"a noisy one beside two", {1.04, 1.04, 1.04}, {0.005, 0.005, 0.3}, true, 0, 0},
	};
	struct pe_moved found = pe_moved_find(NULL, 0);

	cr_expect(!found.moved && isnan(found.relative));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		begin();
		for (size_t b = 0; b < 3 && cases[i].factor[b] > 0; b++)
			anchors(b, cases[i].factor[b], cases[i].noise[b]);
		found = find();
		cr_expect(found.moved == cases[i].moved, "%s", cases[i].what);
		if (cases[i].within <= 0)
			continue;
		cr_expect(epsilon_eq(dbl, found.relative, cases[i].relative, cases[i].within), "%s",
			  cases[i].what);
		cr_expect(found.low * found.high > 0, "%s: [%g, %g]", cases[i].what, found.low,
			  found.high);
		cr_expect(found.low <= found.relative && found.relative <= found.high, "%s",
			  cases[i].what);
		cr_expect(cases[i].noise[0] > 0 || found.high - found.low < 1e-12, "%s",
			  cases[i].what);
	}
}

Test(moved, one_commit_alone_is_no_witness)
{
	commit(0, 20, 1e6, 1.2, 0.01);
	cr_expect(not(find().moved));
	commit(0, 20, 1e6, 1.2, 0.01);
	cr_expect(find().moved);
}

/* One build of four is another than it was (a library that it alone uses): the others say that the machine stayed. */
Test(moved, commits_that_disagree_are_no_witnesses)
{
	for (size_t c = 0; c < 4; c++)
		commit(0, 10, 1e6, c < 2 ? 1.1 : 1, 0.005);
	cr_expect(not(find().moved));
}

/* One run a commit says nothing of noise: only many that agree do. */
Test(moved, single_runs_need_many_commits)
{
	for (size_t c = 0; c < 2; c++)
		commit(0, 1, 1e6, 1.1, 0.001);
	cr_expect(not(find().moved));
	for (size_t c = 2; c < 20; c++)
		commit(0, 1, 1e6, 1.1, 0.001);
	cr_expect(find().moved);
}

Test(moved, the_unit_does_not_matter)
{
	struct pe_moved found, again;

	anchors(0, 1.05, 0.01);
	found = find();
	for (size_t i = 0; i < n_values; i++)
		values[i] /= 1e9;
	again = find();
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

		n_values = n_cells = 0;
		anchors(0, 1, 0);
		for (size_t i = 0; i < n_values; i++)
			values[i] = 1e6 * noise_of(two_modes) * (i / 10 % 2 == 1 ? factor : 1);
		found = find();
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
