/* nftw(3) is XSI. */
#define _XOPEN_SOURCE 700
#include "core/base/files.h"

#include "core/base/text.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

int pe_files_make_dir(const char *path, struct pe_err *err)
{
	struct pe_text part = PE_TEXT_INIT;
	int rc = PE_OK;

	for (const char *at = path; rc == PE_OK && *at != '\0';) {
		size_t n = strspn(at, "/");

		n += strcspn(at + n, "/");
		pe_text_addn(&part, at, n);
		at += n;
		if (mkdir(part.data, 0777) < 0 && errno != EEXIST)
			rc = pe_fail_errno(err, "cannot make the folder %s", part.data);
	}
	pe_text_release(&part);
	return rc;
}

/*
 * A folder that a build made read-only cannot be emptied: walk from the top and open every folder first.
 * FTW_DEPTH then removes what is below before the folder itself.
 */
static int open_up(const char *path, const struct stat *info, int type, struct FTW *at)
{
	(void)at;
	if (type == FTW_D || type == FTW_DNR)
		chmod(path, info->st_mode | S_IRWXU);
	return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
	(void)info;
	(void)type;
	(void)at;
	return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int pe_files_remove(const char *path, struct pe_err *err)
{
	struct stat info;

	if (lstat(path, &info) < 0)
		return errno == ENOENT ? PE_OK : pe_fail_errno(err, "cannot remove %s", path);
	if (nftw(path, remove_one, 64, FTW_DEPTH | FTW_PHYS) == 0)
		return PE_OK;
	nftw(path, open_up, 64, FTW_PHYS);
	if (nftw(path, remove_one, 64, FTW_DEPTH | FTW_PHYS) < 0)
		return pe_fail_errno(err, "cannot remove %s", path);
	return PE_OK;
}

/* nftw(3) hands no payload to its callback: the sum is per thread, and pe_files_size() is not reentrant. */
static _Thread_local uint64_t total_bytes;

static int add_size(const char *path, const struct stat *info, int type, struct FTW *at)
{
	(void)path;
	(void)at;
	if (type != FTW_NS)
		total_bytes += (uint64_t)info->st_blocks * 512;
	return 0;
}

uint64_t pe_files_size(const char *path)
{
	total_bytes = 0;
	nftw(path, add_size, 64, FTW_PHYS);
	return total_bytes;
}

uint64_t pe_files_free(const char *path)
{
	struct statvfs info;

	if (statvfs(path, &info) < 0)
		return UINT64_MAX;
	return (uint64_t)info.f_bavail * info.f_frsize;
}
