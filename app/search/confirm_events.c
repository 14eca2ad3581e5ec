/*
 * The benchmarks by which an event is confirmed: not all of them, but a few. Those that take the least time are measured,
 * until one of them confirms the event; the differences of the others are reported with it, and are not measured again.
 */
#include "app/search/confirm_internal.h"

#include <math.h>
#include <string.h>

/* Benchmarks that are measured for one event at a time. */
#define MOST_ASKED 3

/* The event of a suspect's jump; SIZE_MAX: of no current one (it was measured again, and its place has changed). */
static size_t event_of(const struct pe_suspect *suspect, const struct pe_evolution *evolution)
{
	const struct pe_series_found *found = suspect->found;
	const size_t after = found->first[pe_suspect_change(suspect)->index];

	for (size_t l = 0; l < evolution->n_lines; l++) {
		const struct pe_line *line = &evolution->lines[l];

		if (line->benchmark_key != found->benchmark ||
		    strcmp(line->metric->name, found->metric->name) != 0)
			continue;
		for (size_t j = 0; j < line->n_jumps; j++)
			if (evolution->revisions[line->jumps[j].after].key ==
			    found->revisions[after].key)
				return line->jumps[j].event;
	}
	return SIZE_MAX;
}

/*
 * How quickly a candidate is decided: the number of pairs goes with the inverse square of its strength, and their time with
 * that of its runs, if it is known.
 */
static double merit_of(const struct pe_jump_candidate *candidate)
{
	double run_ns = 0;

	for (size_t i = 0; i < candidate->n; i++)
		if (strcmp(candidate->at[i]->found->metric->unit, "ns") == 0)
			run_ns = fmax(run_ns, pe_suspect_change(candidate->at[i])->level_after);
	return candidate->strength * candidate->strength / fmax(run_ns, 1e6);
}

/* Which events fresh pairs of runs have confirmed, in whatever benchmark. */
static bool *find_confirmed(const struct pe_evolution *evolution, struct pe_arena *arena)
{
	bool *confirmed = pe_arena_new(arena, bool, evolution->n_events);

	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t j = 0; j < evolution->lines[l].n_jumps; j++) {
			const struct pe_jump *jump = &evolution->lines[l].jumps[j];

			if (jump->event < evolution->n_events && jump->pairs > 0 &&
			    jump->state == PE_JUMP_CONFIRMED)
				confirmed[jump->event] = true;
		}
	return confirmed;
}

static bool is_begun(const struct pe_jump_candidate *candidate)
{
	for (size_t i = 0; i < candidate->n; i++)
		if (candidate->at[i]->row.key != 0)
			return true;
	return false;
}

/* Whether fewer than MOST_ASKED others of its event come before it. */
static bool is_asked(const struct pe_suspects *all, size_t which)
{
	const struct pe_jump_candidate *candidate = &all->candidates[which];
	const double merit = merit_of(candidate);
	size_t before = 0;

	for (size_t i = 0; i < all->n_candidates; i++) {
		const struct pe_jump_candidate *other = &all->candidates[i];
		double its;

		if (i == which || other->event != candidate->event)
			continue;
		its = merit_of(other);
		before += is_begun(other) || its > merit || (its == merit && i < which);
	}
	return before < MOST_ASKED;
}

void pe_suspects_by_event(struct pe_suspects *all, const struct pe_evolution *evolution)
{
	struct pe_arena *arena = all->session->arena;
	const bool *confirmed = find_confirmed(evolution, arena);
	struct pe_event_test *tests =
		pe_arena_new(arena, struct pe_event_test, evolution->n_events);
	bool *keep = pe_arena_new(arena, bool, all->n_candidates);
	struct pe_jump_candidate *reported =
		pe_arena_new(arena, struct pe_jump_candidate, all->n_candidates);
	size_t n = 0;

	for (size_t i = 0; i < all->n_candidates; i++)
		all->candidates[i].event = event_of(all->candidates[i].at[0], evolution);
	for (size_t i = 0; i < all->n_candidates; i++) {
		const struct pe_jump_candidate *candidate = &all->candidates[i];
		const bool alone = candidate->event >= evolution->n_events;

		keep[i] = alone || is_begun(candidate) || all->session->again ||
			  (!confirmed[candidate->event] && is_asked(all, i));
	}
	for (size_t i = 0; i < all->n_candidates; i++) {
		struct pe_jump_candidate *candidate = &all->candidates[i];

		candidate->test = candidate->event < evolution->n_events
					  ? &tests[candidate->event]
					  : pe_arena_new(arena, struct pe_event_test, 1);
		if (!keep[i]) {
			reported[all->n_reported++] = *candidate;
			continue;
		}
		for (size_t k = 0; k < candidate->n; k++)
			candidate->test->suspects += candidate->at[k]->row.key == 0;
		all->candidates[n++] = *candidate;
	}
	all->n_candidates = n;
	all->reported = reported;
}
