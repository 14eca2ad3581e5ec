/* Build lanes: how many builds may be at work side by side, and how many jobs each of them gets. */
#pragma once

#include "core/model/build.h"

#include <stdbool.h>

/** At most this many, whatever the config has. */
enum { PE_PARALLEL_BUILDS_MAX = 64 };

/** Whether commands name a folder for temporary files, which all have in common unless a sandbox gives each its own. */
bool pe_parallel_builds_use_temporary(const struct pe_commands *steps);

/** Whether commands redirect what they print to a file outside of their tree, which all have in common. */
bool pe_parallel_builds_write_elsewhere(const struct pe_commands *commands);

/**
 * The number of builds of a recipe that may run at one time: `parallel`, else as many as the recipe has jobs, with a
 * gibibyte of memory each. A recipe whose steps name a folder for temporary files is built alone unless each build has
 * such a folder of its own.
 *
 * @param memory_bytes  available: pe_memory_available()
 * @param confined      builds have folders for temporary files of their own (core/exec/sandbox.h)
 */
unsigned pe_parallel_builds_count(const struct pe_recipe *recipe, uint64_t memory_bytes,
				  bool confined);

/**
 * Jobs of the next build, so that all together have no more than the recipe's, and the last ones share the rest.
 *
 * @param jobs     of all builds together
 * @param in_use   by builds that run
 * @param waiting  builds that begin now, this one included; not 0
 */
unsigned pe_parallel_builds_jobs(unsigned jobs, unsigned in_use, unsigned waiting);
