/*
 * Ask: did the pushed tip get worse than what the other side has? Benchmarks come in the order in which the commits
 * bear upon them, and what is exact comes first:
 *
 *  (1) Where all that a benchmark executes and reads is the same in both builds, there is nothing to ask.
 *  (2) Allocations, counted in a run or two of each side: any difference beyond the threshold is an answer.
 *  (3) The other judged metrics: runs in pairs, in random order within each, until a sequential test (core/stats/
 *      confirm.h) knows for each of them, or until time is up. The chance of its error is shared out among the
 *      metrics, so that a push is not stopped by one of many chances.
 */
#include "cmd/hooked_push.h"

#include "cmd/hooked.h"
#include "cmd/identity.h"
#include "cmd/judge.h"
#include "cmd/remeasure.h"
#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/bench/files.h"
#include "core/stats/confirm.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A judged metric of a benchmark that is being tested. */
struct test {
	const struct pe_metric *metric;
	struct pe_confirm confirm;
	double base_sum; /* of the left values, for thresholds that are absolute */
	double tip_sum;  /* of the right ones */
	bool worse;      /* confirmed, and beyond the absolute threshold too */
	bool absent;     /* no run has given it a value */
};

/* A benchmark, in the order of asking. */
struct subject {
	size_t workload; /* index into the session */
	enum pe_bearing bearing;
	struct test *tests;
	size_t n_tests;
	unsigned rounds;  /* pairs made */
	uint64_t cost_ns; /* of a pair, as the last one was */
	bool worse;       /* something is confirmed */
	bool failed;
	bool base_failed; /* what is pushed is not to blame */
};

struct asking {
	struct pe_session *session;
	const struct pe_push_question *question;
	struct pe_push_answer *answer;
	struct subject *subjects;
	size_t n;
	struct pe_remeasure *fresh;
	struct pe_random random;
	PE_VEC(struct pe_push_finding) worse;
	PE_VEC(struct pe_push_check) checks;
};

enum { BASE, TIP };

static struct pe_workload *workload_of(const struct asking *asking, const struct subject *subject)
{
	return asking->session->workloads.data[subject->workload].workload;
}

static const char *tree_of(const struct asking *asking, size_t revision)
{
	struct pe_session *session = asking->session;
	const struct pe_slot *slot = pe_slots_find(
		&session->slots, session->revisions[revision].revision->id, session->recipe_hash);

	return slot != NULL ? slot->tree : NULL;
}

static void found_worse(struct asking *asking, struct subject *subject,
			const struct pe_metric *metric, double relative, double low, double high)
{
	const struct pe_push_finding finding = {
		.workload = workload_of(asking, subject),
		.metric = metric,
		.relative = relative,
		.low = low,
		.high = high,
	};

	subject->worse = true;
	pe_vec_push(&asking->worse, finding);
}

static bool is_worse(const struct pe_metric *metric, double difference)
{
	return metric->better == PE_LOWER_IS_BETTER ? difference > 0 : difference < 0;
}

static const struct pe_confirm_told nothing_told = {
	.relative = NAN, .low = NAN, .high = NAN, .confidence = NAN, .p = NAN, .least = NAN};

static void add_check(struct asking *asking, const struct subject *subject,
		      const struct pe_push_check *check)
{
	struct pe_push_check copy = *check;

	copy.workload = workload_of(asking, subject);
	pe_vec_push(&asking->checks, copy);
}

/* --- The order --- */

static int compare_subjects(const void *a, const void *b)
{
	const struct subject *x = a, *y = b;

	if (x->bearing != y->bearing)
		return x->bearing < y->bearing ? -1 : 1;
	return (x->workload > y->workload) - (x->workload < y->workload);
}

static void add_test(struct asking *asking, struct subject *subject, const struct pe_metric *metric)
{
	bool judged;
	const struct pe_metric *tuned = pe_judge_metric(&judged, asking->session->ctx, metric);

	if (judged)
		subject->tests[subject->n_tests++] = (struct test){.metric = tuned};
}

/* What a timed run of a benchmark gives, as far as it is judged. */
static void add_tests(struct asking *asking, struct subject *subject)
{
	const struct pe_workload *workload = workload_of(asking, subject);

	subject->tests = pe_arena_new(asking->session->arena, struct test,
				      PE_N_METRICS + workload->n_customs);
	for (size_t i = 0; i < PE_ALLOCATIONS; i++)
		if (i != PE_INSTRUCTIONS || asking->session->runner.instructions)
			add_test(asking, subject, &pe_metrics[i]);
	for (size_t i = 0; i < workload->n_customs; i++)
		add_test(asking, subject, &workload->customs[i].metric);
}

static void line_up(struct asking *asking, const enum pe_bearing *bearing)
{
	struct pe_session *session = asking->session;
	size_t n_tests = 0;

	asking->n = session->workloads.n;
	asking->subjects = pe_arena_new(session->arena, struct subject, asking->n);
	for (size_t w = 0; w < asking->n; w++) {
		asking->subjects[w] = (struct subject){.workload = w, .bearing = bearing[w]};
		add_tests(asking, &asking->subjects[w]);
		n_tests += asking->subjects[w].n_tests;
	}
	qsort(asking->subjects, asking->n, sizeof(*asking->subjects), compare_subjects);
	for (size_t i = 0; i < asking->n; i++) {
		for (size_t t = 0; t < asking->subjects[i].n_tests; t++) {
			struct test *test = &asking->subjects[i].tests[t];
			struct pe_confirm_opts opts = PE_CONFIRM_DEFAULTS;

			opts.accept /= (double)n_tests;
			if (test->metric->min_relative > opts.min_effect)
				opts.min_effect = test->metric->min_relative;
			pe_confirm_begin(&test->confirm,
					 test->metric->better == PE_LOWER_IS_BETTER ? 1 : -1,
					 &opts);
		}
	}
}

/* --- (1) The same --- */

static int find_touched(struct pe_touched *out, bool *known, struct asking *asking,
			struct subject *subject, const struct pe_execution *executions, size_t n)
{
	struct pe_session *session = asking->session;
	int64_t key = session->workloads.data[subject->workload].key;
	struct pe_run run = {.kind = PE_RUN_ALLOCATIONS};
	int rc;

	*known = false;
	for (size_t i = n; i-- > 0 && !*known;)
		if (executions[i].workload == key) {
			pe_touched_unpack(out, executions[i].touched, session->arena);
			*known = true;
		}
	if (*known)
		return PE_OK;
	rc = pe_runner_probe(out, &run, &session->runner, workload_of(asking, subject),
			     tree_of(asking, asking->question->base), session->arena,
			     session->ctx->err);
	*known = rc == PE_OK && run.outcome == PE_MEASURED && out->complete;
	return rc;
}

static int leave_out_same(struct asking *asking)
{
	struct pe_session *session = asking->session;
	const char *base = tree_of(asking, asking->question->base);
	const char *tip = tree_of(asking, asking->question->tip);
	struct pe_execution *executions;
	size_t n;
	int rc = pe_store_executions(&executions, &n, session->ctx->store, session->machine_key,
				     session->arena, session->ctx->err);

	for (size_t i = 0; rc == PE_OK && i < asking->n; i++) {
		struct subject *subject = &asking->subjects[i];
		struct pe_touched touched = {0};
		char a[PE_HASH_HEX], b[PE_HASH_HEX];
		bool known;

		/* As in carry.h: only what the counting library sees is known to be all. */
		if (!workload_of(asking, subject)->count_allocations ||
		    session->runner.alloc_library == NULL)
			continue;
		rc = find_touched(&touched, &known, asking, subject, executions, n);
		if (rc != PE_OK || !known || workload_of(asking, subject)->input != NULL)
			continue;
		if (pe_identity_of(a, &touched, base, NULL) == PE_OK &&
		    pe_identity_of(b, &touched, tip, NULL) == PE_OK && strcmp(a, b) == 0) {
			subject->bearing = PE_CANNOT_BEAR;
			asking->answer->same++;
		}
	}
	return rc;
}

/* --- (2) Exact counts --- */

static int count_once(struct pe_run *out, struct asking *asking, struct subject *subject,
		      size_t revision)
{
	struct pe_session *session = asking->session;
	const struct pe_workload *workload = workload_of(asking, subject);
	const char *tree = tree_of(asking, revision);
	struct pe_run stage = {0};
	int rc;

	*out = (struct pe_run){.kind = PE_RUN_ALLOCATIONS};
	rc = pe_runner_stage(&stage, &session->runner, workload, PE_STAGE_SETUP, tree,
			     session->arena, session->ctx->err);
	if (rc != PE_OK || stage.outcome != PE_MEASURED) {
		out->outcome = stage.outcome;
		return rc;
	}
	rc = pe_runner_run(out, &session->runner, workload, tree, session->arena,
			   session->ctx->err);
	if (rc == PE_OK)
		rc = pe_runner_stage(&stage, &session->runner, workload, PE_STAGE_CLEANUP, tree,
				     session->arena, session->ctx->err);
	return rc;
}

static double value_of(const struct pe_run *run, const char *metric)
{
	for (size_t i = 0; run->outcome == PE_MEASURED && i < run->n_samples; i++)
		if (strcmp(run->samples[i].metric->name, metric) == 0)
			return run->samples[i].value;
	return NAN;
}

/* Beyond the threshold, and by more than two runs of one build differ. */
static bool differs(struct pe_push_check *out, const struct pe_metric *metric,
		    const struct pe_run *base, const struct pe_run *tip)
{
	double from[2], to[2], difference, spread, *relative = &out->told.relative;

	for (int i = 0; i < 2; i++) {
		from[i] = value_of(&base[i], metric->name);
		to[i] = value_of(&tip[i], metric->name);
	}
	difference = (to[0] + to[1] - from[0] - from[1]) / 2;
	spread = fabs(to[0] - to[1]) + fabs(from[0] - from[1]);
	*relative = from[0] != 0 ? difference / from[0] : difference == 0 ? 0 : NAN;
	out->base_value = (from[0] + from[1]) / 2;
	out->tip_value = (to[0] + to[1]) / 2;
	return isfinite(difference) && is_worse(metric, difference) &&
	       fabs(difference) > 2 * spread && fabs(difference) >= metric->min_absolute &&
	       (from[0] == 0 || fabs(*relative) >= metric->min_relative);
}

static int count_subject(struct asking *asking, struct subject *subject)
{
	static const enum pe_metric_id ids[] = {PE_ALLOCATIONS, PE_ALLOCATED_BYTES,
						PE_ALLOCATED_PEAK};
	const struct pe_push_question *question = asking->question;
	struct pe_run runs[2][2];
	bool judged;
	int rc = PE_OK;

	for (int i = 0; i < 2; i++) {
		rc = count_once(&runs[BASE][i], asking, subject, question->base);
		if (rc == PE_OK)
			rc = count_once(&runs[TIP][i], asking, subject, question->tip);
		if (rc != PE_OK)
			return rc;
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		const struct pe_metric *metric =
			pe_judge_metric(&judged, asking->session->ctx, &pe_metrics[ids[i]]);
		struct pe_push_check check = {
			.metric = metric, .state = PE_PUSH_NOT_WORSE, .told = nothing_told};

		if (judged && differs(&check, metric, runs[BASE], runs[TIP])) {
			check.state = PE_PUSH_WORSE;
			found_worse(asking, subject, metric, check.told.relative, NAN, NAN);
		}
		if (judged && isfinite(check.base_value) && isfinite(check.tip_value))
			add_check(asking, subject, &check);
	}
	return PE_OK;
}

static int count_all(struct asking *asking)
{
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < asking->n; i++) {
		struct subject *subject = &asking->subjects[i];

		/* What hardly matters waits for the rest. */
		if (subject->bearing < PE_HARDLY_BEARS &&
		    workload_of(asking, subject)->count_allocations &&
		    asking->session->runner.alloc_library != NULL)
			rc = count_subject(asking, subject);
	}
	return rc;
}

/* --- (3) Pairs --- */

static bool is_open(const struct subject *subject)
{
	if (subject->bearing == PE_CANNOT_BEAR || subject->failed)
		return false;
	for (size_t t = 0; t < subject->n_tests; t++)
		if (!subject->tests[t].absent &&
		    subject->tests[t].confirm.answer == PE_CONFIRM_GO_ON)
			return true;
	return false;
}

/* Pairs until the next look of any of its tests. */
static size_t needed(const struct subject *subject)
{
	size_t most = 1;

	for (size_t t = 0; t < subject->n_tests; t++) {
		const struct test *test = &subject->tests[t];
		size_t n = test->absent ? 0 : pe_confirm_needed(&test->confirm);

		most = n > most ? n : most;
	}
	return most;
}

static void conclude(struct asking *asking, struct subject *subject, struct test *test)
{
	struct pe_confirm_told told = pe_confirm_tell(&test->confirm);
	double base = test->base_sum / (double)test->confirm.n;

	test->worse = fabs(told.relative * base) >= test->metric->min_absolute;
	if (test->worse)
		found_worse(asking, subject, test->metric, told.relative, told.low, told.high);
}

static void feed(struct asking *asking, struct subject *subject, size_t position)
{
	enum { PATIENCE = 3 };
	unsigned round = subject->rounds;

	for (size_t t = 0; t < subject->n_tests; t++) {
		struct test *test = &subject->tests[t];
		double left, right;

		if (test->absent || test->confirm.answer != PE_CONFIRM_GO_ON)
			continue;
		left = pe_remeasure_value(asking->fresh, (struct pe_remeasure_cell){BASE, position},
					  round, test->metric->name);
		right = pe_remeasure_value(asking->fresh, (struct pe_remeasure_cell){TIP, position},
					   round, test->metric->name);
		if (isfinite(left) && isfinite(right)) {
			test->base_sum += left;
			test->tip_sum += right;
		}
		pe_confirm_feed(&test->confirm, left, right);
		test->absent = test->confirm.n == 0 && round + 1 >= PATIENCE;
		if (test->confirm.answer == PE_CONFIRMED)
			conclude(asking, subject, test);
	}
}

static int run_pair(struct asking *asking, struct subject *subject, size_t position)
{
	struct pe_remeasure_cell cells[] = {{BASE, position}, {TIP, position}};
	uint64_t began_ns = pe_clock_ns();
	int rc;

	if (pe_random_below(&asking->random, 2) == 1) {
		cells[0].revision = TIP;
		cells[1].revision = BASE;
	}
	rc = pe_remeasure_round(asking->fresh, subject->rounds, cells, 2);
	if (rc != PE_OK)
		return rc;
	subject->failed = pe_remeasure_failed(asking->fresh, cells[0]) ||
			  pe_remeasure_failed(asking->fresh, cells[1]);
	subject->base_failed =
		pe_remeasure_failed(asking->fresh, (struct pe_remeasure_cell){BASE, position});
	if (!subject->failed)
		feed(asking, subject, position);
	subject->rounds++;
	/* The first pair had the warm-ups with it. */
	if (subject->rounds <= 2 || subject->cost_ns == 0)
		subject->cost_ns = pe_clock_ns() - began_ns;
	return PE_OK;
}

/*
 * One round over the benchmarks that can still come to their next look before time is up, at least over the first
 * open one: answers for some are better than none for all.
 */
static int run_round(struct asking *asking, bool *more)
{
	uint64_t now_ns = pe_clock_ns(), planned_ns = 0;
	uint64_t left_ns =
		asking->question->deadline_ns > now_ns ? asking->question->deadline_ns - now_ns : 0;
	int rc = PE_OK;

	*more = false;
	for (size_t i = 0; rc == PE_OK && i < asking->n; i++) {
		struct subject *subject = &asking->subjects[i];

		if (!is_open(subject) || subject->rounds >= PE_CONFIRM_PAIRS)
			continue;
		planned_ns += subject->cost_ns * needed(subject);
		if (*more && planned_ns > left_ns)
			break;
		*more = true;
		rc = run_pair(asking, subject, i);
	}
	return rc;
}

/* --- The notebook: which window an earlier look at the same push has filled --- */

const char *pe_push_notebook(const struct pe_session *session, const char *base, const char *tip)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	const char *folder = pe_arena_printf(ctx->arena, "%s/pushes", pe_hooked_folder(ctx));
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_string(&hash, base);
	pe_hash_string(&hash, tip);
	pe_hash_string(&hash, session->recipe_hash);
	pe_hash_number(&hash, (uint64_t)session->machine_key);
	for (size_t w = 0; w < session->workloads.n; w++)
		pe_hash_number(&hash, (uint64_t)session->workloads.data[w].key);
	pe_hash_hex(&hash, hex);
	pe_files_make_dir(folder, NULL);
	return pe_arena_printf(ctx->arena, "%s/%s", folder, hex);
}

static int64_t read_window(const char *notebook)
{
	struct pe_text text = PE_TEXT_INIT;
	int64_t key = 0;

	if (pe_text_read_file(&text, notebook, NULL) == PE_OK)
		key = strtoll(pe_text_str(&text), NULL, 10);
	pe_text_release(&text);
	return key;
}

static void write_window(const char *notebook, int64_t key)
{
	struct pe_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "%" PRId64 "\n", key);
	/* Without it a second push starts anew. */
	pe_text_write_file(&text, notebook, NULL);
	pe_text_release(&text);
}

static int open_window(struct asking *asking)
{
	struct pe_session *session = asking->session;
	const size_t revisions[] = {[BASE] = asking->question->base, [TIP] = asking->question->tip};
	size_t *workloads = pe_arena_new(session->arena, size_t, asking->n);
	struct pe_remeasure_opts opts = {
		.window = read_window(asking->question->notebook),
		.rounds = PE_CONFIRM_PAIRS,
		.aside = true,
		.expected = 2 * 12 * asking->n,
	};
	int rc;

	for (size_t i = 0; i < asking->n; i++)
		workloads[i] = asking->subjects[i].workload;
	rc = pe_remeasure_open(&asking->fresh, session, revisions, 2, workloads, asking->n, &opts);
	if (rc != PE_OK && rc != PE_ESTOPPED && opts.window != 0) {
		/* The window of that time does not fit any more: the store was replaced, a benchmark edited. */
		*session->ctx->err = (struct pe_err)PE_ERR_INIT;
		opts.window = 0;
		rc = pe_remeasure_open(&asking->fresh, session, revisions, 2, workloads, asking->n,
				       &opts);
	}
	if (rc == PE_OK)
		write_window(asking->question->notebook, pe_remeasure_window(asking->fresh));
	return rc;
}

/* --- The question --- */

static int ask(struct asking *asking)
{
	static const char *const sides[] = {
		[BASE] = "what the other side has", [TIP] = "what is pushed"};
	struct pe_session *session = asking->session;
	bool more = true;
	int rc = open_window(asking);

	for (size_t i = BASE; rc == PE_OK && i <= TIP; i++) {
		if (pe_remeasure_seated(asking->fresh, i))
			continue;
		asking->answer->why =
			pe_arena_printf(session->arena, "%s does not build", sides[i]);
		return PE_OK;
	}
	if (rc == PE_OK)
		rc = leave_out_same(asking);
	if (rc == PE_OK)
		rc = count_all(asking);
	while (rc == PE_OK && more && pe_clock_ns() < asking->question->deadline_ns)
		rc = run_round(asking, &more);
	return rc;
}

/* A benchmark of which no run gave any figure has no answer either. */
static bool is_undecided(const struct subject *subject)
{
	bool undecided = subject->failed || is_open(subject), silent = subject->n_tests > 0;

	for (size_t t = 0; t < subject->n_tests; t++) {
		undecided = undecided || subject->tests[t].confirm.answer == PE_CONFIRM_UNDECIDED;
		silent = silent && subject->tests[t].confirm.n == 0;
	}
	return undecided || silent;
}

static enum pe_push_state state_of(const struct test *test)
{
	if (test->confirm.answer == PE_CONFIRMED)
		return test->worse ? PE_PUSH_WORSE : PE_PUSH_NOT_WORSE;
	return test->confirm.answer == PE_REFUTED ? PE_PUSH_NOT_WORSE : PE_PUSH_OPEN;
}

static void check_tests(struct asking *asking, const struct subject *subject)
{
	struct pe_push_check whole = {.base_value = NAN, .tip_value = NAN, .told = nothing_told};

	if (subject->bearing == PE_CANNOT_BEAR || subject->failed) {
		whole.state = subject->bearing == PE_CANNOT_BEAR ? PE_PUSH_SAME
			      : subject->base_failed             ? PE_PUSH_UNKNOWN
								 : PE_PUSH_FAILS;
		add_check(asking, subject, &whole);
		return;
	}
	for (size_t t = 0; t < subject->n_tests; t++) {
		const struct test *test = &subject->tests[t];
		double n = (double)test->confirm.n;
		struct pe_push_check check = {
			.metric = test->metric,
			.state = state_of(test),
			.base_value = test->base_sum / n,
			.tip_value = test->tip_sum / n,
			.told = pe_confirm_tell(&test->confirm),
		};

		if (!test->absent)
			add_check(asking, subject, &check);
	}
}

static void keep_checks(struct asking *asking)
{
	struct pe_push_answer *answer = asking->answer;

	for (size_t i = 0; i < asking->n; i++)
		check_tests(asking, &asking->subjects[i]);
	answer->n_checks = asking->checks.n;
	answer->checks =
		pe_arena_new(asking->session->arena, struct pe_push_check, asking->checks.n);
	if (asking->checks.n > 0)
		memcpy(answer->checks, asking->checks.data,
		       asking->checks.n * sizeof(*asking->checks.data));
}

static void sum_up(struct asking *asking)
{
	struct pe_push_answer *answer = asking->answer;

	for (size_t i = 0; i < asking->n; i++) {
		const struct subject *subject = &asking->subjects[i];

		if (subject->bearing == PE_CANNOT_BEAR)
			continue;
		if (!subject->worse && is_undecided(subject))
			answer->open++;
		else
			answer->looked_at++;
	}
	answer->worse =
		pe_arena_new(asking->session->arena, struct pe_push_finding, asking->worse.n);
	if (asking->worse.n > 0)
		memcpy(answer->worse, asking->worse.data,
		       asking->worse.n * sizeof(*asking->worse.data));
	answer->n_worse = asking->worse.n;
	if (asking->worse.n > 0)
		answer->verdict = PE_PUSH_REGRESSED;
	else if (answer->open > 0 || answer->why != NULL)
		answer->verdict = PE_PUSH_INCONCLUSIVE;
}

int pe_push_ask(struct pe_push_answer *out, struct pe_session *session,
		const struct pe_push_question *question, const enum pe_bearing *bearing)
{
	struct asking asking = {.session = session, .question = question, .answer = out};
	int rc, closed;

	*out = (struct pe_push_answer){.verdict = PE_PUSH_PASSES};
	pe_random_seed(&asking.random, pe_clock_ns());
	line_up(&asking, bearing);
	rc = ask(&asking);
	sum_up(&asking);
	if (out->why == NULL)
		keep_checks(&asking);
	closed = pe_remeasure_close(asking.fresh, rc == PE_OK && out->open == 0);
	pe_vec_release(&asking.worse);
	pe_vec_release(&asking.checks);
	return rc != PE_OK ? rc : closed;
}
