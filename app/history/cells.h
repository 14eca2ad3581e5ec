/* Cells: what two of one machine measured, compared by the rounds that both ran in: other commits and sessions have no part in it. */
#pragma once

#include "app/app.h"
#include "report/compare.h"
#include "report/system_calls.h"

/** A benchmark at a revision, by its keys in the store. */
struct pe_calls_cell {
	int64_t benchmark, revision;
};

/** Two cells, old and new. */
struct pe_cells {
	struct pe_app *app;
	int64_t machine;
	struct pe_calls_cell at[2];
	double confidence; /**< of intervals; 0: that of PE_COMPARE_DEFAULTS */
};

/**
 * Fill in a pair's values, what its functions execute, and which system calls it makes, as far as the store has them.
 *
 * @param apart  set when old and new never ran in the same rounds, not even by way of others: then the machine
 *               may be what differs
 */
int pe_cells_compare(struct pe_compare_pair *pair, bool *apart, const struct pe_cells *cells);

/** Two revisions whose jumps are looked for, and the pairs that receive them. */
struct pe_cells_jumps {
	struct pe_compare_pair *pairs;
	const int64_t *benchmarks; /**< by pair: the key of its benchmark */
	size_t n;
	int64_t machine;
	const char *ids[2]; /**< of old and new */
};

/**
 * Where fresh pairs of runs of old and new confirmed a jump of a metric, give its size to the pair's value. Old has to be on the
 * first-parent line of new; else nothing is done.
 */
int pe_cells_take_jumps(const struct pe_cells_jumps *jumps, struct pe_app *app);

/** The calls of all benchmarks that were measured at a revision, against those of its predecessor. In app->arena. */
int pe_calls_of_revision(struct pe_revision_calls **out, size_t *n, struct pe_app *app,
			 const struct pe_evolution *evolution, size_t revision);
