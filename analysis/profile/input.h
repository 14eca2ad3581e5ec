/*
 * Input: a file, standard input or memory, read in order through one buffer, gunzipped on the way where it is
 * compressed. It knows the offset that messages name.
 */
#ifndef PE_PROFILE_INPUT_H
#define PE_PROFILE_INPUT_H

#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pe_input;

/** @param path  "-" is standard input. PE_ENOTFOUND, PE_ESYS */
int pe_input_open(struct pe_input **out, const char *path, struct pe_err *err);

/** What a command left in a folder: a regular file beneath it, by way of no link. PE_EINVALID, PE_ENOTFOUND, PE_ESYS */
int pe_input_open_placed(struct pe_input **out, const char *folder, const char *name,
			 struct pe_err *err);

/** From memory, borrowed; name stands in messages. */
int pe_input_open_bytes(struct pe_input **out, const void *bytes, size_t n, const char *name,
			struct pe_err *err);

/** Close the file and free the input; memory that was given is the caller's. */
void pe_input_close(struct pe_input *input);

/**
 * Look at what comes next without taking it: at least `want` bytes unless the end comes first (want at most
 * 1 MiB). Borrowed until the next call.
 *
 * @return  PE_ESYS; PE_EINVALID: broken compression, with the offset
 */
int pe_input_peek(struct pe_input *input, size_t want, const char **bytes, size_t *n,
		  struct pe_err *err);

/** Take n bytes of those that were seen. */
void pe_input_take(struct pe_input *input, size_t n);

/**
 * The next line without its end ('\n' or "\r\n"), terminated and writable until the next call; *line is NULL
 * at the end. Lines may have any length.
 */
int pe_input_line(struct pe_input *input, char **line, size_t *n, struct pe_err *err);

/** Bytes taken so far, after decompression. */
uint64_t pe_input_offset(const struct pe_input *input);

/** The number of the line that was read last, from 1; 0 before the first. */
uint64_t pe_input_line_number(const struct pe_input *input);

/** The offset at which the last line began. */
uint64_t pe_input_line_offset(const struct pe_input *input);

/** The name for messages. */
const char *pe_input_name(const struct pe_input *input);

#endif
