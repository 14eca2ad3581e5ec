/* The trees of an engine: it builds the revisions that it is given and holds their slots. Which need no build: carry.h. */
#include "app/measure/engine_internal.h"

/* Number the loaded revisions for the progress. */
static void number_places(struct pe_engine *engine)
{
	engine->n_places = 0;
	for (size_t i = 0; i < engine->n_order; i++) {
		struct pe_engine_revision *one = &engine->revisions[engine->order[i]];

		if (one->slot != NULL)
			one->place = ++engine->n_places;
	}
}

int pe_engine_build_ahead(size_t *done, struct pe_engine *engine, const size_t *which, size_t n)
{
	struct pe_session *session = engine->session;
	pe_auto_free struct pe_build_request *requests = pe_realloc(NULL, n + 1, sizeof(*requests));
	pe_auto_free size_t *at = pe_realloc(NULL, n + 1, sizeof(*at));
	size_t m = 0, had;

	for (size_t i = 0; i < n; i++) {
		const struct pe_engine_revision *one = &engine->revisions[which[i]];

		if (one->slot != NULL || one->unbuildable)
			continue;
		at[m] = i;
		requests[m++] = pe_session_build_request(session, &session->revisions[which[i]]);
	}
	PE_TRY(pe_session_build_ahead(&had, session, requests, m));
	if (done != NULL)
		*done = had < m ? at[had] : n;
	return PE_OK;
}

int pe_engine_build(struct pe_engine *engine, size_t revision)
{
	struct pe_session *session = engine->session;
	const struct pe_revision *of = &session->revisions[revision];
	struct pe_engine_revision *one = &engine->revisions[revision];
	struct pe_slot *slot;

	if (one->slot != NULL || one->unbuildable)
		return PE_OK;
	if (*session->app->interrupts > 0)
		return pe_fail(session->app->err, PE_ESTOPPED, "stopped while building");
	PE_TRY(pe_session_build(&slot, &one->build, session, of));
	if (slot == NULL)
		return PE_OK;
	if (one->build.outcome != PE_MEASURED) {
		one->unbuildable = true;
		pe_trouble_add_build(&session->troubles, of, &one->build, session->arena);
		return PE_OK;
	}
	one->slot = slot;
	one->tree = slot->tree;
	number_places(engine);
	return PE_OK;
}

int pe_engine_clean_up(int rc, struct pe_engine *engine, struct pe_engine_revision *one)
{
	for (size_t w = 0; one->cells != NULL && w < engine->n_benchmarks; w++)
		rc = pe_engine_clean_up_cell(rc, engine, &one->cells[engine->benchmarks[w]]);
	return rc;
}

int pe_engine_evict(int rc, struct pe_engine *engine, size_t revision)
{
	struct pe_engine_revision *one = &engine->revisions[revision];

	if (one->slot == NULL)
		return rc;
	rc = pe_engine_clean_up(rc, engine, one);
	one->slot->held = false;
	one->slot = NULL;
	number_places(engine);
	return rc;
}

/* Build loaded revisions again that later builds changed. *rebuilt: their number. */
static int rebuild_changed(size_t *rebuilt, struct pe_engine *engine)
{
	*rebuilt = 0;
	for (size_t i = 0; i < engine->n_order; i++) {
		const size_t r = engine->order[i];
		struct pe_engine_revision *one = &engine->revisions[r];
		bool whole = true;

		if (one->slot != NULL)
			PE_TRY(pe_session_compare(&whole, engine->session, one->slot,
						  "it is built again"));
		if (whole)
			continue;
		++*rebuilt;
		PE_TRY(pe_engine_evict(PE_OK, engine, r));
		PE_TRY(pe_engine_build(engine, r));
	}
	return PE_OK;
}

/* If the second builds change each other again, they cannot stand side by side. */
int pe_engine_compare_builds(struct pe_engine *engine)
{
	size_t rebuilt;

	PE_TRY(rebuild_changed(&rebuilt, engine));
	if (rebuilt > 0)
		PE_TRY(rebuild_changed(&rebuilt, engine));
	if (rebuilt > 0)
		return pe_fail(
			engine->session->app->err, PE_EUNSUPPORTED,
			"builds of several commits change each other's files in %s: 'sandbox: auto' in the config keeps them apart",
			engine->session->slots.root);
	return PE_OK;
}

int pe_engine_rebuild(bool *built, struct pe_engine *engine, size_t revision)
{
	struct pe_session *session = engine->session;
	struct pe_engine_revision *one = &engine->revisions[revision];

	if (!session->outside.noted)
		pe_app_note(
			session->app,
			"%s lies outside of the trees, where all commits share it: each is set up and built again before its runs wherever another one was since. 'make install PREFIX=$PERFEVO_TREE/prefix' and the like give each its own",
			session->outside.found);
	session->outside.noted = true;
	PE_TRY(pe_engine_clean_up(PE_OK, engine, one));
	PE_TRY(pe_slot_forget(one->slot, session->app->err));
	one->slot->id[0] = '\0';
	PE_TRY(pe_engine_evict(PE_OK, engine, revision));
	PE_TRY(pe_engine_build(engine, revision));
	*built = one->slot != NULL;
	return PE_OK;
}
