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

static void measure(size_t revision, double value)
{
	points[line.n_points++] = (struct pe_point){
		.revision = revision, .outcome = PE_MEASURED, .source = revision, .value = value};
}

static struct pe_interim said(void)
{
	pe_text_clear(&text);
	return pe_interim_add(&text, &evolution, COMMITS);
}

Test(interim, what_is_known_is_counted)
{
	begin();
	said();
	cr_assert_str_eq(pe_text_str(&text),
			 "so far 0 of 20 commits are known; no jump is seen yet");
	measure(0, 1e6);
	measure(19, 1e6);
	points[1].outcome = PE_CRASHED;
	cr_expect(eq(sz, said().known, 1));
}

Test(interim, the_leading_commit_is_named_and_news_is_another_one_or_another_range)
{
	struct pe_interim old, now;

	begin();
	for (size_t i = 0; i < COMMITS; i += 3)
		measure(i, i < 9 ? 1e6 : 1.2e6);
	old = said();
	jump = (struct pe_jump){.before = 6,
				.after = 9,
				.commits = 3,
				.event = SIZE_MAX,
				.relative = 0.2,
				.regression = true};
	line.jumps = &jump;
	line.n_jumps = 1;
	now = said();
	cr_assert_has(pe_text_str(&text), "so far 7 of 20 commits are known; ");
	cr_assert_has(pe_text_str(&text),
		      "parse wall time +20 % in 66666666..99999999 (3 commits)");
	cr_expect(pe_interim_differs(&old, &now));
	jump.relative = 0.21;
	old = now;
	now = said();
	cr_expect(not(pe_interim_differs(&old, &now)));
	jump.commits = 2;
	now = said();
	cr_expect(pe_interim_differs(&old, &now));
}
