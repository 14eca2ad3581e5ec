/* Confirmations come back as they were put, and fresh runs that stand aside stay out of the series. */
#include "fixture.h"

#include "tests/support/test.h"

static struct fixture at;

TestSuiteWith(confirmations, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

/* A batch of its own with revision 0 on the left and 1 on the right, a run of each. */
static int64_t put_aside(bool aside)
{
	struct pe_coverage cells[] = {
		{at.revisions[0], at.benchmarks[0], .role = PE_ROLE_LEFT, .timed = 5},
		{at.revisions[1], at.benchmarks[0], .role = PE_ROLE_RIGHT, .timed = 5},
	};
	struct pe_batch batch = {.machine = at.machine,
				 .seed = 18446744073709551615u,
				 .open = true,
				 .aside = aside,
				 .cells = cells,
				 .n_cells = 2};

	OK(pe_store_put_batch(at.store, &batch, &at.err));
	for (unsigned r = 0; r < 2; r++) {
		struct pe_run run = fixture_run(3, 2, 100 + 10 * r);

		OK(pe_store_put_run(at.store, batch.key, at.revisions[r], at.benchmarks[0], &run,
				    &at.err));
	}
	return batch.key;
}

static struct pe_stored_confirmation suspect(int64_t batch)
{
	return (struct pe_stored_confirmation){
		.machine = at.machine,
		.benchmark = at.benchmarks[0],
		.metric = "wall",
		.before = at.revisions[0],
		.after = at.revisions[1],
		.first = at.revisions[1],
		.last = at.revisions[2],
		.batch = batch,
		.direction = -1,
		.opts = {.accept = 0.001,
			 .give_up = 0.3,
			 .suspected = 0.05,
			 .min_effect = 0.02,
			 .margin = 0.0025},
		.begun_s = 77,
	};
}

static struct pe_stored_confirmation the_only_one(void)
{
	struct pe_stored_confirmation *all;
	size_t n;

	OK(pe_store_confirmations(&all, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert(eq(sz, n, 1));
	return all[0];
}

Test(confirmations, one_that_was_begun_comes_back_without_an_answer)
{
	struct pe_stored_confirmation put = suspect(put_aside(true)), got;

	OK(pe_store_put_confirmation(at.store, &put, &at.err));
	got = the_only_one();
	cr_expect(eq(i64, got.key, put.key));
	cr_expect(eq(sz, got.number, 1));
	cr_expect(eq(int, got.direction, -1));
	cr_expect(eq(i64, got.batch, put.batch));
	cr_expect(eq(i64, got.last, at.revisions[2]));
	cr_expect(eq(dbl, got.opts.accept, 0.001));
	cr_expect(eq(dbl, got.opts.margin, 0.0025));
	cr_expect_eq(got.answer, PE_CONFIRM_GO_ON);
	cr_expect(isnan(got.sure) && got.pinned_after == 0 && !got.settled);
	cr_expect_eq(got.layout, PE_LAYOUT_NOT_LOOKED);
	cr_expect_str_eq(got.metric, "wall");
}

Test(confirmations, an_answer_is_added_to_it)
{
	struct pe_stored_confirmation put = suspect(put_aside(true)), got;

	OK(pe_store_put_confirmation(at.store, &put, &at.err));
	put.answer = PE_CONFIRMED;
	put.result = (struct pe_confirm_result){18, -0.04, -0.05, NAN, 0.95, 0.0002, INFINITY, 0};
	put.known_after = 3;
	put.pinned_before = at.revisions[1];
	put.pinned_after = put.pinned_first = put.pinned_last = at.revisions[2];
	put.sure = 0.99;
	put.settled = true;
	put.layout = PE_LAYOUT_UNKNOWN;
	OK(pe_store_put_confirmation(at.store, &put, &at.err));
	got = the_only_one();
	cr_expect_eq(got.answer, PE_CONFIRMED);
	cr_expect(eq(sz, got.result.pairs, 18));
	cr_expect(eq(dbl, got.result.relative, -0.04));
	cr_expect(isnan(got.result.high));
	cr_expect(isinf(got.result.least));
	cr_expect(eq(sz, got.known_after, 3));
	cr_expect(eq(i64, got.pinned_after, at.revisions[2]));
	cr_expect(eq(dbl, got.sure, 0.99));
	cr_expect(got.settled);
	cr_expect_eq(got.layout, PE_LAYOUT_UNKNOWN);
}

Test(confirmations, numbers_count_on_one_machine)
{
	struct pe_stored_confirmation one = suspect(put_aside(true)), two = one;

	OK(pe_store_put_confirmation(at.store, &one, &at.err));
	OK(pe_store_put_confirmation(at.store, &two, &at.err));
	cr_expect(eq(sz, two.number, 2));
}

Test(confirmations, a_metric_without_values_is_refused)
{
	struct pe_stored_confirmation put = suspect(put_aside(true));

	put.metric = "max-rss";
	cr_expect_eq(pe_store_put_confirmation(at.store, &put, &at.err), PE_ESTORE);
}

/* What was measured to answer a question would count twice if the search saw it. */
Test(confirmations, runs_aside_are_in_no_series_and_no_coverage)
{
	const struct pe_series_query query = {at.machine, at.benchmarks[0], "wall"};
	struct pe_observation *series;
	struct pe_coverage *coverage;
	struct pe_batch *open;
	size_t n;
	int64_t batch = put_aside(true);

	OK(pe_store_get_series(&series, &n, at.store, &query, &at.arena, &at.err));
	cr_expect(eq(sz, n, 0));
	OK(pe_store_coverage(&coverage, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect(eq(sz, n, 0));
	OK(pe_store_open_batches(&open, &n, at.store, at.machine, &at.arena, &at.err));
	for (size_t i = 0; i < n; i++)
		cr_expect_neq(open[i].key, batch);
	cr_expect(eq(i64, fixture_rows(&at, "measurements"), 0));
	cr_expect(eq(i64, fixture_rows(&at, "fresh_measurements"), 4));
}

Test(confirmations, runs_that_are_not_aside_are_readings_like_all_others)
{
	const struct pe_series_query query = {at.machine, at.benchmarks[0], "wall"};
	struct pe_observation *series;
	size_t n;

	put_aside(false);
	OK(pe_store_get_series(&series, &n, at.store, &query, &at.arena, &at.err));
	cr_expect(eq(sz, n, 2));
}

Test(confirmations, a_batch_gives_back_its_plan_and_its_values)
{
	int64_t key = put_aside(true);
	struct pe_batch batch;
	struct pe_observation *values;
	size_t n;

	OK(pe_store_get_batch(&batch, at.store, key, &at.arena, &at.err));
	cr_expect(batch.aside && batch.open);
	cr_expect(eq(u64, batch.seed, 18446744073709551615u));
	cr_assert(eq(sz, batch.n_cells, 2));
	cr_expect_eq(batch.cells[1].role, PE_ROLE_RIGHT);
	OK(pe_store_batch_values(&values, &n, at.store, key, &at.arena, &at.err));
	cr_assert(eq(sz, n, 4));
	cr_expect(eq(i64, values[0].revision, at.revisions[0]));
	cr_expect_text("3 wall 100 110", values[0].round, values[0].metric, values[0].value,
		       values[2].value);
	cr_expect_eq(pe_store_get_batch(&batch, at.store, key + 1, &at.arena, &at.err),
		     PE_ENOTFOUND);
}

Test(confirmations, pins_are_found_by_what_was_confirmed)
{
	int64_t confirmed = put_aside(true), first = put_aside(true), second = put_aside(true);
	int64_t *pins;
	size_t n;

	OK(pe_store_put_pin(at.store, confirmed, first, &at.err));
	OK(pe_store_put_pin(at.store, confirmed, second, &at.err));
	OK(pe_store_pins(&pins, &n, at.store, confirmed, &at.arena, &at.err));
	cr_assert(eq(sz, n, 2));
	cr_expect(pins[0] == first && pins[1] == second);
	OK(pe_store_pins(&pins, &n, at.store, first, &at.arena, &at.err));
	cr_expect(eq(sz, n, 0));
}

/* An answer outlives the runs that it came from, but not the revisions that it is about. */
Test(confirmations, answers_outlive_their_runs)
{
	struct pe_stored_confirmation put = suspect(put_aside(true));
	struct pe_store_gc_result result;

	OK(pe_store_put_confirmation(at.store, &put, &at.err));
	OK(pe_store_close_batch(at.store, put.batch, &at.err));
	OK(pe_store_collect(&result, at.store, &(struct pe_store_gc){.before_s = INT64_MAX},
			    &at.err));
	fixture_expect_whole(&at);
	cr_expect(eq(u64, result.runs, 2));
	cr_expect(eq(i64, the_only_one().batch, 0));
}
