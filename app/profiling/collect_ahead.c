/* The builds of collecting, side by side: all of both sides of a comparison, before the first of them is run. */
#include "app/profiling/collect_internal.h"

#include <string.h>

typedef PE_VEC(struct pe_build_request) request_vec;

static bool is_requested(const request_vec *requests, const struct pe_build_request *request)
{
	for (size_t i = 0; i < requests->n; i++)
		if (requests->data[i].revision == request->revision &&
		    strcmp(requests->data[i].recipe_hash, request->recipe_hash) == 0)
			return true;
	return false;
}

int pe_collecting_request(struct pe_build_request *out, struct pe_collecting *collecting,
			  const struct pe_revision *revision, enum pe_build_variant variant)
{
	struct pe_app *app = collecting->session->app;
	struct pe_arena *arena = collecting->arena;
	const char *compilers = pe_build_variant_compilers(arena, app->err);
	struct pe_recipe *recipe = pe_arena_new(arena, struct pe_recipe, 1);
	char *hash = pe_arena_alloc(arena, PE_HASH_HEX, 1);

	if (compilers == NULL)
		return app->err->code;
	pe_build_variant_hash(variant, &app->config->recipe, collecting->plan, hash);
	pe_build_variant_recipe(recipe, variant, &app->config->recipe, collecting->plan, compilers,
				arena);
	*out = (struct pe_build_request){.revision = revision,
					 .slots = &collecting->slots,
					 .recipe = recipe,
					 .recipe_hash = hash};
	return PE_OK;
}

static int add_variant(request_vec *requests, struct pe_collecting *collecting,
		       const struct pe_revision *revision, enum pe_build_variant variant)
{
	struct pe_build_request request;

	PE_TRY(pe_collecting_request(&request, collecting, revision, variant));
	if (!is_requested(requests, &request))
		pe_vec_push(requests, request);
	return PE_OK;
}

int pe_collecting_build_ahead(struct pe_collecting *collecting,
			      const struct pe_revision *const *revisions, size_t n,
			      enum pe_build_variant variant)
{
	pe_auto_free request_vec requests = {NULL, 0, 0};

	for (size_t i = 0; i < n; i++)
		PE_TRY(add_variant(&requests, collecting, revisions[i], variant));
	return pe_session_build_ahead(NULL, collecting->session, requests.data, requests.n);
}

static int add_all(request_vec *requests, struct pe_collecting *collecting,
		   const struct pe_collect_side *side, const struct pe_collect_opts *opts)
{
	const struct pe_session *session = collecting->session;
	enum pe_profile_mode mode;

	collecting->plan = pe_collecting_plan(side->benchmark);
	mode = pe_collecting_mode(opts->mode, collecting->plan);
	if (mode == PE_PROFILE_COMMAND ||
	    (!opts->again && pe_collect_is_stored(session->app, session->machine_key,
						  side->benchmark, side->revision->id)))
		return PE_OK;
	if (mode != PE_PROFILE_SAMPLES)
		PE_TRY(add_variant(requests, collecting, side->revision,
				   PE_BUILD_VARIANT_COUNTING));
	if (mode == PE_PROFILE_BOTH || mode == PE_PROFILE_SAMPLES)
		PE_TRY(add_variant(requests, collecting, side->revision, PE_BUILD_VARIANT_SAMPLED));
	return PE_OK;
}

/* Whether these counts and samples of native programs need no further build. */
static bool are_kept(struct pe_collecting *collecting, const request_vec *requests)
{
	for (size_t i = 0; i < requests->n; i++)
		if (pe_slots_find(&collecting->slots, requests->data[i].revision->id,
				  requests->data[i].recipe_hash) == NULL)
			return false;
	return true;
}

int pe_collect_ahead(bool *kept, struct pe_session *session, const struct pe_collect_side *sides,
		     size_t n, const struct pe_collect_opts *opts)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_collecting collecting = {.session = session, .arena = &scratch};
	pe_auto_free request_vec requests = {NULL, 0, 0};
	bool native = true;

	PE_TRY(pe_collecting_open_slots(&collecting));
	for (size_t i = 0; i < n; i++) {
		PE_TRY(add_all(&requests, &collecting, &sides[i], opts));
		native = native &&
			 pe_collecting_mode(opts->mode, collecting.plan) == PE_PROFILE_BOTH;
	}
	if (kept == NULL)
		return pe_session_build_ahead(NULL, session, requests.data, requests.n);
	*kept = native && are_kept(&collecting, &requests);
	return PE_OK;
}
