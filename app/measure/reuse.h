/*
 * Carry: cells that need not be run. When all that a benchmark executes at one revision (its programs with the
 * libraries of the tree, normalised; the files it reads; the folders it lists) is the same at another that was
 * measured, the results are carried over.
 *
 * What a benchmark executes is seen, not guessed: the first revision of each kind is run once under the counting
 * library, which lists what it touched (a *probe*). A revision in which all of that is the same does the same.
 * Where the list may be incomplete, nothing is carried over.
 */
#ifndef PE_APP_MEASURE_REUSE_H
#define PE_APP_MEASURE_REUSE_H

#include "app/measure/plan.h"
#include "app/measure/session.h"

struct pe_carrier;

/**
 * Read what is known of earlier executions. NULL when nothing can be carried over in this session (no counting
 * library, or --again). Lives in the session's arena.
 */
int pe_carrier_new(struct pe_carrier **out, struct pe_session *session);

/** Let go of what is not in the arena, while the session is still open. Welcomes NULL. */
void pe_carrier_free(struct pe_carrier *carrier);

/**
 * Carry a cell over, or probe it so that later ones can be carried over from it.
 *
 * @param carried   true: the store has the cell's source now, and it is not to be run
 * @param known     what is measured: sources must be, or be planned in the window at hand
 * @param revision, workload  indices into the session
 * @param slot      that holds the revision's build
 * @param build     how it was built: an incremental build that left an old program is a note
 */
int pe_carrier_try(bool *carried, struct pe_carrier *carrier, const struct pe_known *known,
		   size_t revision, size_t workload, const struct pe_slot *slot,
		   const struct pe_build *build);

#endif
