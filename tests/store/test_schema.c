/* Promise (6): a newer file is refused, an older one is lifted in one transaction. */
#include "fixture.h"

#include "store/schema.h"
#include "tests/support/data_file.h"
#include "tests/support/test.h"

static struct fixture at;
static struct pe_store *opened; /* of the running test */

TestSuiteWith(schema, fixture_open(&at), fixture_close(&at), .timeout = 600);

static int64_t version(void)
{
	return fixture_ask(&at, "PRAGMA user_version");
}

/* Those of today, and two of the future. */
static struct pe_schema with_later(size_t n, const char *first, const char *second)
{
	struct pe_schema schema = pe_schema_current();
	const char **lifts = pe_arena_new(&at.arena, const char *, schema.n_lifts + 2);

	memcpy(lifts, schema.lifts, schema.n_lifts * sizeof(*lifts));
	lifts[schema.n_lifts] = first;
	lifts[schema.n_lifts + 1] = second;
	schema.lifts = lifts;
	schema.n_lifts += n;
	return schema;
}

static int64_t current(void)
{
	struct pe_schema schema = pe_schema_current();

	return pe_schema_version(&schema);
}

/* The file again, as an older perfevo made it. */
static void begin_at_version_9(void)
{
	pe_auto_text script = PE_TEXT_INIT;
	sqlite3 *db;

	pe_store_close(at.store);
	at.store = NULL;
	cr_assert_eq(unlink(at.path), 0);
	data_file(&script, "store", "schema_9.sql");
	cr_assert_eq(sqlite3_open(at.path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, script.data, NULL, NULL, NULL), SQLITE_OK, "%s",
		     sqlite3_errmsg(db));
	sqlite3_close(db);
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

	begin_at_version_9();
	fixture_ask(&at, rows);
	/* Also one who only reads may be the first to open it; its tables are compared then. */
	cr_assert_ok(pe_store_open(&opened, at.path, PE_OPEN_READONLY, &at.err), at.err.message);
	pe_store_close(opened);
	fixture_reopen(&at, 0);
	cr_expect(eq(i64, version(), current()));
	cr_expect_text("49 1 5 1 1 3 P a.out bundle",
		       fixture_ask(&at, "SELECT CAST(value AS INTEGER) + batch FROM measurements"),
		       fixture_ask(&at, "SELECT n FROM summaries"),
		       fixture_ask(&at, "SELECT rounds FROM batch_cells WHERE batch = 7"),
		       fixture_ask(&at, "SELECT is_open FROM batches"),
		       fixture_ask(&at, "SELECT source FROM reused WHERE revision = 2"),
		       fixture_ask(&at, "SELECT changed_methods FROM compared"),
		       fixture_ask_text(&at, "SELECT dependencies FROM executions"),
		       fixture_ask_text(&at, "SELECT name FROM bundles"));
	fixture_expect_whole(&at);
}

/* Schema 12 gave traces one form. */
Test(schema, what_builds_read_is_written_as_what_runs_read)
{
	static const char rows[] =
		"ALTER TABLE executions ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;"
		"ALTER TABLE recompiled DROP COLUMN reason;"
		"ALTER TABLE charges DROP COLUMN varies; ALTER TABLE charges DROP COLUMN callee;"
		"ALTER TABLE charges DROP COLUMN old_calls; ALTER TABLE charges DROP COLUMN new_calls;"
		"ALTER TABLE charges DROP COLUMN old_cost; ALTER TABLE charges DROP COLUMN new_cost;"
		"ALTER TABLE charges DROP COLUMN replaced; ALTER TABLE charges DROP COLUMN old_others;"
		"ALTER TABLE charges DROP COLUMN new_others;"
		"INSERT INTO read_sets (digest, paths) VALUES ('d', replace("
		"'N 0 |F 0 a/b.c|D 2 d|M 0 out|', '|', char(10)));PRAGMA user_version = 11;";
	const struct pe_schema schema = pe_schema_current();

	fixture_ask(&at, rows);
	cr_assert_ok(pe_schema_migrate(at.store, &schema, &at.err), at.err.message);
	cr_expect_str_eq(
		fixture_ask_text(&at, "SELECT replace(paths, char(10), '|') FROM read_sets"),
		"N0 |F0 a/b.c|D2 d|M0 out|");
}

Test(schema, new_file_carries_its_mark_and_version)
{
	cr_expect(eq(i64, fixture_ask(&at, "PRAGMA application_id"), PE_STORE_APPLICATION_ID));
	cr_expect(eq(i64, version(), current()));
	cr_expect_str_eq(fixture_ask_text(&at, "PRAGMA journal_mode"), "wal");
}

Test(schema, promise_6_migrations_run_once_and_in_order)
{
	static const char two[] = "CREATE TABLE two (x INTEGER); INSERT INTO two VALUES (2);";
	static const char more[] =
		"ALTER TABLE two ADD COLUMN y INTEGER; UPDATE two SET y = 10 * x;";
	struct pe_schema one = with_later(1, two, more), both = with_later(2, two, more);

	fixture_machine(&at, "kept");
	cr_assert_ok(pe_schema_migrate(at.store, &one, &at.err), at.err.message);
	cr_expect(eq(i64, version(), current() + 1));
	for (int times = 0; times < 2; times++)
		cr_assert_eq(pe_schema_migrate(at.store, &both, &at.err), PE_OK, "%s",
			     at.err.message);
	cr_expect(eq(i64, version(), current() + 2));
	cr_expect_text("20 1 0", fixture_ask(&at, "SELECT sum(y) FROM two"),
		       fixture_rows(&at, "machines"), fixture_rows(&at, "measurements"));
}

Test(schema, promise_6_failed_migration_leaves_the_old_version)
{
	struct pe_schema schema =
		with_later(2, "CREATE TABLE two (x INTEGER);",
			   "CREATE TABLE three (x INTEGER); CREATE TABLE two (x INTEGER);");

	cr_expect(eq(int, pe_schema_migrate(at.store, &schema, &at.err), PE_ESTORE));
	cr_expect(eq(i64, version(), current()));
	cr_expect(eq(i64, fixture_rows(&at, "sqlite_schema WHERE name IN ('two', 'three')"), 0));
	fixture_machine(&at, "still usable");
}

/* What somebody else put into the file: SQL that changes it, and the word of the refusal. */
static const struct {
	const char *sql, *word;
} foreign[] = {
	{"CREATE TRIGGER t AFTER INSERT ON machines BEGIN DELETE FROM revisions; END",
	 "a trigger 't' of its own"},
	{"PRAGMA legacy_alter_table = ON; ALTER TABLE revisions RENAME TO r; CREATE VIEW revisions AS SELECT * FROM r",
	 "a table 'r' of its own"},
	{"DROP VIEW measurements; CREATE VIEW measurements AS WITH RECURSIVE n (x) AS"
	 " (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS revision FROM n",
	 "another view 'measurements'"},
	{"DROP INDEX runs_that_failed", "lacks its index 'runs_that_failed'"},
	{"DROP TRIGGER samples_are_immutable", "lacks its trigger 'samples_are_immutable'"},
	{"ALTER TABLE machines ADD COLUMN \"a b\" TEXT", "another table 'machines'"},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
	 " replace(sql, 'name TEXT NOT NULL,', 'name TEXT,') WHERE name = 'benchmarks'",
	 "another table 'benchmarks'"},
	{"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
	 " replace(sql, 'key INTEGER PRIMARY KEY AUTOINCREMENT,', '\"k ey\" INTEGER PRIMARY KEY,')"
	 " WHERE name = 'machines'",
	 "another table 'machines'"},
};

Test(schema, what_is_not_ours_is_refused)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		fixture_close(&at);
		fixture_open(&at);
		pe_store_close(at.store);
		at.store = NULL;
		fixture_ask(&at, foreign[i].sql);
		for (unsigned flags = 0; flags <= PE_OPEN_READONLY; flags++) {
			cr_expect(
				eq(int, pe_store_open(&opened, at.path, flags, &at.err), PE_ESTORE),
				"%s", foreign[i].sql);
			cr_expect_not_null(strstr(at.err.message, foreign[i].word), "%s: %s",
					   foreign[i].sql, at.err.message);
		}
	}
}

Test(schema, what_is_not_ours_is_refused_before_an_old_file_is_lifted)
{
	begin_at_version_9();
	fixture_ask(&at,
		    "CREATE TRIGGER t AFTER INSERT ON machines BEGIN DELETE FROM windows; END");
	cr_expect_fails(pe_store_open(&opened, at.path, 0, &at.err), PE_ESTORE, at.err.message,
			"a trigger 't' of its own");
	cr_expect(eq(i64, version(), 9));
}

Test(schema, comments_space_quotes_and_statistics_do_not_matter)
{
	pe_store_close(at.store);
	at.store = NULL;
	fixture_ask(&at, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql ="
			 " replace(sql, ' NOT NULL, --', '\t/* a */ NOT\n NULL,-- b') WHERE type = "
			 "'table' AND sql LIKE '%-- %'; ANALYZE");
	fixture_reopen(&at, 0);
	fixture_reopen(&at, PE_OPEN_READONLY);
}

Test(schema, promise_6_file_before_the_first_release_is_refused)
{
	pe_store_close(at.store);
	at.store = NULL;
	fixture_ask(&at, "PRAGMA user_version = 8");
	cr_expect_fails(pe_store_open(&opened, at.path, 0, &at.err), PE_ESTORE, at.err.message,
			"move it away and measure again");
	cr_expect(eq(i64, version(), 8));
}

Test(schema, promise_6_newer_file_is_refused_and_left_alone)
{
	pe_store_close(at.store);
	at.store = NULL;
	fixture_ask(&at, "PRAGMA user_version = 7000");
	for (unsigned flags = 0; flags <= PE_OPEN_READONLY; flags++) {
		cr_expect(eq(int, pe_store_open(&opened, at.path, flags, &at.err), PE_ESTORE));
		cr_expect_null(opened);
		cr_expect_has(at.err.message,
			      "written by a newer perfevo (schema 7000, this one knows ");
		cr_expect_has(at.err.message, "--store FILE");
	}
	cr_expect(eq(i64, version(), 7000));
}

Test(schema, file_of_another_program_is_refused_and_left_alone)
{
	cr_assert_eq(pe_sql_script(at.store, "PRAGMA application_id = 1234", &at.err), PE_OK);
	for (unsigned flags = 0; flags <= PE_OPEN_READONLY; flags++) {
		cr_expect_fails(pe_store_open(&opened, at.path, flags, &at.err), PE_ESTORE,
				at.err.message, "another program");
	}
	cr_expect(eq(i64, fixture_ask(&at, "PRAGMA application_id"), 1234));
}

Test(schema, empty_file_is_left_alone_when_it_is_opened_to_read)
{
	struct stat status;

	pe_store_close(at.store);
	at.store = NULL;
	cr_assert_eq(truncate(at.path, 0), 0);
	cr_expect_fails(pe_store_open(&opened, at.path, PE_OPEN_READONLY, &at.err), PE_ENOTFOUND,
			at.err.message, "nothing was measured yet");
	cr_assert_eq(stat(at.path, &status), 0);
	cr_expect_eq(status.st_size, 0);
}

Test(schema, foreign_keys_hold)
{
	cr_expect_fails(pe_sql_script(at.store,
				      "INSERT INTO samples (run, metric, value) VALUES (1, 1, 1)",
				      &at.err),
			PE_ESTORE, at.err.message, "FOREIGN KEY");
	cr_expect(eq(int, pe_sql_script(at.store, "INSERT INTO series VALUES (1, 1, 1)", &at.err),
		     PE_ESTORE));
}

Test(schema, run_key_begins_with_its_benchmark)
{
	fixture_close(&at);
	fixture_open_filled(&at);
	cr_expect_fails(
		pe_sql_script(
			at.store,
			"INSERT INTO runs (key, batch, revision, benchmark, kind, round, sequence,"
			" started_s, outcome, status) VALUES (5, 1, 1, 1, 0, 0, 0, 0, 0, 0)",
			&at.err),
		PE_ESTORE, at.err.message, "CHECK");
}
