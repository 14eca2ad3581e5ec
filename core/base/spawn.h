/*
 * Spawn: programs that perfevo calls for its own ends: git, a pager, itself in the background. What is built and
 * measured goes through the launcher (core/base/proc.h), which bounds and counts whole process trees.
 *
 * A child starts with no signal blocked, SIGPIPE at its default and none of our handlers. Descriptors that are not named
 * stay open in it unless they are close-on-exec.
 */
#pragma once

#include "core/base/text.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum pe_spawn_flags {
	PE_SPAWN_FOLLOW = 1 << 0, /**< is killed when this process ends */
	/**
	 * Outlives the caller: a session of its own, only the named descriptors, and as PE_SPAWN_PLAIN. The caller does not
	 * learn whether it could be started, since it would have to wait for that: a hook must not.
	 */
	PE_SPAWN_DETACHED = 1 << 1,
	PE_SPAWN_PLAIN =
		1
		<< 2, /**< all signals at their defaults, also those that we were started to ignore */
};

/** A named descriptor beside the first three. */
enum { PE_SPAWN_HAND = 3 };

/** What to start. Begin with PE_SPAWN_INIT: the child has our streams. Everything is borrowed. */
struct pe_spawn {
	const char *program;     /**< NULL: argv[0]; looked up on our PATH where it has no slash */
	const char *const *argv; /**< NULL-terminated */
	const char *const *env;  /**< NULL: our own */
	const char *dir;         /**< NULL: the current one */
	int in, out, err;        /**< what become its first three descriptors; -1: /dev/null */
	int hand;                /**< what becomes PE_SPAWN_HAND; -1: nothing */
	unsigned flags;          /**< enum pe_spawn_flags */
	uint64_t file_bytes;     /**< no file that it writes grows larger: EFBIG; 0: as ours */
	/**
	 * Called in the child in place of a program, with all signals blocked and only the named descriptors open; argv[0]
	 * names it in messages. NULL: the program is executed.
	 */
	void (*body)(const void *payload);
	const void *payload;
};

#define PE_SPAWN_INIT .in = 0, .out = 1, .err = 2, .hand = -1

/**
 * Start a program.
 *
 * @param pid  for pe_spawn_wait(); a child that was not waited for becomes init's when we end
 * @return     PE_ENOTFOUND for no such program or folder, PE_ESYS
 */
int pe_spawn_start(pid_t *pid, const struct pe_spawn *spawn, struct pe_err *err);

/** Call a function in a child, with all signals blocked and none of our handlers. PE_ESYS when there is no child. */
int pe_spawn_fork(pid_t *pid, void (*body)(void *payload), void *payload, struct pe_err *err);

/** Wait for the end of a child; its status as of waitpid(2). */
int pe_spawn_wait(pid_t pid);

/** Whether a wait status means: exited with 0. */
bool pe_spawn_succeeded(int status);

/** What a child reads and writes while it is waited for. Zero-initialise. */
struct pe_spawn_io {
	const char *
		input; /**< to its standard input; NULL: none. One that does not read it all is fine */
	size_t n_input;
	struct pe_text
		*output; /**< what it writes to standard output is added; NULL: to spawn's `out` */
	size_t output_bytes; /**< most of it that is kept; 0: all */
	uint64_t timeout_ns; /**< after which it is killed; 0: none */
	const volatile sig_atomic_t
		*interrupts; /**< counts Ctrl-C: above 0 it is killed; NULL: never */
};

/**
 * Start a program and wait for its end.
 *
 * @param status  as of waitpid(2)
 * @return        as of pe_spawn_start(); PE_ESYS, too, when it takes too long; PE_ESTOPPED, without a sentence, after
 *                Ctrl-C
 */
int pe_spawn_run(int *status, const struct pe_spawn *spawn, const struct pe_spawn_io *io,
		 struct pe_err *err);
