/*
 * Trial: what a first session costs is learnt before it is planned. Where the store cannot tell what runs of a benchmark
 * take, each such benchmark is run once or twice at the newest commit that builds. The seconds are kept, and what it was
 * seen to read: nothing of it is a measurement.
 */
#ifndef PE_APP_MEASURE_TRIAL_H
#define PE_APP_MEASURE_TRIAL_H

#include "app/measure/session.h"

/** Whether the costs of some benchmark of the session, or of its builds, are not known. As the store. */
int pe_trial_is_needed(bool *out, struct pe_session *session);

/**
 * Build the newest wanted revision that builds, and find out there what runs of the benchmarks cost of which that is not
 * known: a warm-up, a timed run and one that counts; of a suite one process. One that fails costs what failing took.
 *
 * @param until_ns  of pe_clock_ns(): no benchmark has its turn after it
 * @return          PE_ESTOPPED, PE_ESYS, PE_EFULL, as the store; PE_OK also where nothing builds
 */
int pe_trial_run(struct pe_session *session, uint64_t until_ns);

#endif
