/*
 * What opens or makes files. A file counts as made when nothing of what was there before can reach the
 * program: it was emptied, or was not there. To append to a file, or to open one for reading and writing,
 * is to read it.
 *
 * The names ending in _2 are what open(2) without a mode becomes under _FORTIFY_SOURCE.
 */
#undef _FILE_OFFSET_BITS /* it would make open another name for open64 */
#undef _FORTIFY_SOURCE
#include "probe/runtime/touch.h"

#include "probe/runtime/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

enum { CREATES = O_WRONLY | O_CREAT | O_TRUNC };

struct opening {
	uint64_t time_ns; /* 0: not recorded */
	int dir;
	const char *path;
	enum pe_path_kind kind;
};

static struct opening before(int dir, const char *path, int flags)
{
	struct opening opening = {.dir = dir, .path = path, .kind = PE_PATH_READ};
	bool writes = (flags & O_ACCMODE) != O_RDONLY;

	if (!pe_touch_wanted())
		return opening;
	opening.time_ns = pe_touch_now();
	if ((writes && (flags & O_TRUNC) != 0) ||
	    ((flags & O_CREAT) != 0 && !pe_touch_exists(dir, path)))
		opening.kind = PE_PATH_MADE;
	else if ((flags & O_ACCMODE) == O_WRONLY)
		opening.kind = PE_PATH_ADDED;
	return opening;
}

static struct opening before_mode(const char *path, const char *mode)
{
	int flags = strchr(mode, '+') != NULL ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;

	if (*mode == 'w')
		flags |= O_CREAT | (strchr(mode, 'x') != NULL ? O_EXCL : O_TRUNC);
	else if (*mode == 'a')
		flags |= O_CREAT;
	return before(AT_FDCWD, path, flags);
}

/* An attempt that failed was a look. */
static int after(const struct opening *opening, int fd)
{
	bool settled;

	if (opening->time_ns == 0)
		return fd;
	if (fd < 0) {
		pe_touch_look(opening->dir, opening->path, true);
		return fd;
	}
	pe_entries_opened(fd);
	settled = pe_touch_path(opening->kind, opening->time_ns, opening->dir, opening->path);
	if (!settled)
		pe_touch_fd(opening->kind, opening->time_ns, fd);
	return fd;
}

static FILE *after_stream(const struct opening *opening, FILE *stream)
{
	after(opening, stream != NULL ? fileno(stream) : -1);
	return stream;
}

/* A call that makes something under a new name. One that fails has made nothing, and read nothing. */
static int made(int rc, int dir, const char *path, uint64_t time_ns)
{
	if (rc >= 0)
		pe_touch_path(PE_PATH_MADE, time_ns, dir, path);
	return rc;
}

static bool is_folder(int dir, const char *path)
{
	int error = errno;
	int fd = PE_NEXT(openat)(dir, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	errno = error;
	return fd >= 0;
}

#define GIVEN_MODE(mode, flags)                                                                    \
	do {                                                                                       \
		va_list rest;                                                                      \
                                                                                                   \
		va_start(rest, flags);                                                             \
		if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE)                    \
			mode = va_arg(rest, mode_t);                                               \
		va_end(rest);                                                                      \
	} while (0)

#define OPENS_MODE(name, parameters, arguments, dir)                                               \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		struct opening opening = before(dir, path, flags);                                 \
		mode_t mode = 0;                                                                   \
                                                                                                   \
		GIVEN_MODE(mode, flags);                                                           \
		return after(&opening, PE_NEXT(name) arguments);                                   \
	}

#define OPENS(type, name, parameters, arguments, how, then)                                        \
	PE_PUBLIC type name parameters                                                             \
	{                                                                                          \
		struct opening opening = how;                                                      \
                                                                                                   \
		return then(&opening, PE_NEXT(name) arguments);                                    \
	}

#define OPENS_FD(name, parameters, arguments, dir, flags)                                          \
	OPENS(int, name, parameters, arguments, before(dir, path, flags), after)
#define OPENS_STREAM(name, parameters, arguments)                                                  \
	OPENS(stream, name, parameters, arguments, before_mode(path, mode), after_stream)

/* Something new under a name, which of temporary files is known after the call alone. */
#define MAKE(name, parameters, arguments, dir, path)                                               \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		uint64_t time_ns = pe_touch_now();                                                 \
                                                                                                   \
		return made(PE_NEXT(name) arguments, dir, path, time_ns);                          \
	}

/*
 * The new name has the content of another file, which the call may remove. A folder that was moved keeps
 * contents that were not read yet: it does not count as made.
 */
#define MAKE_FROM(name, parameters, arguments, old_dir, old, dir, path)                            \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		uint64_t time_ns = pe_touch_now();                                                 \
		int rc = PE_NEXT(name) arguments;                                                  \
		if (rc != 0 || !pe_touch_wanted())                                                 \
			return rc;                                                                 \
		pe_touch_path(PE_PATH_READ, time_ns, old_dir, old);                                \
		return is_folder(dir, path) ? rc : made(rc, dir, path, time_ns);                   \
	}

#define TRUNCATE(name, type)                                                                       \
	PE_PUBLIC int name(const char *path, type length)                                          \
	{                                                                                          \
		uint64_t time_ns = pe_touch_now();                                                 \
		int rc = PE_NEXT(name)(path, length);                                              \
		if (rc == 0 && length == 0)                                                        \
			return made(rc, AT_FDCWD, path, time_ns);                                  \
		pe_touch_look(AT_FDCWD, path, rc != 0);                                            \
		return rc;                                                                         \
	}

OPENS_MODE(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENS_MODE(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPENS_MODE(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode), dir)
OPENS_MODE(openat64, (int dir, const char *path, int flags, ...), (dir, path, flags, mode), dir)
OPENS_FD(__open_2, (const char *path, int flags), (path, flags), AT_FDCWD, flags)
OPENS_FD(__open64_2, (const char *path, int flags), (path, flags), AT_FDCWD, flags)
OPENS_FD(__openat_2, (int dir, const char *path, int flags), (dir, path, flags), dir, flags)
OPENS_FD(__openat64_2, (int dir, const char *path, int flags), (dir, path, flags), dir, flags)
OPENS_FD(creat, (const char *path, mode_t mode), (path, mode), AT_FDCWD, CREATES)
OPENS_FD(creat64, (const char *path, mode_t mode), (path, mode), AT_FDCWD, CREATES)

typedef FILE *stream;
OPENS_STREAM(fopen, (const char *path, const char *mode), (path, mode))
OPENS_STREAM(fopen64, (const char *path, const char *mode), (path, mode))
/* Without a path these change the mode of what is open already. */
OPENS_STREAM(freopen, (const char *path, const char *mode, FILE *old), (path, mode, old))
OPENS_STREAM(freopen64, (const char *path, const char *mode, FILE *old), (path, mode, old))

MAKE(mkstemp, (char *path), (path), AT_FDCWD, path)
MAKE(mkstemp64, (char *path), (path), AT_FDCWD, path)
MAKE(mkostemp, (char *path, int flags), (path, flags), AT_FDCWD, path)
MAKE(mkostemp64, (char *path, int flags), (path, flags), AT_FDCWD, path)
MAKE(mkstemps, (char *path, int suffix), (path, suffix), AT_FDCWD, path)
MAKE(mkstemps64, (char *path, int suffix), (path, suffix), AT_FDCWD, path)
MAKE(mkostemps, (char *path, int suffix, int flags), (path, suffix, flags), AT_FDCWD, path)
MAKE(mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags), AT_FDCWD, path)

PE_PUBLIC char *mkdtemp(char *template)
{
	uint64_t time_ns = pe_touch_now();
	char *name = PE_NEXT(mkdtemp)(template);
	made(name != NULL ? 0 : -1, AT_FDCWD, name, time_ns);
	return name;
}

MAKE(mkdir, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
MAKE(mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), dir, path)
MAKE(mkfifo, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path)
MAKE(mkfifoat, (int dir, const char *path, mode_t mode), (dir, path, mode), dir, path)
MAKE(symlink, (const char *target, const char *path), (target, path), AT_FDCWD, path)
MAKE(symlinkat, (const char *target, int dir, const char *path), (target, dir, path), dir, path)
MAKE_FROM(link, (const char *old, const char *path), (old, path), AT_FDCWD, old, AT_FDCWD, path)
MAKE_FROM(linkat, (int old_dir, const char *old, int dir, const char *path, int flags),
	  (old_dir, old, dir, path, flags), old_dir, old, dir, path)
MAKE_FROM(rename, (const char *old, const char *path), (old, path), AT_FDCWD, old, AT_FDCWD, path)
MAKE_FROM(renameat, (int old_dir, const char *old, int dir, const char *path),
	  (old_dir, old, dir, path), old_dir, old, dir, path)
MAKE_FROM(renameat2, (int old_dir, const char *old, int dir, const char *path, unsigned flags),
	  (old_dir, old, dir, path, flags), old_dir, old, dir, path)

TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

/* The C library opens these itself. */
static struct opening before_shared(char path[NAME_MAX + 16], const char *start, const char *name,
				    int flags)
{
	while (*name == '/')
		name++;
	snprintf(path, NAME_MAX + 16, "/dev/shm/%s%s", start, name);
	return before(AT_FDCWD, path, flags);
}

PE_PUBLIC int shm_open(const char *name, int flags, mode_t mode)
{
	char path[NAME_MAX + 16];
	struct opening opening = before_shared(path, "", name, flags);

	return after(&opening, PE_NEXT(shm_open)(name, flags, mode));
}

PE_PUBLIC sem_t *sem_open(const char *name, int flags, ...)
{
	char path[NAME_MAX + 16];
	struct opening opening = before_shared(path, "sem.", name, flags | O_RDWR);
	unsigned value = 0;
	mode_t mode = 0;
	va_list rest;
	sem_t *semaphore;

	va_start(rest, flags);
	if ((flags & O_CREAT) != 0) {
		mode = va_arg(rest, mode_t);
		value = va_arg(rest, unsigned);
	}
	va_end(rest);
	semaphore = PE_NEXT(sem_open)(name, flags, mode, value);
	if (semaphore != SEM_FAILED && opening.time_ns != 0)
		pe_touch_path(opening.kind, opening.time_ns, AT_FDCWD, path);
	return semaphore;
}
