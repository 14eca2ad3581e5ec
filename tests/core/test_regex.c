#include "core/base/regex.h"

#include "core/base/text.h"
#include "tests/support/test.h"

static char *repeat(struct pe_text *text, const char *part, int n)
{
	pe_text_clear(text);
	for (int i = 0; i < n; i++)
		pe_text_add(text, part);
	return text->data;
}

static int try(const char *expression, const char *say)
{
	struct pe_err err = PE_ERR_INIT;
	struct pe_regex regex;
	int rc = pe_regex_init_option(&regex, "--bench", expression, &err);

	pe_regex_release(&regex);
	if (rc != PE_OK)
		cr_expect(strstr(err.message, say) != NULL &&
				  strstr(err.message, "--bench") != NULL,
			  "%s", err.message);
	return rc;
}

/* The C library's compiler takes its stack, gigabytes or minutes over these. */
Test(regex, what_takes_the_stack_or_the_memory_is_refused, .timeout = 600)
{
	pe_auto_text text = PE_TEXT_INIT;

	cr_expect(eq(int, try(repeat(&text, "(", 50000), "longer than 1000"), PE_EINVALID));
	cr_expect(eq(int, try(repeat(&text, "(", 51), "deeper than 50"), PE_EINVALID));
	cr_expect(eq(int, try(repeat(&text, "a{9}", 200), "written out"), PE_EINVALID));
	cr_expect(eq(int, try("(((a{1,250}){1,250}){1,250}){1,250}", "written out"), PE_EINVALID));
	cr_expect(eq(int, try("a{0,32767}", "written out"), PE_EINVALID));
	cr_expect(eq(int, try("a{20}{20}{20}", "written out"), PE_EINVALID));
	cr_expect(eq(int, try("(a{,99}){99,}", "written out"), PE_EINVALID));
	cr_expect(eq(int, try("((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+", "written out"), PE_EINVALID));
	cr_expect(eq(int, try("[[:alpha:]]{500}[]x]{501}", "written out"), PE_EINVALID));
	cr_expect(eq(int, try("(a*)*\\1", "back-references"), PE_EINVALID));
	cr_expect(eq(int, try("(", ""), PE_EINVALID));
	cr_expect(eq(int, try("[", ""), PE_EINVALID));
	cr_expect(eq(int, try("a{2,1}", ""), PE_EINVALID));
}

Test(regex, what_people_write_is_taken)
{
	static const char *const good[] = {
		"",
		"^parse$",
		"score ([0-9]+)",
		"[0-9]{1,3}(\\.[0-9]{1,3}){3}",
		"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
		"([0-9.eE+-]+) (MB|GB)/s",
		"[](){}+]+",
		"[^]\\{9999}]",
		"[[.(.]]",
		"\\(\\(\\{2000\\}",
	};
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		cr_expect(eq(int, try(good[i], "?"), PE_OK), "%s", good[i]);
	repeat(&text, "(", 50);
	for (int i = 0; i < 50; i++)
		pe_text_addc(&text, ')');
	cr_expect(eq(int, try(text.data, "?"), PE_OK));
	cr_expect(eq(int, try(repeat(&text, "a", 1000), "?"), PE_OK));
	cr_expect(eq(int, try(NULL, "?"), PE_OK));
}

static void join(const char *match, size_t n, void *payload)
{
	pe_text_addf(payload, "%.*s;", (int)n, match);
}

Test(regex, finds_every_match_of_every_line_and_reads_lines_to_their_limit)
{
	pe_auto_text found = PE_TEXT_INIT, text = PE_TEXT_INIT;
	struct pe_regex regex;

	cr_assert(eq(int, pe_regex_init(&regex, "^x=([0-9]+)|y([0-9])", NULL), PE_OK));
	pe_regex_find(&regex, "x=12 x=13 y7\n\nx=14\nz x=15", join, &found);
	cr_expect(eq(str, found.data, (char *)"12;y7;14;"));
	pe_regex_release(&regex);

	cr_assert(eq(int, pe_regex_init(&regex, "b", NULL), PE_OK));
	repeat(&text, "a", PE_REGEX_LINE_BYTES);
	cr_expect(not(pe_regex_matches(&regex, text.data)));
	pe_text_add(&text, "b");
	cr_expect(not(pe_regex_matches(&regex, text.data)));
	pe_text_clear(&found);
	pe_regex_find(&regex, text.data, join, &found);
	cr_expect(eq(sz, found.len, 0));
	pe_text_add(&text, "\nb");
	pe_regex_find(&regex, text.data, join, &found);
	cr_expect(eq(str, found.data, (char *)"b;"));
	pe_regex_release(&regex);

	cr_assert(eq(int, pe_regex_init(&regex, NULL, NULL), PE_OK));
	cr_expect(pe_regex_matches(&regex, "anything"));
	pe_regex_release(&regex);
}
