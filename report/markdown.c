#include "report/markdown.h"

#include "report/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Characters that begin markup somewhere: CommonMark's, and those of tables, strikethrough and formulas. */
static const char special[] = "\\`*_[]#|~$";

static void add_plain(struct pe_text *out, char c)
{
	switch (c) {
	case '&':
		pe_text_add(out, "&amp;");
		break;
	case '<':
		pe_text_add(out, "&lt;");
		break;
	case '>':
		pe_text_add(out, "&gt;");
		break;
	case '@': /* an empty comment keeps it from being a mention */
		pe_text_add(out, "@<!-- -->");
		break;
	default:
		if (strchr(special, c) != NULL)
			pe_text_addc(out, '\\');
		pe_text_addc(out, c);
		if (c == '#') /* nor is it a reference */
			pe_text_add(out, "<!-- -->");
	}
}

/* Code between backticks, in which nothing is interpreted but, in a table, its bar. */
static void add_code(struct pe_text *out, const char *bytes, size_t n, enum pe_md_place place)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '|' && place == PE_MD_CELL)
			pe_text_addc(out, '\\');
		pe_text_addc(out, bytes[i]);
	}
}

static void add_fence(struct pe_text *out, size_t n)
{
	while (n-- > 0)
		pe_text_addc(out, '`');
}

/* One more than the longest run of backticks. */
static size_t fence_of(const char *string, size_t least)
{
	size_t longest = 0;

	while (*string != '\0') {
		size_t run = strspn(string, "`");

		longest = run > longest ? run : longest;
		string += run > 0 ? run : 1;
	}
	return longest + 1 > least ? longest + 1 : least;
}

void pe_md_text(struct pe_text *out, const char *string, enum pe_md_place place)
{
	pe_auto_text clean = PE_TEXT_INIT;
	const char *at;

	pe_text_add_columns(&clean, string, SIZE_MAX);
	for (at = pe_text_str(&clean); *at != '\0';) {
		size_t n = *at == '`' ? strcspn(at + 1, "`") : 0;

		if (n > 0 && at[1 + n] == '`' && at[2 + n] != '`') {
			pe_text_addc(out, '`');
			add_code(out, at + 1, n, place);
			pe_text_addc(out, '`');
			at += n + 2;
		} else {
			add_plain(out, *at++);
		}
	}
}

void pe_md_code(struct pe_text *out, const char *string, enum pe_md_place place)
{
	pe_auto_text clean = PE_TEXT_INIT;
	const char *name;
	size_t fence;
	bool padded;

	pe_text_add_columns(&clean, string, SIZE_MAX);
	name = pe_text_str(&clean);
	fence = fence_of(name, 1);
	/* Blanks at both ends go when it is shown, and keep apart backticks. */
	padded = clean.len > 0 && (name[0] == '`' || name[clean.len - 1] == '`' ||
				   (name[0] == ' ' && name[clean.len - 1] == ' '));
	if (clean.len > 0) {
		add_fence(out, fence);
		pe_text_add(out, padded ? " " : "");
		add_code(out, name, clean.len, place);
		pe_text_add(out, padded ? " " : "");
		add_fence(out, fence);
	}
}

void pe_md_block(struct pe_text *out, const char *lines)
{
	size_t n = strlen(lines), fence = fence_of(lines, 3);

	add_fence(out, fence);
	pe_text_addf(out, "text\n%s%s", lines, n > 0 && lines[n - 1] == '\n' ? "" : "\n");
	add_fence(out, fence);
	pe_text_addc(out, '\n');
}

/* Inside of HTML nothing of Markdown holds, but mentions and line breaks do. */
void pe_md_fold(struct pe_text *out, const char *summary)
{
	pe_auto_text escaped = PE_TEXT_INIT;

	pe_escape_xml(&escaped, summary);
	pe_text_add(out, "<details><summary>");
	for (const char *c = pe_text_str(&escaped); *c != '\0'; c++) {
		if (*c == '@')
			pe_text_add(out, "&#64;");
		else
			pe_text_addc(out, *c == '\n' || *c == '\r' ? ' ' : *c);
	}
	pe_text_add(out, "</summary>\n");
}

/* --- Tables --- */

const struct pe_term pe_md_term = {.unicode = true};

static void add_cell(struct pe_text *out, const struct pe_table_cell *cell,
		     const struct pe_column *column)
{
	bool bold = (cell->paint == PE_BAD || cell->paint == PE_GOOD) && cell->text[0] != '\0' &&
		    column->title[0] != '\0';

	pe_text_add(out, bold ? " **" : " ");
	if (cell->code)
		pe_md_code(out, cell->text, PE_MD_CELL);
	else
		pe_md_text(out, cell->text, PE_MD_CELL);
	pe_text_add(out, bold ? "**" : "");
}

static void add_head(struct pe_text *out, const struct pe_table *table)
{
	pe_text_addc(out, '|');
	for (size_t c = 0; c < table->n_columns; c++)
		pe_text_addf(out, "%s%s |", table->columns[c].title[0] != '\0' ? " " : "",
			     table->columns[c].title);
	pe_text_add(out, "\n|");
	for (size_t c = 0; c < table->n_columns; c++)
		pe_text_add(out, table->columns[c].right ? "---:|" : "---|");
	pe_text_addc(out, '\n');
}

void pe_md_table(struct pe_text *out, const struct pe_table *table)
{
	const struct pe_table_note *note = table->notes.data;
	const struct pe_table_note *end = note + table->notes.n;

	add_head(out, table);
	for (size_t i = 0; i < table->cells.n; i++) {
		const size_t c = i % table->n_columns;

		pe_text_add(out, c == 0 ? "|" : " |");
		add_cell(out, &table->cells.data[i], &table->columns[c]);
		if (c + 1 < table->n_columns)
			continue;
		for (; note < end && note->row == i / table->n_columns; note++) {
			pe_text_add(out, "; ");
			pe_md_text(out, note->text + strspn(note->text, " "), PE_MD_CELL);
		}
		pe_text_add(out, " |\n");
	}
}
