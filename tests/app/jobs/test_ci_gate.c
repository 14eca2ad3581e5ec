/* The gate's answer to every kind of change, with commands that are not started. */
#include "app/jobs/ci_gate.h"

#include "tests/support/app_fixture.h"
#include "tests/support/test.h"

/* Each benchmark does what its name says from the second commit on. */
static const char config[] = "build: ./build\n"
			     "metrics:\n"
			     "  cpu: {judge: false}\n"
			     "  max-rss: {judge: false}\n"
			     "defaults: {warmup: 0, repeats: 6, allocations: false}\n"
			     "benchmarks:\n"
			     "  same: {command: ./same}\n"
			     "  slower: {command: ./slower}\n"
			     "  faster: {command: ./faster}\n"
			     "  broken: {command: ./broken}\n"
			     "  mended: {command: ./mended}\n"
			     "  counted: {command: ./counted, allocations: true}\n"
			     "  weighed: {command: ./weighed, allocations: true}\n";

enum { MINUTE_S = 60 };

static struct app_fixture fixture;
static struct pe_gate gate;
static uint32_t state;

TestSuiteWith(ci_gate, (void)0, app_fixture_close(&fixture), .timeout = 600);

/* One per cent of noise. */
static void answer(struct pe_proc_result *result, const struct fake_command *command, void *payload)
{
	bool new = command->revision == 1;

	(void)payload;
	state = state * 1664525u + 1013904223u;
	result->cost.wall_ns = 1000000 + (state >> 8) % 10000;
	if (strcmp(command->text, "./slower") == 0 && new)
		result->cost.wall_ns += 300000;
	if (strcmp(command->text, "./faster") == 0 && new)
		result->cost.wall_ns -= 300000;
	if (strcmp(command->text, new ? "./broken" : "./mended") == 0)
		result->status = 1;
}

static uint64_t allocate(const struct fake_command *command, void *payload)
{
	(void)payload;
	return 100 + 3 * command->revision;
}

/* What the gate is asked, in the fixture's present arena. */
static void ask(void)
{
	fixture.executor.answer = answer;
	fixture.executor.count = allocate;
	gate = (struct pe_gate){
		.project = "p", .base = fixture.commits.at[0], .tip = fixture.commits.at[1]};
}

static void open_gate(void)
{
	app_fixture_open(&fixture, 2, config);
	ask();
}

static void reopen_gate(void)
{
	app_fixture_reopen(&fixture);
	ask();
}

static void measure(const char *bench, uint64_t budget_s)
{
	const struct pe_gate_opts opts = {.bench = bench, .budget_ns = budget_s * 1000000000};
	OK(pe_gate_measure(&gate, &fixture.app, &opts));
}

static const struct pe_gate_check *check_of(const char *benchmark, const char *metric)
{
	for (size_t i = 0; i < gate.n_checks; i++) {
		const struct pe_gate_check *check = &gate.checks[i];

		if (strcmp(check->benchmark, benchmark) == 0 &&
		    (check->metric == NULL || strcmp(check->metric->name, metric) == 0))
			return check;
	}
	cr_assert(0 == 1, "%s has no check of %s", benchmark, metric);
	return NULL;
}

static void expect_answer(const char *benchmark, const char *metric, enum pe_gate_answer answer)
{
	const struct pe_gate_check *check = check_of(benchmark, metric);

	cr_expect(check->answer == answer, "%s: %s, not %s", benchmark,
		  pe_gate_answer_name(check->answer), pe_gate_answer_name(answer));
}

Test(ci_gate, answers_each_kind_of_change)
{
	const struct pe_gate_check *check;

	open_gate();
	measure(NULL, 10 * MINUTE_S);
	expect_answer("same", "wall", PE_GATE_PASSED);
	expect_answer("slower", "wall", PE_GATE_REGRESSED);
	expect_answer("faster", "wall", PE_GATE_IMPROVED);
	expect_answer("broken", "wall", PE_GATE_FAILED);
	expect_answer("mended", "wall", PE_GATE_SKIPPED);
	expect_answer("counted", "allocations", PE_GATE_REGRESSED);
	cr_expect(pe_gate_stops(&gate));
	cr_expect(not(gate.out_of_budget));
	cr_expect(gate.build_log == NULL);

	check = check_of("slower", "wall");
	cr_expect(check->low < 0.3 && check->high > 0.25 && check->low > 0.05, "[%g, %g]",
		  check->low, check->high);
	cr_expect(gt(sz, check->pairs, 0));
	check = check_of("same", "wall");
	cr_expect(check->least > 0 && check->least < 0.2, "%g", check->least);
	check = check_of("counted", "allocations");
	cr_expect(eq(sz, check->pairs, 0), "what does not vary takes no pairs");
	cr_expect(epsilon_eq(dbl, check->relative, 0.03, 1e-9));
}

Test(ci_gate, stops_nobody_where_it_had_no_time)
{
	open_gate();
	measure("slower", 0);
	expect_answer("slower", "wall", PE_GATE_INCONCLUSIVE);
	cr_expect(gate.out_of_budget);
	cr_expect(not(pe_gate_stops(&gate)));
	/* With time it goes on, and finds it. */
	reopen_gate();
	measure("slower", 10 * MINUTE_S);
	expect_answer("slower", "wall", PE_GATE_REGRESSED);
	cr_expect(not(gate.out_of_budget));
}

Test(ci_gate, counts_one_benchmark_and_no_other_when_its_time_is_over)
{
	static const char counted[] = "SELECT count(DISTINCT benchmark) FROM runs WHERE kind = 1";

	open_gate();
	measure("counted|weighed", 0);
	cr_expect(eq(i64, app_fixture_ask(&fixture, counted), 1));
	cr_expect(gate.out_of_budget);
	reopen_gate();
	measure("counted|weighed", 10 * MINUTE_S);
	cr_expect(eq(i64, app_fixture_ask(&fixture, counted), 2));
	cr_expect(not(gate.out_of_budget));
}

Test(ci_gate, refuses_an_expression_that_means_no_benchmark)
{
	const struct pe_gate_opts opts = {.bench = "nothing", .budget_ns = 1};

	open_gate();
	cr_expect_fails(pe_gate_measure(&gate, &fixture.app, &opts), PE_EINVALID,
			fixture.err.message, "'nothing'");
}
