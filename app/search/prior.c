#include "app/search/prior.h"

#include "app/changes/impact.h"
#include "app/changes/changed_methods.h"
#include "core/base/array.h"
#include "core/stats/prior.h"

#include <stdlib.h>
#include <string.h>

/* Bare names of all methods that the benchmarks execute, sorted. */
struct executed {
	PE_VEC(const char *) names;
};

static bool is_executed(const struct executed *executed, const struct pe_method *method,
			struct pe_arena *scratch)
{
	const char *name;

	if (method == NULL || executed->names.n == 0)
		return false;
	name = pe_impact_bare(method->name, scratch);
	return bsearch(&name, executed->names.data, executed->names.n, sizeof(name),
		       pe_string_order) != NULL;
}

static int add_profile(struct executed *executed, struct pe_session *session, int64_t profile)
{
	struct pe_app *app = session->app;
	struct pe_frames frames = PE_FRAMES_INIT;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_cct *tree;
	int rc = pe_store_get_tree(&tree, app->store, profile, 0, &frames, &arena, app->err);

	for (uint32_t i = 0; rc == PE_OK && i < frames.n; i++)
		if (frames.at[i].kind == PE_FRAME_METHOD)
			pe_vec_push(&executed->names,
				    pe_impact_bare(frames.at[i].name, session->arena));
	pe_frames_release(&frames);
	return rc;
}

/* The newest profile of each benchmark; empty where one has none: then nothing is known of what is executed. */
static int load_executed(struct executed *out, struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_stored_profile *profiles;
	size_t n;
	int rc = pe_store_profiles(&profiles, &n, app->store, session->machine_key, session->arena,
				   app->err);

	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++) {
		const struct pe_stored_profile *newest = NULL;

		for (size_t i = 0; i < n; i++)
			if (profiles[i].benchmark == session->benchmarks.data[w].key &&
			    (newest == NULL || profiles[i].taken_s >= newest->taken_s))
				newest = &profiles[i];
		if (newest == NULL) {
			out->names.n = 0;
			return PE_OK;
		}
		rc = add_profile(out, session, newest->key);
	}
	if (out->names.n > 0)
		qsort(out->names.data, out->names.n, sizeof(*out->names.data), pe_string_order);
	return rc;
}

static size_t count_executed(const struct executed *executed,
			     const struct pe_method_changes *changes, struct pe_arena *scratch)
{
	size_t hits = 0;

	for (size_t i = 0; i < changes->n; i++) {
		const struct pe_method_change *one = &changes->at[i];

		if (one->kind == PE_METHOD_RENAMED || one->kind == PE_METHOD_MOVED)
			continue;
		hits += is_executed(executed, one->after, scratch) ||
			is_executed(executed, one->before, scratch);
	}
	return hits;
}

/* Whether a changed method is executed. What is unknown keeps the weight that it has. */
static int weigh_executed(double *weights, struct pe_session *session,
			  const struct pe_revision *revisions, const int64_t *mc, size_t n,
			  const struct executed *executed)
{
	struct pe_comparer *comparer = pe_comparer_new(session->app, true);
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		pe_auto_arena arena = PE_ARENA_INIT;
		struct pe_revision_changes changes;
		size_t hits;

		if (mc[i] <= 0)
			continue;
		rc = pe_changes_of(&changes, comparer, &revisions[i], NULL, &arena);
		if (rc == PE_OK) {
			hits = count_executed(executed, &changes.methods, &arena);
			weights[i] *= pe_prior_of_executed(hits);
		} else if (rc != PE_ESTOPPED) {
			rc = PE_OK;
		}
	}
	pe_comparer_free(comparer);
	return rc;
}

static int find_changes(struct pe_session *session, const struct pe_revision *revisions, size_t n)
{
	const struct pe_revision **pointers =
		pe_arena_new(session->arena, const struct pe_revision *, n);

	for (size_t i = 0; i < n; i++)
		pointers[i] = &revisions[i];
	return pe_changes_keep(session->app, pointers, n);
}

int pe_prior_weigh(double *weights, struct pe_prior *known, struct pe_session *session,
		   const size_t *revision, size_t n)
{
	struct pe_revision *revisions = pe_arena_new(session->arena, struct pe_revision, n);
	struct executed executed = {{NULL, 0, 0}};
	const int64_t *mc = NULL;
	int rc = PE_OK;

	*known = (struct pe_prior){false, false};
	for (size_t i = 0; i < n; i++) {
		revisions[i] = *session->revisions[revision[i]].revision;
		weights[i] = 1;
	}
	if (session->measures)
		rc = find_changes(session, revisions, n);
	if (rc == PE_OK)
		rc = pe_changes_counts(&mc, session->app, revisions, n);
	for (size_t i = 0; rc == PE_OK && mc != NULL && i < n; i++) {
		if (mc[i] < 0)
			continue;
		known->methods = true;
		weights[i] = pe_prior_of_methods(mc[i]);
	}
	if (rc == PE_OK && mc != NULL)
		rc = load_executed(&executed, session);
	known->executed = executed.names.n > 0;
	if (rc == PE_OK && executed.names.n > 0 && session->measures)
		rc = weigh_executed(weights, session, revisions, mc, n, &executed);
	pe_vec_release(&executed.names);
	return rc;
}
