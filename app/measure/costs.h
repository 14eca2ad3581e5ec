/*
 * Costs: the seconds that building and measuring are expected to take, by the store's records of this machine. A revision
 * whose build is in its slot costs nothing to build; one that was built before costs its earlier duration; any other
 * costs what most builds took. Runs cost elapsed time, launching and storing included.
 */
#pragma once

#include "app/measure/plan.h"

/** Seconds of the steps for one cell of a benchmark; NaN: unknown. */
struct pe_cell_cost {
	double timed_s, counted_s; /**< one run */
	double ready_s;            /**< setup and cleanup, once a cell and batch */
	double warmup_s;           /**< one warm-up */
	double probe_s;            /**< a probe for reuse */
	double needed; /**< share of its repeats after which a cell's value is precise enough, in (0, 1] */
	double reused; /**< share of the built cells that need no runs, in [0, 1) */
};

struct pe_session_costs {
	double *build_s;           /**< by revision of the session; NaN: unknown */
	struct pe_cell_cost *cell; /**< by benchmark of the session */
};

/** Load the costs of the session's revisions and benchmarks. In the session's arena; fails as the store. */
int pe_session_costs_load(struct pe_session_costs *out, struct pe_session *session,
			  const struct pe_known *known);

/**
 * Seconds of timed and counting runs of a built cell, with all steps before and after them.
 *
 * @param fresh  the cell has no results yet: it may turn out to need no runs
 */
double pe_cell_cost_of(const struct pe_cell_cost *cost, const struct pe_benchmark *benchmark,
		       double timed, double counted, bool fresh);
