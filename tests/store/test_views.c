/* The views that people query, against values worked out by hand or beside the database. */
#include "fixture.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static struct fixture at;

TestSuiteWith(views, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

static void put_values(const double *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct pe_run run = fixture_run(i, 1, values[i]);

		fixture_put(&at, 0, 0, &run);
	}
}

/* "n median mad min max" of the only cell. */
static const char *values(void)
{
	return fixture_ask_text(
		&at, "SELECT printf('%d %g %g %g %g', n, median, mad, min, max) FROM summaries"
		     " WHERE benchmark = 'parse' AND metric = 'wall'");
}

Test(views, values_of_one_value)
{
	put_values((const double[]){7}, 1);
	cr_expect_str_eq(values(), "1 7 0 7 7");
}

Test(views, values_of_an_even_number)
{
	/* median (2 + 4) / 2 = 3; distances 2 1 1 5: their median (1 + 2) / 2 */
	put_values((const double[]){8, 1, 4, 2}, 4);
	cr_expect_str_eq(values(), "4 3 1.5 1 8");
}

Test(views, values_keep_machines_apart)
{
	struct pe_run run = fixture_run(0, 1, 10);

	fixture_put(&at, 0, 0, &run);
	at.batch = fixture_batch(&at, fixture_machine(&at, "beta"));
	run.samples[0].value = 20;
	fixture_put(&at, 0, 0, &run);
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT group_concat(machine || ' ' || median) FROM"
					       " (SELECT * FROM summaries ORDER BY machine)"),
			 "alpha 10.0,beta 20.0");
}

/* Through the views and batch functions a filter must reach the index, or large files are slow. */
Test(views, values_of_one_benchmark_do_not_scan_everything)
{
	cr_expect(eq(i64, fixture_rows(&at, "sqlite_schema WHERE type = 'view'"), 11));
	sqlite3_stmt *stmt;
	bool searches = false;

	cr_assert_eq(sqlite3_prepare_v2(
			     at.store->db,
			     "EXPLAIN QUERY PLAN SELECT * FROM summaries WHERE benchmark = 'parse'",
			     -1, &stmt, NULL),
		     SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *detail = (const char *)sqlite3_column_text(stmt, 3);

		cr_expect_neq(strncmp(detail, "SCAN s", 6) == 0 &&
				      strcmp(detail, "SCAN spread") != 0 &&
				      strcmp(detail, "SCAN summed") != 0,
			      true, "%s", detail);
		cr_expect_neq(strcmp(detail, "SCAN r"), 0);
		searches |= strncmp(detail, "SEARCH r ", 9) == 0;
	}
	sqlite3_finalize(stmt);
	cr_expect(searches);
}

Test(views, failed_runs_are_named)
{
	struct pe_run failed = fixture_failure(3, PE_CRASHED, "boom");
	struct pe_run good = fixture_run(4, 1, 1);

	fixture_put(&at, 1, 1, &failed);
	fixture_put(&at, 1, 1, &good);
	cr_expect(eq(i64, fixture_rows(&at, "runs_failed"), 1));
	cr_expect_str_eq(
		fixture_ask_text(
			&at, "SELECT printf('%s %s %s %s %d %s', substr(revision, -2), benchmark,"
			     " kind, outcome, status, log) FROM runs_failed"),
		"01 sort timed crashed 11 boom");
}

Test(views, jumps_are_named)
{
	const struct pe_jump jump = {.before = 1,
				     .after = 2,
				     .relative = 0.25,
				     .low = 0.125,
				     .high = 0.5,
				     .strength = 4,
				     .regression = true};
	struct pe_run run = fixture_run(0, 1, 1);

	fixture_put(&at, 0, 0, &run);
	cr_assert_eq(fixture_replace_jumps(&at, 0, "wall", &jump, 1), PE_OK);
	cr_expect_str_eq(
		fixture_ask_text(
			&at, "SELECT printf('%s %s %s %s %s %g %g %g %d', benchmark, metric, unit,"
			     " substr(before, -2), substr(after, -2), relative, low, high,"
			     " regression) FROM jumps_named"),
		"parse wall ns 01 02 0.25 0.125 0.5 1");
}

Test(views, outcomes_are_those_of_the_program)
{
	char sql[128];

	for (unsigned i = 0; i < PE_N_OUTCOMES; i++) {
		snprintf(sql, sizeof(sql), "SELECT name FROM outcomes WHERE key = %u", i);
		cr_expect_str_eq(fixture_ask_text(&at, sql), pe_outcome_name((enum pe_outcome)i));
	}
	cr_expect(eq(i64, fixture_rows(&at, "outcomes"), PE_N_OUTCOMES));
}

Test(views, schema_explains_itself)
{
	cr_expect(eq(i64,
		     fixture_ask(&at, "SELECT count(*) FROM sqlite_schema WHERE type = 'view'"
				      " AND sql NOT LIKE '%-- One row%'"),
		     0));
	cr_expect(eq(i64,
		     fixture_ask(&at, "SELECT count(*) FROM sqlite_schema WHERE name = 'samples'"
				      " AND sql LIKE '%times are nanoseconds%'"),
		     1));
}
