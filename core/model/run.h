/* Run: one execution of one benchmark at one revision, and its samples: one value a metric. */
#pragma once

#include "core/model/functions.h"
#include "core/model/metric.h"
#include "core/model/modules.h"
#include "core/model/outcome.h"
#include "core/model/system_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** The numbers are stored: append, never reorder. */
enum pe_run_kind {
	PE_RUN_TIMED = 0, /**< undisturbed: times, memory, faults, custom metrics */
	/** counts alone: allocations with the counting library, and instructions in a process of their own */
	PE_RUN_COUNTED = 1,
};

struct pe_sample {
	const struct pe_metric *metric;
	double value; /**< in the metric's unit */
	/** values within the process, which value is the median of; NULL: there is one */
	const double *inner;
	size_t n_inner;
};

/** Built-in metrics of a run, plus room for a config's own. */
#define PE_RUN_MAX_SAMPLES 48

struct pe_run {
	enum pe_run_kind kind;
	unsigned round;    /**< of its batch, from 0; orders the runs of a cell */
	uint64_t sequence; /**< position among all runs of the session: what ran before what */
	int64_t started_s;
	enum pe_outcome outcome;
	int status; /**< exit status or signal */
	unsigned
		left_behind; /**< processes that setup and prepare left running, and that were ended with them */
	const char *
		log; /**< of a failure, or with uncounted: the end of its stdout and stderr; else NULL */
	/** of a failure: the file of its tree that the command names and the log asks for, and that is not there; else NULL */
	const char *missing;
	/** of a failure: it was not made, because it would have read what another commit left outside of the trees */
	bool foreign;
	bool simulate; /**< the caller's, of a counting run: whether instructions are counted, too */
	/** one line: which requested value (of PE_METRIC_MISSING the first one) has no sample, and why; NULL: all are there */
	const char *uncounted;
	/** what a counting run executed from outside of the tree; NULL: not known */
	const struct pe_module_set *modules;
	struct pe_function_counts functions; /**< of a counting run that simulated instructions */
	struct pe_system_calls calls;        /**< of a counting run */
	uint64_t
		suite_ns; /**< wall time of the suite's process that gave it; 0: it had one of its own */
	size_t n_samples; /**< 0 unless outcome is PE_MEASURED */
	struct pe_sample samples[PE_RUN_MAX_SAMPLES];
};

/** Give a run samples; those beyond PE_RUN_MAX_SAMPLES are dropped. */
static inline void pe_run_take_samples(struct pe_run *run, const struct pe_sample *at, size_t n)
{
	run->n_samples = n < PE_RUN_MAX_SAMPLES ? n : PE_RUN_MAX_SAMPLES;
	if (n > 0)
		memcpy(run->samples, at, run->n_samples * sizeof(*at));
}
