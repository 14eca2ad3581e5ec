/*
 * What looks for files, or lists folders, without opening a file: whether something exists, or what a folder
 * holds, can steer a program as well as a file's content can. unlink(2) and its kin only take away.
 *
 * Functions that walk folders within libc are not followed: all below where they start counts as listed.
 */
#undef _FILE_OFFSET_BITS /* it would make stat another name for stat64 */
#undef _FORTIFY_SOURCE
#include "probe/runtime/touch.h"

#include "probe/runtime/alloc.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <wordexp.h>

/* Programs made for glibc before 2.33 call these for stat(2). */
int __xstat(int version, const char *path, struct stat *out);
int __xstat64(int version, const char *path, struct stat64 *out);
int __lxstat(int version, const char *path, struct stat *out);
int __lxstat64(int version, const char *path, struct stat64 *out);
int __fxstatat(int version, int dir, const char *path, struct stat *out, int flags);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *out, int flags);
/* And these under _FORTIFY_SOURCE. */
ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *out, size_t size, size_t room);
char *__realpath_chk(const char *path, char *out, size_t room);

#define LOOK(name, parameters, arguments, dir)                                                     \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		int rc = PE_NEXT(name) arguments;                                                  \
		pe_touch_look(dir, path, rc != 0);                                                 \
		return rc;                                                                         \
	}

/* libc may keep those for old programs only, out of dlsym(3)'s sight. The structures are the same there. */
#define LOOK_OLD(name, parameters, arguments, instead, dir)                                        \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		int rc;                                                                            \
                                                                                                   \
		if (PE_NEXT(name) != NULL) {                                                       \
			rc = PE_NEXT(name) arguments;                                              \
		} else if (sizeof(struct stat) == sizeof(struct stat64)) {                         \
			rc = instead;                                                              \
		} else {                                                                           \
			errno = ENOSYS;                                                            \
			return -1;                                                                 \
		}                                                                                  \
		pe_touch_look(dir, path, rc != 0);                                                 \
		return rc;                                                                         \
	}

LOOK(stat, (const char *restrict path, struct stat *restrict out), (path, out), AT_FDCWD)
LOOK(stat64, (const char *restrict path, struct stat64 *restrict out), (path, out), AT_FDCWD)
LOOK(lstat, (const char *restrict path, struct stat *restrict out), (path, out), AT_FDCWD)
LOOK(lstat64, (const char *restrict path, struct stat64 *restrict out), (path, out), AT_FDCWD)
LOOK(fstatat, (int dir, const char *restrict path, struct stat *restrict out, int flags),
     (dir, path, out, flags), dir)
LOOK(fstatat64, (int dir, const char *restrict path, struct stat64 *restrict out, int flags),
     (dir, path, out, flags), dir)
LOOK(statx,
     (int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict out),
     (dir, path, flags, mask, out), dir)
LOOK_OLD(__xstat, (int version, const char *path, struct stat *out), (version, path, out),
	 PE_NEXT(stat)(path, out), AT_FDCWD)
LOOK_OLD(__xstat64, (int version, const char *path, struct stat64 *out), (version, path, out),
	 PE_NEXT(stat64)(path, out), AT_FDCWD)
LOOK_OLD(__lxstat, (int version, const char *path, struct stat *out), (version, path, out),
	 PE_NEXT(lstat)(path, out), AT_FDCWD)
LOOK_OLD(__lxstat64, (int version, const char *path, struct stat64 *out), (version, path, out),
	 PE_NEXT(lstat64)(path, out), AT_FDCWD)
LOOK_OLD(__fxstatat, (int version, int dir, const char *path, struct stat *out, int flags),
	 (version, dir, path, out, flags), PE_NEXT(fstatat)(dir, path, out, flags), dir)
LOOK_OLD(__fxstatat64, (int version, int dir, const char *path, struct stat64 *out, int flags),
	 (version, dir, path, out, flags), PE_NEXT(fstatat64)(dir, path, out, flags), dir)
LOOK(access, (const char *path, int mode), (path, mode), AT_FDCWD)
LOOK(eaccess, (const char *path, int mode), (path, mode), AT_FDCWD)
LOOK(euidaccess, (const char *path, int mode), (path, mode), AT_FDCWD)
LOOK(faccessat, (int dir, const char *path, int mode, int flags), (dir, path, mode, flags), dir)

/* Afterwards, a relative path would start from elsewhere. */
PE_PUBLIC int chdir(const char *path)
{
	if (PE_NEXT(access)(path, F_OK) == 0)
		pe_touch_look(AT_FDCWD, path, false);
	return PE_NEXT(chdir)(path);
}

static ssize_t looked(ssize_t rc, int dir, const char *path)
{
	pe_touch_look(dir, path, rc < 0);
	return rc;
}

PE_PUBLIC ssize_t getxattr(const char *path, const char *name, void *out, size_t size)
{
	return looked(PE_NEXT(getxattr)(path, name, out, size), AT_FDCWD, path);
}

PE_PUBLIC ssize_t lgetxattr(const char *path, const char *name, void *out, size_t size)
{
	return looked(PE_NEXT(lgetxattr)(path, name, out, size), AT_FDCWD, path);
}

PE_PUBLIC ssize_t listxattr(const char *path, char *out, size_t size)
{
	return looked(PE_NEXT(listxattr)(path, out, size), AT_FDCWD, path);
}

PE_PUBLIC ssize_t llistxattr(const char *path, char *out, size_t size)
{
	return looked(PE_NEXT(llistxattr)(path, out, size), AT_FDCWD, path);
}

PE_PUBLIC ssize_t readlink(const char *restrict path, char *restrict out, size_t size)
{
	return looked(PE_NEXT(readlink)(path, out, size), AT_FDCWD, path);
}

PE_PUBLIC ssize_t readlinkat(int dir, const char *restrict path, char *restrict out, size_t size)
{
	return looked(PE_NEXT(readlinkat)(dir, path, out, size), dir, path);
}

PE_PUBLIC ssize_t __readlink_chk(const char *path, char *out, size_t size, size_t room)
{
	return looked(PE_NEXT(__readlink_chk)(path, out, size, room), AT_FDCWD, path);
}

PE_PUBLIC ssize_t __readlinkat_chk(int dir, const char *path, char *out, size_t size, size_t room)
{
	return looked(PE_NEXT(__readlinkat_chk)(dir, path, out, size, room), dir, path);
}

PE_PUBLIC char *realpath(const char *restrict path, char *restrict out)
{
	char *resolved = PE_NEXT(realpath)(path, out);
	pe_touch_look(AT_FDCWD, path, resolved == NULL);
	return resolved;
}

PE_PUBLIC char *__realpath_chk(const char *path, char *out, size_t room)
{
	char *resolved = PE_NEXT(__realpath_chk)(path, out, room);
	pe_touch_look(AT_FDCWD, path, resolved == NULL);
	return resolved;
}

PE_PUBLIC char *canonicalize_file_name(const char *path)
{
	char *resolved = PE_NEXT(canonicalize_file_name)(path);
	pe_touch_look(AT_FDCWD, path, resolved == NULL);
	return resolved;
}

/* One that could not be listed was looked for. */
static void listed(int dir, const char *path, bool failed)
{
	if (failed)
		pe_touch_look(dir, path, true);
	else
		pe_touch_path(PE_PATH_LISTED, pe_touch_now(), dir, path);
}

PE_PUBLIC DIR *opendir(const char *path)
{
	DIR *entries = PE_NEXT(opendir)(path);
	listed(AT_FDCWD, path, entries == NULL);
	if (entries != NULL)
		pe_touch_fd(PE_PATH_LISTED, pe_touch_now(), dirfd(entries));
	return entries;
}

PE_PUBLIC DIR *fdopendir(int fd)
{
	pe_touch_fd(PE_PATH_LISTED, pe_touch_now(), fd);
	return PE_NEXT(fdopendir)(fd);
}

PE_PUBLIC ssize_t getdents64(int fd, void *out, size_t size)
{
	pe_touch_fd(PE_PATH_LISTED, pe_touch_now(), fd);
	return PE_NEXT(getdents64)(fd, out, size);
}

#define SCANDIR(name, entry)                                                                       \
	PE_PUBLIC int name(const char *restrict path, struct entry ***restrict out,                \
			   int (*filter)(const struct entry *),                                    \
			   int (*compare)(const struct entry **, const struct entry **))           \
	{                                                                                          \
		int rc = PE_NEXT(name)(path, out, filter, compare);                                \
		listed(AT_FDCWD, path, rc < 0);                                                    \
		return rc;                                                                         \
	}

#define SCANDIRAT(name, entry)                                                                     \
	PE_PUBLIC int name(int dir, const char *restrict path, struct entry ***restrict out,       \
			   int (*filter)(const struct entry *),                                    \
			   int (*compare)(const struct entry **, const struct entry **))           \
	{                                                                                          \
		int rc = PE_NEXT(name)(dir, path, out, filter, compare);                           \
		listed(dir, path, rc < 0);                                                         \
		return rc;                                                                         \
	}

SCANDIR(scandir, dirent)
SCANDIR(scandir64, dirent64)
SCANDIRAT(scandirat, dirent)
SCANDIRAT(scandirat64, dirent64)

static void walked(const char *path)
{
	if (path != NULL)
		pe_touch_path(PE_PATH_WALKED, pe_touch_now(), AT_FDCWD, path);
}

PE_PUBLIC int ftw(const char *path, __ftw_func_t visit, int fds)
{
	walked(path);
	return PE_NEXT(ftw)(path, visit, fds);
}

PE_PUBLIC int ftw64(const char *path, __ftw64_func_t visit, int fds)
{
	walked(path);
	return PE_NEXT(ftw64)(path, visit, fds);
}

PE_PUBLIC int nftw(const char *path, __nftw_func_t visit, int fds, int flags)
{
	walked(path);
	return PE_NEXT(nftw)(path, visit, fds, flags);
}

PE_PUBLIC int nftw64(const char *path, __nftw64_func_t visit, int fds, int flags)
{
	walked(path);
	return PE_NEXT(nftw64)(path, visit, fds, flags);
}

PE_PUBLIC FTS *fts_open(char *const *paths, int options,
			int (*compare)(const FTSENT **, const FTSENT **))
{
	for (size_t i = 0; paths[i] != NULL; i++)
		walked(paths[i]);
	return PE_NEXT(fts_open)(paths, options, compare);
}

PE_PUBLIC FTS64 *fts64_open(char *const *paths, int options,
			    int (*compare)(const FTSENT64 **, const FTSENT64 **))
{
	for (size_t i = 0; paths[i] != NULL; i++)
		walked(paths[i]);
	return PE_NEXT(fts64_open)(paths, options, compare);
}

/* The folder before the first special character: listed when that is in the last component, else walked. */
static void globbed(const char *pattern)
{
	size_t plain = strcspn(pattern, "*?[{\\~");
	char folder[PATH_MAX];
	size_t n = plain;

	if (pattern[plain] == '\0') {
		pe_touch_look(AT_FDCWD, pattern, false);
		return;
	}
	while (n > 0 && pattern[n - 1] != '/')
		n--;
	if (n + 2 > sizeof(folder)) {
		pe_touch_unseen();
		return;
	}
	memcpy(folder, n > 0 ? pattern : ".", n > 0 ? n : 1);
	folder[n > 0 ? n : 1] = '\0';
	if (strchr(pattern + plain, '/') == NULL)
		pe_touch_path(PE_PATH_LISTED, pe_touch_now(), AT_FDCWD, folder);
	else
		walked(folder);
}

PE_PUBLIC int glob(const char *restrict pattern, int flags, int (*fail)(const char *, int),
		   glob_t *restrict out)
{
	globbed(pattern);
	return PE_NEXT(glob)(pattern, flags, fail, out);
}

PE_PUBLIC int glob64(const char *restrict pattern, int flags, int (*fail)(const char *, int),
		     glob64_t *restrict out)
{
	globbed(pattern);
	return PE_NEXT(glob64)(pattern, flags, fail, out);
}

/* A small shell, and a real one for commands in it. */
PE_PUBLIC int wordexp(const char *restrict words, wordexp_t *restrict out, int flags)
{
	if (strpbrk(words, "*?[`$") != NULL)
		pe_touch_unseen();
	return PE_NEXT(wordexp)(words, out, flags);
}

/* Calls that libc has no function for, or that a program makes past it. */
static void touch_by_syscall(long number, long first, long second)
{
	switch (number) {
#ifdef SYS_open
	case SYS_open:
	case SYS_creat:
	case SYS_stat:
	case SYS_lstat:
	case SYS_access:
	case SYS_readlink:
#endif
	case SYS_getxattr:
	case SYS_lgetxattr:
	case SYS_listxattr:
	case SYS_llistxattr:
		pe_touch_path(PE_PATH_READ, pe_touch_now(), AT_FDCWD, (const char *)first);
		break;
#ifdef SYS_getdents
	case SYS_getdents:
#endif
	case SYS_getdents64:
		pe_touch_fd(PE_PATH_LISTED, pe_touch_now(), (int)first);
		break;
	case SYS_openat:
	case SYS_openat2:
	case SYS_statx:
#ifdef SYS_newfstatat
	case SYS_newfstatat:
#endif
	case SYS_faccessat:
	case SYS_faccessat2:
	case SYS_readlinkat:
		pe_touch_path(PE_PATH_READ, pe_touch_now(), (int)first, (const char *)second);
		break;
	case SYS_open_by_handle_at:
	case SYS_io_uring_setup:
	case SYS_execve:
	case SYS_execveat:
		pe_touch_unseen();
		break;
	case SYS_exit_group:
		pe_touch_libraries();
		break;
	default:
		break;
	}
}

PE_PUBLIC long syscall(long number, ...)
{
	long given[6];
	va_list rest;

	va_start(rest, number);
	for (size_t i = 0; i < 6; i++)
		given[i] = va_arg(rest, long);
	va_end(rest);
	touch_by_syscall(number, given[0], given[1]);
	return PE_NEXT(syscall)(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

/*
 * Do the program's calls lead here? Functions of these names in the program itself come before ours, and may
 * or may not pass on; asked by calling them, as the program does, with a path that leads nowhere.
 */
static bool reached_by(const char *name)
{
	static const int no_flags;
	void *symbol = dlsym(RTLD_DEFAULT, name);
	struct stat unused;

	pe_touch_reached = false;
	if (strcmp(name, "open") == 0) {
		int (*open_it)(const char *, int, ...);

		memcpy(&open_it, &symbol, sizeof(symbol));
		open_it(pe_touch_nothing, no_flags);
	} else if (strcmp(name, "stat") == 0) {
		int (*stat_it)(const char *, struct stat *);

		memcpy(&stat_it, &symbol, sizeof(symbol));
		stat_it(pe_touch_nothing, &unused);
	} else {
		FILE *(*fopen_it)(const char *, const char *);

		memcpy(&fopen_it, &symbol, sizeof(symbol));
		fopen_it(pe_touch_nothing, "r");
	}
	return pe_touch_reached;
}

__attribute__((constructor)) static void probe(void)
{
	int error = errno;
	bool before;

	if (!pe_touch_wanted())
		return;
	before = pe_alloc_pause(true);
	if (!reached_by("open") || !reached_by("stat") || !reached_by("fopen"))
		pe_touch_unseen();
	pe_alloc_pause(before);
	errno = error;
}
