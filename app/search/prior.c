#include "app/search/prior.h"

#include "app/changes/bare_names.h"
#include "app/changes/changed_methods.h"
#include "app/search/track.h"
#include "core/stats/prior.h"

/* What each benchmark of the session executes; *known: all of them have a profile, and some method is in one. */
static int load_executed(struct pe_strings *out, bool *known, struct pe_session *session)
{
	struct pe_app *app = session->app;
	struct pe_stored_profile *profiles;
	bool profiled = true;
	size_t n, methods = 0;

	*known = false;
	PE_TRY(pe_store_profiles(&profiles, &n, app->store, session->machine_key, session->arena,
				 app->err));
	for (size_t w = 0; profiled && w < session->benchmarks.n; w++) {
		PE_TRY(pe_bare_names_executed(&out[w], &profiled, app, profiles, n,
					      session->benchmarks.data[w]->key, session->arena));
		methods += out[w].n;
	}
	*known = profiled && methods > 0;
	return PE_OK;
}

static size_t count_executed(const struct pe_strings *executed, size_t n_executed,
			     const struct pe_strings *changed)
{
	size_t hits = 0;

	for (size_t i = 0; i < changed->n; i++) {
		bool hit = false;

		for (size_t w = 0; w < n_executed && !hit; w++)
			hit = pe_strings_have(&executed[w], changed->at[i]);
		hits += hit;
	}
	return hits;
}

/* Whether a changed method is executed. What is unknown keeps the weight that it has. */
static int weigh_executed(double *weights, struct pe_session *session,
			  const struct pe_revision *revisions, const int64_t *mc, size_t n,
			  const struct pe_strings *executed)
{
	struct pe_comparer *comparer = pe_comparer_new(session->app, true);
	int rc = PE_OK;

	for (size_t i = 0; rc != PE_ESTOPPED && i < n; i++) {
		pe_auto_arena arena = PE_ARENA_INIT;
		struct pe_revision_changes changes;
		struct pe_strings changed;

		if (mc[i] <= 0)
			continue;
		rc = pe_changes_of(&changes, comparer, &revisions[i], NULL, &arena);
		if (rc != PE_OK)
			continue;
		changed = pe_bare_names_changed(&changes.methods, &arena);
		weights[i] *= pe_prior_of_executed(
			count_executed(executed, session->benchmarks.n, &changed));
	}
	pe_comparer_free(comparer);
	return rc == PE_ESTOPPED ? rc : PE_OK;
}

int pe_prior_weigh(double *weights, struct pe_prior *known, struct pe_session *session,
		   size_t first)
{
	const struct pe_revision *revisions = session->revisions + first;
	const size_t n = session->n_revisions - first;
	struct pe_strings *executed =
		pe_arena_new(session->arena, struct pe_strings, session->benchmarks.n);
	const int64_t *mc = NULL;

	*known = (struct pe_prior){false, false};
	for (size_t i = 0; i < n; i++)
		weights[i] = 1;
	if (session->measures)
		PE_TRY(pe_track_find_changes(session));
	PE_TRY(pe_changes_counts(&mc, session->app, revisions, n));
	if (mc == NULL)
		return PE_OK;
	for (size_t i = 0; i < n; i++) {
		if (mc[i] < 0)
			continue;
		known->methods = true;
		weights[i] = pe_prior_of_methods(mc[i]);
	}
	PE_TRY(load_executed(executed, &known->executed, session));
	return known->executed && session->measures
		       ? weigh_executed(weights, session, revisions, mc, n, executed)
		       : PE_OK;
}
