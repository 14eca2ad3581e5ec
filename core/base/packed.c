#include "core/base/packed.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

/*
 * Level 1 packs columns of small numbers as well as level 3 does, and within 4 % of level 9, which takes three
 * times as long for a whole profile (bench/profiles.c): there are few long matches to be searched for.
 */
enum { HEADER_BYTES = 16, LEVEL = 1 };

/* Most bytes of a frame's content: a damaged frame may state any length. */
#define MOST_BYTES (UINT64_C(1) << 32)

static uint64_t load(const uint8_t *at, unsigned n)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < n; i++)
		word |= (uint64_t)at[i] << 8 * i;
	return word;
}

static void add_fixed(struct pe_text *out, uint64_t word, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		pe_text_addc(out, (char)(word >> 8 * i));
}

/* --- Writing --- */

void pe_packed_begin(struct pe_packed_writer *writer, const char *magic, unsigned version,
		     uint64_t count, struct pe_text *out)
{
	*writer = (struct pe_packed_writer){.out = out, .raw = PE_TEXT_INIT};
	pe_text_add(out, magic);
	add_fixed(out, version, 2);
	add_fixed(out, ~version, 2);
	add_fixed(out, count, 8);
	pe_packed_put(writer, count);
}

void pe_packed_put(struct pe_packed_writer *writer, uint64_t number)
{
	char bytes[10];
	size_t n = 0;

	for (; number >= 0x80; number >>= 7)
		bytes[n++] = (char)(number | 0x80);
	bytes[n++] = (char)number;
	pe_text_addn(&writer->raw, bytes, n);
}

void pe_packed_put_bytes(struct pe_packed_writer *writer, const void *bytes, size_t n)
{
	pe_text_addn(&writer->raw, bytes, n);
}

void pe_packed_put_string(struct pe_packed_writer *writer, const char *string)
{
	size_t n = strlen(string);

	pe_packed_put(writer, n);
	pe_packed_put_bytes(writer, string, n);
}

void pe_packed_end(struct pe_packed_writer *writer)
{
	pe_zstd_add(writer->out, &writer->raw, NULL, 0);
	pe_text_release(&writer->raw);
}

/* --- Frames --- */

void pe_zstd_add(struct pe_text *out, const struct pe_text *content, const void *prefix,
		 size_t n_prefix)
{
	const size_t room = ZSTD_compressBound(content->len);
	pe_auto_free char *frame = pe_realloc(NULL, room, 1);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t n;

	if (zstd == NULL)
		pe_out_of_memory(room);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_refPrefix(zstd, prefix, n_prefix);
	n = ZSTD_compress2(zstd, frame, room, content->data, content->len);
	ZSTD_freeCCtx(zstd);
	/* The buffer fits any result, so the only possible error is a lack of memory for tables. */
	if (ZSTD_isError(n))
		pe_out_of_memory(room);
	pe_text_addn(out, frame, n);
}

bool pe_zstd_read(struct pe_text *out, size_t most, const void *frame, size_t n_frame,
		  const void *prefix, size_t n_prefix)
{
	const unsigned long long size = ZSTD_getFrameContentSize(frame, n_frame);
	pe_auto_free char *content = NULL;
	ZSTD_DCtx *zstd;
	size_t n;

	/* zstd's results for an unknown length or an error are above any limit, too. */
	if (size > most)
		return false;
	content = pe_realloc(NULL, (size_t)size + 1, 1);
	zstd = ZSTD_createDCtx();
	if (zstd == NULL)
		pe_out_of_memory((size_t)size);
	ZSTD_DCtx_refPrefix(zstd, prefix, n_prefix);
	n = ZSTD_decompressDCtx(zstd, content, (size_t)size, frame, n_frame);
	ZSTD_freeDCtx(zstd);
	if (ZSTD_isError(n) || n != size)
		return false;
	pe_text_addn(out, content, n);
	return true;
}

/* --- Reading --- */

int pe_packed_refuse(struct pe_packed_reader *reader, const char *why)
{
	reader->at = reader->end;
	if (reader->rc == PE_OK)
		reader->rc = pe_fail(reader->err, PE_EINVALID, "%s as archived is damaged: %s",
				     reader->what, why);
	return reader->rc;
}

static int check_version(struct pe_packed_reader *reader, const uint8_t *header, unsigned version)
{
	const unsigned found = (unsigned)load(header + 4, 2);

	if ((found ^ load(header + 6, 2)) != 0xffff || found == 0)
		return pe_packed_refuse(reader, "no version of it");
	if (found > version)
		reader->rc = pe_fail(
			reader->err, PE_EUNSUPPORTED,
			"%s was archived by a newer perfevo (version %u, this one knows %u): upgrade perfevo",
			reader->what, found, version);
	else if (found < version)
		reader->rc = pe_fail(
			reader->err, PE_EUNSUPPORTED,
			"%s was archived by a perfevo before its first release: measure again",
			reader->what);
	return reader->rc;
}

int pe_packed_look(struct pe_packed_reader *reader, const char *magic, unsigned version,
		   const char *what, const void *bytes, size_t n, struct pe_err *err)
{
	const uint8_t *header = bytes;

	*reader = (struct pe_packed_reader){.what = what, .err = err};
	if (n < 8 || memcmp(header, magic, 4) != 0)
		return pe_packed_refuse(reader, "it does not begin as one");
	PE_TRY(check_version(reader, header, version));
	if (n < HEADER_BYTES)
		return pe_packed_refuse(reader, "it ends within its header");
	reader->count = load(header + 8, 8);
	reader->frame = header + HEADER_BYTES;
	reader->n_frame = n - HEADER_BYTES;
	reader->size = ZSTD_getFrameContentSize(reader->frame, reader->n_frame);
	/* zstd's results for an unknown length or an error are above the limit, too. */
	if (reader->size > MOST_BYTES || reader->count >= reader->size)
		return pe_packed_refuse(reader, "it has no such length");
	return PE_OK;
}

int pe_packed_open(struct pe_packed_reader *reader)
{
	const size_t size = (size_t)reader->size;
	size_t n;

	if (reader->rc != PE_OK)
		return reader->rc;
	reader->raw = pe_realloc(NULL, size, 1);
	n = ZSTD_decompress(reader->raw, size, reader->frame, reader->n_frame);
	if (ZSTD_getErrorCode(n) == ZSTD_error_checksum_wrong)
		return pe_packed_refuse(reader, "checksum mismatch");
	if (ZSTD_isError(n) || n != size)
		return pe_packed_refuse(reader, "it cannot be unpacked");
	reader->at = reader->raw;
	reader->end = reader->raw + size;
	if (pe_packed_get(reader) != reader->count)
		return pe_packed_refuse(reader, "its count is another");
	return reader->rc;
}

uint64_t pe_packed_get(struct pe_packed_reader *reader)
{
	uint64_t number = 0;

	for (unsigned shift = 0; reader->at < reader->end && shift < 64; shift += 7) {
		const uint8_t byte = *reader->at++;

		if (shift == 63 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	pe_packed_refuse(reader, "a number does not end");
	return 0;
}

uint64_t pe_packed_get_below(struct pe_packed_reader *reader, uint64_t end, const char *why)
{
	const uint64_t number = pe_packed_get(reader);

	if (number < end)
		return number;
	pe_packed_refuse(reader, why);
	return 0;
}

void pe_packed_get_bytes(struct pe_packed_reader *reader, void *bytes, size_t n)
{
	if (n > (size_t)(reader->end - reader->at)) {
		pe_packed_refuse(reader, "it ends too early");
		memset(bytes, 0, n);
	} else if (n > 0) {
		memcpy(bytes, reader->at, n);
		reader->at += n;
	}
}

const char *pe_packed_get_string(struct pe_packed_reader *reader, struct pe_arena *arena)
{
	const size_t left = (size_t)(reader->end - reader->at);
	const size_t n = (size_t)pe_packed_get_below(reader, left + 1, "a text that is too long");
	char *string = pe_arena_alloc(arena, n + 1, 1);

	pe_packed_get_bytes(reader, string, n);
	if (memchr(string, '\0', n) != NULL)
		pe_packed_refuse(reader, "a text with a zero in it");
	return reader->rc == PE_OK ? string : "";
}

int pe_packed_finish(struct pe_packed_reader *reader)
{
	if (reader->rc == PE_OK && reader->at < reader->end)
		pe_packed_refuse(reader, "something follows its end");
	return reader->rc;
}

void pe_packed_close(struct pe_packed_reader *reader)
{
	free(reader->raw);
	reader->raw = NULL;
}
