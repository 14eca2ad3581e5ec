#include "analysis/symbols/names.h"

#include "tests/support/test.h"

#define SAME_TEXT(a, b) eq(str, (char *)(a), (char *)(b))

static void expect_split(const char *mangled, const char *expected_name,
			 const char *expected_signature)
{
	pe_auto_text name = PE_TEXT_INIT, signature = PE_TEXT_INIT;

	pe_names_split(&name, &signature, mangled);
	cr_expect(SAME_TEXT(pe_text_str(&name), expected_name), "%s", mangled);
	cr_expect(SAME_TEXT(pe_text_str(&signature), expected_signature), "%s", mangled);
}

Test(names, cxx_names_come_apart_from_their_signatures)
{
	expect_split("_ZNK2ns5tableIiE5probeEiPKc", "ns::table<int>::probe",
		     "(int, char const*) const");
	expect_split("_ZN2ns3addIiEET_S1_S1_", "ns::add<int>", "(int, int)");
	expect_split("_ZN1AcvbEv", "A::operator bool", "()");
	expect_split("_ZN1AclEi", "A::operator()", "(int)");
	expect_split("_ZN12_GLOBAL__N_13fooEi", "(anonymous namespace)::foo", "(int)");
	expect_split("_ZZN2ns3addIiEET_S1_S1_ENKUlvE_clEv",
		     "ns::add<int>(int, int)::{lambda()#1}::operator()", "() const");
	expect_split("_ZNSt6vectorIiSaIiEE9push_backEOi",
		     "std::vector<int, std::allocator<int> >::push_back", "(int&&)");
}

Test(names, variants_of_constructors_and_destructors_are_one)
{
	expect_split("_ZN1AC1Ei", "A::A", "(int)");
	expect_split("_ZN1AC2Ei", "A::A", "(int)");
	expect_split("_ZN1AC4Ei", "A::A", "(int)");
	expect_split("_ZN1AD0Ev", "A::~A", "()");
	expect_split("_ZN1AD1Ev", "A::~A", "()");
	expect_split("_ZN1AD2Ev", "A::~A", "()");
}

Test(names, copies_that_compilers_make_are_their_method)
{
	expect_split("work.part.0", "work", "");
	expect_split("work.constprop.0.isra.0", "work", "");
	expect_split("work.cold", "work", "");
	expect_split("work.lto_priv.12", "work", "");
	expect_split("work.llvm.1234567890", "work", "");
	expect_split("_ZL3fooi.part.0", "foo", "(int)");
	expect_split("_ZN2ns3addIiEET_S1_S1_.constprop.0.isra.0.cold", "ns::add<int>",
		     "(int, int)");
	expect_split(".part.0", ".part.0", "");
	expect_split("main.main", "main.main", ""); /* Go */
	expect_split("my.cold", "my", "");
}

Test(names, rust_is_readable)
{
	expect_split("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad",
		     "");
	expect_split(
		"_ZN50_$LT$T$u20$as$u20$core..convert..From$LT$T$GT$$GT$4from17h0123456789abcdefE",
		"<T as core::convert::From<T>>::from", "");
	expect_split("_RNvCs6GmmlP4bgsG_1r4main", "r::main", "");
	/* Instances of a generic function are one. */
	expect_split("_RINvNtCs6GmmlP4bgsG_1r1m3genlEB4_", "r::m::gen", "");
	expect_split("_RINvNtCsgohpS7xH0Xv_4tool5words5weighmEB4_", "tool::words::weigh", "");
	expect_split("_RNvMNtCsgohpS7xH0Xv_4tool5wordsNtB2_7Counter3add",
		     "<tool::words::Counter>::add", "");
}

Test(names, what_is_not_mangled_stays)
{
	expect_split("main", "main", "");
	expect_split("_start", "_start", "");
	expect_split("_Znonsense", "_Znonsense", "");
	expect_split("_ZN", "_ZN", "");
	expect_split("_R", "_R", "");
	expect_split("na\xff\x01me", "na\xff\x01me", "");
}

/* Nesting as deep as the name is long: a name of an attacker must not end the tool. */
Test(names, hostile_nesting_ends, .timeout = 600)
{
	pe_auto_text mangled = PE_TEXT_INIT, name = PE_TEXT_INIT, signature = PE_TEXT_INIT;

	for (size_t n = 100; n <= 1000000; n *= 10) {
		pe_text_clear(&mangled);
		pe_text_clear(&name);
		pe_text_clear(&signature);
		pe_text_add(&mangled, "_Z1f");
		for (size_t i = 0; i < n; i++)
			pe_text_addc(&mangled, 'P');
		pe_text_addc(&mangled, 'i');
		pe_names_split(&name, &signature, mangled.data);
		cr_expect(gt(sz, name.len, 0));
	}
}
