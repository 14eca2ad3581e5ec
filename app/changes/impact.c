/* Which benchmarks a commit can affect: methods changed that were executed. */
#include "app/changes/impact.h"

#include "app/changes/changed_methods.h"
#include "app/changes/reason.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

typedef PE_VEC(const char *) names;

const char *pe_impact_bare(const char *name, struct pe_arena *arena)
{
	size_t end = strcspn(name + (name[0] == '('), "(") + (name[0] == '('), start = end;

	while (start > 0 && strchr(":. ", name[start - 1]) == NULL)
		start--;
	return pe_arena_strndup(arena, name + start, end - start);
}

static bool has(const names *sorted, const char *name)
{
	return sorted->n > 0 && bsearch(&name, sorted->data, sorted->n, sizeof(*sorted->data),
					pe_string_order) != NULL;
}

/* --- What changed --- */

struct changed {
	names methods; /* bare names, sorted */
	bool only;     /* nothing but methods that were read changed */
};

/*
 * Whether all of the files that differ were read, and nothing differs in them but methods. What stands outside of
 * methods (a macro, a table, a flag of the build) can reach anything.
 */
static int find_others(bool *only, struct pe_session *session,
		       const struct pe_revision_changes *changes)
{
	struct pe_app *app = session->app;
	const struct pe_changes_query query = {.before = changes->before, .after = changes->after};
	struct pe_changed_files files = {0};
	struct pe_sources *sources;
	int rc = pe_repo_changes(&files, app->repo, &query, session->arena, app->err);

	*only = false;
	if (rc != PE_OK || files.cut || changes->unread > 0 || changes->ran_out ||
	    changes->methods.n == 0 || changes->files != files.n)
		return rc;
	rc = pe_sources_open(&sources, app, changes->before, changes->after, session->arena);
	if (rc == PE_OK)
		*only = pe_sources_only_methods(sources) == files.n;
	pe_sources_close(sources);
	return rc;
}

static int collect_changed(struct changed *out, struct pe_session *session, const char *base,
			   const struct pe_revision *tip)
{
	struct pe_app *app = session->app;
	struct pe_comparer *comparer = pe_comparer_new(app, true);
	struct pe_revision_changes changes = {0};
	int rc = pe_changes_of(&changes, comparer, tip, base, session->arena);

	for (size_t i = 0; rc == PE_OK && i < changes.methods.n; i++) {
		const struct pe_method_change *one = &changes.methods.at[i];

		if (one->before != NULL)
			pe_vec_push(&out->methods,
				    pe_impact_bare(one->before->name, session->arena));
		if (one->after != NULL)
			pe_vec_push(&out->methods,
				    pe_impact_bare(one->after->name, session->arena));
	}
	if (out->methods.n > 0)
		qsort(out->methods.data, out->methods.n, sizeof(*out->methods.data),
		      pe_string_order);
	if (rc == PE_OK)
		rc = find_others(&out->only, session, &changes);
	pe_comparer_free(comparer);
	return rc;
}

/* --- What was executed --- */

/* Whether the benchmark's last profile knows any of the methods; *profiled: it has one. */
static int executes(bool *profiled, bool *any, struct pe_session *session, int64_t benchmark,
		    const struct pe_stored_profile *profiles, size_t n,
		    const struct changed *changed)
{
	struct pe_app *app = session->app;
	const struct pe_stored_profile *last = NULL;
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_cct *tree;
	int rc;

	*profiled = *any = false;
	for (size_t i = 0; i < n; i++)
		if (profiles[i].benchmark == benchmark &&
		    (last == NULL || profiles[i].taken_s >= last->taken_s))
			last = &profiles[i];
	if (last == NULL)
		return PE_OK;
	rc = pe_store_get_tree(&tree, app->store, last->key, 0, &frames, session->arena, app->err);
	*profiled = rc == PE_OK;
	for (uint32_t i = 0; i < frames.n && !*any; i++)
		*any = frames.at[i].kind == PE_FRAME_METHOD &&
		       has(&changed->methods, pe_impact_bare(frames.at[i].name, session->arena));
	pe_frames_release(&frames);
	return rc;
}

int pe_impact_guess(enum pe_impact *out, struct pe_session *session, const char *base,
		    const struct pe_revision *tip)
{
	struct pe_app *app = session->app;
	struct changed changed = {0};
	struct pe_stored_profile *profiles = NULL;
	size_t n = 0;
	int rc = pe_store_profiles(&profiles, &n, app->store, session->machine_key, session->arena,
				   app->err);

	for (size_t w = 0; w < session->benchmarks.n; w++)
		out[w] = PE_MAY_BEAR;
	if (rc != PE_OK || n == 0)
		return rc;
	/* Methods that is unknown leave everything possible. */
	rc = collect_changed(&changed, session, base, tip);
	if (rc == PE_ESTOPPED)
		goto done;
	if (rc != PE_OK) {
		*app->err = (struct pe_err)PE_ERR_INIT;
		rc = PE_OK;
		goto done;
	}
	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++) {
		bool profiled, any;

		rc = executes(&profiled, &any, session, session->benchmarks.data[w].key, profiles,
			      n, &changed);
		if (any)
			out[w] = PE_BEARS;
		else if (profiled && changed.only)
			out[w] = PE_HARDLY_BEARS;
	}
done:
	pe_vec_release(&changed.methods);
	return rc;
}
