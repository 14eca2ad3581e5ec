/*
 * Pairs: a benchmark is run on two sides in turns, and the pairs of runs decide tests of several metrics (core/stats/confirm.h).
 * It drives confirmations, whose sides are up to three commits each, and A/B tests, whose sides are one.
 */
#pragma once

#include "app/measure/engine.h"
#include "core/stats/confirm.h"

#include <math.h>

/** The result of a test for which no pairs were needed, or none were made. */
#define PE_NO_PAIRS                                                                                \
	(struct pe_confirm_result)                                                                 \
	{                                                                                          \
		.relative = NAN, .low = NAN, .high = NAN, .confidence = NAN, .p = NAN,             \
		.least = NAN                                                                       \
	}

/** A test of one metric. */
struct pe_pair_test {
	const struct pe_metric *metric;
	struct pe_confirm confirm;
	double sums[2];    /**< of the left and the right values of all pairs that have both */
	bool absent;       /**< the runs give it no values: it takes no part */
	bool answered;     /**< by the latest pair */
	bool contradicted; /**< by the other metrics of the same runs: its answer is none */
};

/** The pairs of a benchmark. */
struct pe_pairs {
	struct pe_engine *engine;
	const struct pe_benchmark *benchmark;
	size_t which;                  /**< its index in the session */
	struct pe_confirm_sides sides; /**< revisions of the session */
	struct pe_pair_test *tests;
	size_t n_tests;
};

/** The cells of one pair. */
struct pe_pair {
	struct pe_cell *left, *right;
	bool right_first;
};

/** The k-th pair, by the seed of the engine's batch. */
struct pe_pair pe_pairs_at(const struct pe_pairs *pairs, unsigned k);

/** Whether a test needs further pairs. */
bool pe_pair_test_is_open(const struct pe_pair_test *test);

/** Pairs until the next look of each open test: of those that take counting runs, or of those that take timed ones. */
size_t pe_pairs_needed(const struct pe_pairs *pairs, bool counted);

/** Run the k-th pair in the ways that open tests need, and feed them. Nothing where a side is not loaded, or failed. */
int pe_pairs_run(const struct pe_pairs *pairs, unsigned k);

/**
 * Whether other load on the machine explains the change of wall time that a test found, by the processor time and the context
 * switches of the same pairs (pe_compare_is_denied()). false for other metrics.
 *
 * @param n             pairs that were run, from the first on
 * @param instructions  exact, relative; NAN: unknown
 */
bool pe_pairs_deny(const struct pe_pairs *pairs, const struct pe_pair_test *test, unsigned n,
		   double instructions);
