/* Calls: which system calls the runs of one commit make otherwise than those of another, from the store. */
#ifndef PE_APP_HISTORY_CALLS_H
#define PE_APP_HISTORY_CALLS_H

#include "app/app.h"
#include "report/system_calls.h"

/** A benchmark at a revision, by its keys in the store. */
struct pe_calls_cell {
	int64_t benchmark, revision;
};

/** Compare two cells of a machine. NULL in *out: one of them has no calls. The arena is app's. */
int pe_calls_compare(const struct pe_function_changes **out, struct pe_app *app, int64_t machine,
		     struct pe_calls_cell old_cell, struct pe_calls_cell new_cell);

/** The calls of all benchmarks that were measured at a revision, against those of its predecessor. In app->arena. */
int pe_calls_of_revision(struct pe_revision_calls **out, size_t *n, struct pe_app *app,
			 const struct pe_evolution *evolution, size_t revision);

#endif
