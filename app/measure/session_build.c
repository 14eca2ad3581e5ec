/* The only way to a build, of the recipe as it is or of a variant: found in a slot, built ahead, or built now. */
#include "app/measure/session.h"

#include "app/measure/ahead.h"
#include "app/measure/kept.h"

static int build_anew(struct pe_build *build, struct pe_session *session,
		      const struct pe_build_request *request, struct pe_slot *slot)
{
	struct pe_app *app = session->app;
	struct pe_builder builder = session->builder;
	const char *id = request->revision->id;
	bool whole;

	builder.recipe = request->recipe;
	builder.recipe_hash = request->recipe_hash;
	/* Without a row in the store, its reads are not needed. */
	builder.watch = request->stored ? builder.watch : NULL;
	/* An incremental build needs the leftovers of the slot's last build unchanged. */
	if (slot->id[0] != '\0' && request->recipe->clean != PE_CLEAN_ALWAYS)
		PE_TRY(pe_session_compare(&whole, session, slot, NULL));
	pe_session_report_build(session, request->revision);
	PE_TRY(pe_build_revision(build, &builder, slot, id, session->arena, app->err));
	/* A tree that could not be written is no base for an incremental build. */
	if (slot->id[0] != '\0')
		PE_TRY(pe_kept_record(slot, app->err));
	if (request->stored)
		pe_session_learn_alone(session, id, build->outcome);
	return pe_session_keep_build(session, request, slot, build);
}

int pe_session_find_build(struct pe_slot **slot, struct pe_session *session,
			  const struct pe_build_request *request)
{
	bool whole;

	*slot = pe_slots_find(request->slots, request->revision->id, request->recipe_hash);
	if (*slot == NULL)
		return PE_OK;
	PE_TRY(pe_session_compare(&whole, session, *slot, "it is built again"));
	if (!whole) {
		*slot = NULL;
		return PE_OK;
	}
	pe_slots_touch(request->slots, *slot);
	(*slot)->held = true;
	return PE_OK;
}

int pe_session_build_by(struct pe_slot **slot, struct pe_build *build, struct pe_session *session,
			const struct pe_build_request *request)
{
	const char *id = request->revision->id;
	struct pe_ahead ahead = {.build = {.outcome = PE_MEASURED, .log = ""}};
	int rc;

	pe_session_take_ahead(&ahead, session, id, request->recipe_hash);
	*build = ahead.build;
	*slot = ahead.slot;
	if (build->outcome != PE_MEASURED)
		return PE_OK;
	PE_TRY(pe_session_find_build(slot, session, request));
	if (*slot != NULL)
		return PE_OK;
	*slot = pe_slots_take(request->slots);
	if (*slot == NULL)
		return PE_OK;
	rc = build_anew(build, session, request, *slot);
	if (rc != PE_OK)
		pe_err_context(session->app->err, "building %.10s", id);
	PE_TRY(rc);
	pe_slots_touch(request->slots, *slot);
	(*slot)->held = build->outcome == PE_MEASURED;
	return PE_OK;
}

int pe_session_build(struct pe_slot **slot, struct pe_build *build, struct pe_session *session,
		     const struct pe_revision *revision)
{
	const struct pe_build_request request = pe_session_build_request(session, revision);

	return pe_session_build_by(slot, build, session, &request);
}
