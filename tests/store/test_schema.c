/* Promise (6): a newer file is refused, an older one is lifted in one transaction. */
#include "fixture.h"

#include "store/schema.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <unistd.h>

static struct fixture at;

static void set_up(void)
{
	fixture_open(&at);
}

static void tear_down(void)
{
	fixture_close(&at);
}

TestSuite(schema, .init = set_up, .fini = tear_down, .timeout = 60.0);

static int64_t version(void)
{
	return fixture_ask(&at, "PRAGMA user_version");
}

Test(schema, new_file_carries_its_mark_and_version)
{
	cr_expect(eq(i64, fixture_ask(&at, "PRAGMA application_id"), PE_STORE_APPLICATION_ID));
	cr_expect(eq(i64, version(), (int64_t)pe_n_migrations));
	cr_expect_str_eq(fixture_ask_text(&at, "PRAGMA journal_mode"), "wal");
}

Test(schema, promise_6_migrations_run_once_and_in_order)
{
	const struct pe_migration steps[] = {
		pe_migrations[0],
		{{"CREATE TABLE two (x INTEGER);", "INSERT INTO two VALUES (2);"}},
		{{"ALTER TABLE two ADD COLUMN y INTEGER;"
		  "UPDATE two SET y = 10 * x;"}},
	};

	fixture_machine(&at, "kept");
	cr_assert_eq(pe_schema_migrate(at.store, steps, 2, &at.err), PE_OK, "%s", at.err.message);
	cr_expect(eq(i64, version(), 2));
	cr_assert_eq(pe_schema_migrate(at.store, steps, 3, &at.err), PE_OK, "%s", at.err.message);
	cr_expect(eq(i64, version(), 3));
	cr_assert_eq(pe_schema_migrate(at.store, steps, 3, &at.err), PE_OK, "%s", at.err.message);
	cr_expect(eq(i64, fixture_ask(&at, "SELECT sum(y) FROM two"), 20));
	cr_expect(eq(i64, fixture_ask(&at, "SELECT count(*) FROM machines"), 1));
}

Test(schema, promise_6_failed_migration_leaves_the_old_version)
{
	const struct pe_migration steps[] = {
		pe_migrations[0],
		{{"CREATE TABLE two (x INTEGER);"}},
		{{"CREATE TABLE three (x INTEGER);", "CREATE TABLE two (x INTEGER);"}},
	};

	cr_expect(eq(int, pe_schema_migrate(at.store, steps, 3, &at.err), PE_ESTORE));
	cr_expect(eq(i64, version(), (int64_t)pe_n_migrations));
	cr_expect(
		eq(i64,
		   fixture_ask(&at,
			       "SELECT count(*) FROM sqlite_schema WHERE name IN ('two', 'three')"),
		   0));
	fixture_machine(&at, "still usable");
}

Test(schema, promise_6_newer_file_is_refused_and_left_alone)
{
	struct pe_store *store;

	pe_store_close(at.store);
	at.store = NULL;
	fixture_ask(&at, "PRAGMA user_version = 7000");
	for (unsigned flags = 0; flags <= PE_OPEN_READONLY; flags++) {
		cr_expect(eq(int, pe_store_open(&store, at.path, flags, &at.err), PE_ESTORE));
		cr_expect_null(store);
		cr_expect_not_null(
			strstr(at.err.message,
			       "written by a newer perfevo (schema 7000, this one knows "),
			"%s", at.err.message);
		cr_expect_not_null(strstr(at.err.message, "--store FILE"), "%s", at.err.message);
	}
	cr_expect(eq(i64, version(), 7000));
}

Test(schema, file_of_another_program_is_refused_and_left_alone)
{
	struct pe_store *store;

	cr_assert_eq(pe_sql_script(at.store, "PRAGMA application_id = 1234", &at.err), PE_OK);
	for (unsigned flags = 0; flags <= PE_OPEN_READONLY; flags++) {
		cr_expect(eq(int, pe_store_open(&store, at.path, flags, &at.err), PE_ESTORE));
		cr_expect_not_null(strstr(at.err.message, "another program"), "%s", at.err.message);
	}
	cr_expect(eq(i64, fixture_ask(&at, "PRAGMA application_id"), 1234));
}

Test(schema, file_without_tables_is_filled_also_when_it_is_opened_to_read)
{
	struct pe_store *store;

	pe_store_close(at.store);
	at.store = NULL;
	cr_assert_eq(truncate(at.path, 0), 0);
	cr_assert_eq(pe_store_open(&store, at.path, PE_OPEN_READONLY, &at.err), PE_OK, "%s",
		     at.err.message);
	cr_expect(eq(i64, version(), (int64_t)pe_n_migrations));
	pe_store_close(store);
}

Test(schema, foreign_keys_hold)
{
	cr_expect(eq(int,
		     pe_sql_script(at.store,
				   "INSERT INTO samples (run, metric, value) VALUES (1, 1, 1)",
				   &at.err),
		     PE_ESTORE));
	cr_expect_not_null(strstr(at.err.message, "FOREIGN KEY"), "%s", at.err.message);
	cr_expect(eq(int, pe_sql_script(at.store, "INSERT INTO series VALUES (1, 1, 1)", &at.err),
		     PE_ESTORE));
}

Test(schema, run_key_begins_with_its_benchmark)
{
	fixture_close(&at);
	fixture_open_filled(&at);
	cr_expect(eq(
		int,
		pe_sql_script(
			at.store,
			"INSERT INTO runs (key, window, revision, benchmark, kind, round, sequence,"
			" started_s, outcome, status) VALUES (5, 1, 1, 1, 0, 0, 0, 0, 0, 0)",
			&at.err),
		PE_ESTORE));
	cr_expect_not_null(strstr(at.err.message, "CHECK"), "%s", at.err.message);
}
