/* Profile: `profile:` of the config and of benchmarks. */
#ifndef PE_CONFIGS_PROFILE_H
#define PE_CONFIGS_PROFILE_H

#include "configs/read.h"
#include "core/exec/build_variant.h"

/** Read `profile:` into a plan, over its current values. @param field  struct pe_profile_plan */
int pe_profile_read(struct pe_reader *reader, const struct pe_yaml *node, void *field);

#endif
