/*
 * Packed: numbers and strings as one frame of zstd, which seals them by its checksum. For archives, their tests and their
 * fuzz target, and the store's lists of functions.
 *
 *	header   4 bytes: which stream it is; 2: its version; 2: all bits of the version turned over; 8: its count, such
 *	         as the nodes of a tree
 *	frame    of zstd, with its length and a checksum: the count again, and what was put
 *
 * Numbers are little-endian. In the frame a number takes 7 bits a byte, lowest first.
 */
#ifndef PE_PROFILE_PACKED_H
#define PE_PROFILE_PACKED_H

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

/** A number, in 1 to 10 bytes. */
void pe_packed_put(struct pe_packed_writer *writer, uint64_t number);

/** Bytes as they are. */
void pe_packed_put_bytes(struct pe_packed_writer *writer, const void *bytes, size_t n);

/** A string with its length. */
void pe_packed_put_string(struct pe_packed_writer *writer, const char *string);

/** Compress what was put, append it to `out`, and free what the writer holds. */
void pe_packed_end(struct pe_packed_writer *writer);

/** Reads until something is wrong; from then on every number is 0, and rc says so. */
struct pe_packed_reader {
	const char *what; /**< for the sentence: "a tree" */
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
 * Read the header and the length of what the frame holds. End it with pe_packed_close() whatever is returned.
 *
 * @return  PE_EINVALID; PE_EUNSUPPORTED: another version
 */
int pe_packed_look(struct pe_packed_reader *reader, const char *magic, unsigned version,
		   const char *what, const void *bytes, size_t n, struct pe_err *err);

/** Unpack the frame: the count comes next and is taken. PE_EINVALID: a checksum mismatch, or another kind of damage. */
int pe_packed_open(struct pe_packed_reader *reader);

/** The stream must end here. */
int pe_packed_finish(struct pe_packed_reader *reader);

/** Free what the reader holds. */
void pe_packed_close(struct pe_packed_reader *reader);

/** The stream holds what cannot be: rc becomes PE_EINVALID, unless it is set. */
int pe_packed_refuse(struct pe_packed_reader *reader, const char *why);

/** Bytes as they are; zeros when something is wrong. */
void pe_packed_get_bytes(struct pe_packed_reader *reader, void *bytes, size_t n);

/** A string, in the arena; "" when something is wrong. */
const char *pe_packed_get_string(struct pe_packed_reader *reader, struct pe_arena *arena);

/** The next number; 0 when something is wrong. */
uint64_t pe_packed_get(struct pe_packed_reader *reader);

/** A number below `end`; else the stream is refused, and it is 0. */
uint64_t pe_packed_get_below(struct pe_packed_reader *reader, uint64_t end, const char *why);

/** Signed differences as numbers, so that small ones are short. */
static inline uint64_t pe_zigzag(int64_t difference)
{
	return (uint64_t)difference << 1 ^ (difference < 0 ? UINT64_MAX : 0);
}

static inline int64_t pe_unzigzag(uint64_t number)
{
	return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

#endif
