/* Functions of jumps: of one jump a commit and benchmark, from counts that are stored, and only where they can be its cause. */
#include "app/history/jump_functions.h"
#include "tests/store/fixture.h"
#include "tests/support/test.h"

static struct fixture at;
static struct pe_app app;
static struct pe_revision revisions[N_REVISIONS];
static struct pe_jump jumps[3];
static struct pe_line lines[3];
static struct pe_evolution evolution;

static void count(unsigned revision, uint64_t sort, uint64_t compare, uint64_t swap)
{
	struct pe_function_count functions[] = {{"hash", "", "a.c", 100000},
						{"sort", "", "a.c", sort},
						{"compare", "(int, int)", "a.c", compare},
						{"swap", "", "a.c", swap}};
	struct pe_run run = fixture_run(9, 1, 1);

	run.kind = PE_RUN_COUNTED;
	run.functions = (struct pe_function_counts){functions, 4};
	fixture_put(&at, revision, 0, &run);
}

/* Wall time, instructions and peak memory of one benchmark jump at one commit. */
static void set_up(void)
{
	static const enum pe_metric_id metrics[] = {PE_WALL, PE_SIMULATED_INSTRUCTIONS, PE_MAX_RSS};

	fixture_open_filled(&at);
	app = (struct pe_app){.store = at.store, .arena = &at.arena, .err = &at.err};
	for (size_t r = 0; r < N_REVISIONS; r++)
		revisions[r].key = at.revisions[r];
	for (size_t i = 0; i < 3; i++) {
		jumps[i] = (struct pe_jump){.before = 0,
					    .after = 1,
					    .commits = 1,
					    .relative = 0.1,
					    .state = PE_JUMP_CONFIRMED,
					    .event = SIZE_MAX};
		lines[i] = (struct pe_line){.benchmark = "parse",
					    .benchmark_key = at.benchmarks[0],
					    .metric = &pe_metrics[metrics[i]],
					    .jumps = &jumps[i],
					    .n_jumps = 1};
	}
	evolution = (struct pe_evolution){.machine_key = at.machine,
					  .revisions = revisions,
					  .n_revisions = N_REVISIONS,
					  .lines = lines,
					  .n_lines = 3};
}

static void tear_down(void)
{
	fixture_close(&at);
}

TestSuite(jump_functions, .init = set_up, .fini = tear_down, .timeout = 600);

static void fill(void)
{
	cr_assert_ok(pe_jump_functions_fill(&evolution, &app), at.err.message);
}

Test(jump_functions, stand_at_the_jump_of_instructions_with_the_greatest_first)
{
	count(0, 2000, 90, 0);
	count(1, 5000, 30, 12);
	fill();
	cr_expect(eq(sz, jumps[0].n_functions, 0));
	cr_expect(eq(sz, jumps[2].n_functions, 0));
	/* swap's 12 are below a share of sort's 3,000; hash executes what it did. */
	cr_assert(eq(sz, jumps[1].n_functions, 2));
	cr_expect_text("sort 3000 compare -60", jumps[1].functions[0].name,
		       jumps[1].functions[0].amount, jumps[1].functions[1].name,
		       jumps[1].functions[1].amount);
}

Test(jump_functions, of_a_time_execute_a_part_of_the_whole)
{
	evolution.n_lines = 1;
	count(0, 2000, 90, 0);
	count(1, 2050, 90, 0);
	count(2, 2500, 90, 0);
	fill();
	cr_expect(eq(sz, jumps[0].n_functions, 0), "50 of 102,090 are no cause of +10 %%");
	jumps[0].after = 2;
	fill();
	cr_assert(eq(sz, jumps[0].n_functions, 1));
	cr_expect(eq(i64, jumps[0].functions[0].amount, 500));
}

Test(jump_functions, are_of_no_jump_by_layout_and_of_none_without_both_counts)
{
	count(0, 2000, 90, 0);
	fill();
	cr_expect(eq(sz, jumps[1].n_functions, 0));
	count(1, 5000, 90, 0);
	jumps[1].layout = PE_LAYOUT_ONLY;
	fill();
	cr_expect(eq(sz, jumps[1].n_functions, 0));
}
