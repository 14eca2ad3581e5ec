/*
 * Remeasure: fresh runs that answer a question. Inside an open session, given revisions are built side by side,
 * and given cells (revision, workload) are run in an order of the caller's: pairs for a confirmation, shuffled
 * triples for a bisection, rounds around a change point. Each run is stored at once, in a window like all
 * others; what a killed process had run already is given back when the same window is opened again, and not
 * run twice.
 *
 *	opts = (struct pe_remeasure_opts){.rounds = PE_CONFIRM_PAIRS, .aside = true, .expected = 50};
 *	pe_remeasure_open(&fresh, session, revisions, n, &workload, 1, &opts);
 *	for (k = 0; undecided; k++) {
 *		struct pe_remeasure_cell pair[] = {{left, 0}, {right, 0}};
 *
 *		pe_remeasure_round(fresh, k, pair, 2);
 *		feed(pe_remeasure_value(fresh, pair[0], k, "wall"),
 *		     pe_remeasure_value(fresh, pair[1], k, "wall"));
 *	}
 *	pe_remeasure_close(fresh, true);
 */
#ifndef PE_APP_MEASURE_ENGINE_H
#define PE_APP_MEASURE_ENGINE_H

#include "app/measure/session.h"

struct pe_remeasure;

/** Positions in the arrays that pe_remeasure_open() was given. */
struct pe_remeasure_cell {
	size_t revision, workload;
};

struct pe_remeasure_opts {
	/**
	 * 0: a new window. Otherwise the key of one that was opened before, with any of these revisions and
	 * workloads: its runs are there already, and others are added to it.
	 */
	int64_t window;
	unsigned rounds; /**< of a new window: rounds, of either kind, are numbered below this */
	/**
	 * The runs answer one question and take no part in the series of their benchmark, nor do they
	 * count as measured for `track`. Otherwise they are readings like all others.
	 */
	bool aside;
	size_t expected; /**< about how many runs there will be, for the progress */
	/**
	 * Build nothing yet and begin with an empty window: pe_remeasure_seat() says who is measured next. For many
	 * revisions of which few stand side by side.
	 */
	bool lazy;
	/** of a new window, by position in `revisions`: what the plan says of its cells; NULL: PE_ROLE_NEW */
	const enum pe_role *roles;
};

/**
 * Build the revisions and open a window over all of their cells. Those that do not build, or have no room
 * beside the earlier ones within the disk budget, are not seated: place the important ones first. Every slot
 * that the session held is let go of.
 *
 * @param revisions  indices into session->revisions, each once
 * @param workloads  indices into session->workloads, each once
 * @return           PE_ESTOPPED after Ctrl-C, as all of these; else the session's codes. Nothing is open then
 */
int pe_remeasure_open(struct pe_remeasure **out, struct pe_session *session,
		      const size_t *revisions, size_t n_revisions, const size_t *workloads,
		      size_t n_workloads, const struct pe_remeasure_opts *opts);

/**
 * Let go of the revisions that are seated and build others; those that are in both keep their places and need no
 * new warm-up. The window is extended by the cells of those that it does not have.
 *
 * @param which  positions in `revisions`, the important ones first
 */
int pe_remeasure_seat(struct pe_remeasure *fresh, const size_t *which, size_t n);

/** Whether revisions[i] was tried, and does not build: it never will be seated. */
bool pe_remeasure_unbuildable(const struct pe_remeasure *fresh, size_t i);

/** What holds revisions[i]: its slot, and how it was built; NULL unless it is seated. */
const struct pe_slot *pe_remeasure_slot(const struct pe_remeasure *fresh, size_t i,
					const struct pe_build **build);

/** Whether revisions[i] was built and has its place; only such ones can be run. */
bool pe_remeasure_seated(const struct pe_remeasure *fresh, size_t i);

/** The key of its window, to open it again. */
int64_t pe_remeasure_window(const struct pe_remeasure *fresh);

/** The seed of its window: what is drawn from it is the same when the window is opened again. */
uint64_t pe_remeasure_seed(const struct pe_remeasure *fresh);

/**
 * Run cells in the given order. The first time that a cell is run, its setup and warm-ups go before all runs of
 * the round. A cell that has its run of this round already, or failed in this window before, is passed over.
 *
 * @param round  a round holds each cell once at most, also over several calls
 * @return       PE_OK also when a run failed: it has no values then
 */
int pe_remeasure_round(struct pe_remeasure *fresh, unsigned round,
		       const struct pe_remeasure_cell *cells, size_t n);

/** As pe_remeasure_round(), with counting runs: of cells that want any. They are numbered apart from timed ones. */
int pe_remeasure_count(struct pe_remeasure *fresh, unsigned round,
		       const struct pe_remeasure_cell *cells, size_t n);

/** A cell's value in a round, in the metric's unit; NaN: no such run, it failed, or it lacks the metric. */
double pe_remeasure_value(const struct pe_remeasure *fresh, struct pe_remeasure_cell cell,
			  unsigned round, const char *metric);

/** Whether a cell failed in this window: it is not run again in it. */
bool pe_remeasure_failed(const struct pe_remeasure *fresh, struct pe_remeasure_cell cell);

/** Runs that were really made since it was opened, warm-ups aside. */
size_t pe_remeasure_runs(const struct pe_remeasure *fresh);

/**
 * Cleanup commands, and let go of the slots. Welcomes NULL.
 *
 * @param finished  the question is answered: the window is closed for good; false: it is to be opened again
 * @return          the first failure; it is closed all the same
 */
int pe_remeasure_close(struct pe_remeasure *fresh, bool finished);

#endif
