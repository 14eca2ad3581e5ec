/* Executions and reused cells: kept as put, replaced by a later one, gone with their revision. */
#include "fixture.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct fixture at;

static void set_up(void)
{
	fixture_open_filled(&at);
}

static void tear_down(void)
{
	fixture_close(&at);
}

TestSuite(reused, .init = set_up, .fini = tear_down, .timeout = 60.0);

#define OK(call) cr_assert_eq((call), PE_OK, "%s", at.err.message)

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
	const struct pe_reused one = {at.revisions[r], at.benchmarks[w], at.revisions[source]};

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
	struct pe_reused *found;
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
	const char(*keep)[PE_OID_HEX];
	struct pe_store_gc what = {.unreachable = true};
	struct pe_store_gc_result result;
	struct pe_stored_revision *revisions;
	struct pe_reused *found;
	size_t n;

	put_reused(3, 0, 0);
	OK(pe_store_revisions(&revisions, &n, at.store, &at.arena, &at.err));
	cr_assert_eq(n, N_REVISIONS);
	keep = (const char(*)[PE_OID_HEX])revisions[3].revision.id;
	what.keep = keep;
	what.n_keep = 1;
	OK(pe_store_collect(&result, at.store, &what, &at.err));
	OK(pe_store_reused(&found, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect_eq(n, 0);
	fixture_expect_whole(&at);
}
