/*
 * Stop rule: when a benchmark has enough runs at a revision. `repeats` is an upper bound: after five rounds of a batch,
 * cells whose value is precise to half the smallest change of interest are left out of the next ones
 * (core/stats/explore.h). The newest revision has no successor that confirms its value, and is run fifteen times.
 *
 * Where two revisions are compared (pe_session.compares), pairs count and not the values of either: both end after 12 or 18
 * rounds if all their metrics are decided there. These looks take a tenth of the level of a decision (PE_COMPARE_DECIDED_PART),
 * 0.0005 in place of 0.005, as do the intervals within which nothing changed. Then repeated looks need no correction at
 * the last one (Haybittle, British Journal of Radiology 44 (1971); Peto et al., British Journal of Cancer 34 (1976)): all
 * together find a difference by chance in at most 0.006 of comparisons. Simulated with normal and with heavy-tailed noise,
 * changes of any size are decided as often as by 25 pairs, and the interval of 95 % misses 4 to 6 % of them either way.
 */
#ifndef PE_APP_MEASURE_STOP_RULE_H
#define PE_APP_MEASURE_STOP_RULE_H

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

#endif
