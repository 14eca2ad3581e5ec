/* Confirming: what the files of pe_confirm_measure() share; nobody else includes it. */
#ifndef PE_CMD_CONFIRMING_H
#define PE_CMD_CONFIRMING_H

#include "cmd/confirm.h"
#include "cmd/remeasure.h"
#include "core/base/vec.h"

/** One searched chain with something to confirm in it; owns the arena that its arrays are in. */
struct pe_dossier {
	const char *benchmark;
	const struct pe_metric *metric;
	int64_t workload;
	struct pe_series_found found;
	const struct pe_revision *revisions;
	const int64_t *keys;
	struct pe_arena arena;
};

/** One metric's suspicion. */
struct pe_suspect {
	struct pe_dossier *dossier;
	size_t change; /**< index into its found.at */
	/** What the store has of it; key 0: nothing yet. */
	struct pe_stored_confirmation row;
};

/** Suspects of one benchmark at one commit, which share a window. */
struct pe_suspicion {
	struct pe_suspect **at;
	size_t n;
	double strength; /**< of the clearest */
};

/** The change of a suspect as the search has it. */
const struct pe_changepoint *pe_suspect_change(const struct pe_suspect *suspect);

/** The session's index of a state's revision: that which has its values, or one that executes the same. */
size_t pe_suspect_revision(const struct pe_session *session, const struct pe_suspect *suspect,
			   size_t state);

/** The session's index of a stored revision; SIZE_MAX: it has none. */
size_t pe_session_revision_of(const struct pe_session *session, int64_t key);

/**
 * Measure the surroundings of a confirmed change again until 95 % of the probability lie on one commit, four
 * times at most, and store its place. The windows of other metrics of the suspicion are read before a new one is
 * measured. The suspect is settled then.
 */
int pe_confirm_pin(struct pe_session *session, struct pe_suspect *suspect);

/** The session's index of a stored workload; SIZE_MAX: it has none. */
size_t pe_session_workload_of(const struct pe_session *session, int64_t key);

/**
 * Find out of each settled and confirmed change of a time, if nobody has yet, whether its sides differ in nothing but
 * where things lie in memory, and store the answer. Builds both sides, as a rule out of their slots. That it
 * cannot be told is an answer, no error.
 *
 * @param first  id of the first revision whose changes are looked at; NULL: all
 * @return       PE_ESTOPPED after Ctrl-C, or as the store
 */
int pe_confirm_layout(struct pe_session *session, const char *first);

#endif
