/*
 * Epochs: stretches of time in which no file was replaced that a benchmark executes from outside of the tree, such as an
 * interpreter or the C library (store/modules.c). Counts of two epochs are not compared; a revision that is counted in
 * both links them.
 */
#ifndef PE_APP_MEASURE_EPOCHS_H
#define PE_APP_MEASURE_EPOCHS_H

#include "app/measure/session.h"

/** The epoch of the latest counting run of a benchmark; 0: there is none. */
int pe_epochs_latest(unsigned *out, struct pe_store *store, int64_t machine, int64_t benchmark,
		     struct pe_err *err);

/**
 * Count again, today, both sides of each gap between neighbouring revisions that have no epoch in common, and note the
 * replaced files. Revisions that do not build, or have no room, are left out.
 *
 * @param wanted  only requested revisions are neighbours; false: only where the session counted anything
 */
int pe_epochs_link(struct pe_session *session, bool wanted);

#endif
