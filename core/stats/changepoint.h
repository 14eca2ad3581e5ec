/*
 * Change points: where along a history a metric moved to another level, by how much, and how sure that is.
 *
 * Method, on logarithms (a change of 2 % is the same at any level):
 *
 *  1. Rounds: what the machine did to all commits at once is taken away (rounds.h).
 *  2. Location: each commit's readings become one value, the lower quartile, with a standard error (location.h).
 *  3. Jitter: builds of equal speed differ all the same (code layout; Mytkowicz et al., "Producing
 * wrong data without doing anything obviously wrong!", ASPLOS 2009). Its variance between commits
 * is what successive differences show beyond the standard errors; the seven largest are left out where they are
 * many times what is assumed, because in a history of few builds each difference can be a step.
 *  4. Segments: the exact penalised optimum under a robust loss (segment.h), with a penalty of
 *     alpha * ln(commits). The variance is inflated by the residuals of the levels: by their spread, and by
 *     (1 + r) / (1 - r), r their autocorrelation; the search is repeated until it stays the same.
 *  5. Changes below the smallest effect of interest are dropped, the smallest first.
 *
 * Limits of short series: two to five commits show no jitter to estimate, so an assumption takes its place
 * (prior_jitter), which the series' own value displaces as it grows; and a variance from few values is widened as
 * Student's distribution requires. A single commit can stand out as a level of its own if it was measured in rounds with
 * others, and its readings support that (staircase.h). Otherwise only the newest or oldest can: for the others the machine
 * is the likelier cause.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/reading.h"

#include <stdbool.h>

struct pe_changepoint_opts {
	double alpha;      /**< penalty per change, in units of ln(commits); 100 commits at least */
	double huber_k;    /**< deviations beyond which a commit's weight falls */
	double min_effect; /**< smallest relative change of interest; 0.005 is 0.5 % */
	double prior_jitter; /**< assumed relative deviation between builds of equal speed */
	double prior_drift; /**< the same of commits with a run each, and of a commit that shares no round */
};

#define PE_CHANGEPOINT_DEFAULTS                                                                    \
	{                                                                                          \
		3, 3, 0.005, 0.005, 0.02                                                           \
	}

/** The alpha for a search whose changes are suspects, to be confirmed by fresh runs (confirm.h). */
#define PE_CHANGEPOINT_SUSPECT_ALPHA 2.5

/** A move to another level. Levels are in the metric's unit. */
struct pe_changepoint {
	size_t index; /**< first commit of the new level */
	/** last measured commit of the old one; more than 1 before when some were not measurable */
	size_t before;
	double level_before, level_after;
	/** level_after / level_before - 1; NAN when undefined: the old level is 0 */
	double relative;
	double low, high; /**< its 95 % interval; NAN where it is unknown */
	/**
	 * The change over its standard error, signed. It and the interval are about the levels of the measured builds, computed
	 * for the found change point as if it had been given.
	 */
	double strength;
	/**
	 * Probability that the new level begins at `index` and at no other commit of the two levels, all of
	 * which were as likely before anything was measured (see pin.h); 1 for exact metrics.
	 */
	double sure;
	/** the fewest neighbouring commits that hold its beginning with 95 %, `index` among them */
	size_t first, last;
};

/**
 * Distribution of readings around a location: differences from it in the metric's unit; the deviation is from the median.
 * Floats, since they are kept for many commits, and only displayed.
 */
struct pe_spread {
	float median, q25, q75, min, max, mad;
};

/** The estimate for one commit. */
struct pe_commit_level {
	size_t n;        /**< readings that counted; with 0 the values below are NAN */
	double location; /**< without rounds and batches, in the metric's unit */
	/** its standard error, in the metric's unit; jitter between builds is not in it */
	double error;
	struct pe_spread spread; /**< of the readings, without the effects of rounds and batches */
	double level;            /**< of its segment */
	size_t component;        /**< see pe_rounds; PE_NO_COMPONENT when n is 0 */
	/**
	 * The power of "no change here": the smallest relative step, beginning at this commit, that would have
	 * been found nine times in ten (power.h). INFINITY where not even a doubling would; NAN where a change was found, and
	 * for the first commit, which has none before it.
	 */
	double least;
};

/** Of a commit without readings. */
#define PE_COMMIT_LEVEL_NONE                                                                       \
	{                                                                                          \
		.location = NAN, .error = NAN, .level = NAN, .component = PE_NO_COMPONENT,         \
		.least = NAN                                                                       \
	}

struct pe_changepoints {
	struct pe_changepoint *at; /**< ascending by index */
	size_t n;
	struct pe_commit_level *commits; /**< one a commit */
	size_t n_commits;
	/** more than 1: not all commits can be compared with each other (rounds.h); each component is judged for itself */
	size_t n_components;
	/**
	 * Values were taken as they are, not as logarithms, because not all are positive. The
	 * machine is then taken to add rather than to multiply, and a relative change is one in
	 * terms of the old level's size.
	 */
	bool linear;
	/** estimated deviation between commits beyond their errors, relative; NAN for none */
	double jitter;
	/** the readings are of several batches: each further batch tests all commits anew */
	bool several_batches;
};

/** Commits of the levels on both sides of a change: from `from` up to, not with, `to`. */
struct pe_changepoint_reach {
	size_t from, to;
};

/** How far the levels around found->at[change] reach, up to the changes next to it. */
struct pe_changepoint_reach pe_changepoint_reach(const struct pe_changepoints *found,
						 size_t change);

/** Was a commit measured, and can it be compared with those next to the change? */
bool pe_changepoint_holds(const struct pe_changepoints *found, size_t change, size_t commit);

/**
 * Find the change points of one metric of one benchmark.
 *
 * Values that are not finite are left out. Takes about as long as sorting the readings; 10,000
 * commits of 25 readings take about a second.
 *
 * @param readings  in the metric's unit, any order, any design
 * @param arena     owns the arrays of the result
 * @return          the same input gives the same answer; nothing is drawn at random
 */
struct pe_changepoints pe_changepoints_find(const struct pe_readings *readings,
					    const struct pe_changepoint_opts *opts,
					    struct pe_arena *arena);
