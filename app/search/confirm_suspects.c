/* What is to be confirmed: suspects as the detection finds them, those of one commit of a benchmark together. */
#include "app/search/confirm_internal.h"

#include "app/search/track.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>

const struct pe_changepoint *pe_suspect_change(const struct pe_suspect *suspect)
{
	return &suspect->found->found.at[suspect->change];
}

size_t pe_suspect_revision(const struct pe_suspect *suspect, size_t state)
{
	const struct pe_series_found *found = suspect->found;
	const size_t source = found->source[state], first = found->first[state];

	/* A state that came back (a revert) has its values from far away: its own revisions do the same. */
	return source >= first && source <= found->last[state] ? source : first;
}

static bool is_open(const struct pe_stored_confirmation *row, bool again)
{
	if (row->answer == PE_CONFIRM_GO_ON)
		return true;
	if (row->answer == PE_CONFIRMED)
		return !row->settled;
	return again;
}

static void add_suspect(struct pe_suspects *all, const struct pe_series_found *found, size_t change,
			const struct pe_stored_confirmation *known)
{
	const struct pe_changepoint *point = &found->found.at[change];
	struct pe_suspect *suspect = pe_arena_new(all->session->arena, struct pe_suspect, 1);

	suspect->found = found;
	suspect->change = change;
	if (known != NULL && (known->answer == PE_CONFIRM_GO_ON || known->answer == PE_CONFIRMED))
		suspect->row = *known;
	else
		suspect->row = (struct pe_stored_confirmation){
			.machine = all->session->machine_key,
			.benchmark = found->benchmark,
			.metric = found->metric->name,
			.before = found->revisions[found->last[point->before]].key,
			.after = found->revisions[found->first[point->index]].key,
			.first = found->revisions[found->first[point->first]].key,
			.last = found->revisions[found->first[point->last]].key,
			.direction = point->level_after > point->level_before ? 1 : -1,
			.sure = NAN,
		};
	pe_vec_push(&all->suspects, suspect);
}

/* Called by the detection for each chain of each line, before its scratch memory is released. */
static void visit(const struct pe_series_found *found, const struct pe_jump_status *status,
		  void *payload)
{
	struct pe_suspects *all = payload;
	struct pe_arena *arena = all->session->arena;
	const size_t n_found = found->found.n;
	struct pe_jump_change *changes = pe_arena_new(arena, struct pe_jump_change, n_found);
	size_t *match = pe_arena_new(arena, size_t, n_found), n = 0;
	size_t *which = pe_arena_new(arena, size_t, n_found);
	const struct pe_series_found *kept = NULL;

	for (size_t i = 0; i < n_found && !found->exact; i++) {
		const struct pe_changepoint *point = &found->found.at[i];

		if (!pe_series_reportable(found->metric, point) ||
		    pe_series_is_same_code(found, point))
			continue;
		which[n] = i;
		changes[n++] = (struct pe_jump_change){
			found->last[point->before], found->first[point->index],
			point->level_after > point->level_before ? 1 : -1};
	}
	pe_jump_status_match(match, status, found, changes, n);
	for (size_t i = 0; i < n; i++) {
		const struct pe_stored_confirmation *known =
			match[i] != SIZE_MAX ? &status->confirmations[match[i]] : NULL;

		if (changes[i].after < all->first ||
		    (known != NULL && !is_open(known, all->session->again)))
			continue;
		if (kept == NULL)
			kept = pe_series_keep(found, all->session->arena);
		add_suspect(all, kept, which[i], known);
	}
}

/* --- Candidates: suspects that share a batch --- */

PE_SORT_POINTERS_BY(compare_suspects, struct pe_suspect, row.benchmark, row.after, row.batch,
		    row.metric);

static bool together(const struct pe_suspect *x, const struct pe_suspect *y)
{
	return x->row.benchmark == y->row.benchmark && x->row.after == y->row.after &&
	       x->row.batch == y->row.batch;
}

/* What was begun comes first, and then the clearest. */
static int compare_candidates(const void *a, const void *b)
{
	const struct pe_jump_candidate *x = a, *y = b;
	bool x_begun = x->at[0]->row.key != 0, y_begun = y->at[0]->row.key != 0;

	if (x_begun != y_begun)
		return x_begun ? -1 : 1;
	if (x->strength != y->strength)
		return x->strength > y->strength ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void form_candidates(struct pe_suspects *all, const struct pe_evolution *evolution)
{
	struct pe_suspect **at = all->suspects.data;
	size_t n = all->suspects.n;

	all->candidates = pe_arena_new(all->session->arena, struct pe_jump_candidate, n);
	pe_sort(at, n, compare_suspects);
	for (size_t i = 0; i < n; i++) {
		double strength = fabs(pe_suspect_change(at[i])->strength);
		struct pe_jump_candidate *last;

		if (i == 0 || !together(at[i - 1], at[i]))
			all->candidates[all->n_candidates++] =
				(struct pe_jump_candidate){.at = &at[i]};
		last = &all->candidates[all->n_candidates - 1];
		last->n++;
		if (strength > last->strength)
			last->strength = strength;
	}
	pe_sort(all->candidates, all->n_candidates, compare_candidates);
	pe_suspects_by_event(all, evolution);
}

int pe_suspects_gather(struct pe_suspects *all)
{
	const struct pe_session *session = all->session;
	struct pe_detect_opts opts = pe_track_detect_opts(session);
	struct pe_evolution evolution;
	int rc;

	if (all->request->first != NULL)
		all->first = pe_revision_find(session->revisions, session->n_revisions,
					      all->request->first);
	if (all->first >= session->n_revisions)
		all->first = 0;
	opts.keep = false;
	opts.visit = visit;
	opts.payload = all;
	rc = pe_detect_load(&evolution, session->app, &opts);
	/* Nothing is measured: nothing is suspected. */
	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	form_candidates(all, &evolution);
	return PE_OK;
}

void pe_suspects_release(struct pe_suspects *all)
{
	pe_vec_release(&all->suspects);
}
