/* O_PATH and getentropy(3). */
#define _GNU_SOURCE
#include "core/base/outfile.h"

#include "core/base/arena.h"
#include "core/base/files.h"
#include "core/base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PART_FORMAT ".perfevo-%016" PRIx64

static int cannot_write(const struct pe_outfile *out, struct pe_err *err)
{
	return pe_fail_errno(err, "cannot write %s", out->path);
}

bool pe_outfile_is_standard(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

/* --- The folder, and the file that becomes the output --- */

static const char *name_of(const struct pe_outfile *out)
{
	const char *slash = strrchr(out->target.data, '/');

	return slash != NULL ? slash + 1 : out->target.data;
}

static int open_folder(const struct pe_outfile *out)
{
	pe_auto_text folder = PE_TEXT_INIT;

	pe_text_addn(&folder, out->target.data, (size_t)(name_of(out) - out->target.data));
	return open(folder.len > 0 ? folder.data : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* The name is random, so that nobody can prepare it, and O_EXCL refuses an existing one. */
static int open_named(struct pe_outfile *out)
{
	enum { TRIES = 16 };

	for (int i = 0; i < TRIES; i++) {
		uint64_t random;

		if (getentropy(&random, sizeof(random)) < 0)
			return -1;
		snprintf(out->part, sizeof(out->part), PART_FORMAT, random);
		out->fd = openat(out->folder, out->part,
				 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (out->fd >= 0 || errno != EEXIST)
			return out->fd;
	}
	return -1;
}

/* Without a name until it is whole, where the system can: a killed process leaves nothing. */
static int open_part(struct pe_outfile *out)
{
	out->part[0] = '\0';
	out->fd = -1;
	if (access("/proc/self/fd", X_OK) == 0)
		out->fd = openat(out->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	return out->fd >= 0 ? out->fd : open_named(out);
}

/*
 * Give the whole file its name. Where another has it, the way leads over a second one, which is always the same: what
 * a process leaves that is killed in between makes room for the next, and who finds his own gone gives it again.
 */
static int put_in_place(struct pe_outfile *out)
{
	enum { TRIES = 16 };
	struct pe_hash hash;
	char from[32], hex[PE_HASH_HEX];

	if (out->part[0] != '\0')
		return renameat(out->folder, out->part, out->folder, name_of(out));
	snprintf(from, sizeof(from), "/proc/self/fd/%d", out->fd);
	pe_hash_init(&hash);
	pe_hash_string(&hash, name_of(out));
	pe_hash_hex(&hash, hex);
	for (int i = 0; i < TRIES; i++) {
		if (linkat(AT_FDCWD, from, out->folder, name_of(out), AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
		snprintf(out->part, sizeof(out->part), ".perfevo-%.16s", hex);
		if (linkat(AT_FDCWD, from, out->folder, out->part, AT_SYMLINK_FOLLOW) < 0) {
			if (errno != EEXIST || unlinkat(out->folder, out->part, 0) < 0)
				return -1;
		} else if (renameat(out->folder, out->part, out->folder, name_of(out)) == 0) {
			return 0;
		} else if (errno != ENOENT) {
			return -1;
		}
	}
	return -1;
}

/* Root may rename over a device, which then is gone for everybody. */
static bool is_replaceable(const struct pe_outfile *out)
{
	struct stat st;

	return fstatat(out->folder, name_of(out), &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	       S_ISREG(st.st_mode) || S_ISLNK(st.st_mode);
}

static int replace(struct pe_outfile *out, struct pe_err *err)
{
	out->folder = open_folder(out);
	if (out->folder >= 0 && name_of(out)[0] == '\0')
		errno = EISDIR;
	else if (out->folder >= 0 && !is_replaceable(out))
		errno = EEXIST;
	else if (out->folder >= 0 && open_part(out) >= 0)
		return PE_OK;
	return cannot_write(out, err);
}

/*
 * Give the new file the mode and group of the old one. Where the group cannot be kept its permission bits go, which would
 * apply to another group.
 */
static int keep_mode(struct pe_outfile *out, const struct stat *old, struct pe_err *err)
{
	mode_t mode = old->st_mode & 0777;
	struct stat now;

	if (fstat(out->fd, &now) < 0)
		return cannot_write(out, err);
	if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
	    fchown(out->fd, old->st_uid, old->st_gid) < 0 &&
	    fchown(out->fd, (uid_t)-1, old->st_gid) < 0)
		mode &= ~(mode_t)070 | ((mode & 07) << 3);
	return fchmod(out->fd, mode) < 0 ? cannot_write(out, err) : PE_OK;
}

/* --- What is there --- */

static bool is_file(int fd, const struct stat *file)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* Whether the resolved name still stands for the file that the kernel opened. */
static bool resolve(struct pe_outfile *out, const struct stat *file)
{
	pe_auto_free char *real = realpath(out->path, NULL);
	struct stat st;

	if (real == NULL)
		return false;
	pe_text_add(&out->target, real);
	return lstat(out->target.data, &st) == 0 && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

/* Replace a link by its target, relative to the link's folder. */
static bool step(struct pe_text *path)
{
	char link[PATH_MAX];
	ssize_t n = readlink(path->data, link, sizeof(link));
	struct pe_text next = PE_TEXT_INIT;

	if (n < 0 || (size_t)n == sizeof(link))
		return false;
	if (link[0] != '/')
		pe_text_addn(&next, path->data, (size_t)(pe_path_name(path->data) - path->data));
	pe_text_addn(&next, link, (size_t)n);
	pe_text_release(path);
	*path = next;
	return true;
}

/* There is nothing yet, perhaps at the end of links; the kernel just followed them, so they are no loop. */
static int create(struct pe_outfile *out, struct pe_err *err)
{
	enum { MOST_LINKS = 40 };
	struct stat st;

	pe_text_add(&out->target, out->path);
	for (int i = 0; i < MOST_LINKS; i++)
		if (lstat(out->target.data, &st) < 0 || !S_ISLNK(st.st_mode) || !step(&out->target))
			break;
	return replace(out, err);
}

static int in_place(struct pe_outfile *out, int fd)
{
	out->fd = fd;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return PE_OK;
}

static int open_existing(struct pe_outfile *out, int fd, struct pe_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0) {
		close(fd);
		return cannot_write(out, err);
	}
	for (int standard = STDOUT_FILENO; standard <= STDERR_FILENO; standard++) {
		if (!is_file(standard, &st))
			continue;
		close(fd);
		out->fd = fcntl(standard, F_DUPFD_CLOEXEC, 0);
		return out->fd < 0 ? cannot_write(out, err) : PE_OK;
	}
	if (S_ISBLK(st.st_mode)) {
		close(fd);
		return pe_fail(err, PE_EINVALID,
			       "%s is a block device: a file is not written over what it holds",
			       out->path);
	}
	if (!S_ISREG(st.st_mode))
		return in_place(out, fd);
	/* An open file without a name, as /proc/self/fd/7 may be. */
	if (!resolve(out, &st)) {
		in_place(out, fd);
		return ftruncate(fd, 0) < 0 ? cannot_write(out, err) : PE_OK;
	}
	close(fd);
	PE_TRY(replace(out, err));
	return keep_mode(out, &st, err);
}

/* --- The interface --- */

static void forget(struct pe_outfile *out)
{
	if (out->fd >= 0)
		close(out->fd);
	if (out->folder >= 0)
		close(out->folder);
	pe_text_release(&out->target);
	out->fd = out->folder = -1;
}

/* The kernel decides which links may be followed. A FIFO without a reader is an error, but its reader may be about to start. */
static int open_there(const char *path)
{
	const struct timespec pause = {0, 20 * 1000 * 1000};
	int fd;

	for (int i = 0; i < 50; i++) {
		fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0 || errno != ENXIO)
			return fd;
		nanosleep(&pause, NULL);
	}
	errno = ENXIO;
	return -1;
}

int pe_outfile_open(struct pe_outfile *out, const char *path, struct pe_err *err)
{
	int fd, rc;

	*out = (struct pe_outfile){.fd = -1, .folder = -1, .path = path};
	if (pe_outfile_is_standard(path)) {
		out->path = "standard output";
		out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		return out->fd < 0 ? cannot_write(out, err) : PE_OK;
	}
	fd = open_there(path);
	if (fd >= 0)
		rc = open_existing(out, fd, err);
	else if (errno == ENOENT)
		rc = create(out, err);
	else if (errno == ENXIO)
		rc = pe_fail(err, PE_ESYS, "cannot write %s: nothing reads from it", path);
	else
		rc = cannot_write(out, err);
	if (rc != PE_OK)
		return pe_outfile_close(out, rc, err);
	return rc;
}

int pe_outfile_write(struct pe_outfile *out, const char *bytes, size_t n, struct pe_err *err)
{
	while (n > 0) {
		ssize_t put = write(out->fd, bytes, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EPIPE)
			return PE_OK;
		if (put < 0)
			return cannot_write(out, err);
		bytes += put;
		n -= (size_t)put;
	}
	return PE_OK;
}

int pe_outfile_close(struct pe_outfile *out, int rc, struct pe_err *err)
{
	bool replaces = out->folder >= 0 && out->fd >= 0;

	if (rc == PE_OK && replaces && fsync(out->fd) < 0 && errno != EINVAL)
		rc = cannot_write(out, err);
	if (rc == PE_OK && replaces && put_in_place(out) < 0)
		rc = cannot_write(out, err);
	if (out->fd >= 0 && close(out->fd) < 0 && rc == PE_OK)
		rc = cannot_write(out, err);
	out->fd = -1;
	if (rc == PE_OK && replaces)
		pe_files_sync_names(out->folder);
	if (rc != PE_OK && replaces && out->part[0] != '\0')
		unlinkat(out->folder, out->part, 0);
	forget(out);
	return rc;
}

static int write_text(struct pe_outfile *out, const struct pe_text *text, struct pe_err *err)
{
	return pe_outfile_close(out, pe_outfile_write(out, pe_text_str(text), text->len, err), err);
}

int pe_outfile_write_file(const struct pe_text *text, const char *path, struct pe_err *err)
{
	struct pe_outfile out;

	PE_TRY(pe_outfile_open(&out, path, err));
	return write_text(&out, text, err);
}

int pe_text_write_file(const struct pe_text *text, const char *path, struct pe_err *err)
{
	struct pe_outfile out = {.fd = -1, .folder = -1, .path = path};
	int rc;

	pe_text_add(&out.target, path);
	rc = replace(&out, err);
	if (rc == PE_OK)
		return write_text(&out, text, err);
	forget(&out);
	return rc;
}
