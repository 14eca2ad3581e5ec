/* Which benchmarks a commit can affect: methods changed that were executed. */
#include "app/changes/impact.h"

#include "app/changes/bare_names.h"
#include "app/changes/changed_methods.h"
#include "app/changes/sources.h"

struct changed {
	struct pe_bare_names methods;
	bool only; /* nothing but methods that were read changed */
};

/*
 * Whether all of the files that differ were read, and nothing differs in them but methods. What stands outside of
 * methods (a macro, a table, a flag of the build) can reach anything.
 */
static int find_others(bool *only, struct pe_session *session, struct pe_comparer *comparer,
		       const struct pe_revision_changes *changes)
{
	struct pe_app *app = session->app;
	const struct pe_changes_query query = {.before = changes->before, .after = changes->after};
	struct pe_changed_files files = {0};
	const char *outside;
	int rc = pe_repo_changes(&files, app->repo, &query, session->arena, app->err);

	*only = false;
	if (rc != PE_OK || files.cut || changes->unread > 0 || changes->ran_out ||
	    changes->methods.n == 0 || changes->files != files.n)
		return rc;
	rc = pe_sources_outside(&outside, app, comparer, changes, session->arena);
	*only = rc == PE_OK && outside == NULL;
	return rc;
}

static int collect_changed(struct changed *out, struct pe_session *session, const char *base,
			   const struct pe_revision *tip)
{
	struct pe_app *app = session->app;
	struct pe_comparer *comparer = pe_comparer_new(app, true);
	struct pe_revision_changes changes = {0};
	int rc = pe_changes_of(&changes, comparer, tip, base, session->arena);

	out->methods = pe_bare_names_changed(&changes.methods, false, session->arena);
	if (rc == PE_OK)
		rc = find_others(&out->only, session, comparer, &changes);
	pe_comparer_free(comparer);
	return rc;
}

static int guess(enum pe_impact *out, struct pe_session *session,
		 const struct pe_benchmark *benchmark, const struct pe_stored_profile *profiles,
		 size_t n, const struct changed *changed)
{
	struct pe_bare_names executed;
	bool profiled, any = false;

	PE_TRY(pe_bare_names_executed(&executed, &profiled, session->app, profiles, n,
				      benchmark->key, session->arena));
	for (size_t i = 0; i < changed->methods.n && !any; i++)
		any = pe_bare_names_have(&executed, changed->methods.at[i]);
	if (any)
		*out = PE_BEARS;
	else if (profiled && changed->only)
		*out = PE_HARDLY_BEARS;
	return PE_OK;
}

int pe_impact_estimate(enum pe_impact *out, struct pe_session *session, const char *base,
		       const struct pe_revision *tip)
{
	struct pe_app *app = session->app;
	struct changed changed = {.only = false};
	struct pe_stored_profile *profiles = NULL;
	size_t n = 0;
	int rc;

	for (size_t w = 0; w < session->benchmarks.n; w++)
		out[w] = PE_MAY_BEAR;
	PE_TRY(pe_store_profiles(&profiles, &n, app->store, session->machine_key, session->arena,
				 app->err));
	if (n == 0)
		return PE_OK;
	rc = collect_changed(&changed, session, base, tip);
	/* Methods that are unknown leave everything possible. */
	if (rc != PE_OK && rc != PE_ESTOPPED) {
		*app->err = (struct pe_err)PE_ERR_INIT;
		return PE_OK;
	}
	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++)
		rc = guess(&out[w], session, session->benchmarks.data[w], profiles, n, &changed);
	return rc;
}
