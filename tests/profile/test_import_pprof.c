/* pprof's protocol buffers: written here field by field, and by our own exporter. */
#include "import_expect.h"

#include "core/base/text.h"
#include "analysis/profile/export.h"

#include <stdarg.h>
#include <stdlib.h>

TestSuite(import_pprof, .fini = imported_release, .timeout = 600);

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
	struct pe_text inner = PE_TEXT_INIT;
	va_list args;

	va_start(args, n);
	for (int i = 1; i <= n; i++) {
		int value = va_arg(args, int);

		if (value != 0)
			number(&inner, (unsigned)i, (uint64_t)value);
	}
	va_end(args);
	bytes(out, field, inner.len > 0 ? inner.data : "", inner.len);
	pe_text_release(&inner);
}

/* Locations, innermost first, one digit each, and two values; packed or not. */
static void sample(struct pe_text *out, const char *path, uint64_t first, uint64_t second,
		   bool packed)
{
	struct pe_text inner = PE_TEXT_INIT, list = PE_TEXT_INIT;

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
	pe_text_release(&inner);
	pe_text_release(&list);
}

static void location(struct pe_text *out, int id, int mapping, int address, int n_lines, ...)
{
	struct pe_text inner = PE_TEXT_INIT;
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
	pe_text_release(&inner);
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

Test(import_pprof, locations_become_methods_and_inlined_calls)
{
	for (int packed = 0; packed < 2; packed++) {
		struct pe_text text = PE_TEXT_INIT;
		struct imported *imported;

		put_all(&text, packed != 0);
		imported = import_and_release(&text);
		expect_drawn(imported, "main @a.c s1 t100\n"
				       "  parse @a.c :12 s0 t0\n"
				       "    read @a.c :20 s4 t350\n"
				       "      unknown libx.so+0x634 @libx.so :34 s0 t0\n"
				       "        f(int) @libx.so s2 t200\n");
		cr_expect(eq(uint, imported->cct->known,
			     PE_CCT_SAMPLES | PE_CCT_TIME | PE_CCT_SITES));
		cr_expect(eq(u32, frame_named(imported, "main")->line, 10));
		expect_string(frame_named(imported, "f")->signature, "(int)");
		cr_expect(eq(u64, imported->cct->facts.samples, 7));
		cr_expect(eq(u64, imported->cct->facts.interval_ns, 1000000));
		cr_expect(imported->cct->calls == NULL && imported->cct->allocations == NULL);
	}
}

static void put_heap(struct pe_text *out, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes(out, 6, names[i], strlen(names[i]));
}

/* .NET's profilers write exceptions beside processor time; Go's of locks write contentions beside delays. */
Test(import_pprof, counts_of_other_things_are_no_samples_of_time)
{
	static const char *const names[] = {"", "cpu", "nanoseconds", "exception", "count", "work"};
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	message(&text, 1, 2, 1, 2);
	message(&text, 1, 2, 3, 4);
	sample(&text, "1", 1000, 5, true);
	location(&text, 1, 0, 0, 1, 1, 0);
	message(&text, 5, 2, 1, 5);
	put_heap(&text, names, 6);
	imported = import_and_release(&text);
	expect_drawn(imported, "work t1000\n");
	cr_expect(imported->cct->samples == NULL);
}

Test(import_pprof, an_archive_is_refused_with_what_it_is)
{
	expect_refusal("PK\3\4\n\5", "x: offset 0: ", "this is a zip archive: unpack it");
}

Test(import_pprof, allocations_need_their_number_and_their_bytes)
{
	static const char *const whole[] = {"", "alloc_objects", "count", "alloc_space", "bytes",
					    "f"};
	static const char *const part[] = {"", "other", "things", "alloc_space", "bytes", "f"};

	for (int i = 0; i < 2; i++) {
		struct pe_text text = PE_TEXT_INIT;
		struct imported *imported;

		message(&text, 1, 2, 1, 2);
		message(&text, 1, 2, 3, 4);
		sample(&text, "1", 3, 300, true);
		location(&text, 1, 0, 0, 1, 1, 0);
		message(&text, 5, 2, 1, 5);
		put_heap(&text, i == 0 ? whole : part, 6);
		imported = import_and_release(&text);
		if (i == 0) {
			cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
			cr_expect(eq(uint, imported->cct->known, PE_CCT_ALLOCATIONS));
			cr_expect(eq(u64, imported->cct->allocations[1], 3));
			cr_expect(eq(u64, imported->cct->allocated_bytes[1], 300));
		} else {
			expect_drawn(imported, "f s300\n");
			cr_expect(strstr(imported->note, "'alloc_space' (bytes)") != NULL);
		}
	}
}

static uint32_t grow(struct pe_cct_builder *builder, struct pe_frames *frames, uint32_t parent,
		     const char *name, uint32_t site, uint64_t self_ns)
{
	uint32_t node = pe_cct_builder_child(builder, parent,
					     pe_frames_add_method(frames, name, "a.c"), site);
	struct pe_cct_values *values = pe_cct_builder_at(builder, node);

	values->self_ns = self_ns;
	values->calls = self_ns / 2;
	values->allocations = 1;
	values->allocated_bytes = 64;
	return node;
}

Test(import_pprof, what_is_exported_comes_back)
{
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_text text = PE_TEXT_INIT;
	struct pe_cct_builder *builder = pe_cct_builder_new(
		&frames, PE_CCT_TIME | PE_CCT_CALLS | PE_CCT_SITES | PE_CCT_ALLOCATIONS);
	uint32_t main = grow(builder, &frames, 0, "main", 0, 10);
	uint32_t parse = grow(builder, &frames, main, "parse", 5, 20);
	struct imported *imported;

	grow(builder, &frames, parse, "parse", 9, 8);
	grow(builder, &frames, parse, "read", 9, 40);
	grow(builder, &frames, main, "read", 7, 30);
	cr_assert(pe_export_find("pprof", &err)
			  ->write(&text,
				  pe_cct_builder_finish(builder, &(struct pe_cct_facts){0}, &arena),
				  &(struct pe_export_options){0}, &err) == PE_OK);
	imported = import_and_release(&text);
	expect_drawn(imported, "main @a.c c5 t10\n  parse @a.c :5 c10 t20\n"
			       "    parse @a.c :9 c4 t8\n    read @a.c :9 c20 t40\n"
			       "  read @a.c :7 c15 t30\n");
	cr_expect(eq(u64, imported->cct->total_bytes[0], 5 * 64));
	pe_frames_release(&frames);
	pe_arena_release(&arena);
}

Test(import_pprof, stacks_a_hundred_thousand_deep_are_read)
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
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, DEPTH + 1));
	cr_expect(eq(u64, imported->cct->total_ns[0], 7));
	pe_text_release(&inner);
	pe_text_release(&path);
}

/* Longer than any buffer on the way, so that fields lie across its ends. */
Test(import_pprof, a_long_file_adds_up)
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
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect(eq(u32, imported->cct->n, 15));
	cr_expect(eq(u64, imported->cct->facts.samples, SAMPLES));
	cr_expect(eq(u64, imported->cct->total_ns[0], UINT64_C(1000000) * SAMPLES));
}

Test(import_pprof, every_file_that_ends_early_is_refused)
{
	struct pe_text text = PE_TEXT_INIT;
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
	pe_text_release(&text);
}

Test(import_pprof, broken_files_name_offset_and_expectation)
{
	struct pe_text text = PE_TEXT_INIT;

	message(&text, 1, 2, 1, 2);
	sample(&text, "1", UINT64_MAX, 2, true);
	expect_broken(import_and_release(&text), "x: offset 8: a value below 0",
		      "not a difference of two");
	message(&text, 1, 2, 3, 4);
	sample(&text, "7", 1, 2, true);
	put_strings(&text);
	expect_broken(import_and_release(&text), "x: offset 8: location 7 is not there",
		      "it among the locations");
	message(&text, 1, 2, 3, 4);
	sample(&text, "1", 1, 2, true);
	location(&text, 1, 0, 0, 1, 9, 0);
	put_strings(&text);
	expect_broken(import_and_release(&text), "x: offset ", "function 9 is not there");
	message(&text, 1, 2, 3, 4);
	sample(&text, "1", 1, 2, true);
	bytes(&text, 2, "\x0a\x7f", 2);
	expect_broken(import_and_release(&text), "x: offset 17: no field", "a field of a sample");
	message(&text, 1, 2, 3, 4);
	bytes(&text, 2, "\x10\x01", 2);
	bytes(&text, 2, "\x10\x01\x10\x01", 4);
	expect_broken(import_and_release(&text), "x: offset 12: a sample with another number",
		      "as many as the first");
}

Test(import_pprof, broken_messages_name_offset_and_expectation)
{
	static const struct {
		unsigned field;
		const char *bytes;
		size_t n;
		const char *place, *expected;
	} cases[] = {
		{2, "", 0, "x: offset 8: a sample without values, or with too many",
		 "1 to 64 values"},
		{2,
		 "\x09"
		 "12345678",
		 9, "x: offset 8: numbers of another kind", "varints"},
		{2, "\x12\x02\x01\xff", 4, "x: offset 11: no number", "a varint"},
		{3, "\x0a\x7f", 2, "x: offset 8: no field", "a field of a message"},
		{4, "\x08", 1, "x: offset 8: no field", "a field of a message"},
		{6, "", SIZE_MAX, "x: offset 6: a field that is too long", "1 MiB at the most"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_text text = PE_TEXT_INIT;

		message(&text, 1, 2, 1, 2);
		if (cases[i].n != SIZE_MAX) {
			bytes(&text, cases[i].field, cases[i].bytes, cases[i].n);
		} else {
			varint(&text, cases[i].field << 3 | 2);
			varint(&text, 1 << 30);
		}
		expect_broken(import_and_release(&text), cases[i].place, cases[i].expected);
	}
}

Test(import_pprof, a_location_is_said_once_and_unnamed_functions_are_anonymous)
{
	struct pe_text text = PE_TEXT_INIT;
	struct imported *imported;

	message(&text, 1, 2, 1, 2);
	location(&text, 1, 0, 0, 0);
	location(&text, 1, 0, 0, 0);
	expect_broken(import_and_release(&text), "x: offset ", "each location once");
	message(&text, 1, 2, 1, 2);
	sample(&text, "21", 1, 1, false);
	location(&text, 1, 0, 0, 1, 1, 0);
	location(&text, 2, 0, 0, 1, 2, 0);
	message(&text, 5, 5, 1, 0, 6, 8, 0); /* it has no name but that of the linker */
	message(&text, 5, 5, 2, 0, 0, 8, 0);
	put_strings(&text);
	imported = import_and_release(&text);
	cr_assert(eq(int, imported->rc, PE_OK), "%s", imported->err.message);
	cr_expect_not_null(frame_named(imported, "parse"));
	cr_expect_not_null(frame_named(imported, "(anonymous)"));
}

/* Each sample has a path of 100 locations with 250 inlined calls each: 3 MB of file would be 250 million nodes. */
Test(import_pprof, inlined_calls_beyond_all_proportion_are_refused)
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
