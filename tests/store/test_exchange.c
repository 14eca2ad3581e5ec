/* Exchange: what leaves a store comes into another one whole, once, and beside what is there. */
#include "fixture.h"

#include "store/exchange.h"
#include "tests/support/test.h"

static struct fixture at, other;
static struct pe_results_sum taken; /* of the running test */
static struct pe_document packed;   /* what was packed last; its text is in the arena */

static void set_up(void)
{
	fixture_open_filled(&at);
	fixture_identify(&at);
	fixture_open(&other);
}

static void tear_down(void)
{
	fixture_close(&at);
	fixture_close(&other);
}

TestSuite(exchange, .init = set_up, .fini = tear_down, .timeout = 600);

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

static int keep(const struct pe_document *document, void *payload)
{
	const char **text = payload;

	packed = *document;
	*text = pe_arena_strdup(&at.arena, pe_text_str(&document->text));
	return PE_OK;
}

static const char *pack_one(int64_t batch)
{
	const char *text = NULL;

	OK(pe_store_pack_batch(at.store, batch, true, keep, &text, &at.err));
	return text;
}

static const char *pack(void)
{
	return pack_one(at.batch);
}

/* A document ?1 as SQLite's functions change it; a string literal. */
static const char *edit(const char *document, int64_t number, const char *sql)
{
	const char **edited;
	size_t n;

	OK(pe_sql_texts(&edited, &n, at.store, sql, ARGS(TEXT(document), INT(number)), &at.arena,
			&at.err));
	cr_assert(eq(sz, n, 1));
	return edited[0];
}

/* As those of an origin, into the other store, whose repository has all commits. */
static int take_as(struct pe_results_sum *sum, const char *origin, const char *document,
		   int interrupts)
{
	const volatile sig_atomic_t stop = interrupts;
	const struct pe_results_source source = {
		.origin = origin, .remote = "hub", .now_s = 1700100000, .interrupts = &stop};
	struct pe_results results;

	*sum = (struct pe_results_sum){0};
	PE_TRY(pe_results_read(&results, other.store, document, &other.arena, &other.err));
	for (size_t i = 0; i < results.n_revisions; i++) {
		struct pe_revision revision = {.time_s = 1, .author = "", .subject = ""};
		int64_t key;

		memcpy(revision.id, results.revisions[i], sizeof(revision.id));
		THERE(pe_store_put_revision(&key, other.store, &revision, &other.err));
	}
	return pe_store_take_in(sum, other.store, &source, &other.err);
}

static size_t take(const char *document)
{
	struct pe_results_sum sum;

	THERE(take_as(&sum, PE_UNSIGNED, document, 0));
	return sum.runs;
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
	measure();
	cr_expect(eq(sz, take(pack()), 2 * N_REVISIONS));
	cr_expect(eq(sz, packed.sum.runs, 2 * N_REVISIONS));
	cr_expect(eq(i64, packed.time_s, fixture_run(0, 0, 0).started_s));
	cr_expect(eq(str, (char *)fixture_ask_text(&other, RUNS),
		     (char *)fixture_ask_text(&at, RUNS)));
	cr_expect(eq(i64,
		     fixture_ask(&other,
				 "SELECT count(*) FROM batches b JOIN machines m ON m.key ="
				 " b.machine WHERE m.origin = 'unsigned' AND m.remote = 'hub'"),
		     1));
	fixture_expect_whole(&other);
}

static void count(unsigned revision, unsigned round, const char *library, int64_t since_s)
{
	const struct pe_mapped mapped[] = {{"/lib/libc.so.6", library}};
	const struct pe_module_set modules = {mapped, 1, since_s};
	struct pe_run run = fixture_run(round, 1, 1);

	run.kind = PE_RUN_COUNTED;
	run.sequence = (uint64_t)fixture_rows(&at, "runs");
	run.started_s = (since_s != 0 ? since_s : run.started_s) + (int64_t)run.sequence;
	run.modules = &modules;
	fixture_put(&at, revision, 0, &run);
}

#define EPOCHS                                                                                     \
	"SELECT group_concat(r.epoch || s.modules, ' ') FROM (SELECT * FROM runs ORDER BY"         \
	" sequence) r JOIN module_sets s ON s.key = r.modules"

static void begin_batch(int64_t *batch)
{
	*batch = at.batch = fixture_batch(&at, at.machine);
}

/* Batches of the fixture have one time: seeds tell them apart. */
static void expect_epochs(const char *what, const int64_t *batches, const size_t *order, size_t n)
{
	const char *epochs = fixture_ask_text(&at, EPOCHS);

	for (size_t i = 0; i < n; i++)
		take(edit(pack_one(batches[order[i]]), (int64_t)order[i],
			  "SELECT json_set(?1, '$.batch.seed', printf('%016x', ?2))"));
	cr_expect(eq(str, (char *)fixture_ask_text(&other, EPOCHS), (char *)epochs), "%s", what);
	fixture_expect_whole(&other);
}

Test(exchange, system_calls_come_in_with_their_run)
{
	struct pe_system_call made[] = {{"read", 3}, {"write", 4012}};
	struct pe_function_ranges found;
	struct pe_counts_query query = {.of = PE_COUNTS_OF_CALLS};
	struct pe_run run = fixture_run(0, 1, 1);

	run.kind = PE_RUN_COUNTED;
	run.calls = (struct pe_system_calls){made, 2};
	fixture_put(&at, 1, 0, &run);
	take(pack());
	query.machine = fixture_ask(&other, "SELECT max(machine) FROM batches");
	query.benchmark = fixture_ask(&other, "SELECT benchmark FROM runs");
	query.revision = fixture_ask(&other, "SELECT revision FROM runs");
	OK(pe_store_counts(&found, other.store, &query, &at.arena, &at.err));
	cr_assert(eq(sz, found.n, 2));
	cr_expect_str_eq(found.at[1].name, "write");
	cr_expect(eq(u64, found.at[1].most, 4012));
	fixture_expect_whole(&other);
}

/* What stood side by side, what was replaced in the middle of a batch or before it, and what went back. */
Test(exchange, epochs_of_modules_come_in_as_they_were)
{
	int64_t batches[] = {at.batch, 0, 0};

	count(1, 0, "c1", 0);
	count(0, 0, "c2", 0);
	begin_batch(&batches[1]);
	count(3, 0, "c2", 0);
	count(2, 0, "c3", 0);
	/* Another day, with the same batch. */
	count(1, 0, "c4", 1700000000 + 1000);
	count(2, 1, "c4", 1700000000 + 1000);
	begin_batch(&batches[2]);
	count(0, 0, "c1", 0);
	cr_expect(eq(i64, fixture_ask(&at, "SELECT max(epoch) FROM runs"), 3));
	expect_epochs("in order", batches, (const size_t[]){0, 1, 2}, 3);
}

Test(exchange, epochs_that_come_late_are_numbered_by_time)
{
	int64_t batches[] = {at.batch, 0, 0};

	count(0, 0, "c1", 0);
	begin_batch(&batches[1]);
	count(0, 0, "c2", 0);
	begin_batch(&batches[2]);
	count(1, 0, "c3", 0);
	expect_epochs("the last first", batches, (const size_t[]){2, 0, 1}, 3);
}

Test(exchange, a_document_that_does_not_fit_comes_in_not_at_all)
{
	const char *document;

	measure();
	/* a run of no cell */
	document = edit(pack(), 0, "SELECT json_remove(?1, '$.cells[#-1]')");
	cr_expect(eq(int, take_as(&taken, PE_UNSIGNED, document, 0), PE_EINVALID));
	cr_expect(eq(i64,
		     fixture_ask(&other, "SELECT (SELECT count(*) FROM runs) + (SELECT count(*)"
					 " FROM machines) + (SELECT count(*) FROM batches)"),
		     0));
}

Test(exchange, the_version_that_is_used_here_stays_the_newest)
{
	const char *newest = "SELECT version FROM benchmarks WHERE name = 'parse' ORDER BY "
			     "generation DESC LIMIT 1";

	measure();
	fixture_benchmark(&other, "parse", "99999999999999999999999999999999");
	take(edit(pack(), 0, "SELECT json_set(?1, '$.benchmarks[0][0]', 'parse')"));
	cr_expect(eq(str, (char *)fixture_ask_text(&other, newest),
		     (char *)"99999999999999999999999999999999"));
}

enum { SEED = 7, PAIRS = 20 };

/* Pairs of fresh runs of the first two revisions, the second of which takes `factor` times as long. */
static int64_t measure_pairs(double factor)
{
	struct pe_coverage cells[] = {
		{at.revisions[0], at.benchmarks[0], .role = PE_ROLE_LEFT, .timed = PAIRS},
		{at.revisions[1], at.benchmarks[0], .role = PE_ROLE_RIGHT, .timed = PAIRS},
	};
	struct pe_batch batch = {.machine = at.machine,
				 .created_s = 1700000000,
				 .seed = SEED,
				 .aside = true,
				 .conditions = {.cpu = -1},
				 .cells = cells,
				 .n_cells = 2};

	OK(pe_store_put_batch(at.store, &batch, &at.err));
	for (unsigned k = 0; k < PAIRS; k++) {
		const double left = 1e6 + 1000 * (k * 37 % 11);
		const struct pe_run runs[] = {fixture_run(k, 1, left),
					      fixture_run(k, 1, factor * left + 500 * (k % 3))};

		for (size_t i = 0; i < 2; i++)
			OK(pe_store_put_run(at.store, batch.key, cells[i].revision,
					    cells[i].benchmark, &runs[i], &at.err));
	}
	return batch.key;
}

/* What is claimed of a batch; the values are not those of its runs. */
static void claim(int64_t batch, enum pe_confirm_answer answer)
{
	struct pe_stored_confirmation confirmation = {
		.machine = at.machine,
		.benchmark = at.benchmarks[0],
		.metric = "wall",
		.before = at.revisions[0],
		.after = at.revisions[1],
		.first = at.revisions[1],
		.last = at.revisions[2],
		.batch = batch,
		.direction = 1,
		.opts = PE_CONFIRM_DEFAULTS,
		.begun_s = 1700000100,
	};

	OK(pe_store_put_confirmation(at.store, &confirmation, &at.err));
	confirmation.answer = answer;
	confirmation.result = (struct pe_confirm_result){.pairs = 12,
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

static void find_things(void)
{
	const struct pe_build failed = {.outcome = PE_BUILD_FAILED,
					.status = 2,
					.started_s = 1700000000,
					.step = "make",
					.log = "no rule"};
	const struct pe_coverage reused = {.revision = at.revisions[2],
					   .benchmark = at.benchmarks[0],
					   .source = at.revisions[1]};
	int64_t key;

	OK(pe_store_put_build(&key, at.store, at.revisions[3], at.machine,
			      "ffffffffffffffffffffffffffffffff", &failed, &at.err));
	OK(pe_store_put_reused(at.store, at.machine, &reused, &at.err));
}

static const struct pe_findings *first(size_t most)
{
	static struct pe_findings which;

	which = (struct pe_findings){.machine = at.machine, .most = most};
	return &which;
}

static const char *pack_findings(void)
{
	const char *text = NULL;

	OK(pe_store_pack_findings(at.store, first(10), keep, &text, &at.err));
	return text;
}

static void expect_packed(const char *numbers)
{
	cr_expect_text(numbers, packed.sum.builds, packed.sum.reused, packed.sum.confirmations);
}

Test(exchange, findings_leave_once_and_come_in_once)
{
	const char *batch, *findings;
	struct pe_stored_confirmation *found;
	int64_t machine;
	size_t n;

	find_things();
	batch = pack_one(measure_pairs(1.1));
	claim(fixture_ask(&at, "SELECT max(key) FROM batches"), PE_CONFIRMED);
	findings = pack_findings();
	expect_packed("1 1 1");
	for (int twice = 0; twice < 2; twice++) {
		take(batch);
		take(findings);
	}
	machine = fixture_ask(&other, "SELECT key FROM machines");
	cr_expect(eq(i64, fixture_rows(&other, "builds"), 1));
	cr_expect(eq(i64, fixture_rows(&other, "reused"), 1));
	THERE(pe_store_confirmations(&found, &n, other.store, machine, &other.arena, &other.err));
	cr_assert(eq(sz, n, 1));
	cr_expect(eq(int, (int)found[0].answer, PE_CONFIRMED));
	cr_expect(fabs(found[0].result.relative - 0.1) < 0.01, "%g: the claim, not the runs",
		  found[0].result.relative);
	cr_expect(found[0].settled);
	cr_expect(eq(int, (int)found[0].layout, PE_LAYOUT_ONLY));
	cr_expect(ne(i64, found[0].batch, 0));
	cr_expect(eq(i64, found[0].pinned_after, found[0].after));
	cr_expect(pack_findings() == NULL);
	/* what came in does not go out */
	findings = NULL;
	THERE(pe_store_pack_findings(other.store,
				     &(struct pe_findings){.machine = machine, .most = 10}, keep,
				     &findings, &other.err));
	cr_expect(findings == NULL);
	fixture_expect_whole(&other);
}

Test(exchange, a_confirmation_comes_in_only_with_runs_that_say_so)
{
	const struct {
		double factor;
		enum pe_confirm_answer claimed;
		bool with_runs;
	} lies[] = {
		{1.0, PE_CONFIRMED, true},
		{1.1, PE_REFUTED, true},
		{1.1, PE_CONFIRMED, false},
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		const int64_t batch = measure_pairs(lies[i].factor);
		const char *runs = pack_one(batch);

		claim(batch, lies[i].claimed);
		if (lies[i].with_runs)
			take(runs);
		THERE(take_as(&taken, PE_UNSIGNED, pack_findings(), 0));
		cr_expect(eq(sz, taken.unproved, 1), "%zu", i);
		cr_expect(eq(i64, fixture_rows(&other, "confirmations"), 0));
		tear_down();
		set_up();
	}
}

/* 30,000 of them in some kB took 75 s with the lock held, and no interrupt was heard. */
Test(exchange, confirmations_for_nothing_are_tested_64_times_a_bundle)
{
	const char *runs = pack_one(measure_pairs(1.1)), *findings;

	claim(fixture_ask(&at, "SELECT max(key) FROM batches"), PE_CONFIRMED);
	findings =
		edit(pack_findings(), 1000,
		     "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)"
		     " SELECT json_set(?1, '$.confirmations', (SELECT json_group_array("
		     "json_set(json_extract(?1, '$.confirmations[0]'), '$[9]',"
		     " iif(i < ?2, 'refuted', 'confirmed'))) FROM n))");
	take(runs);
	cr_expect(eq(int, take_as(&taken, PE_UNSIGNED, findings, 1), PE_ESTOPPED));
	THERE(take_as(&taken, PE_UNSIGNED, findings, 0));
	cr_expect(eq(sz, taken.misses, 64));
	cr_expect(eq(sz, taken.unproved, 1000));
	cr_expect(eq(i64, fixture_rows(&other, "confirmations"), 0));
}

Test(exchange, nobody_speaks_for_a_machine_that_was_measured_here)
{
	const char *document;

	measure();
	document = pack();
	fixture_machine(&other, "alpha"); /* that of the results */
	fixture_identify(&other);
	cr_expect(eq(int, take_as(&taken, PE_UNSIGNED, document, 0), PE_EINVALID));
	cr_expect(eq(int, take_as(&taken, "SHA256:x", document, 0), PE_EINVALID));
	cr_expect(eq(i64, fixture_rows(&other, "machines"), 1));
	cr_expect(eq(i64, fixture_rows(&other, "batches"), 0));
}

Test(exchange, each_origin_has_machines_of_its_own)
{
	const char *document;

	measure();
	document = pack();
	THERE(take_as(&taken, PE_UNSIGNED, document, 0));
	THERE(take_as(&taken, "SHA256:x", document, 0));
	cr_expect(eq(sz, taken.batches, 1));
	cr_expect(eq(i64, fixture_ask(&other, "SELECT count(DISTINCT fingerprint) FROM machines"),
		     2));
	/* Measuring here later is a third, whatever was claimed before. */
	cr_expect(ne(i64, fixture_machine(&other, "alpha"),
		     fixture_ask(&other, "SELECT max(machine) FROM batches")));
	cr_expect(eq(i64, fixture_rows(&other, "machines"), 3));
	fixture_expect_whole(&other);
}

Test(exchange, more_findings_than_fit_leave_in_several_documents)
{
	const char *last = NULL;

	for (unsigned r = 1; r < N_REVISIONS; r++) {
		const struct pe_coverage reused = {.revision = at.revisions[r],
						   .benchmark = at.benchmarks[0],
						   .source = at.revisions[0]};

		OK(pe_store_put_reused(at.store, at.machine, &reused, &at.err));
	}
	/* Two of three, and the rest. */
	OK(pe_store_pack_findings(at.store, first(2), keep, &last, &at.err));
	cr_expect(eq(sz, packed.sum.reused, 1));
}

Test(exchange, bundles_are_known_by_name)
{
	const struct pe_stored_bundle refused = {.refused = "why", .reader = "0.1"};
	struct pe_stored_bundle bundle;

	cr_expect(eq(int, pe_store_get_bundle(&bundle, at.store, "abc", &at.arena, &at.err),
		     PE_ENOTFOUND));
	OK(pe_store_put_bundle(at.store, "abc", &refused, &at.err));
	OK(pe_store_get_bundle(&bundle, at.store, "abc", &at.arena, &at.err));
	cr_expect_str_eq(bundle.refused, "why");
	OK(pe_store_put_bundle(at.store, "abc", &(struct pe_stored_bundle){0}, &at.err));
	OK(pe_store_get_bundle(&bundle, at.store, "abc", &at.arena, &at.err));
	cr_expect(bundle.refused == NULL && bundle.missing == NULL);
}
