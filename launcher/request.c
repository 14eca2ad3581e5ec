#include "launcher/request.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	request->pointers = calloc(n + 3, sizeof(*request->pointers));
	if (request->pointers == NULL)
		return false;
	request->argv = request->pointers + 1;
	request->env = request->argv + request->run.argc + 1;
	request->cwd = next_string(&at, end);
	for (int i = 0; i < 3; i++)
		request->paths[i] = next_string(&at, end);
	for (int i = 0; i < PE_WIRE_PLACES; i++)
		request->places[i] = next_string(&at, end);
	return request->places[PE_WIRE_PLACES - 1] != NULL &&
	       next_strings(request->argv, request->run.argc, &at, end) &&
	       next_strings(request->env, request->run.envc, &at, end);
}

void pe_request_close(const int fds[3])
{
	for (int i = 0; i < 3; i++) {
		if (fds[i] > 2 && (i == 0 || fds[i] != fds[i - 1]))
			close(fds[i]);
	}
}

int pe_request_open(const struct pe_request *request, int fds[3])
{
	for (int i = 0; i < 3; i++) {
		const char *path = request->paths[i];

		fds[i] = i;
		if (*path == '\0')
			continue;
		if (i == 2 && strcmp(path, request->paths[1]) == 0)
			fds[i] = fds[1];
		else if (i == 0)
			fds[i] = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		else
			fds[i] = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY,
				      0666);
		if (fds[i] < 0)
			return i;
	}
	return -1;
}

bool pe_request_output_full(const struct pe_request *request, const int fds[3])
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
