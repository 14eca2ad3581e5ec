#include "configs/yaml.h"

#include "core/base/files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The part of a path below a folder; NULL: the path is elsewhere. A relative one begins at the current folder. */
static const char *part_below(const char *path, const char *root, struct pe_text *absolute)
{
	char here[PATH_MAX];
	size_t n = strlen(root);

	while (n > 0 && root[n - 1] == '/')
		n--;
	if (path[0] != '/' && getcwd(here, sizeof(here)) != NULL)
		pe_text_addf(absolute, "%s/", here);
	pe_text_add(absolute, path);
	if (strncmp(path, "../", 3) == 0 || strstr(path, "/../") != NULL)
		return NULL;
	if (n == 0 || strncmp(absolute->data, root, n) != 0 || absolute->data[n] != '/')
		return NULL;
	return absolute->data + n + strspn(absolute->data + n, "/");
}

static int cannot_open(const char *path, struct pe_err *err)
{
	if (errno == ELOOP)
		return pe_fail(
			err, PE_EINVALID,
			"%s is a symbolic link, or in a folder that is one: a file is expected",
			path);
	if (errno == EINVAL || errno == EISDIR || errno == ENXIO)
		return pe_fail(err, PE_EINVALID, "%s is no regular file", path);
	if (errno == EFBIG)
		return pe_fail(err, PE_EINVALID, "%s:1:1: larger than 1 MiB: this is no config",
			       path);
	if (errno != ENOENT && errno != ENOTDIR)
		return pe_fail_errno(err, "cannot read %s", path);
	return pe_fail(err, PE_ENOTFOUND, "%s: no such file", path);
}

int pe_yaml_read_file(struct pe_text *out, const char *path, const char *root, struct pe_err *err)
{
	pe_auto_text absolute = PE_TEXT_INIT;
	const char *below = root != NULL ? part_below(path, root, &absolute) : NULL;
	pe_auto_fd fd = below != NULL ? pe_files_open_placed_in(root, below, PE_YAML_MOST_BYTES)
				      : pe_files_open_found(path, PE_YAML_MOST_BYTES);

	if (fd < 0)
		return cannot_open(path, err);
	return pe_text_read_fd(out, fd) == 0 ? PE_OK : pe_fail_errno(err, "cannot read %s", path);
}
