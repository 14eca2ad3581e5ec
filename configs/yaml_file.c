#include "configs/yaml.h"

#include "core/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
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
	if (errno != ENOENT && errno != ENOTDIR)
		return pe_fail_errno(err, "cannot read %s", path);
	return pe_fail(err, PE_ENOTFOUND, "%s: no such file", path);
}

/* Read one byte more than allowed, to detect a file that is too large. */
static int read_some(struct pe_text *out, int fd)
{
	char buffer[16 * 1024];
	ssize_t got = 1;

	while (got != 0 && out->len <= PE_YAML_MOST_BYTES) {
		size_t room = PE_YAML_MOST_BYTES + 1 - out->len;

		got = read(fd, buffer, room < sizeof(buffer) ? room : sizeof(buffer));
		if (got < 0 && errno != EINTR)
			return -1;
		if (got > 0)
			pe_text_addn(out, buffer, (size_t)got);
	}
	return 0;
}

int pe_yaml_read_file(struct pe_text *out, const char *path, const char *root, struct pe_err *err)
{
	pe_auto_text absolute = PE_TEXT_INIT;
	const char *below = root != NULL ? part_below(path, root, &absolute) : NULL;
	/* O_NONBLOCK: opening a FIFO would block. */
	int fd = below != NULL ? pe_files_open_placed_in(root, below, 0)
			       : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int rc = PE_OK;

	if (fd < 0)
		return cannot_open(path, err);
	if (fstat(fd, &st) < 0)
		rc = pe_fail_errno(err, "cannot read %s", path);
	else if (!S_ISREG(st.st_mode))
		rc = pe_fail(err, PE_EINVALID, "%s is no regular file", path);
	else if (read_some(out, fd) < 0)
		rc = pe_fail_errno(err, "cannot read %s", path);
	close(fd);
	return rc;
}
