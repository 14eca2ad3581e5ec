#include "report/markdown.h"

#include "tests/support/test.h"

static struct pe_text text;

TestSuiteWith(markdown, (void)0, pe_text_release(&text), .timeout = 600);

static const char *line(const char *string)
{
	pe_text_clear(&text);
	pe_md_text(&text, string, PE_MD_LINE);
	return pe_text_str(&text);
}

static const char *code(const char *string)
{
	pe_text_clear(&text);
	pe_md_code(&text, string, PE_MD_LINE);
	return pe_text_str(&text);
}

Test(markdown, text_is_no_markup)
{
	cr_expect_str_eq(line("plain words, 3.0 times"), "plain words, 3.0 times");
	cr_expect_str_eq(line("*a* _b_ [c](d) ~e~ | \\ !"),
			 "\\*a\\* \\_b\\_ \\[c\\](d) \\~e\\~ \\| \\\\ !");
	cr_expect_str_eq(line("<b> & </script>"), "&lt;b&gt; &amp; &lt;/script&gt;");
	cr_expect_str_eq(line("line\nbreak\033[31m"), "linebreak\\[31m");
}

Test(markdown, text_names_nobody_and_refers_to_nothing)
{
	cr_expect_str_eq(line("@ada see #12"), "@<!-- -->ada see \\#<!-- -->12");
}

Test(markdown, names_between_backticks_are_code)
{
	cr_expect_text("`a_b<c>` is (here) a \\` alone \\`\\`\\` fence `a`b\\` c",
		       line("`a_b<c>` is (here)"), line("a ` alone"), line("``` fence"),
		       line("`a`b` c"));
	pe_text_clear(&text);
	pe_md_text(&text, "`a|b` | c", PE_MD_CELL);
	cr_expect_str_eq(pe_text_str(&text), "`a\\|b` \\| c");
}

Test(markdown, code_has_a_fence_longer_than_what_is_in_it)
{
	cr_expect_text("`main` ``a`b`` ``` `x`` ``` `a||b`", code("main"), code("a`b"),
		       code("`x``"), code("a||b"));
	cr_expect_str_eq(code(""), "");
	pe_text_clear(&text);
	pe_md_code(&text, "a||b", PE_MD_CELL);
	cr_expect_str_eq(pe_text_str(&text), "`a\\|\\|b`");
	cr_expect_str_eq(code(" a "), "`  a  `");
	pe_text_clear(&text);
	pe_md_block(&text, "a\n```\n");
	cr_expect_str_eq(pe_text_str(&text), "````text\na\n```\n````\n");
}
