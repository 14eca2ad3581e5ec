/* Benchmark: `benchmarks:`, `defaults:` and custom metrics. */
#ifndef PE_CONFIGS_BENCHMARK_H
#define PE_CONFIGS_BENCHMARK_H

#include "configs/read.h"

#include "core/base/vec.h"

typedef PE_VEC(struct pe_benchmark) pe_benchmark_vec;

/** The defaults of a benchmark. */
struct pe_benchmark pe_benchmark_defaults(void);

/** Read `defaults:` into the model of all benchmarks. */
int pe_benchmark_read_defaults(struct pe_reader *reader, const struct pe_yaml *node,
			       struct pe_benchmark *model);

/**
 * Read `benchmarks:`: a mapping of names to bodies, or a list of bodies with names.
 *
 * @param out    one benchmark for each combination of parameters is added; names stay unique
 * @param model  initial values of every benchmark
 */
int pe_benchmarks_read(pe_benchmark_vec *out, struct pe_reader *reader, const struct pe_yaml *node,
		       const struct pe_benchmark *model);

#endif
