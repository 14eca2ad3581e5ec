/*
 * Engine: the one place that builds, sets up, runs, stores, cleans up and resumes. Inside an open session, given
 * revisions are built side by side, and given cells (revision, benchmark) are run in an order of the caller's: rounds
 * over a stretch of history, pairs for a confirmation, shuffled triples for a bisection. Each run is stored at once, in
 * a batch of the store; what a killed process had run already is there when the same batch is opened again, and is
 * not run twice.
 *
 *	opts = (struct pe_engine_opts){.rounds = PE_CONFIRM_PAIRS, .aside = true, .expected = 50};
 *	rc = pe_engine_open(&engine, session, revisions, n, &benchmark, 1, &opts);
 *	for (k = 0; rc == PE_OK && undecided; k++) {
 *		struct pe_engine_cell pair[] = {{left, 0}, {right, 0}};
 *
 *		rc = pe_engine_round(engine, k, pair, 2);
 *		feed(pe_engine_value(engine, pair[0], k, "wall"), pe_engine_value(engine, pair[1], k, "wall"));
 *	}
 *	return pe_engine_close(rc, engine, rc == PE_OK);
 */
#ifndef PE_APP_MEASURE_ENGINE_H
#define PE_APP_MEASURE_ENGINE_H

#include "app/measure/session.h"
#include "core/stats/reading.h"

struct pe_engine;

/** Positions in the arrays that pe_engine_open() was given. */
struct pe_engine_cell {
	size_t revision, benchmark;
};

/** What a batch's plan says of a cell. */
struct pe_engine_plan {
	struct pe_engine_cell cell;
	enum pe_role role;
	unsigned rounds; /**< timed runs */
	bool counted; /**< its counting runs are in the store: pe_engine_plan() has no use for it */
};

struct pe_engine_opts {
	/**
	 * 0: a new batch. Otherwise the key of one that was opened before, with any of these revisions and
	 * benchmarks: its runs are there already, and others are added to it.
	 */
	int64_t batch;
	/**
	 * All cells of the revisions that are loaded are planned, with rounds (of either kind) numbered below this. 0: the
	 * caller plans with pe_engine_plan(), to the run: of PE_ROLE_NEW, allocations are counted, too.
	 */
	unsigned rounds;
	/** with `rounds`, by position in `revisions`: what the plan says of its cells; NULL: PE_ROLE_NEW */
	const enum pe_role *roles;
	/**
	 * The runs answer one question and take no part in the series of their benchmark, nor do they
	 * count as measured for `track`. Otherwise they are readings like all others.
	 */
	bool aside;
	size_t expected; /**< about how many runs there will be, for the progress: pe_engine_expect() raises it */
	/** Build nothing yet: pe_engine_load() says who is measured next. For many revisions of which few stand side by side. */
	bool lazy;
};

/**
 * Build the revisions and open a batch over all of their cells. Those that do not build, or have no room
 * beside the earlier ones within the disk budget, are not loaded: place the important ones first. Every slot
 * that the session held is let go of.
 *
 * @param revisions  indices into session->revisions, each once; NULL: all of them
 * @param benchmarks  indices into session->benchmarks, each once; NULL: all of them
 * @return           PE_ESTOPPED after Ctrl-C, as all of these; else the session's codes. Nothing is open then
 */
int pe_engine_open(struct pe_engine **out, struct pe_session *session, const size_t *revisions,
		   size_t n_revisions, const size_t *benchmarks, size_t n_benchmarks,
		   const struct pe_engine_opts *opts);

/**
 * Build what is not built of these side by side, as far as there is room. They are loaded by pe_engine_build(), which has
 * nothing to wait for then.
 *
 * @param which  positions in `revisions`, in the order in which they will be loaded
 * @param done   how many of them, from the first on, had their turn; NULL: nobody asks
 */
int pe_engine_build_ahead(size_t *done, struct pe_engine *engine, const size_t *which, size_t n);

/** Build one revision beside those that are loaded. It is not loaded afterwards if it does not build or has no room. */
int pe_engine_build(struct pe_engine *engine, size_t i);

/** Clean up after a revision and let its slot go to others; when it is loaded again, its cells begin anew. */
int pe_engine_evict(int rc, struct pe_engine *engine, size_t i);

/**
 * Evict the revisions that are not among these, and build those of these that are not loaded.
 *
 * @param which  positions in `revisions`, the important ones first
 */
int pe_engine_load(struct pe_engine *engine, const size_t *which, size_t n);

/** Add cells to the batch's plan; the first ones make the batch. Those that it has stay as they are. */
int pe_engine_plan(struct pe_engine *engine, const struct pe_engine_plan *cells, size_t n);

/** Whether revisions[i] is built and has its place; only such ones can be run. */
bool pe_engine_is_loaded(const struct pe_engine *engine, size_t i);

/** Whether revisions[i] was tried, and does not build: it never will be loaded. */
bool pe_engine_is_unbuildable(const struct pe_engine *engine, size_t i);

/** What holds revisions[i]: its slot, and how it was built; NULL unless it is loaded. */
const struct pe_slot *pe_engine_slot(const struct pe_engine *engine, size_t i,
				     const struct pe_build **build);

/** The key of its batch, to open it again; 0: nothing was planned yet. */
int64_t pe_engine_batch(const struct pe_engine *engine);

/** The seed of its batch: what is drawn from it is the same when the batch is opened again. */
uint64_t pe_engine_seed(const struct pe_engine *engine);

/** Put cells in a random order, which depends on the batch's seed, the kind and the round alone. */
void pe_engine_shuffle(const struct pe_engine *engine, enum pe_run_kind kind, unsigned round,
		       struct pe_engine_cell *cells, size_t n);

/**
 * Run cells in the given order. The first time that a cell is run, its setup and warm-ups go before all runs of
 * the round. A cell that has its run of this round already, that is not planned so far or not loaded, or that failed in
 * this batch before, is passed over.
 *
 * @param round  a round holds each cell once at most, also over several calls
 * @return       PE_OK also when a run failed: it has no values then
 */
int pe_engine_round(struct pe_engine *engine, unsigned round, const struct pe_engine_cell *cells,
		    size_t n);

/** As pe_engine_round(), with counting runs: of cells that want any. They are numbered apart from timed ones. */
int pe_engine_count(struct pe_engine *engine, unsigned round, const struct pe_engine_cell *cells,
		    size_t n);

/**
 * All counting runs that a cell has as a rule, build after build: two, and more where runs of one build differ. That a run
 * of them fails takes nothing from its cell's timed runs.
 *
 * @param until_ns  of pe_clock_ns(): no build has its turn after it, and no cell more than two runs; 0: no end
 */
int pe_engine_count_all(struct pe_engine *engine, const struct pe_engine_cell *cells, size_t n,
			uint64_t until_ns);

/** A cell is known well enough by so many rounds: it wants no more, in no batch. Nothing if it wants fewer. */
int pe_engine_settle(struct pe_engine *engine, struct pe_engine_cell cell, unsigned rounds);

/** A cell's value in a round, in the metric's unit; NaN: no such run, it failed, or it lacks the metric. */
double pe_engine_value(const struct pe_engine *engine, struct pe_engine_cell cell, unsigned round,
		       const char *metric);

/** The values that a benchmark has by a metric, in rounds not below `from`; commits are positions in `revisions`. */
struct pe_readings pe_engine_readings(const struct pe_engine *engine, size_t benchmark,
				      const char *metric, unsigned from, struct pe_arena *arena);

/** Whether a cell failed in this batch: it is not run again in it. */
bool pe_engine_failed(const struct pe_engine *engine, struct pe_engine_cell cell);

/** Whether it failed because the revision has no such benchmark. */
bool pe_engine_absent(const struct pe_engine *engine, struct pe_engine_cell cell);

/** Runs that were really made since it was opened, warm-ups aside. */
size_t pe_engine_runs(const struct pe_engine *engine);

/**
 * That there are at least so many more runs to come, for the progress: its total grows where it is less. Where that happens after
 * runs were made, the progress has none any more until the engine is closed: what needs more runs once needs more again.
 */
void pe_engine_expect(struct pe_engine *engine, size_t more);

/**
 * Cleanup commands, and let go of the slots. Welcomes NULL.
 *
 * @param rc        what came of the measuring
 * @param finished  nothing more is to be run in the batch; false: it is to be opened again
 * @return          rc; where that is PE_OK, the first failure. It is closed all the same
 */
int pe_engine_close(int rc, struct pe_engine *engine, bool finished);

#endif
