/*
 * Columns: the width of text on a terminal. Like most terminals we count each character, so that an emoji joined of several
 * counts as the sum of its parts.
 */
#include "report/format.h"

#include "core/base/utf8.h"

#include <utf8proc.h>

static size_t width_of(uint32_t point)
{
	if (pe_utf8_is_control(point))
		return 0;
	if (point < 0x300)
		return 1;
	/* Vowels and finals of Hangul join the syllable that their initial began. */
	if (point >= 0x1160 && point <= 0x11ff)
		return 0;
	switch (utf8proc_category((utf8proc_int32_t)point)) {
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_CF:
		return 0;
	default:
		return utf8proc_charwidth((utf8proc_int32_t)point) == 2 ? 2 : 1;
	}
}

size_t pe_text_columns(const char *string)
{
	size_t columns = 0;
	uint32_t point;

	while (*string != '\0') {
		string += pe_utf8_next(&point, string);
		columns += width_of(point);
	}
	return columns;
}

static void add_point(struct pe_text *out, uint32_t point, const char *bytes, size_t n)
{
	if (pe_utf8_is_control(point))
		return;
	if (point == 0xfffd)
		pe_text_add(out, "\xef\xbf\xbd");
	else
		pe_text_addn(out, bytes, n);
}

void pe_text_add_columns(struct pe_text *out, const char *string, size_t columns)
{
	size_t whole = pe_text_columns(string);
	size_t room = whole <= columns ? whole : columns > 0 ? columns - 1 : 0;
	size_t used = 0;

	while (*string != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, string);

		if (used + width_of(point) > room)
			break;
		used += width_of(point);
		add_point(out, point, string, n);
		string += n;
	}
	if (whole > columns && columns > 0)
		pe_text_add(out, "\xe2\x80\xa6");
}
