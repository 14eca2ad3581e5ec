#include "core/model/metric.h"

#include <math.h>
#include <string.h>

/*
 * What is judged by default is wall, max-rss, instructions and the allocations: cpu, user and sys follow wall
 * and would repeat its every jump, so they are context unless the user names them.
 */
/* clang-format off */
/* Less is better of all of them. */
#define ROW(id, name, unit, label, kind, relative, absolute)                                       \
	[PE_##id] = {name, unit, label, PE_LOWER_IS_BETTER, PE_METRIC_##kind, relative, absolute, false},
#define ROWS(TIME, COUNT, BYTES)                                                                   \
	ROW(WALL, "wall", "ns", "wall time", NOISY, 0.02, TIME)                                    \
	ROW(CPU, "cpu", "ns", "CPU time", CONTEXT, 0.02, TIME)                                     \
	ROW(USER, "user", "ns", "user time", CONTEXT, 0.02, TIME)                                  \
	ROW(SYS, "sys", "ns", "system time", CONTEXT, 0.05, TIME)                                  \
	ROW(MAX_RSS, "max-rss", "bytes", "peak memory", NOISY, 0.05, 256 * 1024)                   \
	ROW(MINOR_FAULTS, "minor-faults", "1", "minor page faults", CONTEXT, 0.05, 16)             \
	ROW(MAJOR_FAULTS, "major-faults", "1", "major page faults", CONTEXT, 0.05, 16)             \
	ROW(VOLUNTARY_SWITCHES, "voluntary-switches", "1",                                         \
	    "voluntary context switches", CONTEXT, 0.05, 16)                                       \
	ROW(INVOLUNTARY_SWITCHES, "involuntary-switches", "1",                                     \
	    "involuntary context switches", CONTEXT, 0.05, 16)                                     \
	ROW(INSTRUCTIONS, "instructions", "1", "instructions", NOISY, 0.005, 10e3)                 \
	ROW(READ_BYTES, "read-bytes", "bytes", "bytes read", CONTEXT, 0.01, BYTES)                 \
	ROW(WRITTEN_BYTES, "written-bytes", "bytes", "bytes written", CONTEXT, 0.01, BYTES)        \
	ROW(TEXT_SIZE, "text-size", "bytes", "size of code", CONTEXT, 0.01, 256)                   \
	ROW(DATA_SIZE, "data-size", "bytes", "size of data", CONTEXT, 0.01, 256)                   \
	ROW(ALLOCATIONS, "allocations", "1", "allocations", DETERMINISTIC, 0.001, COUNT)           \
	ROW(ALLOCATED_BYTES, "allocated-bytes", "bytes",                                           \
	    "allocated bytes", DETERMINISTIC, 0.005, BYTES)                                        \
	ROW(ALLOCATED_PEAK, "allocated-peak", "bytes",                                             \
	    "peak of live allocations", DETERMINISTIC, 0.005, BYTES)                               \
	ROW(SIMULATED_INSTRUCTIONS, "simulated-instructions", "1",                                 \
	    "simulated instructions", DETERMINISTIC, 0.001, COUNT)                                 \
	ROW(SYSTEM_CALLS, "system-calls", "1", "system calls", CONTEXT, 0.001, COUNT)
/* clang-format on */

const struct pe_metric pe_metrics[PE_N_METRICS] = {ROWS(20e3, 2, 1024)};
/* A clock read a million times tells picoseconds; what starts the program is divided by the iterations, too. */
const struct pe_metric pe_metrics_of_iteration[PE_N_METRICS] = {ROWS(0.05, 0.5, 16)};
#undef ROWS
#undef ROW

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
