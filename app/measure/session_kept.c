/* The session's builds: whether they are unchanged since they were made (app/measure/kept.h). */
#include "app/measure/kept.h"
#include "app/measure/session.h"

/* The stamp of a comparison; each unconfined build makes earlier ones invalid. */
static uint64_t stamp(const struct pe_session *session)
{
	return session->n_changing + 1;
}

int pe_session_count_build(struct pe_session *session, struct pe_slot *slot,
			   const struct pe_build *build)
{
	/* A confined build cannot write into others. */
	session->n_changing += !session->confined;
	slot->compared = stamp(session);
	slot->build_ns = build->duration_ns;
	if (slot->id[0] == '\0' || build->outcome == PE_MEASURED)
		return PE_OK;
	return pe_slot_write_state(slot, session->app->err);
}

int pe_session_compare(bool *whole, struct pe_session *session, struct pe_slot *slot,
		       const char *why)
{
	struct pe_app *app = session->app;
	const char *difference = NULL;
	int rc;

	*whole = false;
	if (slot->compared != stamp(session))
		PE_TRY(pe_kept_compare(&difference, &session->outside, slot, session->arena,
				       app->err));
	*whole = difference == NULL;
	slot->compared = stamp(session);
	if (difference == NULL)
		return PE_OK;
	if (why != NULL)
		pe_app_note(app, "the kept build of %.10s is not what was built (%s): %s", slot->id,
			    difference, why);
	rc = pe_slot_forget(slot, app->err);
	slot->id[0] = '\0';
	return rc;
}

/*
 * Runs of several commits took turns: changes by a build's own runs enter its list, and a build that others changed is
 * not used again. Its results stay, because the time of the change is unknown.
 */
void pe_session_close_slots(struct pe_session *session, struct pe_slots *slots)
{
	struct pe_err later = PE_ERR_INIT, *err = session->app->err;
	bool whole;

	session->app->err = &later;
	session->n_changing++;
	for (size_t i = 0; i < slots->n; i++)
		if (slots->at[i].compared != 0 && slots->at[i].id[0] != '\0')
			pe_session_compare(
				&whole, session, &slots->at[i],
				"something other than its own runs changed it while this session ran; doubt what was measured, and set 'sandbox: auto'");
	pe_slots_restore(slots, &later);
	session->app->err = err;
}
