/*
 * Costs: the seconds that building and measuring are expected to take, by what the store knows of this machine. A
 * revision that lies built in its slot costs nothing to build; one that was built before costs what that took; any
 * other costs what its neighbours in history took. Runs cost the time that passed, launching and storing included.
 */
#ifndef PE_APP_MEASURE_COSTS_H
#define PE_APP_MEASURE_COSTS_H

#include "app/measure/plan.h"

/** Seconds of what is done for one cell of a benchmark; NaN: not known. */
struct pe_cell_cost {
	double timed_s, counted_s; /**< one run */
	double ready_s;            /**< setup and cleanup, once a cell and batch */
	double warmup_s;           /**< one warm-up */
	double probe_s;            /**< finding out whether results can be reused */
	double needed; /**< part of its repeats after which a cell is known well enough, in (0, 1] */
	double reused; /**< part of the built cells that need no runs, in [0, 1) */
};

struct pe_session_costs {
	double *build_s;           /**< by revision of the session; NaN: not known */
	struct pe_cell_cost *cell; /**< by benchmark of the session */
};

/** Read what is known, for the session's revisions and benchmarks. In the session's arena; as the store. */
int pe_session_costs_load(struct pe_session_costs *out, struct pe_session *session,
			  const struct pe_known *known);

/**
 * Seconds of so many timed and counting runs of a cell whose build is there, with all that goes before and after them.
 *
 * @param fresh  nothing of it was measured before: it may turn out to need no runs
 */
double pe_cell_cost_of(const struct pe_cell_cost *cost, const struct pe_benchmark *benchmark,
		       double timed, double counted, bool fresh);

#endif
