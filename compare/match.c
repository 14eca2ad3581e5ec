/* The names of the rules. */
#include "compare/match.h"

#include <string.h>

static const char *const names[PE_N_MATCH_RULES] = {
	[PE_MATCH_SUBSEQUENCE] = "subsequence",
	[PE_MATCH_RELAXED] = "relaxed",
	[PE_MATCH_STRICT] = "strict",
	[PE_MATCH_HYBRID] = "hybrid",
};

const char *pe_match_rule_name(enum pe_match_rule rule)
{
	return names[rule];
}

int pe_match_rule_parse(enum pe_match_rule *out, const char *name, struct pe_err *err)
{
	for (int rule = 0; rule < PE_N_MATCH_RULES; rule++)
		if (strcmp(names[rule], name) == 0) {
			*out = (enum pe_match_rule)rule;
			return PE_OK;
		}
	return pe_fail(err, PE_EINVALID,
		       "no rule of matching is called '%s': there are subsequence, relaxed, strict "
		       "and hybrid",
		       name);
}
