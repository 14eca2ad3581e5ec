/* Executions and reused cells: kept as put, replaced by a later one, gone with their revision. */
#include "fixture.h"

#include "tests/support/test.h"

static struct fixture at;

TestSuiteWith(reused, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

static void put_execution(unsigned r, unsigned w, const char *identity)
{
	const struct pe_execution one = {
		.revision = at.revisions[r],
		.benchmark = at.benchmarks[w],
		.touched = "P prog\nF data/in\n",
		.identity = identity,
	};

	OK(pe_store_put_execution(at.store, at.machine, &one, &at.err));
}

static void put_reused(unsigned r, unsigned w, unsigned source)
{
	const struct pe_coverage one = {.revision = at.revisions[r],
					.benchmark = at.benchmarks[w],
					.source = at.revisions[source]};

	OK(pe_store_put_reused(at.store, at.machine, &one, &at.err));
}

Test(reused, executions_come_back_by_benchmark_and_revision_and_the_latest_counts)
{
	struct pe_execution *found;
	size_t n;

	put_execution(2, 1, "i1");
	put_execution(1, 0, "i2");
	put_execution(2, 1, "i3");
	OK(pe_store_executions(&found, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert_eq(n, 2);
	cr_expect_eq(found[0].benchmark, at.benchmarks[0]);
	cr_expect_eq(found[1].revision, at.revisions[2]);
	cr_expect_str_eq(found[1].identity, "i3");
	cr_expect_str_eq(found[1].touched, "P prog\nF data/in\n");
}

Test(reused, cells_come_back_and_other_machines_see_nothing)
{
	int64_t other = fixture_machine(&at, "elsewhere");
	struct pe_coverage *found;
	size_t n;

	put_reused(2, 0, 1);
	put_reused(3, 0, 1);
	put_reused(3, 0, 2);
	OK(pe_store_reused(&found, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert_eq(n, 2);
	cr_expect_eq(found[0].revision, at.revisions[2]);
	cr_expect_eq(found[1].source, at.revisions[2]);
	OK(pe_store_reused(&found, &n, at.store, other, &at.arena, &at.err));
	cr_expect_eq(n, 0);
}

Test(reused, a_cell_goes_with_the_revision_it_takes_its_results_from)
{
	const char *keep;
	struct pe_store_gc what = {.unreachable = true};
	struct pe_store_gc_result result;
	struct pe_revision *revisions;
	struct pe_coverage *found;
	size_t n;

	put_reused(3, 0, 0);
	OK(pe_store_revisions(&revisions, &n, at.store, &at.arena, &at.err));
	cr_assert_eq(n, N_REVISIONS);
	keep = revisions[3].id;
	what.keep = (struct pe_strings){&keep, 1};
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	OK(pe_store_reused(&found, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect_eq(n, 0);
	fixture_expect_whole(&at);
}

/* --- What builds read --- */

static int64_t put_build(unsigned r, enum pe_outcome outcome, const char *digest, const char *paths)
{
	const struct pe_build build = {.outcome = outcome, .log = ""};
	const struct pe_stored_reads reads = {digest, paths, digest == NULL ? "unseen" : NULL};
	int64_t key;

	OK(pe_store_put_build(&key, at.store, at.revisions[r], at.machine, "recipe", &build,
			      &at.err));
	OK(pe_store_put_reads(at.store, key, &reads, &at.err));
	return key;
}

Test(reused, what_builds_read_is_stored_once_and_that_of_the_latest_good_build_counts)
{
	struct pe_build_reads *found;
	const char *paths;
	size_t n;

	put_build(0, PE_MEASURED, "d1", "F 0 a\n");
	put_build(1, PE_MEASURED, "d1", "F 0 a\n");
	put_build(2, PE_MEASURED, "d2", "F 0 b\n");
	put_build(2, PE_MEASURED, NULL, NULL);
	OK(pe_store_build_reads(&found, &n, at.store, at.machine, "recipe", &at.arena, &at.err));
	cr_assert_eq(n, 2);
	cr_expect_eq(found[0].revision, at.revisions[0]);
	cr_expect_eq(found[0].set, found[1].set);
	OK(pe_store_read_set(&paths, at.store, found[0].set, &at.arena, &at.err));
	cr_expect_str_eq(paths, "F 0 a\n");
	cr_expect_eq(pe_store_read_set(&paths, at.store, 99, &at.arena, &at.err), PE_ENOTFOUND);
	put_build(0, PE_BUILD_FAILED, NULL, NULL);
	OK(pe_store_build_reads(&found, &n, at.store, at.machine, "recipe", &at.arena, &at.err));
	cr_expect_eq(n, 1);
	OK(pe_store_build_reads(&found, &n, at.store, at.machine, "another", &at.arena, &at.err));
	cr_expect_eq(n, 0);
	cr_expect_eq(fixture_rows(&at, "read_sets"), 2);
}

Test(reused, a_build_that_differed_takes_away_what_was_never_built)
{
	struct pe_coverage unbuilt = {.revision = at.revisions[1],
				      .benchmark = at.benchmarks[0],
				      .source = at.revisions[0],
				      .unbuilt = true};
	struct pe_coverage *found;
	bool misread;
	size_t n;

	put_build(0, PE_MEASURED, "d1", "F 0 a\n");
	put_reused(2, 0, 0);
	OK(pe_store_put_reused(at.store, at.machine, &unbuilt, &at.err));
	OK(pe_store_reused(&found, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert_eq(n, 2);
	cr_expect(found[0].unbuilt && !found[1].unbuilt);
	OK(pe_store_is_misread(&misread, at.store, at.machine, "recipe", &at.err));
	cr_expect(misread == false);
	OK(pe_store_put_misread(&n, at.store, at.machine, "recipe", at.revisions[1],
				at.revisions[0], &at.err));
	cr_expect_eq(n, 1);
	OK(pe_store_is_misread(&misread, at.store, at.machine, "recipe", &at.err));
	cr_expect(misread);
	OK(pe_store_is_misread(&misread, at.store, at.machine, "another", &at.err));
	cr_expect(misread == false);
	OK(pe_store_reused(&found, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert_eq(n, 1);
	cr_expect_eq(found[0].revision, at.revisions[2]);
}

/* --- What benchmarks execute --- */

Test(reused, functions_are_stored_once_and_a_cell_that_proved_different_takes_away_what_was_skipped)
{
	struct pe_execution one = {
		.revision = at.revisions[0],
		.benchmark = at.benchmarks[0],
		.touched = "P prog\n",
		.identity = "i",
		.functions = "P prog\nM prog\nf main\n",
		.executed = "e1",
	};
	struct pe_coverage skipped = {.revision = at.revisions[1],
				      .benchmark = at.benchmarks[0],
				      .source = at.revisions[0],
				      .skipped = true};
	struct pe_execution *executions;
	struct pe_coverage *found;
	int64_t *misjudged;
	size_t n;

	OK(pe_store_put_execution(at.store, at.machine, &one, &at.err));
	one.revision = at.revisions[2];
	OK(pe_store_put_execution(at.store, at.machine, &one, &at.err));
	cr_expect_eq(fixture_rows(&at, "executed_sets"), 1);
	OK(pe_store_executions(&executions, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert_eq(n, 2);
	cr_expect_str_eq(executions[1].functions, one.functions);
	cr_expect_str_eq(executions[1].executed, "e1");
	OK(pe_store_executions_of(&executions, &n, at.store, at.machine, at.benchmarks[0],
				  (const int64_t[]){at.revisions[1], at.revisions[2]}, &at.arena,
				  &at.err));
	cr_expect(n == 1 && executions[0].revision == at.revisions[2]);
	put_execution(2, 0, "i2");
	OK(pe_store_executions(&executions, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect(n == 2 && (executions[0].functions == NULL) != (executions[1].functions == NULL));

	OK(pe_store_put_reused(at.store, at.machine, &skipped, &at.err));
	put_reused(2, 0, 0);
	put_reused(2, 1, 0);
	OK(pe_store_misjudged(&misjudged, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect_eq(n, 0);
	OK(pe_store_put_misjudged(&n, at.store, at.machine, at.benchmarks[0], at.revisions[1],
				  at.revisions[0], &at.err));
	cr_expect_eq(n, 1);
	OK(pe_store_misjudged(&misjudged, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert_eq(n, 1);
	cr_expect_eq(misjudged[0], at.benchmarks[0]);
	OK(pe_store_reused(&found, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect_eq(n, 2);

	skipped.revision = at.revisions[3];
	OK(pe_store_put_reused(at.store, at.machine, &skipped, &at.err));
	OK(pe_store_drop_skipped(at.store, at.machine, at.benchmarks[0], at.revisions[3], &at.err));
	OK(pe_store_drop_skipped(at.store, at.machine, at.benchmarks[0], at.revisions[2], &at.err));
	OK(pe_store_reused(&found, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect_eq(n, 2);
	fixture_expect_whole(&at);
}
