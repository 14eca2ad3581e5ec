/*
 * Programs that another program starts. One that we cannot get into (static, setuid, started without our
 * environment) leaves no record, and the sum over the others would look like the whole. So every execve(2)
 * that is about to happen leaves a note, a file <pid>-<time>.exec with the program's name, and a call that
 * comes back has failed and takes its note away. A note without a later record of that process is a program
 * that was not counted.
 *
 * This may run between vfork(2) and execve(2): nothing here allocates or writes to memory that the parent
 * uses. system(3) and popen(3) start /bin/sh within libc, unseen; the shell itself reports.
 */
#include "probe/runtime/exec_arguments.h"
#include "probe/runtime/file_limit.h"
#include "probe/runtime/record.h"
#include "probe/runtime/touch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct note {
	char path[PATH_MAX + 64];
};

extern char **environ;

typedef int (*spawn_fn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			const posix_spawnattr_t *, char *const[], char *const[]);

static void leave_note(struct note *note, pid_t pid, uint64_t time, const char *program)
{
	int error = errno;
	const char *directory = pe_record_directory();
	size_t n = strlen(program);
	int fd;

	note->path[0] = '\0';
	if (*directory == '\0')
		return;
	snprintf(note->path, sizeof(note->path), "%s/%u-%llu" PE_EXEC_SUFFIX, directory,
		 (unsigned)pid, (unsigned long long)time);
	fd = pe_touch_open(note->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0) {
		note->path[0] = '\0';
	} else {
		/* The name is for people; without it the note still counts. */
		if (pe_file_may_reach(n) && write(fd, program, n) != (ssize_t)n)
			errno = 0;
		close(fd);
	}
	errno = error;
}

/* The call came back: it failed. */
static int take_back(const struct note *note, int rc)
{
	int error = errno;

	if (note->path[0] != '\0')
		unlink(note->path);
	errno = error;
	return rc;
}

PE_PUBLIC int execve(const char *path, char *const argv[], char *const env[])
{
	struct note note;

	pe_touch_start(path, false);
	leave_note(&note, getpid(), pe_touch_now(), path);
	return take_back(&note, PE_NEXT(execve)(path, argv, env));
}

PE_PUBLIC int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

PE_PUBLIC int execvpe(const char *file, char *const argv[], char *const env[])
{
	struct note note;

	pe_touch_start(file, true);
	leave_note(&note, getpid(), pe_touch_now(), file);
	return take_back(&note, PE_NEXT(execvpe)(file, argv, env));
}

PE_PUBLIC int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

PE_PUBLIC int fexecve(int fd, char *const argv[], char *const env[])
{
	struct note note;

	pe_touch_libraries();
	pe_touch_fd(PE_PATH_READ, pe_touch_now(), fd);
	leave_note(&note, getpid(), pe_touch_now(), "(an open file)");
	return take_back(&note, PE_NEXT(fexecve)(fd, argv, env));
}

PE_PUBLIC int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
	struct note note;

	if (PE_NEXT(execveat) == NULL) {
		errno = ENOSYS;
		return -1;
	}
	pe_touch_libraries();
	pe_touch_path(PE_PATH_READ, pe_touch_now(), dir, path);
	leave_note(&note, getpid(), pe_touch_now(), *path != '\0' ? path : "(an open file)");
	return take_back(&note, PE_NEXT(execveat)(dir, path, argv, env, flags));
}

PE_EXEC_LIST(execl, environ, , execve(path, argv, env))
PE_EXEC_LIST(execlp, environ, , execvpe(path, argv, env))
PE_EXEC_LIST(execle, va_arg(rest, char **), , execve(path, argv, env))

/* The note is for a process that exists only afterwards; its time is that of before. */
static int spawn(spawn_fn start, pid_t *pid, const char *path,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const argv[], char *const env[])
{
	uint64_t before = pe_touch_now();
	struct note note;
	pid_t child;
	int error = start(&child, path, actions, attributes, argv, env);

	if (error != 0)
		return error;
	leave_note(&note, child, before, path);
	if (pid != NULL)
		*pid = child;
	return 0;
}

#define SPAWNS(name, search)                                                                       \
	PE_PUBLIC int name(pid_t *restrict pid, const char *restrict path,                         \
			   const posix_spawn_file_actions_t *restrict actions,                     \
			   const posix_spawnattr_t *restrict attributes,                           \
			   char *const argv[restrict], char *const env[restrict])                  \
	{                                                                                          \
		pe_touch_start(path, search);                                                      \
		return spawn(PE_NEXT(name), pid, path, actions, attributes, argv, env);            \
	}

SPAWNS(posix_spawn, false)
SPAWNS(posix_spawnp, true)
