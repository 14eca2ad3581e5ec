/* Evidence: what other metrics of paired runs show of a change of wall time. */
#ifndef PE_APP_SEARCH_EVIDENCE_H
#define PE_APP_SEARCH_EVIDENCE_H

#include "app/measure/engine.h"

/** The cells of one round: the old side's and the new side's run. */
struct pe_evidence_pair {
	struct pe_cell *old_cell, *new_cell;
};

/**
 * Whether other load on the machine explains a change of wall time, by the processor time and the context switches of the pairs
 * (pe_compare_is_denied()).
 *
 * @param pairs         by round, from round 0 on; rounds that were not run are passed over
 * @param relative      of wall time
 * @param instructions  exact, relative; NAN: unknown
 */
bool pe_evidence_denies(const struct pe_evidence_pair *pairs, size_t n, double relative,
			double instructions);

#endif
