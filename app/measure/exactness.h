/*
 * Exactness: whether a metric that should be the same in every run of one build is so, by all of its stored values. A
 * program with threads, random hashes or a garbage collector counts differently each time; then the metric is a noisy one
 * of that benchmark on that machine, in every command.
 */
#pragma once

#include "core/stats/deterministic.h"
#include "store/store.h"

/**
 * Compute the exactness of a series.
 *
 * @param at       every stored observation of one benchmark and metric on one machine
 * @param reused   of that machine, ordered as pe_store_reused() does: revisions that execute the same are one build
 * @param metric   whose pe_metric_tolerance() limits the spread of values of one build
 */
struct pe_exactness pe_exactness_of(const struct pe_observation *at, size_t n,
				    const struct pe_coverage *reused, size_t n_reused,
				    int64_t benchmark, const struct pe_metric *metric);

/**
 * Compute the exactness of a metric from the store. For metrics that are not meant to be exact nothing is read, and no
 * build is counted as broken.
 */
int pe_exactness_load(struct pe_exactness *out, struct pe_store *store, int64_t machine,
		      int64_t benchmark, const struct pe_metric *metric, struct pe_err *err);

/**
 * Load the values of a metric at two revisions: the means over the runs of the latest epoch that has both.
 *
 * @param values     NaN: no epoch has both
 * @param vary       the metric is meant to be exact, and is not: its values prove nothing
 * @param revisions  keys
 */
int pe_exactness_load_two(double values[2], bool *vary, struct pe_store *store,
			  const struct pe_series_query *query, const struct pe_metric *metric,
			  const int64_t revisions[2], struct pe_err *err);

/** Whether any count of a benchmark (pe_metric_is_counted()) varies. */
int pe_exactness_counts_vary(bool *out, struct pe_store *store, int64_t machine, int64_t benchmark,
			     struct pe_err *err);

/** The metric as it is to be judged: a noisy copy where it is not exact. */
const struct pe_metric *pe_exactness_metric(const struct pe_metric *metric,
					    const struct pe_exactness *kept,
					    struct pe_arena *arena);
