/* sched_setscheduler(2) with SCHED_IDLE and syscall(2) are Linux's. */
#define _GNU_SOURCE
#include "hooks/background.h"

#include "core/base/files.h"
#include "core/base/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Variables that name the user's configuration, and how far to search for a repository: no hook changes them. */
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

const char *const *pe_background_env(const char *git_dir, const char *work_tree,
				     struct pe_arena *arena)
{
	bool has_place = git_dir != NULL && git_dir[0] != '\0';
	size_t n = 0, kept_n = 0;
	const char **out;

	while (environ[n] != NULL)
		n++;
	out = pe_arena_new(arena, const char *, n + 3);
	for (size_t i = 0; i < n; i++)
		if (!is_git(environ[i]))
			out[kept_n++] = environ[i];
	if (has_place)
		out[kept_n++] = pe_arena_printf(arena, "GIT_DIR=%s", git_dir);
	if (has_place && work_tree != NULL)
		out[kept_n++] = pe_arena_printf(arena, "GIT_WORK_TREE=%s", work_tree);
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

int pe_background_open_log(const char *log)
{
	int fd;

	rotate(log);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	return fd >= 0 ? fd : open("/dev/null", O_WRONLY | O_CLOEXEC);
}

void pe_background_yield(void)
{
	enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_CLASS_IDLE = 3, IOPRIO_CLASS_SHIFT = 13 };
	const struct sched_param none = {0};
	const char *priority = getenv("PERFEVO_BACKGROUND");

	if (priority != NULL && strcmp(priority, "normal") == 0)
		return;
	sched_setscheduler(0, SCHED_IDLE, &none);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
	setpriority(PRIO_PROCESS, 0, 19);
}

int pe_background_start(const char *program, const char *const *argv, const char *const *env,
			const char *folder, const char *log, struct pe_err *err)
{
	pe_auto_fd fd = pe_background_open_log(log);
	const struct pe_spawn spawn = {
		.program = program,
		.argv = argv,
		.env = env,
		.dir = folder,
		.in = -1,
		.out = fd,
		.err = fd,
		.hand = -1,
		.flags = PE_SPAWN_DETACHED,
	};
	pid_t pid;

	if (fd < 0)
		return pe_fail_errno(err, "cannot open %s", log);
	return pe_spawn_start(&pid, &spawn, err);
}
