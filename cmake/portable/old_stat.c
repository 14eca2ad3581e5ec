/*
 * stat(), lstat() and fstatat() of glibc 2.33, for programs that older ones load. Apart from old_glibc.c: the linker leaves this
 * file out of libperfevo_rt.so, which stands before these functions, and must not hide its own.
 */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "cmake/portable/stat_version.h"

int __xstat(int version, const char *path, struct stat *out);
int __lxstat(int version, const char *path, struct stat *out);
int __fxstatat(int version, int dir, const char *path, struct stat *out, int flags);

int stat(const char *restrict path, struct stat *restrict out)
{
	return __xstat(STAT_VERSION, path, out);
}

int lstat(const char *restrict path, struct stat *restrict out)
{
	return __lxstat(STAT_VERSION, path, out);
}

int fstatat(int dir, const char *restrict path, struct stat *restrict out, int flags)
{
	return __fxstatat(STAT_VERSION, dir, path, out, flags);
}

/* struct stat64 is struct stat where off_t has 64 bits. */
#define SAME(name, old, parameters) int name parameters __attribute__((alias(old)))

SAME(stat64, "stat", (const char *restrict path, struct stat64 *restrict out));
SAME(lstat64, "lstat", (const char *restrict path, struct stat64 *restrict out));
SAME(fstatat64, "fstatat",
     (int dir, const char *restrict path, struct stat64 *restrict out, int flags));
