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

/* Rows of the tables that gc drops of. */
static const char *sizes(void)
{
	return fixture_ask_text(&at, "SELECT (SELECT count(*) FROM revisions) || ' revisions ' ||"
				     " (SELECT count(*) FROM parents) || ' parents ' ||"
				     " (SELECT count(*) FROM benchmarks) || ' benchmarks ' ||"
				     " (SELECT count(*) FROM builds) || ' builds ' ||"
				     " (SELECT count(*) FROM batches) || ' batches ' ||"
				     " (SELECT count(*) FROM batches WHERE is_open) || ' open ' ||"
				     " (SELECT count(*) FROM batch_cells) || ' cells ' ||"
				     " (SELECT count(*) FROM runs) || ' runs ' ||"
				     " (SELECT count(*) FROM samples) || ' samples ' ||"
				     " (SELECT count(*) FROM series) || ' series ' ||"
				     " (SELECT count(*) FROM jumps) || ' jumps'");
}

static const char *id_of(unsigned revision)
{
	return pe_arena_printf(&at.arena, "%040x", revision);
}

Test(upkeep, unreachable_revisions_go_with_everything_of_theirs)
{
	const struct pe_build built = {.outcome = PE_MEASURED};
	const struct pe_jump jumps[] = {
		{.before = 0, .after = 1}, {.before = 1, .after = 2}, {.before = 2, .after = 3}};
	const char *keep[] = {id_of(0), id_of(2), id_of(3)};
	struct pe_store_gc what = {.unreachable = true, .dry_run = true, .keep = {keep, 3}};
	const char *before;
	int64_t key;

	fill_batch(0);
	for (unsigned i = 0; i < N_REVISIONS; i++)
		OK(pe_store_put_build(&key, at.store, at.revisions[i], at.machine, "r", &built,
				      &at.err));
	OK(fixture_replace_jumps(&at, 0, "wall", jumps, 3));
	before = sizes();
	cr_expect_str_eq(before, "4 revisions 3 parents 2 benchmarks 4 builds 1 batches 1 open "
				 "8 cells 8 runs 40 samples 10 series 3 jumps");
	dropped = collect(&what);
	cr_expect_text("1 2", dropped.revisions, dropped.runs);
	cr_expect_str_eq(sizes(), before);
	what.dry_run = false;
	dropped = collect(&what);
	cr_expect_text("1 2 0", dropped.revisions, dropped.runs, dropped.benchmarks);
	cr_expect_str_eq(sizes(), "3 revisions 2 parents 2 benchmarks 3 builds 1 batches 1 open "
				  "6 cells 6 runs 30 samples 10 series 1 jumps");
	cr_expect(eq(i64, fixture_rows(&at, "revisions WHERE id LIKE '%1'"), 0));
	/* Again: nothing is left to drop. */
	dropped = collect(&what);
	cr_expect(eq(u64, dropped.revisions + dropped.runs, 0));
}

Test(upkeep, old_versions_go_and_the_newest_stays)
{
	struct pe_store_gc what = {.old_versions = true};

	fill_batch(0);
	at.benchmarks[0] = fixture_benchmark(&at, "parse", "v2");
	at.batch = fixture_batch(&at, at.machine);
	fill_batch(1);
	dropped = collect(&what);
	cr_expect_text("1 4", dropped.benchmarks, dropped.runs);
	cr_expect_str_eq(sizes(), "4 revisions 3 parents 2 benchmarks 0 builds 2 batches 2 open "
				  "12 cells 12 runs 60 samples 10 series 0 jumps");
	cr_expect_text("0 4", fixture_rows(&at, "runs WHERE benchmark = 1"),
		       fixture_rows(&at, "batch_cells WHERE batch = 1"));
	/* Its key is not given to another one. */
	cr_expect(gt(i64, fixture_benchmark(&at, "third", "v1"), at.benchmarks[0]));
}

Test(upkeep, runs_by_age_go_but_for_kept_revisions)
{
	const char *keep = id_of(3);
	struct pe_store_gc what = {.before_s = 1700000001, .keep = {&keep, 1}};

	fill_batch(0); /* at 1700000000 s */
	at.batch = fixture_batch(&at, at.machine);
	fill_batch(1); /* a second later */
	dropped = collect(&what);
	cr_expect_text("6 0 2 8", dropped.runs, dropped.revisions,
		       fixture_rows(&at, "runs WHERE round = 0"),
		       fixture_rows(&at, "runs WHERE round = 1"));
	/* A batch that lost runs to their age is over, the other goes on. */
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT group_concat(is_open) FROM (SELECT * FROM"
					       " batches ORDER BY key)"),
			 "0,1");
}

Test(upkeep, batches_without_runs_go_once_they_are_closed)
{
	struct pe_store_gc what = {.before_s = 1800000000};

	fill_batch(0);
	fixture_batch(&at, at.machine); /* open, nothing run yet: a plan */
	OK(pe_store_close_batch(at.store, at.batch, &at.err));
	collect(&what);
	cr_expect_str_eq(sizes(), "4 revisions 3 parents 2 benchmarks 0 builds 1 batches 1 open "
				  "8 cells 0 runs 0 samples 0 series 0 jumps");
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
		const char *keep[N_REVISIONS];
		bool kept[N_REVISIONS];
		struct pe_store_gc what = {.keep = {keep, 0}};
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
				keep[what.keep.n++] = id_of(i);
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
			int64_t there = fixture_rows(
				&at,
				pe_arena_printf(
					&at.arena,
					"runs WHERE round = %u AND revision = %lld AND benchmark = %lld",
					round, (long long)at.revisions[r],
					(long long)at.benchmarks[w]));

			n_dropped += drop;
			cr_expect(eq(i64, there, !drop), "seed %u: round %u of (%u, %u)",
				  (unsigned)seed, round, r, w);
		}
		cr_expect(eq(u64, dropped.runs, n_dropped));
		cr_expect(eq(i64, fixture_rows(&at, "samples"), 5 * fixture_rows(&at, "runs")));
	}
}
