/*
 * Man: the same tables as manual pages, in the man(7) macros, which every roff understands. A character that
 * roff would take for itself is escaped, one outside of ASCII is written by its code point.
 */
#include "cmd/ui/usage.h"

#include "core/base/utf8.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

void pe_man_add(struct pe_text *out, const char *string)
{
	bool line_start = out->len == 0 || out->data[out->len - 1] == '\n';

	while (*string != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, string);

		if (line_start && (*string == '.' || *string == '\''))
			pe_text_add(out, "\\&");
		line_start = *string == '\n';
		if (*string == '\\')
			pe_text_add(out, "\\e");
		else if (*string == '-')
			pe_text_add(out, "\\-");
		else if (*string == '\'')
			pe_text_add(out, "\\(aq");
		else if (*string == '`')
			pe_text_add(out, "\\(ga");
		else if (*string == '^')
			pe_text_add(out, "\\(ha");
		else if (*string == '~')
			pe_text_add(out, "\\(ti");
		else if (point >= 0x80)
			pe_text_addf(out, "\\[u%04" PRIX32 "]", point);
		else
			pe_text_addc(out, *string);
		string += n;
	}
}

void pe_man_begin(struct pe_text *out, const struct pe_man *man)
{
	time_t time = (time_t)man->date_s;
	struct tm date;
	char day[16] = "1970-01-01";

	if (gmtime_r(&time, &date) != NULL)
		strftime(day, sizeof(day), "%Y-%m-%d", &date);
	pe_text_add(out, ".TH \"");
	for (const char *at = man->name; *at != '\0'; at++)
		pe_text_addc(out, *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at);
	pe_text_addf(out, "\" 1 %s \"perfevo %s\" \"perfevo manual\"\n.SH NAME\n", day,
		     man->version);
	pe_man_add(out, man->name);
	pe_text_add(out, " \\- ");
	pe_man_add(out, man->summary);
	pe_text_addc(out, '\n');
}

void pe_man_section(struct pe_text *out, const char *heading)
{
	pe_text_addf(out, ".SH %s\n", heading);
}

void pe_man_paragraphs(struct pe_text *out, const char *paragraphs)
{
	bool first = true;

	while (*paragraphs != '\0') {
		const char *end = strstr(paragraphs, "\n\n");
		pe_auto_text one = PE_TEXT_INIT;

		pe_text_addn(&one, paragraphs,
			     end != NULL ? (size_t)(end - paragraphs) : strlen(paragraphs));
		paragraphs += one.len;
		paragraphs += strspn(paragraphs, "\n");
		/* A heading is followed by text at once; a list needs the break. */
		if (!first)
			pe_text_add(out, ".PP\n");
		first = false;
		pe_man_add(out, one.data);
		pe_text_addc(out, '\n');
	}
}

static void bold_line(struct pe_text *out, const char *string)
{
	pe_text_add(out, "\\fB");
	pe_man_add(out, string);
	pe_text_add(out, "\\fR\n");
}

void pe_man_item(struct pe_text *out, const char *tag, const char *text)
{
	pe_text_add(out, ".TP\n");
	bold_line(out, tag);
	pe_man_add(out, text);
	pe_text_addc(out, '\n');
}

void pe_man_synopsis(struct pe_text *out, const char *const *lines)
{
	pe_man_section(out, "SYNOPSIS");
	pe_text_add(out, ".nf\n");
	for (size_t i = 0; lines[i] != NULL; i++)
		bold_line(out, lines[i]);
	pe_text_add(out, ".fi\n");
}

void pe_man_options(struct pe_text *out, const struct pe_opt *opts)
{
	pe_auto_text tag = PE_TEXT_INIT;

	pe_man_section(out, "OPTIONS");
	for (; opts->kind != PE_OPT_END; opts++) {
		if (opts->kind == PE_OPT_GROUP) {
			pe_text_addf(out, ".SS %s\n", opts->help);
			continue;
		}
		pe_text_clear(&tag);
		pe_usage_option(&tag, opts);
		pe_man_item(out, tag.data, opts->help);
	}
}

static void examples(struct pe_text *out, const struct pe_example *example)
{
	if (example == NULL || example->command == NULL)
		return;
	pe_man_section(out, "EXAMPLES");
	for (; example->command != NULL; example++)
		pe_man_item(out, example->command, example->what);
}

void pe_man_licence(struct pe_text *out)
{
	pe_man_section(out, "COPYRIGHT");
	pe_text_add(out,
		    "perfevo is free software under the MIT licence, by the perfevo authors.\n");
}

void pe_usage_man(struct pe_text *out, const struct pe_man *man, const struct pe_usage *usage,
		  const struct pe_opt *opts)
{
	pe_man_begin(out, man);
	pe_man_synopsis(out, usage->lines);
	pe_man_section(out, "DESCRIPTION");
	pe_man_paragraphs(out, usage->description);
	pe_man_options(out, opts);
	examples(out, usage->examples);
	pe_man_section(out, "SEE ALSO");
	pe_text_add(out, ".BR perfevo (1)\n");
	pe_man_licence(out);
}
