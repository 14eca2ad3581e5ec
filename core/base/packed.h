/*
 * Packed: numbers and strings as one frame of zstd, with a checksum. For archives, lists of functions, and the methods of
 * files.
 *
 *	header   4 bytes: the kind of stream; 2: its version; 2: the inverted bits of the version; 8: its count, such
 *	         as the nodes of a tree
 *	frame    of zstd, with its length and a checksum: the count again, and the content
 *
 * Numbers are little-endian. In the frame a number takes 7 bits a byte, lowest first.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Begun by pe_packed_begin(), released by pe_packed_end(). */
struct pe_packed_writer {
	struct pe_text *out;
	struct pe_text raw;
};

/** Begin a stream. @param magic  four characters @param out  borrowed; appended to */
void pe_packed_begin(struct pe_packed_writer *writer, const char *magic, unsigned version,
		     uint64_t count, struct pe_text *out);

/** Put a number, in 1 to 10 bytes. */
void pe_packed_put(struct pe_packed_writer *writer, uint64_t number);

/** Put bytes as they are. */
void pe_packed_put_bytes(struct pe_packed_writer *writer, const void *bytes, size_t n);

/** Put a string with its length. */
void pe_packed_put_string(struct pe_packed_writer *writer, const char *string);

/** Compress the content, append it to `out`, and free the writer's buffers. */
void pe_packed_end(struct pe_packed_writer *writer);

/** A reader. After the first error, which is in rc, every number is 0. */
struct pe_packed_reader {
	const char *what; /**< for messages: "a tree" */
	uint64_t count;
	uint64_t size; /**< of the frame's content */
	const uint8_t *frame;
	size_t n_frame;
	uint8_t *raw;
	const uint8_t *at, *end; /**< in raw */
	struct pe_err *err;
	int rc;
};

/**
 * Read the header and the length of the frame's content. Call pe_packed_close() also after an error.
 *
 * @return  PE_EINVALID; PE_EUNSUPPORTED: another version
 */
int pe_packed_look(struct pe_packed_reader *reader, const char *magic, unsigned version,
		   const char *what, const void *bytes, size_t n, struct pe_err *err);

/** Unpack the frame, and read the count. PE_EINVALID: a checksum mismatch, or other damage. */
int pe_packed_open(struct pe_packed_reader *reader);

/** Check that the stream ends here. */
int pe_packed_finish(struct pe_packed_reader *reader);

/** Free the reader's buffers. */
void pe_packed_close(struct pe_packed_reader *reader);

/** A reader that is closed where its scope ends; pe_packed_look() has to be the first step. */
#define pe_auto_packed_reader __attribute__((cleanup(pe_packed_close))) struct pe_packed_reader

/** Refuse the content of the stream: rc becomes PE_EINVALID, unless it is set. */
int pe_packed_refuse(struct pe_packed_reader *reader, const char *why);

/** Read bytes as they are; zeros after an error. */
void pe_packed_get_bytes(struct pe_packed_reader *reader, void *bytes, size_t n);

/** Read a string into the arena; "" after an error. */
const char *pe_packed_get_string(struct pe_packed_reader *reader, struct pe_arena *arena);

/** Read the next number; 0 after an error. */
uint64_t pe_packed_get(struct pe_packed_reader *reader);

/** Read a number below `end`; else the stream is refused, and the result is 0. */
uint64_t pe_packed_get_below(struct pe_packed_reader *reader, uint64_t end, const char *why);

/**
 * Append content as one frame of zstd, with its length and a checksum.
 *
 * @param prefix  what it has much in common with, for reading, too; NULL: nothing
 */
void pe_zstd_add(struct pe_text *out, const struct pe_text *content, const void *prefix,
		 size_t n_prefix);

/** Append the content of a frame. @return  false: it is damaged, or of more than `most` bytes */
bool pe_zstd_read(struct pe_text *out, size_t most, const void *frame, size_t n_frame,
		  const void *prefix, size_t n_prefix);

/** Encode signed differences as unsigned numbers, so that small ones are short. */
static inline uint64_t pe_zigzag(int64_t difference)
{
	return (uint64_t)difference << 1 ^ (difference < 0 ? UINT64_MAX : 0);
}

static inline int64_t pe_unzigzag(uint64_t number)
{
	return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}
