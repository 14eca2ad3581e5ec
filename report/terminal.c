#include "report/terminal.h"

#include "report/format.h"
#include "report/short_name.h"
#include "core/base/utf8.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

enum {
	GAP = 2,             /* columns between two cells */
	MOST_HEAD = 140,     /* columns of a line above a row */
	PATHS_FIRST_TO = 12, /* columns down to which paths give way before anything else does */
};

/** What our own signs look like in ASCII. */
static const char *ascii_of(uint32_t point)
{
	switch (point) {
	case 0x2212: /* minus */
	case 0x2013: /* en dash */
		return "-";
	case 0xd7: /* times */
		return "x";
	case 0xb5: /* micro */
		return "u";
	case 0xb1: /* plus-minus */
		return "+-";
	case 0x2192: /* arrow */
		return "->";
	case 0x2026: /* ellipsis */
		return "...";
	case 0xbb:   /* guillemet: renamed */
	case 0x25b8: /* small triangle: more is folded */
		return ">";
	case 0x25b2: /* triangle up */
		return "^";
	case 0x25b3: /* empty triangle: worse, and it stops nothing */
		return "=";
	case 0x2717: /* cross */
		return "x";
	case 0x25bc: /* triangle down */
		return "v";
	case 0x394: /* Delta */
		return "d";
	default:
		return "?";
	}
}

static void add_ascii(struct pe_text *out, const char *string)
{
	while (*string != '\0') {
		uint32_t point;
		size_t n = pe_utf8_next(&point, string);

		if (point >= 0x20 && point < 0x7f)
			pe_text_addc(out, (char)point);
		else if (!pe_utf8_is_control(point))
			pe_text_add(out, ascii_of(point));
		string += n;
	}
}

void pe_term_add(struct pe_text *out, const struct pe_term *term, const char *string,
		 size_t columns)
{
	pe_auto_text plain = PE_TEXT_INIT;
	bool cut;

	if (term->unicode) {
		pe_text_add_columns(out, string, columns);
		return;
	}
	add_ascii(&plain, string);
	cut = plain.len > columns;
	pe_text_addn(out, pe_text_str(&plain), cut ? (columns > 0 ? columns - 1 : 0) : plain.len);
	if (cut && columns > 0)
		pe_text_addc(out, '~');
}

static void add_painted(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
			const char *string, size_t columns)
{
	static const char *const codes[] = {
		[PE_PLAIN] = "",       [PE_BOLD] = "\033[1m",  [PE_DIM] = "\033[2m",
		[PE_BAD] = "\033[31m", [PE_GOOD] = "\033[36m",
	};
	bool painted = term->colour && paint != PE_PLAIN && string[0] != '\0';

	if (painted)
		pe_text_add(out, codes[paint]);
	pe_term_add(out, term, string, columns);
	if (painted)
		pe_text_add(out, "\033[0m");
}

void pe_term_paint(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
		   const char *string)
{
	add_painted(out, term, paint, string, SIZE_MAX);
}

void pe_term_line(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
		  const char *string)
{
	add_painted(out, term, paint, string, term->width != 0 ? term->width : SIZE_MAX);
	pe_text_addc(out, '\n');
}

void pe_term_linef(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
		   const char *format, ...)
{
	pe_auto_text line = PE_TEXT_INIT;
	va_list args;

	va_start(args, format);
	pe_text_addv(&line, format, args);
	va_end(args);
	pe_term_line(out, term, paint, pe_text_str(&line));
}

void pe_term_blanks(struct pe_text *out, size_t n)
{
	while (n-- > 0)
		pe_text_addc(out, ' ');
}

void pe_term_end_line(struct pe_text *out)
{
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	pe_text_addc(out, '\n');
}

void pe_term_branches(struct pe_text *out, const struct pe_term *term, const bool *open,
		      uint32_t level, bool last, uint32_t most)
{
	static const char *const lines[2][4] = {{"|  ", "   ", "|- ", "`- "},
						{"│  ", "   ", "├─ ", "└─ "}};

	if (level > most) {
		pe_text_addf(out, "[%u] ", (unsigned)level);
		return;
	}
	for (uint32_t i = 1; i < level; i++)
		pe_text_add(out, lines[term->unicode][open[i] ? 0 : 1]);
	if (level > 0)
		pe_text_add(out, lines[term->unicode][last ? 3 : 2]);
}

/** Length of the terminal code at the start of a string (ECMA-48 CSI); 0 when there is none. */
static size_t code_length(const char *string)
{
	size_t n = 2;

	if (string[0] != '\033' || string[1] != '[')
		return 0;
	while (string[n] >= 0x20 && string[n] < 0x40)
		n++;
	return string[n] >= 0x40 && string[n] < 0x7f ? n + 1 : n;
}

static void add_without_codes(struct pe_text *out, const char *string, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t code = code_length(string + i);

		if (code == 0)
			pe_text_addc(out, string[i++]);
		i += code;
	}
}

void pe_term_log(struct pe_text *out, const struct pe_term *term, const char *indent,
		 const char *log)
{
	pe_auto_text line = PE_TEXT_INIT;

	while (*log != '\0') {
		size_t n = strcspn(log, "\n");

		pe_text_clear(&line);
		pe_text_add(&line, indent);
		add_without_codes(&line, log, n);
		pe_term_add(out, term, pe_text_str(&line), SIZE_MAX);
		pe_text_addc(out, '\n');
		log += n + (log[n] == '\n');
	}
}

void pe_table_init(struct pe_table *table, const struct pe_column *columns, size_t n_columns,
		   const struct pe_term *term)
{
	*table = (struct pe_table){.columns = columns, .n_columns = n_columns, .term = term};
}

void pe_table_put(struct pe_table *table, enum pe_paint paint, const char *text)
{
	pe_auto_text shown = PE_TEXT_INIT;
	struct pe_table_cell cell = {.paint = paint, .before = "", .after = ""};

	pe_term_add(&shown, table->term, text, SIZE_MAX);
	cell.text = pe_arena_strndup(&table->arena, pe_text_str(&shown), shown.len);
	pe_vec_push(&table->cells, cell);
}

void pe_table_code(struct pe_table *table, const char *name)
{
	pe_table_put(table, PE_PLAIN, name);
	table->cells.data[table->cells.n - 1].code = true;
}

void pe_table_function(struct pe_table *table, enum pe_paint paint, const char *before,
		       const char *name)
{
	pe_auto_text lines = PE_TEXT_INIT;

	pe_table_code(table, name);
	table->cells.data[table->cells.n - 1].paint = paint;
	table->cells.data[table->cells.n - 1].function = true;
	pe_term_paint(&lines, table->term, paint, before);
	pe_table_surround(table, pe_text_str(&lines), "");
}

void pe_table_surround(struct pe_table *table, const char *before, const char *after)
{
	struct pe_table_cell *cell = &table->cells.data[table->cells.n - 1];

	cell->before = pe_arena_strdup(&table->arena, before);
	cell->after = pe_arena_strdup(&table->arena, after);
}

void pe_table_path(struct pe_table *table, enum pe_paint paint, const char *path)
{
	pe_table_put(table, paint, path);
	table->cells.data[table->cells.n - 1].path = true;
}

void pe_table_take(struct pe_table *table, enum pe_paint paint, struct pe_text *text)
{
	pe_table_put(table, paint, pe_text_str(text));
	pe_text_clear(text);
}

void pe_table_value(struct pe_table *table, enum pe_paint paint, double value, const char *unit)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_format_value(&text, value, unit);
	pe_table_take(table, paint, &text);
}

void pe_table_putf(struct pe_table *table, enum pe_paint paint, const char *format, ...)
{
	pe_auto_text text = PE_TEXT_INIT;
	va_list args;

	va_start(args, format);
	pe_text_addv(&text, format, args);
	va_end(args);
	pe_table_take(table, paint, &text);
}

void pe_table_note(struct pe_table *table, size_t indent, const char *text)
{
	struct pe_table_note note = {.row = table->cells.n / table->n_columns - 1};

	if (text == NULL || text[0] == '\0')
		return;
	note.text = pe_arena_printf(&table->arena, "%*s%s", (int)indent, "", text);
	pe_vec_push(&table->notes, note);
}

void pe_table_head(struct pe_table *table, const char *text, enum pe_paint paint, const char *right)
{
	struct pe_table_note note = {table->cells.n / table->n_columns,
				     pe_arena_strdup(&table->arena, text),
				     pe_arena_strdup(&table->arena, right), paint};

	pe_vec_push(&table->notes, note);
}

/** Columns of what stands around a cell's text. */
static size_t columns_around(const struct pe_table_cell *cell)
{
	return pe_term_columns(cell->before) + pe_term_columns(cell->after);
}

/** The width of each column as its widest cell asks for it; empty columns stay 0. */
static size_t *natural_widths(const struct pe_table *table, bool titles, struct pe_arena *arena)
{
	size_t *widths = pe_arena_new(arena, size_t, table->n_columns);

	for (size_t i = 0; i < table->cells.n; i++) {
		const struct pe_table_cell *cell = &table->cells.data[i];
		size_t width = pe_text_columns(cell->text) + columns_around(cell);

		if (width > widths[i % table->n_columns])
			widths[i % table->n_columns] = width;
	}
	for (size_t c = 0; titles && c < table->n_columns; c++) {
		size_t width = pe_text_columns(table->columns[c].title);

		if (widths[c] != 0 && width > widths[c])
			widths[c] = width;
	}
	return widths;
}

static size_t total_width(const size_t *widths, size_t n)
{
	size_t total = 0, shown = 0;

	for (size_t c = 0; c < n; c++) {
		total += widths[c];
		shown += widths[c] != 0;
	}
	return total + (shown > 0 ? (shown - 1) * GAP : 0);
}

/* The column that gives way next: one of paths that is still wide, else the widest; n_columns: none. */
static size_t find_yielding(const struct pe_table *table, const size_t *widths)
{
	size_t found = table->n_columns;

	for (size_t c = 0; c < table->n_columns; c++) {
		if (table->columns[c].least == 0 || widths[c] <= table->columns[c].least)
			continue;
		if (table->cells.n > 0 && table->cells.data[c].path && widths[c] > PATHS_FIRST_TO)
			return c;
		if (found == table->n_columns || widths[c] >= widths[found])
			found = c;
	}
	return found;
}

/* Take columns away, one at a time, until the table fits. */
static void fit(const struct pe_table *table, size_t *widths)
{
	size_t total = total_width(widths, table->n_columns);

	while (table->term->width != 0 && total > table->term->width) {
		size_t c = find_yielding(table, widths);

		if (c == table->n_columns)
			return;
		widths[c]--;
		total--;
	}
}

/* Shorten the names of a column together. */
static void shorten_names(const struct pe_table *table, size_t c, size_t width,
			  struct pe_arena *arena)
{
	const size_t rows = table->cells.n / table->n_columns;
	struct pe_short_name *names = pe_arena_new(arena, struct pe_short_name, rows + 1);
	size_t n = 0;

	for (size_t i = c; i < table->cells.n; i += table->n_columns) {
		const struct pe_table_cell *cell = &table->cells.data[i];
		const size_t around = columns_around(cell);

		if (cell->function)
			names[n++] = (struct pe_short_name){
				.name = cell->text, .columns = width > around ? width - around : 0};
	}
	pe_short_names_fit(names, n, table->term->unicode ? "\xe2\x80\xa6" : "~", arena);
	n = 0;
	for (size_t i = c; i < table->cells.n; i += table->n_columns) {
		struct pe_table_cell *cell = &table->cells.data[i];

		if (cell->function)
			cell->text = names[n++].shown;
	}
}

static void print_cell(struct pe_text *out, const struct pe_table *table,
		       const struct pe_table_cell *cell, size_t c, size_t width)
{
	const size_t around = columns_around(cell), has = pe_text_columns(cell->text);
	const size_t room = width > around ? width - around : 0;
	const size_t spare = has < room ? room - has : 0;
	pe_auto_text path = PE_TEXT_INIT;

	if (table->columns[c].right)
		pe_term_blanks(out, spare);
	pe_text_add(out, cell->before);
	if (cell->path && has > room)
		pe_term_add_path(&path, table->term, cell->text, room);
	add_painted(out, table->term, cell->paint, path.len > 0 ? path.data : cell->text, room);
	pe_text_add(out, cell->after);
	if (!table->columns[c].right)
		pe_term_blanks(out, spare);
}

static void print_row(struct pe_text *out, const struct pe_table *table,
		      const struct pe_table_cell *row, const size_t *widths)
{
	bool first = true;

	for (size_t c = 0; c < table->n_columns; c++) {
		if (widths[c] == 0)
			continue;
		if (!first)
			pe_term_blanks(out, GAP);
		first = false;
		print_cell(out, table, &row[c], c, widths[c]);
	}
	pe_term_end_line(out);
}

/* Whole, in as many lines as it takes: what a note says last may be what it is for. The later ones are indented further. */
static void print_note(struct pe_text *out, const struct pe_term *term, const char *note)
{
	const size_t indent = strspn(note, " ");
	pe_auto_text first = PE_TEXT_INIT, later = PE_TEXT_INIT;

	pe_term_blanks(&first, indent);
	pe_term_blanks(&later, indent + 2);
	pe_term_wrap(out, term, PE_PLAIN, pe_text_str(&first), pe_text_str(&later), note + indent);
}

/* On a very wide terminal both ends stay near each other. */
static void print_head(struct pe_text *out, const struct pe_term *term,
		       const struct pe_table_note *head)
{
	const size_t width = term->width > MOST_HEAD ? MOST_HEAD : term->width;
	const size_t right = pe_text_columns(head->right) + GAP;
	const size_t room = width > right ? width - right : 0, from = out->len;

	add_painted(out, term, PE_BOLD, head->text, width == 0 ? SIZE_MAX : room);
	if (width > 0)
		pe_term_blanks(out, room - pe_term_columns(pe_text_str(out) + from));
	pe_term_blanks(out, GAP);
	pe_term_paint(out, term, head->paint, head->right);
	pe_term_end_line(out);
}

/* Print what stands before a row, or behind it. @return  the next note */
static size_t print_notes(struct pe_text *out, const struct pe_table *table, size_t note,
			  size_t row, bool heads)
{
	for (; note < table->notes.n; note++) {
		const struct pe_table_note *one = &table->notes.data[note];

		if (one->row != row || (one->right != NULL) != heads)
			break;
		if (heads)
			print_head(out, table->term, one);
		else
			print_note(out, table->term, one->text);
	}
	return note;
}

void pe_table_print(struct pe_text *out, const struct pe_table *table, bool titles)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t *widths = natural_widths(table, titles, &arena);
	struct pe_table_cell *head = pe_arena_new(&arena, struct pe_table_cell, table->n_columns);
	size_t note = 0;

	assert(table->cells.n % table->n_columns == 0);
	fit(table, widths);
	for (size_t c = 0; c < table->n_columns; c++)
		shorten_names(table, c, widths[c], &arena);
	for (size_t c = 0; c < table->n_columns; c++)
		head[c] = (struct pe_table_cell){.text = table->columns[c].title,
						 .paint = PE_DIM,
						 .before = "",
						 .after = ""};
	if (titles && table->cells.n > 0)
		print_row(out, table, head, widths);
	for (size_t i = 0; i < table->cells.n; i += table->n_columns) {
		note = print_notes(out, table, note, i / table->n_columns, true);
		print_row(out, table, &table->cells.data[i], widths);
		note = print_notes(out, table, note, i / table->n_columns, false);
	}
}

void pe_table_finish(struct pe_text *out, struct pe_table *table, bool titles)
{
	pe_table_print(out, table, titles);
	pe_table_release(table);
}

void pe_table_release(struct pe_table *table)
{
	pe_vec_release(&table->cells);
	pe_vec_release(&table->notes);
	pe_arena_release(&table->arena);
}
