/* System calls by name: as they were put, each list once, over all runs of a build, and gone with their runs. */
#include "fixture.h"

#include "tests/support/test.h"

static struct fixture at;

TestSuiteWith(calls, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

static void put(unsigned revision, unsigned round, uint64_t futexes, uint64_t writes)
{
	struct pe_system_call made[] = {{"futex", futexes}, {"write", writes}};
	struct pe_run run = fixture_run(round, 1, 1);

	run.kind = PE_RUN_COUNTED;
	run.calls = (struct pe_system_calls){made, 2};
	fixture_put(&at, revision, 0, &run);
}

static struct pe_function_ranges get(unsigned revision)
{
	const struct pe_counts_query query = {PE_COUNTS_OF_CALLS, at.machine, at.benchmarks[0],
					      at.revisions[revision]};
	struct pe_function_ranges out;

	OK(pe_store_counts(&out, at.store, &query, &at.arena, &at.err));
	return out;
}

Test(calls, come_back_over_all_runs_of_a_build)
{
	struct pe_function_ranges ranges;

	put(0, 0, 3, 12);
	put(0, 1, 5, 12);
	put(1, 0, 3, 12);
	ranges = get(0);
	cr_assert(eq(sz, ranges.n, 2));
	cr_expect(eq(sz, ranges.runs, 2));
	cr_expect_str_eq(ranges.at[0].name, "futex");
	cr_expect(ranges.at[0].least == 3 && ranges.at[0].most == 5);
	cr_expect(ranges.at[1].least == 12 && ranges.at[1].most == 12);
	cr_expect(eq(sz, get(2).runs, 0));
	cr_expect(eq(i64, fixture_rows(&at, "call_sets"), 2), "equal ones stand once");
}

Test(calls, that_vary_are_known_by_the_builds_that_show_it)
{
	const struct pe_counts_query query = {PE_COUNTS_OF_CALLS, at.machine, at.benchmarks[0], 0};
	struct pe_function_ranges ranges;

	put(0, 0, 3, 12);
	put(0, 1, 5, 12);
	put(1, 0, 30, 12);
	put(1, 1, 37, 12);
	put(2, 0, 1, 4012);
	OK(pe_store_counts_varying(&ranges, at.store, &query, &at.arena, &at.err));
	cr_assert(eq(sz, ranges.n, 1));
	cr_expect_text("futex 7", ranges.at[0].name, ranges.at[0].most - ranges.at[0].least);
}

Test(calls, of_a_build_that_was_reused_are_those_of_its_source)
{
	struct pe_coverage reused;

	put(0, 0, 3, 12);
	reused = (struct pe_coverage){.revision = at.revisions[1],
				      .benchmark = at.benchmarks[0],
				      .source = at.revisions[0]};
	OK(pe_store_put_reused(at.store, at.machine, &reused, &at.err));
	cr_expect(eq(sz, get(1).n, 2));
}

Test(calls, go_with_their_last_run)
{
	const char *id;
	struct pe_store_gc what = {.unreachable = true, .keep = {&id, 1}};
	struct pe_store_gc_result result;

	put(0, 0, 3, 12);
	put(1, 0, 3, 12);
	put(1, 1, 5, 12);
	id = fixture_ask_text(&at, "SELECT id FROM revisions ORDER BY key LIMIT 1");
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	fixture_expect_whole(&at);
	cr_expect(eq(i64, fixture_rows(&at, "call_sets"), 1));
	cr_expect(eq(sz, get(0).n, 2));
}
