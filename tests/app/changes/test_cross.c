/* Names: what linkage names are called in the source. */
#include "app/changes/cross.h"

#include "tests/support/test.h"

struct named {
	char linkage[80], source[32];
};

static struct named source_names_cases[] = {
	{"main", "main"},
	{"sum.constprop.0", "sum"},
	{"sum.part.0.cold", "sum"},
	{".text.12", ".text.12"},
	{"_Z3foov", "foo"},
	{"_ZN3foo3barEi", "bar"},
	{"_ZNK3foo3barEv.cold", "bar"},
	{"_ZN12_GLOBAL__N_15probeEv", "probe"},
	{"_ZL4helpi", "help"},
	{"_ZNSt6vectorIiSaIiEE9push_backERKi", "push_back"},
	{"_ZN3mapIiN2ns3keyILi3EEEE4findEi", "find"},
	{"_ZN5tableC2Ev", "table"},
	{"_ZN5tableD1Ev", "~table"},
	{"_ZN5tableB5cxx113getEv", "get"},
	{"_ZN5tableplERKS_", ""},
	{"_ZZ4mainENKUlvE_clEv", ""},
	{"_ZN99999foo", ""},
	{"_ZN3fo", ""},
	{"_ZN4tool5parse5twice17h06f845aa5e6a00a4E", "twice"},
	{"_ZN4tool5parse6Parser5weigh17h06f845aa5e6a00a4E.llvm.7", "weigh"},
	{"_RNvNtCsgohpS7xH0Xv_4tool5words4word", "word"},
	{"_RINvNtCsgohpS7xH0Xv_4tool5words5weighmEB4_", "weigh"},
	{"_RNvMNtCsgohpS7xH0Xv_4tool5wordsNtB2_7Counter3add", "add"},
	{"_RNCNvCsgohpS7xH0Xv_4tool4main0B3_", "main"},
	{"_Rubbish", "_Rubbish"},
	{"_Z", ""},
	{"", ""},
};

TestOver(struct named *named, source_names_cases, cross, source_names, .timeout = 600)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	cr_expect_str_eq(pe_source_name(named->linkage, &arena), named->source, "%s",
			 named->linkage);
}

/* A crate's codegen unit is no file: the words of the path tell which method is meant. */
Test(cross, paths_of_rust_mean_methods, .timeout = 600)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *add = pe_source_rust("_ZN4tool5words7Counter3add17hb2fa3d88129d8ddcE", &arena);
	const char *generic = pe_source_rust("_RINvNtCsgohpS7xH0Xv_4tool5words5weighmEB4_", &arena);

	cr_assert_not_null(add);
	cr_assert_not_null(generic);
	cr_expect_str_eq(add, "tool::words::Counter::add");
	cr_expect(pe_source_rust_is(
		add, &(struct pe_method){.component = "src/words.rs", .name = "Counter::add"}));
	cr_expect(pe_source_rust_is(
		add, &(struct pe_method){.component = "src/main.rs", .name = "Counter::add"}));
	cr_expect_not(pe_source_rust_is(
		add, &(struct pe_method){.component = "src/words.rs", .name = "Total::add"}));
	cr_expect_not(pe_source_rust_is(
		add, &(struct pe_method){.component = "src/other.rs", .name = "Counter::add"}));
	cr_expect(pe_source_rust_is(
		generic, &(struct pe_method){.component = "src/words.rs", .name = "weigh"}));
	cr_expect(pe_source_rust_is_standard(
		"<core::fmt::Formatter as core::fmt::Write>::write_str"));
	cr_expect(pe_source_rust_is_standard("alloc::raw_vec::finish_grow"));
	cr_expect_not(pe_source_rust_is_standard("stdlike::find"));
	cr_expect_null(pe_source_rust("_ZN3foo3barEi", &arena));
	cr_expect_null(pe_source_rust("main", &arena));
}
