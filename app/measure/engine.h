/*
 * Engine: the only code that makes and stores the runs of cells, and resumes them. Inside an open session it builds given
 * revisions side by side, and runs given cells (revision, benchmark) in an order of the caller's: rounds over a stretch
 * of history, pairs for a confirmation, shuffled triples for a bisection. Each run is stored at once, in a batch of the
 * store; when a batch is opened again after its process was killed, its stored runs are loaded and not repeated. Revisions
 * and benchmarks are indices into the session's, here and wherever cells are named.
 *
 *	opts = (struct pe_engine_opts){.rounds = PE_CONFIRM_PAIRS, .aside = true, .expected = 50};
 *	rc = pe_engine_open(&engine, session, revisions, n, &benchmark, 1, &opts);
 *	for (k = 0; rc == PE_OK && undecided; k++) {
 *		struct pe_cell *pair[] = {pe_engine_cell(engine, left, benchmark), pe_engine_cell(engine, right, benchmark)};
 *
 *		rc = pe_engine_round(engine, PE_RUN_TIMED, k, pair, 2);
 *		feed(pe_cell_value(pair[0], k, "wall"), pe_cell_value(pair[1], k, "wall"));
 *	}
 *	return pe_engine_close(rc, engine, rc == PE_OK);
 */
#pragma once

#include "app/measure/session.h"
#include "core/stats/reading.h"
#include "store/store.h"

struct pe_engine;
struct pe_engine_program;

/** A revision at a benchmark, in an engine. Callers set the plan; all else is the engine's. */
struct pe_cell {
	size_t revision, benchmark;
	/* The plan. */
	enum pe_role role;
	unsigned rounds; /**< timed runs wanted in this batch */
	bool has_counts; /**< earlier batches have all its counting runs; the engine does not read it */
	/* The state. */
	unsigned counted_rounds; /**< counting runs wanted */
	unsigned
		simulated_rounds; /**< of these: the first in which instructions are counted, too */
	bool *timed;   /**< `rounds` long: which are stored already; NULL: it is in no plan yet */
	bool *counted; /**< whether each was counted */
	bool failed;   /**< no more timed runs in this batch */
	bool absent;   /**< the revision does not have it: failed is true, too */
	bool not_counted; /**< no more counting runs in this batch */
	bool warm;        /**< the warm-ups are done, which only timed runs need */
	/** shared by all members of a suite at this revision */
	struct pe_engine_program *program;
	/* Of its counting runs: noted when the engine is closed, unless its timed runs fail, too. NULL: nothing. */
	const char *count_failed, *uncounted;
	const char *not_simulated; /**< reason why instructions were not simulated; or NULL */
	/** of its runs, in the order in which they came; by round, metric and value alone */
	PE_VEC(struct pe_observation) values;
};

struct pe_engine_opts {
	/**
	 * 0: a new batch. Else the key of one that was opened before, with any of these revisions and benchmarks: its
	 * runs are loaded, and others are added to it.
	 */
	int64_t batch;
	/**
	 * All cells of the loaded revisions are planned, with rounds (of either kind) numbered below this. 0: the caller
	 * plans with pe_engine_plan(), run by run; cells of PE_ROLE_NEW have their allocations counted, too.
	 */
	unsigned rounds;
	enum pe_role role;         /**< with `rounds`: of all cells, unless: */
	const enum pe_role *roles; /**< in the order of `revisions`; NULL: `role` */
	/**
	 * The runs answer one question: they are not part of their benchmark's series, and `track` does not count the
	 * cells as measured. false: they are ordinary readings.
	 */
	bool aside;
	size_t expected; /**< about how many runs there will be, for the progress; 0: as the session's count says */
	/**
	 * Build nothing yet: pe_engine_load() chooses the next revisions. For many revisions of which few are built at
	 * one time.
	 */
	bool lazy;
};

/**
 * Build the revisions and open a batch over all of their cells. Those that do not build, or have no room beside the
 * earlier ones within the disk budget, are not loaded: place the important ones first. All slots that the session held
 * are released.
 *
 * @param revisions   indices into session->revisions, each once; NULL: all of them
 * @param benchmarks  indices into session->benchmarks, each once; NULL: all of them
 * @return            PE_ESTOPPED after Ctrl-C, as all of these; else the session's codes. Nothing is open then
 */
int pe_engine_open(struct pe_engine **out, struct pe_session *session, const size_t *revisions,
		   size_t n_revisions, const size_t *benchmarks, size_t n_benchmarks,
		   const struct pe_engine_opts *opts);

/**
 * Build the unbuilt ones of these revisions side by side, as far as there is room. pe_engine_build() loads them later
 * without building.
 *
 * @param which  in the order in which they will be loaded
 * @param done   set to the number of them, from the first on, that were handled; NULL is allowed
 */
int pe_engine_build_ahead(size_t *done, struct pe_engine *engine, const size_t *which, size_t n);

/** Build one revision beside those that are loaded. It stays unloaded if it does not build or has no room. */
int pe_engine_build(struct pe_engine *engine, size_t revision);

/** Clean up after a revision and release its slot; when it is loaded again, its cells are set up anew. */
int pe_engine_evict(int rc, struct pe_engine *engine, size_t revision);

/**
 * Evict the revisions that are not listed, and build the listed ones that are not loaded.
 *
 * @param which  the important ones first
 */
int pe_engine_load(struct pe_engine *engine, const size_t *which, size_t n);

/** The state of a cell, also of one that is in no plan and has no runs. It lives as long as the engine. */
struct pe_cell *pe_engine_cell(struct pe_engine *engine, size_t revision, size_t benchmark);

/** Add cells, with the role and rounds that they have, to the batch's plan; the first ones create the batch. */
int pe_engine_plan(struct pe_engine *engine, struct pe_cell *const *cells, size_t n);

/** Whether a revision is built and has a slot; others cannot be run. */
bool pe_engine_is_loaded(const struct pe_engine *engine, size_t revision);

/** Whether a revision was tried, and does not build: it never will be loaded. */
bool pe_engine_is_unbuildable(const struct pe_engine *engine, size_t revision);

/** The tree of a revision's build; NULL unless it is loaded. */
const char *pe_engine_tree_of(const struct pe_engine *engine, size_t revision);

/** How long a revision's latest build took; 0: it was found. */
uint64_t pe_engine_build_ns(const struct pe_engine *engine, size_t revision);

/** The key of its batch, to open it again; 0: nothing was planned yet. */
int64_t pe_engine_batch(const struct pe_engine *engine);

/** The seed of its batch. It is stored, so that a resumed batch draws the same orders. */
uint64_t pe_engine_seed(const struct pe_engine *engine);

/** Put cells in a random order, which depends on the batch's seed, the kind and the round alone. */
void pe_engine_shuffle(const struct pe_engine *engine, enum pe_run_kind kind, unsigned round,
		       struct pe_cell **cells, size_t n);

/**
 * Run cells in the given order. When a cell is run for the first time, its setup and warm-ups precede all runs of the
 * round. Cells are skipped that have their run of this round already, are not planned up to it, are not loaded, or failed
 * in this batch.
 *
 * @param kind   counting runs are made of cells that want any
 * @param round  a round holds each cell once at most, also over several calls; each kind has numbers of its own
 * @return       PE_OK also when a run failed: it has no values then
 */
int pe_engine_round(struct pe_engine *engine, enum pe_run_kind kind, unsigned round,
		    struct pe_cell *const *cells, size_t n);

/**
 * Make all usual counting runs of cells, build after build: two, and more where runs of one build differ. A counting run
 * that fails does not affect its cell's timed runs.
 *
 * @param until_ns  of pe_clock_ns(): after it no other build begins, and no cell has more than two runs; 0: no limit
 */
int pe_engine_count_all(struct pe_engine *engine, struct pe_cell *const *cells, size_t n,
			uint64_t until_ns);

/** Make one round of counting runs: the first one of several builds side by side, as pe_engine_count_all(). As pe_engine_round(). */
int pe_engine_count_round(struct pe_engine *engine, unsigned round, struct pe_cell *const *cells,
			  size_t n);

/**
 * End a cell's runs after this many rounds, here and in later batches: its value is precise enough. No effect if it wants
 * fewer.
 */
int pe_engine_settle(struct pe_engine *engine, struct pe_cell *cell, unsigned rounds);

/** A cell's value in a round, in the metric's unit; NaN: no such run, it failed, or it lacks the metric. */
double pe_cell_value(const struct pe_cell *cell, unsigned round, const char *metric);

/** The values of a benchmark by a metric, in rounds not below `from`. */
struct pe_readings pe_engine_readings(const struct pe_engine *engine, size_t benchmark,
				      const char *metric, unsigned from, struct pe_arena *arena);

/** Runs made since it was opened, without warm-ups and loaded runs. */
size_t pe_engine_runs(const struct pe_engine *engine);

/**
 * Run cleanup commands and release the slots. NULL is allowed.
 *
 * @param rc        result of the caller's measuring
 * @param finished  the batch is complete; false: it is to be opened again
 * @return          rc; where that is PE_OK, the first failure. It is closed in every case
 */
int pe_engine_close(int rc, struct pe_engine *engine, bool finished);
