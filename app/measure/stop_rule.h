/*
 * Stop rule: when a benchmark has been run often enough at a revision. `repeats` is an upper bound: after five rounds
 * of a batch, cells whose value is known to half the smallest change of interest take no part in the next ones
 * (core/stats/explore.h). The newest revision has nothing after it to vouch for it, and is run fifteen times.
 */
#ifndef PE_APP_MEASURE_STOP_RULE_H
#define PE_APP_MEASURE_STOP_RULE_H

#include "app/measure/engine.h"

/**
 * Settle the cells that are known well enough.
 *
 * @param engine  opened over all revisions and benchmarks of the session
 * @param rounds  that were made so far
 * @param newest  the newest revision of the line; SIZE_MAX: it is not there
 */
int pe_stop_rule_apply(struct pe_engine *engine, struct pe_session *session,
		       const struct pe_engine_cell *cells, size_t n, unsigned rounds,
		       size_t newest);

/** The metric of a benchmark that says when it is known: the first judged one that varies; NULL: one run says all. */
const struct pe_metric *pe_stop_rule_metric(const struct pe_session *session,
					    const struct pe_benchmark *benchmark);

#endif
