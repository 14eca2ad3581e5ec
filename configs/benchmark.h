/* Benchmark: `benchmarks:`, `defaults:` and the metrics that benchmarks print themselves. */
#ifndef PE_CONFIGS_BENCHMARK_H
#define PE_CONFIGS_BENCHMARK_H

#include "configs/read.h"

#include "core/base/vec.h"

typedef PE_VEC(struct pe_benchmark) pe_benchmark_vec;

/** What a benchmark is where the config says nothing. */
struct pe_benchmark pe_benchmark_defaults(void);

/** Read `defaults:` into a benchmark that all others start from. */
int pe_benchmark_read_defaults(struct pe_reader *reader, const struct pe_yaml *node,
			       struct pe_benchmark *model);

/**
 * Read `benchmarks:`: a mapping of names to bodies, or a list of bodies with names.
 *
 * @param out    one benchmark for each combination of parameters is added; names stay unique
 * @param model  what every benchmark starts from
 */
int pe_benchmarks_read(pe_benchmark_vec *out, struct pe_reader *reader, const struct pe_yaml *node,
		       const struct pe_benchmark *model);

#endif
