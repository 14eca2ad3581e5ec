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

/* The migrations that there are, and two of the future. */
static const char *const *with_later(const char *first, const char *second)
{
	const char **steps = pe_arena_new(&at.arena, const char *, pe_n_migrations + 2);

	memcpy(steps, pe_migrations, pe_n_migrations * sizeof(*steps));
	steps[pe_n_migrations] = first;
	steps[pe_n_migrations + 1] = second;
	return steps;
}

/* Empty the file and lift it to an older version. */
static void begin_at(size_t version)
{
	cr_assert_eq(
		pe_sql_script(at.store,
			      "DROP TABLE recompiled; DROP TABLE crossings;"
			      "DROP VIEW confirmations_named; DROP VIEW fresh_measurements;"
			      "DROP TABLE pins; DROP TABLE confirmations; DROP TABLE bundles;"
			      "DROP VIEW profiles_named; DROP VIEW frames_named;"
			      "DROP TABLE trees; DROP TABLE frames; DROP TABLE strings;"
			      "DROP TABLE executions; DROP TABLE reused;"
			      "DROP VIEW methods_changed; DROP TABLE changed_methods;"
			      "DROP TABLE compared; DROP TABLE extractions;"
			      "DROP VIEW jumps_named; DROP VIEW runs_failed; DROP VIEW summaries;"
			      "DROP VIEW measurements; DROP TABLE jumps; DROP TABLE series;"
			      "DROP TABLE profiles; DROP TABLE samples; DROP TABLE runs;"
			      "DROP TABLE batch_cells; DROP TABLE batches; DROP TABLE builds;"
			      "DROP TABLE recipes; DROP TABLE outcomes; DROP TABLE metrics;"
			      "DROP TABLE benchmarks; DROP TABLE parents;"
			      "DROP TABLE revisions; DROP TABLE machines;"
			      "PRAGMA user_version = 0",
			      &at.err),
		PE_OK, "%s", at.err.message);
	cr_assert_eq(fixture_ask(&at, "SELECT count(*) FROM sqlite_schema"
				      " WHERE name NOT LIKE 'sqlite%'"),
		     0, "a table of a later schema is in the way");
	cr_assert_eq(pe_schema_migrate(at.store, pe_migrations, version, &at.err), PE_OK, "%s",
		     at.err.message);
}

/*
 * A file as the first schema left it, with figures in it. What was measured is there afterwards, and what came
 * with later schemas can be used.
 */
Test(schema, promise_6_file_of_version_1_goes_forward)
{
	static const char lines[] =
		"INSERT INTO revisions (id, time_s, subject) VALUES"
		" ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1, 'kept');"
		"INSERT INTO machines (fingerprint, cores, memory_bytes) VALUES ('m', 2, 3);";
	struct pe_stored_changes changes = {.revision = "a", .before = "", .rules = "r"};
	struct pe_store *store;

	begin_at(1);
	cr_expect(eq(i64, version(), 1));
	cr_assert_eq(pe_sql_script(at.store, lines, &at.err), PE_OK, "%s", at.err.message);
	/* Also one who only reads may be the first to open it. */
	cr_assert_eq(pe_store_open(&store, at.path, PE_OPEN_READONLY, &at.err), PE_OK, "%s",
		     at.err.message);
	pe_store_close(store);
	cr_expect(eq(i64, version(), (int64_t)pe_n_migrations));
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT subject FROM revisions"), "kept");
	cr_expect(eq(i64, fixture_ask(&at, "SELECT count(*) FROM machines"), 1));
	cr_assert_eq(pe_store_put_changes(at.store, &changes, &at.err), PE_OK, "%s",
		     at.err.message);
	fixture_expect_whole(&at);
}

/* Schema 10 renamed tables and columns: what lay in them is there under the new names. */
Test(schema, promise_6_file_of_version_9_keeps_its_rows)
{
	static const char rows[] =
		"INSERT INTO machines VALUES (1, 'm', NULL, NULL, 2, 3, NULL, NULL);"
		"INSERT INTO revisions VALUES (1, 'aa', 1, NULL, 'one'), (2, 'bb', 2, NULL, 'two');"
		"INSERT INTO benchmarks VALUES (1, 'parse', 'v', 1, '{}', 0);"
		"INSERT INTO windows (key, machine, created_s, seed, is_open, env_bytes, cpu, nice, fixed_layout)"
		" VALUES (7, 1, 0, 0, 1, 0, -1, 0, 1);"
		"INSERT INTO window_cells (window, revision, benchmark, position, role, rounds) VALUES (7, 1, 1, 0, 0, 5);"
		"INSERT INTO runs VALUES ((1 << 32) + 1, 7, 1, 1, 0, 0, 0, 0, 0, 0, NULL);"
		"INSERT INTO metrics VALUES (1, '', 'wall', 'ns', 'wall time', 0, 0, 0, 0);"
		"INSERT INTO samples VALUES ((1 << 32) + 1, 1, 42);"
		"INSERT INTO executions VALUES (1, 1, 1, 'P a.out', 'i');"
		"INSERT INTO carried (machine, benchmark, revision, source) VALUES (1, 1, 2, 1);"
		"INSERT INTO compared (revision, before, rules, files, unread, mc) VALUES ('bb', 'aa', 'r', 1, 0, 3);"
		"INSERT INTO parcels VALUES ('bundle');";

	begin_at(9);
	cr_assert_eq(pe_sql_script(at.store, rows, &at.err), PE_OK, "%s", at.err.message);
	cr_assert_eq(pe_schema_migrate(at.store, pe_migrations, pe_n_migrations, &at.err), PE_OK,
		     "%s", at.err.message);
	cr_expect(eq(i64, version(), (int64_t)pe_n_migrations));
	cr_expect(eq(i64,
		     fixture_ask(&at, "SELECT CAST(value AS INTEGER) + batch FROM measurements"),
		     49));
	cr_expect(eq(i64, fixture_ask(&at, "SELECT n FROM summaries"), 1));
	cr_expect(eq(i64, fixture_ask(&at, "SELECT rounds FROM batch_cells WHERE batch = 7"), 5));
	cr_expect(eq(i64, fixture_ask(&at, "SELECT is_open FROM batches"), 1));
	cr_expect(eq(i64, fixture_ask(&at, "SELECT source FROM reused WHERE revision = 2"), 1));
	cr_expect(eq(i64, fixture_ask(&at, "SELECT changed_methods FROM compared"), 3));
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT dependencies FROM executions"), "P a.out");
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT name FROM bundles"), "bundle");
	fixture_expect_whole(&at);
}

Test(schema, new_file_carries_its_mark_and_version)
{
	cr_expect(eq(i64, fixture_ask(&at, "PRAGMA application_id"), PE_STORE_APPLICATION_ID));
	cr_expect(eq(i64, version(), (int64_t)pe_n_migrations));
	cr_expect_str_eq(fixture_ask_text(&at, "PRAGMA journal_mode"), "wal");
}

Test(schema, promise_6_migrations_run_once_and_in_order)
{
	const char *const *steps =
		with_later("CREATE TABLE two (x INTEGER); INSERT INTO two VALUES (2);",
			   "ALTER TABLE two ADD COLUMN y INTEGER; UPDATE two SET y = 10 * x;");
	size_t known = pe_n_migrations;

	fixture_machine(&at, "kept");
	cr_assert_eq(pe_schema_migrate(at.store, steps, known + 1, &at.err), PE_OK, "%s",
		     at.err.message);
	cr_expect(eq(i64, version(), (int64_t)known + 1));
	cr_assert_eq(pe_schema_migrate(at.store, steps, known + 2, &at.err), PE_OK, "%s",
		     at.err.message);
	cr_expect(eq(i64, version(), (int64_t)known + 2));
	cr_assert_eq(pe_schema_migrate(at.store, steps, known + 2, &at.err), PE_OK, "%s",
		     at.err.message);
	cr_expect(eq(i64, fixture_ask(&at, "SELECT sum(y) FROM two"), 20));
	cr_expect(eq(i64, fixture_ask(&at, "SELECT count(*) FROM machines"), 1));
}

Test(schema, promise_6_failed_migration_leaves_the_old_version)
{
	const char *const *steps =
		with_later("CREATE TABLE two (x INTEGER);",
			   "CREATE TABLE three (x INTEGER); CREATE TABLE two (x INTEGER);");

	cr_expect(eq(int, pe_schema_migrate(at.store, steps, pe_n_migrations + 2, &at.err),
		     PE_ESTORE));
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
			"INSERT INTO runs (key, batch, revision, benchmark, kind, round, sequence,"
			" started_s, outcome, status) VALUES (5, 1, 1, 1, 0, 0, 0, 0, 0, 0)",
			&at.err),
		PE_ESTORE));
	cr_expect_not_null(strstr(at.err.message, "CHECK"), "%s", at.err.message);
}
