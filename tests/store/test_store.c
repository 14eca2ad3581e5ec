/*
 * The promises of store.h that need several processes, a full disk or a damaged file. Children are real and
 * are killed for real; nothing here depends on how long anything takes.
 */
#include "fixture.h"

#include "store/place.h"
#include "store/schema.h"
#include "tests/support/test.h"

#include <sys/resource.h>
#include <time.h>

static struct fixture at;
static struct pe_store *opened; /* of the running test */

TestSuiteWith(store, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

#define SAMPLES_PER_RUN 5

/* Run a function in a child with a store of its own. */
static pid_t start(int (*body)(struct pe_store *store, unsigned number), unsigned number)
{
	pid_t child = fork();

	cr_assert_neq(child, -1);
	if (child == 0) {
		struct pe_err err = PE_ERR_INIT;
		struct pe_store *store;
		int failed;

		if (pe_store_open(&store, at.path, 0, &err) != PE_OK) {
			fprintf(stderr, "child: %s\n", err.message);
			_exit(90);
		}
		failed = body(store, number);
		pe_store_close(store);
		_exit(failed);
	}
	return child;
}

static int wait_for(pid_t child)
{
	int status;

	cr_assert_eq(waitpid(child, &status, 0), child);
	return status;
}

static void close_own(void)
{
	pe_store_close(at.store);
	at.store = NULL;
}

/* --- Opening --- */

Test(store, folder_must_exist)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/none/perfevo.db", at.dir);
	cr_expect(eq(int, pe_store_open(&opened, path, 0, &at.err), PE_ESTORE));
	cr_expect_null(opened);
	cr_expect_has(at.err.message, "No such file or directory");
}

Test(store, reading_needs_a_file)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/none.db", at.dir);
	cr_expect(eq(int, pe_store_open(&opened, path, PE_OPEN_READONLY, &at.err), PE_ENOTFOUND));
	cr_expect_neq(access(path, F_OK), 0);
}

Test(store, any_name_is_a_file)
{
	static const char *const names[] = {":memory:", "a b?c#d%25.db", "file:x"};
	char before[256];

	cr_assert_not_null(getcwd(before, sizeof(before)));
	cr_assert_eq(chdir(at.dir), 0);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		OK(pe_store_open(&opened, names[i], 0, &at.err));
		cr_expect_str_eq(pe_store_path(opened), names[i]);
		pe_store_close(opened);
		cr_expect_eq(access(names[i], R_OK), 0, "%s", names[i]);
		OK(pe_store_open(&opened, names[i], PE_OPEN_READONLY, &at.err));
		pe_store_close(opened);
	}
	cr_assert_eq(chdir(before), 0);
}

Test(store, reader_cannot_write)
{
	struct pe_run run = fixture_run(0, 1, 1);
	struct pe_coverage *rows;
	size_t n;

	fixture_put(&at, 0, 0, &run);
	fixture_reopen(&at, PE_OPEN_READONLY);
	run.round = 1;
	cr_expect_fails(fixture_try(&at, 0, 0, &run), PE_ESTORE, at.err.message, "read-only");
	OK(pe_store_coverage(&rows, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect(eq(sz, n, 1));
}

Test(store, reader_sees_what_others_write_meanwhile)
{
	struct pe_store *reader;
	struct pe_coverage *rows;
	size_t n;

	OK(pe_store_open(&reader, at.path, PE_OPEN_READONLY, &at.err));
	for (unsigned round = 0; round < 3; round++) {
		struct pe_run run = fixture_run(round, 1, 1);

		OK(pe_store_begin(at.store, &at.err));
		fixture_put(&at, 0, 0, &run);
		/* While the writer is in the middle, the reader sees the state before, without waiting. */
		OK(pe_store_coverage(&rows, &n, reader, at.machine, &at.arena, &at.err));
		cr_expect(eq(uint, n != 0 ? rows[0].timed : 0, round));
		OK(pe_store_commit(at.store, &at.err));
		OK(pe_store_coverage(&rows, &n, reader, at.machine, &at.arena, &at.err));
		cr_assert(eq(sz, n, 1));
		cr_expect(eq(uint, rows[0].timed, round + 1));
	}
	pe_store_close(reader);
}

enum { NO_SUCH_USER = 80 };

/* As a user who may read, in a folder that only others may write. */
static int read_in_readonly_folder(void)
{
	pid_t child = fork();
	int status;

	cr_assert_neq(child, -1);
	if (child == 0) {
		struct pe_err err = PE_ERR_INIT;
		struct pe_store *store;
		struct pe_coverage *rows;
		size_t n;

		if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
			_exit(NO_SUCH_USER);
		if (access(at.path, R_OK) != 0)
			_exit(NO_SUCH_USER); /* the folder above is private to the user of the tests */
		if (pe_store_open(&store, at.path, PE_OPEN_READONLY, &err) != PE_OK) {
			int refused =
				strstr(err.message, "-wal that can only be read where") != NULL;

			_exit(refused ? 70 : 71);
		}
		if (pe_store_coverage(&rows, &n, store, at.machine, &at.arena, &err) != PE_OK)
			_exit(72);
		pe_store_close(store);
		pe_arena_release(&at.arena);
		_exit(n == 1 ? 0 : 73);
	}
	status = wait_for(child);
	if (WEXITSTATUS(status) == NO_SUCH_USER) {
		fixture_close(&at); /* a skipped test is not torn down */
		cr_skip_test("there is no other user here who may read the file");
	}
	return WEXITSTATUS(status);
}

Test(store, reading_works_in_a_folder_that_cannot_be_written)
{
	struct pe_run run = fixture_run(0, 1, 1);

	fixture_put(&at, 0, 0, &run);
	close_own();
	cr_assert_eq(chmod(at.path, 0444), 0);
	cr_assert_eq(chmod(at.dir, 0555), 0);
	cr_expect(eq(int, read_in_readonly_folder(), 0));
}

static void copy_readonly(const char *from_suffix, const char *to)
{
	pe_auto_text content = PE_TEXT_INIT;
	const char *from = pe_arena_printf(&at.arena, "%s%s", at.path, from_suffix);

	OK(pe_text_read_file(&content, from, &at.err));
	cr_assert_neq(content.len, 0);
	OK(pe_text_write_file(&content, to, &at.err));
	cr_assert_eq(chmod(to, 0444), 0);
}

Test(store, log_left_in_a_readonly_folder_is_not_passed_over)
{
	struct pe_run run = fixture_run(0, 1, 1);
	const char *copy = pe_arena_printf(&at.arena, "%s/copy.db", at.dir);

	fixture_put(&at, 0, 0, &run);
	/* As after a kill: the database with its log, without the shared index. */
	copy_readonly("", copy);
	copy_readonly("-wal", pe_arena_printf(&at.arena, "%s-wal", copy));
	snprintf(at.path, sizeof(at.path), "%s", copy);
	cr_assert_eq(chmod(at.dir, 0555), 0);
	cr_expect(eq(int, read_in_readonly_folder(), 70));
}

/* --- Transactions --- */

Test(store, close_without_commit_drops_the_transaction)
{
	struct pe_run run = fixture_run(0, 2, 1);

	OK(pe_store_begin(at.store, &at.err));
	fixture_put(&at, 0, 0, &run);
	close_own();
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 0));
}

/* --- (5) several processes --- */

#define RUNS_PER_WRITER 60

static int put_some(struct pe_store *store, unsigned number)
{
	struct pe_err err = PE_ERR_INIT;

	for (unsigned i = 0; i < RUNS_PER_WRITER; i++) {
		struct pe_run run = fixture_run(number * 1000 + i, SAMPLES_PER_RUN, i);

		if (pe_store_put_run(store, at.batch, at.revisions[i % N_REVISIONS],
				     at.benchmarks[i % N_BENCHMARKS], &run, &err) != PE_OK) {
			fprintf(stderr, "writer %u: %s\n", number, err.message);
			return 1;
		}
	}
	return 0;
}

Test(store, promise_5_four_writers_lose_nothing)
{
	pid_t children[4];

	close_own();
	for (unsigned i = 0; i < 4; i++)
		children[i] = start(put_some, i);
	for (unsigned i = 0; i < 4; i++)
		cr_expect(eq(int, wait_for(children[i]), 0));
	fixture_expect_whole(&at);
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 4 * RUNS_PER_WRITER));
	cr_expect(eq(i64, fixture_rows(&at, "samples"), 4 * RUNS_PER_WRITER * SAMPLES_PER_RUN));
}

static int nothing(struct pe_store *store, unsigned number)
{
	(void)store;
	(void)number;
	return 0;
}

Test(store, promise_5_many_processes_may_create_one_file)
{
	const struct pe_schema schema = pe_schema_current();
	pid_t children[8];

	for (unsigned turn = 0; turn < 5; turn++) {
		close_own();
		unlink(at.path);
		for (unsigned i = 0; i < 8; i++)
			children[i] = start(nothing, i);
		for (unsigned i = 0; i < 8; i++)
			cr_expect(eq(int, wait_for(children[i]), 0));
		fixture_reopen(&at, 0);
		cr_expect(eq(i64, fixture_ask(&at, "PRAGMA user_version"),
			     pe_schema_version(&schema)));
	}
}

/* Switching to the log needs the file alone, and SQLite's own waiting does not cover that. */
Test(store, promise_5_opening_waits_for_a_reader_to_let_the_log_be_made)
{
	const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
	int ends[2];
	char ready;
	pid_t child;

	close_own();
	cr_expect_str_eq(fixture_ask_text(&at, "PRAGMA journal_mode = DELETE"), "delete");
	cr_assert_eq(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		sqlite3 *db;

		if (sqlite3_open(at.path, &db) != SQLITE_OK ||
		    sqlite3_exec(db, "BEGIN; SELECT * FROM machines", NULL, NULL, NULL) !=
			    SQLITE_OK)
			_exit(1);
		if (write(ends[1], "!", 1) != 1)
			_exit(2);
		nanosleep(&pause, NULL);
		sqlite3_close(db);
		_exit(0);
	}
	cr_assert_eq(read(ends[0], &ready, 1), 1);
	fixture_reopen(&at, 0);
	cr_expect(eq(int, wait_for(child), 0));
	cr_expect_str_eq(fixture_ask_text(&at, "PRAGMA journal_mode"), "wal");
	close(ends[0]);
	close(ends[1]);
}

Test(store, promise_5_waiting_ends_with_a_sentence)
{
	struct pe_store *other;
	struct pe_run run = fixture_run(0, 1, 1);

	OK(pe_store_open(&other, at.path, 0, &at.err));
	sqlite3_busy_timeout(at.store->db, 10); /* rather than 30 s */
	OK(pe_store_begin(other, &at.err));
	cr_expect_fails(fixture_try(&at, 0, 0, &run), PE_EBUSY, at.err.message, "another process");
	pe_store_rollback(other);
	pe_store_close(other);
	fixture_put(&at, 0, 0, &run);
}

/* --- (7) a full disk --- */

/* Put runs until it fails; how many went in. */
static unsigned put_until_full(int *rc)
{
	unsigned round = 0;

	for (*rc = PE_OK; *rc == PE_OK && round < 100000; round += *rc == PE_OK) {
		struct pe_run run = fixture_run(round, SAMPLES_PER_RUN, 0.1 * round);

		*rc = pe_store_put_run(at.store, at.batch, at.revisions[0], at.benchmarks[0], &run,
				       &at.err);
	}
	return round;
}

static void expect_stored(unsigned n)
{
	fixture_expect_whole(&at);
	cr_expect(eq(i64, fixture_rows(&at, "runs"), n));
	cr_expect(eq(i64, fixture_rows(&at, "samples"), (int64_t)n * SAMPLES_PER_RUN));
}

Test(store, promise_7_full_database_keeps_what_was_stored)
{
	struct pe_run run;
	unsigned n;
	int rc;

	OK(pe_sql_script(at.store, "PRAGMA max_page_count = 64", &at.err));
	n = put_until_full(&rc);
	cr_expect(eq(int, rc, PE_EFULL));
	cr_expect(gt(uint, n, 10));
	cr_expect_has(at.err.message, "no space left");
	expect_stored(n);
	/* And the same handle goes on once there is space. */
	OK(pe_sql_script(at.store, "PRAGMA max_page_count = 100000", &at.err));
	run = fixture_run(n, SAMPLES_PER_RUN, 1);
	fixture_put(&at, 0, 0, &run);
	expect_stored(n + 1);
}

Test(store, promise_7_full_database_inside_a_transaction)
{
	unsigned n;
	int rc;

	OK(pe_sql_script(at.store, "PRAGMA max_page_count = 64", &at.err));
	OK(pe_store_begin(at.store, &at.err));
	n = put_until_full(&rc);
	cr_expect(eq(int, rc, PE_EFULL));
	rc = pe_store_commit(at.store, &at.err);
	/* Whether SQLite could keep the transaction or had to end it: all of it or none. */
	expect_stored(rc == PE_OK ? n : 0);
	OK(pe_store_begin(at.store, &at.err));
	OK(pe_store_commit(at.store, &at.err));
}

/* The system refuses to let files grow: real write errors, in the log and while it is written back. */
Test(store, promise_7_refused_writes_keep_what_was_stored)
{
	const rlim_t rooms[] = {100 * 1024, 400 * 1024, 2 * 1024 * 1024};
	struct rlimit limit;
	struct stat status;
	unsigned n;
	int rc;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	for (unsigned i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		struct rlimit small = {0, limit.rlim_max};

		/* What is synced is not asked here, and to sync hundreds of runs takes minutes on a busy disk. */
		OK(pe_sql_script(at.store, "PRAGMA synchronous = OFF", &at.err));
		cr_assert_eq(stat(pe_arena_printf(&at.arena, "%s-wal", at.path), &status), 0);
		small.rlim_cur = (rlim_t)status.st_size + rooms[i];
		cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
		n = put_until_full(&rc);
		cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		cr_expect(eq(int, rc, PE_EFULL));
		cr_expect(gt(uint, n, 2));
		cr_expect_has(at.err.message, "what was stored before is whole");
		expect_stored(n);
		fixture_close(&at);
		fixture_open_filled(&at);
	}
}

/* --- Damaged files --- */

static void overwrite(long from, size_t n)
{
	char noise[4096];
	int fd = open(at.path, O_WRONLY);

	memset(noise, 0x5A, sizeof(noise));
	cr_assert_neq(fd, -1);
	while (n > 0) {
		size_t part = n < sizeof(noise) ? n : sizeof(noise);

		cr_assert_eq(pwrite(fd, noise, part, from), (ssize_t)part);
		from += (long)part;
		n -= part;
	}
	close(fd);
}

Test(store, file_that_is_no_database_is_named_with_a_remedy)
{
	close_own();
	overwrite(0, 100);
	for (unsigned flags = 0; flags <= PE_OPEN_READONLY; flags++) {
		cr_expect(eq(int, pe_store_open(&opened, at.path, flags, &at.err), PE_ESTORE));
		cr_expect_null(opened);
		cr_expect_has(at.err.message, at.path);
		cr_expect_has(at.err.message, "not a perfevo database");
	}
}

Test(store, folder_in_the_place_of_the_file)
{
	cr_expect_fails(pe_store_open(&opened, at.dir, 0, &at.err), PE_ESTORE, at.err.message,
			at.dir);
}

/* SQL of a foreign file, or of a damaged one, cannot go on for ever or take all memory. */
Test(store, row_that_never_comes_is_given_up)
{
	static const char endless[] =
		"WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
		" SELECT x FROM n WHERE x < 0";
	int64_t got;

	fixture_reopen(&at, PE_OPEN_READONLY);
	at.store->row_s = 0;
	cr_expect_fails(pe_sql_integer(&got, at.store, endless, NULL, &at.err), PE_ESTORE,
			at.err.message, "did not answer within");
	at.store->row_s = PE_STORE_ROW_S;
	cr_expect(eq(int, pe_sql_integer(&got, at.store, "SELECT 1", NULL, &at.err), PE_OK));
}

Test(store, file_is_opened_with_no_trust_in_it)
{
	int64_t got = -1;

	for (unsigned flags = 0; flags <= PE_OPEN_READONLY; flags++) {
		int defensive = 0, trusted = 1;

		fixture_reopen(&at, flags);
		sqlite3_db_config(at.store->db, SQLITE_DBCONFIG_DEFENSIVE, -1, &defensive);
		sqlite3_db_config(at.store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &trusted);
		cr_expect(eq(int, defensive, 1));
		cr_expect(eq(int, trusted, 0));
		cr_assert_eq(
			pe_sql_integer(&got, at.store, "PRAGMA cell_size_check", NULL, &at.err),
			PE_OK);
		cr_expect(eq(i64, got, 1));
		cr_expect_fails(pe_sql_integer(&got, at.store, "SELECT length(zeroblob(300 << 20))",
					       NULL, &at.err),
				PE_ESTORE, at.err.message, "more than 256 MiB");
	}
}

/* --- Where the file lies --- */

Test(store, file_systems_of_networks_are_known_by_their_numbers)
{
	cr_expect_str_eq(pe_network_name(0x6969), "NFS");
	cr_expect_str_eq(pe_network_name((int)0xff534d42), "CIFS"); /* a long of 32 bits */
	cr_expect_null(pe_network_name(0xef53), "ext4");
	cr_expect_null(pe_network_name(0x01021994), "tmpfs");
	cr_expect_null(pe_network_of(at.path));
	cr_expect_null(pe_network_of("/proc/nothing/there"));
}

/* The write-ahead log needs memory that all who open the file share. */
Test(store, network_file_systems_get_the_journal_that_works_there)
{
	struct pe_store *other;

	fixture_machine(&at, "kept");
	for (unsigned from = 0; from <= 1;
	     from++) { /* a new file, and one with the other journal */
		fixture_reopen(&at, PE_OPEN_NETWORK);
		cr_expect_str_eq(fixture_ask_text(&at, "PRAGMA journal_mode"), "delete");
		cr_assert_ok(
			pe_store_open(&other, at.path, PE_OPEN_READONLY | PE_OPEN_NETWORK, &at.err),
			at.err.message);
		pe_store_close(other);
		fixture_machine(&at, from == 0 ? "one" : "two");
		cr_expect(eq(i64, fixture_rows(&at, "machines"), 3 + from));
		fixture_reopen(&at, 0);
		cr_expect_str_eq(fixture_ask_text(&at, "PRAGMA journal_mode"), "wal");
	}
	fixture_expect_whole(&at);
}

/* --- Handles beside each other --- */
