/* Advice: what the output of a failed command tells of its cause, and the line of the config that removes it. */
#pragma once

#include "core/base/arena.h"
#include "core/model/limits.h"
#include "core/model/sandbox.h"

/** How a command ran. */
struct pe_advice_about {
	const struct pe_sandbox *sandbox; /**< that confined it; NULL: none */
	const struct pe_limits *limits;   /**< that bounded it; NULL: none */
	const struct pe_strings
		*pass_env; /**< of a build: what it inherits beside the usual names; NULL: a run */
};

/**
 * The obstacles in a command's output, a line each: a path that the sandbox does not give, a network that was not reached, a
 * proxy that builds do not inherit, memory beyond a limit of the config.
 *
 * @param log  of a command that failed
 * @return     in the arena; "": none of them
 */
const char *pe_advice_of(const char *log, const struct pe_advice_about *about,
			 struct pe_arena *arena);
