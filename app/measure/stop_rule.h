/*
 * Enough: when a benchmark has been run often enough at a revision. `repeats` is an upper bound: after five rounds of
 * a window, cells whose value is known to half the smallest change of interest take no part in the next ones
 * (core/stats/explore.h). The newest revision has nothing after it to vouch for it, and is run fifteen times.
 */
#ifndef PE_APP_MEASURE_STOP_RULE_H
#define PE_APP_MEASURE_STOP_RULE_H

#include "app/measure/session.h"

struct pe_enough;

/**
 * Watch a window.
 *
 * @param grid    its `between` is set; what is known of it already is read from the store
 * @param window  key
 * @param revisions, workloads  keys, by the grid's indices
 * @param newest  the grid's index of the newest revision of the line; SIZE_MAX: it is not there
 * @param arena   owns it
 */
int pe_enough_watch(struct pe_enough **out, struct pe_session *session, struct pe_grid *grid,
		    int64_t window, const int64_t *revisions, const int64_t *workloads,
		    size_t newest, struct pe_arena *arena);

/** A run was kept. Welcomes NULL. */
void pe_enough_take(struct pe_enough *enough, struct pe_cell cell, const struct pe_run *run);

/** Let go of what is not in the arena. Welcomes NULL. */
void pe_enough_end(struct pe_enough *enough);

/** The metric of a benchmark that says when it is known: the first judged one that varies; NULL: one run says all. */
const struct pe_metric *pe_enough_metric(const struct pe_session *session,
					 const struct pe_workload *workload);

#endif
