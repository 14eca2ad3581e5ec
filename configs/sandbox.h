/* Sandbox: the keys `sandbox:` and `limits:`, and their effects on the rest of the config. */
#ifndef PE_CONFIGS_SANDBOX_H
#define PE_CONFIGS_SANDBOX_H

#include "configs/config.h"
#include "configs/read.h"

/**
 * Read the key, after `build:` and `nightly:`; node is NULL where the config lacks it. The environment's PERFEVO_SANDBOX
 * overrides the mode. Without either, it is `require` with `nightly: fetch:`, else `off`.
 */
int pe_sandbox_read(struct pe_reader *reader, const struct pe_yaml *node, void *config);

/** Read `limits:`, after the sandbox; node is NULL where the config lacks it. */
int pe_limits_read(struct pe_reader *reader, const struct pe_yaml *node, void *config);

/**
 * Set the mode of a loaded config to `require`, with all consequences. With `or_auto`, a machine without namespaces, where
 * `require` would run nothing, gets `auto`, without a network as far as landlock can.
 */
void pe_sandbox_require(struct pe_config *config, bool or_auto, struct pe_arena *arena);

#endif
