#define _GNU_SOURCE /* O_TMPFILE, memfd_create(2) */
#include "core/base/files.h"

#include "core/base/arena.h"
#include "core/base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

void pe_files_close(const int *fd)
{
	const int error = errno;

	if (*fd >= 0)
		close(*fd);
	errno = error;
}

int pe_files_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int flags = fd >= 0 ? fcntl(fd, F_GETFL) : -1;

	if (fd < 0 || (flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0))
		return fd;
	close(fd);
	return -1;
}

int pe_files_write(int fd, const void *bytes, size_t n)
{
	for (const char *at = bytes; n > 0;) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		at += put;
		n -= (size_t)put;
	}
	return 0;
}

/* A FIFO would be waited for, and a terminal become ours. */
enum { PLACED = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC };

/* From an open folder, which it closes, into the folders that a path names up to its end. */
static int descend(int fd, const char *path, const char *end, int (*enter)(int, const char *))
{
	char name[NAME_MAX + 1];

	for (const char *at = path + strspn(path, "/"); fd >= 0 && at < end;
	     at += strspn(at, "/")) {
		size_t length = strcspn(at, "/");
		int next = -1;

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		errno = length > NAME_MAX ? ENAMETOOLONG : EXDEV;
		if (length <= NAME_MAX && strcmp(name, "..") != 0)
			next = enter(fd, name);
		pe_files_close(&fd);
		fd = next;
		at += length;
	}
	return fd;
}

/* A folder on the way to a file, which may forbid to be read. */
static int pass_folder(int dir, const char *name)
{
	return openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_beneath(int dir, const char *path)
{
	const char *name = pe_path_name(path);
	pe_auto_fd parent = -1;

	if (path[0] == '/' || strcmp(name, "..") == 0) {
		errno = EXDEV;
		return -1;
	}
	parent = descend(pass_folder(dir, "."), path, name, pass_folder);
	if (parent < 0 && errno == ENOTDIR)
		errno = pe_files_has_link(dir, path, strlen(path)) ? ELOOP : ENOTDIR;
	return parent >= 0 ? openat(parent, name, PLACED) : -1;
}

int pe_files_open_placed(int dir, const char *path, uint64_t most_bytes)
{
	int fd = open_beneath(dir, path), flags = fd >= 0 ? fcntl(fd, F_GETFL) : -1;
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			errno = EINVAL;
		else if (most_bytes > 0 && (uint64_t)st.st_size > most_bytes)
			errno = EFBIG;
		else if (flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0)
			return fd;
	}
	pe_files_close(&fd);
	return -1;
}

int pe_files_open_found(const char *path, uint64_t most_bytes)
{
	/* Opening a device does something, and between a look and an open by name it could come. */
	pe_auto_fd name = open(path, O_PATH | O_CLOEXEC);
	char opened[64];
	struct stat st;

	if (name < 0 || fstat(name, &st) != 0)
		return -1;
	if (!S_ISREG(st.st_mode) || (most_bytes > 0 && (uint64_t)st.st_size > most_bytes)) {
		errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
		return -1;
	}
	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", name);
	return open(opened, O_RDONLY | O_CLOEXEC);
}

int pe_files_read_found(struct pe_text *text, const char *path, uint64_t most_bytes)
{
	pe_auto_fd fd = pe_files_open_found(path, most_bytes);

	return fd >= 0 ? pe_text_read_fd(text, fd) : -1;
}

bool pe_files_has_link(int dir, const char *path, size_t n)
{
	char part[PATH_MAX];
	struct stat st;

	for (size_t at = 0; at < n && at < sizeof(part);) {
		at += strspn(path + at, "/");
		at += strcspn(path + at, "/");
		snprintf(part, sizeof(part), "%.*s", (int)at, path);
		if (fstatat(dir, part, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
			return true;
	}
	return false;
}

int pe_files_open_placed_in(const char *folder, const char *path, uint64_t most_bytes)
{
	pe_auto_fd dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir >= 0 ? pe_files_open_placed(dir, path, most_bytes) : -1;
}

void pe_files_sync_names(int dir)
{
	pe_auto_fd fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		fsync(fd);
}

/* Sync the folder of a new folder, whose name then outlasts a power cut. */
static void sync_parent(const char *path)
{
	pe_auto_text parent = PE_TEXT_INIT;
	pe_auto_fd fd = -1;

	pe_text_addn(&parent, path, (size_t)(pe_path_name(path) - path));
	fd = open(parent.len > 0 ? parent.data : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		pe_files_sync_names(fd);
}

/* Whether somebody else, who is not root, may rename what is in a folder. */
static bool others_replace(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	return (st.st_uid != 0 && st.st_uid != geteuid()) ||
	       ((st.st_mode & S_IWOTH) != 0 && (st.st_mode & S_ISVTX) == 0);
}

/* A folder with its parents; where it is to be ours alone, none of them may be replaced by others. */
static int make_dirs(const char *path, mode_t mode, bool ours, struct pe_err *err)
{
	pe_auto_text part = PE_TEXT_INIT;

	for (const char *at = path; *at != '\0';) {
		size_t n = strspn(at, "/");

		n += strcspn(at + n, "/");
		pe_text_addn(&part, at, n);
		at += n;
		if (mkdir(part.data, mode) == 0)
			sync_parent(part.data);
		else if (errno != EEXIST && errno != EROFS)
			return pe_fail_errno(err, "cannot make the folder %s", part.data);
		if (ours && *at != '\0' && others_replace(part.data))
			return pe_fail(err, PE_EINVALID, "others may replace what is in %s",
				       part.data);
	}
	return PE_OK;
}

int pe_files_make_dir(const char *path, struct pe_err *err)
{
	return make_dirs(path, 0777, false, err);
}

int pe_files_own_dir(const char *path, struct pe_err *err)
{
	pe_auto_fd fd = -1;
	struct stat st;

	PE_TRY(make_dirs(path, 0700, true, err));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return pe_fail_errno(err, "cannot open the folder %s", path);
	if (fstat(fd, &st) != 0)
		return pe_fail_errno(err, "cannot look at the folder %s", path);
	if (st.st_uid != geteuid())
		return pe_fail(err, PE_EINVALID, "%s belongs to user %u", path,
			       (unsigned)st.st_uid);
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return pe_fail(err, PE_EINVALID, "others may write into %s", path);
	return PE_OK;
}

/* --- Removing --- */

int pe_files_unlink_at(int dir, const char *name, int flags)
{
	struct stat st;

	if (unlinkat(dir, name, flags) == 0)
		return 0;
	if (errno != EACCES || fstat(dir, &st) != 0 || fchmod(dir, st.st_mode | S_IRWXU) != 0)
		return -1;
	return unlinkat(dir, name, flags);
}

static int remove_met(const struct pe_walk_step *step, void *payload)
{
	size_t *removed = payload;

	if (step->is_dir)
		return PE_WALK_ENTER;
	if (pe_files_unlink_at(step->dir, step->name, 0) != 0)
		return errno == ENOENT ? PE_WALK_PASS : -1;
	++*removed;
	return PE_WALK_PASS;
}

static int remove_left(const struct pe_walk_step *step, void *payload)
{
	(void)payload;
	return pe_files_unlink_at(step->dir, step->name, AT_REMOVEDIR);
}

int pe_files_remove_at(int dir, const char *name, size_t *removed)
{
	const struct pe_folder_walk walk = {remove_met, remove_left, removed};
	struct stat st;
	pe_auto_fd fd = -1;
	int rc;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -1;
	if (!S_ISDIR(st.st_mode)) {
		rc = pe_files_unlink_at(dir, name, 0);
		*removed += rc == 0;
		return rc;
	}
	fd = pe_walk_open(dir, name);
	if (fd < 0)
		return -1;
	rc = pe_walk_folder(fd, &walk, NULL);
	return rc == 0 ? pe_files_unlink_at(dir, name, AT_REMOVEDIR) : rc;
}

int pe_files_remove(const char *path, struct pe_err *err)
{
	size_t removed = 0;

	if (pe_files_remove_at(AT_FDCWD, path, &removed) != 0 && errno != ENOTDIR)
		return pe_fail_errno(err, "cannot remove %s", path);
	return PE_OK;
}

/* --- Below a trusted folder --- */

int pe_files_enter(int dir, const char *name, bool make)
{
	int fd = pe_walk_open(dir, name);
	size_t removed = 0;

	if (fd >= 0 || !make)
		return fd;
	if (errno == ENOTDIR || errno == ELOOP) {
		if (pe_files_remove_at(dir, name, &removed) != 0)
			return -1;
	} else if (errno != ENOENT) {
		return -1;
	}
	if (mkdirat(dir, name, 0777) != 0)
		return -1;
	return pe_walk_open(dir, name);
}

static int enter_made(int dir, const char *name)
{
	return pe_files_enter(dir, name, true);
}

int pe_files_open_below(const char *trusted, const char *path, bool make)
{
	const char *end = path + strlen(path);
	const char *rest = trusted != NULL ? pe_path_below(path, trusted) : end;

	if (rest == NULL) {
		errno = EXDEV;
		return -1;
	}
	return descend(open(trusted != NULL ? trusted : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		       rest, end, make ? enter_made : pe_walk_open);
}

int pe_files_open_parent(int dir, const char *path, const char **name)
{
	*name = pe_path_name(path);
	return descend(openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), path, *name,
		       pe_walk_open);
}

int pe_files_read_at(struct pe_text *text, int dir, const char *name)
{
	pe_auto_fd fd = pe_files_open_placed(dir, name, 0);

	return fd >= 0 ? pe_text_read_fd(text, fd) : -1;
}

int pe_files_open_part(int dir, const char *name, char part[NAME_MAX + 1], int access, mode_t mode)
{
	int fd = -1;

	for (unsigned i = 0; fd < 0 && i < 1000; i++) {
		snprintf(part, NAME_MAX + 1, ".%.200s.%ld.%u.part", name, (long)getpid(), i);
		fd = openat(dir, part, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

int pe_files_write_at(const struct pe_text *text, int dir, const char *name, mode_t mode)
{
	char part[NAME_MAX + 1];
	int fd = pe_files_open_part(dir, name, part, O_WRONLY, mode), rc;

	if (fd < 0)
		return -1;
	rc = pe_text_write_fd(text, fd);
	if (close(fd) != 0)
		rc = -1;
	if (rc == 0)
		rc = renameat(dir, part, dir, name);
	if (rc != 0) {
		int error = errno;

		unlinkat(dir, part, 0);
		errno = error;
	}
	return rc;
}

void pe_files_remove_parts(int dir)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char **names = pe_walk_names(dir, &arena);

	for (; names != NULL && *names != NULL; names++)
		if (**names == '.' && pe_ends_in(*names, ".part"))
			unlinkat(dir, *names, 0);
}

static int above_streams(int fd)
{
	int lifted = fd;

	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	lifted = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return lifted;
}

int pe_files_open_unnamed(int dir)
{
	char part[NAME_MAX + 1];
	int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* Some file systems cannot do without a name. */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
		fd = pe_files_open_part(dir, "output", part, O_RDWR, 0600);
		if (fd >= 0)
			unlinkat(dir, part, 0);
	}
	return above_streams(fd);
}

int pe_files_open_memory(const void *bytes, size_t n)
{
	int fd = memfd_create("perfevo", MFD_CLOEXEC);

	if (fd < 0 || (pe_files_write(fd, bytes, n) == 0 && lseek(fd, 0, SEEK_SET) == 0))
		return fd;
	pe_files_close(&fd);
	return -1;
}

int pe_files_make_fresh(int dir, const char *name)
{
	size_t removed = 0;

	return pe_files_remove_at(dir, name, &removed) == 0 ? mkdirat(dir, name, 0700) : -1;
}

/* --- How much --- */

static int add_size(const struct pe_walk_step *step, void *payload)
{
	uint64_t *bytes = payload;
	struct stat st;

	if (fstatat(step->dir, step->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		*bytes += (uint64_t)st.st_blocks * 512;
	return step->is_dir ? PE_WALK_ENTER : PE_WALK_PASS;
}

uint64_t pe_files_size(const char *path)
{
	uint64_t bytes = 0;
	const struct pe_folder_walk walk = {.meet = add_size, .payload = &bytes};
	pe_auto_fd fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (lstat(path, &st) == 0)
		bytes = (uint64_t)st.st_blocks * 512;
	if (fd >= 0)
		pe_walk_folder(fd, &walk, NULL);
	return bytes;
}

uint64_t pe_files_free(const char *path)
{
	struct statvfs info;

	if (statvfs(path, &info) < 0)
		return UINT64_MAX;
	return (uint64_t)info.f_bavail * info.f_frsize;
}
