/* What is known of suites: formats, listings, inner values, a history that goes on under another name. */
#include "fixture.h"

#include "core/model/suite.h"
#include "tests/support/test.h"

static struct fixture at;
static struct pe_suite suite = {.name = "s", .version = "v1"};

TestSuiteWith(suites, fixture_open_filled(&at), (fixture_expect_whole(&at), fixture_close(&at)),
	      .timeout = 600);

static int64_t put_suite(void)
{
	int64_t key;

	OK(pe_store_put_suite(&key, at.store, &suite, "google-benchmark", true, &at.err));
	return key;
}

Test(suites, a_suite_is_known_by_its_version)
{
	struct pe_suite other = suite;
	const char *format = NULL;
	bool fixed = false;
	int64_t key = put_suite(), found;

	OK(pe_store_get_suite(&found, &format, &fixed, at.store, &suite, &at.arena, &at.err));
	cr_expect(eq(i64, found, key));
	cr_expect_str_eq(format, "google-benchmark");
	cr_expect(fixed);
	strcpy(other.version, "v2");
	cr_expect(eq(
		int,
		pe_store_get_suite(&found, &format, &fixed, at.store, &other, &at.arena, &at.err),
		PE_ENOTFOUND));
}

Test(suites, revisions_with_the_same_names_share_them)
{
	const struct pe_member_name one[] = {{"BM_B/1", "BM_B[1]"},
					     {"BM \"A\"", "\"BM \\\"A\\\"\""}};
	const struct pe_member_name two[] = {{"BM_C", "BM_C"}};
	int64_t key = put_suite(), first, second, third;
	struct pe_member_name *names;
	size_t n;

	OK(pe_store_put_listing(at.store, key, at.revisions[0], one, 2, &at.err));
	OK(pe_store_put_listing(at.store, key, at.revisions[1], one, 2, &at.err));
	OK(pe_store_put_listing(at.store, key, at.revisions[2], two, 1, &at.err));
	OK(pe_store_get_listing(&first, at.store, key, at.revisions[0], &at.err));
	OK(pe_store_get_listing(&second, at.store, key, at.revisions[1], &at.err));
	OK(pe_store_get_listing(&third, at.store, key, at.revisions[2], &at.err));
	cr_expect(eq(i64, first, second));
	cr_expect(ne(i64, first, third));
	OK(pe_store_get_listing(&third, at.store, key, at.revisions[3], &at.err));
	cr_expect(eq(i64, third, 0));
	OK(pe_store_suite_names(&names, &n, at.store, first, &at.arena, &at.err));
	cr_assert(eq(sz, n, 2));
	cr_expect_text("BM_B/1 BM_B[1] BM \"A\"", names[0].own, names[0].id, names[1].own);
	OK(pe_store_suite_names(&names, &n, at.store, 0, &at.arena, &at.err));
	cr_expect(eq(sz, n, 0));
}

Test(suites, inner_values_come_back_in_their_order)
{
	static const double inner[] = {3.5, 0.1, 1e-9};
	struct pe_run run = fixture_run(0, 1, 0.1);

	run.samples[0].inner = inner;
	run.samples[0].n_inner = 3;
	fixture_put(&at, 0, 0, &run);
	cr_expect_text(
		"3 [3.5,0.1,1e-09] 0.1", fixture_rows(&at, "inner_measurements"),
		fixture_ask_text(&at, "SELECT samples FROM inner_samples"),
		fixture_ask_text(&at, "SELECT value FROM inner_measurements WHERE position = 1"));
}

Test(suites, a_renamed_benchmark_keeps_its_runs_and_forgets_where_it_was_not)
{
	struct pe_run run = fixture_run(0, 1, 5);
	const struct pe_run absent = {.outcome = PE_ABSENT};
	const char *name =
		fixture_ask_text(&at, "SELECT name FROM benchmarks ORDER BY key LIMIT 1");
	const char *version =
		fixture_ask_text(&at, "SELECT version FROM benchmarks ORDER BY key LIMIT 1");

	fixture_put(&at, 0, 0, &run);
	fixture_put(&at, 1, 0, &absent);
	OK(pe_store_rename_benchmark(at.store, name, "s/New", "another version", &at.err));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 2));
	OK(pe_store_rename_benchmark(at.store, name, "s/New", version, &at.err));
	cr_expect(eq(i64,
		     fixture_ask(&at, "SELECT count(*) FROM runs r JOIN benchmarks b"
				      " ON b.key = r.benchmark WHERE b.name = 's/New'"),
		     1));
	cr_expect(eq(i64, fixture_rows(&at, "runs_failed"), 0));
	/* Once more finds nothing to do. */
	OK(pe_store_rename_benchmark(at.store, name, "s/New", version, &at.err));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 1));
}
