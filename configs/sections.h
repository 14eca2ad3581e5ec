/*
 * Sections: the keys of the config that have a file each. The field of a reader is what the table of config.c says: a struct
 * pe_config unless another one is named here.
 */
#pragma once

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

/** Read `suites:`, after `profile:`: a mapping of names to bodies; a text is short for a body with that command. */
int pe_suites_read(struct pe_reader *reader, const struct pe_yaml *node, void *config);

/** Read `tests:` over its defaults; the field is a struct pe_tests. */
int pe_tests_read(struct pe_reader *reader, const struct pe_yaml *node, void *field);

/** Read `profile:`, of the config or of a benchmark, over the current values of a struct pe_profile_plan. */
int pe_profile_read(struct pe_reader *reader, const struct pe_yaml *node, void *field);

/**
 * Read `sandbox:`, after `build:` and `nightly:`; node is NULL where the config lacks it. The environment's PERFEVO_SANDBOX
 * overrides the mode. Without either, it is `require` with `nightly: fetch:`, else `off`.
 */
int pe_sandbox_read(struct pe_reader *reader, const struct pe_yaml *node, void *config);

/** Read `limits:`, after the sandbox; node is NULL where the config lacks it. */
int pe_limits_read(struct pe_reader *reader, const struct pe_yaml *node, void *config);
