#include "vcs/place.h"

#include "core/base/files.h"
#include "core/base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pe_checkout_dir_open(struct pe_checkout_dir *place, const char *trusted, const char *dir,
			 struct pe_err *err)
{
	int rc = pe_files_make_dir(trusted != NULL ? trusted : dir, err);

	memset(place, 0, sizeof(*place));
	place->dir = dir;
	place->fd = -1;
	if (rc != PE_OK)
		return rc;
	place->fd = pe_files_open_below(trusted, dir, true);
	if (place->fd < 0)
		return pe_fail_errno(err, "cannot open the folder '%s'", dir);
	return 0;
}

bool pe_checkout_dir_again(struct pe_checkout_dir *again, const struct pe_checkout_dir *place)
{
	again->dir = place->dir;
	again->n_open = 0;
	again->fd = fcntl(place->fd, F_DUPFD_CLOEXEC, 0);
	return again->fd >= 0;
}

static void close_last(struct pe_checkout_dir *place)
{
	close(place->open[--place->n_open].fd);
}

void pe_checkout_dir_close(struct pe_checkout_dir *place)
{
	while (place->n_open > 0)
		close_last(place);
	if (place->fd >= 0)
		close(place->fd);
	place->fd = -1;
}

/* -- walking down ----------------------------------------------------------------------------------------- */

/* Close what does not lie on the way to the folder of n bytes; the length of the last that does. */
static size_t keep_common(struct pe_checkout_dir *place, const char *path, size_t n)
{
	while (place->n_open > 0) {
		size_t len = place->open[place->n_open - 1].len;

		if (len <= n && path[len] == '/' && memcmp(place->at, path, len) == 0)
			return len;
		close_last(place);
	}
	return 0;
}

static int enter_next(struct pe_checkout_dir *place, size_t len, bool make)
{
	int from = place->n_open > 0 ? place->open[place->n_open - 1].fd : place->fd;
	const char *name = strrchr(place->at, '/');
	int fd = pe_files_enter(from, name != NULL ? name + 1 : place->at, make);

	if (fd < 0)
		return -1;
	/* Of a deep path the last folders stay open alone. */
	if (place->n_open == PE_CHECKOUT_DIRS_OPEN)
		close_last(place);
	place->open[place->n_open].fd = fd;
	place->open[place->n_open++].len = len;
	return fd;
}

/*
 * The open folder that a path is in, and its last name (up to a slash at the end, copied into name).
 *
 * @return  a descriptor that belongs to the place; -1 with errno
 */
static int descend(struct pe_checkout_dir *place, const char *path, char name[NAME_MAX + 1],
		   bool make)
{
	const char *last = path_name(path);
	size_t n = last != path ? (size_t)(last - path) - 1 : 0;
	size_t name_len = strcspn(last, "/"), len;
	int fd;

	if (name_len > NAME_MAX || n >= sizeof(place->at)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, last, name_len);
	name[name_len] = '\0';
	if (n == 0)
		return place->fd;
	len = keep_common(place, path, n);
	fd = place->n_open > 0 ? place->open[place->n_open - 1].fd : place->fd;
	while (len < n && fd >= 0) {
		len += len > 0;
		len += strcspn(path + len, "/");
		memcpy(place->at, path, len);
		place->at[len] = '\0';
		fd = enter_next(place, len, make);
	}
	return fd;
}

int pe_checkout_dir_dir(struct pe_checkout_dir *place, const char *path, struct pe_err *err)
{
	char name[NAME_MAX + 1];
	int dir = descend(place, path, name, true);
	int fd = dir >= 0 ? pe_files_enter(dir, name, true) : -1;

	if (fd < 0)
		return pe_fail_errno(err, "cannot make the folder '%s/%s'", place->dir, path);
	close(fd);
	return 0;
}

bool pe_checkout_dir_stat(struct pe_checkout_dir *place, const char *path, struct stat *st)
{
	char name[NAME_MAX + 1];
	int dir = descend(place, path, name, false);

	return dir >= 0 && fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == 0;
}

int pe_checkout_dir_chmod(struct pe_checkout_dir *place, const struct pe_row *row,
			  struct pe_err *err)
{
	char name[NAME_MAX + 1];
	int dir = descend(place, row->path, name, false);
	mode_t mask = pe_files_umask();

	if (dir < 0 || fchmodat(dir, name, (row->mode & 0111 ? 0777 : 0666) & ~mask, 0) != 0)
		return pe_fail_errno(err, "cannot set the permissions of '%s/%s'", place->dir,
				     row->path);
	return 0;
}

int pe_checkout_dir_remove(struct pe_checkout_dir *place, const char *path, bool contents,
			   size_t *removed, struct pe_err *err)
{
	char name[NAME_MAX + 1];
	bool folder = path[strlen(path) - 1] == '/';
	int dir = descend(place, path, name, false);
	int rc;

	if (dir < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	rc = dir >= 0 && contents ? pe_files_remove_at(dir, name, removed)
	     : dir >= 0           ? pe_files_unlink_at(dir, name, folder ? AT_REMOVEDIR : 0)
				  : -1;
	if (rc == 0) {
		*removed += !contents && !folder;
		return 0;
	}
	/* A folder with products in it stays, and so does a folder that a build put in place of a file. */
	if (errno == ENOENT ||
	    (!contents && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR ||
			   errno == EISDIR || errno == EPERM)))
		return 0;
	return pe_fail_errno(err, "cannot remove '%s/%s'", place->dir, path);
}

/* -- cleaning --------------------------------------------------------------------------------------------- */

struct cleaning {
	const char *folder;
	const struct pe_tree *keep;
	struct pe_text path;
	size_t *removed;
};

static int clean_one(const struct pe_walk_step *step, void *payload)
{
	struct cleaning *cleaning = payload;

	pe_text_clear(&cleaning->path);
	pe_text_add(&cleaning->path, cleaning->folder);
	pe_text_add(&cleaning->path, step->name);
	if (step->is_dir)
		pe_text_addc(&cleaning->path, '/');
	if (cleaning->keep == NULL || pe_tree_find(cleaning->keep, cleaning->path.data) == NULL)
		return pe_files_remove_at(step->dir, step->name, cleaning->removed);
	return PE_WALK_PASS;
}

int pe_checkout_dir_clean(struct pe_checkout_dir *place, const char *path,
			  const struct pe_tree *keep, size_t *removed, struct pe_err *err)
{
	struct cleaning cleaning = {path, keep, PE_TEXT_INIT, removed};
	const struct pe_folder_walk walk = {.meet = clean_one, .payload = &cleaning};
	char name[NAME_MAX + 1];
	int dir = *path != '\0' ? descend(place, path, name, false) : place->fd;
	int fd = dir >= 0 && *path != '\0' ? pe_walk_open(dir, name) : dir;
	int rc;

	rc = fd >= 0 ? pe_walk_folder(fd, &walk, NULL) : -1;
	if (rc != 0)
		rc = pe_fail_errno(err, "cannot clean '%s/%s'", place->dir,
				   pe_text_str(&cleaning.path));
	if (fd >= 0 && *path != '\0')
		close(fd);
	pe_text_release(&cleaning.path);
	return rc;
}

/* -- writing and comparing -------------------------------------------------------------------------------- */

static int write_all(int fd, const char *data, size_t n)
{
	while (n != 0) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		data += done;
		n -= (size_t)done;
	}
	return 0;
}

/* @return  0; -1: the disk refused (errno); 1: the content could not be read (recorded) */
static int copy_content(int fd, struct pe_content *content, struct pe_err *err)
{
	char *buffer;
	int64_t n;
	int rc = 0;

	if (content->data != NULL)
		return write_all(fd, content->data, (size_t)content->size);
	buffer = pe_realloc(NULL, 1, 1 << 18);
	while (rc == 0 && (n = pe_content_read(content, buffer, 1 << 18, err)) != 0)
		rc = n < 0 ? 1 : write_all(fd, buffer, (size_t)n);
	free(buffer);
	return rc;
}

static int write_file(int dir, const char *name, const struct pe_row *row,
		      struct pe_content *content, struct pe_err *err)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			row->mode & 0111 ? 0777 : 0666);
	int rc = fd >= 0 ? copy_content(fd, content, err) : -1;

	if (fd >= 0) {
		int cause = errno;

		if (close(fd) != 0 && rc == 0)
			rc = -1;
		else
			errno = cause;
	}
	return rc;
}

static int write_link(int dir, const char *name, const struct pe_content *content)
{
	struct pe_text target = PE_TEXT_INIT;
	int rc;

	pe_text_addn(&target, content->data, (size_t)content->size);
	rc = symlinkat(pe_text_str(&target), dir, name);
	pe_text_release(&target);
	return rc;
}

int pe_checkout_dir_write(struct pe_checkout_dir *place, const struct pe_row *row,
			  struct pe_content *content, struct stat *st, struct pe_err *err)
{
	char name[NAME_MAX + 1];
	size_t removed = 0;
	int dir, rc;

	if (!row_is_file(row) && (content->size == 0 || content->size >= PATH_MAX))
		return pe_fail(
			err, PE_EINVALID,
			"the link '%s' has a target of %llu bytes; this revision is not written",
			row->path, (unsigned long long)content->size);
	dir = descend(place, row->path, name, true);
	rc = dir >= 0 ? pe_files_remove_at(dir, name, &removed) : -1;

	if (rc == 0 && row_is_file(row))
		rc = write_file(dir, name, row, content, err);
	else if (rc == 0)
		rc = write_link(dir, name, content);
	if (rc == 0 && fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) != 0)
		rc = -1;
	/* Names that this file system does not take are the commit's, not the machine's. */
	if (rc < 0 && (errno == ENAMETOOLONG || errno == EILSEQ || errno == EINVAL))
		return pe_fail(err, PE_EINVALID, "the file system does not take the name '%s': %s",
			       row->path, strerror(errno));
	if (rc < 0)
		return pe_fail_errno(err, "cannot write '%s/%s'", place->dir, row->path);
	if (rc > 0)
		pe_err_context(err, "%s", row->path);
	return rc > 0 ? (err != NULL ? (int)err->code : PE_EVCS) : 0;
}

static bool same_bytes(int fd, struct pe_content *content)
{
	char mine[16384], theirs[16384];
	uint64_t done = 0;
	ssize_t n = 1;

	while (done < content->size && n > 0) {
		size_t want = content->size - done < sizeof(mine) ? (size_t)(content->size - done)
								  : sizeof(mine);
		const char *expected = content->data != NULL ? content->data + done : theirs;

		if (content->data == NULL) {
			int64_t got = pe_content_read(content, theirs, want, NULL);

			if (got <= 0)
				return false;
			want = (size_t)got;
		}
		for (size_t have = 0; have < want; have += (size_t)n) {
			n = read(fd, mine + have, want - have);
			if (n <= 0)
				return false;
		}
		if (memcmp(mine, expected, want) != 0)
			return false;
		done += want;
	}
	return read(fd, mine, 1) == 0;
}

bool pe_checkout_dir_holds(struct pe_checkout_dir *place, const struct pe_row *row,
			   struct pe_content *content)
{
	char name[NAME_MAX + 1], target[PATH_MAX + 1];
	int dir = descend(place, row->path, name, false);
	bool same;
	int fd;

	if (dir < 0)
		return false;
	if (!row_is_file(row)) {
		ssize_t n = readlinkat(dir, name, target, sizeof(target));

		return n >= 0 && (uint64_t)n == content->size &&
		       memcmp(target, content->data, (size_t)n) == 0;
	}
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	same = same_bytes(fd, content);
	close(fd);
	return same;
}
