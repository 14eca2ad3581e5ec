/*
 * Trial: estimates the cost of a first session before it is planned. If the store has no costs of a benchmark's runs, the
 * benchmark is run once or twice at the newest commit that builds. The durations and the traces of its files are kept;
 * the values are not measurements.
 */
#pragma once

#include "app/measure/session.h"

/** Whether the costs of some benchmark of the session, or of its builds, are unknown. Fails as the store. */
int pe_trial_is_needed(bool *out, struct pe_session *session);

/**
 * Build the newest wanted revision that builds, and measure there the unknown costs of benchmarks: of a warm-up, a timed
 * run and a counting run; for a suite of one process. A failed run counts with its duration.
 *
 * @param until_ns  of pe_clock_ns(): no benchmark begins after it
 * @return          PE_ESTOPPED, PE_ESYS, PE_EFULL, as the store; PE_OK also where nothing builds
 */
int pe_trial_run(struct pe_session *session, uint64_t until_ns);

/**
 * Run a benchmark once in a built tree. Its duration is added to what was spent.
 *
 * @param run  with its kind
 */
int pe_trial_run_once(struct pe_run *run, struct pe_spending *spent, struct pe_session *session,
		      const struct pe_benchmark *benchmark, const char *tree, bool warmup);
