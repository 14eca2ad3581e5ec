/*
 * Blocks: the bytes under an archive. A stream of numbers and strings is cut into blocks, each compressed by
 * itself and sealed by a checksum, so that reading and writing take one block of memory whatever the length.
 * For the archive, its tests and its fuzz target, and the store's lists of functions.
 *
 *	header   4 bytes: which stream it is; 2: its version; 2: all bits of the version turned over
 *	block    4 bytes: length; 4: length when packed, the same when it is not; 8: checksum; the packed bytes
 *
 * Numbers are little-endian. In the stream a number takes 7 bits a byte, lowest first, and stays in one block.
 */
#ifndef PE_PROFILE_ARCHIVE_BLOCKS_H
#define PE_PROFILE_ARCHIVE_BLOCKS_H

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PE_BLOCK_BYTES = 256 * 1024, /**< longest block */
	PE_NUMBER_BYTES = 10,        /**< longest number */
};

struct pe_block_writer {
	struct pe_text *out;
	uint8_t *raw, *packed;
	size_t used; /**< of raw */
	uint32_t index;
	void *zstd;
};

/** Begin a stream. @param magic  four characters @param out  borrowed; appended to */
void pe_blocks_write(struct pe_block_writer *writer, const char *magic, unsigned version,
		     struct pe_text *out);

/** End the block: what follows is of another kind, and packs better apart. */
void pe_blocks_cut(struct pe_block_writer *writer);

/** Bytes as they are. */
void pe_blocks_put_bytes(struct pe_block_writer *writer, const void *bytes, size_t n);

/** A string with its length. */
void pe_blocks_put_string(struct pe_block_writer *writer, const char *string);

/** End the stream and free what the writer holds. */
void pe_blocks_written(struct pe_block_writer *writer);

static inline void pe_blocks_put(struct pe_block_writer *writer, uint64_t number)
{
	uint8_t *at;

	if (PE_BLOCK_BYTES - writer->used < PE_NUMBER_BYTES)
		pe_blocks_cut(writer);
	at = writer->raw + writer->used;
	while (number >= 0x80) {
		*at++ = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	*at++ = (uint8_t)number;
	writer->used = (size_t)(at - writer->raw);
}

/** Reads until something is wrong; from then on every number is 0, and rc says so. */
struct pe_block_reader {
	const char *what; /**< for the sentence: "a tree" */
	unsigned version; /**< of what is read */
	const uint8_t *bytes;
	size_t n;
	size_t offset; /**< of the block after the current one */
	size_t block;  /**< offset of the current one */
	uint8_t *raw;
	size_t at, end; /**< in raw */
	uint64_t left;  /**< bytes of the stream after the current block, as the blocks say */
	uint32_t index;
	void *zstd;
	struct pe_err *err;
	int rc;
};

/**
 * Begin to read. Lengths of all blocks are looked at, so that `left` bounds what the stream can hold. End it
 * with pe_blocks_close() whatever is returned.
 *
 * @return  PE_EINVALID with the offset; PE_EUNSUPPORTED: a later version
 */
int pe_blocks_read(struct pe_block_reader *reader, const char *magic, unsigned version,
		   const char *what, const void *bytes, size_t n, struct pe_err *err);

/** The stream must end here. */
int pe_blocks_end(struct pe_block_reader *reader);

void pe_blocks_close(struct pe_block_reader *reader);

/** The stream holds what cannot be: rc becomes PE_EINVALID, with the offset of the block, unless it is set. */
int pe_blocks_refuse(struct pe_block_reader *reader, const char *why);

/** Bytes as they are; zeros when something is wrong. */
void pe_blocks_get_bytes(struct pe_block_reader *reader, void *bytes, size_t n);

/** A string, in the arena; "" when something is wrong. */
const char *pe_blocks_get_string(struct pe_block_reader *reader, struct pe_arena *arena);

/** pe_blocks_get() near the end of a block, or for a number of several bytes. */
uint64_t pe_blocks_get_slowly(struct pe_block_reader *reader);

static inline uint64_t pe_blocks_get(struct pe_block_reader *reader)
{
	if (reader->at < reader->end && reader->raw[reader->at] < 0x80)
		return reader->raw[reader->at++];
	return pe_blocks_get_slowly(reader);
}

/** A number that is at most `most`; else the stream is refused, and it is 0. */
static inline uint64_t pe_blocks_get_below(struct pe_block_reader *reader, uint64_t end,
					   const char *why)
{
	uint64_t number = pe_blocks_get(reader);

	if (number < end)
		return number;
	pe_blocks_refuse(reader, why);
	return 0;
}

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
