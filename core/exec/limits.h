/*
 * Limits: how much memory and how many processes the commands of a build or run may have together, and how
 * much there is. Enforced by probe/launcher/group.h.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/proc.h"
#include "core/model/limits.h"

/**
 * Bound all further commands of a launcher, before it is confined. PERFEVO_CGROUP names a cgroup to do it in.
 *
 * @param confined  it will be, in namespaces that count processes by themselves
 * @param lacks     receives a sentence on what is kept by weaker means, NULL: nothing; in the arena
 */
int pe_limits_enter(struct pe_launcher *launcher, const struct pe_limits *limits, bool confined,
		    const char **lacks, struct pe_arena *arena, struct pe_err *err);

/** Processes of this one's cgroup that the kernel has ended for want of memory; 0 where it does not count them. */
uint64_t pe_oom_kills(void);

/** Bytes of memory that this process and its children may still have, by the machine and by their cgroup. */
uint64_t pe_memory_available(void);
