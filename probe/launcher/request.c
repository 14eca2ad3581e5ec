#include "probe/launcher/request.h"

#include "probe/launcher/confine_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The next string of a payload, or NULL when there is none. */
static char *next_string(char **at, const char *end)
{
	char *string = *at;
	char *stop = string < end ? memchr(string, '\0', (size_t)(end - string)) : NULL;

	if (stop == NULL)
		return NULL;
	*at = stop + 1;
	return string;
}

static bool next_strings(char **out, uint32_t n, char **at, const char *end)
{
	for (uint32_t i = 0; i < n; i++) {
		out[i] = next_string(at, end);
		if (out[i] == NULL)
			return false;
	}
	out[n] = NULL;
	return true;
}

void pe_request_set_tmp(struct pe_request *request, const char *tmp)
{
	uint32_t n = 0;

	snprintf(request->tmpdir, sizeof(request->tmpdir), "TMPDIR=%s", tmp);
	while (n < request->run.envc && strncmp(request->env[n], "TMPDIR=", 7) != 0)
		n++;
	request->env[n] = request->tmpdir;
}

void pe_request_release(struct pe_request *request)
{
	free(request->bytes);
	free(request->pointers);
}

bool pe_request_parse(struct pe_request *request, char *bytes, uint32_t length)
{
	char *at, *end;
	size_t n;

	*request = (struct pe_request){.bytes = bytes};
	if (length < sizeof(request->run))
		return false;
	memcpy(&request->run, bytes, sizeof(request->run));
	at = bytes + sizeof(request->run);
	end = bytes + length;
	n = (size_t)request->run.argc + request->run.envc;
	if (request->run.argc == 0 || n > length)
		return false;
	request->pointers = calloc(n + 4, sizeof(*request->pointers));
	if (request->pointers == NULL)
		return false;
	request->argv = request->pointers + 1;
	request->env = request->argv + request->run.argc + 1;
	request->cwd = next_string(&at, end);
	request->input = next_string(&at, end);
	for (int i = 0; i < PE_WIRE_PLACES; i++)
		request->places[i] = next_string(&at, end);
	return request->input != NULL && request->places[PE_WIRE_PLACES - 1] != NULL &&
	       next_strings(request->argv, request->run.argc, &at, end) &&
	       next_strings(request->env, request->run.envc, &at, end);
}

void pe_request_close(const int fds[PE_REQUEST_FDS])
{
	for (int i = 0; i < PE_REQUEST_FDS; i++) {
		if (fds[i] > 2 && (i == 0 || fds[i] != fds[i - 1]))
			close(fds[i]);
	}
}

/* Arguments and result of a child that opens a file under restrictions. */
struct opening {
	const struct pe_confinement *confinement;
	const char *path;
	int flags, fd, error;
};

static int open_as_command(void *payload)
{
	struct opening *opening = payload;

	opening->error = pe_confine_let_go(opening->confinement, 0);
	if (opening->error == 0) {
		opening->fd = open(opening->path, opening->flags);
		opening->error = errno;
	}
	_exit(0);
}

/* Open a file in a child that restricts itself, which cannot be undone; the child shares our descriptors. */
static int open_restricted(const struct pe_confinement *confinement, const char *path, int flags)
{
	static _Alignas(16) char stack[16 << 10];
	struct opening opening = {confinement, path, flags, -1, 0};
	pid_t child = clone(open_as_command, stack + sizeof(stack),
			    CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &opening);

	if (child > 0)
		waitpid(child, NULL, 0);
	else
		opening.error = errno;
	errno = opening.error;
	return opening.fd;
}

/* Open a path as the command itself would find it: its links must not lead to places that it cannot reach. */
static int open_inside(const struct pe_confinement *confinement, const char *path, int flags)
{
	if (confinement->by_landlock)
		return open_restricted(confinement, path, flags);
	if (!confinement->on)
		return open(path, flags);
	return pe_confine_open(confinement->root, path, flags,
			       RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

/* Open the input without blocking: opening a FIFO would wait for a writer before any timeout applies. */
static int open_input(const struct pe_confinement *confinement, const char *path, int *status)
{
	int fd = open_inside(confinement, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat file;
	int flags;

	*status = errno;
	if (fd < 0) {
		if (errno == ENXIO)
			*status = PE_PROC_BAD_INPUT; /* a socket */
		return -1;
	}
	flags = fcntl(fd, F_GETFL);
	if (fstat(fd, &file) == 0 && (S_ISREG(file.st_mode) || S_ISCHR(file.st_mode)) &&
	    flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0)
		return fd;
	close(fd);
	*status = PE_PROC_BAD_INPUT;
	return -1;
}

bool pe_request_open(const struct pe_request *request, const struct pe_confinement *confinement,
		     int files[PE_WIRE_FILES], int fds[PE_REQUEST_FDS], int *status)
{
	uint32_t outputs = request->run.outputs;
	int next = 0;

	for (int i = 0; i < PE_REQUEST_FDS; i++)
		fds[i] = i < 3 ? i : -1;
	if ((outputs & PE_WIRE_STDOUT) != 0)
		fds[1] = files[next++];
	if ((outputs & PE_WIRE_STDERR) != 0)
		fds[2] = files[next++];
	else if ((outputs & PE_WIRE_ONE_STREAM) != 0)
		fds[2] = fds[1];
	for (int i = 3; (outputs & PE_WIRE_JOBS) != 0 && i < PE_REQUEST_FDS; i++)
		fds[i] = files[next++];
	for (int i = 0; i < PE_WIRE_FILES; i++) {
		if (i < next)
			files[i] = -1;
	}
	*status = EBADF;
	if (fds[1] < 0 || fds[2] < 0)
		return false;
	if (*request->input != '\0')
		fds[0] = open_input(confinement, request->input, status);
	return fds[0] >= 0;
}

bool pe_request_output_full(const struct pe_request *request, const int fds[PE_REQUEST_FDS])
{
	uint64_t limit = request->run.output_bytes;

	for (int i = 1; limit != 0 && i < 3; i++) {
		struct stat file;

		if (fds[i] > 2 && fstat(fds[i], &file) == 0 && S_ISREG(file.st_mode) &&
		    (uint64_t)file.st_size > limit)
			return true;
	}
	return false;
}
