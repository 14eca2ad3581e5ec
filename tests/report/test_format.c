#include "report/format.h"

#include "core/base/number.h"
#include "report/terminal.h"
#include "tests/support/test.h"

#include <locale.h>

static struct pe_text text;

TestSuiteWith(format, (void)0, pe_text_release(&text), .timeout = 600);

#define EXPECT(call, expected)                                                                     \
	do {                                                                                       \
		pe_text_clear(&text);                                                              \
		call;                                                                              \
		cr_expect_str_eq(pe_text_str(&text), expected);                                    \
	} while (0)

Test(format, values_have_three_digits_and_a_fitting_prefix)
{
	EXPECT(pe_format_value(&text, 1.24e6, "ns"), "1.24 ms");
	EXPECT(pe_format_value(&text, 850, "ns"), "850 ns");
	EXPECT(pe_format_value(&text, 0, "ns"), "0 ns");
	EXPECT(pe_format_value(&text, 0.25, "ns"), "0.25 ns");
	EXPECT(pe_format_value(&text, 12345, "ns"), "12.3 µs");
	EXPECT(pe_format_value(&text, 99.96e9, "ns"), "100 s");
	EXPECT(pe_format_value(&text, 300e9, "ns"), "5.00 min");
	EXPECT(pe_format_value(&text, 3.25 * 1048576, "bytes"), "3.25 MiB");
	EXPECT(pe_format_value(&text, 512, "bytes"), "512 B");
	EXPECT(pe_format_value(&text, 12345, "1"), "12,345");
	EXPECT(pe_format_value(&text, 98080398, "1"), "98,080,398");
	EXPECT(pe_format_value(&text, 12.3456e9, "1"), "12.3 G");
	EXPECT(pe_format_value(&text, 17, "ops/s"), "17 ops/s");
	EXPECT(pe_format_value(&text, 0.1234, "s"), "123 ms");
	EXPECT(pe_format_value(&text, -1.5e6, "ns"), "−1.50 ms");
	EXPECT(pe_format_value(&text, NAN, "ns"), "–");
	EXPECT(pe_format_value(&text, INFINITY, "ns"), "–");
}

Test(format, values_never_round_up_to_a_thousand_of_a_prefix)
{
	EXPECT(pe_format_value(&text, 999.4e3, "ns"), "999 µs");
	EXPECT(pe_format_value(&text, 999.6e3, "ns"), "1.00 ms");
	EXPECT(pe_format_value(&text, 9.996e6, "ns"), "10.0 ms");
	EXPECT(pe_format_value(&text, 999.6, "ops/s"), "1,000 ops/s");
	EXPECT(pe_format_value(&text, 999.6e6, "1"), "1.00 G");
}

Test(format, parts_are_never_factors)
{
	EXPECT(pe_format_part(&text, 0.1234), "+12.3 %");
	EXPECT(pe_format_part(&text, -0.04), "−4 %");
	EXPECT(pe_format_part(&text, 0), "0 %");
	EXPECT(pe_format_part(&text, 2), "+200 %");
	EXPECT(pe_format_part(&text, -12.5), "−1,250 %");
}

Test(format, changes_carry_their_sign)
{
	EXPECT(pe_format_change(&text, 0.1234), "+12.3 %");
	EXPECT(pe_format_change(&text, -0.04), "−4 %");
	EXPECT(pe_format_change(&text, 0), "0 %");
	EXPECT(pe_format_change(&text, 0.0004), "+0.04 %");
	EXPECT(pe_format_change(&text, 0.999999), "+100 %");
	EXPECT(pe_format_change(&text, 1.5), "+150 %");
	EXPECT(pe_format_change(&text, 2), "×3.0");
	EXPECT(pe_format_change(&text, 2.4), "×3.4");
	EXPECT(pe_format_change(&text, 4999), "×5,000");
	EXPECT(pe_format_change(&text, -1), "−100 %");
	EXPECT(pe_format_change(&text, -0.99996), "−99.99 %");
	EXPECT(pe_format_change(&text, -0.9996), "−99.96 %");
	EXPECT(pe_format_change(&text, NAN), "new");
	EXPECT(pe_format_change(&text, INFINITY), "new");
}

Test(format, durations_read_like_clocks)
{
	EXPECT(pe_format_duration(&text, 0), "0 s");
	EXPECT(pe_format_duration(&text, 850000000), "850 ms");
	EXPECT(pe_format_duration(&text, 12400000000), "12 s");
	EXPECT(pe_format_duration(&text, 245000000000), "4 min 5 s");
	EXPECT(pe_format_duration(&text, UINT64_C(11520000000000)), "3 h 12 min");
	/* Nothing of the smaller unit is not said. */
	EXPECT(pe_format_duration(&text, 600000000000), "10 min");
	EXPECT(pe_format_duration(&text, 59600000000), "1 min");
	EXPECT(pe_format_duration(&text, UINT64_C(3659000000000)), "1 h");
	EXPECT(pe_format_duration(&text, UINT64_MAX), "5124095 h 34 min");
}

Test(format, dates_are_utc)
{
	EXPECT(pe_format_date(&text, 1714557600), "2024-05-01");
	EXPECT(pe_format_date(&text, 0), "1970-01-01");
	EXPECT(pe_format_date(&text, -1), "1969-12-31");
	EXPECT(pe_format_date(&text, INT64_MAX), "–");
}

Test(format, values_keep_their_point_in_any_locale)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8",
					    "ru_RU.UTF-8"};
	bool found = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !found; i++)
		found = setlocale(LC_NUMERIC, names[i]) != NULL;
	if (!found)
		cr_skip_test("no locale with a decimal comma is installed");
	EXPECT(pe_number_exact(&text, 0.1), "0.1");
	EXPECT(pe_format_value(&text, 1.24e6, "ns"), "1.24 ms");
}

Test(format, exact_numbers_read_back_as_they_were)
{
	static const double values[] = {
		0.1,     1.0 / 3,           1e-300, 1.7976931348623157e308, 123456789.125,
		-2.5e-7, 9007199254740993.0};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		pe_text_clear(&text);
		pe_number_exact(&text, values[i]);
		cr_expect_eq(strtod(text.data, NULL), values[i]);
	}
	EXPECT(pe_number_exact(&text, 1e15), "1000000000000000");
	EXPECT(pe_number_exact(&text, -0.0), "0");
}

Test(format, xml_escapes_markup_and_forbidden_characters)
{
	EXPECT(pe_escape_xml(&text, "<a href='x' b=\"y\">&\t\x01\x1b\xff"),
	       "&lt;a href=&#39;x&#39; b=&quot;y&quot;&gt;&amp;\t���");
	EXPECT(pe_escape_xml(&text, "\xef\xbf\xbf"), "�");
}

Test(format, csv_quotes_and_disarms_formulas)
{
	EXPECT(pe_escape_csv(&text, "plain text"), "plain text");
	EXPECT(pe_escape_csv(&text, "a,b"), "\"a,b\"");
	EXPECT(pe_escape_csv(&text, "say \"hi\""), "\"say \"\"hi\"\"\"");
	EXPECT(pe_escape_csv(&text, "two\nlines"), "\"two\\u000alines\"");
	EXPECT(pe_escape_csv(&text, "=1+1"), "\"'=1+1\"");
	EXPECT(pe_escape_csv(&text, "-2"), "\"'-2\"");
	EXPECT(pe_escape_csv(&text, "@SUM(1)"), "\"'@SUM(1)\"");
	EXPECT(pe_escape_csv(&text, ""), "");
}

Test(format, columns_count_wide_and_combining_characters)
{
	cr_expect_text("3 6 1 2 4 3 6 2 2", pe_text_columns("abc"), pe_text_columns("日本語"),
		       pe_text_columns("e\xcc\x81"), pe_text_columns("🎉"), pe_text_columns("한글"),
		       pe_text_columns("Δ±×"), pe_text_columns("a\033[31mb"),
		       pe_text_columns("\xff\xff"),
		       pe_text_columns("a\xe2\x80\xae"
				       "b"));
}

Test(format, columns_cut_with_an_ellipsis_and_never_inside_a_character)
{
	EXPECT(pe_text_add_columns(&text, "abcdef", 6), "abcdef");
	EXPECT(pe_text_add_columns(&text, "abcdef", 5), "abcd…");
	EXPECT(pe_text_add_columns(&text, "日本語", 5), "日本…");
	EXPECT(pe_text_add_columns(&text, "日本語", 4), "日…");
	EXPECT(pe_text_add_columns(&text, "abc", 1), "…");
	EXPECT(pe_text_add_columns(&text, "abc", 0), "");
	EXPECT(pe_text_add_columns(&text,
				   "a\033[31m\tb\xe2\x80\xae"
				   "c",
				   80),
	       "a[31mbc");
	EXPECT(pe_text_add_columns(&text,
				   "e\xcc\x81"
				   "e\xcc\x81",
				   2),
	       "e\xcc\x81"
	       "e\xcc\x81");
}

static struct pe_term of_width(unsigned width)
{
	return (struct pe_term){.width = width, .unicode = true, .colour = true};
}

Test(format, long_lines_are_folded_between_words)
{
	const struct pe_term term = of_width(20);

	EXPECT(pe_term_fold(&text, &term, "12345678901234567890\n"), "12345678901234567890\n");
	EXPECT(pe_term_fold(&text, &term, "a sentence of some words\nshort"),
	       "a sentence of some\n  words\nshort");
	EXPECT(pe_term_fold(&text, &term, "  indented, and     then some more\n"),
	       "  indented, and\n    then some more\n");
	EXPECT(pe_term_fold(&text, &term, "abcdefghijklmnopqrstuvwxyz0123456789abcd x\n"),
	       "abcdefghijklmnopqrst\n  uvwxyz0123456789ab\n  cd x\n");
	EXPECT(pe_term_fold(&text, &term, "\033[31mred words of nineteen\033[0m\n"),
	       "\033[31mred words of\033[0m\n  \033[31mnineteen\033[0m\n");
	EXPECT(pe_term_fold(&text, &term, "ééééééééé ééééééééé é\n"), "ééééééééé ééééééééé\n  é\n");
	/* Bytes of no character and a terminal of one letter are no reason to go on without end. */
	EXPECT(pe_term_fold(&text, &(struct pe_term){.width = 3}, "abcdef\n"), "abcdef\n");
	EXPECT(pe_term_fold(&text, &term, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
	       "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
	EXPECT(pe_term_fold(&text, &(struct pe_term){.width = 0},
			    "as it is, however long it may be\n"),
	       "as it is, however long it may be\n");
}

Test(format, long_paths_lose_their_middle)
{
	const struct pe_term term = of_width(80);

	EXPECT(pe_term_add_path(&text, &term, "src/a.c:12", 10), "src/a.c:12");
	EXPECT(pe_term_add_path(&text, &term, "src/parser/expressions/terms.c:12", 24),
	       "…/expressions/terms.c:12");
	EXPECT(pe_term_add_path(&text, &term, "src/parser/terms_of_more.c:12", 12), "…f_more.c:12");
	EXPECT(pe_term_add_path(&text, &term, "src/parser/terms.c", 1), "…");
	EXPECT(pe_term_add_path(&text, &term, "Ä/Ä/Ä/Ä/Ä.c", 8), "…Ä/Ä/Ä.c");
}
