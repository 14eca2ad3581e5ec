/* Metric: what a run is measured by. The built-in ones are a table; a config adds its own. */
#pragma once

#include "core/stats/compare.h"

#include <stdbool.h>

enum pe_metric_kind {
	PE_METRIC_NOISY, /**< varies from run to run: judged by statistics */
	/**
	 * meant to be the same in every run of one build: any difference is a change. Where runs of one build differ
	 * all the same (core/stats/deterministic.h), it is judged as one that is noisy
	 */
	PE_METRIC_DETERMINISTIC,
	PE_METRIC_CONTEXT, /**< recorded to explain a run, never judged (context switches) */
};

/** One metric. Names are stable: they are stored and used on the command line. */
struct pe_metric {
	const char *name;  /**< "wall", "cpu", "allocations" */
	const char *unit;  /**< "ns", "bytes", "1" for counts, or the config's */
	const char *label; /**< for people: "wall time" */
	enum pe_better better;
	enum pe_metric_kind kind;
	double min_relative; /**< smallest relative change to report; 0.02 is 2 % */
	double min_absolute; /**< smallest absolute change to report, in the unit */
	bool primary; /**< the config names it as what people pay for: it stands before all others */
};

/** Output's note where only exact counts were taken. */
#define PE_COUNTS_ONLY "counts only, nothing was timed"

/** What a metric measures, in the order in which people pay for it. */
enum pe_measures {
	PE_MEASURES_TIME, /**< or the config's primary metric, or any metric of its own that is no size */
	PE_MEASURES_MEMORY,
	PE_MEASURES_INSTRUCTIONS,
	PE_MEASURES_ALLOCATIONS,
	PE_MEASURES_OTHER_COUNTS,
};

/** What a metric measures; a primary one and one of the config's own count as time, unless the latter is in bytes. */
enum pe_measures pe_metric_measures(const struct pe_metric *metric);

/** Built-in metrics, in the order of pe_metrics[]; from PE_ALLOCATIONS on, those of counting runs. */
enum pe_metric_id {
	PE_WALL,
	PE_CPU,
	PE_USER,
	PE_SYS,
	PE_MAX_RSS,
	PE_MINOR_FAULTS,
	PE_MAJOR_FAULTS,
	PE_VOLUNTARY_SWITCHES,
	PE_INVOLUNTARY_SWITCHES,
	PE_INSTRUCTIONS,
	PE_READ_BYTES,
	PE_WRITTEN_BYTES,
	PE_TEXT_SIZE, /**< of the program (core/exec/program_size.h) */
	PE_DATA_SIZE,
	PE_ALLOCATIONS,
	PE_ALLOCATED_BYTES,
	PE_ALLOCATED_PEAK,
	PE_SIMULATED_INSTRUCTIONS, /**< counted by valgrind (core/exec/simulate.h) */
	PE_SYSTEM_CALLS,           /**< of the same run */
	PE_N_METRICS
};

extern const struct pe_metric pe_metrics[PE_N_METRICS];

/** The same as they are of one iteration within a process: smaller differences count. */
extern const struct pe_metric pe_metrics_of_iteration[PE_N_METRICS];

/** The built-in metric of that name, or NULL. */
const struct pe_metric *pe_metric_find(const char *name);

/**
 * How far values of one build may be from each other and still be one value, relative. Of simulated instructions a tenth
 * of what is reported: a shell that waits for its child does a few more or fewer, by when that ends.
 */
double pe_metric_tolerance(const struct pe_metric *metric);

/** Whether two values of a metric of exact counts are one, within pe_metric_tolerance(). */
bool pe_metric_agrees(const struct pe_metric *metric, double a, double b);

/** Whether it takes a counting run (PE_RUN_COUNTED): no timed run gives it a value. */
bool pe_metric_is_counted(const struct pe_metric *metric);
