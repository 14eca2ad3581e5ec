/* The history that an evolution shows: stored revisions, where they stand, and the first-parent lines they form. */
#include "app/history/detect_internal.h"

#include "core/base/search.h"
#include "core/base/sort.h"

#include <string.h>

/* --- Revisions --- */

PE_SORT_POINTERS_BY(compare_ids, struct pe_revision, id);

static const struct pe_revision *find_id(struct pe_revision *const *sorted, size_t n,
					 const char *id)
{
	size_t at = 0;

	pe_search(at, n, i, strcmp(sorted[i]->id, id) < 0);
	return at < n && strcmp(sorted[at]->id, id) == 0 ? sorted[at] : NULL;
}

/* The history to show: the requested one, or everything stored on HEAD's line. */
static int choose_history(struct pe_revisions *history, struct pe_detection *detection)
{
	struct pe_app *app = detection->app;
	const struct pe_range range = {0};

	if (detection->opts->revisions != NULL) {
		*history = *detection->opts->revisions;
		return PE_OK;
	}
	return pe_repo_walk(history, app->repo, &range, app->arena, app->err);
}

int pe_detection_load_revisions(struct pe_detection *detection)
{
	struct pe_app *app = detection->app;
	struct pe_evolution *out = detection->out;
	struct pe_revision *stored, **sorted;
	struct pe_revisions history;
	size_t n;

	PE_TRY(choose_history(&history, detection));
	PE_TRY(pe_store_revisions(&stored, &n, app->store, app->arena, app->err));
	sorted = pe_arena_new(app->arena, struct pe_revision *, n);
	detection->known = stored;
	for (size_t i = 0; i < n; i++) {
		pe_key_index_put(&detection->stored, stored[i].key, i);
		sorted[i] = &stored[i];
	}
	pe_sort(sorted, n, compare_ids);
	out->revisions = pe_arena_new(app->arena, struct pe_revision, history.n);
	for (size_t i = 0; i < history.n; i++) {
		const struct pe_revision *known = find_id(sorted, n, history.at[i].id);

		if (known == NULL)
			continue;
		pe_key_index_put(&detection->places, known->key, out->n_revisions);
		out->revisions[out->n_revisions] = history.at[i];
		out->revisions[out->n_revisions++].key = known->key;
	}
	return PE_OK;
}

/* --- First-parent lines --- */

/* The nearest ancestor along first parents that is shown; SIZE_MAX: none. One step, for history is whole. */
static size_t *first_parents(const struct pe_detection *detection)
{
	const struct pe_evolution *out = detection->out;
	struct pe_arena *arena = detection->app->arena;
	size_t *parents = pe_arena_new(arena, size_t, out->n_revisions);
	struct pe_revision **sorted = pe_arena_new(arena, struct pe_revision *, out->n_revisions);

	for (size_t i = 0; i < out->n_revisions; i++)
		sorted[i] = &out->revisions[i];
	pe_sort(sorted, out->n_revisions, compare_ids);
	for (size_t i = 0; i < out->n_revisions; i++) {
		const struct pe_revision *revision = &out->revisions[i];
		const struct pe_revision *parent = NULL;

		if (revision->n_parents > 0)
			parent = find_id(sorted, out->n_revisions, revision->parents[0]);
		parents[i] = parent != NULL ? (size_t)(parent - out->revisions) : SIZE_MAX;
	}
	return parents;
}

void pe_detection_find_chains(struct pe_detection *detection)
{
	const struct pe_evolution *out = detection->out;
	struct pe_arena *arena = detection->app->arena;
	size_t n = out->n_revisions;
	size_t *parents = first_parents(detection);
	bool *taken = pe_arena_new(arena, bool, n);

	detection->chains = pe_arena_new(arena, struct pe_series_found, n);
	for (size_t head = n; head-- > 0;) {
		struct pe_series_found *found;
		size_t at = head, length = 0;

		if (taken[head])
			continue;
		found = &detection->chains[detection->n_chains++];
		found->revisions = out->revisions;
		found->chain = pe_arena_new(arena, size_t, head + 1);
		while (at != SIZE_MAX) {
			found->chain[head - length++] = at;
			if (taken[at]) {
				found->base = 1;
				break;
			}
			taken[at] = true;
			if (parents[at] != SIZE_MAX)
				at = parents[at];
			else
				at = at > 0 && !taken[at - 1] ? at - 1 : SIZE_MAX;
		}
		found->chain += head + 1 - length;
		found->n_chain = length;
	}
}

/* --- A part of it --- */

/* A place after `by` of the oldest revisions were dropped, `n` being left. One beyond them moves to their edge. */
static size_t shifted(size_t place, size_t by, size_t n)
{
	place = place > by ? place - by : 0;
	return place < n ? place : n > 0 ? n - 1 : 0;
}

/* Keep the changes at or after `asked`; the revisions that they are against begin at `first`. */
static void keep_of_jumps(struct pe_jump *jumps, size_t *n_jumps, size_t first, size_t asked,
			  size_t end)
{
	size_t n = 0;

	for (size_t i = 0; i < *n_jumps; i++) {
		struct pe_jump jump = jumps[i];

		if (jump.before < first || jump.after < asked || jump.after >= end)
			continue;
		jump.before -= first;
		jump.after -= first;
		/* What may hold its beginning may reach out of what is left. */
		jump.first = jump.first > first ? jump.first - first : 0;
		jump.last = (jump.last < end ? jump.last : end - 1) - first;
		jumps[n++] = jump;
	}
	*n_jumps = n;
}

/* The revision that a point is reused from may not be among those that are left. */
static void move_point(struct pe_point *point, const struct pe_evolution *whole, size_t first,
		       size_t end)
{
	if (point->reused && (point->source < first || point->source >= end)) {
		point->outside = whole->revisions[point->source].id;
		point->source = point->revision;
	}
	point->revision -= first;
	point->source -= first;
}

static void keep_of_line(struct pe_line *line, const struct pe_evolution *whole, size_t first,
			 size_t asked, size_t end)
{
	while (line->n_points > 0 && line->points[0].revision < first) {
		line->points++;
		line->n_points--;
	}
	while (line->n_points > 0 && line->points[line->n_points - 1].revision >= end)
		line->n_points--;
	for (size_t i = 0; i < line->n_points; i++)
		move_point(&line->points[i], whole, first, end);
	keep_of_jumps(line->jumps, &line->n_jumps, first, asked, end);
	keep_of_jumps(line->refuted, &line->n_refuted, first, asked, end);
}

/* The oldest revision that a change within a range is against, which may be before the range. */
static size_t oldest_before(const struct pe_evolution *evolution, size_t first, size_t end)
{
	size_t oldest = first;

	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t j = 0; j < evolution->lines[i].n_jumps; j++) {
			const struct pe_jump *jump = &evolution->lines[i].jumps[j];

			if (jump->after >= first && jump->after < end && jump->before < oldest)
				oldest = jump->before;
		}
	return oldest;
}

void pe_evolution_keep(struct pe_evolution *evolution, size_t asked, size_t end)
{
	size_t failures = 0, lines = 0, first = oldest_before(evolution, asked, end);

	for (size_t i = 0; i < evolution->n_lines; i++) {
		keep_of_line(&evolution->lines[i], evolution, first, asked, end);
		if (evolution->lines[i].n_points > 0)
			evolution->lines[lines++] = evolution->lines[i];
	}
	for (size_t i = 0; i < evolution->n_failures; i++) {
		struct pe_failure failure = evolution->failures[i];

		if (failure.revision < asked || failure.revision >= end)
			continue;
		failure.revision -= first;
		evolution->failures[failures++] = failure;
	}
	evolution->n_lines = lines;
	for (size_t i = 0; i < evolution->n_events; i++) {
		struct pe_event *event = &evolution->events[i];

		event->commit = shifted(event->commit, first, end - first);
		event->first = shifted(event->first, first, end - first);
		event->last = shifted(event->last, first, end - first);
	}
	evolution->n_failures = failures;
	evolution->revisions += first;
	evolution->n_revisions = end - first;
	evolution->first = asked - first;
	if (evolution->decorations != NULL)
		evolution->decorations += first;
	if (evolution->build_s != NULL)
		evolution->build_s += first;
	if (evolution->mc != NULL)
		evolution->mc += first;
}

size_t pe_evolution_first_known(const struct pe_evolution *evolution, size_t from)
{
	size_t first = evolution->n_revisions;

	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t p = 0; p < evolution->lines[l].n_points; p++) {
			size_t revision = evolution->lines[l].points[p].revision;

			if (revision >= from && revision < first)
				first = revision;
		}
	for (size_t i = 0; i < evolution->n_failures; i++)
		if (evolution->failures[i].revision >= from &&
		    evolution->failures[i].revision < first)
			first = evolution->failures[i].revision;
	return first;
}
