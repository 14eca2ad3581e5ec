/* Background: a process that nobody waits for and that gives way to everything else. */
#ifndef PE_HOOKS_BACKGROUND_H
#define PE_HOOKS_BACKGROUND_H

#include "core/base/arena.h"
#include "core/base/spawn.h"

#include <sys/types.h>

/** Where git works, without what it set for one command only. */
struct pe_hook_env {
	const char *git_dir;   /**< absolute; NULL: git finds it by the folder */
	const char *work_tree; /**< absolute; NULL: the usual one */
};

/**
 * The caller's environment without git's variables, which belong to the command that called the hook (GIT_DIR,
 * GIT_INDEX_FILE, GIT_QUARANTINE_PATH, GIT_PREFIX, ...); those that say where the user's configuration lies stay.
 *
 * @param env  what is set instead; NULL: nothing
 * @return     NULL-terminated "K=V", in the arena
 */
const char *const *pe_background_env(const struct pe_hook_env *env, struct pe_arena *arena);

/**
 * Start a program in a session of its own: no terminal, nothing on its input, output and errors into a log,
 * descriptors of the caller closed, signals as usual, in the given folder, and as pe_background_yield() says. Returns
 * at once; the process belongs to init when the caller ends. A log of over a mebibyte is moved to LOG.1 before.
 *
 * @param log   a file; what cannot be opened is replaced by /dev/null
 * @param hand  a descriptor that the program finds as PE_BACKGROUND_HAND; -1: none
 */
int pe_background_start(const char *program, const char *const *argv, const char *const *env,
			const char *folder, const char *log, int hand, struct pe_err *err);

/** The descriptor that a program finds which was handed one. */
enum { PE_BACKGROUND_HAND = PE_SPAWN_HAND };

/**
 * Give way: the calling process and all that it starts run when nobody else wants the processor or the disk
 * (SCHED_IDLE, idle I/O, nice 19). What the system refuses is left as it is; PERFEVO_BACKGROUND=normal in the
 * environment leaves all of it, for machines that are never idle.
 */
void pe_background_yield(void);

#endif
