/* Bisecting, with commands that are not started: times jump at one commit, and so do allocations. */
#include "app/search/bisect.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

static struct app_fixture fixture;

TestSuiteWith(bisect, (void)0, app_fixture_close(&fixture), .timeout = 600);

enum { COMMITS = 12, CULPRIT = 7 };

static unsigned uncounted; /* revision whose counting runs fail; 0: none */

static const char one_benchmark[] =
	"build: ./build\n"
	"benchmarks:\n"
	"  only: {command: ./only, setup: ./up, cleanup: ./down, warmup: 1, repeats: 4}\n";

static void jump(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	size_t *n = payload;

	result->cost.wall_ns = 1000000 + 500 * (++*n % 5);
	if (command->revision >= CULPRIT)
		result->cost.wall_ns += 300000;
	if (command->kind == FAKE_COUNT && uncounted > 0 && command->revision == uncounted)
		result->status = 1;
}

static uint64_t jump_count(const struct fake_command *command, void *payload)
{
	(void)payload;
	return command->revision >= CULPRIT ? 200 : 100;
}

static struct pe_bisecting bisect(int expected)
{
	static const struct pe_bisecting_opts opts = {
		.min_change = NAN, .confidence = 0.95, .max_runs = 500};
	struct pe_bisecting out = {.app = &fixture.app,
				   .opts = &opts,
				   .line = fixture.commits.at,
				   .n = fixture.commits.n};

	fixture.executor.answer = jump;
	fixture.executor.count = jump_count;
	cr_assert_eq(pe_bisecting_run(&out), expected, "%s", fixture.err.message);
	return out;
}

static void expect_clean(void)
{
	const struct fake_executor *fake = &fixture.executor;

	cr_expect(gt(sz, fake_executor_ran(fake, 0, "./up", UINT_MAX), 0));
	cr_expect(eq(sz, fake_executor_ran(fake, 0, "./up", UINT_MAX),
		     fake_executor_ran(fake, 0, "./down", UINT_MAX)));
}

Test(bisect, finds_the_commit_and_cleans_up_after_itself)
{
	struct pe_bisecting out;
	size_t n = 0;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	fixture.executor.payload = &n;
	out = bisect(PE_OK);
	cr_expect(eq(int, out.found.answer, PE_BISECT_FOUND));
	cr_expect(eq(sz, out.found.steps[0].result.group.first, CULPRIT));
	cr_expect(eq(sz, out.count.groups[0].first, CULPRIT));
	expect_clean();
}

Test(bisect, does_not_tell_a_revision_without_a_count_from_the_next_one)
{
	struct pe_bisecting out;
	size_t n = 0;

	uncounted = CULPRIT;
	app_fixture_open(&fixture, COMMITS, one_benchmark);
	fixture.executor.payload = &n;
	out = bisect(PE_OK);
	cr_expect(eq(sz, out.found.steps[0].result.group.first, CULPRIT));
	cr_expect(eq(sz, out.found.steps[0].result.group.last, CULPRIT));
	cr_assert(eq(sz, out.count.n_groups, 1));
	cr_expect(eq(sz, out.count.groups[0].first, CULPRIT));
	cr_expect(eq(sz, out.count.groups[0].last, CULPRIT + 1));
}

Test(bisect, cleans_up_after_ctrl_c_and_goes_on_with_what_it_has)
{
	struct pe_bisecting out;
	size_t n = 0, first_time;

	app_fixture_open(&fixture, COMMITS, one_benchmark);
	fixture.executor.payload = &n;
	fixture.executor.stop_after = 15;
	bisect(PE_ESTOPPED);
	expect_clean();
	first_time = (size_t)app_fixture_ask(&fixture, "SELECT count(*) FROM runs");
	cr_expect(gt(sz, first_time, 0));
	app_fixture_reopen(&fixture);
	out = bisect(PE_OK);
	cr_expect(eq(sz, out.found.steps[0].result.group.first, CULPRIT));
	cr_expect(gt(sz, out.stored, 0));
}
