/* Benchmark: `benchmarks:`, `defaults:` and custom metrics. */
#ifndef PE_CONFIGS_BENCHMARK_H
#define PE_CONFIGS_BENCHMARK_H

#include "configs/config.h"
#include "configs/read.h"

/** The defaults of a benchmark. */
struct pe_benchmark pe_benchmark_defaults(void);

/** Read `defaults:` into the model of all benchmarks, a struct pe_benchmark. */
int pe_benchmark_read_defaults(struct pe_reader *reader, const struct pe_yaml *node, void *model);

/**
 * Read `benchmarks:`, after `defaults:`: a mapping of names to bodies, or a list of bodies with names. Each combination of
 * parameters is a benchmark; names stay unique.
 */
int pe_benchmarks_read(struct pe_reader *reader, const struct pe_yaml *node, void *config);

#endif
