/*
 * Input: a file, standard input or memory, read in order through one buffer, gunzipped on the way if it is
 * compressed. It tracks the offset for messages.
 */
#pragma once

#include "core/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct pe_input;

struct pe_input_place {
	char *name;      /**< for messages */
	uint64_t offset; /**< bytes taken so far, after decompression */
	/** the number of the last line, from 1, and the offset at which it began; 0 before the first */
	uint64_t line_number, line_offset;
};

/** Open a file. @param path  "-" is standard input. @return PE_ENOTFOUND, PE_ESYS */
int pe_input_open(struct pe_input **out, const char *path, struct pe_err *err);

/**
 * Open a command's output in a folder: a regular file in there; links are not followed. PE_EINVALID, PE_ENOTFOUND, PE_ESYS
 */
int pe_input_open_placed(struct pe_input **out, const char *folder, const char *name,
			 struct pe_err *err);

/** Open bytes in memory, which are copied; name is used in messages. */
int pe_input_open_bytes(struct pe_input **out, const void *bytes, size_t n, const char *name,
			struct pe_err *err);

/** Close the file and free the input; NULL is allowed. */
void pe_input_close(struct pe_input *input);

/**
 * Look at the next bytes without taking them: at least `want` bytes, or all up to the end (want at most
 * 1 MiB). Borrowed until the next call.
 *
 * @return  PE_ESYS; PE_EINVALID: broken compression, with the offset
 */
int pe_input_peek(struct pe_input *input, size_t want, const char **bytes, size_t *n,
		  struct pe_err *err);

/** Look at all bytes up to the end, which are kept in memory. As pe_input_peek(). */
int pe_input_all(struct pe_input *input, const char **bytes, size_t *n, struct pe_err *err);

/** Take n of the bytes from pe_input_peek() or pe_input_all(). */
void pe_input_take(struct pe_input *input, size_t n);

/**
 * Read the next line without its end ('\n' or "\r\n"), terminated and writable until the next call; *line is NULL
 * at the end. Lines may have any length.
 */
int pe_input_line(struct pe_input *input, char **line, size_t *n, struct pe_err *err);

/** Where an input stands. */
const struct pe_input_place *pe_input_at(const struct pe_input *input);
