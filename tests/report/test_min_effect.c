/* What answers are worth, in words. */
#include "report/min_effect.h"

#include "tests/support/test.h"

static struct pe_text text;

TestSuiteWith(worth, (void)0, pe_text_release(&text), .timeout = 600);

static struct pe_point points_of[20];

static struct pe_line line_of(const double *least, size_t n)
{
	for (size_t i = 0; i < n; i++)
		points_of[i] = (struct pe_point){
			.revision = i, .outcome = PE_MEASURED, .source = i, .least = least[i]};
	return (struct pe_line){.benchmark = "parse",
				.metric = &pe_metrics[PE_WALL],
				.points = points_of,
				.n_points = n};
}

Test(worth, the_oldest_revision_has_nothing_to_differ_from)
{
	const double least[] = {INFINITY, 0.02, 0.03, 0.01};
	struct pe_line line = line_of(least, 4);

	cr_expect(eq(dbl, pe_line_least(&line, 0), 0.03));
}

Test(worth, one_revision_in_ten_may_be_worse)
{
	const double least[] = {NAN, .01, .01, .01, .01, .01, .01, .01, .01, .02, INFINITY};
	struct pe_line line = line_of(least, 11);

	cr_expect(eq(dbl, pe_line_least(&line, 0), 0.02));
}

Test(worth, only_revisions_that_were_asked_for_count)
{
	const double least[] = {NAN, 0.5, 0.02, 0.03};
	struct pe_line line = line_of(least, 4);

	cr_expect(eq(dbl, pe_line_least(&line, 2), 0.03));
	points_of[3].reused = true;
	points_of[3].source = 2;
	cr_expect(eq(dbl, pe_line_least(&line, 2), 0.02));
	cr_expect(isnan(pe_line_least(&line, 9)));
}

static void expect_unchanged(double a, double b, double c, size_t n, const char *words)
{
	double least[] = {a, b, c};

	pe_text_clear(&text);
	pe_min_effect_add_unchanged(&text, &text, least, n);
	cr_expect_str_eq(pe_text_str(&text), words);
}

Test(worth, no_change_says_what_would_have_been_seen)
{
	expect_unchanged(.0121, .02, .0301, 3,
			 " unchanged; a change of 3.1 % would have been detected in all of them");
	expect_unchanged(.0121, .02, 0, 2,
			 " unchanged; a change of 2 % would have been detected in both");
	expect_unchanged(.3, 0, 0, 1,
			 " without a visible change; a change below 30 % may go unseen");
	expect_unchanged(.996, 0, 0, 1,
			 " without a visible change; a change below 100 % may go unseen");
	expect_unchanged(.02, INFINITY, NAN, 3,
			 " unchanged; a change of 2 % would have been detected in 1 of them");
	expect_unchanged(.02, 5.3, NAN, 2,
			 " unchanged; a change of 2 % would have been detected in 1 of them");
	expect_unchanged(
		5.3, NAN, NAN, 1,
		" without a visible change; runs are too few, or too noisy, to show a doubling");
	expect_unchanged(
		INFINITY, NAN, NAN, 3,
		" without a visible change; runs are too few, or too noisy, to show a doubling");
	expect_unchanged(NAN, NAN, NAN, 3, " unchanged");
	/* Any change of an exact metric is seen: that goes without saying. */
	expect_unchanged(0, 0, 0, 3, " unchanged");
}

Test(worth, what_was_asked_is_told)
{
	struct pe_revision revisions[] = {{.id = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
					  {.id = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}};
	struct pe_jump undecided = {.after = 1, .undecided = true, .pairs = 135, .more = 40};
	struct pe_jump refuted = {.after = 1, .pairs = 12, .relative = 0.052, .least = 0.0305};
	struct pe_line line = {.benchmark = "parse",
			       .metric = &pe_metrics[PE_WALL],
			       .jumps = &undecided,
			       .n_jumps = 1,
			       .refuted = &refuted,
			       .n_refuted = 1};
	struct pe_evolution evolution = {
		.revisions = revisions, .n_revisions = 2, .lines = &line, .n_lines = 1};

	pe_min_effect_add_answers(&text, &evolution);
	cr_expect_str_eq(pe_text_str(&text),
			 "parse, wall time at bbbbbbbb: undecided after 135 pairs of fresh runs; "
			 "about 40 more would decide\n"
			 "parse, wall time at bbbbbbbb: looked like +5.2 %, and 12 pairs of fresh "
			 "runs found nothing (they would have detected 3.1 %)\n");
	/* An accepted jump needs no decision. */
	undecided.state = PE_JUMP_ACCEPTED;
	line.n_refuted = 0;
	pe_text_clear(&text);
	pe_min_effect_add_answers(&text, &evolution);
	cr_expect_str_eq(pe_text_str(&text), "");
}
