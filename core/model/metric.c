#include "core/model/metric.h"

#include <math.h>
#include <string.h>

/*
 * What is judged by default is wall, max-rss, instructions and the allocations: cpu, user and sys follow wall
 * and would repeat its every jump, so they are context unless the user names them.
 */
#define ROWS(TIME, COUNT, BYTES)                                                                   \
	[PE_WALL] = {"wall",          "ns", "wall time", PE_LOWER_IS_BETTER,                       \
		     PE_METRIC_NOISY, 0.02, TIME,        false},                                   \
	[PE_CPU] = {"cpu", "ns", "CPU time", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT,                \
		    0.02,  TIME, false},                                                           \
	[PE_USER] = {"user", "ns", "user time", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT,             \
		     0.02,   TIME, false},                                                         \
	[PE_SYS] = {"sys", "ns", "system time", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT,             \
		    0.05,  TIME, false},                                                           \
	[PE_MAX_RSS] = {"max-rss",       "bytes", "peak memory", PE_LOWER_IS_BETTER,               \
			PE_METRIC_NOISY, 0.05,    256 * 1024,    false},                           \
	[PE_MINOR_FAULTS] = {"minor-faults",                                                       \
			     "1",                                                                  \
			     "minor page faults",                                                  \
			     PE_LOWER_IS_BETTER,                                                   \
			     PE_METRIC_CONTEXT,                                                    \
			     0.05,                                                                 \
			     16,                                                                   \
			     false},                                                               \
	[PE_MAJOR_FAULTS] = {"major-faults",                                                       \
			     "1",                                                                  \
			     "major page faults",                                                  \
			     PE_LOWER_IS_BETTER,                                                   \
			     PE_METRIC_CONTEXT,                                                    \
			     0.05,                                                                 \
			     16,                                                                   \
			     false},                                                               \
	[PE_VOLUNTARY_SWITCHES] = {"voluntary-switches",                                           \
				   "1",                                                            \
				   "voluntary context switches",                                   \
				   PE_LOWER_IS_BETTER,                                             \
				   PE_METRIC_CONTEXT,                                              \
				   0.05,                                                           \
				   16,                                                             \
				   false},                                                         \
	[PE_INVOLUNTARY_SWITCHES] = {"involuntary-switches",                                       \
				     "1",                                                          \
				     "involuntary context switches",                               \
				     PE_LOWER_IS_BETTER,                                           \
				     PE_METRIC_CONTEXT,                                            \
				     0.05,                                                         \
				     16,                                                           \
				     false},                                                       \
	[PE_INSTRUCTIONS] = {"instructions",  "1",   "instructions", PE_LOWER_IS_BETTER,           \
			     PE_METRIC_NOISY, 0.005, 10e3,           false},                       \
	[PE_READ_BYTES] = {"read-bytes",      "bytes", "bytes read", PE_LOWER_IS_BETTER,           \
			   PE_METRIC_CONTEXT, 0.01,    BYTES,        false},                       \
	[PE_WRITTEN_BYTES] = {"written-bytes",   "bytes", "bytes written", PE_LOWER_IS_BETTER,     \
			      PE_METRIC_CONTEXT, 0.01,    BYTES,           false},                 \
	[PE_TEXT_SIZE] =                                                                           \
		{"text-size", "bytes", "size of code", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT,      \
		 0.01,        256,     false},                                                     \
	[PE_DATA_SIZE] =                                                                           \
		{"data-size", "bytes", "size of data", PE_LOWER_IS_BETTER, PE_METRIC_CONTEXT,      \
		 0.01,        256,     false},                                                     \
	[PE_ALLOCATIONS] = {"allocations",           "1",   "allocations", PE_LOWER_IS_BETTER,     \
			    PE_METRIC_DETERMINISTIC, 0.001, COUNT,         false},                 \
	[PE_ALLOCATED_BYTES] = {"allocated-bytes",                                                 \
				"bytes",                                                           \
				"allocated bytes",                                                 \
				PE_LOWER_IS_BETTER,                                                \
				PE_METRIC_DETERMINISTIC,                                           \
				0.005,                                                             \
				BYTES,                                                             \
				false},                                                            \
	[PE_ALLOCATED_PEAK] = {"allocated-peak",                                                   \
			       "bytes",                                                            \
			       "peak of live allocations",                                         \
			       PE_LOWER_IS_BETTER,                                                 \
			       PE_METRIC_DETERMINISTIC,                                            \
			       0.005,                                                              \
			       BYTES,                                                              \
			       false},                                                             \
	[PE_SIMULATED_INSTRUCTIONS] = {"simulated-instructions",                                   \
				       "1",                                                        \
				       "simulated instructions",                                   \
				       PE_LOWER_IS_BETTER,                                         \
				       PE_METRIC_DETERMINISTIC,                                    \
				       0.001,                                                      \
				       COUNT,                                                      \
				       false},                                                     \
	[PE_SYSTEM_CALLS] = {"system-calls",    "1",   "system calls", PE_LOWER_IS_BETTER,         \
			     PE_METRIC_CONTEXT, 0.001, COUNT,          false}

const struct pe_metric pe_metrics[PE_N_METRICS] = {ROWS(20e3, 2, 1024)};
/* A clock read a million times tells picoseconds; what starts the program is divided by the iterations, too. */
const struct pe_metric pe_metrics_of_iteration[PE_N_METRICS] = {ROWS(0.05, 0.5, 16)};
#undef ROWS

const struct pe_metric *pe_metric_find(const char *name)
{
	for (size_t i = 0; i < PE_N_METRICS; i++)
		if (strcmp(pe_metrics[i].name, name) == 0)
			return &pe_metrics[i];
	return NULL;
}

enum pe_measures pe_metric_measures(const struct pe_metric *metric)
{
	static const enum pe_measures measures[PE_N_METRICS] = {
		[PE_MAX_RSS] = PE_MEASURES_MEMORY,
		[PE_MINOR_FAULTS] = PE_MEASURES_OTHER_COUNTS,
		[PE_MAJOR_FAULTS] = PE_MEASURES_OTHER_COUNTS,
		[PE_VOLUNTARY_SWITCHES] = PE_MEASURES_OTHER_COUNTS,
		[PE_INVOLUNTARY_SWITCHES] = PE_MEASURES_OTHER_COUNTS,
		[PE_INSTRUCTIONS] = PE_MEASURES_INSTRUCTIONS,
		[PE_READ_BYTES] = PE_MEASURES_OTHER_COUNTS,
		[PE_WRITTEN_BYTES] = PE_MEASURES_OTHER_COUNTS,
		[PE_TEXT_SIZE] = PE_MEASURES_OTHER_COUNTS,
		[PE_DATA_SIZE] = PE_MEASURES_OTHER_COUNTS,
		[PE_ALLOCATIONS] = PE_MEASURES_ALLOCATIONS,
		[PE_ALLOCATED_BYTES] = PE_MEASURES_ALLOCATIONS,
		[PE_ALLOCATED_PEAK] = PE_MEASURES_MEMORY,
		[PE_SIMULATED_INSTRUCTIONS] = PE_MEASURES_INSTRUCTIONS,
		[PE_SYSTEM_CALLS] = PE_MEASURES_OTHER_COUNTS,
	};
	const struct pe_metric *builtin = pe_metric_find(metric->name);

	if (metric->primary)
		return PE_MEASURES_TIME;
	if (builtin != NULL)
		return measures[builtin - pe_metrics];
	return metric->unit != NULL && strcmp(metric->unit, "bytes") == 0 ? PE_MEASURES_MEMORY
									  : PE_MEASURES_TIME;
}

bool pe_metric_is_counted(const struct pe_metric *metric)
{
	const struct pe_metric *builtin = pe_metric_find(metric->name);

	return builtin != NULL && builtin >= &pe_metrics[PE_ALLOCATIONS];
}

double pe_metric_tolerance(const struct pe_metric *metric)
{
	return pe_metric_find(metric->name) == &pe_metrics[PE_SIMULATED_INSTRUCTIONS] ? 1e-4 : 0;
}

bool pe_metric_agrees(const struct pe_metric *metric, double a, double b)
{
	return fabs(a - b) <= pe_metric_tolerance(metric) * fmax(fabs(a), fabs(b));
}
