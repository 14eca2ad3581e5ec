/* Fresh runs in an order of the caller's, with commands that are not started. */
#include "app/measure/engine.h"

#include "tests/support/app_fixture.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

TestSuite(engine, .timeout = 60);

enum { COMMITS = 3 };

static const char one_benchmark[] =
	"build: ./build\n"
	"benchmarks:\n"
	"  only: {command: ./only, setup: ./up, cleanup: [./down, ./away], warmup: 2, repeats: 4}\n";

static const struct pe_remeasure_opts opts = {.rounds = 10, .aside = true};

static struct pe_remeasure *open_all(struct pe_session *session)
{
	static const size_t revisions[] = {0, 1, 2}, workload = 0;
	struct pe_remeasure *engine;
	int rc = pe_remeasure_open(&engine, session, revisions, COMMITS, &workload, 1, &opts);

	cr_assert_eq(rc, PE_OK, "%s", session->app->err->message);
	return engine;
}

Test(engine, warms_up_before_timed_runs_also_after_counting_ones)
{
	const struct pe_remeasure_cell cell = {1, 0};
	struct app_fixture fixture;
	struct pe_session session;
	struct pe_remeasure *engine;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	app_fixture_open_session(&fixture, &session, COMMITS);
	engine = open_all(&session);
	cr_assert(eq(int, pe_remeasure_count(engine, 0, &cell, 1), PE_OK));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./only", 1), 1));
	cr_assert(eq(int, pe_remeasure_round(engine, 0, &cell, 1), PE_OK));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./only", 1), 1 + 2 + 1));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./up", 1), 1));
	cr_expect(epsilon_eq(dbl, pe_remeasure_value(engine, cell, 0, "wall"), 1e6, 1));
	cr_expect(epsilon_eq(dbl, pe_remeasure_value(engine, cell, 0, "allocations"), 100, 0));
	cr_expect(isnan(pe_remeasure_value(engine, cell, 1, "wall")));
	cr_assert(eq(int, pe_remeasure_close(engine, true), PE_OK));
	pe_session_close(&session);
	app_fixture_close(&fixture);
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
	const struct pe_remeasure_cell cells[] = {{0, 0}, {2, 0}};
	struct app_fixture fixture;
	struct pe_session session;
	struct pe_remeasure *engine;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	fixture.executor.answer = fail_to_clean_up;
	app_fixture_open_session(&fixture, &session, COMMITS);
	engine = open_all(&session);
	cr_assert(eq(int, pe_remeasure_round(engine, 0, cells, 2), PE_OK));
	cr_assert(eq(int, pe_remeasure_close(engine, true), PE_OK), "%s", fixture.err.message);
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./down", UINT_MAX), 2));
	cr_expect(eq(sz, fake_executor_ran(&fixture.executor, 0, "./away", UINT_MAX), 2));
	pe_session_close(&session);
	app_fixture_close(&fixture);
}

Test(engine, goes_on_in_a_window_that_was_left_open)
{
	const struct pe_remeasure_cell cells[] = {{0, 0}, {1, 0}, {2, 0}};
	static const size_t revisions[] = {2, 0}, workload = 0;
	struct pe_remeasure_opts again = opts;
	struct app_fixture fixture;
	struct pe_session session;
	struct pe_remeasure *engine;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	app_fixture_open_session(&fixture, &session, COMMITS);
	engine = open_all(&session);
	cr_assert(eq(int, pe_remeasure_round(engine, 0, cells, 3), PE_OK));
	again.window = pe_remeasure_window(engine);
	cr_assert(eq(int, pe_remeasure_close(engine, false), PE_OK));
	pe_session_close(&session);

	/* Another process, other revisions in another order. */
	app_fixture_reopen(&fixture);
	app_fixture_open_session(&fixture, &session, COMMITS);
	cr_assert(eq(int, pe_remeasure_open(&engine, &session, revisions, 2, &workload, 1, &again),
		     PE_OK));
	cr_expect(epsilon_eq(dbl, pe_remeasure_value(engine, cells[0], 0, "wall"), 1e6, 1));
	cr_assert(eq(int, pe_remeasure_round(engine, 0, cells, 2), PE_OK));
	cr_expect(eq(sz, fixture.executor.commands.n, 0), "they have that run already");
	cr_assert(eq(int, pe_remeasure_round(engine, 1, cells, 2), PE_OK));
	cr_expect(eq(sz, pe_remeasure_runs(engine), 2));
	cr_assert(eq(int, pe_remeasure_close(engine, true), PE_OK));
	cr_expect(eq(i64, app_fixture_ask(&fixture, "SELECT count(*) FROM runs"), 5));
	pe_session_close(&session);
	app_fixture_close(&fixture);
}
