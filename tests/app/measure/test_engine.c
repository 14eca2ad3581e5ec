/* Fresh runs in an order of the caller's, with commands that are not started. */
#include "app/measure/engine.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;
static struct pe_session session;
static struct pe_engine *engine;

enum { COMMITS = 3 };

static const char one_benchmark[] =
	"build: ./build\n"
	"benchmarks:\n"
	"  only: {command: ./only, setup: ./up, cleanup: [./down, ./away], warmup: 2, repeats: 4}\n";

static const struct pe_engine_opts opts = {.rounds = 10, .aside = true};

static void set_up(void)
{
	app_fixture_open(&fixture, COMMITS, one_benchmark);
	app_fixture_open_session(&fixture, &session, COMMITS);
}

static void tear_down(void)
{
	pe_session_close(&session);
	app_fixture_close(&fixture);
}

TestSuite(engine, .init = set_up, .fini = tear_down, .timeout = 600);

static struct pe_cell *at(size_t revision)
{
	return pe_engine_cell(engine, revision, 0);
}

static void open_engine(void)
{
	static const size_t revisions[] = {0, 1, 2}, benchmark = 0;

	OK(pe_engine_open(&engine, &session, revisions, COMMITS, &benchmark, 1, &opts));
}

Test(engine, warms_up_before_timed_runs_also_after_counting_ones)
{
	struct pe_cell *cell;

	open_engine();
	cell = at(1);
	OK(pe_engine_round(engine, PE_RUN_COUNTED, 0, &cell, 1));
	cr_expect(eq(sz, RAN("./only", 1), 1));
	OK(pe_engine_round(engine, PE_RUN_TIMED, 0, &cell, 1));
	cr_expect(eq(sz, RAN("./only", 1), 1 + 2 + 1));
	cr_expect(eq(sz, RAN("./up", 1), 1));
	cr_expect(epsilon_eq(dbl, pe_cell_value(cell, 0, "wall"), 1e6, 1));
	cr_expect(epsilon_eq(dbl, pe_cell_value(cell, 0, "allocations"), 100, 0));
	cr_expect(isnan(pe_cell_value(cell, 1, "wall")));
	OK(pe_engine_close(PE_OK, engine, true));
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
	fixture.executor.answer = fail_to_clean_up;
	open_engine();
	OK(pe_engine_round(engine, PE_RUN_TIMED, 0, (struct pe_cell *[]){at(0), at(2)}, 2));
	OK(pe_engine_close(PE_OK, engine, true));
	cr_expect(eq(sz, RAN("./down", UINT_MAX), 2));
	cr_expect(eq(sz, RAN("./away", UINT_MAX), 2));
}

Test(engine, goes_on_in_a_batch_that_was_left_open)
{
	static const size_t revisions[] = {2, 0}, benchmark = 0;
	struct pe_engine_opts again = opts;

	open_engine();
	OK(pe_engine_round(engine, PE_RUN_TIMED, 0, (struct pe_cell *[]){at(0), at(1), at(2)}, 3));
	again.batch = pe_engine_batch(engine);
	OK(pe_engine_close(PE_OK, engine, false));
	pe_session_close(&session);

	/* Another process, other revisions in another order. */
	app_fixture_reopen(&fixture);
	app_fixture_open_session(&fixture, &session, COMMITS);
	OK(pe_engine_open(&engine, &session, revisions, 2, &benchmark, 1, &again));
	struct pe_cell *cells[] = {at(2), at(0)};

	cr_expect(epsilon_eq(dbl, pe_cell_value(cells[0], 0, "wall"), 1e6, 1));
	OK(pe_engine_round(engine, PE_RUN_TIMED, 0, cells, 2));
	cr_expect(eq(sz, fixture.executor.commands.n, 0), "they have that run already");
	OK(pe_engine_round(engine, PE_RUN_TIMED, 1, cells, 2));
	cr_expect(eq(sz, pe_engine_runs(engine), 2));
	OK(pe_engine_close(PE_OK, engine, true));
	EXPECT_ROWS("runs", 5);
}

static bool equal(struct pe_cell *const *a, struct pe_cell *const *b, size_t n)
{
	return memcmp(a, b, n * sizeof(*a)) == 0;
}

Test(engine, shuffles_each_round_and_kind_anew_and_alike_in_the_same_batch)
{
	enum { CELLS = 12 };
	struct pe_cell cells[CELLS], *first[CELLS], *again[CELLS], *second[CELLS], *counted[CELLS];

	open_engine();
	for (size_t i = 0; i < CELLS; i++)
		first[i] = again[i] = second[i] = counted[i] = &cells[i];
	pe_engine_shuffle(engine, PE_RUN_TIMED, 0, first, CELLS);
	pe_engine_shuffle(engine, PE_RUN_TIMED, 0, again, CELLS);
	pe_engine_shuffle(engine, PE_RUN_TIMED, 1, second, CELLS);
	pe_engine_shuffle(engine, PE_RUN_COUNTED, 0, counted, CELLS);
	cr_expect(equal(first, again, CELLS));
	cr_expect(not(equal(first, second, CELLS)));
	cr_expect(not(equal(first, counted, CELLS)));
	OK(pe_engine_close(PE_OK, engine, true));
}

Test(engine, an_evicted_revision_is_cleaned_up_and_set_up_anew)
{
	const struct pe_engine_opts lazy = {.rounds = 10, .lazy = true};
	static const size_t both[] = {0, 1}, one[] = {1};

	OK(pe_engine_open(&engine, &session, NULL, 0, NULL, 0, &lazy));
	cr_expect(eq(i64, pe_engine_batch(engine), 0), "nothing is planned");
	OK(pe_engine_load(engine, both, 2));
	OK(pe_engine_round(engine, PE_RUN_TIMED, 0, (struct pe_cell *[]){at(0), at(1)}, 2));
	OK(pe_engine_load(engine, one, 1));
	cr_expect(not(pe_engine_is_loaded(engine, 0)));
	cr_expect(eq(sz, RAN("./down", 0), 1));
	cr_expect(eq(sz, RAN("./down", 1), 0));
	OK(pe_engine_load(engine, both, 2));
	OK(pe_engine_round(engine, PE_RUN_TIMED, 1, (struct pe_cell *[]){at(0), at(1)}, 2));
	cr_expect(eq(sz, RAN("./up", 0), 2));
	cr_expect(eq(sz, RAN("./up", 1), 1));
	OK(pe_engine_close(PE_OK, engine, true));
	EXPECT_ROWS("batch_cells", 2);
	EXPECT_ROWS("runs", 4);
}

static void cannot_start(struct pe_proc_result *result, const struct fake_command *command,
			 void *payload)
{
	(void)payload;
	if (strncmp(command->text, "./only", 6) == 0 && command->revision == 0)
		*result = (struct pe_proc_result){.end = PE_PROC_NOT_STARTED};
}

/* Open an engine over the newest commits, and run its benchmark at the oldest of them. */
static void run_oldest(void)
{
	static const size_t benchmark = 0;

	app_fixture_walk(&fixture);
	fixture.executor.answer = cannot_start;
	app_fixture_open_session(&fixture, &session, fixture.commits.n);
	OK(pe_engine_open(&engine, &session, NULL, 0, &benchmark, 1, &opts));
	OK(pe_engine_round(engine, PE_RUN_TIMED, 0, (struct pe_cell *[]){at(0)}, 1));
	cr_expect(at(0)->failed);
}

Test(engine, a_program_that_no_commit_has_fails)
{
	pe_session_close(&session);
	run_oldest();
	cr_expect(not(at(0)->absent));
	OK(pe_engine_close(PE_OK, engine, true));
}

Test(engine, a_program_that_a_later_commit_has_is_not_there_and_no_failure)
{
	pe_session_close(&session);
	tmp_repo_write(&fixture.repo, "only", "");
	tmp_repo_commit(&fixture.repo, "younger");
	run_oldest();
	cr_expect(at(0)->absent);
	OK(pe_engine_close(PE_OK, engine, true));
}
