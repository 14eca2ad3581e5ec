#include "analysis/profile/import_json.h"

#include <string.h>

static int supply(const char **bytes, size_t *n, void *payload, struct pe_err *err)
{
	struct pe_json_source *source = payload;

	pe_input_take(source->input, source->given);
	source->given = 0;
	PE_TRY(pe_input_peek(source->input, 1, bytes, n, err));
	source->given = *n;
	return PE_OK;
}

struct pe_json_stream *pe_import_json(struct pe_json_source *source, unsigned flags)
{
	return pe_json_stream_new(pe_input_name(source->input), flags, supply, source);
}

bool pe_import_begins(const char *head, size_t n, char first)
{
	size_t at = 0;

	while (at < n && (head[at] == ' ' || (head[at] >= '\t' && head[at] <= '\r')))
		at++;
	return at < n && head[at] == first;
}

bool pe_import_holds(const char *head, size_t n, const char *text)
{
	size_t length = strlen(text);
	const char *end = head + n, *at = head;

	while ((size_t)(end - at) >= length &&
	       (at = memchr(at, text[0], (size_t)(end - at) - length + 1)) != NULL) {
		if (memcmp(at, text, length) == 0)
			return true;
		at++;
	}
	return false;
}

static void put_varint(struct pe_zip *zip, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		pe_vec_push(&zip->bytes, (unsigned char)(value | 0x80));
	pe_vec_push(&zip->bytes, (unsigned char)value);
}

static uint64_t get_varint(struct pe_zip *zip)
{
	uint64_t value = 0;
	unsigned shift = 0;
	unsigned char byte;

	do {
		byte = zip->bytes.data[zip->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte >= 0x80);
	return value;
}

/* A run is the difference to the number before, zigzag, and how often it repeats. */
static void end_run(struct pe_zip *zip)
{
	if (zip->put_repeated > 0)
		put_varint(zip, (uint64_t)zip->put_repeated - 1);
	zip->put_repeated = 0;
}

static void put(struct pe_zip *zip, int64_t value)
{
	uint64_t difference = (uint64_t)value - (uint64_t)zip->put_last;

	zip->waiting++;
	if (zip->put_repeated > 0 && difference == 0) {
		zip->put_repeated++;
		return;
	}
	end_run(zip);
	put_varint(zip, difference << 1 ^ (0 - (difference >> 63)));
	zip->put_last = value;
	zip->put_repeated = 1;
}

static int64_t get(struct pe_zip *zip)
{
	if (zip->got_left == 0) {
		uint64_t zigzag = get_varint(zip);
		uint64_t difference = zigzag >> 1 ^ (0 - (zigzag & 1));

		end_run(zip);
		zip->got_last = (int64_t)((uint64_t)zip->got_last + difference);
		zip->got_left = (int64_t)get_varint(zip) + 1;
	}
	zip->got_left--;
	if (--zip->waiting == 0) {
		zip->bytes.n = zip->at = 0;
		zip->put_last = zip->got_last;
	}
	return zip->got_last;
}

bool pe_zip_pair(struct pe_zip *zip, int side, int64_t value, int64_t *other)
{
	if (zip->waiting > 0 && zip->side != side) {
		*other = get(zip);
		return true;
	}
	zip->side = side;
	put(zip, value);
	return false;
}

bool pe_zip_take(struct pe_zip *zip, int64_t *value)
{
	if (zip->waiting == 0)
		return false;
	*value = get(zip);
	return true;
}

void pe_zip_release(struct pe_zip *zip)
{
	pe_vec_release(&zip->bytes);
}
