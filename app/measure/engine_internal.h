/*
 * What the parts of the engine share: engine.c opens and plans, engine_builds.c has the trees, engine_run.c runs,
 * engine_keep.c stores.
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
	/* Of its counting runs: told when the engine is closed, unless its timed runs fail, too. */
	const char *count_failed, *uncounted;    /* in the session's arena; NULL: nothing */
	const char *not_simulated;               /* why instructions were not simulated; or NULL */
	PE_VEC(struct pe_measured_value) values; /* in the order in which they came */
};

/** A suite at a revision. */
struct pe_measured_suite {
	const struct pe_suite *of;
	struct pe_grid_suite *at;
	bool kept; /* what its program has is in the store */
};

struct pe_measured_revision {
	const struct pe_session_revision *of;
	struct pe_slot *slot; /* NULL: not loaded */
	struct pe_build build;
	enum pe_role role;
	bool unbuildable, planned;
	bool doubtful; /* a counting run failed beside others: see pe_engine_learn_beside() */
	struct pe_measured_cell *cells; /* by benchmark; NULL: nothing of them is planned */
	PE_VEC(struct pe_measured_suite) suites;
};

struct pe_engine {
	struct pe_session *session;
	struct pe_arena arena;
	struct pe_batch_pass pass;
	struct pe_sink sink;
	int64_t batch; /* 0: not put yet */
	uint64_t seed;
	bool aside;
	unsigned rounds; /* of every cell; 0: as planned */
	struct pe_measured_revision *revisions;
	struct pe_grid_revision *trees; /* by revision */
	size_t n_revisions;
	const struct pe_benchmark **benchmarks;
	int64_t *benchmark_keys;
	struct pe_spending *costs; /* by benchmark: what its runs took */
	size_t n_benchmarks;
	struct pe_key_index revision_index, benchmark_index;
	size_t runs, expected;
};

/** What is kept of a cell; NULL: it is not planned. */
static inline struct pe_measured_cell *pe_engine_cell_of(const struct pe_engine *engine,
							 struct pe_engine_cell cell)
{
	struct pe_measured_cell *cells = engine->revisions[cell.revision].cells;

	return cells != NULL ? &cells[cell.benchmark] : NULL;
}

/** One more value of a cell. @param metric  the store's name, or the metric's own */
static inline void pe_engine_add_value(struct pe_measured_cell *cell, unsigned round,
				       const char *metric, double value)
{
	pe_vec_push(&cell->values, (struct pe_measured_value){round, metric, value});
}

/** Where its runs go. */
struct pe_sink pe_engine_sink(struct pe_engine *engine);

/** Note what could not be counted of cells that did not fail otherwise, too. */
void pe_engine_tell_uncounted(struct pe_engine *engine);

/** Whether a time of pe_clock_ns() has come; 0: it never does. */
bool pe_engine_is_over(uint64_t until_ns);

/** Counting runs that cells lack of their first `rounds`. */
size_t pe_engine_count_lacking(const struct pe_engine *engine, const struct pe_engine_cell *cells,
			       size_t n, unsigned rounds);

/** What comes before the first counting run of a round of these, so that lanes have nothing but runs to make. */
int pe_engine_ready_counting(struct pe_engine *engine, unsigned round,
			     const struct pe_engine_cell *cells, size_t n);

/**
 * Count builds side by side, where that is allowed and there are two or more: rounds from `from` up to below `to`. What
 * fails beside others is not stored: it is lacking still, as is all of those that had no turn.
 *
 * @param cells  all of a revision next to each other
 * @return       PE_ESTOPPED after Ctrl-C, when those that ran are stored
 */
int pe_engine_count_beside(struct pe_engine *engine, const struct pe_engine_cell *cells, size_t n,
			   unsigned from, unsigned to, uint64_t until_ns);

/** What failed beside others was counted alone since: learn from that what being beside others is worth. */
void pe_engine_learn_beside(struct pe_engine *engine);

/** Run the cleanup of all cells of a revision that were set up. @return  rc, or what went wrong where that is PE_OK */
int pe_engine_clean_up(int rc, struct pe_engine *engine, struct pe_measured_revision *one);

/** Build a revision once more, for what it leaves outside of its tree. *built: it stands again; its cells are not ready. */
int pe_engine_rebuild(bool *built, size_t revision, void *engine, struct pe_err *err);

/**
 * Build anew what a build since may have changed: nothing of it is read or run.
 *
 * @return  PE_EUNSUPPORTED: builds change each other, and cannot stand side by side; as pe_engine_build()
 */
int pe_engine_compare_builds(struct pe_engine *engine);

#endif
