/* Batch: cells (revision, benchmark) that are measured together, in rounds. */
#pragma once

#include "core/model/machine.h"
#include "core/model/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Why a cell is in a batch. The numbers are stored. */
enum pe_role {
	PE_ROLE_NEW = 0,    /**< to be measured */
	PE_ROLE_ANCHOR = 1, /**< measured before, and again here to tie this batch to the others */
	PE_ROLE_LEFT = 2,   /**< vouches for the old level of a change that is being confirmed */
	PE_ROLE_RIGHT = 3,  /**< for the new one */
	PE_ROLE_EXPLORED = 4, /**< chosen by adaptive measuring, run as often as it asks */
};

/**
 * A cell by the store: its runs over all batches of a machine, and where it takes its results from; or, in a plan, the runs
 * that it wants.
 */
struct pe_coverage {
	int64_t revision, benchmark; /**< keys */
	enum pe_role role;           /**< in the plan of a batch */
	unsigned timed;              /**< timed runs: measured, or wanted */
	unsigned counted;            /**< counting runs: measured, or wanted */
	bool tried;                  /**< it has runs, measured ones or others */
	/** of the latest failed timed run; PE_MEASURED when none failed */
	enum pe_outcome failure;
	/** of the latest failed counting run; PE_MEASURED when none failed */
	enum pe_outcome counted_failure;
	bool enough; /**< decided by fewer timed runs than its benchmark's repeats */
	/** Another revision that was measured and executes the same: its results are the cell's. 0: none. */
	int64_t source;
	bool unbuilt; /**< it was not built either: nothing that builds read differs */
	bool skipped; /**< the builds differ, but in nothing that the benchmark executes */
};

/** A batch: its cells are fixed when it is put, so that a killed session goes on with the same plan. */
struct pe_batch {
	int64_t key;
	int64_t machine;
	int64_t created_s;
	uint64_t seed; /**< of the shuffled order of its rounds */
	bool open;     /**< runs are still to be made */
	/**
	 * Its runs answer a question of their own (a confirmation): they are left out of series, coverage and
	 * failures, and no session takes it up but that which asks.
	 */
	bool aside;
	struct pe_conditions conditions;
	struct pe_coverage *cells; /**< with their roles and timed runs */
	size_t n_cells;
};
