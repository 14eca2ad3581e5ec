/* Build lanes: how many builds may be at work side by side, and how many jobs each of them gets. */
#ifndef PE_CORE_EXEC_BUILD_LANES_H
#define PE_CORE_EXEC_BUILD_LANES_H

#include "core/model/build.h"

#include <stdbool.h>

/** No more than these, whatever a config says. */
enum { PE_BUILD_LANES_MAX = 64 };

/** Whether commands name a folder for temporary files, which all have in common unless a sandbox gives each its own. */
bool pe_build_lanes_use_temporary(const struct pe_commands *steps);

/** Whether commands redirect what they print to a file outside of their tree, which all have in common. */
bool pe_build_lanes_write_elsewhere(const struct pe_commands *commands);

/**
 * How many builds of a recipe may be at work side by side: as `parallel` says; else as many as it has jobs, with a
 * gibibyte of memory each. A recipe whose steps name a folder for temporary files is built in one lane where nothing
 * gives each build such a folder of its own.
 *
 * @param memory_bytes  that may be had: pe_memory_available()
 * @param confined      builds have folders for temporary files of their own (core/exec/sandbox.h)
 */
unsigned pe_build_lanes_count(const struct pe_recipe *recipe, uint64_t memory_bytes, bool confined);

/**
 * Jobs of the next build, so that all together have no more than the recipe says, and the last ones have what is left.
 *
 * @param jobs     of all builds together
 * @param in_use   by those that are at work
 * @param waiting  builds that begin now, this one included; not 0
 */
unsigned pe_build_lanes_jobs(unsigned jobs, unsigned in_use, unsigned waiting);

#endif
