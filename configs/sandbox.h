/* Sandbox: the key `sandbox:`, and what it means for the rest of the config. */
#ifndef PE_CONFIGS_SANDBOX_H
#define PE_CONFIGS_SANDBOX_H

#include "configs/config.h"
#include "configs/read.h"

/** Read the key; node is NULL where the config lacks it. The environment's PERFEVO_SANDBOX has the last word on the mode. */
int pe_sandbox_read(struct pe_reader *reader, const struct pe_yaml *node, struct pe_config *out);

#endif
