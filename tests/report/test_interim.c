/* What is said of a history while it is measured. */
#include "report/interim.h"

#include "tests/support/test.h"

static struct pe_text text;

TestSuiteWith(interim, (void)0, pe_text_release(&text), .timeout = 600);

enum { COMMITS = 20 };

static struct pe_revision revisions[COMMITS];
static struct pe_point points[COMMITS];
static struct pe_jump jump;
static struct pe_line line;
static struct pe_evolution evolution;

static void begin(void)
{
	for (size_t i = 0; i < COMMITS; i++) {
		memset(revisions[i].id, "0123456789abcdefghij"[i], 40);
		revisions[i].subject = "subject";
	}
	line = (struct pe_line){.benchmark = "parse",
				.metric = &pe_metrics[PE_WALL],
				.points = points,
				.judged = true};
	evolution = (struct pe_evolution){
		.revisions = revisions, .n_revisions = COMMITS, .lines = &line, .n_lines = 1};
}

/* Runs of a revision: n of them, `spread` from the least to the most. */
static void measure(size_t revision, size_t n, double median, double spread)
{
	points[line.n_points++] = (struct pe_point){.revision = revision,
						    .outcome = PE_MEASURED,
						    .source = revision,
						    .n = n,
						    .median = median,
						    .min = median - spread / 2,
						    .max = median + spread / 2,
						    .mad = spread / 5};
}

static const char *said(const struct pe_interim *interim)
{
	pe_text_clear(&text);
	pe_interim_add(&text, &evolution, interim);
	return pe_text_str(&text);
}

Test(interim, nothing_is_known_of_nothing)
{
	struct pe_interim now;

	begin();
	now = pe_interim_of(&evolution);
	cr_expect(now.line == NULL);
	cr_assert_str_eq(said(&now), "so far 0 of 20 commits are known, too few to compare\n");
	/* One end, or one that failed, are no two. */
	measure(0, 3, 1e6, 1e3);
	measure(19, 3, 1e6, 1e3);
	points[1].outcome = PE_CRASHED;
	now = pe_interim_of(&evolution);
	cr_expect(eq(sz, now.known, 1));
	cr_expect(now.line == NULL);
}

Test(interim, both_ends_are_compared_with_an_interval)
{
	struct pe_interim now;

	begin();
	measure(0, 3, 1e6, 2e4);
	measure(19, 3, 1.1e6, 2e4);
	now = pe_interim_of(&evolution);
	cr_expect(epsilon_eq(dbl, now.relative, 0.1, 1e-9));
	cr_expect(now.low > 0.05 && now.low < 0.09 && now.high > 0.11 && now.high < 0.15);
	cr_assert_has(said(&now), "parse, wall time: 1.00 ms at 00000000");
	cr_assert_has(said(&now), "the ends differ by +10 %");
	/* One run on either side says nothing of noise. */
	points[0].n = points[1].n = 1;
	now = pe_interim_of(&evolution);
	cr_expect(isnan(now.low) && isnan(now.high));
	/* Runs that took no time have no ratio. */
	points[0].median = 0;
	now = pe_interim_of(&evolution);
	cr_expect(isnan(now.relative));
	said(&now);
}

Test(interim, a_jump_says_which_commits_are_excluded)
{
	struct pe_interim now;

	begin();
	for (size_t i = 0; i < COMMITS; i += 3)
		measure(i, 6, i < 9 ? 1e6 : 1.2e6, 1e4);
	jump = (struct pe_jump){.before = 6,
				.after = 9,
				.commits = 3,
				.relative = 0.2,
				.low = 0.18,
				.high = 0.22,
				.regression = true};
	line.jumps = &jump;
	line.n_jumps = 1;
	now = pe_interim_of(&evolution);
	cr_expect(eq(sz, now.excluded, 17));
	cr_assert_has(said(&now), "in 66666666..99999999");
	cr_assert_has(said(&now), "17 of 20 commits are not its cause");
}

Test(interim, news_is_another_place_or_a_size_outside_of_the_interval)
{
	struct pe_interim old, now;

	begin();
	measure(0, 3, 1e6, 2e4);
	measure(19, 3, 1.1e6, 2e4);
	old = now = pe_interim_of(&evolution);
	now.known = 12;
	cr_expect(not(pe_interim_differs(&old, &now)));
	now.relative = old.relative + 0.005;
	cr_expect(not(pe_interim_differs(&old, &now)));
	now.relative = old.relative + 0.2;
	cr_expect(pe_interim_differs(&old, &now));
	now = old;
	now.jump = &jump;
	cr_expect(pe_interim_differs(&old, &now));
	old.jump = &jump;
	now.excluded = 5;
	cr_expect(pe_interim_differs(&old, &now));
}
