/*
 * Epochs: stretches of time in which nothing was replaced that a benchmark executes from outside of the tree, such as an
 * interpreter or the C library (store/modules.c). Counts of two epochs are not compared; a revision that is counted in
 * both links them.
 */
#ifndef PE_APP_MEASURE_EPOCHS_H
#define PE_APP_MEASURE_EPOCHS_H

#include "app/measure/session.h"

/** That of the latest counting run of a benchmark; 0: there is none. */
int pe_epochs_latest(unsigned *out, struct pe_store *store, int64_t machine, int64_t benchmark,
		     struct pe_err *err);

/**
 * Count again, today, both sides of each gap between neighbouring revisions that have no epoch in common, and say what was
 * replaced. Revisions that do not build, or have no room, stay as they are.
 *
 * @param wanted  only revisions that were asked for are neighbours; false: only where the session counted anything
 */
int pe_epochs_link(struct pe_session *session, bool wanted);

#endif
