/* Background: a detached process of lowest priority. */
#pragma once

#include "core/base/arena.h"
#include "core/base/spawn.h"

#include <sys/types.h>

/**
 * The caller's environment without git's variables, which belong to the command that called the hook (GIT_DIR,
 * GIT_INDEX_FILE, GIT_QUARANTINE_PATH, GIT_PREFIX, ...); those that name the user's configuration stay.
 *
 * @param git_dir    absolute, set as GIT_DIR; NULL or "": git finds it by the folder
 * @param work_tree  absolute, set as GIT_WORK_TREE; NULL: git's default
 * @return           NULL-terminated "K=V", in the arena
 */
const char *const *pe_background_env(const char *git_dir, const char *work_tree,
				     struct pe_arena *arena);

/**
 * Open a log to append to. One of over a mebibyte is moved to LOG.1 before.
 *
 * @return  a descriptor, of /dev/null where the log cannot be opened; -1 where that fails, too
 */
int pe_background_open_log(const char *log);

/**
 * Start a program in a session of its own: no terminal, nothing on its input, output and errors into a log,
 * descriptors of the caller closed, signals as usual, in the given folder. Returns at once; the process belongs to init
 * when the caller ends.
 *
 * @param log  as of pe_background_open_log()
 */
int pe_background_start(const char *program, const char *const *argv, const char *const *env,
			const char *folder, const char *log, struct pe_err *err);

/**
 * Lower the priority of the calling process and of all that it starts: they run while the processor and the disk are
 * idle (SCHED_IDLE, idle I/O, nice 19). A setting that the system refuses stays; PERFEVO_BACKGROUND=normal in the
 * environment leaves all as they are, for machines that are never idle.
 */
void pe_background_yield(void);
