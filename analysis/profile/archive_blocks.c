/* Blocks: packed by zstd, sealed by a checksum that no change inside one word can keep. */
#include "analysis/profile/archive_blocks.h"

#include "core/base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/*
 * Level 1 packs columns of small numbers as well as level 3 does, and within 4 % of level 9, which takes three
 * times as long for a whole profile (bench/profiles.c): there are few long matches to be searched for.
 */
enum { HEADER_BYTES = 8, BLOCK_HEADER_BYTES = 16, LEVEL = 1 };

static uint64_t load(const uint8_t *at, unsigned n)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < n; i++)
		word |= (uint64_t)at[i] << 8 * i;
	return word;
}

static void store(uint8_t *at, uint64_t word, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		at[i] = (uint8_t)(word >> 8 * i);
}

/* Each step is a bijection of the state for a given word, and of the word for a given state. */
static uint64_t stir(uint64_t state, uint64_t word)
{
	state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return state ^ state >> 32;
}

/* The place of a block counts too: blocks cannot change places. */
static uint64_t checksum(uint32_t index, uint64_t lengths, const uint8_t *bytes, size_t n)
{
	uint64_t state = stir(stir(0, index), lengths);

	for (; n >= 8; bytes += 8, n -= 8)
		state = stir(state, load(bytes, 8));
	return stir(state, load(bytes, (unsigned)n));
}

/* --- Writing --- */

void pe_blocks_write(struct pe_block_writer *writer, const char *magic, unsigned version,
		     struct pe_text *out)
{
	uint8_t header[HEADER_BYTES];

	*writer = (struct pe_block_writer){
		.out = out,
		.raw = pe_realloc(NULL, PE_BLOCK_BYTES, 1),
		.packed = pe_realloc(NULL, ZSTD_COMPRESSBOUND(PE_BLOCK_BYTES), 1),
		.zstd = ZSTD_createCCtx(),
	};
	if (writer->zstd == NULL)
		pe_out_of_memory(PE_BLOCK_BYTES);
	memcpy(header, magic, 4);
	store(header + 4, version, 2);
	store(header + 6, ~version, 2);
	pe_text_addn(out, (const char *)header, sizeof(header));
}

void pe_blocks_cut(struct pe_block_writer *writer)
{
	uint8_t header[BLOCK_HEADER_BYTES];
	const uint8_t *bytes = writer->packed;
	size_t n;

	if (writer->used == 0)
		return;
	n = ZSTD_compressCCtx(writer->zstd, writer->packed, ZSTD_COMPRESSBOUND(PE_BLOCK_BYTES),
			      writer->raw, writer->used, LEVEL);
	if (ZSTD_isError(
		    n)) /* there is room for any result: memory for its tables is all it can want */
		pe_out_of_memory(PE_BLOCK_BYTES);
	if (n >= writer->used) {
		bytes = writer->raw;
		n = writer->used;
	}
	store(header, writer->used, 4);
	store(header + 4, n, 4);
	store(header + 8, checksum(writer->index++, load(header, 8), bytes, n), 8);
	pe_text_addn(writer->out, (const char *)header, sizeof(header));
	pe_text_addn(writer->out, (const char *)bytes, n);
	writer->used = 0;
}

void pe_blocks_put_bytes(struct pe_block_writer *writer, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	while (n > 0) {
		size_t room = PE_BLOCK_BYTES - writer->used;
		size_t now = n < room ? n : room;

		memcpy(writer->raw + writer->used, at, now);
		writer->used += now;
		at += now;
		n -= now;
		if (writer->used == PE_BLOCK_BYTES)
			pe_blocks_cut(writer);
	}
}

void pe_blocks_put_string(struct pe_block_writer *writer, const char *string)
{
	size_t n = strlen(string);

	pe_blocks_put(writer, n);
	pe_blocks_put_bytes(writer, string, n);
}

void pe_blocks_written(struct pe_block_writer *writer)
{
	pe_blocks_cut(writer);
	free(writer->raw);
	free(writer->packed);
	ZSTD_freeCCtx(writer->zstd);
}

/* --- Reading --- */

int pe_blocks_refuse(struct pe_block_reader *reader, const char *why)
{
	reader->at = reader->end = 0;
	reader->left = 0;
	reader->offset = reader->n;
	if (reader->rc == PE_OK)
		reader->rc = pe_fail(reader->err, PE_EINVALID,
				     "%s as archived is damaged at byte %zu: %s", reader->what,
				     reader->block, why);
	return reader->rc;
}

static int read_header(struct pe_block_reader *reader, const char *magic, unsigned version)
{
	const uint8_t *header = reader->bytes;

	if (reader->n < HEADER_BYTES || memcmp(header, magic, 4) != 0)
		return pe_blocks_refuse(reader, "it does not begin as one");
	if ((load(header + 4, 2) ^ load(header + 6, 2)) != 0xffff || load(header + 4, 2) == 0)
		return pe_blocks_refuse(reader, "no version of it");
	reader->version = (unsigned)load(header + 4, 2);
	if (reader->version <= version)
		return PE_OK;
	reader->rc = pe_fail(reader->err, PE_EUNSUPPORTED,
			     "%s was archived by a newer perfevo (version %u, this one knows %u): "
			     "upgrade perfevo",
			     reader->what, reader->version, version);
	return reader->rc;
}

/* The blocks must fill the bytes to the last one, which makes a shortened archive known at once. */
static int look_at_lengths(struct pe_block_reader *reader)
{
	while (reader->block < reader->n) {
		const uint8_t *at = reader->bytes + reader->block;
		size_t rest = reader->n - reader->block;
		uint64_t raw, packed;

		if (rest < BLOCK_HEADER_BYTES)
			return pe_blocks_refuse(reader, "it ends within the header of a block");
		raw = load(at, 4);
		packed = load(at + 4, 4);
		if (raw == 0 || raw > PE_BLOCK_BYTES || packed == 0 || packed > raw)
			return pe_blocks_refuse(reader, "no block has such a length");
		if (packed > rest - BLOCK_HEADER_BYTES)
			return pe_blocks_refuse(reader, "it ends within a block");
		reader->left += raw;
		reader->block += BLOCK_HEADER_BYTES + (size_t)packed;
	}
	reader->block = 0;
	return PE_OK;
}

int pe_blocks_read(struct pe_block_reader *reader, const char *magic, unsigned version,
		   const char *what, const void *bytes, size_t n, struct pe_err *err)
{
	*reader = (struct pe_block_reader){.what = what, .bytes = bytes, .n = n, .err = err};
	if (read_header(reader, magic, version) != PE_OK)
		return reader->rc;
	reader->block = reader->offset = HEADER_BYTES;
	if (look_at_lengths(reader) != PE_OK)
		return reader->rc;
	reader->raw = pe_realloc(NULL, PE_BLOCK_BYTES, 1);
	reader->zstd = ZSTD_createDCtx();
	if (reader->zstd == NULL)
		pe_out_of_memory(PE_BLOCK_BYTES);
	return PE_OK;
}

static int next_block(struct pe_block_reader *reader)
{
	const uint8_t *at = reader->bytes + reader->offset;
	size_t raw, packed, n;

	if (reader->rc != PE_OK)
		return reader->rc;
	if (reader->offset == reader->n) {
		reader->block = reader->n;
		return pe_blocks_refuse(reader, "it ends too early");
	}
	raw = (size_t)load(at, 4);
	packed = (size_t)load(at + 4, 4);
	reader->block = reader->offset;
	reader->offset += BLOCK_HEADER_BYTES + packed;
	if (checksum(reader->index++, load(at, 8), at + BLOCK_HEADER_BYTES, packed) !=
	    load(at + 8, 8))
		return pe_blocks_refuse(reader, "its checksum is another");
	if (packed == raw) {
		memcpy(reader->raw, at + BLOCK_HEADER_BYTES, raw);
	} else {
		n = ZSTD_decompressDCtx(reader->zstd, reader->raw, PE_BLOCK_BYTES,
					at + BLOCK_HEADER_BYTES, packed);
		if (ZSTD_isError(n) || n != raw)
			return pe_blocks_refuse(reader, "it cannot be unpacked");
	}
	reader->left -= raw;
	reader->at = 0;
	reader->end = raw;
	return PE_OK;
}

uint64_t pe_blocks_get_slowly(struct pe_block_reader *reader)
{
	uint64_t number = 0;

	if (reader->at == reader->end && next_block(reader) != PE_OK)
		return 0;
	for (unsigned shift = 0; reader->at < reader->end && shift < 64; shift += 7) {
		uint8_t byte = reader->raw[reader->at++];

		if (shift == 63 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	pe_blocks_refuse(reader, "a number does not end");
	return 0;
}

void pe_blocks_get_bytes(struct pe_block_reader *reader, void *bytes, size_t n)
{
	uint8_t *to = bytes;

	while (n > 0) {
		size_t now = reader->end - reader->at;

		if (now == 0 && next_block(reader) != PE_OK) {
			memset(to, 0, n);
			return;
		}
		now = reader->end - reader->at;
		if (now > n)
			now = n;
		memcpy(to, reader->raw + reader->at, now);
		reader->at += now;
		to += now;
		n -= now;
	}
}

const char *pe_blocks_get_string(struct pe_block_reader *reader, struct pe_arena *arena)
{
	uint64_t n = pe_blocks_get(reader);
	char *string;

	/* Lengths are claims: a packed block may say that it holds a thousand times its bytes. */
	if (n > PE_BLOCK_BYTES || n > reader->left + (reader->end - reader->at)) {
		pe_blocks_refuse(reader, "a text that is too long");
		n = 0;
	}
	string = pe_arena_alloc(arena, (size_t)n + 1, 1);
	pe_blocks_get_bytes(reader, string, (size_t)n);
	if (memchr(string, '\0', (size_t)n) != NULL)
		pe_blocks_refuse(reader, "a text with a zero in it");
	return reader->rc == PE_OK ? string : "";
}

int pe_blocks_end(struct pe_block_reader *reader)
{
	if (reader->rc == PE_OK && (reader->at < reader->end || reader->offset < reader->n))
		pe_blocks_refuse(reader, "something follows its end");
	return reader->rc;
}

void pe_blocks_close(struct pe_block_reader *reader)
{
	free(reader->raw);
	ZSTD_freeDCtx(reader->zstd);
	reader->raw = NULL;
	reader->zstd = NULL;
}
