/* gc drops what it says and nothing else, and gives the space back. */
#include "fixture.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static struct fixture at;
static struct pe_store_gc_result dropped; /* of the running test */

TestSuiteWith(upkeep, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

/* One measured run in every cell of the fixture's batch, of a size that shows in the file. */
static void fill_batch(unsigned round)
{
	for (unsigned r = 0; r < N_REVISIONS; r++) {
		for (unsigned w = 0; w < N_BENCHMARKS; w++) {
			struct pe_run run = fixture_run(round, 5, r + 10 * w);

			fixture_put(&at, r, w, &run);
		}
	}
}

static struct pe_store_gc_result collect(const struct pe_store_gc *what)
{
	struct pe_store_gc_result result;

	OK(pe_store_collect(&result, at.store, what, &at.err));
	fixture_expect_whole(&at);
	return result;
}

static int64_t rows(const char *table)
{
	return fixture_ask(&at, pe_arena_printf(&at.arena, "SELECT count(*) FROM %s", table));
}

Test(upkeep, unreachable_revisions_go_with_everything_of_theirs)
{
	const struct pe_build built = {.outcome = PE_MEASURED};
	const struct pe_stored_jump jumps[] = {
		{.before = at.revisions[0], .after = at.revisions[1]},
		{.before = at.revisions[1], .after = at.revisions[2]},
		{.before = at.revisions[2], .after = at.revisions[3]},
	};
	char keep[3][PE_OID_HEX];
	struct pe_store_gc what = {
		.unreachable = true, .n_keep = 3, .keep = (const char(*)[PE_OID_HEX])keep};
	int64_t key;

	fill_batch(0);
	for (unsigned i = 0; i < N_REVISIONS; i++)
		OK(pe_store_put_build(&key, at.store, at.revisions[i], at.machine, "r", &built,
				      &at.err));
	OK(pe_store_replace_jumps(at.store, at.machine, at.benchmarks[0], "wall", jumps, 3,
				  &at.err));
	snprintf(keep[0], PE_OID_HEX, "%040x", 0u);
	snprintf(keep[1], PE_OID_HEX, "%040x", 2u);
	snprintf(keep[2], PE_OID_HEX, "%040x", 3u);

	what.dry_run = true;
	dropped = collect(&what);
	cr_expect(eq(u64, dropped.revisions, 1));
	cr_expect(eq(u64, dropped.runs, N_BENCHMARKS));
	cr_expect(eq(i64, fixture_rows(&at, "revisions"), N_REVISIONS));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), N_REVISIONS * N_BENCHMARKS));

	what.dry_run = false;
	dropped = collect(&what);
	cr_expect(eq(u64, dropped.revisions, 1));
	cr_expect(eq(u64, dropped.runs, N_BENCHMARKS));
	cr_expect(eq(u64, dropped.benchmarks, 0));
	cr_expect(eq(i64, fixture_rows(&at, "revisions WHERE id LIKE '%1'"), 0));
	cr_expect(eq(i64, fixture_rows(&at, "revisions"), N_REVISIONS - 1));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), (N_REVISIONS - 1) * N_BENCHMARKS));
	cr_expect(eq(i64, fixture_rows(&at, "samples"), 5 * (N_REVISIONS - 1) * N_BENCHMARKS));
	cr_expect(eq(i64, fixture_rows(&at, "batch_cells"), (N_REVISIONS - 1) * N_BENCHMARKS));
	cr_expect(eq(i64, fixture_rows(&at, "builds"), N_REVISIONS - 1));
	cr_expect(eq(i64, fixture_rows(&at, "parents"), N_REVISIONS - 2));
	cr_expect(eq(i64, fixture_rows(&at, "jumps"), 1));
	cr_expect(eq(i64, fixture_rows(&at, "batches WHERE is_open"), 1));
	/* Again: nothing is left to drop. */
	dropped = collect(&what);
	cr_expect(eq(u64, dropped.revisions + dropped.runs, 0));
}

Test(upkeep, old_versions_go_and_the_newest_stays)
{
	struct pe_store_gc what = {.old_versions = true};
	int64_t old = at.benchmarks[0];
	int64_t first_batch = at.batch;

	fill_batch(0);
	at.benchmarks[0] = fixture_benchmark(&at, "parse", "v2");
	at.batch = fixture_batch(&at, at.machine);
	fill_batch(1);
	dropped = collect(&what);
	cr_expect(eq(u64, dropped.benchmarks, 1));
	cr_expect(eq(u64, dropped.runs, N_REVISIONS));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), N_REVISIONS * 3));
	cr_expect_text(
		"0 2 10 2",
		rows(pe_arena_printf(&at.arena, "runs WHERE benchmark = %lld", (long long)old)),
		fixture_rows(&at, "benchmarks"), fixture_rows(&at, "series"),
		fixture_rows(&at, "batches"));
	cr_expect(eq(i64,
		     rows(pe_arena_printf(&at.arena, "batch_cells WHERE batch = %lld",
					  (long long)first_batch)),
		     N_REVISIONS));
	/* Its key is not given to another one. */
	cr_expect(gt(i64, fixture_benchmark(&at, "third", "v1"), at.benchmarks[0]));
}

Test(upkeep, runs_by_age_go_but_for_kept_revisions)
{
	char keep[1][PE_OID_HEX];
	struct pe_store_gc what = {
		.before_s = 1700000001, .n_keep = 1, .keep = (const char(*)[PE_OID_HEX])keep};
	int64_t first = at.batch, second;

	fill_batch(0); /* at 1700000000 s */
	second = at.batch = fixture_batch(&at, at.machine);
	fill_batch(1); /* a second later */
	snprintf(keep[0], PE_OID_HEX, "%040x", 3u);
	dropped = collect(&what);
	cr_expect(eq(u64, dropped.runs, (N_REVISIONS - 1) * N_BENCHMARKS));
	cr_expect(eq(u64, dropped.revisions, 0));
	cr_expect(eq(i64, fixture_rows(&at, "runs WHERE round = 0"), N_BENCHMARKS));
	cr_expect(eq(i64, fixture_rows(&at, "runs WHERE round = 1"), N_REVISIONS * N_BENCHMARKS));
	cr_expect(eq(i64, fixture_rows(&at, "revisions"), N_REVISIONS));
	/* A batch that lost runs to their age is over, the other goes on. */
	cr_expect(
		eq(i64,
		   fixture_ask(&at, pe_arena_printf(&at.arena,
						    "SELECT is_open FROM batches WHERE key = %lld",
						    (long long)first)),
		   0));
	cr_expect(
		eq(i64,
		   fixture_ask(&at, pe_arena_printf(&at.arena,
						    "SELECT is_open FROM batches WHERE key = %lld",
						    (long long)second)),
		   1));
}

Test(upkeep, batches_without_runs_go_once_they_are_closed)
{
	struct pe_store_gc what = {.before_s = 1800000000};

	fill_batch(0);
	fixture_batch(&at, at.machine); /* open, nothing run yet: a plan */
	OK(pe_store_close_batch(at.store, at.batch, &at.err));
	collect(&what);
	cr_expect_text("0 0 0 1 1", fixture_rows(&at, "runs"), fixture_rows(&at, "samples"),
		       fixture_rows(&at, "series"), fixture_rows(&at, "batches"),
		       fixture_rows(&at, "batches WHERE is_open"));
	cr_expect(eq(i64, fixture_rows(&at, "batch_cells"), N_REVISIONS * N_BENCHMARKS));
}

Test(upkeep, space_goes_back_to_the_file_system)
{
	struct pe_store_gc what = {.before_s = 1700000000 + 650};
	int64_t survivors;

	OK(pe_store_begin(at.store, &at.err));
	for (unsigned round = 0; round < 700; round++)
		fill_batch(round);
	OK(pe_store_commit(at.store, &at.err));
	fixture_reopen(&at, 0);
	dropped = collect(&what);
	survivors = 50 * N_REVISIONS * N_BENCHMARKS;
	cr_expect(eq(u64, dropped.runs, 650 * N_REVISIONS * N_BENCHMARKS));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), survivors));
	cr_expect(lt(u64, dropped.bytes_after, dropped.bytes_before / 2));
	cr_expect(eq(i64, fixture_ask(&at, "PRAGMA freelist_count"), 0));
}

Test(upkeep, logs_of_overtaken_failures_shrink_to_their_end)
{
	char log[20001];
	struct pe_run failed;
	struct pe_build broken = {.outcome = PE_BUILD_FAILED, .step = "make", .log = log};
	int64_t key;

	memset(log, 'x', sizeof(log));
	memcpy(log + 19990, "the end...", 11);
	failed = fixture_failure(0, PE_CRASHED, log);
	fixture_put(&at, 0, 0, &failed);
	failed.round = 1;
	fixture_put(&at, 0, 0, &failed);
	fixture_put(&at, 1, 0, &failed); /* the only one of its cell */
	OK(pe_store_put_build(&key, at.store, at.revisions[0], at.machine, "r", &broken, &at.err));
	OK(pe_store_put_build(&key, at.store, at.revisions[0], at.machine, "r", &broken, &at.err));
	collect(&(struct pe_store_gc){.dry_run = true});
	cr_expect(eq(i64, fixture_ask(&at, "SELECT sum(length(log)) FROM runs"), 60000));
	collect(&(struct pe_store_gc){0});
	cr_expect_text(
		"4096,20000,20000 4096,20000 the end...",
		fixture_ask_text(
			&at,
			"SELECT group_concat(length(log)) FROM (SELECT * FROM runs ORDER BY key)"),
		fixture_ask_text(&at, "SELECT group_concat(length(log)) FROM (SELECT * "
				      "FROM builds ORDER BY key)"),
		fixture_ask_text(&at, "SELECT substr(log, -10) FROM runs ORDER BY key"));
}

Test(upkeep, dry_run_works_on_a_file_opened_to_read)
{
	struct pe_store_gc what = {.before_s = 1800000000, .dry_run = true};

	fill_batch(0);
	fixture_reopen(&at, PE_OPEN_READONLY);
	OK(pe_store_collect(&dropped, at.store, &what, &at.err));
	cr_expect(eq(u64, dropped.runs, N_REVISIONS * N_BENCHMARKS));
	what.dry_run = false;
	cr_expect(eq(int, pe_store_collect(&dropped, at.store, &what, &at.err), PE_ESTORE));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), N_REVISIONS * N_BENCHMARKS));
}

/* Random requests against a model of what must stay. */
Test(upkeep, what_is_dropped_is_exactly_what_was_asked)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		char keep[N_REVISIONS][PE_OID_HEX];
		bool kept[N_REVISIONS];
		struct pe_store_gc what = {.keep = (const char(*)[PE_OID_HEX])keep};
		struct pe_random random = random_of(seed);
		unsigned n_dropped = 0;

		fixture_close(&at);
		fixture_open_filled(&at);
		fill_batch(0);
		fill_batch(1);
		fill_batch(2);
		fixture_benchmark(&at, "parse", "v2"); /* benchmarks[0] is old now */
		for (unsigned i = 0; i < N_REVISIONS; i++) {
			kept[i] = pe_random_below(&random, 2) != 0;
			if (kept[i])
				snprintf(keep[what.n_keep++], PE_OID_HEX, "%040x", i);
		}
		what.unreachable = pe_random_below(&random, 2) != 0;
		what.old_versions = pe_random_below(&random, 2) != 0;
		if (pe_random_below(&random, 2) != 0)
			what.before_s = 1700000000 + (int64_t)pe_random_below(&random, 4);
		dropped = collect(&what);
		for (unsigned i = 0; i < 3 * N_REVISIONS * N_BENCHMARKS; i++) {
			unsigned round = i / (N_REVISIONS * N_BENCHMARKS);
			unsigned r = i / N_BENCHMARKS % N_REVISIONS, w = i % N_BENCHMARKS;
			bool drop = (what.unreachable && !kept[r]) ||
				    (what.old_versions && w == 0) ||
				    (1700000000 + (int64_t)round < what.before_s && !kept[r]);
			int64_t there = rows(pe_arena_printf(
				&at.arena,
				"runs WHERE round = %u AND revision = %lld AND benchmark = %lld",
				round, (long long)at.revisions[r], (long long)at.benchmarks[w]));

			n_dropped += drop;
			cr_expect(eq(i64, there, !drop), "seed %u: round %u of (%u, %u)",
				  (unsigned)seed, round, r, w);
		}
		cr_expect(eq(u64, dropped.runs, n_dropped));
		cr_expect(eq(i64, fixture_rows(&at, "samples"), 5 * fixture_rows(&at, "runs")));
	}
}
