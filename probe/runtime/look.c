/*
 * What looks for files, or lists folders, without opening a file: whether something exists, or what a folder
 * holds, can steer a program as well as a file's content can. unlink(2) and its kin only take away.
 *
 * Functions that walk folders within libc are not followed: all below where they start counts as listed.
 */
#undef _FILE_OFFSET_BITS /* it would make stat another name for stat64 */
#undef _FORTIFY_SOURCE
#include "probe/runtime/touch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
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

/* A call that looks at `path`. `failed` is computed from its result, `rc`. */
#define LOOK_OF(type, name, parameters, arguments, dir, failed)                                    \
	PE_PUBLIC type name parameters                                                             \
	{                                                                                          \
		type rc = PE_NEXT(name) arguments;                                                 \
		pe_touch_look(dir, path, failed);                                                  \
		return rc;                                                                         \
	}

#define LOOK(name, parameters, arguments, dir)                                                     \
	LOOK_OF(int, name, parameters, arguments, dir, rc != 0)
#define LOOK_BYTES(name, parameters, arguments, dir)                                               \
	LOOK_OF(ssize_t, name, parameters, arguments, dir, rc < 0)
#define LOOK_PATH(name, parameters, arguments)                                                     \
	LOOK_OF(resolved, name, parameters, arguments, AT_FDCWD, rc == NULL)

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

LOOK_BYTES(getxattr, (const char *path, const char *name, void *out, size_t size),
	   (path, name, out, size), AT_FDCWD)
LOOK_BYTES(lgetxattr, (const char *path, const char *name, void *out, size_t size),
	   (path, name, out, size), AT_FDCWD)
LOOK_BYTES(listxattr, (const char *path, char *out, size_t size), (path, out, size), AT_FDCWD)
LOOK_BYTES(llistxattr, (const char *path, char *out, size_t size), (path, out, size), AT_FDCWD)
LOOK_BYTES(readlink, (const char *restrict path, char *restrict out, size_t size),
	   (path, out, size), AT_FDCWD)
LOOK_BYTES(readlinkat, (int dir, const char *restrict path, char *restrict out, size_t size),
	   (dir, path, out, size), dir)
LOOK_BYTES(__readlink_chk, (const char *path, char *out, size_t size, size_t room),
	   (path, out, size, room), AT_FDCWD)
LOOK_BYTES(__readlinkat_chk, (int dir, const char *path, char *out, size_t size, size_t room),
	   (dir, path, out, size, room), dir)

typedef char *resolved;
LOOK_PATH(realpath, (const char *restrict path, char *restrict out), (path, out))
LOOK_PATH(__realpath_chk, (const char *path, char *out, size_t room), (path, out, room))
LOOK_PATH(canonicalize_file_name, (const char *path), (path))

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

static void walked(const char *path)
{
	if (path != NULL)
		pe_touch_path(PE_PATH_WALKED, pe_touch_now(), AT_FDCWD, path);
}

static void walked_all(char *const *paths)
{
	for (size_t i = 0; paths[i] != NULL; i++)
		walked(paths[i]);
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

/* A small shell, and a real one for commands in it. */
static void expanded(const char *words)
{
	if (strpbrk(words, "*?[`$") != NULL)
		pe_touch_unseen();
}

/* A call that is recorded before it is made. */
#define RECORDED(record, type, name, parameters, arguments)                                        \
	PE_PUBLIC type name parameters                                                             \
	{                                                                                          \
		record;                                                                            \
		return PE_NEXT(name) arguments;                                                    \
	}

#define LISTS_FD(type, name, parameters, arguments)                                                \
	RECORDED(pe_touch_fd(PE_PATH_LISTED, pe_touch_now(), fd), type, name, parameters, arguments)
#define WALKS(name, parameters, arguments) RECORDED(walked(path), int, name, parameters, arguments)

typedef DIR *folder;
LISTS_FD(folder, fdopendir, (int fd), (fd))
LISTS_FD(ssize_t, getdents64, (int fd, void *out, size_t size), (fd, out, size))

WALKS(ftw, (const char *path, __ftw_func_t visit, int fds), (path, visit, fds))
WALKS(ftw64, (const char *path, __ftw64_func_t visit, int fds), (path, visit, fds))
WALKS(nftw, (const char *path, __nftw_func_t visit, int fds, int flags), (path, visit, fds, flags))
WALKS(nftw64, (const char *path, __nftw64_func_t visit, int fds, int flags),
      (path, visit, fds, flags))

typedef FTS *walk;
typedef FTS64 *walk64;
RECORDED(walked_all(paths), walk, fts_open,
	 (char *const *paths, int options, int (*compare)(const FTSENT **, const FTSENT **)),
	 (paths, options, compare))
RECORDED(walked_all(paths), walk64, fts64_open,
	 (char *const *paths, int options, int (*compare)(const FTSENT64 **, const FTSENT64 **)),
	 (paths, options, compare))

RECORDED(globbed(pattern), int, glob,
	 (const char *restrict pattern, int flags, int (*fail)(const char *, int),
	  glob_t *restrict out),
	 (pattern, flags, fail, out))
RECORDED(globbed(pattern), int, glob64,
	 (const char *restrict pattern, int flags, int (*fail)(const char *, int),
	  glob64_t *restrict out),
	 (pattern, flags, fail, out))
RECORDED(expanded(words), int, wordexp,
	 (const char *restrict words, wordexp_t *restrict out, int flags), (words, out, flags))

/* @param parameters, arguments  those before the usual ones */
#define LISTS(name, entry, dir, parameters, arguments)                                             \
	PE_PUBLIC int name(UNPACK parameters struct entry ***restrict out,                         \
			   int (*filter)(const struct entry *),                                    \
			   int (*compare)(const struct entry **, const struct entry **))           \
	{                                                                                          \
		int rc = PE_NEXT(name)(UNPACK arguments out, filter, compare);                     \
		listed(dir, path, rc < 0);                                                         \
		return rc;                                                                         \
	}
#define UNPACK(...) __VA_ARGS__,

LISTS(scandir, dirent, AT_FDCWD, (const char *restrict path), (path))
LISTS(scandir64, dirent64, AT_FDCWD, (const char *restrict path), (path))
LISTS(scandirat, dirent, dir, (int dir, const char *restrict path), (dir, path))
LISTS(scandirat64, dirent64, dir, (int dir, const char *restrict path), (dir, path))

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
