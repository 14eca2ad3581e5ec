/*
 * Preloaded into perfevo by faults.py and kills.py: lets one thing go wrong, at a moment that is counted and so comes
 * again. Which one, the environment says:
 *
 *   FAULT_IN=NAME     only in processes of that program
 *   FAULT_MALLOC=N    the N-th allocation fails (malloc, calloc, realloc, aligned_alloc, posix_memalign)
 *   FAULT_KILL=N      SIGKILL at the N-th call that changes files or sends a message, to FAULT_WHOM: "self", "group", or
 *                     "launcher": the process's children of that name, which are linked statically
 *   FAULT_CLOCK=SEED  the time of day jumps by up to ten years, in either direction, at each 50th question
 *   FAULT_COUNT=FILE  a line "NAME allocations calls" at the end of each process
 *
 * A count belongs to one process. Allocations go to glibc's own functions below the public names, since finding those
 * by dlsym(3) allocates.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long allocations, calls, questions;
static long malloc_at, kill_at, clock_seed;
static int on;
static const char *count_file, *whom;

static long number(const char *name)
{
	const char *text = getenv(name);

	return text != NULL ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	const char *in = getenv("FAULT_IN");

	if (in == NULL || strcmp(in, program_invocation_short_name) != 0)
		return;
	malloc_at = number("FAULT_MALLOC");
	kill_at = number("FAULT_KILL");
	whom = getenv("FAULT_WHOM");
	clock_seed = number("FAULT_CLOCK");
	count_file = getenv("FAULT_COUNT");
	allocations = calls = 0;
	on = 1;
}

__attribute__((destructor)) static void end(void)
{
	char line[128];
	int fd, n;

	if (!on || count_file == NULL)
		return;
	n = snprintf(line, sizeof(line), "%s %ld %ld\n", program_invocation_short_name,
		     atomic_load(&allocations), atomic_load(&calls));
	fd = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd >= 0) {
		syscall(SYS_write, fd, line, (size_t)n);
		syscall(SYS_close, fd);
	}
}

/* --- Allocations --- */

static int fails(void)
{
	if (!on || ++allocations != malloc_at)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
	return fails() ? NULL : __libc_realloc(old, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return fails() ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **out, size_t align, size_t n)
{
	void *got = fails() ? NULL : __libc_memalign(align, n);

	if (got == NULL)
		return ENOMEM;
	*out = got;
	return 0;
}

/* --- Calls that change something --- */

static void kill_launchers(void)
{
	char path[64], children[512] = "", name[32];
	char *at = children;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, children, sizeof(children) - 1) < 0)
		return;
	close(fd);
	for (long pid; (pid = strtol(at, &at, 10)) > 0;) {
		memset(name, 0, sizeof(name));
		snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		if (read(fd, name, sizeof(name) - 1) > 0 && strcmp(name, "perfevo-launch\n") == 0)
			kill((pid_t)pid, SIGKILL);
		close(fd);
	}
}

static void meet(void)
{
	if (!on || ++calls != kill_at)
		return;
	if (whom != NULL && strcmp(whom, "launcher") == 0)
		kill_launchers();
	else
		kill(whom != NULL && strcmp(whom, "group") == 0 ? 0 : getpid(), SIGKILL);
}

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

#define CHANGES(type, name, parameters, arguments)                                                 \
	type name parameters                                                                       \
	{                                                                                          \
		meet();                                                                            \
		return NEXT(name) arguments;                                                       \
	}

CHANGES(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n))
CHANGES(ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at))
CHANGES(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at))
CHANGES(int, ftruncate64, (int fd, off64_t n), (fd, n))
CHANGES(int, fsync, (int fd), (fd))
CHANGES(int, fdatasync, (int fd), (fd))
CHANGES(int, rename, (const char *from, const char *to), (from, to))
CHANGES(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
CHANGES(int, unlink, (const char *path), (path))
CHANGES(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags))
CHANGES(int, mkdir, (const char *path, mode_t mode), (path, mode))
CHANGES(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode))
CHANGES(int, symlink, (const char *to, const char *path), (to, path))
CHANGES(int, symlinkat, (const char *to, int dir, const char *path), (to, dir, path))
CHANGES(int, flock, (int fd, int how), (fd, how))
CHANGES(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))

/* --- The time of day --- */

static time_t jump(void)
{
	unsigned long x = (unsigned long)(++questions / 50 + clock_seed) * 0x9e3779b97f4a7c15u;

	if (!on || clock_seed == 0)
		return 0;
	return (time_t)((x >> 20) % 631152000) - 315576000;
}

int clock_gettime(clockid_t id, struct timespec *out)
{
	int rc = (int)syscall(SYS_clock_gettime, id, out);

	if (rc == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		out->tv_sec += jump();
	return rc;
}

time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out != NULL)
		*out = now.tv_sec;
	return now.tv_sec;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
	return 0;
}
