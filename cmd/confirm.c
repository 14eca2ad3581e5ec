#include "cmd/confirming.h"

#include "core/base/clock.h"
#include "core/stats/fdr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = PE_CONFIRM_PAIRS +
		 45,     /* pairs that may fail and be passed over, besides those that count */
	USUAL_RUNS = 50, /* of a change; a step of 5 % in laptop noise takes about as many */
};

/* Below it, the surroundings of a change are measured again. */
#define SURE 0.95

/* One call: all that is suspected. */
struct confirming {
	struct pe_session *session;
	const struct pe_confirm_request *request;
	const struct pe_standing *standing;
	PE_VEC(struct pe_dossier *) dossiers;
	PE_VEC(struct pe_suspect *) suspects;
	struct pe_suspicion *suspicions;
	size_t n_suspicions;
	size_t first; /* position of the first revision whose changes are asked for */
};

const struct pe_changepoint *pe_suspect_change(const struct pe_suspect *suspect)
{
	return &suspect->dossier->found.found.at[suspect->change];
}

size_t pe_session_revision_of(const struct pe_session *session, int64_t key)
{
	for (size_t r = 0; r < session->n_revisions; r++)
		if (session->revisions[r].key == key)
			return r;
	return SIZE_MAX;
}

size_t pe_suspect_revision(const struct pe_session *session, const struct pe_suspect *suspect,
			   size_t state)
{
	const struct pe_dossier *dossier = suspect->dossier;
	const struct pe_series_state *at = &dossier->found.states[state];
	/* A state that came back (a revert) has its values from far away: its own revisions do the same. */
	bool here = at->source >= at->first && at->source <= at->last;
	size_t r = here ? pe_session_revision_of(session, dossier->keys[at->source]) : SIZE_MAX;

	if (r == SIZE_MAX)
		r = pe_session_revision_of(session, dossier->keys[at->first]);
	return r != SIZE_MAX ? r : pe_session_revision_of(session, dossier->keys[at->last]);
}

/* --- Gathering what is suspected --- */

static size_t position_of_id(const struct pe_judged *judged, const char *id)
{
	for (size_t i = 0; i < judged->n_revisions; i++)
		if (strcmp(judged->revisions[i].id, id) == 0)
			return i;
	return 0;
}

static bool is_open(const struct pe_stored_confirmation *row, bool again)
{
	if (row->answer == PE_CONFIRM_GO_ON)
		return true;
	if (row->answer == PE_CONFIRMED)
		return !row->settled;
	return again;
}

static struct pe_dossier *open_dossier(struct confirming *all, const struct pe_judged *judged)
{
	struct pe_dossier *dossier = pe_realloc(NULL, 1, sizeof(*dossier));

	*dossier = (struct pe_dossier){
		.benchmark = judged->benchmark,
		.metric = judged->metric,
		.workload = judged->workload,
		.found = *judged->found,
		.revisions = judged->revisions,
		.keys = judged->keys,
		.arena = *judged->scratch,
	};
	*judged->scratch = (struct pe_arena)PE_ARENA_INIT;
	pe_vec_push(&all->dossiers, dossier);
	return dossier;
}

static int64_t key_of(const struct pe_judged *judged, size_t state, bool last)
{
	const struct pe_series_state *at = &judged->found->states[state];

	return judged->keys[last ? at->last : at->first];
}

static void add_suspect(struct confirming *all, struct pe_dossier *dossier,
			const struct pe_judged *judged, size_t change,
			const struct pe_stored_confirmation *known)
{
	const struct pe_changepoint *point = &judged->found->found.at[change];
	struct pe_suspect *suspect = pe_arena_new(all->session->arena, struct pe_suspect, 1);

	suspect->dossier = dossier;
	suspect->change = change;
	if (known != NULL && (known->answer == PE_CONFIRM_GO_ON || known->answer == PE_CONFIRMED))
		suspect->row = *known;
	else
		suspect->row = (struct pe_stored_confirmation){
			.machine = judged->machine,
			.workload = judged->workload,
			.metric = judged->metric->name,
			.before = key_of(judged, point->before, true),
			.after = key_of(judged, point->index, false),
			.first = key_of(judged, point->first, false),
			.last = key_of(judged, point->last, false),
			.direction = point->level_after > point->level_before ? 1 : -1,
			.sure = NAN,
		};
	pe_vec_push(&all->suspects, suspect);
}

/* Called by the judge for each chain of each line, before its scratch memory is let go of. */
static void visit(const struct pe_judged *judged, void *payload)
{
	struct confirming *all = payload;
	const struct pe_changepoints *found = &judged->found->found;
	struct pe_standing_change *changes;
	const struct pe_standing_place place = {judged->workload,     judged->benchmark,
						judged->metric->name, judged->found->chain,
						judged->keys,         judged->revisions};
	struct pe_dossier *dossier = NULL;
	size_t *match, n = 0, *which;

	all->standing = judged->standing;
	if (judged->found->exact || found->n == 0)
		return;
	if (all->first == SIZE_MAX)
		all->first = all->request->first != NULL
				     ? position_of_id(judged, all->request->first)
				     : 0;
	changes = pe_arena_new(all->session->arena, struct pe_standing_change, found->n);
	match = pe_arena_new(all->session->arena, size_t, found->n);
	which = pe_arena_new(all->session->arena, size_t, found->n);
	for (size_t i = 0; i < found->n; i++) {
		const struct pe_changepoint *point = &found->at[i];

		if (!pe_series_reportable(judged->metric, point))
			continue;
		which[n] = i;
		changes[n++] = (struct pe_standing_change){
			judged->found->states[point->before].last,
			judged->found->states[point->index].first,
			point->level_after > point->level_before ? 1 : -1};
	}
	pe_standing_match(match, judged->standing, &place, changes, n);
	for (size_t i = 0; i < n; i++) {
		const struct pe_stored_confirmation *known =
			match[i] != SIZE_MAX ? &judged->standing->confirmations[match[i]] : NULL;

		if (changes[i].after < all->first ||
		    (known != NULL && !is_open(known, all->request->again)))
			continue;
		if (dossier == NULL)
			dossier = open_dossier(all, judged);
		add_suspect(all, dossier, judged, which[i], known);
	}
}

/* --- Suspicions: suspects that share a window --- */

static int compare_suspects(const void *a, const void *b)
{
	const struct pe_suspect *x = *(struct pe_suspect *const *)a;
	const struct pe_suspect *y = *(struct pe_suspect *const *)b;

	if (x->row.workload != y->row.workload)
		return x->row.workload < y->row.workload ? -1 : 1;
	if (x->row.after != y->row.after)
		return x->row.after < y->row.after ? -1 : 1;
	if (x->row.window != y->row.window)
		return x->row.window < y->row.window ? -1 : 1;
	return strcmp(x->row.metric, y->row.metric);
}

static bool together(const struct pe_suspect *x, const struct pe_suspect *y)
{
	return x->row.workload == y->row.workload && x->row.after == y->row.after &&
	       x->row.window == y->row.window;
}

/* What was begun comes first, and then the clearest. */
static int compare_suspicions(const void *a, const void *b)
{
	const struct pe_suspicion *x = a, *y = b;
	bool x_begun = x->at[0]->row.key != 0, y_begun = y->at[0]->row.key != 0;

	if (x_begun != y_begun)
		return x_begun ? -1 : 1;
	if (x->strength != y->strength)
		return x->strength > y->strength ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void form_suspicions(struct confirming *all)
{
	struct pe_suspect **at = all->suspects.data;
	size_t n = all->suspects.n;

	all->suspicions = pe_arena_new(all->session->arena, struct pe_suspicion, n);
	if (n > 0)
		qsort(at, n, sizeof(*at), compare_suspects);
	for (size_t i = 0; i < n; i++) {
		double strength = fabs(pe_suspect_change(at[i])->strength);
		struct pe_suspicion *last;

		if (i == 0 || !together(at[i - 1], at[i]))
			all->suspicions[all->n_suspicions++] = (struct pe_suspicion){&at[i], 0, 0};
		last = &all->suspicions[all->n_suspicions - 1];
		last->n++;
		if (strength > last->strength)
			last->strength = strength;
	}
	if (all->n_suspicions > 0)
		qsort(all->suspicions, all->n_suspicions, sizeof(*all->suspicions),
		      compare_suspicions);
	if (all->n_suspicions > all->request->most)
		all->n_suspicions = all->request->most;
}

static int gather(struct confirming *all)
{
	struct pe_judge_opts opts = *all->request->judge;
	struct pe_evolution evolution;
	int rc;

	opts.keep = false;
	opts.visit = visit;
	opts.payload = all;
	all->first = SIZE_MAX;
	rc = pe_judge_load(&evolution, all->session->ctx, &opts);
	/* Nothing is measured: nothing is suspected. */
	if (rc == PE_ENOTFOUND)
		return PE_OK;
	if (rc == PE_OK)
		form_suspicions(all);
	return rc;
}

static void release(struct confirming *all)
{
	for (size_t i = 0; i < all->dossiers.n; i++) {
		pe_arena_release(&all->dossiers.data[i]->arena);
		free(all->dossiers.data[i]);
	}
	pe_vec_release(&all->dossiers);
	pe_vec_release(&all->suspects);
}

int pe_confirm_plan(struct pe_confirm_left *out, struct pe_session *session,
		    const struct pe_confirm_request *request)
{
	struct confirming all = {.session = session, .request = request};
	int rc = gather(&all);

	*out = (struct pe_confirm_left){all.n_suspicions, all.n_suspicions * USUAL_RUNS};
	release(&all);
	return rc;
}

/* --- Sides --- */

/* Revisions of the session, and which of them vouch for which side. */
struct bench {
	size_t revisions[6];
	enum pe_role roles[6];
	size_t n;
	struct pe_confirm_sides sides; /* positions in revisions */
};

static void seat(struct bench *bench, size_t revision, enum pe_role role)
{
	struct pe_confirm_sides *sides = &bench->sides;

	if (revision == SIZE_MAX || bench->n == 6)
		return;
	for (size_t i = 0; i < bench->n; i++)
		if (bench->revisions[i] == revision)
			return;
	if (role == PE_ROLE_LEFT)
		sides->left[sides->n_left++] = bench->n;
	else
		sides->right[sides->n_right++] = bench->n;
	bench->revisions[bench->n] = revision;
	bench->roles[bench->n++] = role;
}

/*
 * Sides that all suspects of a suspicion agree on: the left one of that whose change may begin first, the right
 * one of that whose change may begin last. Nearest first, in turn, so that both sides have a place where builds
 * are many and room is little.
 */
static void choose_sides(struct bench *bench, const struct pe_session *session,
			 const struct pe_suspicion *suspicion)
{
	const struct pe_suspect *first = suspicion->at[0], *last = first;
	struct pe_confirm_sides left, right;

	for (size_t i = 1; i < suspicion->n; i++) {
		const struct pe_suspect *one = suspicion->at[i];

		if (pe_suspect_change(one)->first < pe_suspect_change(first)->first)
			first = one;
		if (pe_suspect_change(one)->last > pe_suspect_change(last)->last)
			last = one;
	}
	left = pe_confirm_sides(&first->dossier->found.found, first->change);
	right = pe_confirm_sides(&last->dossier->found.found, last->change);
	*bench = (struct bench){.n = 0};
	for (size_t i = 0; i < 3; i++) {
		if (i < left.n_left)
			seat(bench, pe_suspect_revision(session, first, left.left[i]),
			     PE_ROLE_LEFT);
		if (i < right.n_right)
			seat(bench, pe_suspect_revision(session, last, right.right[i]),
			     PE_ROLE_RIGHT);
	}
}

/* The sides of a window that was begun. */
static int recall_sides(struct bench *bench, struct pe_session *session, int64_t key)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct pe_window window;
	int rc = pe_store_get_window(&window, ctx->store, key, session->arena, ctx->err);

	*bench = (struct bench){.n = 0};
	if (rc == PE_ENOTFOUND)
		return PE_OK;
	for (size_t i = 0; rc == PE_OK && i < window.n_cells; i++)
		seat(bench, pe_session_revision_of(session, window.cells[i].revision),
		     window.cells[i].role);
	return rc;
}

/* What could not be built is on no side; of a window that was begun, the plan stays as it was. */
static void drop_unseated(struct bench *bench, const struct pe_remeasure *fresh)
{
	struct pe_confirm_sides kept = {.n_left = 0};

	for (size_t i = 0; i < bench->sides.n_left; i++)
		if (pe_remeasure_seated(fresh, bench->sides.left[i]))
			kept.left[kept.n_left++] = bench->sides.left[i];
	for (size_t i = 0; i < bench->sides.n_right; i++)
		if (pe_remeasure_seated(fresh, bench->sides.right[i]))
			kept.right[kept.n_right++] = bench->sides.right[i];
	bench->sides = kept;
}

/* --- One suspicion --- */

/* The strictness of the next confirmation, by what was found so far (fdr.h). */
static double accept_level(const struct pe_stored_confirmation *rows, size_t n, size_t number)
{
	size_t *known = pe_realloc(NULL, n + 1, sizeof(*known)), n_known = 0;
	const struct pe_confirm_opts defaults = PE_CONFIRM_DEFAULTS;
	double level;

	/* Answers come in in any order; known_after says when. */
	for (size_t i = 0; i < n; i++) {
		size_t at;

		if (rows[i].answer != PE_CONFIRMED || rows[i].known_after >= number)
			continue;
		for (at = n_known++; at > 0 && known[at - 1] > rows[i].known_after; at--)
			known[at] = known[at - 1];
		known[at] = rows[i].known_after;
	}
	level = pe_fdr_level(number, known, n_known, NULL) / PE_CONFIRM_LOOKS;
	free(known);
	return level < defaults.accept ? level : defaults.accept;
}

/* Put the suspects that are new: from now on they have a window, options and a number. */
static int begin_rows(struct pe_session *session, const struct pe_suspicion *suspicion,
		      int64_t window)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct pe_stored_confirmation *rows;
	size_t n, number = 1;
	int rc = pe_store_confirmations(&rows, &n, ctx->store, session->machine_key, session->arena,
					ctx->err);

	if (rc == PE_OK && n > 0)
		number = rows[n - 1].number + 1;
	for (size_t i = 0; rc == PE_OK && i < suspicion->n; i++) {
		struct pe_suspect *suspect = suspicion->at[i];
		const struct pe_dossier *dossier = suspect->dossier;

		if (suspect->row.key != 0)
			continue;
		suspect->row.window = window;
		suspect->row.begun_s = pe_clock_now_s();
		suspect->row.opts = pe_confirm_opts_of(&dossier->found.found, suspect->change,
						       dossier->metric->min_relative);
		suspect->row.opts.accept = accept_level(rows, n, number);
		rc = pe_store_put_confirmation(ctx->store, &suspect->row, ctx->err);
		number = suspect->row.number + 1;
	}
	return rc;
}

static int keep_answer(struct pe_session *session, struct pe_suspect *suspect,
		       const struct pe_confirm *state)
{
	struct pe_cmd_ctx *ctx = session->ctx;
	struct pe_stored_confirmation *rows, *row = &suspect->row;
	size_t n;
	int rc = pe_store_confirmations(&rows, &n, ctx->store, session->machine_key, session->arena,
					ctx->err);

	if (rc != PE_OK)
		return rc;
	row->answer = state->answer;
	row->told = pe_confirm_tell(state);
	row->known_after = n > 0 ? rows[n - 1].number : row->number;
	row->sure = NAN;
	/* A change that is there may still be at another commit. */
	row->settled = state->answer != PE_CONFIRMED || pe_suspect_change(suspect)->sure >= SURE;
	return pe_store_put_confirmation(ctx->store, row, ctx->err);
}

static bool any_needs(const struct pe_confirm *states, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (pe_confirm_needed(&states[i]) > 0)
			return true;
	return false;
}

/* Run pair k and feed it to every metric that has no answer yet. */
static int run_pair(struct pe_session *session, const struct pe_suspicion *suspicion,
		    struct pe_confirm *states, struct pe_remeasure *fresh,
		    struct pe_confirm_pair pair, unsigned k)
{
	const struct pe_remeasure_cell left = {pair.left, 0}, right = {pair.right, 0};
	const struct pe_remeasure_cell order[] = {pair.right_first ? right : left,
						  pair.right_first ? left : right};
	int rc = PE_OK;

	if (!pe_remeasure_seated(fresh, pair.left) || !pe_remeasure_seated(fresh, pair.right) ||
	    pe_remeasure_failed(fresh, left) || pe_remeasure_failed(fresh, right))
		return PE_OK;
	rc = pe_remeasure_round(fresh, k, order, 2);
	for (size_t i = 0; rc == PE_OK && i < suspicion->n; i++) {
		struct pe_suspect *suspect = suspicion->at[i];

		if (pe_confirm_needed(&states[i]) == 0)
			continue;
		pe_confirm_feed(&states[i], pe_remeasure_value(fresh, left, k, suspect->row.metric),
				pe_remeasure_value(fresh, right, k, suspect->row.metric));
		if (pe_confirm_needed(&states[i]) == 0)
			rc = keep_answer(session, suspect, &states[i]);
	}
	return rc;
}

static int run_pairs(struct pe_session *session, const struct pe_suspicion *suspicion,
		     struct pe_remeasure *fresh, const struct bench *bench)
{
	struct pe_confirm *states = pe_arena_new(session->arena, struct pe_confirm, suspicion->n);
	uint64_t seed = pe_remeasure_seed(fresh);
	int rc = PE_OK;

	for (size_t i = 0; i < suspicion->n; i++)
		pe_confirm_begin(&states[i], suspicion->at[i]->row.direction,
				 &suspicion->at[i]->row.opts);
	for (unsigned k = 0; rc == PE_OK && k < ROUNDS && any_needs(states, suspicion->n); k++)
		rc = run_pair(session, suspicion, states, fresh,
			      pe_confirm_pair(&bench->sides, k, seed), k);
	/* Runs failed too often: what there is does not decide. */
	for (size_t i = 0; rc == PE_OK && i < suspicion->n; i++) {
		if (pe_confirm_needed(&states[i]) == 0)
			continue;
		states[i].answer = PE_CONFIRM_UNDECIDED;
		rc = keep_answer(session, suspicion->at[i], &states[i]);
	}
	return rc;
}

size_t pe_session_workload_of(const struct pe_session *session, int64_t key)
{
	for (size_t w = 0; w < session->workloads.n; w++)
		if (session->workloads.data[w].key == key)
			return w;
	return SIZE_MAX;
}

static void note_unbuilt(struct pe_session *session, const struct pe_suspect *suspect)
{
	const struct pe_revision *after =
		&suspect->dossier->revisions
			 [suspect->dossier->found.states[pe_suspect_change(suspect)->index].first];

	pe_cmd_note(session->ctx,
		    "%s, %s at %.10s stays a suspect: its two sides cannot be built side by side "
		    "(build them, or raise 'disk:')",
		    suspect->dossier->benchmark, suspect->row.metric, after->id);
}

/* Pairs, for those of the suspects that have no answer; they come first in the suspicion. */
static int ask(struct pe_session *session, const struct pe_suspicion *suspicion)
{
	size_t workload = pe_session_workload_of(session, suspicion->at[0]->row.workload);
	int64_t window = suspicion->at[0]->row.window;
	struct pe_remeasure_opts opts = {
		.window = window, .rounds = ROUNDS, .aside = true, .expected = USUAL_RUNS};
	struct pe_remeasure *fresh;
	struct bench bench;
	int rc = PE_OK, rc_close;

	if (window != 0)
		rc = recall_sides(&bench, session, window);
	else
		choose_sides(&bench, session, suspicion);
	if (rc != PE_OK || workload == SIZE_MAX)
		return rc;
	opts.roles = bench.roles;
	rc = pe_remeasure_open(&fresh, session, bench.revisions, bench.n, &workload, 1, &opts);
	if (rc != PE_OK)
		return rc;
	if (window == 0)
		drop_unseated(&bench, fresh);
	if (bench.sides.n_left == 0 || bench.sides.n_right == 0) {
		note_unbuilt(session, suspicion->at[0]);
		return pe_remeasure_close(fresh, true);
	}
	rc = begin_rows(session, suspicion, pe_remeasure_window(fresh));
	if (rc == PE_OK)
		rc = run_pairs(session, suspicion, fresh, &bench);
	rc_close = pe_remeasure_close(fresh, rc == PE_OK);
	return rc != PE_OK ? rc : rc_close;
}

/* Suspects that still want pairs come first. @return  how many they are */
static size_t part_unanswered(struct pe_suspicion *suspicion)
{
	size_t n = 0;

	for (size_t i = 0; i < suspicion->n; i++) {
		struct pe_suspect *one = suspicion->at[i];

		if (one->row.answer != PE_CONFIRM_GO_ON)
			continue;
		suspicion->at[i] = suspicion->at[n];
		suspicion->at[n++] = one;
	}
	return n;
}

static int settle(struct pe_session *session, struct pe_suspicion *suspicion)
{
	struct pe_suspicion open = *suspicion;
	int rc = PE_OK;

	open.n = part_unanswered(suspicion);
	if (open.n > 0)
		rc = ask(session, &open);
	for (size_t i = 0; rc == PE_OK && i < suspicion->n; i++)
		if (suspicion->at[i]->row.answer == PE_CONFIRMED && !suspicion->at[i]->row.settled)
			rc = pe_confirm_pin(session, suspicion->at[i]);
	return rc;
}

int pe_confirm_measure(size_t *n, struct pe_session *session,
		       const struct pe_confirm_request *request)
{
	struct confirming all = {.session = session, .request = request};
	int rc = gather(&all);

	*n = 0;
	if (rc == PE_OK && all.n_suspicions > 0)
		pe_cmd_note(session->ctx, "%zu suspected change%s: measuring both sides again",
			    all.n_suspicions, all.n_suspicions == 1 ? "" : "s");
	for (size_t i = 0; rc == PE_OK && i < all.n_suspicions; i++) {
		rc = settle(session, &all.suspicions[i]);
		*n += rc == PE_OK;
	}
	release(&all);
	if (rc == PE_OK && request->most > 0)
		rc = pe_confirm_layout(session, request->first);
	return rc;
}
