/* Packed methods come back as they were, and nothing else is taken for them. */
#include "tests/methods/reading.h"

#include "core/base/packed.h"
#include "core/base/random.h"
#include "tests/support/data_file.h"

#include <stdio.h>
#include <stdlib.h>

static struct pe_arena arena = PE_ARENA_INIT;
static struct pe_err err = PE_ERR_INIT;
static struct pe_methods before, after;
static struct pe_text packed = PE_TEXT_INIT;

static void pack_sample(void)
{
	pe_auto_text source = PE_TEXT_INIT;

	data_file(&source, "methods/samples", "sample.cpp");
	before = read_text("src/sample.cpp", source.data, &arena);
	before.unread = 3;
	pe_methods_pack(&packed, &before);
}

TestSuiteWith(pack, pack_sample(), (pe_text_release(&packed), pe_arena_release(&arena)),
	      .timeout = 600);

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
	cr_assert_ok(
		pe_methods_unpack(&after, "src/sample.cpp", packed.data, packed.len, &arena, &err),
		err.message);
	cr_assert(eq(sz, after.n, before.n));
	cr_expect(gt(sz, after.n, 10));
	cr_expect_text("3 1", after.unread, after.files);
	for (size_t i = 0; i < after.n; i++)
		expect_equal(&before.at[i], &after.at[i]);
}

Test(pack, takes_the_component_of_the_asking_path)
{
	cr_assert(pe_methods_unpack(&after, "elsewhere.cpp", packed.data, packed.len, &arena,
				    &err) == PE_OK);
	cr_expect_str_eq(after.at[0].component, "elsewhere.cpp");
}

Test(pack, a_file_without_methods_comes_back)
{
	before = read_text("a.c", "int x;\n", &arena);
	pe_text_clear(&packed);
	pe_methods_pack(&packed, &before);
	cr_assert(pe_methods_unpack(&after, "a.c", packed.data, packed.len, &arena, &err) == PE_OK);
	cr_expect_text("0 1", after.n, after.files);
}

Test(pack, refuses_every_shorter_piece)
{
	for (size_t n = 0; n < packed.len; n++) {
		/* On the heap, so that reading past the end is seen. */
		char *piece = pe_realloc(NULL, n + 1, 1);

		memcpy(piece, packed.data, n);
		cr_expect(eq(int, pe_methods_unpack(&after, "a", piece, n, &arena, &err),
			     PE_EINVALID));
		free(piece);
	}
}

/* Whoever can compute the sum: the content is random, or is cut, and the sum is right. */
Test(pack, refuses_what_does_not_add_up_under_a_right_sum)
{
	struct pe_random random;

	pe_random_seed(&random, 7);
	for (size_t n = 0; n < 2000; n++) {
		struct pe_packed_writer writer;

		pe_text_clear(&packed);
		pe_packed_begin(&writer, "PEME", 1, 1 + pe_random_below(&random, 3), &packed);
		pe_packed_put(&writer, pe_extract_version());
		for (size_t i = 0; i < 24 + n % 100; i++)
			pe_packed_put(&writer, pe_random_below(&random, i % 3 == 0 ? 300 : 4));
		pe_packed_end(&writer);
		cr_expect(eq(int,
			     pe_methods_unpack(&after, "a", packed.data, packed.len, &arena, &err),
			     PE_EINVALID),
			  "%zu", n);
	}
	cr_expect_has(err.message, "as archived is damaged");
}

Test(pack, refuses_every_changed_byte)
{
	for (size_t i = 0; i < packed.len; i++) {
		packed.data[i] ^= 0x41;
		cr_expect(eq(int,
			     pe_methods_unpack(&after, "a", packed.data, packed.len, &arena, &err),
			     PE_EINVALID),
			  "byte %zu", i);
		packed.data[i] ^= 0x41;
	}
}
