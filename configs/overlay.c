/*
 * Overlay: the user's files over a measured tree. The tree is any commit and may hold anything: a
 * symbolic link in place of a folder of the overlay is replaced, never followed, so nothing outside is written.
 * Files that are equal already stay as they are, with their mtimes.
 */
#include "configs/config.h"
#include "configs/listing.h"
#include "core/base/text.h"
#include "core/base/files.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(const struct pe_text *content, const struct stat *st, int parent,
		      const char *name)
{
	pe_auto_fd fd = pe_files_open_placed(parent, name, 0);
	pe_auto_text there = PE_TEXT_INIT;
	struct stat its;

	return fd >= 0 && fstat(fd, &its) == 0 && its.st_size == st->st_size &&
	       (its.st_mode & 0777) == (st->st_mode & 0777) && pe_text_read_fd(&there, fd) == 0 &&
	       there.len == content->len &&
	       memcmp(pe_text_str(&there), pe_text_str(content), there.len) == 0;
}

/* Copy a file. @param source  target of the path from the root of the user's tree */
static int put_file(const char *root, const char *source, int parent, const char *name,
		    const char *target, struct pe_err *err)
{
	pe_auto_fd from = pe_files_open_placed_in(root, source, 0), to = -1;
	pe_auto_text content = PE_TEXT_INIT;
	size_t removed = 0;
	struct stat st;

	if (from < 0 || fstat(from, &st) < 0 || pe_text_read_fd(&content, from) != 0)
		return pe_fail_errno(err, "cannot read %s", source);
	if (same_file(&content, &st, parent, name))
		return PE_OK;
	if (pe_files_remove_at(parent, name, &removed) != 0)
		return pe_fail_errno(err, "cannot remove %s", target);
	to = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0 || pe_text_write_fd(&content, to) != 0 || fchmod(to, st.st_mode & 0777) < 0)
		return pe_fail_errno(err, "cannot write %s", target);
	return PE_OK;
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
	pe_auto_text folder = PE_TEXT_INIT, source = PE_TEXT_INIT, target = PE_TEXT_INIT;
	const char *name = pe_path_name(file->path);
	pe_auto_fd parent = -1;

	pe_text_addf(&folder, "%s/%.*s", tree, (int)(name - file->path), file->path);
	parent = pe_files_open_below(tree, folder.data, true);
	if (parent < 0)
		return pe_fail_errno(err, "cannot make the folder %s", folder.data);
	pe_text_addf(&source, "%s/%s", root, file->path);
	pe_text_addf(&target, "%s/%s", tree, file->path);
	return S_ISLNK(file->mode) ? put_link(source.data, parent, name, target.data, err)
				   : put_file(root, file->path, parent, name, target.data, err);
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
