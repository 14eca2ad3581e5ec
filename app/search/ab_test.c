/*
 * A/B test: whether the tip is worse than the base. Benchmarks come in the order of the config, and exact metrics come
 * first:
 *
 *  (1) Where all that a benchmark executes and reads is the same in both builds, nothing is run (ab_test_exact.c).
 *  (2) Allocations, counted in two runs of each side: where both agree, any difference beyond the threshold is an
 *      answer (there, too).
 *  (3) The other judged metrics, and counts that vary from run to run: runs in pairs, in random order within each,
 *      until a sequential test (core/stats/confirm.h) decides each of them, or until time is up
 *      (ab_test_rounds.c). The probability of error is divided among the metrics, so that many tests do not make a tip
 *      look worse by chance.
 *  (4) A time that is worse although the benchmark executes the same code on the same data is so by placement in memory.
 */
#include "app/search/ab_test_internal.h"
#include "app/measure/thresholds.h"

#include "app/changes/layout.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "report/format.h"
#include "report/min_effect.h"

#include <math.h>
#include <stdlib.h>

struct pe_cell *pe_ab_cell(const struct pe_ab *pairing, const struct pe_ab_subject *subject,
			   size_t side)
{
	const struct pe_ab_test_question *question = pairing->question;

	return pe_engine_cell(pairing->engine, side == PE_AB_BASE ? question->base : question->tip,
			      subject->pairs.which);
}

void pe_ab_add_check(struct pe_ab *pairing, struct pe_ab_subject *subject,
		     const struct pe_ab_test_check *check)
{
	struct pe_ab_test_check copy = *check;

	copy.benchmark = subject->pairs.benchmark;
	subject->worse = subject->worse || check->state == PE_AB_TEST_WORSE;
	pe_vec_push(&pairing->checks, copy);
}

/* --- The tests --- */

void pe_ab_add_test(struct pe_ab *pairing, struct pe_ab_subject *subject,
		    const struct pe_metric *metric)
{
	bool judged;
	const struct pe_metric *tuned =
		pe_thresholds_metric(&judged, pairing->session->app, metric);

	if (judged)
		subject->pairs.tests[subject->pairs.n_tests++] =
			(struct pe_pair_test){.metric = tuned};
}

/* What a timed run of a benchmark gives, as far as it is judged. */
static void add_tests(struct pe_ab *pairing, size_t which)
{
	const struct pe_benchmark *benchmark = pairing->session->benchmarks.data[which];
	struct pe_ab_subject *subject = &pairing->subjects[which];

	subject->pairs = (struct pe_pairs){
		.benchmark = benchmark,
		.which = which,
		.sides = {{pairing->question->base}, {pairing->question->tip}, 1, 1},
		.tests = pe_arena_new(pairing->session->arena, struct pe_pair_test,
				      PE_N_METRICS + benchmark->n_customs),
	};
	if (pairing->session->app->counts_only)
		return;
	/* A process tells the times of a suite's members apart, and nothing else that is built in. */
	for (size_t i = 0; i < (benchmark->suite != NULL ? PE_CPU + 1 : PE_ALLOCATIONS); i++)
		if (i != PE_INSTRUCTIONS || pairing->session->runner.instructions)
			pe_ab_add_test(pairing, subject,
				       pe_benchmark_metric(benchmark, (enum pe_metric_id)i));
	for (size_t i = 0; i < benchmark->n_customs; i++)
		pe_ab_add_test(pairing, subject, &benchmark->customs[i].metric);
}

static void line_up(struct pe_ab *pairing)
{
	struct pe_session *session = pairing->session;

	pairing->n = session->benchmarks.n;
	pairing->subjects = pe_arena_new(session->arena, struct pe_ab_subject, pairing->n);
	for (size_t w = 0; w < pairing->n; w++)
		add_tests(pairing, w);
}

/* Begin once it is known which counts vary: the probability of error is divided among all tests. */
static void begin_tests(struct pe_ab *pairing)
{
	size_t n_tests = 0;

	for (size_t i = 0; i < pairing->n; i++)
		n_tests += pairing->subjects[i].pairs.n_tests;
	for (size_t i = 0; i < pairing->n; i++) {
		struct pe_pairs *pairs = &pairing->subjects[i].pairs;

		pairs->engine = pairing->engine;
		for (size_t t = 0; t < pairs->n_tests; t++) {
			const struct pe_metric *metric = pairs->tests[t].metric;
			struct pe_confirm_opts opts =
				pe_confirm_gate_opts(n_tests, PE_COARSE_TIMES);

			opts.min_effect = fmax(opts.min_effect, metric->min_relative);
			pe_confirm_begin(&pairs->tests[t].confirm,
					 metric->better == PE_LOWER_IS_BETTER ? 1 : -1, &opts);
		}
	}
}

/* --- The question --- */

static bool is_unbuilt(const struct pe_ab_test_answer *answer)
{
	return answer->base_unbuilt || answer->tip_unbuilt;
}

/* Report what counts have decided: that is known long before the first answer about a time. */
static void tell_counted(const struct pe_ab *pairing)
{
	const struct pe_ab_test_check *most = NULL;
	pe_auto_text text = PE_TEXT_INIT;
	size_t n = 0;
	bool more = false;

	for (size_t i = 0; i < pairing->checks.n; i++) {
		const struct pe_ab_test_check *one = &pairing->checks.data[i];

		if (one->state != PE_AB_TEST_WORSE)
			continue;
		n++;
		if (most == NULL || fabs(one->result.relative) > fabs(most->result.relative))
			most = one;
	}
	for (size_t i = 0; i < pairing->n; i++)
		more = more || pe_ab_is_open(&pairing->subjects[i]);
	if (most == NULL || !more)
		return;
	pe_format_change(&text, most->result.relative);
	if (n > 1)
		pe_text_addf(&text, ", and %zu more", n - 1);
	pe_app_note(pairing->session->app, "worse by exact counts: %s, %s %s; times follow",
		    most->benchmark->name, most->metric->label, pe_text_str(&text));
}

/* When counting ends, and when it ends if no benchmark has an answer by then. */
static void set_deadlines(struct pe_ab *pairing)
{
	const uint64_t now_ns = pe_clock_ns(), first_ns = pairing->question->first_ns;
	uint64_t last_ns = now_ns + pairing->question->least_ns;

	if (last_ns < pairing->question->deadline_ns)
		last_ns = pairing->question->deadline_ns;
	pairing->counted_by_ns = last_ns;
	pairing->session->runner.deadline_ns =
		first_ns > 0 && now_ns + first_ns < last_ns ? now_ns + first_ns : last_ns;
}

static int ask(struct pe_ab *pairing)
{
	struct pe_ab_test_answer *answer = pairing->answer;
	bool more = true;
	int rc = pe_ab_open(pairing);

	if (rc == PE_OK) {
		answer->base_unbuilt =
			!pe_engine_is_loaded(pairing->engine, pairing->question->base);
		answer->tip_unbuilt = !pe_engine_is_loaded(pairing->engine, pairing->question->tip);
		if (is_unbuilt(answer))
			return PE_OK;
	}
	set_deadlines(pairing);
	if (rc == PE_OK)
		rc = pe_ab_count(pairing);
	pairing->session->runner.deadline_ns = 0;
	begin_tests(pairing);
	if (pairing->session->app->counts_only)
		return rc;
	if (rc == PE_OK)
		tell_counted(pairing);
	while (rc == PE_OK && more && pe_clock_ns() < pairing->question->deadline_ns)
		rc = pe_ab_round(pairing, &more);
	return rc;
}

/* --- The answer --- */

/* A benchmark of which no run gave any value has no answer either. */
static bool is_undecided(const struct pe_ab_subject *subject)
{
	const struct pe_pairs *pairs = &subject->pairs;
	bool undecided = subject->failed || pe_ab_is_open(subject), silent = pairs->n_tests > 0;

	for (size_t t = 0; t < pairs->n_tests; t++) {
		undecided = undecided || pairs->tests[t].contradicted ||
			    pairs->tests[t].confirm.answer == PE_CONFIRM_UNDECIDED;
		silent = silent && pairs->tests[t].confirm.n == 0;
	}
	return undecided || silent;
}

enum pe_ab_test_state pe_ab_state_of(const struct pe_pair_test *test)
{
	const struct pe_confirm *confirm = &test->confirm;
	double relative, base;

	if (test->contradicted ||
	    (confirm->answer != PE_CONFIRMED && confirm->answer != PE_REFUTED))
		return PE_AB_TEST_OPEN;
	relative = pe_confirm_result(confirm).relative;
	base = test->sums[PE_AB_BASE] / (double)confirm->n;
	if (confirm->answer == PE_REFUTED || fabs(relative * base) < test->metric->min_absolute)
		return PE_AB_TEST_NOT_WORSE;
	return (relative > 0) == (test->metric->better == PE_LOWER_IS_BETTER) ? PE_AB_TEST_WORSE
									      : PE_AB_TEST_BETTER;
}

static void check_tests(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	struct pe_ab_test_check whole = {
		.base_value = NAN, .tip_value = NAN, .result = PE_NO_PAIRS};

	if (subject->same || subject->failed || subject->late) {
		whole.state = subject->same          ? PE_AB_TEST_SAME
			      : subject->late        ? PE_AB_TEST_LATE
			      : subject->base_failed ? PE_AB_TEST_UNKNOWN
			      : subject->gone        ? PE_AB_TEST_GONE
						     : PE_AB_TEST_FAILS;
		pe_ab_add_check(pairing, subject, &whole);
		return;
	}
	for (size_t t = 0; t < subject->pairs.n_tests; t++) {
		const struct pe_pair_test *test = &subject->pairs.tests[t];
		double n = (double)test->confirm.n;
		struct pe_ab_test_check check = {
			.metric = test->metric,
			.state = pe_ab_state_of(test),
			.contradicted = test->contradicted,
			.base_value = test->sums[PE_AB_BASE] / n,
			.tip_value = test->sums[PE_AB_TIP] / n,
			.result = pe_confirm_result(&test->confirm),
		};
		const double estimated = check.base_value * (1 + check.result.relative);

		check.layout = check.state == PE_AB_TEST_WORSE && subject->same_code &&
			       pe_layout_may_move(test->metric->name);

		/* The estimate and both values are of the same pairs. Exact ones stay as they were read. */
		if (isfinite(estimated) &&
		    fabs(estimated - check.tip_value) > 1e-9 * fabs(check.tip_value))
			check.tip_value = estimated;
		if (!test->absent)
			pe_ab_add_check(pairing, subject, &check);
	}
}

static void keep_checks(struct pe_ab *pairing)
{
	struct pe_ab_test_answer *answer = pairing->answer;

	for (size_t i = 0; i < pairing->n; i++)
		check_tests(pairing, &pairing->subjects[i]);
	answer->n_checks = pairing->checks.n;
	answer->checks = pe_vec_copy(pairing->session->arena, &pairing->checks);
}

static void count_open(struct pe_ab *pairing)
{
	for (size_t i = 0; i < pairing->n; i++) {
		const struct pe_ab_subject *subject = &pairing->subjects[i];

		if (!subject->same && !subject->worse && is_undecided(subject))
			pairing->answer->open++;
	}
}

int pe_ab_test_ask(struct pe_ab_test_answer *out, struct pe_session *session,
		   const struct pe_ab_test_question *question)
{
	struct pe_ab pairing = {.session = session, .question = question, .answer = out};
	int rc;

	*out = (struct pe_ab_test_answer){0};
	line_up(&pairing);
	rc = ask(&pairing);
	count_open(&pairing);
	if (!is_unbuilt(out))
		keep_checks(&pairing);
	pe_vec_release(&pairing.checks);
	return pe_engine_close(rc, pairing.engine, rc == PE_OK && out->open == 0);
}
