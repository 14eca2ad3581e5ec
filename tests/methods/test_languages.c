/* The table of languages: endings, names, and one parser a language that this tree-sitter can load. */
#include "analysis/methods/extract.h"

#include "tests/support/cases.h"

static void tell(struct pe_text *result, const char *word, const char *path, size_t n)
{
	const struct pe_language *language = pe_language_of(path);

	(void)word;
	(void)n;
	pe_text_add(result, language != NULL ? pe_language_name(language) : "none");
}

Test(languages, are_told_by_the_files_ending)
{
	cases_check("methods/cases", "languages", tell);
}

Test(languages, each_has_a_name_of_its_own)
{
	size_t n = 0;

	while (pe_language_at(n) != NULL)
		n++;
	cr_expect(ge(sz, n, 10));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			cr_expect(strcmp(pe_language_name(pe_language_at(i)),
					 pe_language_name(pe_language_at(k))) != 0);
}

/* An unreadable grammar would leave every file unread. */
Test(languages, every_grammar_loads)
{
	pe_auto_arena arena = PE_ARENA_INIT;

	for (size_t i = 0; pe_language_at(i) != NULL; i++) {
		const struct pe_source_file file = {pe_language_at(i), "empty", "", 0, 0};
		struct pe_methods methods;

		pe_extract(&methods, &file, &arena);
		cr_expect(eq(sz, methods.files, 1), "%s", pe_language_name(pe_language_at(i)));
		cr_expect(eq(sz, methods.unread, 0), "%s", pe_language_name(pe_language_at(i)));
	}
}
