/* Fold: text that keeps to the width of the terminal: long lines in several, long paths without their beginning. */
#include "report/terminal.h"

#include "report/format.h"
#include "core/base/utf8.h"

#include <string.h>

enum { LEAST_WIDTH = 20 }; /* below it nothing is broken: lines of one letter would be unreadable */

#define RESET "\033[0m"

/** Length of perfevo's own colour at the start of a string; 0 when there is none. */
static size_t colour_length(const char *string)
{
	size_t n = 2;

	if (string[0] != '\033' || string[1] != '[')
		return 0;
	n += strspn(string + n, "0123456789;");
	return string[n] == 'm' ? n + 1 : 0;
}

/* Bytes of the next character or colour within a line, and the columns that they take. */
static size_t next_piece(size_t *columns, const char *at)
{
	size_t n = colour_length(at);
	char one[8] = "";
	uint32_t point;

	*columns = 0;
	if (n > 0)
		return n;
	n = pe_utf8_next(&point, at);
	memcpy(one, at, n);
	*columns = *at == '\t' ? 8 : pe_text_columns(one);
	return n;
}

size_t pe_term_columns(const char *painted)
{
	size_t columns = 0, one;

	for (; *painted != '\0'; columns += one)
		painted += next_piece(&one, painted);
	return columns;
}

/* Whether a line may be broken here: not between a number and its percent sign. */
static bool is_break(const char *at)
{
	return at[0] == ' ' && at[1] != '%';
}

/*
 * How much of a line goes before a break: all of it, up to the last blank that fits, or else as many characters as do.
 *
 * @param skip  bytes at the start in which there is no break: the indent
 */
static size_t bytes_that_fit(const char *line, size_t skip, size_t width)
{
	size_t columns = 0, one, best = 0, i = 0;

	while (line[i] != '\0') {
		size_t bytes = next_piece(&one, line + i);

		if (columns + one > width)
			break;
		if (i > skip && is_break(line + i) && line[i - 1] != ' ')
			best = i;
		columns += one;
		i += bytes;
	}
	if (line[i] == '\0' || (is_break(line + i) && i > skip))
		return i;
	return best > 0 ? best : i;
}

/* The colour of the text at a place of a line, NULL: none. @param colour  at the line's beginning */
static const char *colour_at(const char *colour, const char *line, const char *at)
{
	for (; line < at; line++)
		if (colour_length(line) > 0)
			colour = strncmp(line, RESET, strlen(RESET)) == 0 ? NULL : line;
	return colour;
}

/*
 * Append a line in as many as it takes. A pager that scrolls starts at any of them, so that each has its colour.
 *
 * @param skip  as bytes_that_fit() has it, of the first line
 */
static void add_lines(struct pe_text *out, const struct pe_term *term, const char *line,
		      size_t skip, const char *later)
{
	const size_t beside = pe_text_columns(later) + LEAST_WIDTH / 2;
	size_t room = term->width < LEAST_WIDTH ? SIZE_MAX : term->width;
	const char *colour = NULL;

	for (;;) {
		const size_t taken = bytes_that_fit(line, skip, room);

		colour = colour_at(colour, line, line + taken);
		pe_text_addn(out, line, taken);
		line += taken;
		if (line[strspn(line, " ")] == '\0')
			return;
		line += strspn(line, " ");
		pe_text_add(out, colour != NULL ? RESET : "");
		pe_term_end_line(out);
		pe_text_add(out, later);
		pe_text_addn(out, colour, colour != NULL ? colour_length(colour) : 0);
		room = LEAST_WIDTH / 2 + (term->width > beside ? term->width - beside : 0);
		skip = 0;
	}
}

void pe_term_wrap(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
		  const char *first, const char *later, const char *sentence)
{
	pe_auto_text line = PE_TEXT_INIT;
	size_t skip;

	pe_term_add(&line, term, first, SIZE_MAX);
	skip = line.len;
	pe_term_paint(&line, term, paint, sentence);
	add_lines(out, term, pe_text_str(&line), skip, later);
	pe_text_addc(out, '\n');
}

void pe_term_fold(struct pe_text *out, const struct pe_term *term, const char *document)
{
	while (*document != '\0') {
		const size_t n = strcspn(document, "\n"), indent = strspn(document, " ");
		pe_auto_text line = PE_TEXT_INIT, later = PE_TEXT_INIT;

		pe_text_addn(&line, document, n);
		pe_term_blanks(&later, indent > term->width / 2 ? 2 : indent + 2);
		add_lines(out, term, pe_text_str(&line), indent, pe_text_str(&later));
		document += n;
		if (*document == '\n') {
			pe_text_addc(out, '\n');
			document++;
		}
	}
}

void pe_term_add_path(struct pe_text *out, const struct pe_term *term, const char *path,
		      size_t columns)
{
	const size_t whole = pe_text_columns(path);

	/* The file's name and line matter more than its folders. */
	if (whole > columns && columns > 1) {
		pe_text_add(out, term->unicode ? "\xe2\x80\xa6" : "~");
		while (pe_text_columns(path) > columns - 1) {
			uint32_t point;

			path += pe_utf8_next(&point, path);
		}
	}
	pe_term_add(out, term, path, columns);
}
