/*
 * Promises 1, 4 and 6 when the power goes: at each call that changes a file, images of what a disk may hold then (power.h).
 * In every image the file is whole; what was reported as stored is there, once, each run with all of its samples; and
 * the next command goes on. PERFEVO_FAULTS=all takes four images at every call, otherwise it is one at a stride of them.
 */
#include "fixture.h"
#include "power.h"

#include "store/exchange.h"

#include "tests/support/data_file.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <sqlite3.h>

TestSuite(power, .timeout = 600);

enum { ROUNDS = 3, RUNS = ROUNDS * N_REVISIONS * N_BENCHMARKS, STRIDE = 19 };

/* What the calls said, and how much more the call under way may have stored. */
static struct told {
	bool filled; /* tables are there */
	int64_t runs, builds, confirmations;
	int64_t more_runs;
} told;

static struct fixture at;
static struct pe_random chance;
static unsigned n_images;

/* --- An image, and what it must hold --- */

static void expect_count(const struct fixture *image, const char *what, int64_t least, int64_t more)
{
	char sql[64];
	int64_t n;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", what);
	n = fixture_ask(image, sql);
	cr_expect(n >= least && n <= least + more,
		  "image %u, call %ld: %lld %s, %lld were reported", n_images, power_calls(),
		  (long long)n, what, (long long)least);
}

static void expect_kept(const struct fixture *image)
{
	if (!told.filled && access(image->path, F_OK) != 0)
		return;
	fixture_expect_whole(image);
	if (!told.filled)
		return;
	expect_count(image, "runs", told.runs, told.more_runs);
	expect_count(image, "builds", told.builds, 1);
	expect_count(image, "confirmations", told.confirmations, 1);
	cr_expect(eq(i64, fixture_ask(image, "SELECT count(*) FROM samples"),
		     3 * fixture_ask(image, "SELECT count(*) FROM runs")),
		  "image %u: a run without all its samples", n_images);
}

static void try_image(void)
{
	struct fixture image = {0};

	snprintf(image.dir, sizeof(image.dir), "%.50s/cut", at.dir);
	snprintf(image.path, sizeof(image.path), "%s/perfevo.db", image.dir);
	cr_assert_eq(mkdir(image.dir, 0700), 0);
	power_image(image.dir, &chance);
	n_images++;
	expect_kept(&image);
	/* And the next command goes on. */
	fixture_reopen(&image, 0);
	fixture_machine(&image, "after");
	expect_kept(&image);
	fixture_close(&image);
}

static void try_images(void)
{
	for (int i = getenv("PERFEVO_FAULTS") != NULL ? 4 : 1; i > 0; i--)
		try_image();
}

/* The folder of a store that is not there yet, which is followed from its first byte on. */
static void begin(void)
{
	fixture_open(&at);
	pe_store_close(at.store);
	at.store = NULL;
	cr_assert_eq(unlink(at.path), 0);
	told = (struct told){0};
	n_images = 0;
	pe_random_seed(&chance, 20260);
	power_begin(getenv("PERFEVO_FAULTS") != NULL ? 1 : STRIDE, try_images);
}

static void end(unsigned least)
{
	cr_expect(ge(uint, n_images, least));
	power_end();
	fixture_close(&at);
}

/* --- What commands store --- */

static void fill(unsigned flags)
{
	fixture_reopen(&at, flags);
	at.machine = fixture_machine(&at, "alpha");
	for (unsigned i = 0; i < N_REVISIONS; i++)
		at.revisions[i] = fixture_revision(&at, i);
	at.benchmarks[0] = fixture_benchmark(&at, "parse", "v1");
	at.benchmarks[1] = fixture_benchmark(&at, "sort", "v1");
	at.batch = fixture_batch(&at, at.machine);
	told.filled = true;
}

static void measure(void)
{
	for (unsigned i = 0; i < RUNS; i++) {
		struct pe_build build = {.outcome = PE_MEASURED, .log = ""};
		struct pe_run run = fixture_run(i / (N_REVISIONS * N_BENCHMARKS), 3, i);
		unsigned r = i % N_REVISIONS;
		int64_t key;

		OK(pe_store_put_build(&key, at.store, at.revisions[r], at.machine, "recipe", &build,
				      &at.err));
		told.builds++;
		told.more_runs = 1;
		fixture_put(&at, r, i / N_REVISIONS % N_BENCHMARKS, &run);
		told.runs++;
		told.more_runs = 0;
	}
}

static void confirm(void)
{
	for (unsigned r = 1; r < N_REVISIONS; r++) {
		struct pe_stored_confirmation one = {
			.machine = at.machine,
			.benchmark = at.benchmarks[0],
			.metric = "wall",
			.before = at.revisions[r - 1],
			.after = at.revisions[r],
			.first = at.revisions[r],
			.last = at.revisions[r],
			.batch = at.batch,
			.direction = 1,
			.opts = {.accept = 0.001,
				 .give_up = 0.3,
				 .suspected = 0.05,
				 .min_effect = 0.02,
				 .margin = 0.0025},
			.begun_s = 77,
		};

		OK(pe_store_put_confirmation(at.store, &one, &at.err));
		told.confirmations++;
		one.settled = true;
		OK(pe_store_put_confirmation(at.store, &one, &at.err));
	}
}

static void collect(void)
{
	struct pe_store_gc what = {.old_versions = true, .extractions = true};
	struct pe_store_gc_result result;

	OK(pe_store_collect(&result, at.store, &what, &at.err));
}

/* A command ends, and another opens the file. */
static void next_command(unsigned flags)
{
	pe_store_close(at.store);
	at.store = NULL;
	fixture_reopen(&at, flags);
}

static void work(unsigned flags)
{
	begin();
	fill(flags);
	measure();
	next_command(flags);
	confirm();
	collect();
	next_command(flags);
	end(40);
}

Test(power, a_cut_loses_nothing_that_was_reported)
{
	work(0);
}

Test(power, nor_with_the_journal_of_network_file_systems)
{
	work(PE_OPEN_NETWORK);
}

/* --- Results of others, which come in whole or not at all --- */

static int keep(const struct pe_document *document, void *payload)
{
	pe_text_add(payload, pe_text_str(&document->text));
	return PE_OK;
}

static struct pe_text results_of_another(struct fixture *other)
{
	struct pe_text text = PE_TEXT_INIT;

	fixture_open_filled(other);
	fixture_identify(other);
	for (unsigned i = 0; i < N_REVISIONS; i++) {
		struct pe_run run = fixture_run(0, 3, i + 1);

		fixture_put(other, i, 0, &run);
	}
	cr_assert_eq(
		pe_store_pack_batch(other->store, other->batch, false, keep, &text, &other->err),
		PE_OK);
	pe_store_close(other->store);
	other->store = NULL;
	return text;
}

Test(power, results_of_others_come_in_whole)
{
	struct fixture other;
	pe_auto_text text = results_of_another(&other);
	struct pe_results_source source = {
		.origin = PE_UNSIGNED, .remote = "hub", .now_s = 1700100000};
	struct pe_results_sum sum = {0};
	struct pe_results results;

	begin();
	fixture_reopen(&at, 0);
	for (unsigned i = 0; i < N_REVISIONS; i++)
		at.revisions[i] = fixture_revision(&at, i);
	told.filled = true;
	told.more_runs = N_REVISIONS;
	OK(pe_results_read(&results, at.store, pe_text_str(&text), &at.arena, &at.err));
	OK(pe_store_take_in(&sum, at.store, &source, &at.err));
	told = (struct told){.filled = true, .runs = N_REVISIONS};
	next_command(0);
	end(20);
	fixture_close(&other);
}

/* --- A file of an older schema --- */

static const char rows_of_9[] =
	"INSERT INTO machines VALUES (1, 'm', NULL, NULL, 2, 3, NULL, NULL);"
	"INSERT INTO revisions VALUES (1, 'aa', 1, NULL, 'one');"
	"INSERT INTO benchmarks VALUES (1, 'parse', 'v', 1, '{}', 0);"
	"INSERT INTO windows (key, machine, created_s, seed, is_open, env_bytes, cpu, nice, fixed_layout)"
	" VALUES (7, 1, 0, 0, 1, 0, -1, 0, 1);"
	"INSERT INTO window_cells (window, revision, benchmark, position, role, rounds)"
	" VALUES (7, 1, 1, 0, 0, 5);"
	"INSERT INTO runs VALUES ((1 << 32) + 1, 7, 1, 1, 0, 0, 0, 0, 0, 0, NULL);"
	"INSERT INTO metrics VALUES (1, '', 'wall', 'ns', 'wall time', 0, 0, 0, 0),"
	" (2, '', 'user', 'ns', 'user time', 0, 0, 0, 0), (3, '', 'sys', 'ns', 'time', 0, 0, 0, 0);"
	"INSERT INTO samples VALUES ((1 << 32) + 1, 1, 42), ((1 << 32) + 1, 2, 43),"
	" ((1 << 32) + 1, 3, 44);";

/* As an older perfevo left it. */
static void begin_with_9(void)
{
	pe_auto_text script = PE_TEXT_INIT;
	sqlite3 *db;

	begin();
	data_file(&script, "store", "schema_9.sql");
	pe_text_add(&script, rows_of_9);
	cr_assert_eq(sqlite3_open(at.path, &db), SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN",
				  NULL, NULL, NULL),
		     SQLITE_OK);
	cr_assert_eq(sqlite3_exec(db, script.data, NULL, NULL, NULL), SQLITE_OK, "%s",
		     sqlite3_errmsg(db));
	cr_assert_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	told = (struct told){.filled = true, .runs = 1};
	sqlite3_close(db);
}

Test(power, a_file_of_an_older_schema_is_lifted_whole)
{
	begin_with_9();
	fixture_reopen(&at, 0);
	next_command(0);
	end(20);
}
