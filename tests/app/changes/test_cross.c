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
