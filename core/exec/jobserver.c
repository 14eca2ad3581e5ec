#define _GNU_SOURCE /* pipe2 */
#include "core/exec/jobserver.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static const char BYTE = '+';

/* Clients may wait at their ends, and some set them not to: what is perfevo's own is opened apart. */
static int reopen(int fd, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, flags | O_NONBLOCK | O_CLOEXEC);
}

int pe_jobserver_open(struct pe_jobserver *out, unsigned jobs, struct pe_err *err)
{
	*out = (struct pe_jobserver)PE_JOBSERVER_INIT;
	out->jobs = jobs;
	if (pipe2(out->ends, O_CLOEXEC) == 0) {
		out->own[0] = reopen(out->ends[0], O_RDONLY);
		out->own[1] = reopen(out->ends[1], O_WRONLY);
		if (out->own[0] >= 0 && out->own[1] >= 0)
			return PE_OK;
	}
	pe_fail_errno(err, "cannot open a pipe for jobs");
	pe_jobserver_close(out);
	return PE_ESYS;
}

void pe_jobserver_close(struct pe_jobserver *server)
{
	for (int i = 0; i < 2; i++) {
		if (server->own[i] >= 0)
			close(server->own[i]);
		if (server->ends[i] >= 0)
			close(server->ends[i]);
	}
	*server = (struct pe_jobserver)PE_JOBSERVER_INIT;
}

const int *pe_jobserver_ends(const struct pe_jobserver *server)
{
	return server->ends[0] >= 0 ? server->ends : NULL;
}

static bool take(const struct pe_jobserver *server)
{
	char byte;

	return read(server->own[0], &byte, 1) == 1;
}

/* A pipe that a build has filled has more than enough. */
static bool put(const struct pe_jobserver *server)
{
	return write(server->own[1], &BYTE, 1) == 1;
}

static void refill(struct pe_jobserver *server)
{
	char bytes[4096];

	while (read(server->own[0], bytes, sizeof(bytes)) > 0)
		;
	server->owed = server->spare = 0;
	for (unsigned i = 1; i < server->jobs && put(server); i++)
		;
}

void pe_jobserver_enter(struct pe_jobserver *server)
{
	if (server->ends[0] < 0)
		return;
	if (server->builds++ == 0)
		refill(server);
	else if (server->spare > 0)
		server->spare--;
	else if (!take(server))
		server->owed++;
}

void pe_jobserver_leave(struct pe_jobserver *server)
{
	if (server->ends[0] < 0)
		return;
	server->builds--;
	if (server->owed > 0)
		server->owed--;
	else
		server->spare++;
}

int pe_jobserver_settle(struct pe_jobserver *server)
{
	if (server->ends[0] < 0)
		return -1;
	while (server->spare > 0 && put(server))
		server->spare--;
	while (server->owed > 0 && take(server))
		server->owed--;
	return server->owed > 0 ? server->own[0] : -1;
}
