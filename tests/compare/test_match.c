/* Matching: which node is which, under the four rules. */
#include "compare/match.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(match, .timeout = 60);

Test(match, rules_have_names)
{
	struct pe_err err = PE_ERR_INIT;
	enum pe_match_rule found;

	for (int rule = 0; rule < PE_N_MATCH_RULES; rule++) {
		cr_assert(eq(int, pe_match_rule_parse(&found, pe_match_rule_name(rule), &err), 0));
		cr_expect(eq(int, (int)found, rule));
	}
	cr_expect(eq(int, pe_match_rule_parse(&found, "fuzzy", &err), PE_EINVALID));
	cr_expect(ne(ptr, strstr(err.message, "hybrid"), NULL));
}
