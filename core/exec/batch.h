/*
 * Batch: cells (a revision, a benchmark) that are run in rounds, so that whatever the machine does in the meantime
 * (heat, clocks, neighbours) falls on all revisions alike. Setup and warm-ups come before all runs of a round, every
 * run goes to the sink as soon as it is over, and cleanup runs whenever setup ran. What is run in which round is the
 * caller's (app/measure/engine.h).
 */
#ifndef PE_CORE_EXEC_BATCH_H
#define PE_CORE_EXEC_BATCH_H

#include "core/exec/ports.h"
#include "core/exec/runner.h"
#include "core/model/spending.h"

enum {
	/** Counting runs: two, for what differs between them is not the revision's. */
	PE_COUNTED_ROUNDS = 2,
	/** Of a benchmark whose runs of one build count differently: as many as a test of noise begins with. */
	PE_COUNTED_ROUNDS_NOISY = 8,
};

/** A suite at a revision: what its cells share. */
struct pe_grid_suite {
	bool ready;                         /**< setup is done in this session */
	unsigned left_behind;               /**< as in struct pe_grid_cell */
	bool asked;                         /**< its program was asked to list its benchmarks */
	const struct pe_member_name *names; /**< the list; NULL: the program cannot list them */
	size_t n_names;
};

/** One revision at one benchmark. */
struct pe_grid_cell {
	size_t revision, benchmark; /**< indices into the pass */
	unsigned rounds;            /**< timed runs wanted in this batch */
	unsigned counted_rounds;
	unsigned
		simulated_rounds; /**< of these: the first in which instructions are counted, too */
	bool *timed;              /**< rounds long: which are stored already; kept up to date */
	bool *counted;            /**< counted_rounds long: whether each was counted */
	bool failed;              /**< no more timed runs in this batch */
	bool absent;              /**< the revision does not have it: failed is true, too */
	bool not_counted;         /**< no more counting runs in this batch */
	bool ready;               /**< setup is done in this session */
	unsigned left_behind; /**< processes that it left running, and that were ended with it */
	bool warm;            /**< and so are the warm-ups, which only timed runs need */
	/** of a member of a suite: shared by all that are its members at this revision; else NULL */
	struct pe_grid_suite *suite;
};

/** Runs that a cell still wants. */
size_t pe_grid_cell_missing(const struct pe_grid_cell *cell);

struct pe_grid_revision {
	const char *id, *subject;
	const char *tree; /**< absolute path of its built tree */
	size_t place;     /**< among those that are measured in turn, from 1 */
};

/** How far a session is, over all of its batches; the progress counts on. */
struct pe_session_count {
	size_t done, total; /**< measured runs */
	bool open; /**< more runs were needed than were expected, and their number is unknown */
	uint64_t sequence; /**< runs made so far, warm-ups included */
};

/** A batch on its way through, round by round. All but the scratch arena is borrowed. */
struct pe_batch_pass {
	const struct pe_grid_revision *revisions;
	size_t n_places; /**< revisions that are measured in turn */
	const struct pe_benchmark *const *benchmarks;
	const struct pe_runner *runner;
	const struct pe_sink *sink;
	const struct pe_progress *progress;
	struct pe_session_count *count;
	size_t counted, to_count; /**< counting runs of a stretch of nothing else; 0: it is none */
	struct pe_arena scratch;  /**< of the run in flight; PE_ARENA_INIT */
	struct pe_arena *arena;   /**< of the names of suites; NULL without any */
	struct pe_spending
		*costs; /**< by benchmark: the durations of its runs are added; NULL is allowed */
	/**
	 * Build a revision again, where what it left outside of its tree was replaced since: its cells are not ready any more.
	 * NULL: what others replaced stays replaced, and runs that would read it fail.
	 */
	int (*rebuild)(bool *built, size_t revision, void *payload, struct pe_err *err);
	void *rebuild_payload;
};

/**
 * Visit some cells in a given order: first setup and warm-ups of those that had none, then a run of each. A cell
 * that has its run of that round, or failed, is passed over. Every run goes to the sink as soon as it is over.
 * Where a member of a suite gets its timed run, so do all others of that suite and revision which want one in this
 * call: one process serves them. What the program does not have is PE_ABSENT.
 *
 * @return  PE_ESTOPPED after Ctrl-C; PE_ESYS, PE_EFULL; or the sink's. Cells that are ready want pe_batch_clean_up()
 */
int pe_batch_round(struct pe_batch_pass *pass, enum pe_run_kind kind, unsigned round,
		   struct pe_grid_cell *const *cells, size_t n, struct pe_err *err);

/** The first half of pe_batch_round() alone: what a round of these cells needs before its first run. As there. */
int pe_batch_ready(struct pe_batch_pass *pass, enum pe_run_kind kind, unsigned round,
		   struct pe_grid_cell *const *cells, size_t n, struct pe_err *err);

/** pe_runner_clean_up() of a cell, where it was set up. */
int pe_batch_clean_up(int rc, struct pe_batch_pass *pass, struct pe_grid_cell *cell,
		      struct pe_err *err);

#endif
