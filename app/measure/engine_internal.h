/*
 * Engine: shared by its own files alone. engine.c opens and plans, engine_builds.c has the trees, engine_run.c orders the
 * runs, engine_round.c makes those of a round, engine_suite.c those of members of suites, engine_beside.c counts several
 * builds at one time, engine_keep.c stores.
 */
#pragma once

#include "app/measure/engine.h"
#include "app/measure/pool.h"

/** What cells are set up for at a revision: a benchmark, or a suite, whose members share it. */
struct pe_engine_program {
	const struct pe_suite *of; /* NULL: no suite, and the rest is unused but for: */
	bool ready;                /* setup is done in this session */
	unsigned left_behind;      /* processes that it left running, and that were ended with it */
	bool asked;                /* its program was asked to list its benchmarks */
	bool kept;                 /* the list is in the store */
	const struct pe_member_name *names; /* the list; NULL: the program cannot list them */
	size_t n_names;
};

/** A revision in an engine. */
struct pe_engine_revision {
	struct pe_slot *slot; /* NULL: not loaded */
	const char *tree;     /* absolute path of its last build */
	struct pe_build build;
	size_t place; /* among those that are measured in turn, from 1 */
	enum pe_role role;
	bool unbuildable, planned;
	bool doubtful; /* a counting run failed beside others: see pe_engine_learn_beside() */
	struct pe_cell *cells; /* by benchmark of the session; NULL: none was asked for */
	PE_VEC(struct pe_engine_program *) programs;
};

/** Makes runs of an engine: the session's own thread, or a worker of the pool that counts one build beside others. */
struct pe_engine_worker {
	struct pe_engine *engine;
	const struct pe_runner *runner;
	struct pe_session_count *count;
	struct pe_spending
		*costs;          /* by benchmark of the session: the durations of runs are added */
	struct pe_arena scratch; /* of the run in flight */
	struct pe_err *err;
	enum pe_run_kind kind; /* of the round in progress */
	unsigned round;
	/* Of a worker of the pool; the session's own thread has neither. */
	const struct pe_pool_job *job;
	const struct pe_pool_worker *beside;
	bool doubtful; /* other runs may have caused a failure: the build is to be counted alone */
	/* number of Ctrl-C, copied from the taker at each call to it, for the thread gets no signals */
	volatile sig_atomic_t interrupts;
};

struct pe_engine {
	struct pe_session *session;
	struct pe_arena arena;
	struct pe_engine_worker own;
	int64_t batch; /* 0: not stored yet */
	uint64_t seed;
	bool aside;
	unsigned rounds;                      /* of every cell; 0: as planned */
	struct pe_engine_revision *revisions; /* by index in the session */
	size_t *order,
		n_order; /* indices of the revisions that it was opened over, as the caller listed them */
	size_t *benchmarks, n_benchmarks; /* of benchmarks, as the caller listed them */
	size_t n_places;                  /* revisions that are measured in turn */
	size_t counted, to_count; /* counting runs of a stretch of nothing else; 0: it is none */
	size_t runs;
};

/** What a cell runs. */
static inline const struct pe_benchmark *pe_engine_benchmark(const struct pe_engine *engine,
							     const struct pe_cell *cell)
{
	return engine->session->benchmarks.data[cell->benchmark];
}

/** Where it runs. */
static inline const char *pe_engine_tree(const struct pe_engine *engine, const struct pe_cell *cell)
{
	return engine->revisions[cell->revision].tree;
}

/** Take the store and the session, until pe_engine_leave(): the session's own thread has them. */
static inline void pe_engine_enter(struct pe_engine_worker *worker)
{
	if (worker->beside != NULL)
		worker->interrupts = pe_pool_enter(worker->beside);
}

static inline void pe_engine_leave(struct pe_engine_worker *worker)
{
	if (worker->beside != NULL)
		pe_pool_leave(worker->beside);
}

/** Mark a stored run in its cell. */
void pe_engine_mark(struct pe_cell *cell, enum pe_run_kind kind, unsigned round,
		    enum pe_outcome outcome);

/** Store a run and mark it in its cell. PE_EBUSY: it is doubtful, and nothing is stored. */
int pe_engine_keep(struct pe_engine_worker *worker, struct pe_cell *cell, struct pe_run *run);

/**
 * Store what failed before the first run in place of the cell's first missing one: of a timed one where one is wanted, for
 * without what failed there is none either.
 */
int pe_engine_keep_failure(struct pe_engine_worker *worker, struct pe_cell *cell,
			   struct pe_run *run);

/** Note failed counting runs of cells that did not fail otherwise, too. */
void pe_engine_tell_uncounted(struct pe_engine *engine);

/* --- Rounds --- */

/** Whether a cell lacks its run of a round. */
bool pe_engine_wants(const struct pe_cell *cell, enum pe_run_kind kind, unsigned round);

/** The number of runs that a cell still wants. */
size_t pe_engine_missing(const struct pe_cell *cell);

/** Set up, and warm up before timed runs, the cells that want their run of the round and had none; in the given order. */
int pe_engine_ready_cells(struct pe_engine_worker *worker, enum pe_run_kind kind, unsigned round,
			  struct pe_cell *const *cells, size_t n);

/**
 * Make cells ready, and then one run of each, in the given order. Where a member of a suite gets its timed run, so do all
 * others of that suite and revision which want one in this call: one process serves them. What the program does not have
 * is PE_ABSENT.
 *
 * @param cells  of loaded revisions
 * @return       PE_ESTOPPED after Ctrl-C; PE_ESYS, PE_EFULL; or the store's
 */
int pe_engine_run_cells(struct pe_engine_worker *worker, enum pe_run_kind kind, unsigned round,
			struct pe_cell *const *cells, size_t n);

/** Whether Ctrl-C was pressed. */
bool pe_engine_interrupted(const struct pe_engine_worker *worker);

/** Tell the progress what comes next. */
void pe_engine_report(struct pe_engine_worker *worker, enum pe_progress_phase phase,
		      const struct pe_cell *cell, size_t round, size_t rounds);

/** Add the time since `since_ns` (pe_clock_ns()) to the costs: cells that one process served share it alike. */
void pe_engine_spend(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n,
		     enum pe_spent_kind kind, uint64_t since_ns);

/**
 * Have what a cell reads outside of its tree made by its own commit again: by its setup, or whole: by its build.
 *
 * @param renewed  false: there is no way, or the setup failed now, which is stored
 */
int pe_engine_renew(bool *renewed, struct pe_engine_worker *worker, struct pe_cell *const *cells,
		    size_t n, bool whole);

/** After the setup of the suite that the first cell belongs to: members that its program does not have are kept as such. */
int pe_engine_ready_suite(struct pe_engine_worker *worker, struct pe_cell *const *cells, size_t n,
			  const struct pe_run *set_up);

/** A timed run of the first cell and of all others of its suite and revision that want one. */
int pe_engine_measure_suite(struct pe_engine_worker *worker, struct pe_cell *const *cells,
			    size_t n);

/** Run the cleanup of a cell that was set up. @return  rc, or the first failure where that is PE_OK */
int pe_engine_clean_up_cell(int rc, struct pe_engine *engine, struct pe_cell *cell);

/* --- Counting --- */

/** Whether a time of pe_clock_ns() has passed; 0: never. */
bool pe_engine_is_over(uint64_t until_ns);

/** The number of counting runs that cells lack of their first `rounds`. */
size_t pe_engine_count_lacking(const struct pe_engine *engine, struct pe_cell *const *cells,
			       size_t n, unsigned rounds);

/** Do all that precedes the first counting run of a round of these, so that workers only make runs. */
int pe_engine_ready_counting(struct pe_engine *engine, unsigned round, struct pe_cell *const *cells,
			     size_t n);

/**
 * Count builds side by side, where that is allowed and there are two or more: rounds from `from` up to below `to`. Runs
 * that fail beside others are not stored: they stay lacking, as do all of builds that had no turn.
 *
 * @param cells  sorted by revision
 * @return       PE_ESTOPPED after Ctrl-C, when the finished runs are stored
 */
int pe_engine_count_beside(struct pe_engine *engine, struct pe_cell *const *cells, size_t n,
			   unsigned from, unsigned to, uint64_t until_ns);

/** After the doubtful builds were counted alone: decide whether the session goes on counting builds side by side. */
void pe_engine_learn_beside(struct pe_engine *engine);

/* --- Builds --- */

/** pe_engine_clean_up_cell() of all cells of a revision. */
int pe_engine_clean_up(int rc, struct pe_engine *engine, struct pe_engine_revision *one);

/**
 * Build a revision once more, for the files that it leaves outside of its tree. *built: it is loaded again; its cells are
 * not set up.
 */
int pe_engine_rebuild(bool *built, struct pe_engine *engine, size_t revision);

/**
 * Build those revisions again that a later build changed, before they are read or run.
 *
 * @return  PE_EUNSUPPORTED: builds change each other, and cannot stand side by side; else as pe_engine_build()
 */
int pe_engine_compare_builds(struct pe_engine *engine);
