/*
 * Window: a grid of revisions and workloads that is measured in rounds. Each round visits every cell that
 * still wants a run once, in a freshly shuffled order, so that whatever the machine does in the meantime
 * (heat, clocks, neighbours) falls on all revisions alike. What was measured before a process was killed
 * is marked in the grid and not measured again.
 */
#ifndef PE_CORE_EXEC_WINDOW_H
#define PE_CORE_EXEC_WINDOW_H

#include "core/exec/ports.h"
#include "core/exec/runner.h"

enum {
	/** Runs with the counting library: two, for what differs between them is not the revision's. */
	PE_ALLOCATION_ROUNDS = 2,
	/** Of a benchmark whose runs of one build count differently: as many as a test of noise begins with. */
	PE_ALLOCATION_ROUNDS_NOISY = 8,
};

/** One revision at one workload. */
struct pe_grid_cell {
	size_t revision, workload; /**< indices into the grid */
	unsigned rounds;           /**< timed runs wanted in this window */
	unsigned allocation_rounds;
	bool *timed;      /**< rounds long: which are stored already; kept up to date */
	bool *counted;    /**< allocation_rounds long, likewise */
	bool failed;      /**< no more timed runs in this window */
	bool not_counted; /**< no more allocation runs in this window */
	bool ready;       /**< setup is done in this session */
	bool warm;        /**< and so are the warm-ups, which only timed runs need */
};

struct pe_grid_revision {
	const char *id, *subject;
	const char *tree; /**< absolute path of its built tree */
};

struct pe_grid {
	struct pe_grid_revision *revisions;
	size_t n_revisions;
	const struct pe_workload **workloads;
	size_t n_workloads;
	struct pe_grid_cell *cells;
	size_t n_cells;
	uint64_t seed; /**< of the order in which rounds visit the cells */
	/**
	 * Called after each timed round that made a run: it may lower the `rounds` of cells that are known well
	 * enough. NULL: all are run to the end. What it returns, if not PE_OK, ends the measuring.
	 */
	int (*between)(unsigned round, void *payload, struct pe_err *err);
	void *payload;
};

/** How far a session is, over all of its windows; the progress counts on. */
struct pe_session_count {
	size_t done, total; /**< measured runs */
	uint64_t sequence;  /**< runs made so far, warm-ups included */
};

/** A grid on its way through, round by round. All but the scratch arena is borrowed. */
struct pe_window_pass {
	struct pe_grid *grid;
	const struct pe_runner *runner;
	const struct pe_sink *sink;
	const struct pe_progress *progress;
	struct pe_session_count *count;
	struct pe_arena scratch; /**< of the run in flight; PE_ARENA_INIT */
};

/**
 * Visit some cells in a given order: first setup and warm-ups of those that had none, then a run of each. A cell
 * that has its run of that round, or failed, is passed over. Every run goes to the sink as soon as it is over.
 *
 * @param cells  n indices into the grid's cells
 * @return       as pe_window_measure()
 */
int pe_window_round(struct pe_window_pass *pass, enum pe_run_kind kind, unsigned round,
		    const size_t *cells, size_t n, struct pe_err *err);

/** pe_runner_clean_up() of all cells that were set up. */
int pe_window_clean_up(int rc, struct pe_window_pass *pass, struct pe_err *err);

/** Runs that a grid still wants. */
size_t pe_grid_missing(const struct pe_grid *grid);

/**
 * Measure what a grid still wants: setup and warm-ups, then the timed rounds, then the allocation rounds,
 * then cleanup. Every run goes to the sink as soon as it is over. The order of a round depends on the seed
 * and the round alone, so a resumed window goes on in the order it would have had.
 *
 * @return  PE_ESTOPPED after Ctrl-C (cleanup has been run after the first, not after the second); PE_ESYS,
 *          PE_EFULL; or the sink's
 */
int pe_window_measure(struct pe_grid *grid, const struct pe_runner *runner,
		      const struct pe_sink *sink, const struct pe_progress *progress,
		      struct pe_session_count *count, struct pe_err *err);

#endif
