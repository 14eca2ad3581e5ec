/* Exchange: what leaves a store comes into another one whole, once, and beside what is there. */
#include "fixture.h"

#include "store/exchange.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

static struct fixture at, other;

static void set_up(void)
{
	fixture_open_filled(&at);
	fixture_open(&other);
}

static void tear_down(void)
{
	fixture_close(&at);
	fixture_close(&other);
}

TestSuite(exchange, .init = set_up, .fini = tear_down, .timeout = 60.0);

#define OK(call)    cr_assert_eq((call), PE_OK, "%s", at.err.message)
#define THERE(call) cr_assert_eq((call), PE_OK, "%s", other.err.message)

static void measure(void)
{
	for (unsigned r = 0; r < N_REVISIONS; r++) {
		struct pe_run run = fixture_run(0, 3, 100.0 * r + 0.1);

		fixture_put(&at, r, 0, &run);
		run = fixture_failure(0, PE_CRASHED, "it \"broke\"\n");
		fixture_put(&at, r, 1, &run);
	}
}

static struct pe_results pack(void)
{
	struct pe_results results;

	OK(pe_store_pack_batch(&results, at.store, at.batch, &at.arena, &at.err));
	return results;
}

static size_t count_to_share(void)
{
	int64_t *batches;
	size_t n;

	OK(pe_store_batches_to_share(&batches, &n, at.store, &at.arena, &at.err));
	return n;
}

#define RUNS                                                                                       \
	"SELECT group_concat(x, ';') FROM (SELECT v.id || b.name || b.version || r.kind || "       \
	"r.round || ',' || r.sequence || r.outcome || r.status || coalesce(r.log, '') || "         \
	"coalesce((SELECT group_concat(m.name || s.value) FROM samples s JOIN metrics m ON "       \
	"m.key = s.metric WHERE s.run = r.key), '') AS x FROM runs r JOIN revisions v ON v.key = " \
	"r.revision JOIN benchmarks b ON b.key = r.benchmark ORDER BY v.id, b.name, r.round)"

Test(exchange, an_open_batch_stays_and_a_closed_one_leaves_once)
{
	measure();
	cr_expect(eq(sz, count_to_share(), 0));
	OK(pe_store_close_batch(at.store, at.batch, &at.err));
	cr_expect(eq(sz, count_to_share(), 1));
	OK(pe_store_batch_left(at.store, at.batch, &at.err));
	cr_expect(eq(sz, count_to_share(), 0));
}

Test(exchange, a_batch_comes_in_with_every_run_and_sample)
{
	struct pe_results results;
	size_t runs;

	measure();
	results = pack();
	THERE(pe_store_unpack(&runs, other.store, &results, &other.err));
	cr_expect(eq(sz, runs, 2 * N_REVISIONS));
	cr_expect(eq(str, (char *)fixture_ask_text(&other, RUNS),
		     (char *)fixture_ask_text(&at, RUNS)));
	cr_expect(eq(i64, fixture_ask(&other, "SELECT count(*) FROM batches WHERE shared"), 1));
	fixture_expect_whole(&other);
}

Test(exchange, a_batch_that_is_there_stays_as_it_is)
{
	struct pe_results results;
	size_t runs;

	measure();
	results = pack();
	OK(pe_store_unpack(&runs, at.store, &results, &at.err));
	cr_expect(eq(sz, runs, 0));
	THERE(pe_store_unpack(&runs, other.store, &results, &other.err));
	THERE(pe_store_unpack(&runs, other.store, &results, &other.err));
	cr_expect(eq(sz, runs, 0));
	cr_expect(eq(i64, fixture_ask(&other, "SELECT count(*) FROM runs"), 2 * N_REVISIONS));
}

Test(exchange, a_document_that_does_not_fit_comes_in_not_at_all)
{
	struct pe_results results;
	size_t runs;

	measure();
	results = pack();
	results.runs[1].round = results.runs[0].round; /* one run twice */
	results.runs[1].revision = results.runs[0].revision;
	results.runs[1].benchmark = results.runs[0].benchmark;
	results.runs[1].kind = results.runs[0].kind;
	cr_expect(eq(int, pe_store_unpack(&runs, other.store, &results, &other.err), PE_ESTORE));
	cr_expect(
		eq(i64,
		   fixture_ask(&other, "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM "
				       "revisions) + (SELECT count(*) FROM batches)"),
		   0));
}

Test(exchange, the_version_that_is_used_here_stays_the_newest)
{
	struct pe_results results;
	const char *newest = "SELECT version FROM benchmarks WHERE name = 'parse' ORDER BY "
			     "generation DESC LIMIT 1";
	size_t runs;

	measure();
	results = pack();
	results.benchmarks[0].name = "parse";
	fixture_benchmark(&other, "parse", "99999999999999999999999999999999");
	THERE(pe_store_unpack(&runs, other.store, &results, &other.err));
	cr_expect(eq(str, (char *)fixture_ask_text(&other, newest),
		     (char *)"99999999999999999999999999999999"));
}

static void find_things(void)
{
	const struct pe_build failed = {.outcome = PE_BUILD_FAILED,
					.status = 2,
					.started_s = 1700000000,
					.step = "make",
					.log = "no rule"};
	const struct pe_reused reused = {at.revisions[2], at.benchmarks[0], at.revisions[1]};
	struct pe_stored_confirmation confirmation = {
		.machine = at.machine,
		.benchmark = at.benchmarks[0],
		.metric = "wall",
		.before = at.revisions[0],
		.after = at.revisions[1],
		.first = at.revisions[1],
		.last = at.revisions[2],
		.batch = at.batch,
		.direction = 1,
		.opts = PE_CONFIRM_DEFAULTS,
		.begun_s = 1700000100,
	};
	int64_t key;

	OK(pe_store_put_build(&key, at.store, at.revisions[3], at.machine,
			      "ffffffffffffffffffffffffffffffff", &failed, &at.err));
	OK(pe_store_put_reused(at.store, at.machine, &reused, &at.err));
	OK(pe_store_put_confirmation(at.store, &confirmation, &at.err));
	confirmation.answer = PE_CONFIRMED;
	confirmation.told = (struct pe_confirm_told){.pairs = 12,
						     .relative = 0.05,
						     .low = 0.02,
						     .high = NAN,
						     .confidence = 0.95,
						     .p = 0.001,
						     .least = NAN};
	confirmation.sure = 0.99;
	confirmation.pinned_before = at.revisions[0];
	confirmation.pinned_after = at.revisions[1];
	confirmation.pinned_first = confirmation.pinned_last = at.revisions[1];
	confirmation.settled = true;
	confirmation.layout = PE_LAYOUT_ONLY;
	OK(pe_store_put_confirmation(at.store, &confirmation, &at.err));
}

static void expect_nothing(const struct pe_results *findings)
{
	cr_expect(eq(sz, findings->n_builds, 0));
	cr_expect(eq(sz, findings->n_reused, 0));
	cr_expect(eq(sz, findings->n_confirmations, 0));
}

Test(exchange, findings_leave_once_and_come_in_once)
{
	struct pe_results batch, findings;
	struct pe_stored_confirmation *found;
	size_t runs, n;
	int64_t machine;

	measure();
	find_things();
	batch = pack();
	OK(pe_store_pack_findings(&findings, at.store, at.machine, 10, &at.arena, &at.err));
	cr_assert(findings.n_builds == 1 && findings.n_reused == 1 &&
		  findings.n_confirmations == 1);
	for (int twice = 0; twice < 2; twice++) {
		THERE(pe_store_unpack(&runs, other.store, &batch, &other.err));
		THERE(pe_store_unpack(&runs, other.store, &findings, &other.err));
	}
	machine = fixture_ask(&other, "SELECT key FROM machines");
	cr_expect(eq(i64, fixture_ask(&other, "SELECT count(*) FROM builds"), 1));
	cr_expect(eq(i64, fixture_ask(&other, "SELECT count(*) FROM reused"), 1));
	THERE(pe_store_confirmations(&found, &n, other.store, machine, &other.arena, &other.err));
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(int, (int)found[0].answer, PE_CONFIRMED));
	cr_expect(eq(dbl, found[0].told.relative, 0.05));
	cr_expect(isnan(found[0].told.high));
	cr_expect(found[0].settled);
	cr_expect(eq(int, (int)found[0].layout, PE_LAYOUT_ONLY));
	cr_expect(ne(i64, found[0].batch, 0));
	cr_expect(eq(i64, found[0].pinned_after, found[0].after));
	OK(pe_store_findings_left(at.store, at.machine, 10, &at.err));
	OK(pe_store_pack_findings(&findings, at.store, at.machine, 10, &at.arena, &at.err));
	expect_nothing(&findings);
	/* what came in does not go out */
	THERE(pe_store_pack_findings(&findings, other.store, machine, 10, &other.arena,
				     &other.err));
	expect_nothing(&findings);
	fixture_expect_whole(&other);
}

Test(exchange, findings_may_come_before_their_batches)
{
	struct pe_results findings;
	size_t runs;

	measure();
	find_things();
	OK(pe_store_pack_findings(&findings, at.store, at.machine, 10, &at.arena, &at.err));
	THERE(pe_store_unpack(&runs, other.store, &findings, &other.err));
	cr_expect(eq(i64, fixture_ask(&other, "SELECT count(*) FROM confirmations"), 1));
	fixture_expect_whole(&other);
}

Test(exchange, more_findings_than_fit_leave_in_several_documents)
{
	struct pe_results findings;

	for (unsigned r = 1; r < N_REVISIONS; r++) {
		const struct pe_reused reused = {at.revisions[r], at.benchmarks[0],
						 at.revisions[0]};

		OK(pe_store_put_reused(at.store, at.machine, &reused, &at.err));
	}
	OK(pe_store_pack_findings(&findings, at.store, at.machine, 2, &at.arena, &at.err));
	cr_expect(eq(sz, findings.n_reused, 2));
	OK(pe_store_findings_left(at.store, at.machine, 2, &at.err));
	OK(pe_store_pack_findings(&findings, at.store, at.machine, 2, &at.arena, &at.err));
	cr_expect(eq(sz, findings.n_reused, 1));
}

Test(exchange, bundles_are_seen_by_name)
{
	bool seen;

	OK(pe_store_bundle_seen(&seen, at.store, "abc", &at.err));
	cr_expect_not(seen);
	OK(pe_store_see_bundle(at.store, "abc", &at.err));
	OK(pe_store_see_bundle(at.store, "abc", &at.err));
	OK(pe_store_bundle_seen(&seen, at.store, "abc", &at.err));
	cr_expect(seen);
}
