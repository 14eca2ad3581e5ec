/* What was written beside the one that was reviewed (tests/golden/report), and what holds for all that a terminal shows. */
#pragma once

#define GOLDEN_FOLDER "golden/report"

#include "report/format.h"
#include "tests/support/golden.h"

/** No line takes more columns. */
static inline void expect_lines_within(const struct pe_text *text, size_t columns)
{
	for (const char *line = pe_text_str(text); *line != '\0';) {
		size_t n = strcspn(line, "\n");
		char *copy = strndup(line, n);

		cr_expect(le(sz, pe_text_columns(copy), columns), "too wide: %s", copy);
		free(copy);
		line += n + (line[n] == '\n');
	}
}

/** Line breaks and what ASCII prints. */
static inline void expect_ascii(const struct pe_text *text)
{
	for (size_t i = 0; i < text->len; i++)
		cr_assert(text->data[i] == '\n' || (text->data[i] >= ' ' && text->data[i] < 0x7f),
			  "byte %02x", (unsigned char)text->data[i]);
}

/** No escape, no reordering of text, no byte that is no character. */
static inline void expect_no_foreign_codes(const struct pe_text *text)
{
	cr_expect_text("- - - -", strchr(text->data, '\033'), strchr(text->data, '\007'),
		       strstr(text->data, "\xe2\x80\xae"), strchr(text->data, '\xff'));
}
