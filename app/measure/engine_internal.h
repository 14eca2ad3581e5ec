/*
 * Engine: shared by its own files alone. engine.c opens and plans, engine_builds.c has the trees, engine_run.c runs,
 * engine_beside.c counts several builds at one time, engine_keep.c stores.
 */
#ifndef PE_APP_MEASURE_ENGINE_INTERNAL_H
#define PE_APP_MEASURE_ENGINE_INTERNAL_H

#include "app/measure/engine.h"

/** One value of a run; the name is the store's or the metric's own. */
struct pe_measured_value {
	unsigned round;
	const char *metric;
	double value;
};

struct pe_measured_cell {
	struct pe_grid_cell at;
	/* Failures of its counting runs: noted when the engine is closed, unless its timed runs fail, too. */
	const char *count_failed, *uncounted; /* in the session's arena; NULL: nothing */
	const char *not_simulated; /* reason why instructions were not simulated; or NULL */
	PE_VEC(struct pe_measured_value) values; /* in the order in which they came */
};

/** A suite at a revision. */
struct pe_measured_suite {
	const struct pe_suite *of;
	struct pe_grid_suite *at;
	bool kept; /* its list of benchmarks is in the store */
};

struct pe_measured_revision {
	const struct pe_session_revision *of;
	struct pe_slot *slot; /* NULL: not loaded */
	struct pe_build build;
	enum pe_role role;
	bool unbuildable, planned;
	bool doubtful; /* a counting run failed beside others: see pe_engine_learn_beside() */
	struct pe_measured_cell *cells; /* by benchmark; NULL: none is planned */
	PE_VEC(struct pe_measured_suite) suites;
};

struct pe_engine {
	struct pe_session *session;
	struct pe_arena arena;
	struct pe_batch_pass pass;
	struct pe_sink sink;
	int64_t batch; /* 0: not stored yet */
	uint64_t seed;
	bool aside;
	unsigned rounds; /* of every cell; 0: as planned */
	struct pe_measured_revision *revisions;
	struct pe_grid_revision *trees; /* by revision */
	size_t n_revisions;
	const struct pe_benchmark **benchmarks;
	int64_t *benchmark_keys;
	struct pe_spending *costs; /* by benchmark: spending of its runs in this engine */
	size_t n_benchmarks;
	struct pe_key_index revision_index, benchmark_index;
	size_t runs, expected;
};

/** The state of a cell; NULL: it is not planned. */
static inline struct pe_measured_cell *pe_engine_cell_of(const struct pe_engine *engine,
							 struct pe_cell cell)
{
	struct pe_measured_cell *cells = engine->revisions[cell.revision].cells;

	return cells != NULL ? &cells[cell.benchmark] : NULL;
}

/** Add a value of a cell. @param metric  the store's name, or the metric's own */
static inline void pe_engine_add_value(struct pe_measured_cell *cell, unsigned round,
				       const char *metric, double value)
{
	pe_vec_push(&cell->values, (struct pe_measured_value){round, metric, value});
}

/** The sink that stores the engine's runs. */
struct pe_sink pe_engine_sink(struct pe_engine *engine);

/** Note failed counting runs of cells that did not fail otherwise, too. */
void pe_engine_tell_uncounted(struct pe_engine *engine);

/** Whether a time of pe_clock_ns() has passed; 0: never. */
bool pe_engine_is_over(uint64_t until_ns);

/** The number of counting runs that cells lack of their first `rounds`. */
size_t pe_engine_count_lacking(const struct pe_engine *engine, const struct pe_cell *cells,
			       size_t n, unsigned rounds);

/** Do all that precedes the first counting run of a round of these, so that workers only make runs. */
int pe_engine_ready_counting(struct pe_engine *engine, unsigned round, const struct pe_cell *cells,
			     size_t n);

/**
 * Count builds side by side, where that is allowed and there are two or more: rounds from `from` up to below `to`. Runs
 * that fail beside others are not stored: they stay lacking, as do all of builds that had no turn.
 *
 * @param cells  sorted by revision
 * @return       PE_ESTOPPED after Ctrl-C, when the finished runs are stored
 */
int pe_engine_count_beside(struct pe_engine *engine, const struct pe_cell *cells, size_t n,
			   unsigned from, unsigned to, uint64_t until_ns);

/** After the doubtful builds were counted alone: decide whether the session goes on counting builds side by side. */
void pe_engine_learn_beside(struct pe_engine *engine);

/** Run the cleanup of all cells of a revision that were set up. @return  rc, or the first failure where that is PE_OK */
int pe_engine_clean_up(int rc, struct pe_engine *engine, struct pe_measured_revision *one);

/**
 * Build a revision once more, for the files that it leaves outside of its tree. *built: it is loaded again; its cells are
 * not set up.
 */
int pe_engine_rebuild(bool *built, size_t revision, void *engine, struct pe_err *err);

/**
 * Build those revisions again that a later build changed, before they are read or run.
 *
 * @return  PE_EUNSUPPORTED: builds change each other, and cannot stand side by side; else as pe_engine_build()
 */
int pe_engine_compare_builds(struct pe_engine *engine);

#endif
