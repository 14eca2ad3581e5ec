/*
 * Limits: how much memory and how many processes the commands of a build or run may have together, and the message
 * where one had more. Enforced by probe/launcher/group.h.
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

/** Whether a command failed for its limits: then it is a fact about the commit, and not the machine's fault. */
bool pe_limits_ended(const struct pe_proc_result *result);

/** Which limit ended a command, and where the config sets it: a line in the arena; "": none. */
const char *pe_limits_explain(const struct pe_limits *limits, const struct pe_proc_result *result,
			      struct pe_arena *arena);
