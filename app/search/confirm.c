#include "app/search/confirm_internal.h"

#include "app/measure/costs.h"
#include "core/base/clock.h"

/* Seconds of the fresh runs of one change, over the benchmarks alike: sides that are set up and warmed, and pairs. */
static double seconds_of_one(const struct pe_session *session, const struct pe_session_costs *costs)
{
	enum { SIDES = 6 };
	double sum = 0;

	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *one = session->benchmarks.data[w];

		sum += pe_cell_cost_of(&costs->cell[w], one, PE_CONFIRM_USUAL_RUNS / SIDES, 0,
				       false) *
		       SIDES;
	}
	return session->benchmarks.n > 0 ? sum / (double)session->benchmarks.n : 0;
}

int pe_confirm_plan(struct pe_confirm_left *out, struct pe_session *session,
		    const struct pe_confirm_request *request)
{
	pe_auto_suspects all = {.session = session, .request = request};
	struct pe_session_costs costs;
	struct pe_known known;

	*out = (struct pe_confirm_left){.changes = 0};
	PE_TRY(pe_suspects_gather(&all));
	out->changes = all.n_candidates;
	out->runs = all.n_candidates * PE_CONFIRM_USUAL_RUNS;
	if (all.n_candidates == 0)
		return PE_OK;
	PE_TRY(pe_known_load(&known, session));
	PE_TRY(pe_session_costs_load(&costs, session, &known));
	out->seconds = (double)all.n_candidates * seconds_of_one(session, &costs);
	return PE_OK;
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

bool pe_confirm_is_late(const struct pe_confirm_request *request)
{
	return request->deadline_ns > 0 && pe_clock_ns() >= request->deadline_ns;
}

static int settle(struct pe_session *session, struct pe_jump_candidate *candidate,
		  const struct pe_confirm_request *request)
{
	struct pe_jump_candidate open = *candidate;

	open.n = part_unanswered(candidate);
	if (open.n > 0)
		PE_TRY(pe_confirm_same_code(session, &open));
	open.n = part_unanswered(candidate);
	if (open.n > 0)
		PE_TRY(pe_confirm_pairs(session, &open, request));
	for (size_t i = 0; i < candidate->n; i++)
		if (candidate->at[i]->row.answer == PE_CONFIRMED)
			candidate->test->confirmed = true;
	for (size_t i = 0; i < candidate->n; i++)
		if (candidate->at[i]->row.answer == PE_CONFIRMED &&
		    !candidate->at[i]->row.settled && !pe_confirm_is_late(request))
			PE_TRY(pe_confirm_pin(session, candidate->at[i]));
	return PE_OK;
}

int pe_confirm_measure(size_t *n, struct pe_session *session,
		       const struct pe_confirm_request *request)
{
	pe_auto_suspects all = {.session = session, .request = request};

	*n = 0;
	PE_TRY(pe_suspects_gather(&all));
	if (all.n_candidates > 0)
		pe_app_note(
			session->app,
			"%zu suspected change%s: measuring both sides again, by up to %d pairs of runs%s",
			all.n_candidates, all.n_candidates == 1 ? "" : "s", PE_CONFIRM_PAIRS,
			all.n_candidates == 1 ? "" : " each");
	for (size_t i = 0; i < all.n_candidates && !pe_confirm_is_late(request); i++) {
		/* One benchmark has confirmed the event: the others are reported with it. */
		if (all.candidates[i].test->confirmed && all.candidates[i].at[0]->row.key == 0 &&
		    !session->again) {
			PE_TRY(pe_confirm_same_code(session, &all.candidates[i]));
			continue;
		}
		PE_TRY(settle(session, &all.candidates[i], request));
		++*n;
	}
	for (size_t i = 0; i < all.n_reported && !pe_confirm_is_late(request); i++)
		PE_TRY(pe_confirm_same_code(session, &all.reported[i]));
	if (!pe_confirm_is_late(request))
		return pe_confirm_layout(session, all.first);
	if (all.n_candidates > 0)
		pe_app_note(session->app,
			    "the time budget ended before all changes were confirmed: the next "
			    "'perfevo track' continues");
	return PE_OK;
}
