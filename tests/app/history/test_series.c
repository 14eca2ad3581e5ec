/*
 * Series with reused revisions: the detection sees one commit a state, a jump lies between the last revision of one
 * state and the first of the next, and a state that comes back is seen again.
 */
#include "app/history/series.h"

#include "core/base/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { REVISIONS = 10, ROUNDS = 10 };

static const size_t NONE = SIZE_MAX;

static struct pe_arena arena = PE_ARENA_INIT;
static struct pe_observation observations[REVISIONS * ROUNDS];
static size_t places[REVISIONS * ROUNDS];
static size_t reused[REVISIONS];
static size_t n;

static void release(void)
{
	pe_arena_release(&arena);
}

TestSuite(series, .fini = release, .timeout = 20.0);

/* level > 0: measured around it; 0: nothing; -k: reused from revision k - 1. */
static void fill(const double *levels)
{
	struct pe_random random;

	pe_random_seed(&random, 11);
	n = 0;
	for (size_t r = 0; r < REVISIONS; r++) {
		reused[r] = levels[r] < 0 ? (size_t)(-levels[r] - 1) : NONE;
		for (unsigned round = 0; levels[r] > 0 && round < ROUNDS; round++) {
			observations[n] = (struct pe_observation){
				.revision = (int64_t)r,
				.batch = 1,
				.round = round,
				.value = levels[r] * 1e6 * (1 + 0.002 * pe_random_unit(&random)),
			};
			places[n++] = r;
		}
	}
}

static struct pe_line judge(const double *levels)
{
	static size_t order[REVISIONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	const struct pe_chain chain = {order, REVISIONS, 0};
	struct pe_line line = {.metric = &pe_metrics[PE_WALL], .judged = true};
	struct pe_series_values values;

	fill(levels);
	pe_series_group(&values, observations, n, places, reused, REVISIONS, &arena);
	pe_series_points(&line, &values, &arena);
	line.jumps = pe_arena_new(&arena, struct pe_jump, REVISIONS);
	pe_series_detect(&line, &chain, &values, &arena);
	return line;
}

Test(series, reused_points_have_their_sources_values_and_level)
{
	const double levels[] = {100, 100, 100, -3, -3, 150, 150, 150, 150, 150};
	struct pe_line line = judge(levels);

	cr_assert_eq(line.n_points, REVISIONS);
	cr_expect(!line.points[2].reused);
	cr_expect(line.points[3].reused && line.points[4].reused);
	cr_expect_eq(line.points[4].source, 2);
	cr_expect_eq(line.points[4].median, line.points[2].median);
	cr_expect_eq(line.points[4].level, line.points[2].level);
}

Test(series, a_jump_cannot_lie_in_revisions_that_execute_the_same)
{
	const double levels[] = {100, 100, 100, -3, -3, 150, 150, 150, 150, 150};
	struct pe_line line = judge(levels);

	cr_assert_eq(line.n_jumps, 1);
	cr_expect_eq(line.jumps[0].before, 4);
	cr_expect_eq(line.jumps[0].after, 5);
	cr_expect(line.jumps[0].regression);
}

Test(series, a_state_that_comes_back_is_a_jump_back)
{
	const double levels[] = {100, 100, 100, 150, 150, 150, -3, -3, -3, -3};
	struct pe_line line = judge(levels);

	cr_assert_eq(line.n_jumps, 2);
	cr_expect_eq(line.jumps[1].before, 5);
	cr_expect_eq(line.jumps[1].after, 6);
	cr_expect(!line.jumps[1].regression);
}

Test(series, a_failed_revision_between_leaves_the_state_whole)
{
	const double levels[] = {100, 100, 0, -2, 0, 150, 150, 150, 150, 150};
	struct pe_line line = judge(levels);

	cr_assert_eq(line.n_jumps, 1);
	cr_expect_eq(line.jumps[0].before, 3);
	cr_expect_eq(line.n_points, REVISIONS - 2);
}

Test(series, copies_of_one_measurement_are_no_agreement)
{
	/* One measured revision and nine copies are one state: there is nothing to compare. */
	const double levels[] = {100, -1, -1, -1, -1, -1, -1, -1, -1, -1};
	struct pe_line line = judge(levels);

	cr_expect_eq(line.n_jumps, 0);
	cr_expect_eq(line.n_points, REVISIONS);
	cr_expect(!isnan(line.points[9].level));
}

/*
 * Five pairs of one program each that differ by 4 %: a step of 5 % among them is not believed, although the runs
 * of each revision agree within 0.2 %.
 */
Test(series, what_twins_differ_by_is_noise)
{
	const double levels[] = {100, 104, 100, 104, 100, 105, 109, 105, 109, 105};
	static size_t order[REVISIONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	const struct pe_chain chain = {order, REVISIONS, 0};
	struct pe_line plain = judge(levels);
	struct pe_line careful = {.metric = &pe_metrics[PE_WALL], .judged = true};
	struct pe_series_values values;

	fill(levels);
	for (size_t r = 1; r < REVISIONS; r++)
		reused[r] = r - 1;
	reused[5] = NONE;
	pe_series_group(&values, observations, n, places, reused, REVISIONS, &arena);
	pe_series_points(&careful, &values, &arena);
	careful.jumps = pe_arena_new(&arena, struct pe_jump, REVISIONS);
	pe_series_detect(&careful, &chain, &values, &arena);
	cr_expect_eq(careful.n_jumps, 0);
	cr_expect(plain.n_jumps > 0);
	cr_expect_eq(careful.n_points, REVISIONS);
	cr_expect(!careful.points[1].reused);
}

Test(series, a_source_without_values_is_no_source)
{
	const double levels[] = {0, -1, 100, 100, 100, 100, 100, 100, 100, 100};
	struct pe_line line = judge(levels);

	cr_expect_eq(line.n_points, REVISIONS - 2);
	cr_expect_eq(line.points[0].revision, 2);
}
