/*
 * Stop rule: when a benchmark has enough runs at a revision. `repeats` is an upper bound: after five rounds of a batch,
 * cells whose value is precise to half the smallest change of interest are left out of the next ones
 * (core/stats/explore.h). The newest revision has no successor that confirms its value, and is run fifteen times.
 *
 * Where two revisions are compared (pe_session.compares), pairs count and not the values of either: both end after 10, 17
 * or 21 rounds if all their metrics are decided there, at the level of any decision (PE_COMPARE_DECIDED_PART), which allows for such
 * looks. That nothing changed ends them where an interval of 99.5 % shows it.
 */
#pragma once

#include "app/measure/engine.h"

/**
 * Settle the cells whose values are precise enough.
 *
 * @param engine  opened over all revisions and benchmarks of the session
 * @param rounds  number of rounds so far
 * @param newest  the newest revision of the line; SIZE_MAX: it is not among them
 */
int pe_stop_rule_apply(struct pe_engine *engine, struct pe_session *session,
		       struct pe_cell *const *cells, size_t n, unsigned rounds, size_t newest);

/**
 * The metric of a benchmark that decides when it has enough runs: the first judged one that varies; NULL: one run
 * suffices.
 */
const struct pe_metric *pe_stop_rule_metric(const struct pe_session *session,
					    const struct pe_benchmark *benchmark);
