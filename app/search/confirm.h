/*
 * Confirm: suspected changes are measured again until they are confirmed or refuted: both sides in random pairs, in one
 * batch of their own (core/stats/confirm.h), and where a change is confirmed but its commit is not sure, its surroundings
 * in rounds (core/stats/pin.h). Every step is stored as it is taken, so that a killed process continues where it was. One
 * batch serves all metrics that suspect the same commit of a benchmark. A confirmed change is tested once for being
 * layout: the same machine code, placed elsewhere.
 */
#pragma once

#include "app/history/detect.h"
#include "app/measure/session.h"

#include <stdint.h>

/** With the session's `again` also changes that were refuted or could not be decided are confirmed. */
struct pe_confirm_request {
	const char *first; /**< id of the first revision whose changes are confirmed; NULL: all */
	/** of pe_clock_ns(): when no further pair begins; what is open then goes on in a later call. 0: none */
	uint64_t deadline_ns;
};

/** What is left to do. */
struct pe_confirm_left {
	size_t changes; /**< not settled yet */
	size_t runs;    /**< that they take, about */
	double seconds; /**< expected duration; NaN: unknown */
};

/** Count, measuring nothing. */
int pe_confirm_plan(struct pe_confirm_left *out, struct pe_session *session,
		    const struct pe_confirm_request *request);

/**
 * Confirm, in an open session that measures. Changes whose sides do not build are noted and passed over.
 *
 * @param n  changes that were worked on
 * @return   PE_ESTOPPED after Ctrl-C: what was measured is kept
 */
int pe_confirm_measure(size_t *n, struct pe_session *session,
		       const struct pe_confirm_request *request);
