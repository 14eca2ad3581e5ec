/*
 * Preloaded into perfevo by faults.py and kills.py: lets one thing go wrong, at a moment that is counted and so comes
 * again. Which one, the environment says:
 *
 *   FAULT_IN=NAME     only in processes of that program
 *   FAULT_MALLOC=N    the N-th allocation fails (malloc, calloc, realloc, aligned_alloc, posix_memalign), but none within
 *                     regcomp(3): glibc's frees twice what it was refused the rest of, and aborts
 *   FAULT_KILL=N      SIGKILL at the N-th call that changes files or sends a message, to FAULT_WHOM: "self", "group", or
 *                     "launcher": the process's children of that name, which are linked statically
 *   FAULT_CLOCK=SEED  the time of day jumps by up to ten years, in either direction, at each 50th question
 *   FAULT_POWER=DIR   what is needed to take back what was not synced when the power went: DIR/log has a line a change below
 *                     FAULT_PLACE (power.py reads it), DIR/N what names stood for before they were taken. The database is
 *                     left out (store.power has it)
 *   FAULT_COUNT=FILE  a line "NAME allocations calls" at the end of each process
 *
 * A count belongs to one process. Allocations go to glibc's own functions below the public names, since finding those
 * by dlsym(3) allocates.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
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
static const char *count_file, *whom, *power, *place;
static atomic_long stashed;

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
	power = getenv("FAULT_POWER");
	place = getenv("FAULT_PLACE");
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

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static _Thread_local int compiles;

static int fails(void)
{
	if (!on || compiles || ++allocations != malloc_at)
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

int regcomp(regex_t *compiled, const char *expression, int flags)
{
	int code;

	compiles = 1;
	code = NEXT(regcomp)(compiled, expression, flags);
	compiles = 0;
	return code;
}

/* --- Calls that change something --- */

static void kill_launchers(void)
{
	char path[64], children[512] = "", name[32];
	char *at = children;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	if (fd < 0 || read(fd, children, sizeof(children) - 1) < 0)
		return;
	close(fd);
	for (long pid; (pid = strtol(at, &at, 10)) > 0;) {
		memset(name, 0, sizeof(name));
		snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
		fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
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

/* --- What a power cut could take back --- */

enum { PATH = 4096 };

/* The path of a name in an open folder; false: it is not followed. */
static int path_of(char *out, int dir, const char *name)
{
	char link[64];
	ssize_t n = 0;

	out[0] = '\0';
	if (power == NULL || !on || name == NULL)
		return 0;
	if (name[0] != '/') {
		snprintf(link, sizeof(link),
			 dir == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir);
		n = readlink(link, out, PATH - 1);
		if (n < 0 || (size_t)n + strlen(name) + 2 > PATH)
			return 0;
		out[n++] = '/';
	}
	snprintf(out + n, (size_t)(PATH - n), "%s", name);
	return strncmp(out, place, strlen(place)) == 0 && strstr(out, "/perfevo.db") == NULL &&
	       strchr(out, '\n') == NULL;
}

static void note(const char *format, ...)
{
	char line[3 * PATH], path[PATH];
	va_list args;
	int fd, n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/log", power);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			  0600);
	if (fd < 0)
		return;
	syscall(SYS_write, fd, line, (size_t)n);
	syscall(SYS_close, fd);
}

static unsigned long folder_of(const char *path)
{
	char folder[PATH];
	struct stat st;

	snprintf(folder, sizeof(folder), "%s", path);
	*strrchr(folder, '/') = '\0';
	return stat(folder, &st) == 0 ? (unsigned long)st.st_ino : 0;
}

/* Keep what a name stands for; its number, 0: nothing. */
static long stash(const char *path)
{
	char kept[PATH];
	long n = ++stashed;

	snprintf(kept, sizeof(kept), "%s/%d-%ld", power, getpid(), n);
	return linkat(AT_FDCWD, path, AT_FDCWD, kept, 0) == 0 ? n : 0;
}

static void note_name(char what, int dir, const char *name, int takes)
{
	char path[PATH];

	if (path_of(path, dir, name))
		note("%c\t%lu\t%d-%ld\t%s\n", what, folder_of(path), getpid(),
		     takes ? stash(path) : 0, path);
}

static void note_rename(int a, const char *from, int b, const char *to)
{
	char old[PATH], new[PATH];

	if (path_of(old, a, from) && path_of(new, b, to))
		note("R\t%lu\t%d-%ld\t%s\t%s\n", folder_of(new), getpid(), stash(new), new, old);
}

static void note_file(char what, int fd)
{
	char path[PATH], name[64];
	struct stat st;
	ssize_t n;

	if (power == NULL || !on || fstat(fd, &st) < 0 ||
	    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	if (strncmp(path, place, strlen(place)) == 0 && strstr(path, "/perfevo.db") == NULL)
		note("%c\t%lu\n", S_ISDIR(st.st_mode) ? 'D' : what, (unsigned long)st.st_ino);
}

#define CHANGES(type, name, parameters, arguments, noted)                                          \
	type name parameters                                                                       \
	{                                                                                          \
		meet();                                                                            \
		noted;                                                                             \
		return NEXT(name) arguments;                                                       \
	}

CHANGES(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), note_file('W', fd))
CHANGES(ssize_t, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at),
	note_file('W', fd))
CHANGES(ssize_t, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at),
	note_file('W', fd))
CHANGES(int, ftruncate64, (int fd, off64_t n), (fd, n), note_file('W', fd))
CHANGES(int, ftruncate, (int fd, off_t n), (fd, n), note_file('W', fd))
CHANGES(int, rename, (const char *from, const char *to), (from, to),
	note_rename(AT_FDCWD, from, AT_FDCWD, to))
CHANGES(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to),
	note_rename(a, from, b, to))
CHANGES(int, unlink, (const char *path), (path), note_name('U', AT_FDCWD, path, 1))
CHANGES(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags),
	note_name('U', dir, path, flags == 0))
CHANGES(int, mkdir, (const char *path, mode_t mode), (path, mode),
	note_name('M', AT_FDCWD, path, 0))
CHANGES(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode),
	note_name('M', dir, path, 0))
CHANGES(int, symlink, (const char *to, const char *path), (to, path),
	note_name('C', AT_FDCWD, path, 0))
CHANGES(int, symlinkat, (const char *to, int dir, const char *path), (to, dir, path),
	note_name('C', dir, path, 0))
CHANGES(int, link, (const char *from, const char *path), (from, path),
	note_name('C', AT_FDCWD, path, 0))
CHANGES(int, flock, (int fd, int how), (fd, how), (void)0)
CHANGES(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags),
	(void)0)

int linkat(int a, const char *from, int b, const char *path, int flags)
{
	int rc;

	if (power != NULL && strncmp(path, power, strlen(power)) == 0) /* a stash */
		return NEXT(linkat)(a, from, b, path, flags);
	meet();
	rc = NEXT(linkat)(a, from, b, path, flags);
	if (rc == 0)
		note_name('C', b, path, 0);
	return rc;
}

/* Durable once it is over. */
#define SYNCS(name)                                                                                \
	int name(int fd)                                                                           \
	{                                                                                          \
		int rc;                                                                            \
                                                                                                   \
		meet();                                                                            \
		rc = NEXT(name)(fd);                                                               \
		note_file('S', fd);                                                                \
		return rc;                                                                         \
	}

SYNCS(fsync)
SYNCS(fdatasync)

/* Names that files are made under. */
#define OPENS(name, parameters, arguments, dir)                                                    \
	int name parameters                                                                        \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
		va_list args;                                                                      \
		int made, fd;                                                                      \
                                                                                                   \
		va_start(args, flags);                                                             \
		if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE)                    \
			mode = va_arg(args, mode_t);                                               \
		va_end(args);                                                                      \
		made = power != NULL && on && (flags & O_CREAT) != 0 &&                            \
		       faccessat(dir, path, F_OK, AT_SYMLINK_NOFOLLOW) < 0;                        \
		fd = NEXT(name) arguments;                                                         \
		if (made && fd >= 0)                                                               \
			note_name('C', dir, path, 0);                                              \
		return fd;                                                                         \
	}

OPENS(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENS(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENS(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), at)
OPENS(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), at)

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
