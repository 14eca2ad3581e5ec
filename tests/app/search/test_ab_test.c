/* Two revisions in turns, with commands that are not started. */
#include "app/search/ab_test.h"

#include "core/base/clock.h"
#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

TestSuite(ab_test, .timeout = 600);

static const char one_benchmark[] =
	"build: ./build\n"
	"benchmarks:\n"
	"  only: {command: ./only, setup: ./up, cleanup: ./down, warmup: 3, repeats: 6}\n";

static void slower(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	uint32_t *state = payload;

	*state = *state * 1664525u + 1013904223u;
	result->cost.wall_ns = 1000000 + (*state >> 8) % 10000 + 200000 * command->revision;
}

static uint64_t more(const struct fake_command *command, void *payload)
{
	(void)payload;
	return 100 + 50 * command->revision;
}

static struct pe_ab_test_answer ask(struct app_fixture *fixture, bool counts_only)
{
	const struct pe_ab_test_question question = {
		.base = 0, .tip = 1, .deadline_ns = pe_clock_ns() + UINT64_C(60000000000)};
	struct pe_ab_test_answer answer;
	struct pe_session session;

	app_fixture_open_session(fixture, &session, 2);
	fixture->app.counts_only = counts_only; /* valgrind is not started, and need not be there */
	cr_assert_ok(pe_ab_test_ask(&answer, &session, &question), fixture->err.message);
	pe_session_close(&session);
	return answer;
}

static const struct pe_ab_test_check *check_of(const struct pe_ab_test_answer *answer,
					       const char *metric)
{
	for (size_t i = 0; i < answer->n_checks; i++)
		if (strcmp(answer->checks[i].metric->name, metric) == 0)
			return &answer->checks[i];
	cr_assert(0 == 1, "no check of %s", metric);
	return NULL;
}

static bool is_worse(const struct pe_ab_test_answer *answer, const char *metric)
{
	return check_of(answer, metric)->state == PE_AB_TEST_WORSE;
}

/* A change is that of the two values beside it. */
static void expect_agreement(const struct pe_ab_test_answer *answer)
{
	for (size_t i = 0; i < answer->n_checks; i++) {
		const struct pe_ab_test_check *check = &answer->checks[i];

		cr_expect(epsilon_eq(dbl, check->result.relative,
				     check->tip_value / check->base_value - 1, 1e-12),
			  "%s", check->metric->name);
	}
}

Test(ab_test, counts_and_times_tell_the_sides_apart_and_are_stored)
{
	struct app_fixture fixture;
	struct pe_ab_test_answer answer;
	const struct fake_executor *fake = &fixture.executor;
	uint32_t state = 1;
	size_t n;

	app_fixture_open(&fixture, 2, one_benchmark);
	fixture.executor.answer = slower;
	fixture.executor.count = more;
	fixture.executor.payload = &state;
	answer = ask(&fixture, false);
	cr_expect(is_worse(&answer, "wall"));
	cr_expect(is_worse(&answer, "allocations"));
	expect_agreement(&answer);
	cr_expect_has(pe_text_str(&fixture.notes),
		      "worse by exact counts: only, allocations +50 %, and 1 more; times follow");
	cr_expect(eq(sz, fake_executor_ran(fake, 0, "./up", UINT_MAX),
		     fake_executor_ran(fake, 0, "./down", UINT_MAX)));
	/* Counting comes first, and times are taken warm all the same. */
	n = (size_t)app_fixture_ask(&fixture, "SELECT count(*) FROM runs");
	EXPECT_ROWS("runs WHERE kind = 1", 4);
	cr_expect(eq(sz, fake_executor_ran(fake, 0, "./only", UINT_MAX),
		     n + 2 * 3 + 1 /* a probe */));

	/* Who asks again has the answer at once. */
	app_fixture_reopen(&fixture);
	fixture.executor.answer = slower;
	fixture.executor.count = more;
	answer = ask(&fixture, false);
	cr_expect(is_worse(&answer, "wall"));
	cr_expect(is_worse(&answer, "allocations"));
	EXPECT_ROWS("runs", n);
	app_fixture_close(&fixture);
}

static void faster(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	slower(result, command, payload);
	result->cost.wall_ns -= 400000 * command->revision;
}

Test(ab_test, a_time_is_worse_or_better_by_18_pairs_at_least)
{
	static const fake_answer answers[] = {slower, faster};
	static const enum pe_ab_test_state states[] = {PE_AB_TEST_WORSE, PE_AB_TEST_BETTER};

	for (size_t i = 0; i < 2; i++) {
		struct app_fixture fixture;
		struct pe_ab_test_answer answer;
		uint32_t state = 1;

		app_fixture_open(&fixture, 2, one_benchmark);
		fixture.executor.answer = answers[i];
		fixture.executor.payload = &state;
		answer = ask(&fixture, false);
		cr_expect(eq(int, check_of(&answer, "wall")->state, states[i]));
		cr_expect(eq(sz, check_of(&answer, "wall")->result.pairs, 18));
		cr_expect(eq(int, check_of(&answer, "max-rss")->state, PE_AB_TEST_NOT_WORSE));
		app_fixture_close(&fixture);
	}
}

/* Runs of one build differ, and so do the sides. */
static uint64_t unsteady(const struct fake_command *command, void *payload)
{
	uint32_t *state = payload;

	return 100 + 100 * command->revision + (*state)++;
}

Test(ab_test, a_count_that_stays_undecided_has_its_change)
{
	struct app_fixture fixture;
	struct pe_ab_test_answer answer;
	uint32_t state = 0;
	size_t open = 0;

	app_fixture_open(&fixture, 2, one_benchmark);
	fixture.executor.count = unsteady;
	fixture.executor.payload = &state;
	answer = ask(&fixture, true);
	for (size_t i = 0; i < answer.n_checks; i++)
		open += answer.checks[i].state == PE_AB_TEST_OPEN;
	expect_agreement(&answer);
	cr_expect(gt(sz, open, 0));
	app_fixture_close(&fixture);
}
