/* Collecting profiles, with runs that are not started and leave what the test says. */
#include "app/profiling/collect.h"

#include "tests/support/app_fixture.h"
#include "tests/support/fake_calls.h"
#include "tests/support/test.h"

static const char counting[] = "build: ./build\n"
			       "profile: {mode: counting}\n"
			       "benchmarks:\n"
			       "  only: {command: ./only, setup: ./up, cleanup: ./down}\n";

static struct app_fixture fixture;
static struct pe_collected got; /* of the running test */
static struct pe_session session;
static struct pe_frames frames;
static unsigned runs; /* of the counting build */

TestSuiteWith(collect, (void)0,
	      (pe_session_close(&session), pe_frames_release(&frames), app_fixture_close(&fixture)),
	      .timeout = 600);

static void open_session(const char *config)
{
	app_fixture_open(&fixture, 1, config);
	app_fixture_open_session(&fixture, &session, 1);
}

static struct pe_collected collect_by(enum pe_profile_mode mode, int expected)
{
	const struct pe_collect_opts opts = {.mode = mode};
	struct pe_collected out;
	int rc = pe_collect(&out, &session, &session.revisions[0], session.benchmarks.data[0],
			    &opts, &frames, &fixture.arena);

	cr_assert_eq(rc, expected, "%s", fixture.err.message);
	return out;
}

static struct pe_collected collect(void)
{
	return collect_by(PE_PROFILE_DEFAULT, PE_OK);
}

/* The node of a method; PE_CCT_NONE: it was not called. */
static uint32_t node_of(const struct pe_cct *cct, const char *name)
{
	for (uint32_t i = 0; i < cct->n; i++)
		if (strcmp(pe_cct_frame(cct, i)->name, name) == 0)
			return i;
	return PE_CCT_NONE;
}

static uint64_t calls_of(const struct pe_cct *cct, const char *name)
{
	uint32_t node = node_of(cct, name);

	return node != PE_CCT_NONE ? cct->calls[node] : 0;
}

static bool is_unstable(const struct pe_collected *collected, const char *name)
{
	return (collected->cct->flags[node_of(collected->cct, name)] & PE_CCT_UNSTABLE) != 0;
}

static size_t ran(const char *text)
{
	return fake_executor_ran(&fixture.executor, 0, text, UINT_MAX);
}

static bool is_advised(const struct pe_collected *collected, const char *part)
{
	for (size_t i = 0; i < collected->advice.n; i++)
		if (strstr(collected->advice.at[i], part) != NULL)
			return true;
	return false;
}

/* --- Counting --- */

static void same_each_time(const char *path, const struct fake_command *command, void *payload)
{
	const struct fake_calls calls = {.parse = 3, .scan = 30, .emit = 1};

	(void)command;
	(void)payload;
	runs++;
	fake_calls_leave(path, &calls);
}

Test(collect, takes_two_runs_that_agree_and_has_them_from_the_store_then)
{
	open_session(counting);
	fixture.executor.leave = same_each_time;
	got = collect();
	cr_assert(eq(int, got.outcome, PE_MEASURED), "%s: %s", got.stage, got.log);
	cr_expect_text("2 1 1 1 3 30", runs, ran("./up"), ran("./down"), ran("./build"),
		       calls_of(got.cct, "fake_parse"), calls_of(got.cct, "fake_scan"));
	cr_expect(eq(u32, got.cct->nodes[node_of(got.cct, "fake_scan")].parent,
		     node_of(got.cct, "fake_parse")));
	cr_expect_text("2 0 0 0", got.cct->facts.counting_runs, got.cct->n_ranges, got.loaded,
		       got.advice.n);

	got = collect();
	cr_expect_text("1 2 30", got.loaded, runs, calls_of(got.cct, "fake_scan"));
}

/* One context that differs from run to run. */
static void toss_one(const char *path, const struct fake_command *command, void *payload)
{
	const struct fake_calls calls = {.parse = 3, .scan = 30 + runs % 2, .emit = 1};

	(void)command;
	(void)payload;
	runs++;
	fake_calls_leave(path, &calls);
}

Test(collect, counts_on_until_two_runs_find_no_other_context_that_differs)
{
	open_session(counting);
	fixture.executor.leave = toss_one;
	got = collect();
	cr_assert(eq(int, got.outcome, PE_MEASURED));
	cr_expect(eq(uint, runs, 4), "two that differ, two that say nothing new");
	cr_expect(eq(u32, got.cct->n_ranges, 1));
	cr_expect(eq(u32, got.cct->ranges[0].node, node_of(got.cct, "fake_scan")));
	cr_expect(is_unstable(&got, "fake_scan"));
	cr_expect(not(is_unstable(&got, "fake_emit")));
	cr_expect(is_advised(&got, "1 of "));
	cr_expect(is_advised(&got, "in 4 runs"));
	cr_expect(eq(sz, ran("./up"), 1));
	cr_expect(lt(dbl, got.cct->facts.own_overlap[0], 1));
}

/* The second context differs in the fourth run for the first time. */
static void toss_late(const char *path, const struct fake_command *command, void *payload)
{
	const struct fake_calls calls = {
		.parse = 3, .scan = 30 + runs % 2, .emit = 1 + (runs == 3)};

	(void)command;
	(void)payload;
	runs++;
	fake_calls_leave(path, &calls);
}

Test(collect, counts_on_when_a_late_run_differs_elsewhere)
{
	open_session(counting);
	fixture.executor.leave = toss_late;
	got = collect();
	cr_expect(eq(uint, runs, 6));
	cr_expect(eq(u32, got.cct->n_ranges, 2));
}

/* Another context in each run: parse, scan and emit come and go. */
static void toss_all(const char *path, const struct fake_command *command, void *payload)
{
	const struct fake_calls calls = {
		.parse = 1 + (runs >= 1), .scan = 1 + (runs >= 3), .emit = 1 + (runs >= 5)};

	(void)command;
	(void)payload;
	runs++;
	fake_calls_leave(path, &calls);
}

Test(collect, counts_no_more_than_eight_runs)
{
	open_session(counting);
	fixture.executor.leave = toss_all;
	got = collect();
	cr_expect(eq(uint, runs, 8));
	cr_expect(eq(u32, got.cct->n_ranges, 3));
}

/* --- Bad ends --- */

static void expect_failure(const struct pe_collected *out, enum pe_outcome outcome,
			   const char *stage)
{
	cr_expect(eq(int, out->outcome, outcome));
	cr_assert(out->stage != NULL);
	cr_expect_str_eq(out->stage, stage);
	cr_expect(out->log != NULL);
	cr_expect(out->cct == NULL);
	EXPECT_ROWS("profiles", 0);
}

Test(collect, counts_a_doubtful_profile_on_to_five_runs)
{
	open_session(counting);
	fixture.executor.leave = same_each_time;
	got = collect();
	cr_assert(pe_collect_is_doubtful(&got));
	/* Two runs agreed by luck. */
	fixture.executor.leave = toss_late;
	OK(pe_collect_more(&got, &session, &session.revisions[0], session.benchmarks.data[0],
			   &frames, &fixture.arena));
	cr_expect(not(pe_collect_is_doubtful(&got)));
	cr_expect(ge(u32, got.cct->facts.counting_runs, PE_COLLECT_SURE_RUNS));
	cr_expect(eq(u32, got.cct->facts.counting_runs, runs));
	cr_expect(is_unstable(&got, "fake_scan"));
	cr_expect(eq(sz, ran("./build"), 1), "the build is still there");
	EXPECT_ROWS("profiles", 1);
	got = collect();
	cr_expect(got.loaded);
	cr_expect(eq(u32, got.cct->facts.counting_runs, runs));
}

Test(collect, tells_of_a_run_that_counts_nothing)
{
	open_session(counting);
	got = collect();
	expect_failure(&got, PE_NOT_COUNTABLE, "counting run");
	cr_expect(eq(sz, ran("./down"), ran("./up")));
	cr_expect(gt(sz, strlen(got.log), 0));
}

/* --- A profiler of the project's own --- */

static const char *left;

static void leave_text(const char *path, const struct fake_command *command, void *payload)
{
	pe_auto_text text = PE_TEXT_INIT;

	(void)command;
	(void)payload;
	runs++;
	pe_text_add(&text, left);
	OK(pe_text_write_file(&text, path, NULL));
}

static void open_command(void)
{
	open_session("build: ./build\n"
		     "benchmarks:\n"
		     "  only:\n"
		     "    command: ./only\n"
		     "    cleanup: ./down\n"
		     "    profile: {command: './prof -o {profile} ./only'}\n");
	fixture.executor.leave = leave_text;
}

static void stop_in_the_second(const char *path, const struct fake_command *command, void *payload)
{
	same_each_time(path, command, payload);
	fixture.interrupts = runs == 2;
}

Test(collect, stores_nothing_after_ctrl_c)
{
	open_session(counting);
	fixture.executor.leave = stop_in_the_second;
	collect_by(PE_PROFILE_DEFAULT, PE_ESTOPPED);
	EXPECT_ROWS("profiles", 0);
	cr_expect(eq(sz, ran("./down"), 1));
}

Test(collect, reads_what_the_projects_own_profiler_left)
{
	const struct fake_command *last;

	open_command();
	left = "main;parse 7\nmain;emit 3\n";
	got = collect();
	cr_assert(eq(int, got.outcome, PE_MEASURED), "%s: %s", got.stage, got.log);
	cr_expect(eq(uint, runs, 1));
	cr_assert(got.cct->samples != NULL);
	cr_expect_text("7 folded 1", got.cct->samples[node_of(got.cct, "parse")], got.profile.kind,
		       ran("./down"));
	last = &fixture.executor.commands.data[fixture.executor.commands.n - 2];
	cr_expect(eq(int, last->kind, FAKE_PROFILE));
	cr_expect(strstr(last->text, "./prof -o /") == last->text, "%s", last->text);
	cr_expect(strstr(last->text, "{profile}") == NULL, "%s", last->text);
	got = collect();
	cr_expect(got.loaded);
	cr_expect(eq(uint, runs, 1));
}

Test(collect, tells_of_a_profiler_that_leaves_nothing)
{
	open_command();
	fixture.executor.leave = NULL;
	got = collect();
	expect_failure(&got, PE_NOT_COUNTABLE, "profiling command");
	cr_expect_has(got.log, "{profile}");
}

Test(collect, tells_of_a_profile_that_nobody_can_read)
{
	open_command();
	left = "\x7f"
	       "ELF of another kind\n";
	got = collect();
	expect_failure(&got, PE_NOT_COUNTABLE, "profiling command");
	cr_expect(eq(int, fixture.err.code, PE_OK), "an outcome, and no error");
	cr_expect(eq(sz, ran("./down"), 1));
}
