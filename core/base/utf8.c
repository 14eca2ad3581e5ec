#include "core/base/utf8.h"

#include <string.h>
#include <strings.h>

/** What a lead byte announces: bytes that follow, its own bits, and the bounds of the second byte. */
struct lead {
	unsigned char follow, bits, low, high;
};

static struct lead lead_of(unsigned char byte)
{
	if (byte >= 0xc2 && byte <= 0xdf)
		return (struct lead){1, byte & 0x1f, 0x80, 0xbf};
	if (byte == 0xe0)
		return (struct lead){2, 0, 0xa0, 0xbf}; /* below: overlong */
	if (byte == 0xed)
		return (struct lead){2, 0x0d, 0x80, 0x9f}; /* above: surrogates */
	if (byte >= 0xe1 && byte <= 0xef)
		return (struct lead){2, byte & 0x0f, 0x80, 0xbf};
	if (byte == 0xf0)
		return (struct lead){3, 0, 0x90, 0xbf};
	if (byte >= 0xf1 && byte <= 0xf3)
		return (struct lead){3, byte & 0x07, 0x80, 0xbf};
	if (byte == 0xf4)
		return (struct lead){3, 4, 0x80, 0x8f}; /* above: past U+10FFFF */
	return (struct lead){0, 0, 0, 0};
}

size_t pe_utf8_next(uint32_t *out, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;
	struct lead lead;
	uint32_t point;

	if (at[0] < 0x80) {
		*out = at[0];
		return 1;
	}
	*out = 0xfffd;
	lead = lead_of(at[0]);
	point = lead.bits;
	for (size_t i = 1; i <= lead.follow; i++) {
		unsigned char low = i == 1 ? lead.low : 0x80;
		unsigned char high = i == 1 ? lead.high : 0xbf;

		if (at[i] < low || at[i] > high)
			return i;
		point = point << 6 | (at[i] & 0x3f);
	}
	if (lead.follow == 0)
		return 1;
	*out = point;
	return (size_t)lead.follow + 1;
}

void pe_utf8_add(struct pe_text *out, const char *string)
{
	while (*string != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, string);

		if (point == 0xfffd)
			pe_text_add(out, "\xef\xbf\xbd");
		else
			pe_text_addn(out, string, n);
		string += n;
	}
}

static void add_escape(struct pe_text *out, uint32_t point)
{
	if (point == '\n')
		pe_text_add(out, "\\n");
	else if (point == '\t')
		pe_text_add(out, "\\t");
	else if (point == '\r')
		pe_text_add(out, "\\r");
	else
		pe_text_addf(out, "\\u%04x", (unsigned)point);
}

void pe_utf8_add_visible(struct pe_text *out, const char *string, const char *keep)
{
	while (*string != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, string);

		if (point == 0xfffd)
			pe_text_add(out, "\xef\xbf\xbd");
		else if (pe_utf8_is_control(point) &&
			 (point >= 0x80 || strchr(keep, (int)point) == NULL))
			add_escape(out, point);
		else
			pe_text_addn(out, string, n);
		string += n;
	}
}

const char *pe_utf8_last_lines(const char *log, size_t n)
{
	const char *at = log + strlen(log);

	while (at > log && !(at[-1] == '\n' && at[0] != '\0' && n-- == 1))
		at--;
	return at;
}

static bool says_error(const char *at, bool begins)
{
	/* Linkers name what is missing before their driver prints "error: ld returned 1". */
	if (strncmp(at, "undefined reference", 19) == 0 || strncmp(at, "undefined symbol", 16) == 0)
		return true;
	return strncasecmp(at, "error", 5) == 0 &&
	       (at[5] == ':' || at[5] == '[' || (begins && strchr(" \n", at[5]) != NULL));
}

const char *pe_utf8_error_line(const char *log)
{
	const char *line = log;

	for (const char *at = log; *at != '\0'; at++) {
		if (at > log && at[-1] == '\n')
			line = at;
		if (says_error(at, at == log || strchr(" \t\n", at[-1]) != NULL))
			return line;
	}
	return NULL;
}

void pe_utf8_add_log(struct pe_text *out, const char *log)
{
	pe_auto_text line = PE_TEXT_INIT;

	while (*log != '\0') {
		size_t n = strcspn(log, "\n");

		pe_text_clear(&line);
		pe_text_addn(&line, log, n);
		pe_text_add(out, n > 0 ? "    " : "");
		pe_utf8_add_visible(out, line.data, "\t");
		pe_text_addc(out, '\n');
		log += n + (log[n] == '\n');
	}
}

int pe_utf8_is_control(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
	       point == 0x200e || point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069);
}

bool pe_utf8_is_words(const char *string)
{
	uint32_t point;

	while (*string != '\0') {
		string += pe_utf8_next(&point, string);
		if (pe_utf8_is_control(point) || point == 0xfffd)
			return false;
	}
	return true;
}
