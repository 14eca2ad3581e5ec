/* Escape: the one way text enters a document. */
#include "report/format.h"
#include "core/base/number.h"
#include "core/base/utf8.h"

#include <math.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static const char *xml_entity(uint32_t point)
{
	switch (point) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/** Production Char of XML 1.0, without the C1 controls. */
static int xml_allows(uint32_t point)
{
	if (point < 0x20)
		return point == '\t' || point == '\n' || point == '\r';
	return !(point >= 0x7f && point < 0xa0) && point != 0xfffe && point != 0xffff;
}

void pe_escape_xml(struct pe_text *out, const char *string)
{
	while (*string != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, string);
		const char *entity = xml_entity(point);

		if (entity != NULL)
			pe_text_add(out, entity);
		else if (point == 0xfffd || !xml_allows(point))
			pe_text_add(out, REPLACEMENT);
		else
			pe_text_addn(out, string, n);
		string += n;
	}
}

void pe_escape_dot(struct pe_text *out, const char *string)
{
	pe_text_addc(out, '"');
	while (*string != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, string);

		/* in Graphviz a backslash also begins things like \N, the node's name */
		if (point == '"' || point == '\\')
			pe_text_addf(out, "\\%c", (char)point);
		else if (point == '\n')
			pe_text_add(out, "\\n");
		else if (point == 0xfffd)
			pe_text_add(out, REPLACEMENT);
		else if (!pe_utf8_is_control(point))
			pe_text_addn(out, string, n);
		string += n;
	}
	pe_text_addc(out, '"');
}

void pe_escape_csv(struct pe_text *out, const char *string)
{
	bool formula = string[0] != '\0' && strchr("=+-@\t\r", string[0]) != NULL;
	bool quoted = formula || strpbrk(string, ",\"\r\n") != NULL || string[0] == ' ';

	if (quoted)
		pe_text_addc(out, '"');
	if (formula)
		pe_text_addc(out, '\'');
	while (*string != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, string);

		if (point == '"')
			pe_text_add(out, "\"\"");
		else if (point == 0xfffd)
			pe_text_add(out, REPLACEMENT);
		else if (pe_utf8_is_control(point) && point != '\t')
			pe_text_addf(out, "\\u%04x", (unsigned)point);
		else
			pe_text_addn(out, string, n);
		string += n;
	}
	if (quoted)
		pe_text_addc(out, '"');
}

void pe_csv_add_texts(struct pe_text *out, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pe_text_addc(out, ',');
		pe_escape_csv(out, texts[i] != NULL ? texts[i] : "");
	}
}

void pe_csv_add_numbers(struct pe_text *out, const double *values, size_t n, bool known)
{
	for (size_t i = 0; i < n; i++) {
		pe_text_addc(out, ',');
		if (known && isfinite(values[i]))
			pe_number_rounded(out, values[i], 12);
	}
}
