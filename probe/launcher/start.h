/*
 * Start: from a request to a running command, in the surroundings that the request asks for.
 */
#pragma once

#include "probe/launcher/confine.h"

#include <stdbool.h>
#include <sys/types.h>

/** Cost of confining, and of opening the input. */
struct pe_start_cost {
	uint64_t wall_ns, cpu_ns;
};

/** A command to start. Every pointer is borrowed. */
struct pe_start {
	char **argv, **env; /**< NULL-terminated */
	const char *cwd;
	const char *input; /**< path of stdin, as the command finds it; "": /dev/null */
	/** stdin, stdout, stderr; each above 2, or its own number to inherit /dev/null */
	int fds[3];
	int jobs[2]; /**< ends of a jobserver, which become PE_JOBS_FD and the next one; -1: none */
	int cpu;     /**< -1: leave it */
	int nice;
	unsigned flags; /**< enum pe_proc_flags */
	const struct pe_confinement *confinement;
	int group;             /**< cgroup to start in, an open folder; -1: the launcher's own */
	uint64_t memory_bytes; /**< most of each process, where no group bounds it; 0: no bound */
};

/** A started command. Only the first member may be read before pe_start_wait(). */
struct pe_started {
	pid_t pid;
	/** status of PE_PROC_NOT_STARTED when it could not start, and must still be reaped; else 0 */
	int error;
	struct pe_start_cost preparing; /**< which is not the command's */
	/** For the child, while it shares our memory. */
	const struct pe_start *start;
	pid_t launcher;
	uint32_t sharing;
	struct pe_started
		*copy; /**< shared page of a child by fork; NULL: the child shares our memory */
	int copied;    /**< a pipe that ends when the copy is written */
};

/**
 * Start a command in a process group of its own, with default signals, which the kernel kills when the
 * launcher dies. The name is looked up on the PATH of the given environment, from the given directory.
 *
 * The caller may sleep, and then calls pe_start_wait() before anything else. `start` and `out` must last until
 * then. One command at a time.
 *
 * @return  false with errno: there is no process
 */
bool pe_start_command(struct pe_started *out, const struct pe_start *start);

/** Wait until the child no longer shares our memory: it became the command, or ended. */
void pe_start_wait(struct pe_started *started);
