/*
 * One buffer between a file and its reader. zlib reads the file, and unpacks it if it is gzip. Bytes that were not
 * taken yet move to the front when the buffer fills, and the buffer only grows for a line, or a look ahead, that is
 * longer than it.
 */
#define _GNU_SOURCE /* memfd_create(2) */
#include "analysis/profile/input.h"

#include "core/base/arena.h"
#include "core/base/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_BYTES = 256 * 1024 };

/* Profiles expand 5 to 60 times; bombs, 1,000 times. A pipe's length is unknown: it may expand to 4 GiB. */
enum { INFLATED_RATIO = 200, INFLATED_BASE = 64 << 20, PIPE_BYTES = 20 << 20 };

/* Largest profile of a command. */
#define MOST_PLACED_BYTES (UINT64_C(4) << 30)

struct pe_input {
	struct pe_input_place at;
	gzFile file;
	/* bytes not taken yet: begin to end; one byte beyond capacity is for a terminator */
	char *buffer;
	size_t begin, end, capacity;
	bool started, ended; /* it was read from, and to its end */
};

/* Bytes of the file read so far; of a pipe, a constant. */
static uint64_t file_offset(const struct pe_input *input)
{
	const z_off_t offset = gzoffset(input->file);

	return offset >= 0 ? (uint64_t)offset : PIPE_BYTES;
}

static int refuse(const struct pe_input *input, const char *why, struct pe_err *err)
{
	return pe_fail(err, PE_EINVALID, "%s: offset %" PRIu64 ": %s", input->at.name,
		       file_offset(input), why);
}

/* Check the last read, which returned n bytes, for errors. */
static int check_read(const struct pe_input *input, int n, struct pe_err *err)
{
	const uint64_t bytes = input->at.offset + input->end - input->begin;
	const int cause = errno;
	int status;

	gzerror(input->file, &status);
	if (n < 0 && status == Z_MEM_ERROR)
		pe_out_of_memory(BUFFER_BYTES);
	if (n < 0 && status == Z_ERRNO) {
		errno = cause;
		return pe_fail_errno(err, "%s: cannot be read", input->at.name);
	}
	if (n < 0)
		return refuse(input, "broken compression; expected gzip", err);
	if (n == 0 && status == Z_BUF_ERROR)
		return refuse(input, "the compressed file ends early; expected more of it", err);
	if (!gzdirect(input->file) && bytes > INFLATED_BASE &&
	    bytes / INFLATED_RATIO > file_offset(input))
		return refuse(input, "it becomes more than 200 times as large; expected a profile",
			      err);
	return PE_OK;
}

/* Read more bytes into the buffer, with at least `room` of space for them; none means the end. */
static int fill(struct pe_input *input, size_t room, struct pe_err *err)
{
	size_t space;
	int n;

	if (input->begin > 0 && input->capacity - input->end < room) {
		memmove(input->buffer, input->buffer + input->begin, input->end - input->begin);
		input->end -= input->begin;
		input->begin = 0;
	}
	if (input->capacity - input->end < room) {
		while (input->capacity - input->end < room)
			input->capacity *= 2;
		input->buffer = pe_realloc(input->buffer, input->capacity + 1, 1);
	}
	space = input->capacity - input->end;
	n = gzread(input->file, input->buffer + input->end,
		   (unsigned)(space < BUFFER_BYTES ? space : BUFFER_BYTES));
	input->end += n > 0 ? (size_t)n : 0;
	input->ended = n == 0;
	/* PowerShell and editors put the mark of UTF-8 before a text. */
	if (!input->started && n >= 3 && memcmp(input->buffer, "\xef\xbb\xbf", 3) == 0)
		pe_input_take(input, 3);
	input->started = true;
	return check_read(input, n, err);
}

/* Open an input, which takes ownership of the descriptor. */
static struct pe_input *new_input(const char *name, int fd)
{
	struct pe_input *input = pe_realloc(NULL, 1, sizeof(*input));

	*input = (struct pe_input){.file = gzdopen(fd, "rb"), .capacity = BUFFER_BYTES};
	if (input->file == NULL || gzbuffer(input->file, BUFFER_BYTES / 2) != 0)
		pe_out_of_memory(BUFFER_BYTES);
	input->at.name = pe_realloc(NULL, strlen(name) + 1, 1);
	memcpy(input->at.name, name, strlen(name) + 1);
	input->buffer = pe_realloc(NULL, input->capacity + 1, 1);
	return input;
}

int pe_input_open(struct pe_input **out, const char *path, struct pe_err *err)
{
	bool standard = strcmp(path, "-") == 0;
	struct stat status;
	int fd = standard ? dup(STDIN_FILENO) : pe_files_open(path);

	*out = NULL;
	if (fd < 0 && errno == ENOENT)
		return pe_fail(err, PE_ENOTFOUND, "%s: there is no such file", path);
	if (fd < 0)
		return pe_fail_errno(err, "%s: cannot be opened", path);
	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		close(fd);
		return pe_fail(err, PE_EINVALID, "%s: is a folder; expected the file of a profile",
			       path);
	}
	*out = new_input(standard ? "standard input" : path, fd);
	return PE_OK;
}

int pe_input_open_placed(struct pe_input **out, const char *folder, const char *name,
			 struct pe_err *err)
{
	int fd = pe_files_open_placed_in(folder, name, MOST_PLACED_BYTES);
	pe_auto_text path = PE_TEXT_INIT;

	*out = NULL;
	pe_text_addf(&path, "%s%s", folder, name);
	if (fd < 0 && errno == ENOENT)
		return pe_fail(err, PE_ENOTFOUND, "%s: there is no such file", path.data);
	if (fd < 0 && errno == EFBIG)
		return pe_fail(err, PE_EINVALID, "%s: is larger than 4 GiB", path.data);
	if (fd < 0)
		return pe_fail(err, PE_EINVALID, "%s: is no regular file; a link is not followed",
			       path.data);
	*out = new_input(path.data, fd);
	return PE_OK;
}

int pe_input_open_bytes(struct pe_input **out, const void *bytes, size_t n, const char *name,
			struct pe_err *err)
{
	int fd = memfd_create("perfevo", MFD_CLOEXEC);

	*out = NULL;
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET) != 0) {
		if (fd >= 0)
			close(fd);
		return pe_fail_errno(err, "%s: cannot be kept in memory", name);
	}
	*out = new_input(name, fd);
	return PE_OK;
}

void pe_input_close(struct pe_input *input)
{
	if (input == NULL)
		return;
	gzclose(input->file);
	free(input->buffer);
	free(input->at.name);
	free(input);
}

int pe_input_peek(struct pe_input *input, size_t want, const char **bytes, size_t *n,
		  struct pe_err *err)
{
	while (!input->ended && input->end - input->begin < want)
		PE_TRY(fill(input, want - (input->end - input->begin), err));
	*bytes = input->buffer + input->begin;
	*n = input->end - input->begin;
	return PE_OK;
}

int pe_input_all(struct pe_input *input, const char **bytes, size_t *n, struct pe_err *err)
{
	while (!input->ended)
		PE_TRY(fill(input, BUFFER_BYTES, err));
	return pe_input_peek(input, 0, bytes, n, err);
}

void pe_input_take(struct pe_input *input, size_t n)
{
	input->begin += n;
	input->at.offset += n;
}

int pe_input_line(struct pe_input *input, char **line, size_t *n, struct pe_err *err)
{
	size_t seen = 0, length;
	char *end = NULL;

	*line = NULL;
	*n = 0;
	for (;;) {
		char *begin = input->buffer + input->begin;
		size_t there = input->end - input->begin;

		if (there > seen)
			end = memchr(begin + seen, '\n', there - seen);
		if (end != NULL || input->ended)
			break;
		seen = there;
		PE_TRY(fill(input, 1, err));
	}
	if (end == NULL && input->begin == input->end)
		return PE_OK;
	*line = input->buffer + input->begin;
	length = end != NULL ? (size_t)(end - *line) : input->end - input->begin;
	input->at.line_offset = input->at.offset;
	input->at.line_number++;
	pe_input_take(input, length + (end != NULL));
	if (length > 0 && (*line)[length - 1] == '\r')
		length--;
	(*line)[length] = '\0';
	*n = length;
	return PE_OK;
}

const struct pe_input_place *pe_input_at(const struct pe_input *input)
{
	return &input->at;
}
