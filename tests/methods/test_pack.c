/* Packed methods come back as they were, and nothing else is taken for them. */
#include "tests/methods/reading.h"

#include "tests/support/data_file.h"

#include <stdio.h>
#include <stdlib.h>

static struct pe_arena arena = PE_ARENA_INIT;

TestSuiteWith(pack, (void)0, pe_arena_release(&arena), .timeout = 600);

static struct pe_text pack_sample(struct pe_methods *methods)
{
	struct pe_text source = PE_TEXT_INIT, packed = PE_TEXT_INIT;

	data_file(&source, "methods/samples", "sample.cpp");
	*methods = read_text("src/sample.cpp", source.data, &arena);
	methods->unread = 3;
	pe_methods_pack(&packed, methods);
	pe_text_release(&source);
	return packed;
}

static void expect_equal(const struct pe_method *a, const struct pe_method *b)
{
	cr_expect_str_eq(a->component, b->component);
	cr_expect_str_eq(a->name, b->name);
	cr_expect_str_eq(a->signature, b->signature);
	cr_expect(eq(u32, a->first_line, b->first_line));
	cr_expect(eq(u32, a->last_line, b->last_line));
	cr_expect(same_body(a, b));
	cr_expect(eq(u32, a->tokens, b->tokens));
	cr_expect(a->uncertain == b->uncertain);
	cr_assert(eq(u32, a->n_sketch, b->n_sketch));
	cr_expect(a->n_sketch == 0 ||
		  memcmp(a->sketch, b->sketch, a->n_sketch * sizeof(*a->sketch)) == 0);
}

Test(pack, comes_back_as_it_was)
{
	struct pe_methods before, after;
	struct pe_err err = PE_ERR_INIT;
	struct pe_text packed = pack_sample(&before);

	cr_assert_ok(
		pe_methods_unpack(&after, "src/sample.cpp", packed.data, packed.len, &arena, &err),
		err.message);
	cr_assert(eq(sz, after.n, before.n));
	cr_expect(gt(sz, after.n, 10));
	cr_expect_text("3 1", after.unread, after.files);
	for (size_t i = 0; i < after.n; i++)
		expect_equal(&before.at[i], &after.at[i]);
	pe_text_release(&packed);
}

Test(pack, takes_the_component_of_the_asking_path)
{
	struct pe_methods before, after;
	struct pe_err err = PE_ERR_INIT;
	struct pe_text packed = pack_sample(&before);

	cr_assert(pe_methods_unpack(&after, "elsewhere.cpp", packed.data, packed.len, &arena,
				    &err) == PE_OK);
	cr_expect_str_eq(after.at[0].component, "elsewhere.cpp");
	pe_text_release(&packed);
}

Test(pack, a_file_without_methods_comes_back)
{
	struct pe_methods before = read_text("a.c", "int x;\n", &arena), after;
	pe_auto_text packed = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;

	pe_methods_pack(&packed, &before);
	cr_assert(pe_methods_unpack(&after, "a.c", packed.data, packed.len, &arena, &err) == PE_OK);
	cr_expect_text("0 1", after.n, after.files);
}

Test(pack, refuses_every_shorter_piece)
{
	struct pe_methods before, after;
	struct pe_err err = PE_ERR_INIT;
	struct pe_text packed = pack_sample(&before);

	for (size_t n = 0; n < packed.len; n++) {
		/* On the heap, so that reading past the end is seen. */
		char *piece = pe_realloc(NULL, n + 1, 1);

		memcpy(piece, packed.data, n);
		cr_expect(eq(int, pe_methods_unpack(&after, "a", piece, n, &arena, &err),
			     PE_EINVALID));
		free(piece);
	}
	cr_expect(strncmp(err.message, "a: ", 3) == 0, "%s", err.message);
	pe_text_release(&packed);
}

static void add_fixed(struct pe_text *out, uint64_t number)
{
	for (unsigned i = 0; i < 8; i++)
		pe_text_addc(out, (char)(number >> (8 * i)));
}

/* Whoever can compute the sum: bytes are left out behind the head, and the sum is right. */
Test(pack, refuses_what_does_not_add_up_under_a_right_sum)
{
	struct pe_methods before, after;
	struct pe_text packed = pack_sample(&before), piece = PE_TEXT_INIT;

	for (size_t n = 16; n + 17 < packed.len; n += 7) {
		struct pe_err err = PE_ERR_INIT;
		struct pe_hash hash;

		pe_text_clear(&piece);
		pe_text_addn(&piece, packed.data, n);
		pe_hash_init(&hash);
		pe_hash_number(&hash, pe_extract_version());
		pe_hash_bytes(&hash, piece.data, piece.len);
		add_fixed(&piece, hash.high);
		add_fixed(&piece, hash.low);
		cr_expect(eq(int,
			     pe_methods_unpack(&after, "a", piece.data, piece.len, &arena, &err),
			     PE_EINVALID));
		cr_expect_str_eq(err.message, "a: the cached methods do not add up", "%zu: %s", n,
				 err.message);
	}
	pe_text_release(&packed);
	pe_text_release(&piece);
}

Test(pack, refuses_every_changed_byte)
{
	struct pe_methods before, after;
	struct pe_err err = PE_ERR_INIT;
	struct pe_text packed = pack_sample(&before);

	for (size_t i = 0; i < packed.len; i++) {
		packed.data[i] ^= 0x41;
		cr_expect(eq(int,
			     pe_methods_unpack(&after, "a", packed.data, packed.len, &arena, &err),
			     PE_EINVALID),
			  "byte %zu", i);
		packed.data[i] ^= 0x41;
	}
	pe_text_release(&packed);
}
