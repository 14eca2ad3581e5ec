/* pprof's protocol buffers, where they are long or cut: written here field by field. Others: cases/pprof. */
#include "import_expect.h"

#include "core/base/text.h"

#include <stdarg.h>

TestSuite(pprof, .fini = imported_release, .timeout = 600);

static void varint(struct pe_text *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		pe_text_addc(out, (char)(value | 0x80));
	pe_text_addc(out, (char)value);
}

static void number(struct pe_text *out, unsigned field, uint64_t value)
{
	varint(out, field << 3);
	varint(out, value);
}

static void bytes(struct pe_text *out, unsigned field, const char *data, size_t n)
{
	varint(out, field << 3 | 2);
	varint(out, n);
	pe_text_addn(out, data, n);
}

/* A message of n numbers, fields 1 to n; zeros are left out, as in proto3. */
static void message(struct pe_text *out, unsigned field, int n, ...)
{
	pe_auto_text inner = PE_TEXT_INIT;
	va_list args;

	va_start(args, n);
	for (int i = 1; i <= n; i++) {
		int value = va_arg(args, int);

		if (value != 0)
			number(&inner, (unsigned)i, (uint64_t)value);
	}
	va_end(args);
	bytes(out, field, inner.len > 0 ? inner.data : "", inner.len);
}

/* Locations, innermost first, one digit each, and two values; packed or not. */
static void sample(struct pe_text *out, const char *path, uint64_t first, uint64_t second,
		   bool packed)
{
	pe_auto_text inner = PE_TEXT_INIT, list = PE_TEXT_INIT;

	for (const char *at = path; *at != '\0'; at++)
		if (packed)
			varint(&list, (uint64_t)(*at - '0'));
		else
			number(&inner, 1, (uint64_t)(*at - '0'));
	if (packed) {
		bytes(&inner, 1, pe_text_str(&list), list.len);
		pe_text_clear(&list);
		varint(&list, first);
		varint(&list, second);
		bytes(&inner, 2, list.data, list.len);
	} else {
		number(&inner, 2, first);
		number(&inner, 2, second);
	}
	bytes(out, 2, inner.data, inner.len);
}

static void location(struct pe_text *out, int id, int mapping, int address, int n_lines, ...)
{
	pe_auto_text inner = PE_TEXT_INIT;
	va_list args;

	number(&inner, 1, (uint64_t)id);
	number(&inner, 2, (uint64_t)mapping);
	number(&inner, 3, (uint64_t)address);
	va_start(args, n_lines);
	for (int i = 0; i < n_lines; i++) {
		int function = va_arg(args, int), line = va_arg(args, int);

		message(&inner, 4, 2, function, line);
	}
	va_end(args);
	bytes(out, 4, inner.data, inner.len);
}

static const char *const strings[] = {"",      "samples", "count", "cpu", "nanoseconds",
				      "main",  "parse",   "read",  "a.c", "/usr/lib/libx.so",
				      "f(int)"};

static void put_strings(struct pe_text *out)
{
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		bytes(out, 6, strings[i], strlen(strings[i]));
}

/* Locations 1: main, 2: read inlined into parse, 3: f(int), 4: code without symbols. Strings come last. */
static void put_all(struct pe_text *out, bool packed)
{
	message(out, 1, 2, 1, 2);
	message(out, 1, 2, 3, 4);
	sample(out, "21", 3, 300, packed);
	sample(out, "1", 1, 100, packed);
	sample(out, "3421", 2, 200, packed);
	sample(out, "21", 1, 50, packed);
	message(out, 3, 5, 1, 0x1000, 0x2000, 0x400, 9);
	location(out, 1, 0, 0, 1, 1, 12);
	location(out, 2, 0, 0, 2, 3, 34, 2, 20);
	location(out, 3, 1, 0x1500, 1, 4, 0);
	location(out, 4, 1, 0x1234, 0);
	message(out, 5, 5, 1, 5, 0, 8, 10);
	message(out, 5, 5, 2, 6, 0, 8, 0);
	message(out, 5, 5, 3, 7, 7, 8, 30);
	message(out, 5, 5, 4, 10, 0, 0, 0);
	number(out, 10, 12345);
	message(out, 11, 2, 3, 4);
	number(out, 12, 1000000);
	put_strings(out);
}

static struct imported *import_and_release(struct pe_text *text)
{
	struct imported *imported = import_bytes(text->data, text->len);

	pe_text_release(text);
	return imported;
}

Test(pprof, stacks_a_hundred_thousand_deep_are_read)
{
	enum { DEPTH = 100000 };
	struct pe_text text = PE_TEXT_INIT, inner = PE_TEXT_INIT, path = PE_TEXT_INIT;
	struct imported *imported;

	for (int i = 0; i < DEPTH; i++)
		varint(&path, 1 + (uint64_t)i % 2);
	bytes(&inner, 1, path.data, path.len);
	number(&inner, 2, 1);
	number(&inner, 2, 7);
	message(&text, 1, 2, 1, 2);
	message(&text, 1, 2, 3, 4);
	bytes(&text, 2, inner.data, inner.len);
	location(&text, 1, 0, 0, 1, 1, 3);
	location(&text, 2, 0, 0, 1, 2, 3);
	message(&text, 5, 4, 1, 5, 0, 8);
	message(&text, 5, 4, 2, 6, 0, 8);
	put_strings(&text);
	imported = import_and_release(&text);
	cr_assert_ok(imported->rc, imported->err.message);
	cr_expect(eq(u32, imported->cct->n, DEPTH + 1));
	cr_expect(eq(u64, imported->cct->total_ns[0], 7));
	pe_text_release(&inner);
	pe_text_release(&path);
}

/* Longer than any buffer on the way, so that fields lie across its ends. */
Test(pprof, a_long_file_adds_up)
{
	enum { SAMPLES = 60000 };
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	for (int i = 0; i < SAMPLES; i++)
		sample(&text, i % 3 == 0 ? "21212121212121" : "21", 1, 1000000, i % 2 == 0);
	message(&text, 1, 2, 1, 2);
	message(&text, 1, 2, 3, 4);
	location(&text, 1, 0, 0, 1, 1, 3);
	location(&text, 2, 0, 0, 1, 2, 3);
	message(&text, 5, 4, 1, 5, 0, 8);
	message(&text, 5, 4, 2, 6, 0, 8);
	put_strings(&text);
	cr_assert(text.len > 1 << 20);
	imported = import_and_release(&text);
	cr_assert_ok(imported->rc, imported->err.message);
	cr_expect(eq(u32, imported->cct->n, 15));
	cr_expect(eq(u64, imported->cct->facts.samples, SAMPLES));
	cr_expect(eq(u64, imported->cct->total_ns[0], UINT64_C(1000000) * SAMPLES));
}

Test(pprof, every_file_that_ends_early_is_refused)
{
	pe_auto_text text = PE_TEXT_INIT;
	size_t cut = 0;

	put_all(&text, true);
	for (size_t length = 10; length < text.len; length++) {
		struct imported *imported = import_bytes(text.data, length);

		cr_assert(eq(int, imported->rc, PE_EINVALID), "%zu", length);
		cr_assert(strstr(imported->err.message, "x: offset ") != NULL &&
				  strstr(imported->err.message, "; expected ") != NULL,
			  "%s", imported->err.message);
		cut += strstr(imported->err.message, "ends early") != NULL;
		imported_release();
	}
	cr_expect(cut > text.len / 2);
}

/* Each sample has a path of 100 locations with 250 inlined calls each: 3 MB of file would be 250 million nodes. */
Test(pprof, inlined_calls_beyond_all_proportion_are_refused)
{
	struct pe_text text = PE_TEXT_INIT, inner = PE_TEXT_INIT, list = PE_TEXT_INIT;

	message(&text, 1, 2, 1, 2);
	message(&text, 1, 2, 3, 4);
	number(&inner, 1, 1);
	for (int i = 0; i < 250; i++)
		message(&inner, 4, 2, 1, i + 1);
	bytes(&text, 4, inner.data, inner.len);
	location(&text, 2, 0, 0, 1, 1, 7);
	for (int s = 0; s < 1024; s++) { /* ten binary choices, then the same path */
		pe_text_clear(&list);
		pe_text_clear(&inner);
		for (int i = 0; i < 90; i++)
			varint(&list, 1);
		for (int i = 0; i < 10; i++)
			varint(&list, 1 + (s >> i & 1));
		bytes(&inner, 1, list.data, list.len);
		number(&inner, 2, 1);
		number(&inner, 2, 1);
		bytes(&text, 2, inner.data, inner.len);
	}
	message(&text, 5, 5, 1, 5, 0, 8, 10);
	put_strings(&text);
	expect_broken(import_and_release(&text), "x: offset ", "a tree in proportion to the file");
	pe_text_release(&inner);
	pe_text_release(&list);
}
