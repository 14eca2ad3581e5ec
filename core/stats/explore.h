/*
 * Explore: choose revisions of a long line to measure, so that every jump is pinned to one commit with a small part of the
 * runs that measuring all of them takes.
 *
 * A batch at a time, each for some rounds over its revisions:
 *
 *  1. the ends and a coarse grid between them, closer where the prior expects a change;
 *  2. for each jump that the search found (changepoint.h, deterministic.h), the revision between its two sides that halves
 *     the probability of its place: bisection of all jumps side by side. A jump whose place among measured revisions is
 *     not sure is halved over the whole stretch that holds it with 95 %;
 *  3. besides, the ends of each stretch of one level, until the smallest step of interest could not hide in it: wherever
 *     in the stretch it is, it makes the ends differ;
 *  4. when no jump is left to halve, the largest gap in which one may hide: two jumps that cancel (+10 %, -10 %) are
 *     between measured revisions of one level.
 *
 * Revisions measured on different days cannot be compared (rounds.h): so measured revisions are measured again with new
 * ones, the two sides of each jump above all, whose levels become more certain by it. Better still, the batches of one
 * session are one batch with consecutive rounds: the machine's change in between is then small, and the rounds show it.
 * Few runs a batch are enough, since those of the next ones add to them: simulated, two or three at a time found more
 * than ten did, with as many runs in all (bench/simulate_explore.c). A wrong turn corrects itself: the side that was
 * misjudged is measured again in the next batch.
 *
 * Pure arithmetic: the caller measures, searches again with all readings, and requests the next batch. Its findings are
 * suspects, to be confirmed (confirm.h) and pinned (pin.h) like any others.
 */
#pragma once

#include "core/base/arena.h"
#include "core/stats/changepoint.h"

#include <stdbool.h>
#include <stddef.h>

/** The alpha to search with between batches: a suspect more costs a few runs, one less is lost. */
#define PE_EXPLORE_ALPHA 1

enum pe_explore_why {
	PE_EXPLORE_ENDS,
	PE_EXPLORE_GRID,
	PE_EXPLORE_REFINE, /**< halves the place of a jump */
	PE_EXPLORE_CANCEL, /**< the widest or most suspicious gap between revisions of one level */
	PE_EXPLORE_LEVEL, /**< measured before, and again to see a step that hides in its stretch of one level */
	PE_EXPLORE_COMPANY, /**< measured before, and again to tie the batch to the others */
};

enum pe_explore_answer {
	PE_EXPLORE_GO_ON,
	PE_EXPLORE_SPENT,    /**< the runs that are left do for no further batch */
	PE_EXPLORE_DECIDED,  /**< `min_effect` and `least_gap` are reached everywhere */
	PE_EXPLORE_COMPLETE, /**< no revision is left that could add information */
};

struct pe_explore_revision {
	/** how likely the metrics changed here, in any unit >= 0; 0 is unlikely, not impossible */
	double weight;
	/** a revision that executes the same, the oldest one known; its own index when there is none */
	size_t same;
	bool measured; /**< itself; revisions that execute the same are known by it */
	bool lost;     /**< cannot be measured: not built, failed */
	/**
	 * the cost of measuring it, its build included, in any unit; 0 or not finite: unknown. Where costs differ, a place is
	 * halved by information for the cost
	 */
	double cost;
};

struct pe_explore_opts {
	size_t slots;   /**< revisions that a batch holds, company included; at least 4 */
	size_t repeats; /**< runs of each revision in a batch, at most (see pe_explore_enough()) */
	size_t runs_left; /**< of the budget; each revision of a batch is counted with `repeats` */
	size_t grid; /**< revisions of ends and grid; 0: 10, and one more for every 25 revisions */
	/** relative change that the grid and the search for cancelling pairs are to tell apart */
	double min_effect;
	/**
	 * Gaps between revisions of one level are looked into, when no jump is left to halve, while they hold more than this
	 * part of all places: shorter ones may hide two changes that cancel each other. 0: all of them
	 */
	double least_gap;
	bool ends_first; /**< the first batch is the ends alone: their difference is known while the others are built */
};

#define PE_EXPLORE_DEFAULTS                                                                        \
	{                                                                                          \
		16, 3, SIZE_MAX, 0, 0.02, 0, false                                                 \
	}

struct pe_explore_pick {
	size_t revision;
	enum pe_explore_why why;
	/** relative change that these runs have to resolve: the `want` of pe_explore_enough() */
	double want;
	/**
	 * REFINE: the sides of the jump; GRID, CANCEL: the nearest known revisions around it, or itself where there
	 * are none; otherwise itself
	 */
	size_t left, right;
};

struct pe_explore_batch {
	struct pe_explore_pick *at; /**< the revisions of the next rounds, ascending */
	size_t n;                   /**< 0 unless the answer is PE_EXPLORE_GO_ON */
	enum pe_explore_answer answer;
	size_t open; /**< jumps whose sides are not neighbours yet */
};

/**
 * The next batch. O(n log n) and a pass over each series.
 *
 * Every requested revision that is not company has to come back as measured or lost, or it is requested again.
 *
 * @param revisions  one a revision, oldest first
 * @param found      what was found in the readings so far, one a metric (of one or more benchmarks that are
 *                   measured together); searched with PE_EXPLORE_ALPHA. Commits are revisions
 * @param arena      owns the batch
 * @return           deterministic; revisions that are measured, lost, or execute the same as a measured one are
 *                   requested only as company (and only measured ones are)
 */
struct pe_explore_batch pe_explore_next(const struct pe_explore_revision *revisions, size_t n,
					const struct pe_changepoints *const *found, size_t n_found,
					const struct pe_explore_opts *opts, struct pe_arena *arena);

/**
 * The revision of a line that halves the places between two others, as nearly as can be; SIZE_MAX: none can be measured.
 * Where costs differ, the one that tells most for its cost: one that is built already, though it be a little off the middle.
 */
size_t pe_explore_halve(const struct pe_explore_revision *revisions, size_t n, size_t left,
			size_t right);

/**
 * Runs of a budget that are better kept to confirm the jumps in sight and to pin them to their commits: about 60
 * a jump (36 to 140 were seen), but a third at most, and only of what is more than two and a half
 * runs a revision: what is not found cannot be confirmed, and with fewer, steps of the size of the noise are not
 * (bench/simulate_explore.c).
 */
size_t pe_explore_reserve(size_t budget, size_t revisions, size_t jumps);

struct pe_explore_enough_opts {
	size_t least; /**< runs of each commit before anything is enough */
	size_t most;  /**< runs of each commit after which everything is */
};

#define PE_EXPLORE_ENOUGH_DEFAULTS                                                                 \
	{                                                                                          \
		5, 25                                                                              \
	}

/**
 * Find the commits of a batch with enough runs: the half width of the 95 % interval of their location, after the rounds'
 * effect is removed, is at most half of `want`. Then two of them that differ by `want` can be told apart.
 *
 * Called between rounds. A commit with enough runs takes no part in the next ones; it may do so again when later rounds
 * show more noise, which does no harm. Adaptive measuring calls it with the readings of the batch, `least` 2 and `most`
 * the repeats of pe_explore_opts.
 *
 * @param enough    one a commit; left false for those without readings. Readings are of one metric
 * @param batch    the readings of one batch
 * @param want      one a commit: relative change, > 0
 * @param opts      PE_EXPLORE_ENOUGH_DEFAULTS for a newest commit that is to
 *                  be judged in its own night: ordinary noise shows 2 % after ten runs in three nights of ten and
 *                  after fifteen in five, in the end always (bench/simulate_newest.c)
 * @return          how many are enough
 */
size_t pe_explore_enough(bool *enough, const struct pe_readings *batch, const double *want,
			 const struct pe_explore_enough_opts *opts);
