/* The history that an evolution shows: stored revisions, where they stand, and the first-parent lines they form. */
#include "app/history/detect_internal.h"

#include "core/base/search.h"

#include <stdlib.h>
#include <string.h>

/* --- Revisions --- */

static int compare_ids(const void *a, const void *b)
{
	const struct pe_stored_revision *const *x = a, *const *y = b;

	return strcmp((*x)->revision.id, (*y)->revision.id);
}

static const struct pe_stored_revision *find_id(struct pe_stored_revision *const *sorted, size_t n,
						const char *id)
{
	size_t at = 0;

	pe_search(at, n, i, strcmp(sorted[i]->revision.id, id) < 0);
	return at < n && strcmp(sorted[at]->revision.id, id) == 0 ? sorted[at] : NULL;
}

/* The history to show: what was asked for, or everything stored on HEAD's line. */
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
	struct pe_stored_revision *stored, **sorted;
	struct pe_revisions history;
	size_t n;

	PE_TRY(choose_history(&history, detection));
	PE_TRY(pe_store_revisions(&stored, &n, app->store, app->arena, app->err));
	sorted = pe_arena_new(app->arena, struct pe_stored_revision *, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = &stored[i];
	qsort(sorted, n, sizeof(*sorted), compare_ids);
	out->revisions = pe_arena_new(app->arena, struct pe_revision, history.n);
	detection->keys = pe_arena_new(app->arena, int64_t, history.n);
	for (size_t i = 0; i < history.n; i++) {
		const struct pe_stored_revision *known = find_id(sorted, n, history.at[i].id);

		if (known == NULL)
			continue;
		detection->keys[out->n_revisions] = known->key;
		pe_key_index_put(&detection->places, known->key, out->n_revisions);
		out->revisions[out->n_revisions++] = history.at[i];
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
	struct pe_stored_revision *copies =
		pe_arena_new(arena, struct pe_stored_revision, out->n_revisions);
	struct pe_stored_revision **sorted =
		pe_arena_new(arena, struct pe_stored_revision *, out->n_revisions);

	for (size_t i = 0; i < out->n_revisions; i++) {
		copies[i] = (struct pe_stored_revision){(int64_t)i, out->revisions[i]};
		sorted[i] = &copies[i];
	}
	qsort(sorted, out->n_revisions, sizeof(*sorted), compare_ids);
	for (size_t i = 0; i < out->n_revisions; i++) {
		const struct pe_revision *revision = &out->revisions[i];
		const struct pe_stored_revision *parent = NULL;

		if (revision->n_parents > 0)
			parent = find_id(sorted, out->n_revisions, revision->parents[0]);
		parents[i] = parent != NULL ? (size_t)parent->key : SIZE_MAX;
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

	detection->chains = pe_arena_new(arena, struct pe_chain, n);
	for (size_t head = n; head-- > 0;) {
		struct pe_chain *chain;
		size_t at = head, length = 0;

		if (taken[head])
			continue;
		chain = &detection->chains[detection->n_chains++];
		chain->at = pe_arena_new(arena, size_t, head + 1);
		while (at != SIZE_MAX) {
			chain->at[head - length++] = at;
			if (taken[at]) {
				chain->base = 1;
				break;
			}
			taken[at] = true;
			if (parents[at] != SIZE_MAX)
				at = parents[at];
			else
				at = at > 0 && !taken[at - 1] ? at - 1 : SIZE_MAX;
		}
		chain->at += head + 1 - length;
		chain->n = length;
	}
}
