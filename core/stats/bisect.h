/*
 * Bisect: find the commit of a line that moved a metric to another level, from as few noisy readings as possible. It
 * assumes a single step; steps.h searches for several with it.
 *
 * The level changed at one of the n - 1 *places* between neighbours: place k is between revision k - 1 and revision k,
 * which is the culprit. Every place has a probability; each reading of a revision raises that of all places on one side
 * of it against those on the other (noisy binary search: Burnashev and Zigangirov, "An interval estimation problem for
 * controlled observations", Problems of Information Transmission 10 (1974); Waeber, Frazier and Henderson, "Bisection
 * search with noisy responses", SIAM J. Control Optim. 51 (2013)). The likelihood of a reading comes from two-level
 * (twolevel.h), which learns the levels, the noise and the machine's drift on the way; "there is no change at all" is one
 * of the hypotheses.
 *
 * The next revision is the one with the largest expected information about the place per cost, a missing build being part
 * of the cost; or an end (or any revision whose side is certain) when better estimates of the levels will save more than
 * the run costs. No revision is read twice in a row: the machine's state at that time would count twice.
 *
 * Weights express that commits are not equally likely beforehand. Half of the probability is shared out evenly all the same
 * (pe_bisect_temper()): a wrong prior costs a bit or two of evidence, and one or two answers in a hundred
 * (docs/judging.md).
 *
 *
 * Pure arithmetic: the caller measures the revisions of pe_bisect_next(), and feeds their readings; readings from earlier
 * sessions are fed first. The same readings in the same order give the same answers.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/confirm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pe_bisect_answer {
	PE_BISECT_GO_ON,
	/** as certain as required; a range of places where no measurable revision is between them */
	PE_BISECT_FOUND,
	PE_BISECT_SAME,  /**< the ends do not differ, or by less than matters */
	PE_BISECT_SPENT, /**< the run budget is exhausted; the result so far is reported */
	PE_BISECT_STUCK, /**< an end cannot be measured */
	PE_BISECT_SMALL, /**< steps.h: the ends differ, by steps that are each less than matters */
};

/** "going on", "found", "no difference", "runs spent", "cannot be measured", "small steps". */
const char *pe_bisect_answer_name(enum pe_bisect_answer answer);

struct pe_bisect_opts {
	double confidence; /**< that ends it, in (0.5, 1) */
	double min_effect; /**< smallest relative change that matters */
	size_t max_runs; /**< readings fed by pe_bisect_feed(), without those of earlier sessions */
	/**
	 * The metric does not vary: plain binary search, by cost. The ends are read twice; should two readings of a
	 * build differ, it is not exact, and the caller is to begin again.
	 */
	bool exact;
	bool once; /**< the metric does not vary: the ends are read once */
	/** 0: logarithms of positive values; otherwise shares of this size (the old level) */
	double unit;
	double builds; /**< relative standard deviation between builds of equal code */
	double none;   /**< prior probability that the ends do not differ */
	uint64_t seed; /**< of the order of the ends' runs */
};

#define PE_BISECT_DEFAULTS                                                                         \
	{                                                                                          \
		0.95, 0.03, 400, false, false, 0, 0.003, 0.3, 1                                    \
	}

/** A line of revisions, oldest first, as all searches on it have it. */
struct pe_bisect_line {
	size_t n;       /**< at least 2: the first is the old end, the last the new one */
	double *weight; /**< prior: that of place k at [k], [0] unused; all alike at first */
	size_t *build;  /**< by revision: the first one that executes the same */
	bool *skipped;  /**< it cannot be measured: it is not asked for any more */
	/** What measuring costs, in any unit, 1 at first: one reading */
	double *run_cost;
	/** The same: what comes before the first reading; 0 where it is done, and at first */
	double *build_cost;
};

/** In the arena. Its owner fills in the weights before a search begins, and all else at any time. */
struct pe_bisect_line *pe_bisect_line_new(size_t n, struct pe_arena *arena);

/** A revision executes the same as the one before it: the change is not between them. i > 0. */
void pe_bisect_line_same(struct pe_bisect_line *line, size_t i);

/** The cheapest revision, of those from one on and before `end` that execute the same, that can be measured; SIZE_MAX: none. */
size_t pe_bisect_line_cheapest(const struct pe_bisect_line *line, size_t from, size_t end);

struct pe_bisect;

/**
 * How far prior weights, or a hypothesis, are believed; the rest of the probability is shared out evenly. With a half,
 * answers that are wrong one time in twenty are so one time in ten at most if all priors mislead; simulated, it is one or
 * two in a hundred more (docs/judging.md).
 */
#define PE_BISECT_TRUST 0.5

/**
 * Make prior weights that sum up to 1, and of which a part is shared evenly: so an unlikely place needs only a few bits of
 * evidence more than the others.
 *
 * @param weights  n of them, that of place k at [k], [0] unused
 * @param trust    the part that is not shared, in [0, 1)
 */
void pe_bisect_temper(double *weights, size_t n, double trust);

/** Give a part of all probability to the places first..last, for weights as pe_bisect_temper() leaves them. */
void pe_bisect_suppose(double *weights, size_t n, size_t first, size_t last, double trust);

/**
 * Begin a search among the revisions first..last of a line, which counts them from 0.
 *
 * @param line   borrowed
 * @param arena  owns it
 */
struct pe_bisect *pe_bisect_new(const struct pe_bisect_line *line, size_t first, size_t last,
				const struct pe_bisect_opts *opts, struct pe_arena *arena);

/** Release what the arena does not own. NULL is allowed. */
void pe_bisect_free(struct pe_bisect *bisect);

struct pe_bisect_reading {
	size_t revision;
	/** readings of one batch, one after the other, share the machine's state; it is unknown at the next */
	int64_t batch;
	double value;
	bool stored; /**< of an earlier session: it does not count as a run */
};

/** Take a reading. One that is not finite, or not positive where logarithms are taken, is left out. */
void pe_bisect_feed(struct pe_bisect *bisect, const struct pe_bisect_reading *reading);

/**
 * What now?
 *
 * @param revision  PE_BISECT_GO_ON: the one to measure; also its set-up may fail: it is skipped then
 */
enum pe_bisect_answer pe_bisect_next(struct pe_bisect *bisect, size_t *revision);

/** Places that is unknown apart, for nothing between them can be measured. */
struct pe_bisect_group {
	size_t first, last; /**< culprits: one of first..last */
	double probability;
};

/**
 * All groups that have at least a chance of `least`, most probable first.
 *
 * @param out  room for n - 1
 */
size_t pe_bisect_groups(struct pe_bisect_group *out, const struct pe_bisect *bisect, double least);

struct pe_bisect_result {
	enum pe_bisect_answer answer; /**< as pe_bisect_next() gave it last */
	struct pe_bisect_group group; /**< the most probable one */
	double none;                  /**< probability that there is no change */
	/** From the old level to the new one and its 95 % interval; 0.05 is +5 %. NaN: unknown */
	double relative, low, high;
	double old_level, new_level; /**< in the metric's unit; at the time of the last batch */
	double noise;                /**< of single runs, relative; 0: exact */
	size_t runs;                 /**< fed, without stored ones */
	/** The ends against each other, paired in the order of measuring; looks is 0 before the first look */
	struct pe_confirm ends;
};

/** The result of the readings so far. */
struct pe_bisect_result pe_bisect_result(const struct pe_bisect *bisect);
