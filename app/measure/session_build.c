/* The only way to a build of the recipe as it is (profiles build variants): found in a slot, built ahead, or built now. */
#include "app/measure/session.h"

#include "app/measure/ahead.h"
#include "app/measure/kept.h"

static int build_anew(struct pe_build *build, struct pe_session *session,
		      const struct pe_revision *revision, struct pe_slot *slot)
{
	struct pe_app *app = session->app;
	const char *id = revision->id;
	bool whole;

	/* An incremental build needs the leftovers of the slot's last build unchanged. */
	if (slot->id[0] != '\0' && app->config->recipe.clean != PE_CLEAN_ALWAYS)
		PE_TRY(pe_session_compare(&whole, session, slot, NULL));
	pe_session_report_build(session, revision);
	PE_TRY(pe_build_revision(build, &session->builder, slot, id, session->arena, app->err));
	/* A tree that could not be written is no base for an incremental build. */
	if (slot->id[0] != '\0')
		PE_TRY(pe_kept_record(slot, app->err));
	pe_session_learn_alone(session, id, build->outcome);
	return pe_session_keep_build(session, revision, slot, build);
}

int pe_session_build(struct pe_slot **slot, struct pe_build *build, struct pe_session *session,
		     const struct pe_revision *revision)
{
	const char *id = revision->id;
	struct pe_ahead ahead = {.build = {.outcome = PE_MEASURED, .log = ""}};
	bool whole = true;
	int rc;

	pe_session_take_ahead(&ahead, session, id, session->recipe_hash);
	*build = ahead.build;
	*slot = ahead.slot;
	if (build->outcome != PE_MEASURED)
		return PE_OK;
	if (*slot == NULL)
		*slot = pe_slots_find(&session->slots, id, session->recipe_hash);
	if (*slot != NULL)
		PE_TRY(pe_session_compare(&whole, session, *slot, "it is built again"));
	if (*slot == NULL || !whole) {
		*slot = pe_slots_take(&session->slots);
		if (*slot == NULL)
			return PE_OK;
		rc = build_anew(build, session, revision, *slot);
		if (rc != PE_OK)
			pe_err_context(session->app->err, "building %.10s", id);
		PE_TRY(rc);
	}
	pe_slots_touch(&session->slots, *slot);
	(*slot)->held = build->outcome == PE_MEASURED;
	return PE_OK;
}
