/* What is put comes back: subjects, builds, batches, runs, series, coverage, failures, jumps. */
#include "fixture.h"

#include "tests/support/random.h"
#include "tests/support/test.h"

static struct fixture at;

TestSuiteWith(runs, fixture_open_filled(&at), fixture_close(&at), .timeout = 600);

static struct pe_observation *series_of(size_t *n, int64_t machine, int64_t benchmark,
					const char *metric)
{
	const struct pe_series_query query = {machine, benchmark, metric};
	struct pe_observation *series;

	OK(pe_store_get_series(&series, n, at.store, &query, &at.arena, &at.err));
	return series;
}

Test(runs, machine_is_found_again_by_its_fingerprint)
{
	struct pe_stored_machine *machines;
	struct pe_run run = fixture_run(7, 1, 1);
	size_t n;

	cr_expect(eq(i64, fixture_machine(&at, "alpha"), at.machine));
	cr_expect(ne(i64, fixture_machine(&at, "beta"), at.machine));
	fixture_put(&at, 0, 0, &run);
	OK(pe_store_machines(&machines, &n, at.store, &at.arena, &at.err));
	cr_assert(eq(sz, n, 2));
	cr_expect_text("alpha cc 12\ngcc 12 alpha", machines[0].machine.hostname,
		       machines[0].machine.compilers, machines[0].machine.fingerprint);
	cr_expect(eq(u64, machines[0].machine.memory_bytes, 1u << 30));
	cr_expect_text("1 1700000007 0 0", machines[0].has_runs, machines[0].last_run_s,
		       machines[1].has_runs, machines[1].last_run_s);
}

Test(runs, revisions_come_back_with_their_parents_in_order)
{
	const char parents[2][PE_OID_HEX] = {"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
					     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	struct pe_revision merge = {.id = "cccccccccccccccccccccccccccccccccccccccc",
				    .parents = parents,
				    .n_parents = 2,
				    .time_s = -5,
				    .author = "\xC3\x89mile",
				    .subject = ""};
	struct pe_stored_revision *revisions;
	int64_t key, again;
	size_t n;

	OK(pe_store_put_revision(&key, at.store, &merge, &at.err));
	OK(pe_store_put_revision(&again, at.store, &merge, &at.err));
	cr_expect(eq(i64, key, again));
	OK(pe_store_revisions(&revisions, &n, at.store, &at.arena, &at.err));
	cr_assert(eq(sz, n, N_REVISIONS + 1));
	cr_expect(eq(sz, revisions[0].revision.n_parents, 0));
	cr_expect(eq(sz, revisions[1].revision.n_parents, 1));
	cr_expect_str_eq(revisions[1].revision.parents[0], revisions[0].revision.id);
	cr_expect(eq(i64, revisions[N_REVISIONS].key, key));
	cr_assert(eq(sz, revisions[N_REVISIONS].revision.n_parents, 2));
	cr_expect_str_eq(revisions[N_REVISIONS].revision.parents[0], parents[0]);
	cr_expect_str_eq(revisions[N_REVISIONS].revision.parents[1], parents[1]);
	cr_expect_str_eq(revisions[N_REVISIONS].revision.author, "\xC3\x89mile");
	cr_expect(eq(i64, revisions[N_REVISIONS].revision.time_s, -5));
}

Test(runs, deepened_history_replaces_the_parents)
{
	const char parents[1][PE_OID_HEX] = {"dddddddddddddddddddddddddddddddddddddddd"};
	struct pe_revision revision = {
		.id = "cccccccccccccccccccccccccccccccccccccccc", .author = "a", .subject = "s"};
	int64_t key;

	OK(pe_store_put_revision(&key, at.store, &revision, &at.err));
	revision.parents = parents;
	revision.n_parents = 1;
	OK(pe_store_put_revision(&key, at.store, &revision, &at.err));
	cr_expect(eq(
		i64,
		fixture_ask(&at,
			    "SELECT count(*) FROM parents p JOIN revisions v ON v.key = p.revision"
			    " WHERE v.id LIKE 'cccc%' AND p.id LIKE 'dddd%'"),
		1));
	revision.n_parents = 0;
	OK(pe_store_put_revision(&key, at.store, &revision, &at.err));
	cr_expect(eq(i64, fixture_rows(&at, "parents WHERE id LIKE 'dddd%'"), 0));
}

Test(runs, version_used_last_is_the_newest_of_its_name)
{
	struct pe_stored_benchmark *benchmarks;
	int64_t edited = fixture_benchmark(&at, "parse", "v2");
	size_t n;

	cr_expect(ne(i64, edited, at.benchmarks[0]));
	OK(pe_store_benchmarks(&benchmarks, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert(eq(sz, n, 3));
	cr_expect(eq(i64, benchmarks[0].key, edited));
	cr_expect(eq(i64, benchmarks[1].key, at.benchmarks[0]));
	cr_expect(eq(i64, benchmarks[2].key, at.benchmarks[1]));
	/* The edit is taken back. */
	cr_expect(eq(i64, fixture_benchmark(&at, "parse", "v1"), at.benchmarks[0]));
	OK(pe_store_benchmarks(&benchmarks, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert(eq(sz, n, 3));
	cr_expect(eq(i64, benchmarks[0].key, at.benchmarks[0]));
	/* Using it again changes nothing. */
	fixture_benchmark(&at, "parse", "v1");
	cr_expect(eq(i64, fixture_ask(&at, "SELECT max(generation) FROM benchmarks"), 3));
}

Test(runs, definition_is_json_that_people_can_query)
{
	const char *const argv[] = {"/bin/sh", "-c", "x", NULL};
	const char *const env[] = {"A=\"quoted\"\t\\", NULL};
	const struct pe_custom_metric customs[] = {
		{{"rate", "1/s", "rate", PE_HIGHER_IS_BETTER, PE_METRIC_NOISY, 0.1, 0, false},
		 PE_EXTRACT_REGEX,
		 "rate: ([0-9]+)",
		 false,
		 0},
	};
	struct pe_benchmark benchmark = {.name = "odd \"name\"",
					 .command = {argv, "echo 'a'\n\x01"},
					 .cwd = "sub",
					 .env = {env, 1},
					 .customs = customs,
					 .n_customs = 1,
					 .version = "x",
					 .is_test = true};
	int64_t key;

	OK(pe_store_put_benchmark(&key, at.store, &benchmark, &at.err));
	cr_expect(
		eq(i64, fixture_ask(&at, "SELECT min(json_valid(definition)) FROM benchmarks"), 1));
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT definition ->> '$.command' FROM benchmarks"
					       " WHERE is_test"),
			 "echo 'a'\n\x01");
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT definition ->> '$.env[0]' FROM benchmarks"
					       " WHERE is_test"),
			 env[0]);
	cr_expect_str_eq(fixture_ask_text(&at, "SELECT definition ->> '$.metrics[0].better'"
					       " FROM benchmarks WHERE is_test"),
			 "higher");
	cr_expect(eq(i64,
		     fixture_ask(&at, "SELECT definition IS NULL FROM benchmarks WHERE is_test"),
		     0));
}

Test(runs, latest_build_of_each_revision_counts)
{
	const struct pe_build broken = {
		.outcome = PE_BUILD_FAILED,
		.started_s = 100,
		.duration_ns = 5,
		.step = "make",
		.status = 2,
		.log = "error: x\xFF",
	};
	const struct pe_build built = {.outcome = PE_MEASURED,
				       .started_s = 200,
				       .duration_ns = 7,
				       .step = NULL,
				       .status = 0,
				       .log = NULL};
	struct pe_stored_build *builds;
	int64_t key;
	size_t n;

	OK(pe_store_put_build(&key, at.store, at.revisions[1], at.machine, "r1", &broken, &at.err));
	OK(pe_store_put_build(&key, at.store, at.revisions[0], at.machine, "r1", &built, &at.err));
	OK(pe_store_put_build(&key, at.store, at.revisions[0], at.machine, "r2", &broken, &at.err));
	OK(pe_store_builds(&builds, &n, at.store, at.machine, "r1", &at.arena, &at.err));
	cr_assert(eq(sz, n, 2));
	cr_expect(eq(i64, builds[0].revision, at.revisions[0]));
	cr_expect(eq(int, builds[0].build.outcome, PE_MEASURED));
	cr_expect_null(builds[0].build.step);
	cr_expect(eq(int, builds[1].build.outcome, PE_BUILD_FAILED));
	cr_expect_str_eq(builds[1].build.log, "error: x\xFF");
	cr_expect_str_eq(builds[1].build.step, "make");
	cr_expect(eq(int, builds[1].build.status, 2));
	OK(pe_store_put_build(&key, at.store, at.revisions[1], at.machine, "r1", &built, &at.err));
	OK(pe_store_builds(&builds, &n, at.store, at.machine, "r1", &at.arena, &at.err));
	cr_assert(eq(sz, n, 2));
	cr_expect(eq(i64, builds[1].key, key));
	cr_expect(eq(int, builds[1].build.outcome, PE_MEASURED));
	cr_expect(eq(u64, builds[1].build.duration_ns, 7));
	OK(pe_store_builds(&builds, &n, at.store, at.machine, "unknown", &at.arena, &at.err));
	cr_expect(eq(sz, n, 0));
}

Test(runs, batch_keeps_its_plan_until_it_is_closed)
{
	struct pe_batch *batches;
	int64_t second = fixture_batch(&at, at.machine);
	size_t n;

	fixture_batch(&at, fixture_machine(&at, "beta"));
	OK(pe_store_open_batches(&batches, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert(eq(sz, n, 2));
	cr_expect(eq(i64, batches[0].key, at.batch));
	cr_expect(eq(i64, batches[1].key, second));
	cr_expect(eq(u64, batches[0].seed, UINT64_MAX - 5));
	cr_expect_text("performance -5 0.25 1", batches[0].conditions.governor,
		       batches[0].conditions.nice, batches[0].conditions.load,
		       batches[0].conditions.fixed_layout);
	cr_assert(eq(sz, batches[0].n_cells, N_REVISIONS * N_BENCHMARKS));
	for (unsigned i = 0; i < N_REVISIONS * N_BENCHMARKS; i++) {
		const struct pe_batch_cell *cell = &batches[0].cells[i];

		cr_expect(
			eq(i64, cell->revision, at.revisions[N_REVISIONS - 1 - i / N_BENCHMARKS]));
		cr_expect(eq(i64, cell->benchmark, at.benchmarks[i % N_BENCHMARKS]));
		cr_expect(eq(int, cell->role, i == 0 ? PE_ROLE_ANCHOR : PE_ROLE_NEW));
		cr_expect(eq(uint, cell->rounds, 25));
	}
	OK(pe_store_close_batch(at.store, at.batch, &at.err));
	OK(pe_store_open_batches(&batches, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(i64, batches[0].key, second));
	cr_expect(eq(int, pe_store_close_batch(at.store, 999, &at.err), PE_ENOTFOUND));
}

Test(runs, promise_1_run_with_a_bad_sample_stays_out_whole)
{
	struct pe_run run = fixture_run(0, 5, 1);

	run.samples[4].value = NAN;
	cr_expect(eq(int, fixture_try(&at, 0, 0, &run), PE_EINVALID));
	run.samples[4] = run.samples[0]; /* one metric twice */
	cr_expect(eq(int, fixture_try(&at, 0, 0, &run), PE_ESTORE));
	cr_expect_text("0 0 0", fixture_rows(&at, "runs"), fixture_rows(&at, "samples"),
		       fixture_rows(&at, "series"));
	run.samples[4] = (struct pe_sample){.metric = &pe_metrics[4], .value = 9};
	fixture_put(&at, 0, 0, &run);
	cr_expect(eq(i64, fixture_rows(&at, "samples"), 5));
}

Test(runs, promise_1_holds_inside_a_transaction_too)
{
	struct pe_run good = fixture_run(0, 3, 1);
	struct pe_run bad = fixture_run(1, 3, 1);

	bad.samples[2].value = INFINITY;
	OK(pe_store_begin(at.store, &at.err));
	fixture_put(&at, 0, 0, &good);
	cr_expect(eq(int, fixture_try(&at, 0, 0, &bad), PE_EINVALID));
	OK(pe_store_commit(at.store, &at.err));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 1));
	cr_expect(eq(i64, fixture_rows(&at, "samples"), 3));
}

Test(runs, promise_2_samples_are_immutable)
{
	struct pe_run run = fixture_run(0, 3, 1);

	fixture_put(&at, 0, 0, &run);
	cr_expect_fails(fixture_try(&at, 0, 0, &run), PE_ESTORE, at.err.message, "round 0");
	cr_expect_fails(pe_sql_script(at.store, "UPDATE samples SET value = 0", &at.err), PE_ESTORE,
			at.err.message, "immutable");
	run = fixture_run(1, 3, 1);
	fixture_put(&at, 0, 0, &run);
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 2));
}

Test(runs, promise_3_series_stays_on_one_machine_and_one_version)
{
	int64_t first_batch = at.batch;
	int64_t first_benchmark = at.benchmarks[0];
	int64_t beta = fixture_machine(&at, "beta");
	struct pe_run run = fixture_run(0, 2, 10);
	struct pe_observation *series;
	size_t n;

	fixture_put(&at, 0, 0, &run);
	at.batch = fixture_batch(&at, beta);
	run = fixture_run(0, 2, 20);
	fixture_put(&at, 0, 0, &run);
	at.benchmarks[0] = fixture_benchmark(&at, "parse", "v2");
	at.batch = fixture_batch(&at, at.machine);
	run = fixture_run(0, 2, 30);
	fixture_put(&at, 0, 0, &run);

	series = series_of(&n, at.machine, first_benchmark, "wall");
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(dbl, series[0].value, 10));
	cr_expect(eq(i64, series[0].batch, first_batch));
	series = series_of(&n, beta, first_benchmark, "wall");
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(dbl, series[0].value, 20));
	series = series_of(&n, at.machine, at.benchmarks[0], "cpu");
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(dbl, series[0].value, 31));
	series_of(&n, beta, at.benchmarks[0], "wall");
	cr_expect(eq(sz, n, 0));
	series_of(&n, at.machine, first_benchmark, "sys");
	cr_expect(eq(sz, n, 0));
	series_of(&n, at.machine, first_benchmark, "no such metric");
	cr_expect(eq(sz, n, 0));
}

/* What the query of the definition says, as text. */
static const char *asked_for(const char *metric)
{
	return fixture_ask_text(
		&at, pe_arena_printf(&at.arena,
				     "SELECT coalesce(group_concat(text, ' '), '') FROM (SELECT"
				     " r.revision || '/' || r.round || '/' || s.value AS text"
				     " FROM runs r JOIN samples s ON s.run = r.key"
				     " JOIN metrics m ON m.key = s.metric"
				     " JOIN batches b ON b.key = r.batch"
				     " WHERE r.benchmark = %lld AND m.name = '%s' AND NOT b.aside"
				     " AND b.machine = %lld ORDER BY r.batch, r.round, r.sequence)",
				     (long long)at.benchmarks[0], metric, (long long)at.machine));
}

static const char *text_of(const struct pe_series *series)
{
	const char *text = "";

	for (size_t i = 0; i < series->n; i++)
		text = pe_arena_printf(&at.arena, "%s%s%lld/%u/%.1f", text, i > 0 ? " " : "",
				       (long long)series->at[i].revision, series->at[i].round,
				       series->at[i].value);
	return text;
}

Test(runs, series_that_are_read_together_are_those_of_each_metric)
{
	struct pe_series series[7];
	struct pe_run failed = fixture_failure(9, PE_CRASHED, "gone");
	struct pe_random random = random_of(1);
	const int64_t batches[2] = {at.batch, fixture_batch(&at, at.machine)};

	for (unsigned i = 0; i < 60; i++) {
		/* They arrive in no order, and not all have all metrics. */
		struct pe_run run = fixture_run((59 - i) / 2, 1 + i % 5, (double)(100 * i));

		run.sequence = pe_random_below(&random, 1000);
		at.batch = batches[i % 2];
		fixture_put(&at, i % N_REVISIONS, i % 3 == 0, &run);
	}
	fixture_put(&at, 0, 0, &failed);
	for (unsigned i = 0; i < 7; i++)
		series[i] = (struct pe_series){.metric = i == 1 ? "no such metric"
								: pe_metrics[i - (i > 1)].name,
					       .arena = &at.arena};
	OK(pe_store_read_series(series, 7, at.store, at.machine, at.benchmarks[0], &at.err));
	for (unsigned i = 0; i < 7; i++)
		cr_expect_str_eq(text_of(&series[i]), asked_for(series[i].metric), "%s",
				 series[i].metric);
	cr_expect(gt(sz, series[0].n, series[3].n));
	cr_expect(eq(sz, series[1].n, 0));
	cr_expect(eq(sz, series[6].n, 0), "no run has a sixth metric");
}

Test(runs, values_come_back_bit_for_bit)
{
	const double values[] = {0.1, 1e300, 5e-324, -0.5, 123456789012345678.0, 3, 0};
	struct pe_observation *series;
	size_t n;

	for (unsigned i = 0; i < 7; i++) {
		struct pe_run run = fixture_run(i, 1, values[i]);

		fixture_put(&at, 0, 0, &run);
	}
	series = series_of(&n, at.machine, at.benchmarks[0], "wall");
	cr_assert(eq(sz, n, 7));
	for (unsigned i = 0; i < 7; i++)
		cr_expect(series[i].value == values[i], "%a", series[i].value);
}

Test(runs, run_needs_a_cell_of_its_batch)
{
	struct pe_run run = fixture_run(0, 1, 1);
	int64_t other = fixture_revision(&at, 77);

	cr_expect_fails(
		pe_store_put_run(at.store, at.batch, other, at.benchmarks[0], &run, &at.err),
		PE_ESTORE, at.err.message, "not a cell");
	cr_expect(eq(
		int,
		pe_store_put_run(at.store, 999, at.revisions[0], at.benchmarks[0], &run, &at.err),
		PE_ESTORE));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 0));
}

Test(runs, custom_metric_belongs_to_its_benchmark)
{
	const struct pe_custom_metric low = {
		{"latency", "ms", "latency", PE_LOWER_IS_BETTER, PE_METRIC_NOISY, 0.05, 1, false},
		PE_EXTRACT_JSON,
		"/latency",
		true,
		0};
	struct pe_custom_metric high = low;
	struct pe_benchmark benchmark = {
		.name = "one", .customs = &low, .n_customs = 1, .version = "1"};
	struct pe_batch_cell cells[2];
	struct pe_batch batch = {.machine = at.machine, .open = true, .cells = cells, .n_cells = 2};
	struct pe_run run = fixture_run(0, 2, 10);
	struct pe_metric *metrics;
	size_t n;

	OK(pe_store_put_benchmark(&at.benchmarks[0], at.store, &benchmark, &at.err));
	high.metric.better = PE_HIGHER_IS_BETTER;
	high.metric.min_relative = 0.5;
	benchmark.name = "two";
	benchmark.customs = &high;
	OK(pe_store_put_benchmark(&at.benchmarks[1], at.store, &benchmark, &at.err));
	cells[0] = (struct pe_batch_cell){at.revisions[0], at.benchmarks[0], PE_ROLE_NEW, 1};
	cells[1] = (struct pe_batch_cell){at.revisions[0], at.benchmarks[1], PE_ROLE_NEW, 1};
	OK(pe_store_put_batch(at.store, &batch, &at.err));
	at.batch = batch.key;
	/* Custom first, and built-in ones out of their order. */
	run.samples[0] = (struct pe_sample){.metric = &low.metric, .value = 1};
	run.samples[1] = (struct pe_sample){.metric = &pe_metrics[PE_MAX_RSS], .value = 2};
	run.samples[2] = (struct pe_sample){.metric = &pe_metrics[PE_WALL], .value = 3};
	run.n_samples = 3;
	fixture_put(&at, 0, 0, &run);
	run.samples[0].metric = &high.metric;
	run.n_samples = 1;
	fixture_put(&at, 0, 1, &run);

	OK(pe_store_benchmark_metrics(&metrics, &n, at.store, at.machine, at.benchmarks[0],
				      &at.arena, &at.err));
	cr_assert(eq(sz, n, 3));
	cr_expect_text("wall max-rss latency", metrics[0].name, metrics[1].name, metrics[2].name);
	cr_expect(eq(int, metrics[2].better, PE_LOWER_IS_BETTER));
	cr_expect(eq(dbl, metrics[2].min_relative, 0.05));
	cr_expect_str_eq(metrics[2].unit, "ms");
	OK(pe_store_benchmark_metrics(&metrics, &n, at.store, at.machine, at.benchmarks[1],
				      &at.arena, &at.err));
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(int, metrics[0].better, PE_HIGHER_IS_BETTER));
	cr_expect(eq(dbl, metrics[0].min_relative, 0.5));
	/* A changed threshold changes the metric, not the series. */
	high.metric.min_relative = 0.25;
	OK(pe_store_put_benchmark(&at.benchmarks[1], at.store, &benchmark, &at.err));
	OK(pe_store_benchmark_metrics(&metrics, &n, at.store, at.machine, at.benchmarks[1],
				      &at.arena, &at.err));
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(dbl, metrics[0].min_relative, 0.25));
}

/* What was put, counted beside the store. */
struct tally {
	unsigned measured[2];
	enum pe_outcome failure[2];
};

static void expect_coverage(const struct tally *tally)
{
	struct pe_coverage *rows;
	size_t n, at_row = 0;

	OK(pe_store_coverage(&rows, &n, at.store, at.machine, &at.arena, &at.err));
	for (unsigned w = 0; w < N_BENCHMARKS; w++) {
		for (unsigned r = 0; r < N_REVISIONS; r++) {
			const struct tally *cell = &tally[w * N_REVISIONS + r];

			if (cell->measured[0] + cell->measured[1] + cell->failure[0] +
				    cell->failure[1] ==
			    0)
				continue;
			cr_assert(lt(sz, at_row, n));
			cr_expect(eq(i64, rows[at_row].benchmark, at.benchmarks[w]));
			cr_expect(eq(i64, rows[at_row].revision, at.revisions[r]));
			cr_expect(eq(uint, rows[at_row].timed, cell->measured[0]));
			cr_expect(eq(uint, rows[at_row].counted, cell->measured[1]));
			cr_expect(eq(int, rows[at_row].failure, cell->failure[0]));
			cr_expect(eq(int, rows[at_row].counted_failure, cell->failure[1]));
			at_row++;
		}
	}
	cr_expect(eq(sz, at_row, n));
}

Test(runs, coverage_and_marks_equal_what_was_put)
{
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct tally tally[N_REVISIONS * N_BENCHMARKS] = {{{0, 0}, {0, 0}}};
		struct pe_random random = random_of(seed);
		unsigned n_runs = 0;

		fixture_close(&at);
		fixture_open_filled(&at);
		for (unsigned round = 0; round < 40; round++) {
			unsigned r = (unsigned)pe_random_below(&random, N_REVISIONS);
			unsigned w = (unsigned)pe_random_below(&random, N_BENCHMARKS);
			unsigned kind = (unsigned)pe_random_below(&random, 2);
			bool failed = pe_random_below(&random, 3) == 0;
			enum pe_outcome outcome =
				failed ? (enum pe_outcome)(5 + pe_random_below(&random, 5))
				       : PE_MEASURED;
			struct pe_run run = failed ? fixture_failure(round, outcome, "log")
						   : fixture_run(round, 3, round);

			run.kind = (enum pe_run_kind)kind;
			if (pe_random_below(&random, 5) == 0)
				at.batch = fixture_batch(&at, at.machine);
			fixture_put(&at, r, w, &run);
			n_runs++;
			if (failed)
				tally[w * N_REVISIONS + r].failure[kind] = outcome;
			else
				tally[w * N_REVISIONS + r].measured[kind]++;
		}
		expect_coverage(tally);
		cr_expect(eq(i64, fixture_rows(&at, "runs"), n_runs));
	}
}

Test(runs, coverage_of_another_machine_is_empty)
{
	struct pe_run run = fixture_run(0, 1, 1);
	struct pe_coverage *rows;
	size_t n;

	fixture_put(&at, 0, 0, &run);
	OK(pe_store_coverage(&rows, &n, at.store, fixture_machine(&at, "beta"), &at.arena,
			     &at.err));
	cr_expect(eq(sz, n, 0));
}

Test(runs, batch_runs_are_those_of_the_batch)
{
	struct pe_run run = fixture_run(3, 2, 1);
	struct pe_run failed = fixture_failure(1, PE_TIMED_OUT, NULL);
	struct pe_run_mark *marks;
	int64_t first = at.batch;
	size_t n;

	fixture_put(&at, 2, 1, &run);
	failed.kind = PE_RUN_COUNTED;
	fixture_put(&at, 0, 0, &failed);
	at.batch = fixture_batch(&at, at.machine);
	fixture_put(&at, 2, 1, &run);
	OK(pe_store_batch_runs(&marks, &n, at.store, first, &at.arena, &at.err));
	cr_assert(eq(sz, n, 2));
	cr_expect(eq(i64, marks[0].revision, at.revisions[0]));
	cr_expect(eq(int, marks[0].kind, PE_RUN_COUNTED));
	cr_expect(eq(int, marks[0].outcome, PE_TIMED_OUT));
	cr_expect(eq(i64, marks[1].benchmark, at.benchmarks[1]));
	cr_expect(eq(uint, marks[1].round, 3));
	OK(pe_store_batch_runs(&marks, &n, at.store, at.batch, &at.arena, &at.err));
	cr_expect(eq(sz, n, 1));
}

Test(runs, failures_show_the_latest_and_vanish_once_measured)
{
	const struct pe_build broken = {.outcome = PE_BUILD_FAILED,
					.started_s = 100,
					.duration_ns = 5,
					.step = "make",
					.status = 2,
					.log = "no rule"};
	const struct pe_build built = {.outcome = PE_MEASURED,
				       .started_s = 200,
				       .duration_ns = 7,
				       .step = NULL,
				       .status = 0,
				       .log = NULL};
	struct pe_run first = fixture_failure(0, PE_CRASHED, "old");
	struct pe_run second = fixture_failure(1, PE_TIMED_OUT, "new");
	struct pe_run measured = fixture_run(2, 1, 1);
	struct pe_stored_failure *failures;
	int64_t key;
	size_t n;

	fixture_put(&at, 1, 1, &first);
	fixture_put(&at, 1, 1, &second);
	OK(pe_store_put_build(&key, at.store, at.revisions[2], at.machine, "r", &broken, &at.err));
	OK(pe_store_failures(&failures, &n, at.store, at.machine, &at.arena, &at.err));
	cr_assert(eq(sz, n, 2));
	cr_expect(eq(i64, failures[0].benchmark, at.benchmarks[1]));
	cr_expect(eq(int, failures[0].outcome, PE_TIMED_OUT));
	cr_expect_text("new 11 0", failures[0].log, failures[0].status, failures[1].benchmark);
	cr_expect(eq(i64, failures[1].revision, at.revisions[2]));
	cr_expect_str_eq(failures[1].log, "no rule");
	/* A counting run that worked says nothing of the timed ones. */
	measured.kind = PE_RUN_COUNTED;
	fixture_put(&at, 1, 1, &measured);
	OK(pe_store_failures(&failures, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect(eq(sz, n, 2));
	measured.kind = PE_RUN_TIMED;
	fixture_put(&at, 1, 1, &measured);
	OK(pe_store_put_build(&key, at.store, at.revisions[2], at.machine, "r", &built, &at.err));
	OK(pe_store_failures(&failures, &n, at.store, at.machine, &at.arena, &at.err));
	cr_expect(eq(sz, n, 0));
}

/* All jumps of the machine. */
static int read_jumps(struct pe_stored_jump **out, size_t *n)
{
	return pe_sql_rows(
		out, n, at.store,
		"SELECT m.name, j.after, j.relative, j.low, j.high, j.regression FROM jumps j"
		" JOIN metrics m ON m.key = j.metric WHERE j.machine = ?1"
		" ORDER BY j.benchmark, j.metric, j.before, j.after",
		ARGS(INT(at.machine)),
		PE_ROW(struct pe_stored_jump, metric, after, relative, low, high, regression),
		&at.arena, &at.err);
}

Test(runs, jumps_of_a_series_are_replaced_as_one)
{
	struct pe_stored_jump jumps[] = {
		{.before = at.revisions[0],
		 .after = at.revisions[1],
		 .relative = 0.25,
		 .low = 0.2,
		 .high = 0.3,
		 .strength = 9,
		 .regression = true},
		{.before = at.revisions[2],
		 .after = at.revisions[3],
		 .relative = NAN,
		 .low = NAN,
		 .high = NAN,
		 .strength = 1},
	};
	struct pe_run run = fixture_run(0, 2, 1);
	struct pe_stored_jump *found;
	size_t n;

	fixture_put(&at, 0, 0, &run);
	OK(pe_store_replace_jumps(at.store, at.machine, at.benchmarks[0], "wall", jumps, 2,
				  &at.err));
	OK(pe_store_replace_jumps(at.store, at.machine, at.benchmarks[0], "cpu", jumps, 1,
				  &at.err));
	OK(read_jumps(&found, &n));
	cr_assert(eq(sz, n, 3));
	cr_expect_text("wall 0.25 1", found[0].metric, found[0].relative, found[0].regression);
	cr_expect(isnan(found[1].relative) && isnan(found[1].low) && isnan(found[1].high));
	cr_expect_str_eq(found[2].metric, "cpu");
	OK(pe_store_replace_jumps(at.store, at.machine, at.benchmarks[0], "wall", NULL, 0,
				  &at.err));
	OK(read_jumps(&found, &n));
	cr_expect(eq(sz, n, 1));
	/* A series without values cannot jump; that it has none may be said. */
	OK(pe_store_replace_jumps(at.store, at.machine, at.benchmarks[1], "wall", NULL, 0,
				  &at.err));
	cr_expect(eq(int,
		     pe_store_replace_jumps(at.store, at.machine, at.benchmarks[1], "wall", jumps,
					    1, &at.err),
		     PE_ESTORE));
}

Test(runs, failed_replacement_keeps_the_old_jumps)
{
	struct pe_stored_jump jump = {.before = at.revisions[0], .after = at.revisions[1]};
	struct pe_run run = fixture_run(0, 1, 1);
	struct pe_stored_jump *found;
	size_t n;

	fixture_put(&at, 0, 0, &run);
	OK(pe_store_replace_jumps(at.store, at.machine, at.benchmarks[0], "wall", &jump, 1,
				  &at.err));
	jump.after = 12345;
	cr_expect(eq(int,
		     pe_store_replace_jumps(at.store, at.machine, at.benchmarks[0], "wall", &jump,
					    1, &at.err),
		     PE_ESTORE));
	OK(read_jumps(&found, &n));
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(i64, found[0].after, at.revisions[1]));
}

struct exported {
	unsigned n, stop_at;
	double sum;
	char last[64];
};

static int take_row(const struct pe_export_row *row, void *payload)
{
	struct exported *out = payload;

	cr_assert_not_null(row->revision);
	cr_assert_not_null(row->unit);
	out->n++;
	out->sum += row->value;
	snprintf(out->last, sizeof(out->last), "%s %s %s %s %u %.0f", row->benchmark, row->version,
		 row->metric, row->kind, row->round, row->value);
	return out->n == out->stop_at ? 42 : 0;
}

Test(runs, export_gives_every_sample_and_stops_when_asked)
{
	struct exported all = {0}, some = {.stop_at = 2};
	struct pe_run run = fixture_run(4, 3, 10);
	struct pe_run failed = fixture_failure(5, PE_CRASHED, "log");

	fixture_put(&at, 0, 1, &run);
	fixture_put(&at, 0, 1, &failed);
	run.kind = PE_RUN_COUNTED;
	fixture_put(&at, 1, 0, &run);
	OK(pe_store_export(at.store, at.machine, take_row, &all, &at.err));
	cr_expect_text("6 66 sort v1 user timed 4 12 42 2", all.n, all.sum, all.last,
		       pe_store_export(at.store, at.machine, take_row, &some, &at.err), some.n);
	OK(pe_store_export(at.store, fixture_machine(&at, "beta"), take_row, &some, &at.err));
	cr_expect(eq(uint, some.n, 2));
}
