#define _GNU_SOURCE /* O_PATH */
#include "core/base/outfile.h"

#include "core/base/arena.h"
#include "core/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const struct pe_outfile *out, struct pe_err *err)
{
	return pe_fail_errno(err, "cannot write %s", out->path);
}

bool pe_outfile_is_standard(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

/* --- A file that takes the place of another --- */

static const char *name_of(const struct pe_outfile *out)
{
	return pe_path_name(out->target.data);
}

static int open_folder(const struct pe_outfile *out)
{
	pe_auto_text folder = PE_TEXT_INIT;

	pe_text_addn(&folder, out->target.data, (size_t)(name_of(out) - out->target.data));
	return open(folder.len > 0 ? folder.data : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Root may rename over a device, which then is gone for everybody. */
static bool is_replaceable(const struct pe_outfile *out)
{
	struct stat st;

	return fstatat(out->folder, name_of(out), &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	       S_ISREG(st.st_mode) || S_ISLNK(st.st_mode);
}

static int replace(struct pe_outfile *out, mode_t mode, struct pe_err *err)
{
	out->folder = open_folder(out);
	if (out->folder < 0)
		return cannot_write(out, err);
	if (name_of(out)[0] == '\0')
		errno = EISDIR;
	else if (!is_replaceable(out))
		errno = EEXIST;
	else
		out->fd = pe_files_open_part(out->folder, name_of(out), out->part, O_WRONLY, mode);
	return out->fd >= 0 ? PE_OK : cannot_write(out, err);
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

/* --- The output that a user named --- */

/* The descriptor of standard output or error where it goes to this file, which would be replaced below it; -1: neither. */
static int standard_of(const struct stat *file)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino)
			return fd;
	}
	return -1;
}

/* What the kernel opened, by links that it follows: a regular file with a name is replaced, anything else written as it is. */
static int take_opened(struct pe_outfile *out, int fd, struct pe_err *err)
{
	pe_auto_free char *real = realpath(out->path, NULL);
	struct stat old;
	int standard;

	out->fd = fd;
	if (fstat(fd, &old) < 0)
		return cannot_write(out, err);
	standard = standard_of(&old);
	if (standard >= 0) {
		close(fd);
		out->fd = fcntl(standard, F_DUPFD_CLOEXEC, 0);
		return out->fd < 0 ? cannot_write(out, err) : PE_OK;
	}
	if (!S_ISBLK(old.st_mode) && (!S_ISREG(old.st_mode) || real == NULL))
		return PE_OK;
	close(fd);
	out->fd = -1;
	pe_text_add(&out->target, real != NULL ? real : out->path);
	PE_TRY(replace(out, 0666, err));
	return keep_mode(out, &old, err);
}

static int open_named(struct pe_outfile *out, struct pe_err *err)
{
	int fd = open(out->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	/* A link that leads nowhere yet: the kernel makes what it leads to, where it follows it. */
	if (fd < 0 && errno == ENOENT && lstat(out->path, &st) == 0)
		fd = open(out->path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666);
	if (fd >= 0)
		return take_opened(out, fd, err);
	if (errno != ENOENT)
		return cannot_write(out, err);
	pe_text_add(&out->target, out->path);
	return replace(out, 0666, err);
}

int pe_outfile_open(struct pe_outfile *out, const char *path, struct pe_err *err)
{
	int rc;

	*out = (struct pe_outfile){.fd = -1, .folder = -1, .path = path};
	if (pe_outfile_is_standard(path)) {
		out->path = "standard output";
		out->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
		return out->fd < 0 ? cannot_write(out, err) : PE_OK;
	}
	rc = open_named(out, err);
	return rc == PE_OK ? rc : pe_outfile_close(out, rc, err);
}

int pe_outfile_write(struct pe_outfile *out, const char *bytes, size_t n, struct pe_err *err)
{
	return pe_files_write(out->fd, bytes, n) == 0 || errno == EPIPE ? PE_OK
									: cannot_write(out, err);
}

int pe_outfile_close(struct pe_outfile *out, int rc, struct pe_err *err)
{
	bool replaces = out->folder >= 0 && out->fd >= 0;

	if (rc == PE_OK && replaces && fsync(out->fd) < 0 && errno != EINVAL)
		rc = cannot_write(out, err);
	if (rc == PE_OK && replaces &&
	    renameat(out->folder, out->part, out->folder, name_of(out)) < 0)
		rc = cannot_write(out, err);
	if (out->fd >= 0 && close(out->fd) < 0 && rc == PE_OK)
		rc = cannot_write(out, err);
	out->fd = -1;
	if (rc == PE_OK && replaces)
		pe_files_sync_names(out->folder);
	if (rc != PE_OK && replaces)
		unlinkat(out->folder, out->part, 0);
	if (out->folder >= 0)
		close(out->folder);
	pe_text_release(&out->target);
	out->folder = -1;
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

int pe_text_write_file_as(const struct pe_text *text, const char *path, mode_t mode,
			  struct pe_err *err)
{
	struct pe_outfile out = {.fd = -1, .folder = -1, .path = path};
	int rc;

	pe_text_add(&out.target, path);
	rc = replace(&out, mode, err);
	return rc == PE_OK ? write_text(&out, text, err) : pe_outfile_close(&out, rc, err);
}

int pe_text_write_file(const struct pe_text *text, const char *path, struct pe_err *err)
{
	return pe_text_write_file_as(text, path, 0666, err);
}
