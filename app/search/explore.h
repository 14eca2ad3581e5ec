/*
 * Explore: adaptive measuring of a long range. Batch by batch (core/stats/explore.h), the most informative revisions
 * are built side by side and run, each until its level is known well enough, all in one batch that grows. The next
 * batch follows from the store, so that a killed process continues where it was, and a second one that finds everything
 * decided or the budget spent measures nothing. Where jumps are confirmed afterwards, a part of the runs is kept for that.
 */
#pragma once

#include "app/measure/session.h"

/** Share of the runs of all revisions that is spent unless the user sets another, confirmations included. */
#define PE_EXPLORE_SHARE 0.25

/** Unless the user gives a budget, gaps below this part of a range are not looked into for changes that cancel each other. */
#define PE_EXPLORE_LEAST_GAP 0.05

struct pe_track_request;

/** What is about to happen, and what was done. */
struct pe_explore_outcome {
	size_t revisions; /**< of the range that can be measured */
	size_t known;     /**< of them: measured, or execute the same as one that is */
	size_t runs_left; /**< timed runs of the budget */
	size_t runs;      /**< made */
	size_t open;      /**< jumps whose sides are not neighbours */
	bool decided; /**< every change above the smallest of interest is pinned, or there is none */
	bool complete; /**< nothing is left that could tell anything */
	bool out_of_time;
	bool by_time; /**< a budget of time ends it, not one of runs */
	/** Of a plan: the most that the budget takes. NaN: the store cannot tell */
	size_t builds;
	double build_s, run_s;
};

/** Whether some wanted revision was chosen by adaptive measuring before. */
int pe_explore_was(bool *out, struct pe_session *session);

/** Fill in the work to do; measures nothing. */
int pe_explore_plan(struct pe_explore_outcome *out, struct pe_session *session,
		    const struct pe_track_request *request);

/** Measure. PE_ESTOPPED after Ctrl-C; as pe_session_measure(). */
int pe_explore_measure(struct pe_explore_outcome *out, struct pe_session *session,
		       const struct pe_track_request *request);
