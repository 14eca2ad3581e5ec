/*
 * Overlay: the user's files over a measured tree. The tree is any commit and may hold anything: a
 * symbolic link in place of a folder of the overlay is replaced, never followed, so nothing outside is written.
 * Files that are equal already stay as they are, with their mtimes.
 */
#include "configs/config.h"
#include "configs/listing.h"
#include "core/base/text.h"
#include "core/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open a folder of the tree, and replace anything else of its name. */
static int open_folder(int *out, int parent, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

	*out = openat(parent, name, flags);
	if (*out >= 0)
		return 0;
	if (errno != ENOENT && errno != ELOOP && errno != ENOTDIR)
		return -1;
	if (errno != ENOENT && unlinkat(parent, name, 0) < 0)
		return -1;
	if (mkdirat(parent, name, 0777) < 0)
		return -1;
	*out = openat(parent, name, flags);
	return *out >= 0 ? 0 : -1;
}

/* Open the folder of a path of the overlay. */
static int open_parent(int *out, const char *tree, const char *path, struct pe_err *err)
{
	int fd = open(tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[NAME_MAX + 1];

	if (fd < 0)
		return pe_fail_errno(err, "cannot open %s", tree);
	for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
		size_t n = (size_t)(slash - path);
		int next, failed;

		if (n > NAME_MAX) {
			close(fd);
			return pe_fail(err, PE_ESYS, "a name longer than %d bytes", NAME_MAX);
		}
		memcpy(name, path, n);
		name[n] = '\0';
		failed = open_folder(&next, fd, name);
		close(fd);
		if (failed < 0)
			return pe_fail_errno(err, "cannot make the folder '%s' in %s", name, tree);
		fd = next;
	}
	*out = fd;
	return PE_OK;
}

static ssize_t read_some(int fd, char *bytes, size_t n)
{
	ssize_t got;

	do
		got = read(fd, bytes, n);
	while (got < 0 && errno == EINTR);
	return got;
}

static bool same_bytes(int a, int b)
{
	char left[16 * 1024], right[16 * 1024];
	ssize_t n;

	/* The files are regular and of equal size, so reads are not short unless another process writes to them. */
	do {
		n = read_some(a, left, sizeof(left));
		if (n < 0 || read_some(b, right, sizeof(right)) != n)
			return false;
		if (n > 0 && memcmp(left, right, (size_t)n) != 0)
			return false;
	} while (n > 0);
	return true;
}

static bool same_file(int source, const struct stat *st, int parent, const char *name)
{
	int fd = pe_files_open_placed(parent, name, 0);
	struct stat there;
	bool same;

	if (fd < 0)
		return false;
	same = fstat(fd, &there) == 0 && there.st_size == st->st_size &&
	       (there.st_mode & 0777) == (st->st_mode & 0777) && same_bytes(source, fd);
	close(fd);
	return same;
}

static int copy_bytes(int to, int from)
{
	char bytes[32 * 1024];
	ssize_t got;

	if (lseek(from, 0, SEEK_SET) < 0)
		return -1;
	while ((got = read_some(from, bytes, sizeof(bytes))) > 0) {
		for (ssize_t at = 0; at < got;) {
			ssize_t put = write(to, bytes + at, (size_t)(got - at));

			if (put < 0 && errno != EINTR)
				return -1;
			if (put > 0)
				at += put;
		}
	}
	return got < 0 ? -1 : 0;
}

/* Copy a file. @param source  target of the path from the root of the user's tree */
static int put_file(const char *root, const char *source, int parent, const char *name,
		    const char *target, struct pe_err *err)
{
	int from = pe_files_open_placed_in(root, source, 0), to = -1;
	size_t removed = 0;
	struct stat st;
	int rc = PE_OK;

	if (from < 0 || fstat(from, &st) < 0) {
		rc = pe_fail_errno(err, "cannot read %s", source);
		goto done;
	}
	if (same_file(from, &st, parent, name))
		goto done;
	if (pe_files_remove_at(parent, name, &removed) != 0) {
		rc = pe_fail_errno(err, "cannot remove %s", target);
		goto done;
	}
	to = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0 || copy_bytes(to, from) < 0 || fchmod(to, st.st_mode & 0777) < 0)
		rc = pe_fail_errno(err, "cannot write %s", target);
done:
	if (to >= 0 && close(to) < 0 && rc == PE_OK)
		rc = pe_fail_errno(err, "cannot write %s", target);
	if (from >= 0)
		close(from);
	return rc;
}

static int put_link(const char *source, int parent, const char *name, const char *target,
		    struct pe_err *err)
{
	char want[PATH_MAX], have[PATH_MAX];
	ssize_t n = readlink(source, want, sizeof(want) - 1);
	ssize_t m = readlinkat(parent, name, have, sizeof(have));
	size_t removed = 0;

	if (n < 0)
		return pe_fail_errno(err, "cannot read %s", source);
	want[n] = '\0';
	if (n == m && memcmp(want, have, (size_t)n) == 0)
		return PE_OK;
	if (pe_files_remove_at(parent, name, &removed) != 0 || symlinkat(want, parent, name) < 0)
		return pe_fail_errno(err, "cannot write %s", target);
	return PE_OK;
}

static int put(const struct pe_listed *file, const char *root, const char *tree, struct pe_err *err)
{
	pe_auto_text source = PE_TEXT_INIT, target = PE_TEXT_INIT;
	const char *slash = strrchr(file->path, '/');
	const char *name = slash != NULL ? slash + 1 : file->path;
	int parent = -1;
	int rc = open_parent(&parent, tree, file->path, err);

	pe_text_addf(&source, "%s/%s", root, file->path);
	pe_text_addf(&target, "%s/%s", tree, file->path);
	if (rc == PE_OK)
		rc = S_ISLNK(file->mode)
			     ? put_link(source.data, parent, name, target.data, err)
			     : put_file(root, file->path, parent, name, target.data, err);
	if (parent >= 0)
		close(parent);
	return rc;
}

int pe_config_apply_overlay(const struct pe_config *config, const char *tree, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_listing listing = {0};
	int rc = PE_OK;

	if (config->overlay.paths.n == 0)
		return PE_OK;
	if (config->overlay.revision != NULL || config->root == NULL)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "%s: the overlay's files are not in a working tree here",
			       config->path);
	rc = pe_listing_read(&listing, config->root, &config->overlay.paths, "overlay", &arena,
			     err);
	for (size_t i = 0; i < listing.n && rc == PE_OK; i++)
		rc = put(&listing.at[i], config->root, tree, err);
	if (rc != PE_OK)
		pe_err_context(err, "overlay");
	return rc;
}
