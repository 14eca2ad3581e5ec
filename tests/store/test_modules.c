/* What counting runs executed from outside of the tree, and the epochs that it makes. */
#include "fixture.h"

#include "tests/support/test.h"

static struct fixture at;

TestSuiteWith(modules, fixture_open_filled(&at), (fixture_expect_whole(&at), fixture_close(&at)),
	      .timeout = 600);

static const struct pe_mapped python_1[] = {{"/lib/libc.so.6", "c1"},
					    {"/usr/bin/python3.11", "p1"}};
static const struct pe_mapped python_2[] = {{"/lib/libc.so.6", "c1"},
					    {"/usr/bin/python3.11", "p2"}};
static const struct pe_mapped with_libm[] = {
	{"/lib/libc.so.6", "c1"}, {"/lib/libm.so.6", "m1"}, {"/usr/bin/python3.11", "p1"}};
static const struct pe_mapped libc_alone[] = {{"/lib/libc.so.6", "c1"}};

#define SET(array) ((struct pe_module_set){array, sizeof(array) / sizeof(*(array)), 0})

/* A counting run of a revision in the fixture's batch; its epoch. */
static int64_t count(unsigned revision, unsigned round, struct pe_module_set modules)
{
	struct pe_run run = fixture_run(round, 1, 1);

	run.kind = PE_RUN_COUNTED;
	run.modules = &modules;
	fixture_put(&at, revision, 0, &run);
	return fixture_ask(&at, "SELECT epoch FROM runs WHERE modules IS NOT NULL"
				" ORDER BY key DESC LIMIT 1");
}

static void next_batch(void)
{
	at.batch = fixture_batch(&at, at.machine);
}

Test(modules, an_epoch_ends_where_something_is_replaced)
{
	cr_expect(eq(i64, count(0, 0, SET(python_1)), 1));
	cr_expect(eq(i64, count(1, 0, SET(with_libm)), 1));
	next_batch();
	cr_expect(eq(i64, count(2, 0, SET(python_2)), 2));
	/* What says nothing of it is of the epoch that it is. */
	cr_expect(eq(i64, count(3, 0, SET(libc_alone)), 2));
	next_batch();
	/* The old one is there again. */
	cr_expect(eq(i64, count(0, 0, SET(python_1)), 1));
	cr_expect(eq(i64, count(1, 0, SET(libc_alone)), 1));
}

Test(modules, what_stands_side_by_side_in_a_batch_was_not_replaced)
{
	cr_expect_text("1 1 1 1", count(0, 0, SET(python_1)), count(1, 0, SET(python_2)),
		       count(1, 1, SET(python_2)), count(0, 1, SET(python_1)));
	next_batch();
	cr_expect(eq(i64, count(2, 0, SET(python_2)), 1));
}

Test(modules, in_the_middle_of_a_batch_it_was_where_one_revision_shows_both)
{
	const char *epochs = "SELECT group_concat(epoch, ' ') FROM (SELECT epoch FROM runs"
			     " WHERE modules IS NOT NULL ORDER BY key)";

	count(0, 0, SET(python_1));
	count(1, 0, SET(python_2));
	cr_expect_text("2 2 1 2 2 2", count(0, 1, SET(python_2)), count(1, 1, SET(python_2)),
		       fixture_ask_text(&at, epochs));
}

Test(modules, a_session_that_goes_on_with_an_old_batch_is_another_day)
{
	struct pe_module_set today = SET(python_2);

	count(0, 0, SET(python_1));
	today.since_s = 1700000000 + 1000;
	cr_expect(eq(i64, count(1, 0, today), 2));
}

Test(modules, series_know_the_epochs)
{
	const struct pe_series_query query = {at.machine, at.benchmarks[0], pe_metrics[0].name};
	struct pe_observation *series;
	unsigned latest;
	struct pe_run timed = fixture_run(5, 1, 1);
	size_t n;

	count(0, 0, SET(python_1));
	next_batch();
	count(0, 0, SET(python_2));
	fixture_put(&at, 1, 0, &timed);
	cr_assert(eq(int, pe_store_get_series(&series, &n, at.store, &query, &at.arena, &at.err),
		     PE_OK));
	cr_assert(eq(sz, n, 3));
	cr_expect(eq(uint, series[0].epoch, 1));
	cr_expect(eq(uint, series[1].epoch, 2));
	/* What is not known is taken for the first. */
	cr_expect(eq(uint, series[2].epoch, 1));
	cr_assert(
		eq(int,
		   pe_store_latest_epoch(&latest, at.store, at.machine, at.benchmarks[0], &at.err),
		   PE_OK));
	cr_expect(eq(uint, latest, 2));
}
