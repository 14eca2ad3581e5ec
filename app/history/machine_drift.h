/*
 * Machine drift: whether the machine itself was slower or faster in a session than in the ones before, told by the
 * commits that were measured both times: a session's anchors, above all (app/measure/plan.h, core/stats/moved.h).
 */
#ifndef PE_APP_HISTORY_MACHINE_DRIFT_H
#define PE_APP_HISTORY_MACHINE_DRIFT_H

#include "app/app.h"
#include "report/evolution.h"

struct pe_machine_drift_query {
	int64_t machine; /**< key; 0: this machine */
	int64_t newest;  /**< batches from this key on are the session's */
	/** Keys of the benchmarks to look at; NULL: every stored one. */
	const int64_t *benchmarks;
	size_t n_benchmarks;
	const struct pe_strings *metrics; /**< names that are judged; NULL: by config and default */
	const char *node;                 /**< only batches of this node of a farm; NULL: all */
};

/** The key from which on the batches of a session that begins now are. */
int pe_machine_drift_begin(int64_t *newest, struct pe_app *app);

/**
 * Compare a session's batches with the ones before it. Of each benchmark one metric is compared, a time that varies and
 * is judged: its own one before wall time, which includes the process's start.
 *
 * @param out  in the context's arena; NULL: the machine did not change, or this session measured nothing that had been
 *             measured before
 */
int pe_machine_drift_find(const struct pe_machine_drift **out, struct pe_app *app,
			  const struct pe_machine_drift_query *asked);

#endif
