/*
 * Exactness: whether a metric that is meant to be the same in every run of one build is so, by all that the store has of
 * it. A program with threads, random hashes or a garbage collector counts differently each time; then the metric is
 * a noisy one of that benchmark on that machine, whoever asks.
 */
#ifndef PE_APP_MEASURE_EXACTNESS_H
#define PE_APP_MEASURE_EXACTNESS_H

#include "core/exec/batch.h"
#include "core/stats/deterministic.h"
#include "store/store.h"

/**
 * Look at all values of a series.
 *
 * @param at       every stored observation of one benchmark and metric on one machine
 * @param reused  of that machine, ordered as pe_store_reused() does: revisions that execute the same are one build
 * @param metric  says how far values of one build may be from each other (pe_metric_tolerance())
 */
struct pe_exactness pe_exactness_of(const struct pe_observation *at, size_t n,
				    const struct pe_reused *reused, size_t n_reused,
				    int64_t benchmark, const struct pe_metric *metric);

/**
 * The same of a metric by its name, with all read from the store. Of metrics that promise nothing nothing is read,
 * and none of their builds is broken.
 */
int pe_exactness_load(struct pe_exactness *out, struct pe_store *store, int64_t machine,
		      int64_t benchmark, const struct pe_metric *metric, struct pe_err *err);

/** Whether any count of a benchmark (pe_metric_is_counted()) varies. */
int pe_exactness_counts_vary(bool *out, struct pe_store *store, int64_t machine, int64_t benchmark,
			     struct pe_err *err);

/** The metric as it is to be judged: a copy of another kind where the promise is broken. */
const struct pe_metric *pe_exactness_metric(const struct pe_metric *metric,
					    const struct pe_exactness *kept,
					    struct pe_arena *arena);

#endif
