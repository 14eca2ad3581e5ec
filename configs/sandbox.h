/* Sandbox: the keys `sandbox:` and `limits:`, and what they mean for the rest of the config. */
#ifndef PE_CONFIGS_SANDBOX_H
#define PE_CONFIGS_SANDBOX_H

#include "configs/config.h"
#include "configs/read.h"

/** Read the key; node is NULL where the config lacks it. The environment's PERFEVO_SANDBOX has the last word on the mode. */
int pe_sandbox_read(struct pe_reader *reader, const struct pe_yaml *node, struct pe_config *out);

/** Read `limits:`, after the sandbox; node is NULL where the config lacks it. */
int pe_limits_read(struct pe_reader *reader, const struct pe_yaml *node, struct pe_config *out);

#endif
