/* What cells on their own (batch.c) and members of a suite (batch_suite.c) share. */
#ifndef PE_CORE_EXEC_BATCH_INTERNAL_H
#define PE_CORE_EXEC_BATCH_INTERNAL_H

#include "core/exec/batch.h"

/** What a cell runs. */
const struct pe_benchmark *pe_batch_benchmark(const struct pe_batch_pass *pass,
					      const struct pe_grid_cell *cell);

/** Where it runs. */
const char *pe_batch_tree(const struct pe_batch_pass *pass, const struct pe_grid_cell *cell);

/** Tell the progress what comes next. */
void pe_batch_report(const struct pe_batch_pass *pass, enum pe_progress_phase phase,
		     const struct pe_grid_cell *cell, size_t round, size_t rounds);

/** Whether Ctrl-C was pressed. */
bool pe_batch_interrupted(const struct pe_batch_pass *pass);

/** Whether a cell lacks its run of a round. */
bool pe_batch_wants(const struct pe_grid_cell *cell, enum pe_run_kind kind, unsigned round);

/** Hand a run to the sink and take note of it in its cell. */
int pe_batch_keep(struct pe_batch_pass *pass, struct pe_grid_cell *cell, struct pe_run *run,
		  struct pe_err *err);

/** What took the time since `since_ns` (pe_clock_ns()): cells that one process served share it alike. */
void pe_batch_spend(struct pe_batch_pass *pass, struct pe_grid_cell *const *cells, size_t n,
		    enum pe_spent_kind kind, uint64_t since_ns);

/** What fails before the first run is stored in place of the cell's first missing one. */
int pe_batch_keep_failure(struct pe_batch_pass *pass, struct pe_grid_cell *cell, struct pe_run *run,
			  enum pe_run_kind kind, unsigned round, struct pe_err *err);

/**
 * Have what a cell reads outside of its tree made by its own commit again: by its setup, or whole: by its build.
 *
 * @param renewed  false: there is no way, or the setup failed now, which is stored
 */
int pe_batch_renew(bool *renewed, struct pe_batch_pass *pass, struct pe_grid_cell *const *cells,
		   size_t n, enum pe_run_kind kind, unsigned round, bool whole, struct pe_err *err);

/** Setup of the suite that the first cell belongs to, once; members that its program does not have are kept as such. */
int pe_batch_ready_suite(struct pe_batch_pass *pass, struct pe_grid_cell *const *cells, size_t n,
			 enum pe_run_kind kind, unsigned round, struct pe_err *err);

/** A timed run of the first cell and of all others of its suite and revision that want one. */
int pe_batch_measure_suite(struct pe_batch_pass *pass, struct pe_grid_cell *const *cells, size_t n,
			   unsigned round, struct pe_err *err);

#endif
