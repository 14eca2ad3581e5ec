/*
 * One buffer between a source of bytes (a descriptor, memory) and its reader. Where the source begins with
 * gzip's magic number, inflate() stands between the two; members that follow each other are one stream, as
 * gzip has it. What was not taken yet moves to the front when the buffer fills, and the buffer only grows for
 * a line, or a look ahead, that is longer than it.
 */
#include "analysis/profile/input.h"

#include "core/base/arena.h"
#include "core/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_BYTES = 256 * 1024, RAW_BYTES = 64 * 1024, WINDOW_GZIP = 15 + 16 };

/* Profiles become 5 to 60 times as large; bombs, 1,000 times. */
enum { INFLATED_RATIO = 200, INFLATED_BASE = 64 << 20 };

struct gunzip {
	z_stream stream;
	unsigned char *raw;
	uint64_t raw_bytes; /* read from the source */
	uint64_t bytes;     /* what they became */
	bool on;
	bool source_ended;
	bool between; /* members */
};

/* Of a profile that a command left. */
#define MOST_PLACED_BYTES (UINT64_C(4) << 30)

struct pe_input {
	char *name;
	int fd; /* -1: memory */
	const char *memory;
	size_t n_memory;
	/* begin to end are there and not taken; one byte beyond capacity holds a terminator */
	char *buffer;
	size_t begin, end, capacity;
	bool ended;
	uint64_t taken, line_number, line_offset;
	struct gunzip gunzip;
};

static int read_source(struct pe_input *input, void *to, size_t room, size_t *n, struct pe_err *err)
{
	ssize_t got;

	if (input->fd < 0) {
		*n = input->n_memory < room ? input->n_memory : room;
		memcpy(to, input->memory, *n);
		input->memory += *n;
		input->n_memory -= *n;
		return PE_OK;
	}
	do
		got = read(input->fd, to, room);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return pe_fail_errno(err, "%s: cannot be read", input->name);
	*n = (size_t)got;
	return PE_OK;
}

static uint64_t raw_offset(const struct gunzip *gunzip)
{
	return gunzip->raw_bytes - gunzip->stream.avail_in;
}

static int refill_raw(struct pe_input *input, struct pe_err *err)
{
	struct gunzip *gunzip = &input->gunzip;
	size_t n;

	PE_TRY(read_source(input, gunzip->raw, RAW_BYTES, &n, err));
	gunzip->stream.next_in = gunzip->raw;
	gunzip->stream.avail_in = (uInt)n;
	gunzip->raw_bytes += n;
	gunzip->source_ended = n == 0;
	return PE_OK;
}

/* After a member: another one, or zeros that pad the file, or its end. */
static int next_member(struct pe_input *input, struct pe_err *err)
{
	struct gunzip *gunzip = &input->gunzip;
	z_stream *stream = &gunzip->stream;

	while (stream->avail_in > 0 && *stream->next_in == 0) {
		stream->next_in++;
		stream->avail_in--;
	}
	if (stream->avail_in == 0)
		return PE_OK;
	if (*stream->next_in != 0x1f)
		return pe_fail(err, PE_EINVALID,
			       "%s: offset %" PRIu64
			       ": bytes after the end of what gzip compressed; "
			       "expected the end of the file",
			       input->name, raw_offset(gunzip));
	inflateReset(stream);
	gunzip->between = false;
	return PE_OK;
}

static int inflate_some(struct pe_input *input, char *to, size_t room, size_t *n,
			struct pe_err *err)
{
	struct gunzip *gunzip = &input->gunzip;
	z_stream *stream = &gunzip->stream;
	int rc = PE_OK, status;

	*n = 0;
	while (*n == 0) {
		if (stream->avail_in == 0 && !gunzip->source_ended)
			rc = refill_raw(input, err);
		if (rc == PE_OK && gunzip->between)
			rc = next_member(input, err);
		if (rc != PE_OK || (gunzip->between && gunzip->source_ended))
			return rc;
		if (gunzip->between)
			continue;
		if (gunzip->source_ended && stream->avail_in == 0)
			return pe_fail(err, PE_EINVALID,
				       "%s: offset %" PRIu64
				       ": the compressed file ends early; expected more of it",
				       input->name, gunzip->raw_bytes);
		stream->next_out = (unsigned char *)to;
		stream->avail_out = (uInt)(room < BUFFER_BYTES ? room : BUFFER_BYTES);
		status = inflate(stream, Z_NO_FLUSH);
		*n = (size_t)((char *)stream->next_out - to);
		if (status == Z_MEM_ERROR)
			pe_out_of_memory(RAW_BYTES);
		gunzip->bytes += *n;
		if (gunzip->bytes > INFLATED_BASE &&
		    gunzip->bytes / INFLATED_RATIO > gunzip->raw_bytes)
			return pe_fail(
				err, PE_EINVALID,
				"%s: offset %" PRIu64
				": it becomes more than %d times as large; expected a profile",
				input->name, raw_offset(gunzip), INFLATED_RATIO);
		gunzip->between = status == Z_STREAM_END;
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return pe_fail(err, PE_EINVALID,
				       "%s: offset %" PRIu64
				       ": broken compression (%s); expected gzip",
				       input->name, raw_offset(gunzip),
				       stream->msg != NULL ? stream->msg : "no reason given");
	}
	return PE_OK;
}

/* More bytes behind those that are there, at least `room` of space for them; none means the end. */
static int fill(struct pe_input *input, size_t room, struct pe_err *err)
{
	size_t n = 0;
	int rc;

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
	if (input->gunzip.on)
		rc = inflate_some(input, input->buffer + input->end, input->capacity - input->end,
				  &n, err);
	else
		rc = read_source(input, input->buffer + input->end, input->capacity - input->end,
				 &n, err);
	input->end += n;
	input->ended = rc == PE_OK && n == 0;
	return rc;
}

/* Where the first bytes are gzip's, what was read is its raw input. */
static int start_gunzip(struct pe_input *input, struct pe_err *err)
{
	struct gunzip *gunzip = &input->gunzip;
	int rc = PE_OK;

	while (rc == PE_OK && !input->ended && input->end < 2)
		rc = fill(input, 1, err);
	if (rc != PE_OK || input->end < 2 || memcmp(input->buffer, "\x1f\x8b", 2) != 0)
		return rc;
	if (inflateInit2(&gunzip->stream, WINDOW_GZIP) != Z_OK)
		pe_out_of_memory(sizeof(gunzip->stream));
	gunzip->on = true;
	gunzip->raw =
		pe_realloc(NULL, input->capacity > RAW_BYTES ? input->capacity : RAW_BYTES, 1);
	memcpy(gunzip->raw, input->buffer, input->end);
	gunzip->stream.next_in = gunzip->raw;
	gunzip->stream.avail_in = (uInt)input->end;
	gunzip->raw_bytes = input->end;
	gunzip->source_ended = input->ended;
	input->begin = input->end = 0;
	input->ended = false;
	return PE_OK;
}

static struct pe_input *new_input(const char *name)
{
	struct pe_input *input = pe_realloc(NULL, 1, sizeof(*input));

	*input = (struct pe_input){.fd = -1, .capacity = BUFFER_BYTES};
	input->name = pe_realloc(NULL, strlen(name) + 1, 1);
	memcpy(input->name, name, strlen(name) + 1);
	input->buffer = pe_realloc(NULL, input->capacity + 1, 1);
	return input;
}

static int start(struct pe_input **out, struct pe_input *input, struct pe_err *err)
{
	int rc = start_gunzip(input, err);

	if (rc != PE_OK) {
		pe_input_close(input);
		return rc;
	}
	*out = input;
	return PE_OK;
}

int pe_input_open(struct pe_input **out, const char *path, struct pe_err *err)
{
	bool standard = strcmp(path, "-") == 0;
	struct pe_input *input;
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
	input = new_input(standard ? "standard input" : path);
	input->fd = fd;
	return start(out, input, err);
}

int pe_input_open_placed(struct pe_input **out, const char *folder, const char *name,
			 struct pe_err *err)
{
	int fd = pe_files_open_placed_in(folder, name, MOST_PLACED_BYTES);
	pe_auto_text path = PE_TEXT_INIT;
	struct pe_input *input;

	*out = NULL;
	pe_text_addf(&path, "%s%s", folder, name);
	if (fd < 0 && errno == ENOENT)
		return pe_fail(err, PE_ENOTFOUND, "%s: there is no such file", path.data);
	if (fd < 0 && errno == EFBIG)
		return pe_fail(err, PE_EINVALID, "%s: is larger than 4 GiB", path.data);
	if (fd < 0)
		return pe_fail(err, PE_EINVALID, "%s: is no regular file; a link is not followed",
			       path.data);
	input = new_input(path.data);
	input->fd = fd;
	return start(out, input, err);
}

int pe_input_open_bytes(struct pe_input **out, const void *bytes, size_t n, const char *name,
			struct pe_err *err)
{
	struct pe_input *input = new_input(name);

	*out = NULL;
	input->memory = n != 0 ? bytes : "";
	input->n_memory = n;
	return start(out, input, err);
}

void pe_input_close(struct pe_input *input)
{
	if (input == NULL)
		return;
	if (input->fd >= 0)
		close(input->fd);
	if (input->gunzip.on)
		inflateEnd(&input->gunzip.stream);
	free(input->gunzip.raw);
	free(input->buffer);
	free(input->name);
	free(input);
}

int pe_input_peek(struct pe_input *input, size_t want, const char **bytes, size_t *n,
		  struct pe_err *err)
{
	int rc = PE_OK;

	while (rc == PE_OK && !input->ended && input->end - input->begin < want)
		rc = fill(input, want - (input->end - input->begin), err);
	*bytes = input->buffer + input->begin;
	*n = input->end - input->begin;
	return rc;
}

void pe_input_take(struct pe_input *input, size_t n)
{
	input->begin += n;
	input->taken += n;
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
		int rc;

		if (there > seen)
			end = memchr(begin + seen, '\n', there - seen);
		if (end != NULL || input->ended)
			break;
		seen = there;
		rc = fill(input, 1, err);
		if (rc != PE_OK)
			return rc;
	}
	if (end == NULL && input->begin == input->end)
		return PE_OK;
	*line = input->buffer + input->begin;
	length = end != NULL ? (size_t)(end - *line) : input->end - input->begin;
	input->line_offset = input->taken;
	input->line_number++;
	pe_input_take(input, length + (end != NULL));
	if (length > 0 && (*line)[length - 1] == '\r')
		length--;
	(*line)[length] = '\0';
	*n = length;
	return PE_OK;
}

uint64_t pe_input_offset(const struct pe_input *input)
{
	return input->taken;
}

uint64_t pe_input_line_number(const struct pe_input *input)
{
	return input->line_number;
}

uint64_t pe_input_line_offset(const struct pe_input *input)
{
	return input->line_offset;
}

const char *pe_input_name(const struct pe_input *input)
{
	return input->name;
}
