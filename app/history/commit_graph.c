#include "app/history/commit_graph.h"

#include "app/changes/changed_methods.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)PE_N_SPARK_BOUNDS == PE_N_SPARK_STEPS, "as many bounds as steps");

/* A revision of the evolution by its id. */
struct known {
	const char *id;
	size_t point;
};

PE_SORT_BY(compare_known, struct known, id);

static int64_t oldest_of(const struct pe_evolution *evolution)
{
	int64_t oldest_s = 0;

	for (size_t i = evolution->first; i < evolution->n_revisions; i++) {
		int64_t time_s = evolution->revisions[i].time_s;

		if (i == evolution->first || time_s < oldest_s)
			oldest_s = time_s;
	}
	return oldest_s;
}

static int read_commits(struct pe_repo_history *out, struct pe_app *app,
			const struct pe_evolution *evolution, const struct pe_history_opts *opts)
{
	struct pe_repo_history_query query = opts->query;
	const char **ids;

	if (evolution != NULL && opts->back_to_evolution) {
		int64_t oldest_s = oldest_of(evolution);

		query.since_s = oldest_s > query.since_s ? oldest_s : query.since_s;
	}
	if (evolution != NULL && !opts->apart) {
		ids = pe_arena_new(app->arena, const char *, evolution->n_revisions);
		for (size_t i = evolution->first; i < evolution->n_revisions; i++)
			ids[query.also.n++] = evolution->revisions[i].id;
		query.also.at = ids;
	}
	return pe_repo_history(out, app->repo, &query, app->arena, app->err);
}

void pe_history_place(struct pe_history *out, const struct pe_evolution *evolution)
{
	size_t n = evolution != NULL ? evolution->n_revisions : 0;
	pe_auto_free struct known *known = pe_realloc(NULL, n + 1, sizeof(*known));

	out->evolution = evolution;
	for (size_t i = 0; i < n; i++)
		known[i] = (struct known){evolution->revisions[i].id, i};
	pe_sort(known, n, compare_known);
	for (size_t i = 0; i < out->n; i++) {
		const struct known wanted = {.id = out->commits[i].revision.id};
		const struct known *found =
			n > 0 ? bsearch(&wanted, known, n, sizeof(*known), compare_known) : NULL;

		out->commits[i].point = found != NULL ? found->point : SIZE_MAX;
	}
}

static int find_mc(struct pe_history *out, struct pe_app *app)
{
	struct pe_revision *revisions;
	const int64_t *mc = NULL;

	if (app->store != NULL) {
		revisions = pe_arena_new(app->arena, struct pe_revision, out->n);
		for (size_t i = 0; i < out->n; i++)
			revisions[i] = out->commits[i].revision;
		PE_TRY(pe_changes_counts(&mc, app, revisions, out->n));
	}
	for (size_t i = 0; i < out->n; i++)
		out->commits[i].mc = mc != NULL ? mc[i] : -1;
	return PE_OK;
}

int pe_history_load(struct pe_history *out, struct pe_app *app,
		    const struct pe_evolution *evolution, const struct pe_history_opts *opts)
{
	struct pe_repo_history history;

	PE_TRY(read_commits(&history, app, evolution, opts));
	*out = (struct pe_history){
		.evolution = evolution,
		.steps = app->config != NULL ? app->config->spark.methods : NULL,
	};
	out->n = history.n;
	out->cut = history.cut;
	out->commits = pe_arena_new(app->arena, struct pe_history_commit, history.n);
	for (size_t i = 0; i < history.n; i++)
		out->commits[i] = (struct pe_history_commit){
			.revision = history.at[i].revision,
			.refs = history.at[i].refs,
			.n_refs = history.at[i].n_refs,
		};
	pe_history_place(out, evolution);
	pe_history_lay_out(out, app->arena);
	return find_mc(out, app);
}

/* --- Commits beside the evolution --- */

/*
 * The commits to judge: those of the evolution, and those of the graph that are stored but not among them. Empty
 * where there are none of the latter.
 */
static int find_beside(struct pe_strings *out, struct pe_app *app, const struct pe_history *history)
{
	pe_auto_free PE_VEC(const char *) ids = {NULL, 0, 0};
	struct pe_revision *stored;
	const char **known;
	size_t n, beside = 0;

	PE_TRY(pe_store_revisions(&stored, &n, app->store, app->arena, app->err));
	known = pe_arena_new(app->arena, const char *, n);
	for (size_t i = 0; i < n; i++)
		known[i] = stored[i].id;
	pe_sort(known, n, pe_string_order);
	for (size_t i = 0; i < history->evolution->n_revisions; i++)
		pe_vec_push(&ids, history->evolution->revisions[i].id);
	for (size_t i = 0; i < history->n; i++) {
		const char *id = history->commits[i].revision.id;

		if (history->commits[i].point != SIZE_MAX ||
		    bsearch(&id, known, n, sizeof(*known), pe_string_order) == NULL)
			continue;
		pe_vec_push(&ids, id);
		beside++;
	}
	if (beside > 0) {
		out->at = memcpy(pe_arena_new(app->arena, const char *, ids.n), ids.data,
				 ids.n * sizeof(*ids.data));
		out->n = ids.n;
	}
	return PE_OK;
}

int pe_history_detect_beside(struct pe_evolution *out, bool *any, struct pe_app *app,
			     const struct pe_history *history, const struct pe_detect_opts *detect)
{
	struct pe_detect_opts opts = *detect;
	struct pe_range range = {0};
	struct pe_revisions revisions;

	PE_TRY(find_beside(&range.ids, app, history));
	*any = range.ids.n > 0;
	if (!*any)
		return PE_OK;
	opts.revisions = &revisions;
	PE_TRY(pe_repo_walk(&revisions, app->repo, &range, app->arena, app->err));
	return pe_detect_load(out, app, &opts);
}
