/* Confirming: shared by the files of pe_confirm_measure() alone. */
#pragma once

#include "app/search/confirm.h"
#include "app/measure/engine.h"
#include "core/base/vec.h"

/** One metric's candidate. */
struct pe_suspect {
	const struct pe_series_found *found; /**< a searched chain */
	size_t change;                       /**< index into its found.at */
	/** What the store has of it; key 0: nothing yet. */
	struct pe_stored_confirmation row;
};

/**
 * The test of one event: the event, not each benchmark and metric, spends of the rate of false discoveries and earns for it
 * (core/stats/fdr.h).
 */
struct pe_event_test {
	size_t suspects; /**< that test it: each has an equal part of its level */
	size_t number;   /**< in the order of beginning; 0: not begun */
	double accept;   /**< of each suspect */
	bool confirmed;  /**< by one of them, now */
};

/** Suspects of one benchmark at one commit, which share a batch. */
struct pe_jump_candidate {
	struct pe_suspect **at;
	size_t n;
	double strength; /**< of the clearest */
	size_t event;    /**< that its clearest jump is of; beyond the evolution's: its own */
	struct pe_event_test *test;
};

/** The change of a suspect as the search has it. */
const struct pe_changepoint *pe_suspect_change(const struct pe_suspect *suspect);

/** The revision to run for a state: that which has its values, or one that executes the same. */
size_t pe_suspect_revision(const struct pe_suspect *suspect, size_t state);

/** All that one call is about. The evolution that is judged has the revisions of the session, and their indices. */
struct pe_suspects {
	struct pe_session *session;
	const struct pe_confirm_request *request;
	PE_VEC(struct pe_suspect *) suspects;
	struct pe_jump_candidate *candidates; /**< what was begun first, and then the clearest */
	size_t n_candidates;
	/** Those that need no pairs, for their event is confirmed: only their code is looked at. */
	const struct pe_jump_candidate *reported;
	size_t n_reported;
	size_t first; /**< the first revision whose changes are tested */
};

/** Find what is to be confirmed, for `session` and `request`. */
int pe_suspects_gather(struct pe_suspects *all);

/** Keep of the candidates those that the events of the evolution need, and give each the test of its event. */
void pe_suspects_by_event(struct pe_suspects *all, const struct pe_evolution *evolution);

/** Release the list of suspects; what it lists is in the session's arena. */
void pe_suspects_release(struct pe_suspects *all);

/** Suspects that are released where their block is left. */
#define pe_auto_suspects __attribute__((cleanup(pe_suspects_release))) struct pe_suspects

/** Runs that the pairs of a change take as a rule: a step of 5 % in ordinary noise does. */
enum { PE_CONFIRM_USUAL_RUNS = 50 };

/** Whether the time that a request gives is spent. */
bool pe_confirm_is_late(const struct pe_confirm_request *request);

/** Run pairs until each suspect of a candidate, none of which has an answer, has one, or time is up; each step is stored. */
int pe_confirm_pairs(struct pe_session *session, const struct pe_jump_candidate *candidate,
		     const struct pe_confirm_request *request);

/**
 * Test for suspected changes of times whether the commits on both sides execute the same machine code on the same data, by
 * equal counts and by their builds. Where they do, the change is stored as refuted, as one of placement or the machine, and
 * no pair is run. Nothing is tested where `gate: {layout: fail}` wants such changes measured.
 *
 * @param candidate  suspects that have no row in the store yet
 */
int pe_confirm_same_code(struct pe_session *session, const struct pe_jump_candidate *candidate);

/**
 * Measure the surroundings of a confirmed change again until 95 % of the probability is on one commit, at most four
 * times, and store its place. The batches of other metrics of the candidate are read before a new one is
 * measured. The suspect is settled then.
 */
int pe_confirm_pin(struct pe_session *session, struct pe_suspect *suspect);

/**
 * Find for each settled and confirmed change of a time, once, whether its sides differ in placement in memory alone, and
 * store the answer. Builds both sides, as a rule out of their slots. "Cannot be decided" is an answer, no
 * error.
 *
 * @param first  the first revision whose changes are tested
 * @return       PE_ESTOPPED after Ctrl-C, or as the store
 */
int pe_confirm_layout(struct pe_session *session, size_t first);
