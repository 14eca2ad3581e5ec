/* Terminal: paint, plain-ASCII fallback and tables that keep to the width. */
#pragma once

#include "core/base/arena.h"
#include "core/base/vec.h"
#include "report/evolution.h"

#include <stdbool.h>
#include <stdint.h>

enum pe_paint { PE_PLAIN, PE_BOLD, PE_DIM, PE_BAD, PE_GOOD };

/**
 * Append text for a terminal: control characters dropped, and without term->unicode in ASCII alone
 * (our own signs by their nearest likeness, any other character as '?').
 *
 * @param columns  cut to that many, with a sign where it was cut; SIZE_MAX: whole
 */
void pe_term_add(struct pe_text *out, const struct pe_term *term, const char *string,
		 size_t columns);

/** Append text painted, where the terminal has colours. */
void pe_term_paint(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
		   const char *string);

/** Append one line of text, cut to the width, painted, with its newline. */
void pe_term_line(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
		  const char *string);

/** Append a line as pe_term_line() does, formatted. */
void pe_term_linef(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
		   const char *format, ...) PE_PRINTF(4, 5);

/** Append a sentence in as many lines as it takes, broken as by pe_term_fold(), the later ones with another beginning. */
void pe_term_wrap(struct pe_text *out, const struct pe_term *term, enum pe_paint paint,
		  const char *first, const char *later, const char *sentence);

/**
 * Append a document whose lines are no wider than the terminal: longer ones are broken between words, and go on below,
 * indented; a word that is longer than a line is broken where the line ends. Colours are no columns.
 */
void pe_term_fold(struct pe_text *out, const struct pe_term *term, const char *document);

/** Append a path, with a sign in place of its beginning where it takes more columns. */
void pe_term_add_path(struct pe_text *out, const struct pe_term *term, const char *path,
		      size_t columns);

/** Columns that painted text takes: its colours take none. */
size_t pe_term_columns(const char *painted);

/** Append n blanks. */
void pe_term_blanks(struct pe_text *out, size_t n);

/** End a line without the blanks at its end. */
void pe_term_end_line(struct pe_text *out);

/**
 * Append the lines of a tree down to a row; where it is deeper than `most`, "[level] ".
 *
 * @param open  by level from 1: whether a sibling follows on it
 */
void pe_term_branches(struct pe_text *out, const struct pe_term *term, const bool *open,
		      uint32_t level, bool last, uint32_t most);

/**
 * Append the lines of a foreign program's output, indented and whole; the terminal sees neither its control characters nor
 * its colours.
 */
void pe_term_log(struct pe_text *out, const struct pe_term *term, const char *indent,
		 const char *log);

struct pe_column {
	const char *title; /**< "" for none */
	bool right;        /**< values stand to the right */
	size_t least;      /**< may be cut down to that many columns; 0: never cut */
};

struct pe_table_cell {
	const char *text;
	enum pe_paint paint;
	bool code;                  /**< a name of the program's: Markdown sets it as code */
	bool path;                  /**< where it is cut, its beginning goes */
	bool function;              /**< where it is cut, it is shortened as a function's name */
	const char *before, *after; /**< painted, "" for none, and never cut; not in Markdown */
};

/** A sentence of its own under a row, or a line above it. */
struct pe_table_note {
	size_t row;
	const char *text;
	const char *right; /**< of a line above: stands at its end; NULL: a sentence */
	enum pe_paint paint;
};

/** A table in the making: cells row by row. Release it with pe_table_release(). */
struct pe_table {
	const struct pe_column *columns;
	size_t n_columns;
	const struct pe_term *term;
	struct pe_arena arena;
	PE_VEC(struct pe_table_cell) cells;
	PE_VEC(struct pe_table_note) notes;
};

/** columns and term are borrowed until the release. */
void pe_table_init(struct pe_table *table, const struct pe_column *columns, size_t n_columns,
		   const struct pe_term *term);

/** Add the next cell of the row; the text is copied. */
void pe_table_put(struct pe_table *table, enum pe_paint paint, const char *text);

/** Add a name of the program's, which is code in Markdown. */
void pe_table_code(struct pe_table *table, const char *name);

/**
 * Add a function's name, which is code in Markdown. The names of a column that is too narrow are shortened together
 * (pe_short_names_fit()).
 *
 * @param before  stands before it and is never cut: the lines of a tree, or ""
 */
void pe_table_function(struct pe_table *table, enum pe_paint paint, const char *before,
		       const char *name);

/** Put painted pieces, or "", around the text of the last cell. They are never cut. */
void pe_table_surround(struct pe_table *table, const char *before, const char *after);

/** Add the path of a file, with or without a line behind it, which is cut at its beginning. */
void pe_table_path(struct pe_table *table, enum pe_paint paint, const char *path);

/** Add what a text holds, and clear the text for the next cell. */
void pe_table_take(struct pe_table *table, enum pe_paint paint, struct pe_text *text);

/** Add a value with its unit, as pe_format_value() does; formatted text. */
void pe_table_value(struct pe_table *table, enum pe_paint paint, double value, const char *unit);
void pe_table_putf(struct pe_table *table, enum pe_paint paint, const char *format, ...)
	PE_PRINTF(3, 4);

/** Put a sentence under the row that is complete now, broken between words to the width. NULL and "" are none. */
void pe_table_note(struct pe_table *table, size_t indent, const char *text);

/** Put a line above the next row: bold text, cut if need be, and at the end of the line painted text, which is not. */
void pe_table_head(struct pe_table *table, const char *text, enum pe_paint paint,
		   const char *right);

/**
 * Append the rows, the last of which is whole. Columns with nothing in them take no room. Where the
 * table is wider than the terminal, the columns that may be cut give way, those of paths first, then the widest.
 *
 * @param titles  print the titles as the first line
 */
void pe_table_print(struct pe_text *out, const struct pe_table *table, bool titles);

/** Append the rows and release the table. */
void pe_table_finish(struct pe_text *out, struct pe_table *table, bool titles);

/** Release what it owns; zeroed and released tables, too. */
void pe_table_release(struct pe_table *table);
