/* realpath(3). */
#define _XOPEN_SOURCE 700
#include "configs/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool lies_in(const char *path, const char *root)
{
	size_t n = strlen(root);

	while (n > 0 && root[n - 1] == '/')
		n--;
	return strncmp(path, root, n) == 0 && path[n] == '/';
}

/* Any part of the path may be a link; what counts is where it ends. */
static bool leaves(const char *path, const char *root)
{
	char *real, *top;
	bool out;

	if (root == NULL || !lies_in(path, root))
		return false;
	real = realpath(path, NULL);
	top = realpath(root, NULL);
	out = real == NULL || top == NULL || !lies_in(real, top);
	free(real);
	free(top);
	return out;
}

static int cannot_open(const char *path, struct pe_err *err)
{
	struct stat st;

	if (errno != ENOENT && errno != ENOTDIR)
		return pe_fail_errno(err, "cannot read %s", path);
	if (lstat(path, &st) == 0)
		return pe_fail(err, PE_EINVALID, "%s is a link to nothing", path);
	return pe_fail(err, PE_ENOTFOUND, "%s: no such file", path);
}

/* One byte more than is allowed tells a file that is too large. */
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
	/* A FIFO would be waited for. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	int rc = PE_OK;

	if (fd < 0)
		return cannot_open(path, err);
	if (fstat(fd, &st) < 0)
		rc = pe_fail_errno(err, "cannot read %s", path);
	else if (!S_ISREG(st.st_mode))
		rc = pe_fail(err, PE_EINVALID, "%s is no regular file", path);
	else if (leaves(path, root))
		rc = pe_fail(
			err, PE_EINVALID,
			"%s is a link that leaves the working tree: name the file with --config",
			path);
	else if (read_some(out, fd) < 0)
		rc = pe_fail_errno(err, "cannot read %s", path);
	close(fd);
	return rc;
}
