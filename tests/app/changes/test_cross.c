/* Names: what linkage names are called in the source. */
#include "app/changes/cross.h"

#include "tests/support/cases.h"

static void name(struct pe_text *result, const char *word, const char *input, size_t n)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	(void)word;
	(void)n;
	pe_text_add(result, pe_source_name(input, &arena));
}

Test(cross, source_names, .timeout = 600)
{
	cases_check("app/changes", "cross.cases", name);
}

Test(cross, paths_of_rust_tell_the_standard_library, .timeout = 600)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *add = pe_source_rust("_ZN4tool5words7Counter3add17hb2fa3d88129d8ddcE", &arena);

	cr_assert_not_null(add);
	cr_expect_str_eq(add, "tool::words::Counter::add");
	cr_expect(pe_source_rust_is_standard(
		"<core::fmt::Formatter as core::fmt::Write>::write_str"));
	cr_expect(pe_source_rust_is_standard("alloc::raw_vec::finish_grow"));
	cr_expect_not(pe_source_rust_is_standard("stdlike::find"));
	cr_expect_null(pe_source_rust("_ZN3foo3barEi", &arena));
	cr_expect_null(pe_source_rust("main", &arena));
}
