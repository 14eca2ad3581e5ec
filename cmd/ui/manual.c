/*
 * Manual: help for the terminal, in two columns, and manual pages, in the man(7) macros. On a manual page a character that
 * roff would take for itself is escaped, one outside of ASCII is written by its code point.
 */
#include "cmd/ui/usage.h"

#include "core/base/utf8.h"
#include "report/format.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

enum {
	INDENT = 2,
	OPTION_COLUMN = 28, /* where the explanation of an option starts */
	LEAST_TEXT = 24,    /* an explanation is never squeezed into less */
	PLAIN_WIDTH = 80,   /* where there is no terminal to ask */
	MOST_WIDTH = 100,   /* longer lines are hard to read */
};

/* --- For the terminal --- */

/* A terminal of the width that help has. */
static struct pe_term narrowed(const struct pe_term *term)
{
	struct pe_term out = *term;

	out.width = !term->interactive         ? PLAIN_WIDTH
		    : term->width < MOST_WIDTH ? term->width
					       : MOST_WIDTH;
	return out;
}

static void put_row(struct pe_manual *manual, const char *left, const char *right, size_t column)
{
	const struct pe_term term = narrowed(manual->term);
	pe_auto_text first = PE_TEXT_INIT, later = PE_TEXT_INIT;

	pe_term_blanks(&first, INDENT);
	pe_text_add(&first, left);
	if (column + LEAST_TEXT > term.width)
		column = 3 * INDENT;
	if (pe_text_columns(first.data) + INDENT > column) {
		pe_text_addf(manual->out, "%s\n", first.data);
		pe_text_clear(&first);
	}
	pe_term_blanks(&first, column - pe_text_columns(pe_text_str(&first)));
	pe_term_blanks(&later, column);
	pe_term_wrap(manual->out, &term, PE_PLAIN, first.data, later.data, right);
}

/* --- As a manual page --- */

void pe_manual_escape(struct pe_text *out, const char *string)
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

static void add_upper(struct pe_text *out, const char *string)
{
	for (; *string != '\0'; string++)
		pe_text_addc(out, *string >= 'a' && *string <= 'z' ? (char)(*string - 'a' + 'A')
								   : *string);
}

static void put_bold(struct pe_text *out, const char *string)
{
	pe_text_add(out, "\\fB");
	pe_manual_escape(out, string);
	pe_text_add(out, "\\fR\n");
}

void pe_manual_begin(struct pe_manual *manual, const char *name, const char *summary,
		     const char *version, int64_t date_s)
{
	struct pe_text *out = manual->out;
	time_t time = (time_t)date_s;
	struct tm date;
	char day[16] = "1970-01-01";

	if (gmtime_r(&time, &date) != NULL)
		strftime(day, sizeof(day), "%Y-%m-%d", &date);
	pe_text_add(out, ".TH \"");
	add_upper(out, name);
	pe_text_addf(out, "\" 1 %s \"perfevo %s\" \"perfevo manual\"\n.SH NAME\n", day, version);
	pe_manual_escape(out, name);
	pe_text_add(out, " \\- ");
	pe_manual_escape(out, summary);
	pe_text_addc(out, '\n');
}

void pe_manual_end(struct pe_manual *manual, const char *others)
{
	pe_manual_section(manual, "See also");
	pe_text_add(manual->out, others);
	pe_manual_section(manual, "Copyright");
	pe_text_add(manual->out,
		    "perfevo is free software under the MIT licence, by the perfevo authors.\n");
}

/* --- Both --- */

void pe_manual_section(struct pe_manual *manual, const char *heading)
{
	struct pe_text *out = manual->out;

	if (manual->term != NULL) {
		pe_text_addc(out, '\n');
		pe_term_paint(out, manual->term, PE_BOLD, heading);
	} else {
		pe_text_add(out, ".SH ");
		add_upper(out, heading);
	}
	pe_text_addc(out, '\n');
}

void pe_manual_item(struct pe_manual *manual, const char *tag, const char *text, size_t column)
{
	if (manual->term != NULL) {
		put_row(manual, tag, text, column);
		return;
	}
	pe_text_add(manual->out, ".TP\n");
	put_bold(manual->out, tag);
	pe_manual_escape(manual->out, text);
	pe_text_addc(manual->out, '\n');
}

static void put_lines(struct pe_manual *manual, const char *const *lines)
{
	if (manual->term == NULL)
		pe_text_add(manual->out, ".SH SYNOPSIS\n.nf\n");
	for (size_t i = 0; lines[i] != NULL; i++)
		if (manual->term != NULL)
			pe_text_addf(manual->out, "%s %s\n",
				     i == 0 ? "usage:" : "   or:", lines[i]);
		else
			put_bold(manual->out, lines[i]);
	if (manual->term == NULL)
		pe_text_add(manual->out, ".fi\n");
}

/* Paragraphs are separated in the string by an empty line. */
static void put_paragraphs(struct pe_manual *manual, const char *string)
{
	for (const char *at = string; *at != '\0'; at += strspn(at, "\n")) {
		const char *end = strstr(at, "\n\n");
		const size_t n = end != NULL ? (size_t)(end - at) : strlen(at);
		pe_auto_text one = PE_TEXT_INIT;

		pe_text_addn(&one, at, n);
		if (manual->term != NULL) {
			const struct pe_term term = narrowed(manual->term);

			for (char *c = one.data; (c = strchr(c, '\n')) != NULL;)
				*c = ' ';
			pe_text_addc(manual->out, '\n');
			pe_term_wrap(manual->out, &term, PE_PLAIN, "", "", one.data);
		} else {
			/* A heading is followed by text at once. */
			pe_text_add(manual->out, at > string ? ".PP\n" : "");
			pe_manual_escape(manual->out, pe_text_str(&one));
			pe_text_addc(manual->out, '\n');
		}
		at += n;
	}
}

void pe_manual_introduce(struct pe_manual *manual, const struct pe_usage *usage)
{
	put_lines(manual, usage->lines);
	if (manual->term == NULL)
		pe_manual_section(manual, "Description");
	put_paragraphs(manual, usage->description);
}

/* "-b, --bench REGEX"; in help all names stand below each other. */
static void add_option(struct pe_text *out, const struct pe_opt *opt, bool aligned)
{
	if (opt->letter != 0)
		pe_text_addf(out, "-%c, ", opt->letter);
	else if (aligned)
		pe_term_blanks(out, strlen("-x, "));
	pe_text_addf(out, "--%s", opt->name);
	if (opt->kind == PE_OPT_CHOICE) {
		for (size_t i = 0; opt->choices[i] != NULL; i++)
			pe_text_addf(out, "%s%s", i == 0 ? " " : "|", opt->choices[i]);
	} else if (opt->argument != NULL) {
		pe_text_addf(out, " %s", opt->argument);
	}
}

void pe_manual_options(struct pe_manual *manual, const struct pe_opt *opts)
{
	const bool roff = manual->term == NULL;
	pe_auto_text tag = PE_TEXT_INIT;

	if (roff || (opts->kind != PE_OPT_GROUP && opts->kind != PE_OPT_END))
		pe_manual_section(manual, "Options");
	for (; opts->kind != PE_OPT_END; opts++) {
		if (opts->kind == PE_OPT_GROUP && roff) {
			pe_text_addf(manual->out, ".SS %s\n", opts->help);
		} else if (opts->kind == PE_OPT_GROUP) {
			pe_manual_section(manual, opts->help);
		} else {
			pe_text_clear(&tag);
			add_option(&tag, opts, !roff);
			pe_manual_item(manual, tag.data, opts->help, OPTION_COLUMN);
		}
	}
}

void pe_manual_command(struct pe_manual *manual, const struct pe_usage *usage,
		       const struct pe_opt *opts)
{
	const struct pe_example *example = usage->examples;

	pe_manual_introduce(manual, usage);
	pe_manual_options(manual, opts);
	if (example == NULL || example->command == NULL)
		return;
	pe_manual_section(manual, "Examples");
	for (; example->command != NULL; example++)
		pe_manual_item(manual, example->command, example->what, 3 * INDENT);
}
