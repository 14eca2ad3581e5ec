/* sched_setscheduler(2) with SCHED_IDLE, syscall(2) and close_range are Linux's. */
#define _GNU_SOURCE
#include "hooks/background.h"

#include "core/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Say where the user's configuration lies, and how far to look for a repository: no hook changes them. */
static const char *const kept[] = {
	"GIT_CONFIG_NOSYSTEM=",
	"GIT_CONFIG_GLOBAL=",
	"GIT_CONFIG_SYSTEM=",
	"GIT_CEILING_DIRECTORIES=",
	"GIT_DISCOVERY_ACROSS_FILESYSTEM=",
};

static bool is_git(const char *setting)
{
	if (strncmp(setting, "GIT_", 4) != 0)
		return false;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (strncmp(setting, kept[i], strlen(kept[i])) == 0)
			return false;
	return true;
}

const char *const *pe_background_env(const struct pe_hook_env *env, struct pe_arena *arena)
{
	size_t n = 0, kept_n = 0;
	const char **out;

	while (environ[n] != NULL)
		n++;
	out = pe_arena_new(arena, const char *, n + 3);
	for (size_t i = 0; i < n; i++)
		if (!is_git(environ[i]))
			out[kept_n++] = environ[i];
	if (env != NULL && env->git_dir != NULL)
		out[kept_n++] = pe_arena_printf(arena, "GIT_DIR=%s", env->git_dir);
	if (env != NULL && env->work_tree != NULL)
		out[kept_n++] = pe_arena_printf(arena, "GIT_WORK_TREE=%s", env->work_tree);
	return out;
}

static void rotate(const char *log)
{
	enum { LOG_BYTES = 1 << 20 };
	struct stat info;
	char old[4096];

	if (stat(log, &info) == 0 && info.st_size > LOG_BYTES &&
	    snprintf(old, sizeof(old), "%s.1", log) < (int)sizeof(old))
		rename(log, old);
}

static int open_log(const char *log)
{
	int fd;

	rotate(log);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return fd >= 0 ? fd : open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/* Signals that were blocked or ignored for the caller's sake would stay so after execve(2). */
static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL);
}

void pe_background_yield(void)
{
	enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_CLASS_IDLE = 3, IOPRIO_CLASS_SHIFT = 13 };
	const struct sched_param none = {0};
	const char *wish = getenv("PERFEVO_BACKGROUND");

	if (wish != NULL && strcmp(wish, "normal") == 0)
		return;
	sched_setscheduler(0, SCHED_IDLE, &none);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
	setpriority(PRIO_PROCESS, 0, 19);
}

/* In the child, after which there is no way back: only calls that are safe between fork and execve. */
static void become(const char *program, const char *const *argv, const char *const *env,
		   const char *folder, int log, int hand)
{
	unsigned first = hand >= 0 ? PE_BACKGROUND_HAND + 1 : PE_BACKGROUND_HAND;

	int nothing = open("/dev/null", O_RDONLY);

	setsid();
	/* From here on: to load a program is work, too. */
	pe_background_yield();
	if (nothing < 0 || chdir(folder) < 0)
		_exit(127);
	dup2(nothing, STDIN_FILENO);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	/* One that stands there already would be closed on execve. */
	if (hand == PE_BACKGROUND_HAND)
		fcntl(hand, F_SETFD, 0);
	else if (hand >= 0)
		dup2(hand, PE_BACKGROUND_HAND);
	if (syscall(SYS_close_range, first, ~0u, 0u) < 0)
		for (int fd = (int)first; fd < 1024; fd++)
			close(fd);
	reset_signals();
	execve(program, (char *const *)argv, (char *const *)env);
	_exit(127);
}

int pe_background_start(const char *program, const char *const *argv, const char *const *env,
			const char *folder, const char *log, int hand, struct pe_err *err)
{
	int fd = open_log(log);
	pid_t pid;

	if (fd < 0)
		return pe_fail_errno(err, "cannot open %s", log);
	pid = fork();
	if (pid == 0)
		become(program, argv, env, folder, fd, hand);
	close(fd);
	return pid < 0 ? pe_fail_errno(err, "cannot start %s", program) : PE_OK;
}

void pe_background_follow(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
}
