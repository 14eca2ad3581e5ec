#include "app/search/confirm_internal.h"

int pe_confirm_plan(struct pe_confirm_left *out, struct pe_session *session,
		    const struct pe_confirm_request *request)
{
	struct pe_suspects all = {.session = session, .request = request};
	int rc = pe_suspects_gather(&all);

	*out = (struct pe_confirm_left){all.n_candidates, all.n_candidates * PE_CONFIRM_USUAL_RUNS};
	pe_suspects_release(&all);
	return rc;
}

/* Suspects that still want pairs come first. @return  how many they are */
static size_t part_unanswered(struct pe_jump_candidate *candidate)
{
	size_t n = 0;

	for (size_t i = 0; i < candidate->n; i++) {
		struct pe_suspect *one = candidate->at[i];

		if (one->row.answer != PE_CONFIRM_GO_ON)
			continue;
		candidate->at[i] = candidate->at[n];
		candidate->at[n++] = one;
	}
	return n;
}

static int settle(struct pe_session *session, struct pe_jump_candidate *candidate)
{
	struct pe_jump_candidate open = *candidate;
	int rc = PE_OK;

	open.n = part_unanswered(candidate);
	if (open.n > 0)
		rc = pe_confirm_pairs(session, &open);
	for (size_t i = 0; i < candidate->n; i++)
		if (candidate->at[i]->row.answer == PE_CONFIRMED)
			candidate->test->confirmed = true;
	for (size_t i = 0; rc == PE_OK && i < candidate->n; i++)
		if (candidate->at[i]->row.answer == PE_CONFIRMED && !candidate->at[i]->row.settled)
			rc = pe_confirm_pin(session, candidate->at[i]);
	return rc;
}

int pe_confirm_measure(size_t *n, struct pe_session *session,
		       const struct pe_confirm_request *request)
{
	struct pe_suspects all = {.session = session, .request = request};
	int rc = pe_suspects_gather(&all);

	*n = 0;
	if (rc == PE_OK && all.n_candidates > 0)
		pe_app_note(
			session->app,
			"%zu suspected change%s: measuring both sides again, by up to %d pairs of runs%s",
			all.n_candidates, all.n_candidates == 1 ? "" : "s", PE_CONFIRM_PAIRS,
			all.n_candidates == 1 ? "" : " each");
	for (size_t i = 0; rc == PE_OK && i < all.n_candidates; i++) {
		/* One benchmark has confirmed the event: the others are reported with it. */
		if (all.candidates[i].test->confirmed && all.candidates[i].at[0]->row.key == 0 &&
		    !request->again)
			continue;
		rc = settle(session, &all.candidates[i]);
		*n += rc == PE_OK;
	}
	pe_suspects_release(&all);
	if (rc == PE_OK && request->most > 0)
		rc = pe_confirm_layout(session, request->first);
	return rc;
}
