/* What measuring is expected to take, by what is in the store. */
#include "app/measure/costs.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

enum { COMMITS = 12 };

static const char two_benchmarks[] =
	"build: ./build\n"
	"benchmarks:\n"
	"  first: {command: ./first, warmup: 2, repeats: 10}\n"
	"  second: {command: ./second, warmup: 0, repeats: 3, allocations: false}\n";

static struct app_fixture fixture;
static struct pe_session session;
static struct pe_known known;
static struct pe_session_costs costs;

static void open_all(void)
{
	app_fixture_open(&fixture, COMMITS, two_benchmarks);
	app_fixture_open_session(&fixture, &session, COMMITS);
}

static void close_all(void)
{
	pe_session_close(&session);
	app_fixture_close(&fixture);
}

TestSuiteWith(costs, open_all(), close_all(), .timeout = 600);

static void load(void)
{
	OK(pe_known_load(&known, &session));
	OK(pe_session_costs_load(&costs, &session, &known));
}

static void put_build(size_t r, double seconds, enum pe_outcome outcome)
{
	const struct pe_build build = {
		.outcome = outcome, .duration_ns = (uint64_t)(seconds * 1e9), .log = ""};
	int64_t key;

	OK(pe_store_put_build(&key, fixture.app.store, session.revisions[r].key,
			      session.machine_key, session.recipe_hash, &build, &fixture.err));
}

static void put_spent(size_t w, enum pe_spent_kind kind, double n, double seconds)
{
	struct pe_spending spending = {0};

	spending.of[kind] = (struct pe_spent){n, seconds};
	OK(pe_store_add_costs(fixture.app.store, session.machine_key,
			      session.benchmarks.data[w]->key, &spending, &fixture.err));
}

Test(costs, a_store_without_durations_says_that_it_does_not_know)
{
	struct pe_plan plan;

	load();
	for (size_t r = 0; r < COMMITS; r++)
		cr_expect(isnan(costs.build_s[r]));
	cr_expect(isnan(costs.cell[0].timed_s));
	OK(pe_session_plan(&plan, &session, 0));
	cr_expect(isnan(plan.build_s));
	cr_expect(isnan(plan.run_s));
	cr_expect(eq(sz, plan.builds, COMMITS));
}

Test(costs, a_build_costs_what_it_took_or_what_most_took)
{
	for (size_t r = 0; r < 5; r++)
		put_build(r, 10, PE_MEASURED);
	put_build(2, 1000, PE_MEASURED);    /* the cache was cold, or the machine slept */
	put_build(7, 0.1, PE_BUILD_FAILED); /* how long failing takes says nothing */
	put_build(11, 30, PE_MEASURED);
	load();
	cr_expect(epsilon_eq(dbl, costs.build_s[1], 10, 1e-9));
	cr_expect(epsilon_eq(dbl, costs.build_s[2], 1000, 1e-9));
	cr_expect(epsilon_eq(dbl, costs.build_s[5], 10, 1e-9));
	cr_expect(epsilon_eq(dbl, costs.build_s[10], 10, 1e-9));
}

Test(costs, a_build_that_is_kept_costs_nothing)
{
	OK(pe_session_measure(&session));
	load();
	for (size_t r = 0; r < COMMITS; r++)
		cr_expect(eq(dbl, costs.build_s[r], 0));
}

Test(costs, what_took_no_time_costs_nothing)
{
	struct pe_plan plan;

	for (size_t r = 0; r < COMMITS; r++)
		put_build(r, 1e-9, PE_MEASURED);
	for (enum pe_spent_kind kind = 0; kind < PE_N_SPENT; kind++)
		for (size_t w = 0; w < 2; w++)
			put_spent(w, kind, 5, 0);
	OK(pe_session_plan(&plan, &session, 0));
	cr_expect(epsilon_eq(dbl, plan.build_s, 0, 1e-6));
	cr_expect(eq(dbl, plan.run_s, 0));
}

Test(costs, a_clock_that_jumps_back_adds_nothing)
{
	struct pe_spending spending = {0};

	pe_spending_add(&spending, PE_SPENT_TIMED, 1, 2000000000, 1000000000);
	cr_expect(eq(dbl, spending.of[PE_SPENT_TIMED].seconds, 0));
	cr_expect(eq(dbl, spending.of[PE_SPENT_TIMED].n, 0));
	pe_spending_add(&spending, PE_SPENT_TIMED, 2, 1000000000, 2000000000);
	cr_expect(eq(dbl, spending.of[PE_SPENT_TIMED].seconds, 1));
}

Test(costs, a_plan_counts_builds_warmups_setup_probes_and_counting_runs)
{
	struct pe_plan plan;

	for (size_t r = 0; r < COMMITS; r++)
		put_build(r, 10, PE_MEASURED);
	put_spent(0, PE_SPENT_TIMED, 10, 20);
	put_spent(0, PE_SPENT_COUNTED, 2, 10);
	put_spent(0, PE_SPENT_READY, 1, 0.5);
	put_spent(0, PE_SPENT_WARMUP, 2, 6);
	put_spent(0, PE_SPENT_PROBE, 1, 7);
	put_spent(1, PE_SPENT_TIMED, 1, 1);
	put_spent(1, PE_SPENT_PROBE, 1, 0);
	OK(pe_session_plan(&plan, &session, 0));
	cr_expect(epsilon_eq(dbl, plan.build_s, 10 * COMMITS, 1e-6));
	cr_expect(epsilon_eq(dbl, plan.run_s,
			     COMMITS * (7 + 0.5 + 2 * 3 + 10 * 2 + PE_COUNTED_ROUNDS * 5 + 3 * 1),
			     1e-6));
}

/* Most builds are simulated in one of their counting runs. */
Test(costs, a_plan_has_one_simulated_run_a_build)
{
	session.runner.valgrind = "valgrind";
	put_spent(0, PE_SPENT_TIMED, 10, 20);
	put_spent(0, PE_SPENT_COUNTED, 2, 10);
	put_spent(0, PE_SPENT_SIMULATED, 2, 100);
	load();
	cr_expect(epsilon_eq(dbl, PE_COUNTED_ROUNDS * costs.cell[0].counted_s, 5 + 50, 1e-6));
}

Test(costs, what_is_long_ago_weighs_less)
{
	struct pe_spending read;

	put_spent(0, PE_SPENT_TIMED, 1e6, 1e6);
	put_spent(0, PE_SPENT_TIMED, 200, 2000);
	OK(pe_store_get_costs(&read, fixture.app.store, session.machine_key,
			      session.benchmarks.data[0]->key, &fixture.err));
	cr_expect(epsilon_eq(dbl, read.of[PE_SPENT_TIMED].seconds / read.of[PE_SPENT_TIMED].n, 5.5,
			     1e-6));
}

/* What was spent is written down by the engine: so many runs of each kind as were made. */
Test(costs, measuring_writes_down_what_it_took)
{
	struct pe_spending read;

	OK(pe_session_measure(&session));
	OK(pe_store_get_costs(&read, fixture.app.store, session.machine_key,
			      session.benchmarks.data[0]->key, &fixture.err));
	cr_expect(ge(dbl, read.of[PE_SPENT_TIMED].n, COMMITS * 5));
	cr_expect(eq(dbl, read.of[PE_SPENT_COUNTED].n, COMMITS * PE_COUNTED_ROUNDS));
	cr_expect(eq(dbl, read.of[PE_SPENT_WARMUP].n, COMMITS * 2));
	cr_expect(eq(dbl, read.of[PE_SPENT_READY].n, COMMITS));
	cr_expect(eq(dbl, read.of[PE_SPENT_PROBE].n, COMMITS));
	cr_expect(gt(dbl, read.of[PE_SPENT_TIMED].seconds, 0));
}
