/*
 * What distinguishes two revisions without a clock: what a benchmark executes and reads of either build, and
 * allocations. Nothing of it is left to chance, so it comes before any pair is run. Counts that differ between two
 * runs of one build are left to chance: they become tests like those of times (ab_test_rounds.c).
 */
#include "app/search/ab_test_internal.h"

#include "app/measure/exactness.h"
#include "app/measure/generic.h"
#include "app/measure/reuse.h"
#include "app/measure/thresholds.h"
#include "core/base/clock.h"

#include <string.h>

/* --- The same --- */

/* The trace of a benchmark at one of the two sides; of runs of the base where none is stored. *out is NULL: not known. */
static int find_trace(const struct pe_trace **out, struct pe_ab *pairing,
		      const struct pe_ab_subject *subject)
{
	struct pe_session *session = pairing->session;
	struct pe_trace *trace = pe_arena_new(session->arena, struct pe_trace, 1);
	const int64_t revisions[] = {session->revisions[pairing->question->base].key,
				     session->revisions[pairing->question->tip].key};
	struct pe_traced traced = {
		.session = session,
		.benchmark = subject->pairs.benchmark,
		.tree = pe_engine_tree_of(pairing->engine, pairing->question->base)};
	struct pe_strings programs;
	const char *items = NULL;
	bool known;

	/* A trace of another revision cannot be used: these two may read files that it does not. */
	PE_TRY(pe_trace_load(trace, &known, session, subject->pairs.benchmark->key, revisions,
			     session->arena));
	*out = known ? trace : NULL;
	if (known)
		return PE_OK;
	PE_TRY(pe_traced_run(&traced, NULL));
	if (pe_traced_is_seen(&traced))
		items = pe_trace_pack(&traced.touched, session->arena);
	if (items == NULL)
		return PE_OK;
	programs = traced.touched.programs;
	PE_TRY(pe_traced_run(&traced, &programs));
	pe_trace_unpack(trace, items, traced.functions, session->arena);
	*out = trace;
	return PE_OK;
}

/*
 * Whether all that a benchmark executes and reads is the same in both builds: of its programs all, or the functions that it
 * enters.
 */
static bool is_same(const struct pe_trace *trace, enum pe_resolver by, const char *const trees[2],
		    const volatile sig_atomic_t *interrupts)
{
	struct pe_err ignored = PE_ERR_INIT;
	char hash[2][PE_XXH_TEXT];
	bool same = by != PE_BY_CODE || trace->executed.n > 0;

	for (int side = 0; same && side < 2; side++)
		same = pe_trace_hash(hash[side], trace, by, NULL, trees[side], interrupts,
				     &ignored) == PE_OK;
	return same && strcmp(hash[0], hash[1]) == 0;
}

/* Leave a benchmark out where the change cannot bear on it. */
static int leave_out_same(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	struct pe_session *session = pairing->session;
	const char *const trees[] = {pe_engine_tree_of(pairing->engine, pairing->question->base),
				     pe_engine_tree_of(pairing->engine, pairing->question->tip)};
	const struct pe_benchmark *benchmark = subject->pairs.benchmark;

	/* Only what the counting library records is known to be complete. */
	if (!benchmark->count_allocations || session->runner.alloc_library == NULL)
		return PE_OK;
	PE_TRY(find_trace(&subject->trace, pairing, subject));
	if (subject->trace == NULL || benchmark->input != NULL)
		return PE_OK;
	pe_outside_learn(&session->outside, benchmark, &subject->trace->touched, true);
	if (pe_outside_shared(&session->outside, benchmark) != NULL)
		return PE_OK;
	subject->same_code = is_same(subject->trace, PE_BY_CODE, trees, session->app->interrupts);
	/* Who wants layout to fail wants code measured that is elsewhere. */
	if ((subject->same_code && !session->app->config->gate.layout_fails) ||
	    is_same(subject->trace, PE_BY_TREE, trees, session->app->interrupts))
		subject->same = true;
	return PE_OK;
}

/* --- Counts --- */

/* A count of one side in one of the two runs; NaN: it has none. */
static double value_of(const struct pe_ab *pairing, const struct pe_ab_subject *subject,
		       size_t side, unsigned round, const struct pe_metric *metric)
{
	return pe_cell_value(pe_ab_cell(pairing, subject, side), round, metric->name);
}

static bool is_worse(const struct pe_metric *metric, double difference)
{
	return metric->better == PE_LOWER_IS_BETTER ? difference > 0 : difference < 0;
}

/* Whether two runs of a side differ now, or runs of one build ever did. */
static int find_noisy(bool *out, const struct pe_ab *pairing, const struct pe_ab_subject *subject,
		      const struct pe_metric *metric)
{
	const struct pe_session *session = pairing->session;
	struct pe_exactness kept;

	PE_TRY(pe_exactness_load(&kept, session->app->store, session->machine_key,
				 subject->pairs.benchmark->key, metric, session->app->err));
	*out = kept.broken > 0;
	for (size_t side = 0; side < 2; side++) {
		double first = value_of(pairing, subject, side, 0, metric);
		double second = value_of(pairing, subject, side, 1, metric);

		*out = *out ||
		       (isfinite(second - first) && !pe_metric_agrees(metric, first, second));
	}
	return PE_OK;
}

/* What the first runs of both sides counted, and the change from one to the other. */
static struct pe_ab_test_check check_of(const struct pe_ab *pairing,
					const struct pe_ab_subject *subject,
					const struct pe_metric *metric, enum pe_ab_test_state state)
{
	struct pe_ab_test_check check = {
		.metric = metric,
		.state = state,
		.result = PE_NO_PAIRS,
		.base_value = value_of(pairing, subject, PE_AB_BASE, 0, metric),
		.tip_value = value_of(pairing, subject, PE_AB_TIP, 0, metric),
	};
	const double difference = check.tip_value - check.base_value;

	if (check.base_value != 0)
		check.result.relative = difference / check.base_value;
	else if (difference == 0)
		check.result.relative = 0;
	return check;
}

/* An exact difference beyond the thresholds is worse or better. */
static enum pe_ab_test_state state_of(const struct pe_ab_test_check *check,
				      const struct pe_metric *metric)
{
	const double from = check->base_value, difference = check->tip_value - from;

	if (!(fabs(difference) > 0) || fabs(difference) < metric->min_absolute ||
	    (from != 0 && fabs(check->result.relative) < metric->min_relative))
		return PE_AB_TEST_NOT_WORSE;
	return is_worse(metric, difference) ? PE_AB_TEST_WORSE : PE_AB_TEST_BETTER;
}

static void judge_exact(struct pe_ab *pairing, struct pe_ab_subject *subject,
			const struct pe_metric *metric)
{
	struct pe_ab_test_check check = check_of(pairing, subject, metric, PE_AB_TEST_NOT_WORSE);

	if (strcmp(metric->name, pe_metrics[PE_SIMULATED_INSTRUCTIONS].name) == 0)
		check.generic = subject->generic;
	check.state = state_of(&check, metric);
	if (check.state != PE_AB_TEST_WORSE && check.generic != NULL && subject->generic_changed &&
	    pairing->session->app->counts_only)
		check.state = PE_AB_TEST_OPEN;
	if (isfinite(check.base_value) && isfinite(check.tip_value))
		pe_ab_add_check(pairing, subject, &check);
}

static const enum pe_metric_id counts[] = {PE_ALLOCATIONS, PE_ALLOCATED_BYTES, PE_ALLOCATED_PEAK,
					   PE_SIMULATED_INSTRUCTIONS, PE_SYSTEM_CALLS};

enum { N_COUNTS = sizeof(counts) / sizeof(counts[0]) };

/* Where counts alone decide, the second run of one side shows what varies. */
static int run_counts(struct pe_ab *pairing, const struct pe_ab_subject *subject)
{
	struct pe_cell *const sides[] = {pe_ab_cell(pairing, subject, PE_AB_TIP),
					 pe_ab_cell(pairing, subject, PE_AB_BASE)};

	for (unsigned round = 0; round < PE_COUNTED_ROUNDS; round++)
		PE_TRY(pe_engine_count_round(pairing->engine, round, sides,
					     round > 0 && pairing->session->app->counts_only ? 1
											     : 2));
	return PE_OK;
}

/* A count that both sides have and that varies, where nothing else is to be run. */
static void leave_open(struct pe_ab *pairing, struct pe_ab_subject *subject,
		       const struct pe_metric *metric)
{
	const struct pe_ab_test_check check = check_of(pairing, subject, metric, PE_AB_TEST_OPEN);

	pe_app_note(pairing->session->app,
		    "%s, %s: runs of one build differ, so that counts alone do not decide",
		    subject->pairs.benchmark->name, metric->label);
	pe_ab_add_check(pairing, subject, &check);
}

/* Where counts alone decide, a side that has none did not run, or is nothing that can be counted. */
static void find_uncounted(const struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	bool counted[2] = {false, false};

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < N_COUNTS; i++)
			counted[side] |= isfinite(
				value_of(pairing, subject, side, 0, &pe_metrics[counts[i]]));
	subject->base_failed = !counted[PE_AB_BASE];
	subject->failed = !counted[PE_AB_BASE] || !counted[PE_AB_TIP];
}

/* Whether runs were ended because the time was over. */
static bool is_over(const struct pe_ab *pairing)
{
	const uint64_t deadline_ns = pairing->session->runner.deadline_ns;

	return deadline_ns > 0 && pe_clock_ns() >= deadline_ns;
}

/* Judge an exact count; one that varies becomes a test, or stays open. */
static int judge_count(struct pe_ab *pairing, struct pe_ab_subject *subject, enum pe_metric_id id)
{
	bool judged, noisy;
	const struct pe_metric *metric =
		pe_thresholds_metric(&judged, pairing->session->app, &pe_metrics[id]);

	if (!judged)
		return PE_OK;
	PE_TRY(find_noisy(&noisy, pairing, subject, metric));
	if (noisy && pairing->session->app->counts_only) {
		leave_open(pairing, subject, metric);
	} else if (noisy) {
		pe_app_note(
			pairing->session->app,
			"%s, %s: runs of one build differ, so it is decided by pairs of runs, as times are",
			subject->pairs.benchmark->name, metric->label);
		pe_ab_add_test(pairing, subject, metric);
	} else {
		judge_exact(pairing, subject, metric);
	}
	return PE_OK;
}

/* --- Functions that this processor chooses --- */

/* Whether functions that one side's run chose differ in the other build, or are not there. */
static bool differ(const struct pe_executed *chosen, const char *const trees[2],
		   struct pe_arena *arena)
{
	struct pe_xxh hashes[2];
	struct pe_err ignored = PE_ERR_INIT;
	bool same = true;

	for (int side = 0; side < 2; side++) {
		struct pe_executed_trees *opened = pe_executed_trees_new(arena);

		pe_xxh_init(&hashes[side]);
		for (size_t i = 0; i < chosen->n && same; i++)
			same = pe_executed_hash(&hashes[side], opened, &chosen->programs[i],
						trees[side], &ignored) == PE_OK;
		pe_executed_trees_close(opened);
	}
	return !same || hashes[0].high != hashes[1].high || hashes[0].low != hashes[1].low;
}

/*
 * Find functions that a run chose for this processor and that execute nothing where instructions are counted
 * (app/measure/generic.h). Where such functions differ between both builds, the counts do not show the change.
 */
static int find_generic(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	const struct pe_session *session = pairing->session;
	const size_t revisions[] = {pairing->question->base, pairing->question->tip};
	const char *const trees[] = {pe_engine_tree_of(pairing->engine, revisions[0]),
				     pe_engine_tree_of(pairing->engine, revisions[1])};
	struct pe_generic sides[2] = {{.known = false}, {.known = false}};
	const struct pe_strings *programs;
	struct pe_trace entered;

	if (session->runner.valgrind == NULL || subject->trace == NULL)
		return PE_OK;
	programs = &subject->trace->touched.programs;
	for (int i = 0; i < 2; i++) {
		struct pe_traced traced = {.session = pairing->session,
					   .benchmark = subject->pairs.benchmark,
					   .tree = trees[i]};

		if (!pe_generic_asks(programs, trees[i]))
			continue;
		PE_TRY(pe_traced_run(&traced, programs));
		pe_trace_unpack(&entered, "", traced.functions, session->arena);
		PE_TRY(pe_generic_find(&sides[i], pairing->session,
				       session->revisions[revisions[i]].key,
				       subject->pairs.benchmark->key, trees[i], &entered.executed));
	}
	for (int i = 0; i < 2; i++)
		if (sides[i].first != NULL) {
			subject->generic = sides[i].first;
			subject->generic_changed = subject->generic_changed ||
						   differ(&sides[i].chosen, trees, session->arena);
		}
	return PE_OK;
}

/* --- Benchmark by benchmark --- */

static int count_subject(struct pe_ab *pairing, struct pe_ab_subject *subject)
{
	int rc = run_counts(pairing, subject);

	if (rc == PE_OK && !is_over(pairing))
		rc = find_generic(pairing, subject);
	/* The runs that are left are too few to show what varies. */
	subject->late = (rc == PE_OK || rc == PE_ESTOPPED) && is_over(pairing);
	if (subject->late)
		return PE_OK;
	PE_TRY(rc);
	if (pairing->session->app->counts_only)
		find_uncounted(pairing, subject);
	for (size_t i = 0; i < N_COUNTS; i++)
		PE_TRY(judge_count(pairing, subject, counts[i]));
	return PE_OK;
}

/* Whether a subject has an answer: none is open, and it runs at the base. */
static bool is_answered(const struct pe_ab *pairing, const struct pe_ab_subject *subject,
			size_t n_before)
{
	bool open = subject->base_failed || subject->late;

	for (size_t i = n_before; i < pairing->checks.n; i++)
		open = open || pairing->checks.data[i].state == PE_AB_TEST_OPEN;
	return !open;
}

int pe_ab_count(struct pe_ab *pairing)
{
	bool any = false, answered = false;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < pairing->n; i++) {
		struct pe_ab_subject *subject = &pairing->subjects[i];
		const size_t n_before = pairing->checks.n;
		bool over;

		if (answered)
			pairing->session->runner.deadline_ns = pairing->counted_by_ns;
		over = any && (pe_clock_ns() >= pairing->question->deadline_ns || is_over(pairing));

		if (!over)
			rc = leave_out_same(pairing, subject);
		if (rc == PE_ESTOPPED && is_over(pairing)) {
			over = true;
			rc = PE_OK;
		}
		answered = answered || subject->same;
		if (subject->same ||
		    !pe_runner_counts(&pairing->session->runner, subject->pairs.benchmark))
			continue;
		subject->late = over;
		if (rc == PE_OK && !over)
			rc = count_subject(pairing, subject);
		answered = answered || is_answered(pairing, subject, n_before);
		any = true;
	}
	return rc;
}
