/* Fresh pairs of runs of both sides of a change, and their results. */
#include "app/search/confirm_internal.h"

#include "app/measure/exactness.h"
#include "app/search/pairs.h"
#include "core/base/clock.h"
#include "core/stats/fdr.h"

#include <math.h>
#include <stdlib.h>

/* Below it, the surroundings of a change are measured again. */
#define SURE 0.95

/* --- Sides --- */

/* Revisions of the session, and which of them vouch for which side. */
struct bench {
	size_t revisions[6];
	enum pe_role roles[6];
	size_t n;
	struct pe_confirm_sides sides; /* of the same */
};

static void add_side(struct bench *bench, size_t revision, enum pe_role role)
{
	struct pe_confirm_sides *sides = &bench->sides;

	if (revision == SIZE_MAX || bench->n == 6)
		return;
	for (size_t i = 0; i < bench->n; i++)
		if (bench->revisions[i] == revision)
			return;
	if (role == PE_ROLE_LEFT)
		sides->left[sides->n_left++] = revision;
	else
		sides->right[sides->n_right++] = revision;
	bench->revisions[bench->n] = revision;
	bench->roles[bench->n++] = role;
}

/* Whether a revision is between the changes of a suspect's metric before and after the suspected one. */
static bool is_within_reach(const struct pe_suspect *suspect, size_t revision)
{
	const struct pe_series_found *found = suspect->found;
	struct pe_changepoint_reach reach = pe_changepoint_reach(&found->found, suspect->change);

	return revision >= found->first[reach.from] &&
	       (reach.to == found->n_states || revision < found->first[reach.to]);
}

/*
 * Whether a state can stand in for a side, `given` of whose states came before it. It is beyond no suspect's next change,
 * and it is not the build of one of those once more (a revert).
 */
static bool can_vouch(const struct pe_jump_candidate *candidate, const struct pe_suspect *suspect,
		      const size_t *states, size_t given)
{
	const struct pe_series_found *found = suspect->found;
	const size_t state = states[given];

	for (size_t i = 0; i < given; i++)
		if (found->source[states[i]] == found->source[state])
			return false;
	for (size_t i = 0; i < candidate->n; i++)
		if (!is_within_reach(candidate->at[i], found->first[state]))
			return false;
	return true;
}

/* Cells that reuse results although the builds differ: code that is placed elsewhere in memory may take another time. */
struct skipped {
	struct pe_coverage *at;
	size_t n;
};

static bool is_skipped(const struct skipped *skipped, const struct pe_suspect *suspect, int64_t key)
{
	const struct pe_coverage *found =
		pe_coverage_find(skipped->at, skipped->n, key, suspect->row.benchmark);

	return found != NULL && found->skipped;
}

/*
 * The revision that stands for the side of a change nearest to it: the one that the jump names, where another's build is not
 * the same byte for byte; then no other one vouches for it (*alone).
 */
static size_t nearest(bool *alone, const struct skipped *skipped, const struct pe_suspect *suspect,
		      size_t state, bool left)
{
	const struct pe_series_found *found = suspect->found;
	const size_t revision = left ? found->last[state] : found->first[state];

	*alone = is_skipped(skipped, suspect, found->revisions[revision].key);
	return *alone ? revision : pe_suspect_revision(suspect, state);
}

/*
 * Sides that all suspects of a candidate agree on: the left one of that whose change may begin first, the right
 * one of that whose change may begin last. Nearest first, in turn, so that both sides have a place where builds
 * are many and room is little. The nearest is there whatever another metric has between.
 */
static int choose_sides(struct bench *bench, struct pe_session *session,
			const struct pe_jump_candidate *candidate)
{
	const struct pe_suspect *first = candidate->at[0], *last = first;
	struct pe_confirm_sides left, right;
	struct skipped skipped;
	bool left_alone, right_alone;

	PE_TRY(pe_store_reused(&skipped.at, &skipped.n, session->app->store, session->machine_key,
			       session->arena, session->app->err));
	for (size_t i = 1; i < candidate->n; i++) {
		const struct pe_suspect *one = candidate->at[i];

		if (pe_suspect_change(one)->first < pe_suspect_change(first)->first)
			first = one;
		if (pe_suspect_change(one)->last > pe_suspect_change(last)->last)
			last = one;
	}
	left = pe_confirm_sides(&first->found->found, first->change);
	right = pe_confirm_sides(&last->found->found, last->change);
	*bench = (struct bench){.n = 0};
	add_side(bench, nearest(&left_alone, &skipped, first, left.left[0], true), PE_ROLE_LEFT);
	add_side(bench, nearest(&right_alone, &skipped, last, right.right[0], false),
		 PE_ROLE_RIGHT);
	for (size_t i = 1; i < 3; i++) {
		if (i < left.n_left && !left_alone && can_vouch(candidate, first, left.left, i))
			add_side(bench, pe_suspect_revision(first, left.left[i]), PE_ROLE_LEFT);
		if (i < right.n_right && !right_alone && can_vouch(candidate, last, right.right, i))
			add_side(bench, pe_suspect_revision(last, right.right[i]), PE_ROLE_RIGHT);
	}
	return PE_OK;
}

/* The sides of a batch that was begun. */
static int recall_sides(struct bench *bench, struct pe_session *session, int64_t key)
{
	struct pe_app *app = session->app;
	struct pe_batch batch;
	int rc = pe_store_get_batch(&batch, app->store, key, session->arena, app->err);

	*bench = (struct bench){.n = 0};
	if (rc == PE_ENOTFOUND)
		return PE_OK;
	for (size_t i = 0; rc == PE_OK && i < batch.n_cells; i++)
		add_side(bench, pe_session_revision_of(session, batch.cells[i].revision),
			 batch.cells[i].role);
	return rc;
}

/* What could not be built is on no side; of a batch that was begun, the plan stays as it was. */
static void drop_unloaded(struct bench *bench, const struct pe_engine *engine)
{
	struct pe_confirm_sides kept = {.n_left = 0};

	for (size_t i = 0; i < bench->sides.n_left; i++)
		if (pe_engine_is_loaded(engine, bench->sides.left[i]))
			kept.left[kept.n_left++] = bench->sides.left[i];
	for (size_t i = 0; i < bench->sides.n_right; i++)
		if (pe_engine_is_loaded(engine, bench->sides.right[i]))
			kept.right[kept.n_right++] = bench->sides.right[i];
	bench->sides = kept;
}

/* --- One candidate --- */

/*
 * The strictness of the next test of an event, by what was found so far (fdr.h). Rows of one number are one event: it is
 * one discovery, known when its first answer came in.
 */
static double accept_level(const struct pe_stored_confirmation *rows, size_t n, size_t number,
			   size_t suspects)
{
	pe_auto_free size_t *known = pe_realloc(NULL, n + 1, sizeof(*known));
	size_t n_known = 0;
	const struct pe_confirm_opts defaults = PE_CONFIRM_DEFAULTS;
	double level;

	/* Answers come in in any order; known_after has the right one. */
	for (size_t i = 0, end; i < n; i = end) {
		size_t first = SIZE_MAX, at;

		for (end = i; end < n && rows[end].number == rows[i].number; end++)
			if (rows[end].answer == PE_CONFIRMED && rows[end].known_after < first)
				first = rows[end].known_after;
		if (first >= number)
			continue;
		for (at = n_known++; at > 0 && known[at - 1] > first; at--)
			known[at] = known[at - 1];
		known[at] = first;
	}
	level = pe_fdr_level(number, known, n_known) / PE_CONFIRM_LOOKS / (double)suspects;
	return level < defaults.accept ? level : defaults.accept;
}

/* Put the suspects that are new: from now on they have a batch, options and a number. */
static int begin_rows(struct pe_session *session, const struct pe_jump_candidate *candidate,
		      const struct pe_confirm_sides *sides, int64_t batch)
{
	struct pe_app *app = session->app;
	struct pe_stored_confirmation *rows;
	struct pe_event_test *test = candidate->test;
	size_t n;

	PE_TRY(pe_store_confirmations(&rows, &n, app->store, session->machine_key, session->arena,
				      app->err));
	if (test->number == 0) {
		test->number = n > 0 ? rows[n - 1].number + 1 : 1;
		test->accept = accept_level(rows, n, test->number,
					    test->suspects > 0 ? test->suspects : 1);
	}
	for (size_t i = 0; i < candidate->n; i++) {
		struct pe_suspect *suspect = candidate->at[i];

		if (suspect->row.key != 0)
			continue;
		suspect->row.batch = batch;
		suspect->row.begun_s = pe_clock_now_s();
		suspect->row.opts = pe_confirm_opts_of(&suspect->found->found, suspect->change,
						       sides, suspect->found->metric->min_relative);
		suspect->row.opts.accept = test->accept;
		suspect->row.number = test->number;
		PE_TRY(pe_store_put_confirmation(app->store, &suspect->row, app->err));
	}
	return PE_OK;
}

static int keep_answer(struct pe_session *session, struct pe_suspect *suspect,
		       const struct pe_confirm *state)
{
	struct pe_app *app = session->app;
	struct pe_stored_confirmation *rows, *row = &suspect->row;
	size_t n;

	PE_TRY(pe_store_confirmations(&rows, &n, app->store, session->machine_key, session->arena,
				      app->err));
	row->answer = state->answer;
	row->result = pe_confirm_result(state);
	row->known_after = n > 0 ? rows[n - 1].number : row->number;
	row->sure = NAN;
	/* A change that is there may still be at another commit. */
	row->settled = state->answer != PE_CONFIRMED || pe_suspect_change(suspect)->sure >= SURE;
	return pe_store_put_confirmation(app->store, row, app->err);
}

/* What the first n pairs confirm is no answer where their other metrics or the counts deny it. */
static int weigh_evidence(struct pe_session *session, const struct pe_suspect *suspect,
			  struct pe_pair_test *test, const struct pe_pairs *pairs, unsigned n)
{
	const struct pe_metric *exact = &pe_metrics[PE_SIMULATED_INSTRUCTIONS];
	const struct pe_series_query query = {session->machine_key, suspect->row.benchmark,
					      exact->name};
	const int64_t keys[] = {suspect->row.before, suspect->row.after};
	double instructions[2];
	bool vary;

	if (test->confirm.answer != PE_CONFIRMED)
		return PE_OK;
	PE_TRY(pe_exactness_load_two(instructions, &vary, session->app->store, &query, exact, keys,
				     session->app->err));
	if (!pe_pairs_deny(pairs, test, n, vary ? NAN : instructions[1] / instructions[0] - 1))
		return PE_OK;
	test->confirm.answer = PE_CONFIRM_UNDECIDED;
	pe_app_note(session->app,
		    "%s, wall time: the pairs say %+.1f %%, and processor time or instructions the "
		    "reverse: the machine's load changed, so it stays undecided",
		    suspect->found->name, 100 * pe_confirm_result(&test->confirm).relative);
	return PE_OK;
}

/* Begin the tests of a candidate's suspects, in their order. */
static void begin_tests(struct pe_pairs *pairs, const struct pe_jump_candidate *candidate,
			struct pe_arena *arena)
{
	pairs->n_tests = candidate->n;
	pairs->tests = pe_arena_new(arena, struct pe_pair_test, candidate->n);
	for (size_t i = 0; i < candidate->n; i++) {
		const struct pe_suspect *suspect = candidate->at[i];

		pairs->tests[i].metric = suspect->found->metric;
		pe_confirm_begin(&pairs->tests[i].confirm, suspect->row.direction,
				 &suspect->row.opts);
	}
}

/* @param late  time was up before all answers were there */
static int run_pairs(bool *late, struct pe_session *session,
		     const struct pe_jump_candidate *candidate, struct pe_pairs *pairs,
		     const struct pe_confirm_request *request)
{
	begin_tests(pairs, candidate, session->arena);
	*late = false;
	for (unsigned k = 0; k < PE_CONFIRM_ROUNDS; k++) {
		const size_t needed = pe_pairs_needed(pairs, false) + pe_pairs_needed(pairs, true);

		*late = needed > 0 && pe_confirm_is_late(request);
		if (*late || needed == 0)
			return PE_OK;
		PE_TRY(pe_pairs_run(pairs, k));
		for (size_t i = 0; i < candidate->n; i++) {
			struct pe_pair_test *test = &pairs->tests[i];

			if (!test->answered)
				continue;
			PE_TRY(weigh_evidence(session, candidate->at[i], test, pairs, k + 1));
			PE_TRY(keep_answer(session, candidate->at[i], &test->confirm));
		}
	}
	/* Runs failed too often: what there is does not decide. */
	for (size_t i = 0; i < candidate->n; i++) {
		struct pe_confirm *confirm = &pairs->tests[i].confirm;

		if (confirm->answer != PE_CONFIRM_GO_ON)
			continue;
		confirm->answer = PE_CONFIRM_UNDECIDED;
		PE_TRY(keep_answer(session, candidate->at[i], confirm));
	}
	return PE_OK;
}

static void note_unbuilt(struct pe_session *session, const struct pe_suspect *suspect)
{
	const struct pe_revision *after =
		&suspect->found
			 ->revisions[suspect->found->first[pe_suspect_change(suspect)->index]];

	pe_app_note(
		session->app,
		"%s, %s at %.10s stays a suspect: its two sides cannot be built side by side (build them, or raise 'disk:')",
		suspect->found->name, suspect->row.metric, after->id);
}

int pe_confirm_pairs(struct pe_session *session, const struct pe_jump_candidate *candidate,
		     const struct pe_confirm_request *request)
{
	size_t benchmark = pe_session_benchmark_of(session, candidate->at[0]->row.benchmark);
	int64_t batch = candidate->at[0]->row.batch;
	struct pe_engine_opts opts = {.batch = batch,
				      .rounds = PE_CONFIRM_ROUNDS,
				      .aside = true,
				      .expected = PE_CONFIRM_USUAL_RUNS};
	struct pe_pairs pairs = {.which = benchmark};
	struct bench bench;
	bool late = false;
	int rc;

	PE_TRY(batch != 0 ? recall_sides(&bench, session, batch)
			  : choose_sides(&bench, session, candidate));
	if (benchmark == SIZE_MAX)
		return PE_OK;
	opts.roles = bench.roles;
	PE_TRY(pe_engine_open(&pairs.engine, session, bench.revisions, bench.n, &benchmark, 1,
			      &opts));
	if (batch == 0)
		drop_unloaded(&bench, pairs.engine);
	if (bench.sides.n_left == 0 || bench.sides.n_right == 0) {
		note_unbuilt(session, candidate->at[0]);
		return pe_engine_close(PE_OK, pairs.engine, true);
	}
	pairs.benchmark = session->benchmarks.data[benchmark];
	pairs.sides = bench.sides;
	rc = begin_rows(session, candidate, &bench.sides, pe_engine_batch(pairs.engine));
	if (rc == PE_OK)
		rc = run_pairs(&late, session, candidate, &pairs, request);
	return pe_engine_close(rc, pairs.engine, rc == PE_OK && !late);
}
