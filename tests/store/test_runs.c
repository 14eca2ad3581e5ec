/* What is put comes back: subjects, builds, batches, runs, series, coverage, failures, jumps. */
#include "fixture.h"

#include "core/model/outcome.h"
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

#define text(...) pe_arena_printf(&at.arena, __VA_ARGS__)

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
	cr_expect_text("alpha cc 12\ngcc 12 alpha 1073741824 1 1700000007 0 0",
		       machines[0].machine.hostname, machines[0].machine.compilers,
		       machines[0].machine.fingerprint, machines[0].machine.memory_bytes,
		       machines[0].has_runs, machines[0].last_run_s, machines[1].has_runs,
		       machines[1].last_run_s);
}

Test(runs, revisions_come_back_with_their_parents_in_order_and_deeper_history_replaces_these)
{
	static const char of_merge[] =
		"parents p JOIN revisions v ON v.key = p.revision WHERE v.id LIKE 'cccc%'";
	const char parents[2][PE_OID_HEX] = {"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
					     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	struct pe_revision merge = {.id = "cccccccccccccccccccccccccccccccccccccccc",
				    .parents = parents,
				    .n_parents = 2,
				    .time_s = -5,
				    .author = "\xC3\x89mile",
				    .subject = ""};
	struct pe_revision *revisions;
	const struct pe_revision *last;
	int64_t key, again;
	size_t n;

	OK(pe_store_put_revision(&key, at.store, &merge, &at.err));
	OK(pe_store_put_revision(&again, at.store, &merge, &at.err));
	OK(pe_store_revisions(&revisions, &n, at.store, &at.arena, &at.err));
	cr_assert(eq(sz, n, N_REVISIONS + 1));
	last = &revisions[N_REVISIONS];
	cr_expect(key == again && key == revisions[N_REVISIONS].key);
	cr_expect_text("0 1 2 \xC3\x89mile -5", revisions[0].n_parents, revisions[1].n_parents,
		       last->n_parents, last->author, last->time_s);
	cr_expect_str_eq(revisions[1].parents[0], revisions[0].id);
	cr_expect_str_eq(last->parents[0], parents[0]);
	cr_expect_str_eq(last->parents[1], parents[1]);
	for (int i = 1; i >= 0; i--) {
		merge.n_parents = (size_t)i;
		OK(pe_store_put_revision(&key, at.store, &merge, &at.err));
		cr_expect(eq(i64, fixture_rows(&at, of_merge), i));
	}
}

/* Keys of benchmarks: the version used last before those that were used before it. */
static const char *benchmarks_in_order(void)
{
	struct pe_stored_benchmark *benchmarks;
	const char *keys = "";
	size_t n;

	OK(pe_store_benchmarks(&benchmarks, &n, at.store, at.machine, &at.arena, &at.err));
	for (size_t i = 0; i < n; i++)
		keys = text("%s%lld ", keys, (long long)benchmarks[i].key);
	return keys;
}

Test(runs, version_used_last_is_the_newest_of_its_name)
{
	cr_expect_str_eq(benchmarks_in_order(), "1 2 ");
	fixture_benchmark(&at, "parse", "v2");
	cr_expect_str_eq(benchmarks_in_order(), "3 1 2 ");
	/* The edit is taken back. */
	fixture_benchmark(&at, "parse", "v1");
	cr_expect_str_eq(benchmarks_in_order(), "1 3 2 ");
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
	cr_expect_str_eq(fixture_ask_text(&at,
					  "SELECT (definition ->> '$.command') || (definition ->> "
					  "'$.env[0]') || (definition ->> '$.metrics[0].better')"
					  " FROM benchmarks WHERE is_test"),
			 "echo 'a'\n\x01"
			 "A=\"quoted\"\t\\"
			 "higher");
}

static const struct pe_build broken = {.outcome = PE_BUILD_FAILED,
				       .started_s = 100,
				       .duration_ns = 5,
				       .step = "make",
				       .status = 2,
				       .log = "error: x\xFF"};
static const struct pe_build built = {.outcome = PE_MEASURED, .started_s = 200, .duration_ns = 7};

static int64_t put_build(unsigned r, const char *recipe, const struct pe_build *build)
{
	int64_t key;

	OK(pe_store_put_build(&key, at.store, at.revisions[r], at.machine, recipe, build, &at.err));
	return key;
}

/* Revisions that a recipe cannot build. */
static const char *unbuildable_of(const char *recipe)
{
	int64_t *revisions;
	const char *all = "";
	size_t n;

	OK(pe_store_unbuildable(&revisions, &n, at.store, at.machine, recipe, "limits", 0,
				&at.arena, &at.err));
	for (size_t i = 0; i < n; i++)
		all = text("%s%lld ", all, (long long)revisions[i]);
	return all;
}

Test(runs, latest_build_of_each_revision_counts)
{
	put_build(1, "r1", &broken);
	put_build(0, "r1", &built);
	put_build(0, "r2", &broken);
	cr_expect_str_eq(unbuildable_of("r1"), "2 ");
	put_build(1, "r1", &built);
	cr_expect_str_eq(unbuildable_of("r1"), "");
	cr_expect_str_eq(unbuildable_of("unknown"), "");
	put_build(1, "r1", &(struct pe_build){.outcome = PE_TREE_REFUSED});
	cr_expect_str_eq(unbuildable_of("r1"), "2 ");
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
		const struct pe_coverage *cell = &batches[0].cells[i];

		cr_expect(
			eq(i64, cell->revision, at.revisions[N_REVISIONS - 1 - i / N_BENCHMARKS]));
		cr_expect(eq(i64, cell->benchmark, at.benchmarks[i % N_BENCHMARKS]));
		cr_expect(eq(int, cell->role, i == 0 ? PE_ROLE_ANCHOR : PE_ROLE_NEW));
		cr_expect(eq(uint, cell->timed, 25));
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
	cr_expect_fails(fixture_try(&at, 0, 0, &run), PE_ESTORE, at.err.message, "UNIQUE");
	cr_expect_fails(pe_sql_script(at.store, "UPDATE samples SET value = 0", &at.err), PE_ESTORE,
			at.err.message, "immutable");
	run = fixture_run(1, 3, 1);
	fixture_put(&at, 0, 0, &run);
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 2));
}

static const char *values_of(int64_t machine, int64_t benchmark, const char *metric)
{
	size_t n;
	const struct pe_observation *series = series_of(&n, machine, benchmark, metric);
	const char *all = "";

	for (size_t i = 0; i < n; i++)
		all = text("%s%g of batch %lld; ", all, series[i].value,
			   (long long)series[i].batch);
	return all;
}

Test(runs, promise_3_series_stays_on_one_machine_and_one_version)
{
	int64_t first_benchmark = at.benchmarks[0], beta = fixture_machine(&at, "beta"), newer;
	struct pe_run run;

	for (int i = 1; i <= 3; i++) {
		if (i == 2)
			at.batch = fixture_batch(&at, beta);
		if (i == 3) {
			at.benchmarks[0] = newer = fixture_benchmark(&at, "parse", "v2");
			at.batch = fixture_batch(&at, at.machine);
		}
		run = fixture_run(0, 2, 10 * i);
		fixture_put(&at, 0, 0, &run);
	}
	cr_expect_str_eq(values_of(at.machine, first_benchmark, "wall"), "10 of batch 1; ");
	cr_expect_str_eq(values_of(beta, first_benchmark, "wall"), "20 of batch 2; ");
	cr_expect_str_eq(values_of(at.machine, newer, "cpu"), "31 of batch 3; ");
	cr_expect_str_eq(values_of(beta, newer, "wall"), "");
	cr_expect_str_eq(values_of(at.machine, first_benchmark, "sys"), "");
	cr_expect_str_eq(values_of(at.machine, first_benchmark, "no such metric"), "");
}

/* What the query of the definition says, as text. */
static const char *asked_for(const char *metric)
{
	return fixture_ask_text(&at,
				text("SELECT coalesce(group_concat(text, ' '), '') FROM (SELECT"
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
	const char *all = "";

	for (size_t i = 0; i < series->n; i++)
		all = text("%s%s%lld/%u/%.1f", all, i > 0 ? " " : "",
			   (long long)series->at[i].revision, series->at[i].round,
			   series->at[i].value);
	return all;
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
		PE_ESTORE, at.err.message, "FOREIGN KEY");
	cr_expect(eq(
		int,
		pe_store_put_run(at.store, 999, at.revisions[0], at.benchmarks[0], &run, &at.err),
		PE_ESTORE));
	cr_expect(eq(i64, fixture_rows(&at, "runs"), 0));
}

/* Metrics of a benchmark that have values: name, unit, which way is better, and from which change on. */
static const char *metrics_of(unsigned w)
{
	struct pe_metric *metrics;
	const char *all = "";
	size_t n;

	OK(pe_store_benchmark_metrics(&metrics, &n, at.store, at.machine, at.benchmarks[w],
				      &at.arena, &at.err));
	for (size_t i = 0; i < n; i++)
		all = text("%s%s %s %s %g; ", all, metrics[i].name, metrics[i].unit,
			   metrics[i].better == PE_HIGHER_IS_BETTER ? "higher" : "lower",
			   metrics[i].min_relative);
	return all;
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
	struct pe_benchmark one = {.name = "one", .customs = &low, .n_customs = 1, .version = "1"};
	struct pe_benchmark two = {.name = "two", .customs = &high, .n_customs = 1, .version = "1"};
	struct pe_run run = fixture_run(0, 2, 10);

	high.metric.better = PE_HIGHER_IS_BETTER;
	high.metric.min_relative = 0.5;
	OK(pe_store_put_benchmark(&at.benchmarks[0], at.store, &one, &at.err));
	OK(pe_store_put_benchmark(&at.benchmarks[1], at.store, &two, &at.err));
	at.batch = fixture_batch(&at, at.machine);
	/* Custom first, and built-in ones out of their order. */
	run.samples[0] = (struct pe_sample){.metric = &low.metric, .value = 1};
	run.samples[1] = (struct pe_sample){.metric = &pe_metrics[PE_MAX_RSS], .value = 2};
	run.samples[2] = (struct pe_sample){.metric = &pe_metrics[PE_WALL], .value = 3};
	run.n_samples = 3;
	fixture_put(&at, 0, 0, &run);
	run.samples[0].metric = &high.metric;
	run.n_samples = 1;
	fixture_put(&at, 0, 1, &run);
	cr_expect_str_eq(metrics_of(0),
			 "wall ns lower 0.02; max-rss bytes lower 0.05; latency ms lower 0.05; ");
	cr_expect_str_eq(metrics_of(1), "latency ms higher 0.5; ");
	/* A changed threshold changes the metric, not the series. */
	high.metric.min_relative = 0.25;
	OK(pe_store_put_benchmark(&at.benchmarks[1], at.store, &two, &at.err));
	cr_expect_str_eq(metrics_of(1), "latency ms higher 0.25; ");
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
			cr_expect_text(text("%lld %lld %u %u %d %d", (long long)at.benchmarks[w],
					    (long long)at.revisions[r], cell->measured[0],
					    cell->measured[1], (int)cell->failure[0],
					    (int)cell->failure[1]),
				       rows[at_row].benchmark, rows[at_row].revision,
				       rows[at_row].timed, rows[at_row].counted,
				       rows[at_row].failure, rows[at_row].counted_failure);
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
		struct pe_coverage *rows;
		unsigned n_runs = 0;
		size_t n;

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
		OK(pe_store_coverage(&rows, &n, at.store, fixture_machine(&at, "beta"), &at.arena,
				     &at.err));
		cr_expect(eq(sz, n, 0));
	}
}

Test(runs, batch_runs_are_those_of_the_batch)
{
	struct pe_run run = fixture_run(3, 2, 1);
	struct pe_run failed = fixture_failure(1, PE_TIMED_OUT, NULL);
	struct pe_observation *values;
	int64_t first = at.batch;
	size_t n;

	fixture_put(&at, 2, 1, &run);
	failed.kind = PE_RUN_COUNTED;
	fixture_put(&at, 0, 0, &failed);
	at.batch = fixture_batch(&at, at.machine);
	fixture_put(&at, 2, 1, &run);
	OK(pe_store_batch_values(&values, &n, at.store, first, &at.arena, &at.err));
	cr_assert(eq(sz, n, 1 + run.n_samples));
	cr_expect_text(text("1 %d %d - 2 3", PE_RUN_COUNTED, PE_TIMED_OUT), values[0].revision,
		       values[0].kind, values[0].outcome, values[0].metric, values[1].benchmark,
		       values[1].round);
	OK(pe_store_batch_values(&values, &n, at.store, at.batch, &at.arena, &at.err));
	cr_expect(eq(sz, n, run.n_samples));
}

/* Failures: revision, benchmark or 0 of a build, outcome, status and log of each. */
static const char *failures_now(void)
{
	struct pe_stored_failure *failures;
	const char *all = "";
	size_t n;

	OK(pe_store_failures(&failures, &n, at.store, at.machine, &at.arena, &at.err));
	for (size_t i = 0; i < n; i++)
		all = text("%s%lld %lld %s %d %s; ", all, (long long)failures[i].revision,
			   (long long)failures[i].benchmark, pe_outcome_name(failures[i].outcome),
			   failures[i].status, failures[i].log);
	return all;
}

Test(runs, failures_show_the_latest_and_vanish_once_measured)
{
	struct pe_run first = fixture_failure(0, PE_CRASHED, "old");
	struct pe_run second = fixture_failure(1, PE_TIMED_OUT, "new");
	struct pe_run measured = fixture_run(2, 1, 1);
	const char *both;

	fixture_put(&at, 1, 1, &first);
	fixture_put(&at, 1, 1, &second);
	put_build(2, "r", &broken);
	both = failures_now();
	cr_expect_str_eq(both, "2 2 timed out 11 new; 3 0 build failed 2 error: x\xFF; ");
	/* A counting run that worked says nothing of the timed ones. */
	measured.kind = PE_RUN_COUNTED;
	fixture_put(&at, 1, 1, &measured);
	cr_expect_str_eq(failures_now(), both);
	measured.kind = PE_RUN_TIMED;
	fixture_put(&at, 1, 1, &measured);
	put_build(2, "r", &built);
	cr_expect_str_eq(failures_now(), "");
}

struct stored_jump {
	const char *metric;
	int64_t after;
	double relative, low, high;
	bool regression;
};

/* All jumps of the machine: metric, sizes, whether it is a regression, and the commit. */
static const char *jumps_now(void)
{
	struct stored_jump *jumps;
	const char *all = "";
	size_t n;
	int rc = pe_sql_rows(
		&jumps, &n, at.store,
		"SELECT m.name, j.after, j.relative, j.low, j.high, j.regression FROM jumps j"
		" JOIN metrics m ON m.key = j.metric WHERE j.machine = ?1"
		" ORDER BY j.benchmark, j.metric, j.before, j.after",
		ARGS(INT(at.machine)),
		PE_ROW(struct stored_jump, metric, after, relative, low, high, regression),
		&at.arena, &at.err);

	OK(rc);
	for (size_t i = 0; i < n; i++)
		all = text("%s%s %g %g %g %d at %lld; ", all, jumps[i].metric, jumps[i].relative,
			   jumps[i].low, jumps[i].high, jumps[i].regression,
			   (long long)jumps[i].after);
	return all;
}

Test(runs, jumps_of_a_series_are_replaced_as_one_or_not_at_all)
{
	struct pe_jump jumps[] = {
		{.before = 0,
		 .after = 1,
		 .relative = 0.25,
		 .low = 0.2,
		 .high = 0.3,
		 .strength = 9,
		 .regression = true},
		{.before = 2, .after = 3, .relative = NAN, .low = NAN, .high = NAN, .strength = 1},
	};
	struct pe_run run = fixture_run(0, 2, 1);

	fixture_put(&at, 0, 0, &run);
	OK(fixture_replace_jumps(&at, 0, "wall", jumps, 2));
	OK(fixture_replace_jumps(&at, 0, "cpu", jumps, 1));
	cr_expect_str_eq(jumps_now(), "wall 0.25 0.2 0.3 1 at 2; wall nan nan nan 0 at 4; "
				      "cpu 0.25 0.2 0.3 1 at 2; ");
	OK(fixture_replace_jumps(&at, 0, "wall", NULL, 0));
	cr_expect_str_eq(jumps_now(), "cpu 0.25 0.2 0.3 1 at 2; ");
	jumps[1].after = N_REVISIONS;
	cr_expect(eq(int, fixture_replace_jumps(&at, 0, "cpu", jumps, 2), PE_ESTORE));
	cr_expect_str_eq(jumps_now(), "cpu 0.25 0.2 0.3 1 at 2; ");
	/* A series without values cannot jump; that it has none may be said. */
	OK(fixture_replace_jumps(&at, 1, "wall", NULL, 0));
	cr_expect(eq(int, fixture_replace_jumps(&at, 1, "wall", jumps, 1), PE_ESTORE));
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
