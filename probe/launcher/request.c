#include "probe/launcher/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool next_strings(char **out, uint32_t n, char **at, const char *end)
{
	for (uint32_t i = 0; i < n; i++) {
		out[i] = pe_wire_string(at, end);
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
	free(request->argv);
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
	/* With their ends, and room for a TMPDIR. */
	request->argv = calloc(n + 3, sizeof(*request->argv));
	if (request->argv == NULL)
		return false;
	request->env = request->argv + request->run.argc + 1;
	request->cwd = pe_wire_string(&at, end);
	request->input = pe_wire_string(&at, end);
	for (int i = 0; i < PE_WIRE_PLACES; i++)
		request->places[i] = pe_wire_string(&at, end);
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

bool pe_request_open(const struct pe_request *request, int files[PE_WIRE_FILES],
		     int fds[PE_REQUEST_FDS])
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
	for (int i = 0; i < next; i++)
		files[i] = -1;
	return fds[1] >= 0 && fds[2] >= 0;
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
