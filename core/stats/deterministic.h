/*
 * Deterministic: change points of metrics that are the same in every run of one build, such as counts of calls and
 * allocations. No statistics: any difference is a change. The readings decide whether a metric is of that kind.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/changepoint.h"
#include "core/stats/reading.h"

/** Smallest change to report: both must be reached. 0 and 0: any. */
struct pe_deterministic_opts {
	double min_relative; /**< of the old value; a change from 0 reaches any */
	double min_absolute; /**< in the metric's unit */
};

/** How well a metric keeps the promise that all runs of one build give one value. */
struct pe_exactness {
	size_t builds; /**< with two values or more */
	size_t broken; /**< of them: with values that differ */
	double most; /**< by which the values of one build differ most, relative to the larger one; 0: none do */
};

/**
 * Look whether runs of one build differ. Where any two do (threads, random hashes, addresses that are compared),
 * two that agree elsewhere agree by chance: no commit's values are exact, and the metric is to be judged as a noisy
 * one.
 *
 * @param readings   commits that execute the same under one number: they are one build
 * @param tolerance  relative: values that differ by no more are one value
 */
struct pe_exactness pe_deterministic_check(const struct pe_readings *readings, double tolerance,
					   struct pe_arena *arena);

/**
 * Compare each measured commit with the nearest one before it that was measured in one of its batches: values of
 * different batches cannot be compared (an epoch of app/history/series.h is one). It changed when they differ by
 * the minimum effect.
 *
 * In the result: `location` and `level` are the commit's value in its latest batch, `error` is 0; `low` and `high` are
 * the change itself, `strength` 0, since nothing was estimated. A commit without a comparable one before it begins a
 * component. Rounds are ignored.
 *
 * @param readings  in the metric's unit, all those of a commit alike (pe_deterministic_check()); values that are
 *                  not finite are left out
 * @param arena     owns the arrays of the result
 */
struct pe_changepoints pe_deterministic_find(const struct pe_readings *readings,
					     const struct pe_deterministic_opts *opts,
					     struct pe_arena *arena);
