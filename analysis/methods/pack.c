/*
 * Packing: the methods of one file as bytes for the store's cache. A magic word with the layout's version, the
 * counts, the methods one after the other in variable-length numbers and counted strings, and a hash over all of
 * it at the end: foreign bytes are recognised before any of them is used.
 */
#include "analysis/methods/extract.h"

#include <string.h>

static const char magic[4] = {'P', 'E', 'M', '1'};

enum { HASH_BYTES = 16, PREFIX_BYTES = 8, MIN_METHOD_BYTES = 24 };

static void put_number(struct pe_text *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		pe_text_addc(out, (char)(0x80 | (number & 0x7F)));
	pe_text_addc(out, (char)number);
}

static void put_fixed(struct pe_text *out, uint64_t number, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		pe_text_addc(out, (char)(number >> (8 * i)));
}

static void put_string(struct pe_text *out, const char *string)
{
	size_t n = strlen(string);

	put_number(out, n);
	pe_text_addn(out, string, n);
}

static void put_method(struct pe_text *out, const struct pe_method *method)
{
	uint32_t before = 0;

	put_string(out, method->name);
	put_string(out, method->signature);
	put_number(out, method->first_line);
	put_number(out, method->last_line - method->first_line);
	put_fixed(out, method->body.high, 8);
	put_fixed(out, method->body.low, 8);
	put_number(out, method->tokens);
	put_number(out, method->uncertain);
	put_number(out, method->n_sketch);
	/* Ascending, so the steps between them are smaller. */
	for (uint32_t i = 0; i < method->n_sketch; i++) {
		put_number(out, method->sketch[i] - before);
		before = method->sketch[i];
	}
}

static struct pe_hash hash_of(const char *bytes, size_t n)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_number(&hash, pe_extract_version());
	pe_hash_bytes(&hash, bytes, n);
	return hash;
}

void pe_methods_pack(struct pe_text *out, const struct pe_methods *methods)
{
	size_t start = out->len;
	struct pe_hash hash;

	pe_text_addn(out, magic, sizeof(magic));
	put_fixed(out, pe_extract_version(), 4);
	put_number(out, methods->n);
	put_number(out, methods->unread);
	put_number(out, methods->files);
	for (size_t i = 0; i < methods->n; i++)
		put_method(out, &methods->at[i]);
	hash = hash_of(out->data + start, out->len - start);
	put_fixed(out, hash.high, 8);
	put_fixed(out, hash.low, 8);
}

/* Where reading stands. After the first bad byte everything reads as zero, and `bad` tells. */
struct input {
	const unsigned char *at, *end;
	struct pe_arena *arena;
	bool bad;
};

static size_t left(const struct input *in)
{
	return (size_t)(in->end - in->at);
}

static uint64_t get_fixed(struct input *in, unsigned bytes)
{
	uint64_t number = 0;

	if (left(in) < bytes) {
		in->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		number |= (uint64_t)in->at[i] << (8 * i);
	in->at += bytes;
	return number;
}

static uint64_t get_number(struct input *in, uint64_t max)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 63 && left(in) > 0; shift += 7) {
		unsigned char byte = *in->at++;

		number |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80) {
			in->bad |= number > max;
			return in->bad ? 0 : number;
		}
	}
	in->bad = true;
	return 0;
}

static const char *get_string(struct input *in)
{
	size_t n = (size_t)get_number(in, left(in));
	const char *string;

	if (in->bad || n > left(in) || memchr(in->at, '\0', n) != NULL) {
		in->bad = true;
		return "";
	}
	string = pe_arena_strndup(in->arena, (const char *)in->at, n);
	in->at += n;
	return string;
}

static void get_method(struct input *in, struct pe_method *out, const char *component)
{
	uint32_t before = 0;
	uint32_t *sketch;

	out->component = component;
	out->name = get_string(in);
	out->signature = get_string(in);
	out->first_line = (uint32_t)get_number(in, UINT32_MAX);
	out->last_line = out->first_line + (uint32_t)get_number(in, UINT32_MAX - out->first_line);
	out->body.high = get_fixed(in, 8);
	out->body.low = get_fixed(in, 8);
	out->tokens = (uint32_t)get_number(in, UINT32_MAX);
	out->uncertain = get_number(in, 1) != 0;
	out->n_sketch = (uint32_t)get_number(in, PE_SKETCH_MAX);
	sketch = pe_arena_new(in->arena, uint32_t, out->n_sketch);
	for (uint32_t i = 0; i < out->n_sketch; i++) {
		uint32_t step = (uint32_t)get_number(in, UINT32_MAX - before);

		in->bad |= i > 0 && step == 0;
		sketch[i] = before += step;
	}
	out->sketch = sketch;
}

/* Whether the frame around the methods is ours, whole, and of this version. */
static bool is_ours(const char *bytes, size_t n)
{
	struct input in = {.at = (const unsigned char *)bytes,
			   .end = (const unsigned char *)bytes + n};
	struct pe_hash hash;

	if (n < PREFIX_BYTES + HASH_BYTES || memcmp(bytes, magic, sizeof(magic)) != 0)
		return false;
	hash = hash_of(bytes, n - HASH_BYTES);
	in.at += n - HASH_BYTES;
	return get_fixed(&in, 8) == hash.high && get_fixed(&in, 8) == hash.low;
}

int pe_methods_unpack(struct pe_methods *out, const char *path, const char *bytes, size_t n,
		      struct pe_arena *arena, struct pe_err *err)
{
	struct input in = {.at = (const unsigned char *)bytes, .arena = arena};
	const char *component;

	*out = (struct pe_methods){.at = NULL};
	if (!is_ours(bytes, n))
		return pe_fail(err, PE_EINVALID,
			       "%s: the cached methods are damaged or of another version", path);
	component = pe_arena_strdup(arena, path);
	in.end = in.at + n - HASH_BYTES;
	in.at += PREFIX_BYTES;
	out->n = (size_t)get_number(&in, left(&in) / MIN_METHOD_BYTES);
	out->unread = (size_t)get_number(&in, SIZE_MAX);
	out->files = (size_t)get_number(&in, SIZE_MAX);
	out->at = pe_arena_new(arena, struct pe_method, out->n);
	for (size_t i = 0; i < out->n && !in.bad; i++)
		get_method(&in, &out->at[i], component);
	if (!in.bad && left(&in) == 0)
		return PE_OK;
	*out = (struct pe_methods){.at = NULL};
	return pe_fail(err, PE_EINVALID, "%s: the cached methods do not add up", path);
}
