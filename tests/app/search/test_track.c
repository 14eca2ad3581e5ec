/* Tracking a history in which one commit is slower, with commands that are not started. */
#include "app/search/track.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;

TestSuiteWith(track, (void)0, app_fixture_close(&fixture), .timeout = 600);

enum { CULPRIT = 9 };

static const char one_benchmark[] =
	"build: ./build\n"
	"metrics:\n"
	"  cpu: {judge: false}\n"
	"benchmarks:\n"
	"  only: {command: ./only, setup: ./up, cleanup: ./down, warmup: 1, repeats: 6}\n";

static uint32_t state;

/* One per cent of noise, and 20 % more from one commit on. */
static void jump(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	(void)payload;
	state = state * 1664525u + 1013904223u;
	result->cost.wall_ns = 1000000 + (state >> 8) % 20000;
	if (command->revision >= CULPRIT)
		result->cost.wall_ns += 200000;
}

static void open_history(size_t n)
{
	app_fixture_open(&fixture, n, one_benchmark);
	fixture.executor.answer = jump;
	state = 1;
}

static int track(const struct pe_track_request *request)
{
	struct pe_track_request whole = *request;
	struct pe_session session;
	int rc;

	whole.first = fixture.commits.at[0].id;
	app_fixture_open_session(&fixture, &session, fixture.commits.n);
	rc = pe_track_measure(&session, &whole);
	pe_session_close(&session);
	return rc;
}

static void expect_found(void)
{
	const struct fake_executor *fake = &fixture.executor;

	EXPECT_ROWS(
		"confirmations_named c JOIN revisions v ON v.id = c.after WHERE answer = 'confirmed' AND metric = 'wall' AND v.subject = 'change 9'",
		1);
	EXPECT_ROWS("batches WHERE is_open", 0);
	cr_expect(eq(sz, fake_executor_ran(fake, 0, "./up", UINT_MAX),
		     fake_executor_ran(fake, 0, "./down", UINT_MAX)));
}

Test(track, measures_and_confirms_and_has_nothing_to_do_then)
{
	const struct pe_track_request request = {.all = true};

	open_history(16);
	OK(track(&request));
	expect_found();
	app_fixture_reopen(&fixture);
	OK(track(&request));
	cr_expect(eq(sz, fixture.executor.commands.n, 0));
}

Test(track, goes_on_after_ctrl_c_in_a_confirmation)
{
	const struct pe_track_request request = {.all = true};
	size_t measured;

	open_history(16);
	/* Builds, probes, warm-ups, rounds, counts: and then some pairs. */
	fixture.executor.stop_after = 16 * (1 + 3 + 2 + 1 + 6 + 2) + 12;
	cr_assert(eq(int, track(&request), PE_ESTOPPED));
	cr_expect(eq(sz, RAN("./up", UINT_MAX), RAN("./down", UINT_MAX)));
	measured = (size_t)app_fixture_ask(&fixture, "SELECT count(*) FROM batches w JOIN runs r "
						     "ON r.batch = w.key WHERE w.aside");
	cr_expect(gt(sz, measured, 0));
	app_fixture_reopen(&fixture);
	fixture.executor.answer = jump;
	OK(track(&request));
	expect_found();
	EXPECT_ROWS("confirmations", 1);
}

struct looking {
	const struct fake_executor *fake;
	size_t looks, builds; /* builds: before the first look */
};

static void look(void *payload)
{
	struct looking *looking = payload;

	if (looking->looks++ == 0)
		looking->builds = fake_executor_ran(looking->fake, 0, "./build", UINT_MAX);
}

/* What is waited for is known when two commits are built: who looks on sees both ends before all else. */
Test(track, explores_both_ends_first)
{
	enum { COMMITS = 40 };
	struct pe_track_request request = {.adaptive = true, .no_confirm = true};
	struct pe_session session;
	struct looking looking = {.fake = &fixture.executor};

	open_history(COMMITS);
	request.first = fixture.commits.at[0].id;
	app_fixture_open_session(&fixture, &session, COMMITS);
	session.look = look;
	session.look_payload = &looking;
	OK(pe_track_measure(&session, &request));
	pe_session_close(&session);
	cr_expect(eq(sz, looking.builds, 2));
	cr_expect(gt(sz, looking.looks, 10));
	cr_expect(gt(sz, RAN("./build", 0), 0));
	cr_expect(gt(sz, RAN("./build", COMMITS - 1), 0));
}

struct building {
	const struct fake_executor *fake;
	size_t before, most; /* builds between two looks */
};

static void look_at_builds(void *payload)
{
	struct building *building = payload;
	size_t now = fake_executor_ran(building->fake, 0, "./build", UINT_MAX);

	building->most =
		now - building->before > building->most ? now - building->before : building->most;
	building->before = now;
}

/* @return  the most builds that were made before anything else was run, where one takes so long */
static size_t most_builds(double build_s)
{
	enum { COMMITS = 40 };
	struct pe_track_request request = {.budget_s = 300, .max_runs = 100, .no_confirm = true};
	struct pe_session session;
	struct building building = {.fake = &fixture.executor};
	const struct pe_build build = {.duration_ns = (uint64_t)(build_s * 1e9), .log = ""};
	int64_t key;

	open_history(COMMITS);
	fixture.app.config->recipe.parallel = 1;
	request.first = fixture.commits.at[0].id;
	app_fixture_open_session(&fixture, &session, COMMITS);
	for (size_t r = 0; r < COMMITS; r++)
		OK(pe_store_put_build(&key, fixture.app.store, session.revisions[r].key,
				      session.machine_key, session.recipe_hash, &build,
				      &fixture.err));
	session.look = look_at_builds;
	session.look_payload = &building;
	OK(pe_track_measure(&session, &request));
	pe_session_close(&session);
	app_fixture_close(&fixture);
	return building.most;
}

/* Nobody waits for a batch of builds that the time does not hold. */
Test(track, explores_with_as_many_builds_as_there_is_time_for)
{
	cr_expect(gt(sz, most_builds(1), 4));
	cr_expect(le(sz, most_builds(100), 4));
}

/* What is not known of costs is learnt at the newest commit, by as few runs as tell it; then the budget holds. */
Test(track, learns_what_runs_cost_before_it_decides)
{
	enum { COMMITS = 12 };
	struct pe_track_request request = {.patience_s = 1e9, .no_confirm = true};
	const struct fake_executor *fake = &fixture.executor;

	open_history(COMMITS);
	/* A build, a setup, a warm-up, a timed run, one that counts and a cleanup: then Ctrl-C. */
	fixture.executor.stop_after = 6;
	cr_assert(eq(int, track(&request), PE_ESTOPPED));
	cr_expect_text(
		"1 3 0 4", fake_executor_ran(fake, 0, "./build", COMMITS - 1),
		fake_executor_ran(fake, 0, "./only", COMMITS - 1),
		app_fixture_ask(&fixture, "SELECT count(*) FROM runs"),
		app_fixture_ask(&fixture, "SELECT count(DISTINCT kind) FROM costs WHERE n = 1"));
	cr_expect_has(pe_text_str(&fixture.notes), "is not known yet");
	app_fixture_reopen(&fixture);
	fixture.executor.answer = jump;
	request.patience_s = 1e-6;
	OK(track(&request));
	cr_expect_has(pe_text_str(&fixture.notes), "take up to");
	cr_expect(lt(i64, app_fixture_ask(&fixture, "SELECT count(*) FROM runs WHERE kind = 0"),
		     COMMITS * 6));
}
