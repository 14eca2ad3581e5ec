#include "vcs/checkout.h"

#include "core/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int pe_checkout_open(int *fd, const char *trusted, const char *dir, struct pe_err *err)
{
	*fd = -1;
	PE_TRY(pe_files_make_dir(trusted != NULL ? trusted : dir, err));
	*fd = pe_files_open_below(trusted, dir, true);
	return *fd >= 0 ? PE_OK : pe_fail_errno(err, "cannot open the folder '%s'", dir);
}

int pe_checkout_make_folder(int folder, const struct pe_row *row, struct pe_err *err)
{
	char path[PATH_MAX];
	const char *name;
	pe_auto_fd dir = -1, made = -1;

	/* Without the slash at its end. */
	snprintf(path, sizeof(path), "%.*s", (int)strlen(row->path) - 1, row->path);
	dir = pe_files_open_parent(folder, path, &name);
	if (dir >= 0)
		made = pe_files_enter(dir, name, true);
	return made >= 0 ? PE_OK : pe_fail_errno(err, "cannot make the folder '%s'", row->path);
}

static int write_file(int dir, const char *name, const struct pe_row *row,
		      const struct pe_content *content)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			row->mode & 0111 ? 0777 : 0666);

	if (fd < 0)
		return -1;
	if (pe_files_write(fd, content->data, content->size) == 0)
		return close(fd);
	pe_files_close(&fd);
	return -1;
}

static int write_link(int dir, const char *name, const struct pe_content *content)
{
	pe_auto_text target = PE_TEXT_INIT;

	pe_text_addn(&target, content->data, content->size);
	return symlinkat(pe_text_str(&target), dir, name);
}

static bool file_holds(int dir, const char *name, const struct pe_content *content)
{
	pe_auto_fd fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char bytes[1 << 16];
	size_t done = 0;
	ssize_t n = 0;

	if (fd < 0)
		return false;
	while ((n = read(fd, bytes, sizeof(bytes))) > 0 && (size_t)n <= content->size - done &&
	       memcmp(bytes, content->data + done, (size_t)n) == 0)
		done += (size_t)n;
	return n == 0 && done == content->size;
}

static bool link_holds(int dir, const char *name, const struct pe_content *content)
{
	char target[PATH_MAX + 1];
	ssize_t n = readlinkat(dir, name, target, sizeof(target));

	return n >= 0 && (size_t)n == content->size &&
	       memcmp(target, content->data, (size_t)n) == 0;
}

/* Whether a file or link with a row's content and permissions is there. */
static bool is_there(int dir, const char *name, const struct pe_row *row,
		     const struct pe_content *content)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	if (!row_is_file(row))
		return S_ISLNK(st.st_mode) && link_holds(dir, name, content);
	return S_ISREG(st.st_mode) && (uint64_t)st.st_size == content->size &&
	       ((st.st_mode ^ row->mode) & 0100) == 0 && file_holds(dir, name, content);
}

static int write_anew(int dir, const char *name, const struct pe_row *row,
		      const struct pe_content *content, struct pe_err *err)
{
	size_t removed = 0;
	int rc = pe_files_remove_at(dir, name, &removed);

	if (rc == 0)
		rc = row_is_file(row) ? write_file(dir, name, row, content)
				      : write_link(dir, name, content);
	if (rc == 0)
		return PE_OK;
	/* Names that this file system does not take are the commit's, not the machine's. */
	if (errno == ENAMETOOLONG || errno == EILSEQ || errno == EINVAL)
		return pe_fail(err, PE_EINVALID, "the file system does not take the name '%s': %s",
			       row->path, strerror(errno));
	return pe_fail_errno(err, "cannot write '%s'", row->path);
}

int pe_checkout_put(bool *written, int folder, const struct pe_row *row,
		    const struct pe_content *content, struct pe_err *err)
{
	pe_auto_fd dir = -1;
	const char *name;

	*written = true;
	if (!row_is_file(row) && (content->size == 0 || content->size >= PATH_MAX))
		return pe_fail(
			err, PE_EINVALID,
			"the link '%s' has a target of %zu bytes; this revision is not written",
			row->path, content->size);
	dir = pe_files_open_parent(folder, row->path, &name);
	if (dir < 0)
		return pe_fail_errno(err, "cannot write '%s'", row->path);
	*written = !is_there(dir, name, row, content);
	return *written ? write_anew(dir, name, row, content, err) : PE_OK;
}
