/*
 * Fault: what the machine lacks: whether a command failed because of a full disk or too little memory, and not because of
 * the revision. Such a failure is no fact about a commit: it is stored as inconclusive and tried again.
 */
#pragma once

#include "core/base/arena.h"
#include "core/exec/ports.h"
#include "core/model/outcome.h"

#include <stdint.h>

/** Processes of this one's cgroup that the kernel has ended for want of memory; 0 where it does not count them. */
uint64_t pe_oom_kills(void);

/** Bytes of memory that this process and its children may still have, by the machine and by their cgroup. */
uint64_t pe_memory_available(void);

/**
 * Make the failure of a command inconclusive where the machine lacked something, and add to its log what it lacked.
 *
 * Signs are: a SIGKILL that perfevo did not send, the kernel's count of processes ended for want of memory, messages in
 * the log about a full disk, quota or memory, and less than 1 % and 1 GiB free in the tree, TMPDIR or HOME.
 *
 * @param outcome    of the command; PE_MEASURED and what perfevo ended itself stay
 * @param log        the end of its output; replaced by a longer one of the arena's
 * @param tree       where it ran
 * @param oom_kills  pe_oom_kills() before it began
 */
void pe_fault_mark(enum pe_outcome *outcome, const char **log, const struct pe_proc_result *result,
		   const char *tree, uint64_t oom_kills, struct pe_arena *arena);
