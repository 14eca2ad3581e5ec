/*
 * Series with reused revisions: the detection sees one commit a state, a jump lies between the last revision of one
 * state and the first of the next, and a state that comes back is seen again.
 */
#include "app/history/series.h"

#include "core/base/text.h"
#include "tests/support/random.h"
#include "tests/support/test.h"

/* Read, search and apply one chain. */
static void detect(struct pe_line *line, struct pe_series_found found,
		   const struct pe_series_values *values, struct pe_arena *scratch)
{
	found.metric = line->metric;
	pe_series_read(&found, values, scratch);
	pe_series_search(&found, values, scratch);
	pe_series_apply(line, &found);
}

enum { REVISIONS = 10, ROUNDS = 10 };

static const size_t NONE = SIZE_MAX;

static struct pe_arena arena = PE_ARENA_INIT;
static struct pe_observation observations[REVISIONS * ROUNDS];
static size_t places[REVISIONS * ROUNDS];
static size_t reused[REVISIONS];
static size_t n;

TestSuiteWith(series, (void)0, pe_arena_release(&arena), .timeout = 600);

/* level > 0: measured around it; 0: nothing; -k: reused from revision k - 1. */
static void fill(const double *levels)
{
	struct pe_random random = random_of(11);

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
	const struct pe_series_found chain = {.chain = order, .n_chain = REVISIONS};
	struct pe_line line = {.metric = &pe_metrics[PE_WALL], .judged = true};
	struct pe_series_values values;

	fill(levels);
	pe_series_group(&values, observations, n, places, reused, REVISIONS, &arena);
	pe_series_points(&line, &values, &arena);
	line.jumps = pe_arena_new(&arena, struct pe_jump, REVISIONS);
	detect(&line, chain, &values, &arena);
	return line;
}

Test(series, jumps_lie_between_states)
{
	static const struct {
		const char *what;
		double levels[REVISIONS];
		size_t points;
		const char *jumps; /* before>after, + for a regression */
	} cases[] = {
		{"no jump in revisions that execute the same",
		 {100, 100, 100, -3, -3, 150, 150, 150, 150, 150},
		 10,
		 "4>5+"},
		{"a state that comes back is a jump back",
		 {100, 100, 100, 150, 150, 150, -3, -3, -3, -3},
		 10,
		 "2>3+ 5>6-"},
		{"a failed revision between leaves the state whole",
		 {100, 100, 0, -2, 0, 150, 150, 150, 150, 150},
		 8,
		 "3>5+"},
		/* One measured revision and nine copies are one state: there is nothing to compare. */
		{"copies of one measurement are no agreement",
		 {100, -1, -1, -1, -1, -1, -1, -1, -1, -1},
		 10,
		 ""},
		{"a source without values is no source",
		 {0, -1, 100, 100, 100, 100, 100, 100, 100, 100},
		 8,
		 ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct pe_line line = judge(cases[i].levels);
		pe_auto_text jumps = PE_TEXT_INIT;

		for (size_t k = 0; k < line.n_jumps; k++)
			pe_text_addf(&jumps, "%s%zu>%zu%c", k > 0 ? " " : "", line.jumps[k].before,
				     line.jumps[k].after, line.jumps[k].regression ? '+' : '-');
		cr_expect_str_eq(pe_text_str(&jumps), cases[i].jumps, "%s", cases[i].what);
		cr_expect(eq(sz, line.n_points, cases[i].points), "%s", cases[i].what);
		cr_expect(!isnan(line.points[line.n_points - 1].level), "%s", cases[i].what);
	}
}

Test(series, reused_points_have_their_sources_values_and_level)
{
	const double levels[] = {100, 100, 100, -3, -3, 150, 150, 150, 150, 150};
	struct pe_line line = judge(levels);

	cr_expect_text("0 1 1 2", line.points[2].reused, line.points[3].reused,
		       line.points[4].reused, line.points[4].source);
	cr_expect_eq(line.points[4].median, line.points[2].median);
	cr_expect_eq(line.points[4].level, line.points[2].level);
}

/*
 * Five pairs of one program each that differ by 4 %: a step of 5 % among them is not believed, although the runs
 * of each revision agree within 0.2 %.
 */
Test(series, what_twins_differ_by_is_noise)
{
	const double levels[] = {100, 104, 100, 104, 100, 105, 109, 105, 109, 105};
	static size_t order[REVISIONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	const struct pe_series_found chain = {.chain = order, .n_chain = REVISIONS};
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
	detect(&careful, chain, &values, &arena);
	cr_expect_eq(careful.n_jumps, 0);
	cr_expect(plain.n_jumps > 0);
	cr_expect_eq(careful.n_points, REVISIONS);
	cr_expect(!careful.points[1].reused);
}

/*
 * Ten commits of a quiet session; the last three again in one that is two and a half times as slow, and the newest of
 * all in that one alone. What is shown is what was judged: no commit differs from another, in its value or its spread.
 */
Test(series, points_are_what_was_judged)
{
	static size_t order[REVISIONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	static struct pe_observation both[2 * REVISIONS * ROUNDS];
	static size_t place[2 * REVISIONS * ROUNDS];
	const double levels[] = {100, 100, 100, 100, 100, 100, 100, 100, 100, 100};
	const struct pe_series_found chain = {.chain = order, .n_chain = REVISIONS};
	struct pe_line line = {.metric = &pe_metrics[PE_WALL], .judged = true};
	struct pe_series_values values;
	size_t many = 0;

	fill(levels);
	for (size_t i = 0; i < n; i++) {
		const size_t r = places[i];

		if (r + 1 < REVISIONS) {
			place[many] = r;
			both[many++] = observations[i];
		}
		if (r + 4 < REVISIONS)
			continue;
		place[many] = r;
		both[many] = observations[i];
		both[many].batch = 2;
		both[many++].value *= 2.5;
	}
	pe_series_group(&values, both, many, place, reused, REVISIONS, &arena);
	pe_series_points(&line, &values, &arena);
	cr_expect_gt(line.points[9].value, 2.4 * line.points[0].value, "as measured");
	line.jumps = pe_arena_new(&arena, struct pe_jump, REVISIONS);
	detect(&line, chain, &values, &arena);
	cr_expect_eq(line.n_jumps, 0);
	for (size_t r = 0; r < REVISIONS; r++) {
		const struct pe_point *point = &line.points[r];

		cr_expect_float_eq(point->value / point->level, 1, 0.002, "%zu", r);
		cr_expect_float_eq(point->max / point->min, 1, 0.01, "%zu", r);
		cr_expect(point->min <= point->q25 && point->q25 <= point->median &&
			  point->median <= point->q75 && point->q75 <= point->max);
		cr_expect_lt(point->mad, 0.01 * point->value);
	}
}

/* A branch whose commits ran in the slow session alone, with the commit that it leaves: it goes on where that stands. */
Test(series, a_branch_goes_on_where_it_leaves)
{
	static size_t order[] = {0, 1, 2, 3, 4}, beside[] = {4, 5, 6, 7, 8, 9};
	const double levels[] = {100, 100, 100, 100, 100, 100, 100, 100, 100, 100};
	const struct pe_series_found chains[] = {{.chain = order, .n_chain = 5},
						 {.chain = beside, .n_chain = 6, .base = 1}};
	struct pe_line line = {.metric = &pe_metrics[PE_WALL], .judged = true};
	struct pe_series_values values;

	fill(levels);
	for (size_t i = 0; i < n; i++)
		if (places[i] > 4 || (places[i] == 4 && observations[i].round % 2 == 1)) {
			observations[i].batch = 2;
			observations[i].value *= 2.5;
		}
	pe_series_group(&values, observations, n, places, reused, REVISIONS, &arena);
	pe_series_points(&line, &values, &arena);
	line.jumps = pe_arena_new(&arena, struct pe_jump, 2 * REVISIONS);
	for (size_t i = 0; i < 2; i++)
		detect(&line, chains[i], &values, &arena);
	cr_expect_eq(line.n_jumps, 0);
	for (size_t r = 1; r < REVISIONS; r++)
		cr_expect_float_eq(line.points[r].value / line.points[0].value, 1, 0.005, "%zu", r);
}
