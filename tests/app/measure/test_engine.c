/* Fresh runs in an order of the caller's, with commands that are not started. */
#include "app/measure/engine.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;

TestSuiteWith(engine, (void)0, app_fixture_close(&fixture), .timeout = 600);

enum { COMMITS = 3 };

static const char one_benchmark[] =
	"build: ./build\n"
	"benchmarks:\n"
	"  only: {command: ./only, setup: ./up, cleanup: [./down, ./away], warmup: 2, repeats: 4}\n";

static const struct pe_engine_opts opts = {.rounds = 10, .aside = true};

static struct pe_engine *open_all(struct pe_session *session)
{
	static const size_t revisions[] = {0, 1, 2}, benchmark = 0;
	struct pe_engine *engine;
	int rc = pe_engine_open(&engine, session, revisions, COMMITS, &benchmark, 1, &opts);

	cr_assert_ok(rc, session->app->err->message);
	return engine;
}

Test(engine, warms_up_before_timed_runs_also_after_counting_ones)
{
	const struct pe_engine_cell cell = {1, 0};
	struct pe_session session;
	struct pe_engine *engine;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	app_fixture_open_session(&fixture, &session, COMMITS);
	engine = open_all(&session);
	cr_assert(eq(int, pe_engine_count(engine, 0, &cell, 1), PE_OK));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./only", 1), 1));
	cr_assert(eq(int, pe_engine_round(engine, 0, &cell, 1), PE_OK));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./only", 1), 1 + 2 + 1));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./up", 1), 1));
	cr_expect(epsilon_eq(dbl, pe_engine_value(engine, cell, 0, "wall"), 1e6, 1));
	cr_expect(epsilon_eq(dbl, pe_engine_value(engine, cell, 0, "allocations"), 100, 0));
	cr_expect(isnan(pe_engine_value(engine, cell, 1, "wall")));
	cr_assert(eq(int, pe_engine_close(PE_OK, engine, true), PE_OK));
	pe_session_close(&session);
}

static void fail_to_clean_up(struct pe_proc_result *result, const struct fake_command *command,
			     void *payload)
{
	(void)payload;
	if (strcmp(command->text, "./down") == 0)
		result->status = 1;
}

Test(engine, runs_every_cleanup_command_also_after_one_that_fails)
{
	const struct pe_engine_cell cells[] = {{0, 0}, {2, 0}};
	struct pe_session session;
	struct pe_engine *engine;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	fixture.executor.answer = fail_to_clean_up;
	app_fixture_open_session(&fixture, &session, COMMITS);
	engine = open_all(&session);
	cr_assert(eq(int, pe_engine_round(engine, 0, cells, 2), PE_OK));
	cr_assert_ok(pe_engine_close(PE_OK, engine, true), fixture.err.message);
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./down", UINT_MAX), 2));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./away", UINT_MAX), 2));
	pe_session_close(&session);
}

Test(engine, goes_on_in_a_batch_that_was_left_open)
{
	const struct pe_engine_cell cells[] = {{0, 0}, {1, 0}, {2, 0}};
	static const size_t revisions[] = {2, 0}, benchmark = 0;
	struct pe_engine_opts again = opts;
	struct pe_session session;
	struct pe_engine *engine;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	app_fixture_open_session(&fixture, &session, COMMITS);
	engine = open_all(&session);
	cr_assert(eq(int, pe_engine_round(engine, 0, cells, 3), PE_OK));
	again.batch = pe_engine_batch(engine);
	cr_assert(eq(int, pe_engine_close(PE_OK, engine, false), PE_OK));
	pe_session_close(&session);

	/* Another process, other revisions in another order. */
	app_fixture_reopen(&fixture);
	app_fixture_open_session(&fixture, &session, COMMITS);
	cr_assert(eq(int, pe_engine_open(&engine, &session, revisions, 2, &benchmark, 1, &again),
		     PE_OK));
	cr_expect(epsilon_eq(dbl, pe_engine_value(engine, cells[0], 0, "wall"), 1e6, 1));
	cr_assert(eq(int, pe_engine_round(engine, 0, cells, 2), PE_OK));
	cr_expect(eq(sz, fixture.executor.commands.n, 0), "they have that run already");
	cr_assert(eq(int, pe_engine_round(engine, 1, cells, 2), PE_OK));
	cr_expect(eq(sz, pe_engine_runs(engine), 2));
	cr_assert(eq(int, pe_engine_close(PE_OK, engine, true), PE_OK));
	cr_expect(eq(i64, app_fixture_ask(&fixture, "SELECT count(*) FROM runs"), 5));
	pe_session_close(&session);
}

static void keep_total(const struct pe_progress_event *event, void *payload)
{
	if (event->phase == PE_PROGRESS_RUN)
		*(size_t *)payload = event->total;
}

Test(engine, a_whole_that_grew_under_way_is_not_told)
{
	const struct pe_engine_cell cells[] = {{0, 0}, {1, 0}};
	struct pe_session session;
	struct pe_engine *engine;
	size_t total = 0;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	app_fixture_open_session(&fixture, &session, COMMITS);
	fixture.app.progress = (struct pe_progress){keep_total, &total};
	engine = open_all(&session);
	pe_engine_expect(engine, 4);
	cr_assert(eq(int, pe_engine_round(engine, 0, cells, 2), PE_OK));
	cr_expect(eq(sz, total, 4), "what was expected");
	cr_assert(eq(int, pe_engine_round(engine, 1, cells, 2), PE_OK));
	cr_expect(eq(sz, total, 4));
	pe_engine_expect(engine, 2);
	cr_assert(eq(int, pe_engine_round(engine, 2, cells, 2), PE_OK));
	cr_expect(eq(sz, total, 0), "it may be asked for more again");
	cr_assert(eq(int, pe_engine_close(PE_OK, engine, true), PE_OK));
	engine = open_all(&session);
	pe_engine_expect(engine, 2);
	cr_assert(eq(int, pe_engine_round(engine, 0, cells, 2), PE_OK));
	cr_expect(eq(sz, total, 8), "another one begins anew");
	cr_assert(eq(int, pe_engine_close(PE_OK, engine, true), PE_OK));
	pe_session_close(&session);
}

static bool equal(const struct pe_engine_cell *a, const struct pe_engine_cell *b, size_t n)
{
	return memcmp(a, b, n * sizeof(*a)) == 0;
}

Test(engine, shuffles_each_round_and_kind_anew_and_alike_in_the_same_batch)
{
	enum { CELLS = 12 };
	struct pe_engine_cell first[CELLS], again[CELLS], second[CELLS], counted[CELLS];
	struct pe_session session;
	struct pe_engine *engine;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	app_fixture_open_session(&fixture, &session, COMMITS);
	engine = open_all(&session);
	for (size_t i = 0; i < CELLS; i++)
		first[i] = again[i] = second[i] = counted[i] = (struct pe_engine_cell){i, 0};
	pe_engine_shuffle(engine, PE_RUN_TIMED, 0, first, CELLS);
	pe_engine_shuffle(engine, PE_RUN_TIMED, 0, again, CELLS);
	pe_engine_shuffle(engine, PE_RUN_TIMED, 1, second, CELLS);
	pe_engine_shuffle(engine, PE_RUN_COUNTED, 0, counted, CELLS);
	cr_expect(equal(first, again, CELLS));
	cr_expect(not(equal(first, second, CELLS)));
	cr_expect(not(equal(first, counted, CELLS)));
	cr_assert(eq(int, pe_engine_close(PE_OK, engine, true), PE_OK));
	pe_session_close(&session);
}

Test(engine, an_evicted_revision_is_cleaned_up_and_set_up_anew)
{
	const struct pe_engine_opts lazy = {.rounds = 10, .lazy = true};
	const struct pe_engine_cell cells[] = {{0, 0}, {1, 0}};
	static const size_t both[] = {0, 1}, one[] = {1};
	struct pe_session session;
	struct pe_engine *engine;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	app_fixture_open_session(&fixture, &session, COMMITS);
	cr_assert(eq(int, pe_engine_open(&engine, &session, NULL, 0, NULL, 0, &lazy), PE_OK));
	cr_expect(eq(i64, pe_engine_batch(engine), 0), "nothing is planned");
	cr_assert(eq(int, pe_engine_load(engine, both, 2), PE_OK));
	cr_assert(eq(int, pe_engine_round(engine, 0, cells, 2), PE_OK));
	cr_assert(eq(int, pe_engine_load(engine, one, 1), PE_OK));
	cr_expect(not(pe_engine_is_loaded(engine, 0)));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./down", 0), 1));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./down", 1), 0));
	cr_assert(eq(int, pe_engine_load(engine, both, 2), PE_OK));
	cr_assert(eq(int, pe_engine_round(engine, 1, cells, 2), PE_OK));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./up", 0), 2));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./up", 1), 1));
	cr_assert(eq(int, pe_engine_close(PE_OK, engine, true), PE_OK));
	cr_expect(eq(i64, app_fixture_ask(&fixture, "SELECT count(*) FROM batch_cells"), 2));
	cr_expect(eq(i64, app_fixture_ask(&fixture, "SELECT count(*) FROM runs"), 4));
	pe_session_close(&session);
}
