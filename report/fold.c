/* Fold: text that keeps to the width of the terminal: long lines in several, long paths without their beginning. */
#include "report/terminal.h"

#include "report/format.h"
#include "core/base/utf8.h"

#include <string.h>

enum { LEAST_WIDTH = 20 }; /* below it nothing is broken: lines of one letter would be unreadable */

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

static size_t columns_of(const char *line, size_t n)
{
	size_t columns = 0, one;

	for (size_t i = 0; i < n; columns += one)
		i += next_piece(&one, line + i);
	return columns;
}

/*
 * How much of a line goes before a break: up to the last blank that fits, or else as many characters as do.
 *
 * @param skip  bytes at the start in which there is no break: the indent
 */
static size_t bytes_that_fit(const char *line, size_t n, size_t skip, size_t width)
{
	size_t columns = 0, one, best = 0, i = 0;

	while (i < n) {
		size_t bytes = next_piece(&one, line + i);

		if (columns + one > width)
			break;
		if (i > skip && line[i] == ' ' && line[i - 1] != ' ')
			best = i;
		columns += one;
		i += bytes;
	}
	if (i == n || (line[i] == ' ' && i > skip))
		return i;
	return best > 0 ? best : i;
}

static void fold_line(struct pe_text *out, const struct pe_term *term, const char *line, size_t n)
{
	size_t indent = strspn(line, " "), later = indent + 2, skip = indent;

	if (indent > term->width / 2)
		later = 2;
	if (columns_of(line, n) <= term->width) {
		pe_text_addn(out, line, n);
		return;
	}
	for (size_t width = term->width; n > 0; width = term->width - later) {
		size_t taken = bytes_that_fit(line, n, skip, width);

		pe_text_addn(out, line, taken);
		line += taken;
		n -= taken;
		while (n > 0 && *line == ' ') {
			line++;
			n--;
		}
		if (n == 0)
			return;
		pe_term_end_line(out);
		pe_term_blanks(out, later);
		skip = 0;
	}
}

void pe_term_fold(struct pe_text *out, const struct pe_term *term, const char *document)
{
	if (term->width < LEAST_WIDTH) {
		pe_text_add(out, document);
		return;
	}
	while (*document != '\0') {
		size_t n = strcspn(document, "\n");

		fold_line(out, term, document, n);
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
