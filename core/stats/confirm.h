/*
 * Confirm: a suspected jump is measured afresh, both sides in random pairs in one session, until it is known
 * whether it is there.
 *
 * A suspect was picked because its readings looked like a change: they cannot confirm it once more.
 * The fresh pairs can: they did not take part in the picking, and what the machine does to both runs of a pair
 * cancels. An exact one-sided signed-rank test (signed_rank.h), in the direction that is suspected, looks at
 * 8, 12, 18, 27, 40, 60, 90 and 135 pairs and stops as soon as it knows, either way. The
 * chance of confirming what is not there is at most 8 * 0.004, and 0.019 in fact, at 25 pairs in the mean.
 *
 * Commits that vouch for a side are the three nearest to the change that are surely on it: builds of equal
 * speed differ (code layout), and the change point may be off.
 *
 * What stops a session loses nothing: the caller keeps the pairs in the order they were planned, and feeds
 * them again to a new struct pe_confirm, with the same options or, for a stricter answer, with a smaller
 * `accept`. Metrics of exact counts need none of this (deterministic.h).
 */
#pragma once

#include "core/stats/changepoint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Pairs at the last look. */
#define PE_CONFIRM_PAIRS 135
#define PE_CONFIRM_LOOKS 8
/** Rounds that a session plans at most: pairs that fail are passed over. */
#define PE_CONFIRM_ROUNDS (PE_CONFIRM_PAIRS + 45)

enum pe_confirm_answer {
	PE_CONFIRM_GO_ON,
	PE_CONFIRMED, /**< in the suspected direction, or with `both_ways` in that of the estimate */
	PE_REFUTED,   /**< nothing to see, or less than the smallest effect of interest */
	/** all pairs are spent; pe_confirm_result() has how many more would be needed */
	PE_CONFIRM_UNDECIDED,
};

struct pe_confirm_opts {
	double accept; /**< confirmed at a look whose p is at most this */
	/** refuted at a look of 12 pairs or more whose p is above this, if it contradicts `suspected` too */
	double give_up;
	/**
	 * Relative size of the suspected change; its sign is ignored. A look refutes only where three quarters of it (a
	 * suspect was picked for its size, and is seldom quite as large) are unlikely, by p <= 0.02: in much noise a dozen
	 * pairs decide nothing. 0: unknown, give_up decides alone.
	 */
	double suspected;
	/**
	 * Refuted by a p above `give_up` only where pe_confirm_result.least is at most this. 0: where it is anything.
	 */
	double precise;
	/** A change in the other direction is confirmed by `accept`, too, and while it is likely, nothing is refuted. */
	bool both_ways;
	/** smallest relative change of interest: an estimate below it is not confirmed */
	double min_effect;
	/**
	 * Relative change that is put down to the builds, not to the code: the test is of more than this. Fresh
	 * runs find every difference between builds, and those of equal code differ by some tenths of a
	 * percent (code layout).
	 */
	double margin;
	/** 0: ratios of positive values; otherwise differences, relative to this size (the old level) */
	double unit;
};

#define PE_CONFIRM_DEFAULTS                                                                        \
	{                                                                                          \
		.accept = 0.004, .give_up = 0.3, .min_effect = 0.005, .margin = 0.0025             \
	}

/** Plain data, nothing to release; the fields are to be read only. */
struct pe_confirm {
	struct pe_confirm_opts opts;
	int direction; /**< 1: up is suspected, -1: down */
	double difference[PE_CONFIRM_PAIRS];
	size_t n;     /**< pairs that counted */
	size_t looks; /**< done */
	/** one a look done: of the one-sided test; with `both_ways` the smaller of the two */
	double p[PE_CONFIRM_LOOKS];
	enum pe_confirm_answer answer;
};

/** Begin. @param direction  the sign of the suspected change; not 0 */
void pe_confirm_begin(struct pe_confirm *confirm, int direction,
		      const struct pe_confirm_opts *opts);

/**
 * Feed one pair's values, in the metric's unit.
 *
 * A pair with a value that is not finite, or not positive where ratios are taken, does not count; nor does any
 * after the answer.
 *
 * @return  the answer so far
 */
enum pe_confirm_answer pe_confirm_feed(struct pe_confirm *confirm, double left, double right);

/** How many more pairs the next look needs; 0 once there is an answer. */
size_t pe_confirm_needed(const struct pe_confirm *confirm);

/** The result at the last look; NAN (and 0 for confidence) before the first. */
struct pe_confirm_result {
	size_t pairs; /**< that this rests on */
	/** of the right side against the left; 0.05 is +5 %. Hodges and Lehmann's estimate */
	double relative;
	/**
	 * Its interval, which holds at all looks at once (repeated confidence intervals: Jennison and Turnbull,
	 * JRSS B 51 (1989)), so also at the one that happened to be the last: 0.05 of missing are shared out
	 * among the looks, the first taking what the range of eight differences needs.
	 */
	double low, high;
	double confidence; /**< of the interval; at least 0.95 */
	/** of the whole test, whenever and why ever it stopped: the smallest of the looks' times their number */
	double p;
	/** smallest relative change, in the suspected direction, that as many pairs of this noise confirm nine
	 * times in ten: the power of a refutation */
	double least;
	/** undecided: about how many more pairs decide it nine times in ten, if the estimate is the truth; 0
	 * otherwise */
	size_t more;
};

/** The answer of the pairs so far. */
struct pe_confirm_result pe_confirm_result(const struct pe_confirm *confirm);

/** Who vouches for either side: one commit at least, nearest to the change first. */
struct pe_confirm_sides {
	size_t left[3], right[3];
	size_t n_left, n_right;
};

/**
 * The last three measured commits that are surely before a change (before its `first`) and the first three
 * that are surely not (from its `last` on), or as many as there are up to the next change or the seam to
 * commits that cannot be compared. Those between would be as likely on the wrong side, and hide the change.
 *
 * @param found   what pe_changepoints_find() returned
 * @param change  index into found->at
 */
struct pe_confirm_sides pe_confirm_sides(const struct pe_changepoints *found, size_t change);

/**
 * Options for a suspect: its size, its scale, and a margin of one deviation of the difference between the means
 * of as many builds as vouch (at 0.3 % each, or the jitter that the history shows); of two where the readings are of
 * several batches, or the commits had never met in a round.
 *
 * @param sides  the builds that are run, one at least on each side
 */
struct pe_confirm_opts pe_confirm_opts_of(const struct pe_changepoints *found, size_t change,
					  const struct pe_confirm_sides *sides, double min_effect);

/**
 * Options for one of n tests of a gate. A gate judges without a human look at the series, so that its tests have to err more
 * rarely than those of a suspect: all looks of all tests together find a change, in either direction, where there is none in
 * 1 of 1,000 gates, and the first look that can has 18 pairs, enough for processor time and switches to contradict it.
 *
 * @param precise  refuted is only what would have been detected from this size on: in much noise a dozen pairs decide nothing
 */
struct pe_confirm_opts pe_confirm_gate_opts(size_t n_tests, double precise);

struct pe_confirm_pair {
	size_t left, right; /**< commits */
	bool right_first;
};

/**
 * The k-th pair of a plan, k from 0. Each combination of left and right occurs once in every n_left * n_right
 * pairs, in an order that is drawn, and with its two runs in the opposite order in the next as many.
 *
 * @param seed  one seed gives one plan, wherever it is taken up again
 */
struct pe_confirm_pair pe_confirm_pair(const struct pe_confirm_sides *sides, size_t k,
				       uint64_t seed);
