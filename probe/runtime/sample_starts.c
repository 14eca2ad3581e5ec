/*
 * Processes that the program starts, and waits for. A start leaves a mark below its call path, by which the
 * reader places the child's own file: by the child's process id; where the C library does not give it, by
 * the pipe of popen(3), which the child begins with, or by the time of system(3). A child of vfork(2) works in the memory of
 * its parent, and marks itself there when it becomes another program.
 */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE
#include "probe/runtime/sample.h"

#include "probe/runtime/exec_arguments.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define HERE __builtin_return_address(0)

/* --- Programs --- */

/* This process becomes another program. */
static void leave(const void *caller)
{
	struct pe_samples_header *file = pe_sample_file();
	struct pe_sampler *sampler = pe_sample_self();
	int error = errno;

	if (file == NULL || sampler == NULL)
		return;
	if (file->pid == (uint32_t)getpid())
		pe_sample_waits_look(sampler);
	else
		pe_sample_mark_start(PE_SAMPLES_STARTED, (uint32_t)getpid(), 1, caller);
	errno = error;
}

#define BECOMES(name, parameters, arguments)                                                       \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		leave(HERE);                                                                       \
		return PE_NEXT(name) arguments;                                                    \
	}

BECOMES(execve, (const char *path, char *const argv[], char *const env[]), (path, argv, env))
BECOMES(execv, (const char *path, char *const argv[]), (path, argv))
BECOMES(execvp, (const char *path, char *const argv[]), (path, argv))
BECOMES(execvpe, (const char *path, char *const argv[], char *const env[]), (path, argv, env))
BECOMES(fexecve, (int fd, char *const argv[], char *const env[]), (fd, argv, env))

PE_EXEC_LIST(execl, environ, leave(HERE), PE_NEXT(execve)(path, argv, env))
PE_EXEC_LIST(execlp, environ, leave(HERE), PE_NEXT(execvpe)(path, argv, env))
PE_EXEC_LIST(execle, va_arg(rest, char **), leave(HERE), PE_NEXT(execve)(path, argv, env))

PE_PUBLIC void _exit(int status)
{
	if (pe_sample_file() != NULL && pe_sample_file()->pid == (uint32_t)getpid())
		leave(HERE);
	PE_NEXT(_exit)(status);
	__builtin_unreachable();
}

PE_PUBLIC void _Exit(int status)
{
	_exit(status);
}

/* --- Children --- */

/* A child was started, which the call waited for until it was another program. */
static void started(const struct pe_sample_wait *wait, pid_t pid, const void *caller)
{
	if (pid <= 0)
		return;
	pe_sample_mark_start(PE_SAMPLES_STARTED, (uint32_t)pid, 1, caller);
	pe_sample_wait_end(wait, PE_SAMPLES_CHILD, (uint32_t)pid, caller);
}

PE_PUBLIC pid_t fork(void)
{
	const struct pe_sample_wait wait = pe_sample_wait_begin();
	const pid_t pid = PE_NEXT(fork)();
	started(&wait, pid, HERE);
	return pid;
}

#define SPAWNS(name)                                                                               \
	PE_PUBLIC int name(pid_t *restrict pid, const char *restrict path,                         \
			   const posix_spawn_file_actions_t *restrict actions,                     \
			   const posix_spawnattr_t *restrict attributes,                           \
			   char *const argv[restrict], char *const env[restrict])                  \
	{                                                                                          \
		pid_t child = 0;                                                                   \
		int error;                                                                         \
                                                                                                   \
		const struct pe_sample_wait wait = pe_sample_wait_begin();                         \
		error = PE_NEXT(name)(&child, path, actions, attributes, argv, env);               \
		if (error == 0 && pid != NULL)                                                     \
			*pid = child;                                                              \
		started(&wait, error == 0 ? child : 0, HERE);                                      \
		return error;                                                                      \
	}

SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

PE_PUBLIC FILE *popen(const char *command, const char *mode)
{
	FILE *stream;

	const struct pe_sample_wait wait = pe_sample_wait_begin();
	stream = PE_NEXT(popen)(command, mode);
	if (stream != NULL && wait.sampler != NULL) {
		uint32_t id = pe_sample_pipe(fileno(stream));

		pe_sample_mark_start(PE_SAMPLES_STARTED_POPEN, id, 1, HERE);
		pe_sample_wait_end(&wait, PE_SAMPLES_POPEN, id, HERE);
	}
	return stream;
}

PE_PUBLIC int pclose(FILE *stream)
{
	uint32_t id;

	const struct pe_sample_wait wait = pe_sample_wait_begin();
	id = wait.sampler != NULL ? pe_sample_pipe(fileno(stream)) : 0;
	const int status = PE_NEXT(pclose)(stream);
	pe_sample_wait_end(&wait, PE_SAMPLES_POPEN, id, HERE);
	return status;
}

PE_PUBLIC int system(const char *command)
{
	static uint32_t last;
	uint32_t id = 0;

	const struct pe_sample_wait wait = pe_sample_wait_begin();
	if (wait.sampler != NULL && command != NULL) {
		uint64_t us = (pe_sample_now_ns() - pe_sample_file()->started_ns) / 1000;

		id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
		pe_sample_mark_start(PE_SAMPLES_STARTED_SYSTEM, id,
				     us < UINT32_MAX ? (uint32_t)us : UINT32_MAX, HERE);
	}
	const int status = PE_NEXT(system)(command);
	pe_sample_wait_end(&wait, PE_SAMPLES_SYSTEM, id, HERE);
	return status;
}

#define WAITS_CHILD(name, parameters, arguments)                                                   \
	WAITS(pid_t, name, parameters, arguments, PE_SAMPLES_CHILD, result > 0 ? result : 0)

WAITS_CHILD(wait, (int *status), (status))
WAITS_CHILD(waitpid, (pid_t pid_of, int *status, int options), (pid_of, status, options))
WAITS_CHILD(wait3, (int *status, int options, struct rusage *usage), (status, options, usage))
WAITS_CHILD(wait4, (pid_t pid_of, int *status, int options, struct rusage *usage),
	    (pid_of, status, options, usage))

PE_PUBLIC int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	const struct pe_sample_wait wait = pe_sample_wait_begin();
	const int result = PE_NEXT(waitid)(type, id, info, options);
	pe_sample_wait_end(&wait, PE_SAMPLES_CHILD,
			   result == 0 && info != NULL ? (uint32_t)info->si_pid : 0, HERE);
	return result;
}
