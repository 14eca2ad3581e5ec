/*
 * Steps: find all commits of a line that moved a metric, from as few readings as possible.
 *
 * A reading is a value of a revision; the readings of two revisions give their difference, with its error. In a range of
 * revisions whose ends differ bisect.h finds the place of one step. It is a step of the line if the revisions next to it
 * are at the levels of the range's ends; the range is cut at one that is not, and both parts are ranges of their own. So
 * the number of steps is that of the ranges whose ends differ and that are not cut. The next reading is for the range whose
 * ends differ most: the most informative revision for its step, then the step's neighbours in turn with the range's ends.
 *
 * A cut divides the range's probability of error among its parts: all steps together are as sure as required. Steps that
 * cancel each other, so that no revision between them is read, are not part of the difference and are not searched for.
 *
 * It ends: each cut is at a revision within a range, so that there are less than n; and pe_steps_next() requests less than
 * opts.bisect.max_runs readings. An exact metric takes one of each revision at most, and one more of either end.
 *
 * Pure arithmetic, as bisect.h: readings are requested and fed one by one.
 */
#pragma once

#include "core/stats/bisect.h"

/** Which of the steps are looked for. */
enum pe_steps_want {
	PE_STEPS_ALL,     /**< the ranges whose ends differ most first */
	PE_STEPS_LARGEST, /**< until no range that is left can have a larger one */
	PE_STEPS_FIRST,   /**< from the old end on, until one is found */
};

struct pe_steps_opts {
	struct pe_bisect_opts bisect;
	enum pe_steps_want want;
	/** steps below this part of what the ends differ by are not looked for, however little matters */
	double least_share;
};

struct pe_steps;

/** @param line  borrowed */
struct pe_steps *pe_steps_new(const struct pe_bisect_line *line, const struct pe_steps_opts *opts,
			      struct pe_arena *arena);

/** Release what the arena does not own; NULL is allowed. */
void pe_steps_free(struct pe_steps *steps);

/** As pe_bisect_feed(). A reading that is left out counts as a run all the same. */
void pe_steps_feed(struct pe_steps *steps, const struct pe_bisect_reading *reading);

/**
 * The next action. PE_BISECT_FOUND: all required steps were found; PE_BISECT_SMALL: the ends differ, and no step is
 * large enough to report.
 *
 * @param revision  PE_BISECT_GO_ON: the one to measure, as pe_bisect_next() has it
 */
enum pe_bisect_answer pe_steps_next(struct pe_steps *steps, size_t *revision);

/** The result of the range that is searched now; its group is of the line. */
struct pe_bisect_result pe_steps_now(const struct pe_steps *steps);

/** A step, or where the search for one stands. */
struct pe_step {
	struct pe_bisect_result result;
	/** Where else it may be, the most probable first, itself included */
	struct pe_bisect_group *groups;
	size_t n_groups;
	double others; /**< probability of another step of interest next to it, where that could not be decided */
};

/** A difference between two revisions that no step explains. */
struct pe_steps_rest {
	size_t first, last;             /**< the change is at one of the revisions behind `first` */
	struct pe_bisect_result result; /**< relative and the levels; no group */
	bool searched;                  /**< to its end: it is made of steps less than matter */
};

struct pe_steps_result {
	enum pe_bisect_answer answer; /**< as pe_steps_next() gave it last */
	struct pe_bisect_result
		range;         /**< of the ends of the line; its group is that of the first step */
	struct pe_step *steps; /**< that were found, from the old end on */
	size_t n;
	struct pe_step at; /**< where the search stands; n_groups is 0 at its end */
	struct pe_steps_rest
		*rests; /**< differences between the steps that are known not to be 0 */
	size_t n_rests;
	double least; /**< relative to the old end: steps below it were not looked for */
	bool partial; /**< some ranges whose ends differ were not searched to their end */
};

/**
 * The result of the readings so far.
 *
 * @param least  groups of less probability are left out
 * @param arena  owns the arrays
 */
struct pe_steps_result pe_steps_result(const struct pe_steps *steps, double least,
				       struct pe_arena *arena);
