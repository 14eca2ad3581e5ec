/*
 * Measuring a stretch of history, with commands that are not started: what is run, in which order, and what is in
 * the store afterwards.
 */
#include "app/measure/session.h"

#include "store/sql.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;

TestSuiteWith(session, (void)0, app_fixture_close(&fixture), .timeout = 600);

enum { COMMITS = 5, TIMED = 4 + 3, COUNTED = 2 };

static const unsigned ANY = UINT_MAX;

static const char two_benchmarks[] =
	"build: ./build\n"
	"benchmarks:\n"
	"  first: {command: ./first, setup: ./up, cleanup: ./down, warmup: 1, repeats: 4}\n"
	"  second: {command: ./second, warmup: 0, repeats: 3, allocations: false}\n";

static int measure_last(size_t n)
{
	struct pe_session session;
	int rc;

	app_fixture_open_session(&fixture, &session, n);
	rc = pe_session_measure(&session);
	pe_session_close(&session);
	return rc;
}

/* The runs that are stored, as one number: equal sets of (batch, revision, benchmark, kind, round). */
static int64_t fingerprint(void)
{
	return app_fixture_ask(&fixture,
			       "SELECT sum((batch * 7 + revision * 101 + benchmark * 1009) * "
			       "(kind * 3 + round * 5 + 1)) FROM runs");
}

static void expect_whole(size_t n)
{
	EXPECT_ROWS("runs WHERE kind = 0", (int64_t)(TIMED * n));
	EXPECT_ROWS("runs WHERE kind = 1", (int64_t)(COUNTED * n));
	EXPECT_ROWS("batches WHERE is_open", 0);
}

Test(session, measures_every_cell_and_closes_its_batch)
{
	app_fixture_open(&fixture, COMMITS, two_benchmarks);
	OK(measure_last(COMMITS));
	expect_whole(COMMITS);
	EXPECT_ROWS("batches", 1);
	cr_expect(eq(sz, RAN("./build", ANY), COMMITS));
	for (unsigned r = 0; r < COMMITS; r++)
		cr_expect(eq(sz, RAN("./second", r), 3));
	/* The second time there is nothing to do. */
	app_fixture_reopen(&fixture);
	OK(measure_last(COMMITS));
	cr_expect(eq(sz, fixture.executor.commands.n, 0));
}

Test(session, interleaves_the_revisions_and_shuffles_each_round)
{
	app_fixture_open(&fixture, COMMITS, two_benchmarks);
	OK(measure_last(COMMITS));
	EXPECT_ROWS(
		"runs a JOIN runs b ON a.kind = 0 AND b.kind = 0 AND a.sequence < b.sequence AND a.round > b.round",
		0); /* a round is over before the next begins */
	EXPECT_ROWS("runs a JOIN runs b ON a.kind = 0 AND b.kind = 1 AND a.sequence < b.sequence",
		    0); /* all is counted before anything is timed */
	cr_expect(gt(i64,
		     app_fixture_ask(
			     &fixture,
			     "SELECT count(DISTINCT ids) FROM (SELECT group_concat(revision "
			     "|| ' ' || benchmark) AS ids FROM (SELECT * FROM runs WHERE kind "
			     "= 0 AND round < 3 ORDER BY sequence) GROUP BY round)"),
		     1),
		  "each round has an order of its own");
}

/* The position of the n-th command with this text at a revision, or the number of commands. */
static size_t position_of(const struct fake_executor *fake, const char *text, unsigned revision,
			  enum fake_kind kind, size_t nth)
{
	for (size_t i = 0; i < fake->commands.n; i++) {
		const struct fake_command *one = &fake->commands.data[i];

		if (one->revision == revision && one->kind == kind &&
		    strcmp(one->text, text) == 0 && nth-- == 0)
			return i;
	}
	return fake->commands.n;
}

Test(session, warms_up_after_setup_and_cleans_up_once_in_the_end)
{
	const struct fake_executor *fake = &fixture.executor;

	app_fixture_open(&fixture, COMMITS, two_benchmarks);
	OK(measure_last(COMMITS));
	for (unsigned r = 0; r < COMMITS; r++) {
		size_t up = position_of(fake, "./up", r, FAKE_PLAIN, 0);
		size_t warmup = position_of(fake, "./first", r, FAKE_PLAIN, 0);

		/* The probe of what is touched has a setup and a cleanup of its own. */
		cr_expect(eq(sz, fake_executor_ran(fake, 0, "./up", r), 2));
		cr_expect(eq(sz, fake_executor_ran(fake, 0, "./down", r), 2));
		cr_expect(lt(sz, position_of(fake, "./down", r, FAKE_PLAIN, 0), up));
		/* A warm-up, four timed runs, two that count. */
		cr_expect(eq(sz, fake_executor_ran(fake, up, "./first", r), 1 + 4 + 2));
		cr_expect(lt(sz, up, warmup));
		cr_expect(lt(sz, position_of(fake, "./first", r, FAKE_COUNT, 1),
			     position_of(fake, "./down", r, FAKE_PLAIN, 1)));
	}
}

static void fail_at_2(struct pe_proc_result *result, const struct fake_command *command,
		      void *payload)
{
	const char *text = payload;

	if (command->revision == 2 && strcmp(command->text, text) == 0)
		result->status = 3;
}

Test(session, a_failing_setup_is_stored_and_cleaned_up_after)
{
	app_fixture_open(&fixture, COMMITS, two_benchmarks);
	fixture.executor.answer = fail_at_2;
	fixture.executor.payload = (void *)"./up";
	OK(measure_last(COMMITS));
	cr_expect(eq(sz, RAN("./first", 2), 0));
	cr_expect(eq(sz, RAN("./down", 2), RAN("./up", 2)));
	EXPECT_ROWS("runs_failed", 1);
}

/* Ctrl-C after so many commands; then what another process makes of it. */
static void stop_and_go_on(size_t after, int64_t undisturbed)
{
	int64_t before;
	int rc;

	app_fixture_open(&fixture, COMMITS, two_benchmarks);
	fixture.executor.stop_after = after;
	rc = measure_last(COMMITS);
	cr_expect(rc == PE_ESTOPPED || rc == PE_OK, "after %zu: %s", after, fixture.err.message);
	cr_expect(eq(sz, RAN("./up", ANY), RAN("./down", ANY)),
		  "whoever set up cleans up, after %zu commands", after);
	before = app_fixture_ask(&fixture, "SELECT count(*) FROM runs");
	app_fixture_reopen(&fixture);
	OK(measure_last(COMMITS));
	cr_expect(eq(i64, fingerprint(), undisturbed), "after %zu commands", after);
	EXPECT_ROWS("batches", 1);
	cr_expect(le(i64, before, app_fixture_ask(&fixture, "SELECT count(*) FROM runs")));
	expect_whole(COMMITS);
	app_fixture_close(&fixture);
}

Test(session, goes_on_after_ctrl_c_with_the_same_plan)
{
	int64_t undisturbed;
	size_t n;

	app_fixture_open(&fixture, COMMITS, two_benchmarks);
	OK(measure_last(COMMITS));
	undisturbed = fingerprint();
	n = fixture.executor.commands.n;
	app_fixture_close(&fixture);
	/* While building, while setting up, in the rounds, while counting, while cleaning up. */
	for (size_t after = 2; after < n; after += 13)
		stop_and_go_on(after, undisturbed);
}

Test(session, later_commits_are_measured_beside_anchors)
{
	app_fixture_open(&fixture, COMMITS + 2, two_benchmarks);
	app_fixture_reopen(&fixture);
	{
		struct pe_revisions all = fixture.commits;

		fixture.commits.n = COMMITS;
		OK(measure_last(COMMITS));
		EXPECT_ROWS("batch_cells WHERE role = 1", 0);
		fixture.commits = all;
	}
	OK(measure_last(2));
	/* The two nearest, and the two that were measured first of all. */
	EXPECT_ASKED(
		"SELECT count(DISTINCT revision) FROM batch_cells WHERE role = 1 AND batch = 2", 4);
	EXPECT_ROWS("runs WHERE batch = 2 AND kind = 0", TIMED * (4 + 2));
	EXPECT_ROWS("runs WHERE batch = 2 AND kind = 1",
		    COUNTED * 2); /* anchors are not counted again */
}

/* Levels that are known to a thousandth after five rounds. */
static void steady(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	size_t *n = payload;

	(void)command;
	result->cost.wall_ns = 1000000 + 100 * (++*n % 7);
	result->cost.user_ns = result->cost.wall_ns;
}

Test(session, ends_a_cell_that_is_known_well_enough)
{
	static const char one[] = "build: ./build\n"
				  "benchmarks:\n"
				  "  long: {command: ./long, warmup: 0, repeats: 30, "
				  "allocations: false}\n";
	size_t n = 0;

	app_fixture_open(&fixture, COMMITS, one);
	fixture.executor.answer = steady;
	fixture.executor.payload = &n;
	OK(measure_last(COMMITS));
	/* Five rounds say enough; the newest commit has nothing after it that vouches for it. */
	for (unsigned r = 0; r + 1 < COMMITS; r++)
		cr_expect(eq(sz, RAN("./long", r), 5));
	cr_expect(eq(sz, RAN("./long", COMMITS - 1), 15));
	app_fixture_reopen(&fixture);
	OK(measure_last(COMMITS));
	cr_expect(eq(sz, fixture.executor.commands.n, 0), "it wants no more, in no batch");
}

/* Two revisions: in each round that is a multiple of `against`, the newer one takes a little less time, in the others more. */
struct apart {
	double more;
	size_t against, ran[2];
};

static void differ(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	struct apart *apart = payload;
	const bool new_one = command->revision == 1;
	const size_t round = apart->ran[new_one]++;
	const bool against = apart->against > 0 && round % apart->against == 0;
	const double more = against ? -apart->more / 10 : apart->more;

	result->cost.wall_ns =
		(uint64_t)(1e6 + 100 * (double)(round % 7) + (new_one ? 1e6 * more : 0));
	result->cost.user_ns = result->cost.wall_ns;
}

Test(session, ends_a_comparison_when_its_pairs_agree)
{
	static const char one[] = "build: ./build\n"
				  "benchmarks:\n"
				  "  long: {command: ./long, warmup: 0, repeats: 30, "
				  "allocations: false}\n";
	static const struct {
		double more;
		size_t against, rounds;
	} cases[] = {
		{0.1, 0, 10},
		{0.0, 0, 10},
		{0.1, 8, 21},
		{0.1, 3, 30},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apart apart = {cases[i].more, cases[i].against, {0, 0}};
		struct pe_session session;

		app_fixture_open(&fixture, 2, one);
		fixture.executor.answer = differ;
		fixture.executor.payload = &apart;
		app_fixture_open_session(&fixture, &session, 2);
		session.compares = true;
		OK(pe_session_measure(&session));
		pe_session_close(&session);
		for (unsigned r = 0; r < 2; r++)
			cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./long", r),
				     cases[i].rounds));
		app_fixture_close(&fixture);
	}
}

static uint64_t varying(const struct fake_command *command, void *payload)
{
	uint64_t *n = payload;

	(void)command;
	return 100 + ++*n;
}

Test(session, counts_that_vary_are_counted_more_often)
{
	uint64_t n = 0;

	app_fixture_open(&fixture, COMMITS, two_benchmarks);
	fixture.executor.count = varying;
	fixture.executor.payload = &n;
	OK(measure_last(COMMITS));
	EXPECT_ROWS("runs WHERE kind = 1", 8 * COMMITS);
	cr_expect(eq(sz, RAN("./up", ANY), RAN("./down", ANY)));
}

Test(session, what_has_no_room_waits_for_another_batch)
{
	static const char small[] = "build: ./build\n"
				    "disk: 60KiB\n"
				    "benchmarks:\n"
				    "  first: {command: ./first, repeats: 3, warmup: 0}\n";

	app_fixture_open(&fixture, 8, small);
	OK(measure_last(8));
	cr_expect(gt(i64, app_fixture_ask(&fixture, "SELECT count(*) FROM batches"), 1));
	EXPECT_ROWS("batches WHERE is_open", 0);
	EXPECT_ROWS(
		"runs r JOIN batch_cells c USING (batch, revision, benchmark) WHERE r.kind = 0 AND c.role = 0",
		3 * 8);
	cr_expect(gt(i64,
		     app_fixture_ask(&fixture, "SELECT count(*) FROM batch_cells WHERE role = 1"),
		     0));
}

/* A lock may not reach the other machines of a network file system: who holds it stands in it. */
Test(session, one_host_at_a_time_measures_into_a_store_on_a_network_file_system)
{
	static const char one[] = "benchmarks:\n"
				  "  first: {command: ./first, repeats: 3, warmup: 0}\n";
	struct pe_session session;
	pe_auto_text lock = PE_TEXT_INIT;
	const char *path;
	FILE *file;

	app_fixture_open(&fixture, 2, one);
	path = pe_arena_printf(&fixture.arena, "%s-lock", fixture.app.store_path);
	fixture.app.store->network = "NFS";
	for (int times = 0; times < 2; times++) { /* the second takes what the first gave back */
		app_fixture_open_session(&fixture, &session, 2);
		pe_text_clear(&lock);
		OK(pe_text_read_file(&lock, path, &fixture.err));
		cr_expect_str_eq(pe_text_str(&lock), session.machine.hostname);
		pe_session_close(&session);
	}
	cr_expect_has(pe_text_str(&fixture.notes), "network file system (NFS)");
	pe_text_clear(&lock);
	OK(pe_text_read_file(&lock, path, &fixture.err));
	cr_expect_str_eq(pe_text_str(&lock), "", "given back");
	file = fopen(path, "w");
	fputs("another-host", file);
	fclose(file);
	cr_expect_fails(pe_session_open(&session, &fixture.app, true), PE_EBUSY,
			fixture.err.message, "host 'another-host' measures into");
	pe_session_close(&session);
}
