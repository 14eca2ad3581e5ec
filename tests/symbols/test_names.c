#include "analysis/symbols/names.h"

#include "tests/support/cases.h"

static void split(struct pe_text *result, const char *word, const char *input, size_t n)
{
	pe_auto_text name = PE_TEXT_INIT, signature = PE_TEXT_INIT;

	(void)word;
	(void)n;
	pe_names_split(&name, &signature, input);
	pe_text_addf(result, "%s | %s", pe_text_str(&name), pe_text_str(&signature));
}

Test(names, come_apart_from_their_signatures)
{
	cases_check("symbols", "names.cases", split);
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
