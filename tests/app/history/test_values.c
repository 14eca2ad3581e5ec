/* Values: what is left of a history when only its newest part is asked for. */
#include "app/history/values.h"

#include "core/base/text.h"
#include "tests/support/test.h"

TestSuite(values, .timeout = 600);

static struct pe_revision revisions[5];
static struct pe_point points[4];
static struct pe_jump jumps[3];
static struct pe_failure failures[2];
static struct pe_line line;
static struct pe_evolution evolution;

/* Revisions 0 to 4; measured are 0, 1, 3 and 4; jumps at 1, 3 and 4; failures at 2 and 3. */
static void fill(void)
{
	points[0].revision = 0;
	points[1].revision = 1;
	points[2].revision = 3;
	points[3].revision = 4;
	jumps[0] = (struct pe_jump){.before = 0, .after = 1};
	jumps[1] = (struct pe_jump){.before = 1, .after = 3};
	jumps[2] = (struct pe_jump){.before = 3, .after = 4};
	failures[0].revision = 2;
	failures[1].revision = 3;
	for (int i = 0; i < 5; i++)
		revisions[i].time_s = i;
	line = (struct pe_line){.points = points, .n_points = 4, .jumps = jumps, .n_jumps = 3};
	evolution = (struct pe_evolution){.revisions = revisions,
					  .n_revisions = 5,
					  .lines = &line,
					  .n_lines = 1,
					  .failures = failures,
					  .n_failures = 2};
}

/* What is left: times of revisions from the first that was asked for, points, jumps and failures by revision. */
static void expect_left(const char *expected)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "%zu revisions from %zu at %d; points", evolution.n_revisions,
		     evolution.first, (int)evolution.revisions[evolution.first].time_s);
	for (size_t i = 0; i < line.n_points; i++)
		pe_text_addf(&text, " %zu", line.points[i].revision);
	pe_text_add(&text, "; jumps");
	for (size_t i = 0; i < line.n_jumps; i++)
		pe_text_addf(&text, " %zu>%zu", line.jumps[i].before, line.jumps[i].after);
	pe_text_add(&text, "; failures");
	for (size_t i = 0; i < evolution.n_failures; i++)
		pe_text_addf(&text, " %zu", evolution.failures[i].revision);
	cr_expect_str_eq(pe_text_str(&text), expected);
}

Test(values, keep_the_newest_and_count_from_them, .init = fill)
{
	line.n_jumps = 0;
	pe_values_keep_newest(&evolution, 2);
	expect_left("2 revisions from 0 at 3; points 0 1; jumps; failures 0");
}

/* What the first of them changed is seen against the revision before it, which stays; a jump before them does not. */
Test(values, keep_the_jump_at_the_first_of_them, .init = fill)
{
	pe_values_keep_newest(&evolution, 2);
	expect_left("4 revisions from 2 at 3; points 0 2 3; jumps 0>2 2>3; failures 2");
	fill();
	pe_values_keep_newest(&evolution, 3);
	expect_left("4 revisions from 1 at 2; points 0 2 3; jumps 0>2 2>3; failures 1 2");
}

/* A revision whose results were reused may be older than what is left; it is named all the same. */
Test(values, keep_the_name_of_what_a_point_is_reused_from, .init = fill)
{
	strcpy(revisions[1].id, "one");
	points[2].reused = points[3].reused = true;
	points[2].source = 1;
	points[3].source = 3;
	line.n_jumps = 0;
	pe_values_keep_newest(&evolution, 2);
	cr_expect_text("one 0 - 0", line.points[0].outside, line.points[0].source,
		       line.points[1].outside, line.points[1].source);
}

Test(values, leave_all_when_there_are_no_more, .init = fill)
{
	for (size_t n = 0; n <= 5; n += 5) {
		pe_values_keep_newest(&evolution, n);
		expect_left(
			"5 revisions from 0 at 0; points 0 1 3 4; jumps 0>1 1>3 3>4; failures 2 3");
	}
}
