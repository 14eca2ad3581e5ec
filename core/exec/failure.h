/*
 * Failure: the log of a command that failed: what it printed, how it ended, and the line of the config that removes the
 * cause. Where the machine lacked something, the failure is no fact about the commit: it is stored as inconclusive and
 * tried again.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/proc.h"
#include "core/model/limits.h"
#include "core/model/outcome.h"
#include "core/model/sandbox.h"

/** How a command ran. */
struct pe_failure_site {
	const struct pe_sandbox *sandbox; /**< that confined it; NULL: none */
	const struct pe_limits *limits;   /**< that bounded it; NULL: none */
	const struct pe_strings
		*pass_env;  /**< of a build: what it inherits beside the usual names; NULL: a run */
	const char *tree;   /**< where it ran */
	uint64_t oom_kills; /**< pe_oom_kills() before it began */
};

/**
 * The obstacles in a command's output, a line each: a path that the sandbox does not give, a network that was not reached, a
 * proxy that builds do not inherit, memory beyond a limit of the config.
 *
 * @return  in the arena; "": none of them
 */
const char *pe_failure_advice(const char *output, const struct pe_failure_site *site,
			      struct pe_arena *arena);

/**
 * The log of a command that failed, with the obstacles.
 *
 * Signs that the machine lacked something are: a SIGKILL that perfevo did not send, the kernel's count of processes ended
 * for want of memory, messages about a full disk, quota or memory, and less than 1 % and 1 GiB free in the tree, TMPDIR or
 * HOME.
 *
 * @param outcome  of the command; becomes PE_INCONCLUSIVE with such a sign, unless perfevo ended it itself
 * @param output   the end of what it printed
 * @return         in the arena
 */
const char *pe_failure_log(enum pe_outcome *outcome, const char *output, const char *command,
			   const struct pe_proc_result *result, const struct pe_failure_site *site,
			   struct pe_arena *arena);
