/* Terminal: paint, plain-ASCII fallback and tables that keep to the width. */
#ifndef PE_REPORT_TERMINAL_H
#define PE_REPORT_TERMINAL_H

#include "core/base/arena.h"
#include "core/base/vec.h"
#include "report/evolution.h"

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

struct pe_column {
	const char *title; /**< "" for none */
	bool right;        /**< figures stand to the right */
	size_t least;      /**< may be cut down to that many columns; 0: never cut */
};

struct pe_table_cell {
	const char *text;
	enum pe_paint paint;
};

/** A line of its own under a row. */
struct pe_table_note {
	size_t row;
	const char *text;
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

/** Add what a text holds, and clear the text for the next cell. */
void pe_table_take(struct pe_table *table, enum pe_paint paint, struct pe_text *text);

/** Put text on a line of its own under the row that is complete now, cut to the width. */
void pe_table_note(struct pe_table *table, const char *text);

/**
 * Append the rows, the last of which is whole. Columns with nothing in them take no room. Where the
 * table is wider than the terminal, the columns that may be cut give way, the widest first.
 *
 * @param titles  print the titles as the first line
 */
void pe_table_print(struct pe_text *out, const struct pe_table *table, bool titles);

void pe_table_release(struct pe_table *table);

#endif
