/* Instructions by function: as they were put, small, over all runs of a build, and gone with their runs. */
#include "fixture.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static struct fixture at;

TestSuiteWith(functions, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

enum { N = 500 };

static struct pe_function_count counted[N];

/* f0, f1, ... of two files, each with its own count. */
static struct pe_function_counts fill(size_t n)
{
	for (size_t i = 0; i < n; i++)
		counted[i] = (struct pe_function_count){
			pe_arena_printf(&at.arena, "f%zu", i), i % 3 == 0 ? "(int)" : "",
			i % 2 == 0 ? "even.c" : "odd.c", 1000003 * (i + 1)};
	return (struct pe_function_counts){counted, n};
}

static void put(unsigned r, unsigned w, unsigned round, struct pe_function_counts functions)
{
	struct pe_run run = fixture_run(round, 1, 1);

	run.kind = PE_RUN_COUNTED;
	run.functions = functions;
	fixture_put(&at, r, w, &run);
}

static int read_counts(struct pe_function_ranges *out, int64_t machine, unsigned r, unsigned w)
{
	const struct pe_counts_query query = {PE_COUNTS_OF_FUNCTIONS, machine, at.benchmarks[w],
					      at.revisions[r]};

	return pe_store_counts(out, at.store, &query, &at.arena, &at.err);
}

static struct pe_function_ranges get(unsigned r, unsigned w)
{
	struct pe_function_ranges out;

	OK(read_counts(&out, at.machine, r, w));
	return out;
}

static void expect_row(const struct pe_function_ranges *ranges, size_t i, const char *name,
		       uint64_t least, uint64_t most)
{
	cr_assert(lt(sz, i, ranges->n));
	cr_expect_str_eq(ranges->at[i].name, name);
	cr_expect(eq(u64, ranges->at[i].least, least));
	cr_expect(eq(u64, ranges->at[i].most, most));
}

Test(functions, come_back_the_greatest_first)
{
	struct pe_function_ranges ranges;

	put(0, 0, 0, fill(4));
	ranges = get(0, 0);
	cr_expect(eq(sz, ranges.runs, 1));
	cr_assert(eq(sz, ranges.n, 4));
	expect_row(&ranges, 0, "f3", 4000012, 4000012);
	expect_row(&ranges, 3, "f0", 1000003, 1000003);
	cr_expect_text("odd.c (int) 0 0", ranges.at[0].component, ranges.at[0].signature,
		       get(1, 0).runs, get(0, 1).runs);
}

Test(functions, of_one_name_and_file_are_summed)
{
	struct pe_function_counts functions = fill(2);
	struct pe_function_ranges ranges;

	counted[1] = counted[0];
	counted[1].instructions = 7;
	put(0, 0, 0, functions);
	ranges = get(0, 0);
	cr_assert(eq(sz, ranges.n, 1));
	expect_row(&ranges, 0, "f0", 1000010, 1000010);
}

Test(functions, runs_of_a_build_tell_what_varies)
{
	struct pe_function_counts functions = fill(4);
	struct pe_function_ranges ranges;

	put(0, 0, 0, functions);
	put(0, 0, 1, functions);
	counted[1].instructions = 7;
	put(0, 0, 2, functions);
	functions.n = 3;
	put(0, 0, 3, functions);
	functions.n = 4;
	counted[0].name = "other";
	put(0, 0, 4, functions);
	ranges = get(0, 0);
	cr_expect(eq(sz, ranges.runs, 5));
	cr_assert(eq(sz, ranges.n, 5));
	expect_row(&ranges, 0, "f3", 0, 4000012);
	expect_row(&ranges, 1, "f2", 3000009, 3000009);
	expect_row(&ranges, 2, "f1", 7, 2000006);
	expect_row(&ranges, 3, "f0", 0, 1000003);
	expect_row(&ranges, 4, "other", 0, 1000003);
	cr_expect(eq(i64, fixture_rows(&at, "function_counts"), 4));
}

Test(functions, what_varied_in_any_build_is_known_with_its_widest_range)
{
	const struct pe_counts_query query = {.machine = at.machine, .benchmark = at.benchmarks[0]};
	struct pe_function_counts functions = fill(4);
	struct pe_function_ranges varying;

	OK(pe_store_counts_varying(&varying, at.store, &query, &at.arena, &at.err));
	cr_expect(eq(sz, varying.n, 0));
	put(0, 0, 0, functions);
	put(1, 0, 1, functions);
	put(1, 0, 2, functions);
	counted[0].instructions += 5;
	counted[2].instructions += 9;
	put(1, 0, 3, functions);
	put(2, 0, 4, functions);
	counted[0].instructions += 6;
	counted[3].instructions = 0;
	put(2, 0, 5, functions);
	OK(pe_store_counts_varying(&varying, at.store, &query, &at.arena, &at.err));
	cr_assert(eq(sz, varying.n, 3));
	expect_row(&varying, 0, "f3", 0, 4000012);
	expect_row(&varying, 1, "f2", 3000009, 3000018);
	expect_row(&varying, 2, "f0", 1000008, 1000014);
}

Test(functions, a_history_is_small)
{
	struct pe_random random = random_of(7);
	struct pe_function_counts functions = fill(N);
	int64_t first;

	put(0, 0, 0, functions);
	first = fixture_ask(&at, "SELECT sum(length(data)) FROM function_counts");
	for (unsigned round = 1; round < 100; round++) {
		for (size_t i = 0; i < 5; i++)
			counted[pe_random_below(&random, N)].instructions += 1 + round;
		functions.n = N - round % 3;
		put(round % N_REVISIONS, 0, round, functions);
	}
	cr_expect(lt(i64, first, 8 * N));
	cr_expect(lt(i64, fixture_ask(&at, "SELECT sum(length(data)) FROM function_counts"),
		     20 * first));
	for (size_t i = 0; i < N; i++)
		counted[i].instructions *= 3;
	put(0, 1, 0, functions);
	cr_expect(eq(sz, get(0, 1).n, functions.n));
	cr_expect(eq(u64, get(0, 1).at[0].least % 3, 0));
}

Test(functions, are_of_one_machine_and_of_what_is_reused)
{
	const struct pe_coverage one = {.revision = at.revisions[2],
					.benchmark = at.benchmarks[0],
					.source = at.revisions[1]};
	int64_t other = fixture_machine(&at, "elsewhere");
	struct pe_function_ranges out;

	put(1, 0, 0, fill(4));
	OK(pe_store_put_reused(at.store, at.machine, &one, &at.err));
	cr_expect(eq(sz, get(2, 0).n, 4));
	OK(read_counts(&out, other, 1, 0));
	cr_expect(eq(sz, out.runs, 0));
}

Test(functions, gc_keeps_what_runs_have_and_their_names)
{
	const char *id;
	struct pe_store_gc what = {.unreachable = true, .keep = {&id, 1}};
	struct pe_store_gc_result result;
	struct pe_function_counts functions = fill(200);

	put(0, 0, 0, functions);
	counted[5].instructions++;
	counted[6].name = "new";
	put(1, 0, 0, functions);
	id = fixture_ask_text(&at, "SELECT id FROM revisions ORDER BY key LIMIT 1 OFFSET 1");
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	fixture_expect_whole(&at);
	cr_expect(eq(i64, fixture_rows(&at, "run_functions"), 1));
	cr_expect(eq(sz, get(1, 0).n, 200));
	what.keep.n = 0;
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	cr_expect(eq(i64, fixture_rows(&at, "function_counts"), 0));
	cr_expect(eq(i64, fixture_rows(&at, "frames"), 0));
}

Test(functions, damage_is_told_and_stops_no_later_run)
{
	struct pe_function_ranges out;

	put(0, 0, 0, fill(4));
	fixture_ask(&at, "UPDATE function_counts SET data = x'00112233'");
	cr_expect(lt(int, read_counts(&out, at.machine, 0, 0), 0));
	counted[0].instructions++;
	put(1, 0, 0, (struct pe_function_counts){counted, 4});
	cr_expect(eq(sz, get(1, 0).n, 4));
}
