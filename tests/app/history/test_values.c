/* Values: what is left of a history when only its newest part is asked for. */
#include "app/history/values.h"

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

Test(values, keep_the_newest_and_count_from_them, .init = fill)
{
	line.n_jumps = 0;
	pe_values_keep_newest(&evolution, 2);
	cr_assert(eq(sz, evolution.n_revisions, 2));
	cr_assert(eq(sz, evolution.first, 0));
	cr_assert(eq(i64, evolution.revisions[0].time_s, 3));
	cr_assert(eq(sz, line.n_points, 2));
	cr_assert(eq(sz, line.points[0].revision, 0));
	cr_assert(eq(sz, line.points[1].revision, 1));
	cr_assert(eq(sz, evolution.n_failures, 1));
	cr_assert(eq(sz, evolution.failures[0].revision, 0));
}

/* What the first of them changed is seen against the revision before it, which stays. */
Test(values, keep_the_jump_at_the_first_of_them, .init = fill)
{
	pe_values_keep_newest(&evolution, 2);
	cr_assert(eq(sz, evolution.n_revisions, 4));
	cr_assert(eq(sz, evolution.first, 2));
	cr_assert(eq(i64, evolution.revisions[evolution.first].time_s, 3));
	cr_assert(eq(sz, line.n_jumps, 2));
	cr_assert(eq(sz, line.jumps[0].before, 0));
	cr_assert(eq(sz, line.jumps[0].after, 2));
	cr_assert(eq(sz, evolution.n_failures, 1));
	cr_assert(eq(sz, evolution.failures[0].revision, 2));
}

Test(values, drop_a_jump_before_them, .init = fill)
{
	pe_values_keep_newest(&evolution, 3);
	cr_assert(eq(sz, line.n_jumps, 2));
	cr_assert(eq(sz, line.jumps[0].before, 0));
	cr_assert(eq(sz, line.jumps[0].after, 2));
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
	cr_assert_str_eq(line.points[0].outside, "one");
	cr_assert(eq(sz, line.points[0].source, 0));
	cr_assert(eq(ptr, (void *)line.points[1].outside, NULL));
	cr_assert(eq(sz, line.points[1].source, 0));
}

Test(values, leave_all_when_there_are_no_more, .init = fill)
{
	pe_values_keep_newest(&evolution, 0);
	cr_assert(eq(sz, evolution.n_revisions, 5));
	pe_values_keep_newest(&evolution, 5);
	cr_assert(eq(sz, evolution.n_revisions, 5));
	cr_assert(eq(sz, line.n_jumps, 3));
}
