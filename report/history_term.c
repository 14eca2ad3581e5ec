/*
 * The commit graph on a terminal: one line a commit. To the left the lanes and the spark glyph, three cells for
 * changed methods, allocations and time; then the values, the commit, its jumps and names, and what is left of
 * the width for its subject.
 *
 * A cell of the glyph is a bar as high as the sector. In colours a rise stands on the ground and a fall hangs
 * from the top (a reversed bar); without them a fall is one of two signs at the top, which tell less of its
 * size than the values beside them.
 */
#include "report/history.h"

#include "report/commit_blocks.h"
#include "report/estimate.h"
#include "report/format.h"
#include "report/history_graph.h"
#include "report/ink.h"
#include "report/log_marks.h"
#include "report/query.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEVELS         8
#define LEAST_HEIGHT   0.01 /* of a bar; below it stands a dot */
#define VALUE_COLUMNS  8    /* "−100 %", "×12.3" */
#define MC_COLUMNS     8    /* "Δmethods" */
#define AUTHOR_COLUMNS 14
#define LEAST_GRAPH    12 /* columns of lanes that are shown on any terminal */
/* Widths from which on a column is shown. */
#define FROM_VALUES 68
#define FROM_DATE   84
#define FROM_AUTHOR 110

enum { N_VALUES = 2 };

struct layout {
	const struct pe_history *history;
	const struct pe_term *term;
	const char *benchmark;
	const struct pe_line *lines[N_VALUES];
	size_t n_lines; /* 0: the benchmark was not measured */
	/* By revision of the evolution: its block; NULL: it has no jump. */
	const struct pe_commit_block *const *blocks;
	size_t graph; /* columns */
	bool values, date, author;
};

static bool has_room(const struct pe_term *term, unsigned width)
{
	return term->width == 0 || term->width >= width;
}

static const struct pe_commit_block *const *blocks_of(const struct pe_evolution *evolution,
						      struct pe_arena *arena)
{
	size_t n = 0;
	const struct pe_commit_block *blocks, **by_revision;

	if (evolution == NULL)
		return NULL;
	blocks = pe_commit_blocks(&n, evolution, arena);
	by_revision = pe_arena_new(arena, const struct pe_commit_block *, evolution->n_revisions);
	for (size_t i = 0; i < n; i++)
		by_revision[blocks[i].commit] = &blocks[i];
	return by_revision;
}

static struct layout lay_out(const struct pe_history *history, const char *benchmark,
			     const struct pe_term *term, struct pe_arena *arena)
{
	struct layout layout = {
		.history = history,
		.term = term,
		.benchmark = benchmark,
		.blocks = blocks_of(history->evolution, arena),
		.values = has_room(term, FROM_VALUES),
		.date = has_room(term, FROM_DATE),
		.author = has_room(term, FROM_AUTHOR),
	};
	size_t most = term->width / 4 > LEAST_GRAPH ? term->width / 4 : LEAST_GRAPH;

	if (benchmark != NULL && history->evolution != NULL)
		layout.n_lines =
			pe_log_lines(layout.lines, N_VALUES, history->evolution, benchmark);
	layout.graph = history->lanes.width > 0 ? 2 * (size_t)history->lanes.width - 1 : 1;
	if (term->width > 0 && layout.graph > most)
		layout.graph = most;
	return layout;
}

/* --- The glyph --- */

static void add_bar(struct pe_text *out, const struct layout *layout, int level, bool fall)
{
	static const char ascii[] = " _-=+*%#@";

	/* Reversed, the part that a bar leaves free is inked: the upper one. */
	if (fall && layout->term->colour && layout->term->unicode && level < LEVELS)
		pe_text_addf(out, "\033[7m\xe2\x96%c", (char)(0x80 + LEVELS - level));
	else if (fall && layout->term->colour && layout->term->unicode)
		pe_text_add(out, "\033[7m ");
	else if (fall)
		pe_text_add(out, layout->term->unicode ? (2 * level <= LEVELS ? "▔" : "▀")
						       : (2 * level <= LEVELS ? "'" : "\""));
	else if (layout->term->unicode)
		pe_text_addf(out, "\xe2\x96%c", (char)(0x80 + level));
	else
		pe_text_addc(out, ascii[level]);
}

static void add_cell(struct pe_text *out, const struct layout *layout, size_t metric,
		     const struct pe_spark_sector *sector)
{
	int level = sector->known && sector->height >= LEAST_HEIGHT
			    ? (int)ceil(sector->height * LEVELS - 1e-9)
			    : 0;

	if (!sector->known) {
		pe_text_addc(out, ' ');
		return;
	}
	if (level == 0) {
		pe_term_paint(out, layout->term, PE_DIM, layout->term->unicode ? "·" : ".");
		return;
	}
	pe_ink_begin(out, layout->term, sector->noise ? &pe_ink_noise : &pe_ink_sparks[metric]);
	add_bar(out, layout, level, sector->value < 0);
	pe_ink_end(out, layout->term);
}

/* @return  the signs in it, as of all that is added below: some of enum pe_log_mark */
static unsigned add_glyph(struct pe_text *out, const struct layout *layout, size_t row)
{
	struct pe_spark_sector sectors[PE_N_SPARK_METRICS];
	unsigned marks = 0;

	pe_spark_sectors(sectors, layout->history, row, layout->benchmark);
	for (size_t i = 0; i < PE_N_SPARK_METRICS; i++) {
		add_cell(out, layout, i, &sectors[i]);
		marks |= sectors[i].known ? PE_LOG_SPARKS : 0;
	}
	pe_text_addc(out, ' ');
	return marks;
}

/* --- The values --- */

static const struct pe_point *point_of(const struct layout *layout, const struct pe_line *line,
				       size_t row)
{
	size_t revision = layout->history->commits[row].point;

	return line != NULL && revision != SIZE_MAX ? pe_line_at(line, revision) : NULL;
}

/* Whether a row has the values of the row before it: the build that its results were taken from is the same. */
static bool is_equal(const struct pe_point *point, const struct pe_change *change)
{
	return point->reused && !(change->known && change->relative != 0);
}

static unsigned add_value(struct pe_text *out, const struct layout *layout,
			  const struct pe_line *line, size_t row)
{
	const struct pe_point *point = point_of(layout, line, row);
	struct pe_change change = {.known = false};
	pe_auto_text text = PE_TEXT_INIT;
	enum pe_paint paint = PE_PLAIN;
	unsigned marks = 0;

	if (point != NULL && point->outcome != PE_MEASURED) {
		pe_text_add(&text, pe_outcome_say(point->outcome));
		paint = PE_DIM;
	} else if (point != NULL) {
		change = pe_history_change(layout->history, row, line);
		if (is_equal(point, &change)) {
			pe_text_addc(&text, '=');
			paint = PE_DIM;
			marks = PE_LOG_REUSED;
		} else {
			pe_change_add(&text, &change);
			paint = pe_change_paint(&change);
			marks = pe_change_is_noise(&change) ? PE_LOG_NOISE : 0;
		}
	}
	pe_text_addc(out, ' ');
	pe_term_cell(out, layout->term, paint, pe_text_str(&text), VALUE_COLUMNS, true);
	return marks;
}

/** Why a commit has no values at all, or none of the benchmark that is shown; NULL: it has some, or was not measured. */
static const char *failure_of(const struct layout *layout, size_t row)
{
	const struct pe_evolution *evolution = layout->history->evolution;
	size_t revision = layout->history->commits[row].point;
	bool empty = true;

	for (size_t i = 0; i < layout->n_lines; i++)
		empty = empty && point_of(layout, layout->lines[i], row) == NULL;
	for (size_t i = 0; evolution != NULL && i < evolution->n_failures; i++) {
		const struct pe_failure *failure = &evolution->failures[i];

		if (failure->revision == revision &&
		    (failure->benchmark == NULL ||
		     (empty && layout->benchmark != NULL &&
		      strcmp(failure->benchmark, layout->benchmark) == 0)))
			return pe_outcome_say(failure->outcome);
	}
	return NULL;
}

static unsigned add_values(struct pe_text *out, const struct layout *layout, size_t row)
{
	const char *failure = failure_of(layout, row);
	int64_t mc = layout->history->commits[row].mc;
	char number[24] = "";
	unsigned marks = 0;

	if (mc >= 0)
		snprintf(number, sizeof(number), "%" PRId64, mc);
	if (failure != NULL) {
		pe_text_addc(out, ' ');
		pe_term_cell(out, layout->term, PE_DIM, failure, 2 * VALUE_COLUMNS + 1, true);
	} else {
		for (size_t i = 0; i < N_VALUES; i++)
			marks |= add_value(out, layout,
					   i < layout->n_lines ? layout->lines[i] : NULL, row);
	}
	pe_term_cell(out, layout->term, PE_PLAIN, number, MC_COLUMNS + 1, true);
	pe_text_add(out, "  ");
	return marks;
}

/* --- The commit --- */

/** What stands in a line of text that has an end: painted pieces, the last of which is cut. */
struct rest {
	struct pe_text *out;
	const struct layout *layout;
	size_t columns; /* left */
};

static const struct pe_commit_block *block_of(const struct layout *layout, size_t row)
{
	const size_t revision = layout->history->commits[row].point;

	return revision != SIZE_MAX ? layout->blocks[revision] : NULL;
}

static const char *sign_of(const struct pe_commit_block *block)
{
	static const char *const signs[] = {"", "▲ ", "▼ ", "▲▼ "};

	return signs[pe_commit_class_direction(&block->class)];
}

static enum pe_paint paint_of(const struct pe_commit_block *block)
{
	static const enum pe_paint paints[] = {PE_DIM, PE_BAD, PE_GOOD, PE_BOLD};

	return paints[pe_commit_class_direction(&block->class)];
}

/*
 * Make what stands behind the subject: the class of the commit with its leading jump, or without it, or nothing. It is not
 * cut, and leaves half of the room to the subject.
 */
static void make_class(struct pe_text *out, const struct pe_commit_block *block, size_t columns)
{
	pe_text_add(out, "  ");
	pe_commit_block_add_short(out, block);
	pe_jump_add_range(out, block->jumps[0].jump);
	if (pe_text_columns(pe_text_str(out)) <= columns / 2)
		return;
	pe_text_clear(out);
	pe_text_add(out, "  ");
	pe_commit_class_add(out, &block->class);
	if (pe_text_columns(pe_text_str(out)) > columns / 2)
		pe_text_clear(out);
}

static void add_names(struct rest *rest, const struct pe_history_commit *commit)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (commit->n_refs == 0)
		return;
	for (size_t i = 0; i < commit->n_refs; i++)
		pe_text_addf(&text, "%s%s", i == 0 ? "(" : ", ", commit->refs[i]);
	pe_text_add(&text, ") ");
	pe_term_piece(rest->out, rest->layout->term, PE_BOLD, pe_text_str(&text), &rest->columns);
}

static void add_commit(struct pe_text *out, const struct layout *layout, size_t row, size_t start)
{
	const struct pe_history_commit *commit = &layout->history->commits[row];
	pe_auto_text text = PE_TEXT_INIT;
	struct rest rest = {out, layout, SIZE_MAX};
	const struct pe_commit_block *block = block_of(layout, row);
	size_t taken = start + PE_SHORT_ID + 2, room, left;
	pe_auto_text class = PE_TEXT_INIT;

	pe_text_addn(&text, commit->revision.id, PE_SHORT_ID);
	pe_term_paint(out, layout->term, PE_BOLD, pe_text_str(&text));
	pe_text_add(out, "  ");
	pe_text_clear(&text);
	if (layout->date) {
		pe_format_date(&text, commit->revision.time_s);
		pe_term_paint(out, layout->term, PE_DIM, pe_text_str(&text));
		pe_text_add(out, "  ");
		taken += text.len + 2;
	}
	if (layout->author) {
		pe_term_cell(out, layout->term, PE_DIM, commit->revision.author, AUTHOR_COLUMNS,
			     false);
		pe_text_add(out, "  ");
		taken += AUTHOR_COLUMNS + 2;
	}
	if (layout->term->width > 0)
		rest.columns = layout->term->width > taken ? layout->term->width - taken : 0;
	if (block != NULL)
		pe_term_piece(out, layout->term, paint_of(block), sign_of(block), &rest.columns);
	add_names(&rest, commit);
	if (block != NULL)
		make_class(&class, block, rest.columns);
	left = room = rest.columns == SIZE_MAX
			      ? SIZE_MAX
			      : rest.columns - pe_text_columns(pe_text_str(&class));
	pe_term_piece(out, layout->term, PE_PLAIN, commit->revision.subject, &left);
	if (rest.columns != SIZE_MAX)
		rest.columns -= room - left;
	if (block != NULL)
		pe_term_piece(out, layout->term, paint_of(block), pe_text_str(&class),
			      &rest.columns);
}

/* --- All of it --- */

static size_t start_of(const struct layout *layout)
{
	size_t start = layout->graph + 1 + PE_N_SPARK_METRICS + 1;

	return layout->values ? start + 2 * (VALUE_COLUMNS + 1) + MC_COLUMNS + 1 + 2 : start + 1;
}

/* The benchmark that is shown, and how to see another one. */
static void add_benchmark(struct pe_text *out, const struct layout *layout)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;

	if (layout->benchmark == NULL)
		return;
	pe_evolution_log_title(out, layout->history->evolution, layout->benchmark, layout->term);
	pe_evolution_benchmarks(&n, layout->history->evolution, &arena);
	if (n > 1)
		pe_term_linef(out, layout->term, PE_DIM,
			      "one of %zu benchmarks: -b NAME shows another", n);
}

static void add_titles(struct pe_text *out, const struct layout *layout)
{
	static const char *const letters[PE_N_SPARK_METRICS] = {"m", "a", "t"};
	pe_auto_text text = PE_TEXT_INIT;

	add_benchmark(out, layout);
	pe_term_blanks(out, layout->graph + 1);
	for (size_t i = 0; i < PE_N_SPARK_METRICS; i++) {
		pe_ink_begin(out, layout->term, &pe_ink_sparks[i]);
		pe_text_add(out, letters[i]);
		pe_ink_end(out, layout->term);
	}
	pe_text_addc(out, ' ');
	if (layout->values) {
		for (size_t i = 0; i < N_VALUES; i++) {
			pe_text_clear(&text);
			if (i < layout->n_lines)
				pe_text_addf(&text, "Δ%s", pe_log_title(layout->lines[i]->metric));
			pe_text_addc(out, ' ');
			pe_term_cell(out, layout->term, PE_DIM, pe_text_str(&text), VALUE_COLUMNS,
				     true);
		}
		pe_term_cell(out, layout->term, PE_DIM, "Δmethods", MC_COLUMNS + 1, true);
		pe_text_addc(out, ' ');
	}
	pe_text_addc(out, ' ');
	pe_term_cell(out, layout->term, PE_DIM, "commit", PE_SHORT_ID + 2, false);
	if (layout->date)
		pe_term_cell(out, layout->term, PE_DIM, "date", 12, false);
	if (layout->author)
		pe_term_cell(out, layout->term, PE_DIM, "author", AUTHOR_COLUMNS + 2, false);
	pe_term_paint(out, layout->term, PE_DIM, "subject");
	pe_term_end_line(out);
}

/* The signs beside a row's values. */
static unsigned row_marks(const struct layout *layout, size_t row)
{
	const struct pe_commit_block *block = block_of(layout, row);
	const unsigned moved = block != NULL ? pe_commit_class_direction(&block->class) : 0;

	return ((moved & PE_MOVED_WORSE) != 0 ? PE_LOG_WORSE : 0) |
	       ((moved & PE_MOVED_BETTER) != 0 ? PE_LOG_BETTER : 0) |
	       (layout->history->commits[row].point == SIZE_MAX ? PE_LOG_UNMEASURED : 0);
}

unsigned pe_history_term(struct pe_text *out, const struct pe_history *history,
			 const char *benchmark, const struct pe_term *term)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct layout layout = lay_out(history, benchmark, term, &arena);
	unsigned marks = 0;

	add_titles(out, &layout);
	for (size_t row = 0; row < history->n; row++) {
		pe_history_graph(out, history, row, layout.graph, term);
		pe_text_addc(out, ' ');
		marks |= add_glyph(out, &layout, row);
		if (layout.values)
			marks |= add_values(out, &layout, row);
		else
			pe_text_addc(out, ' ');
		add_commit(out, &layout, row, start_of(&layout));
		pe_term_end_line(out);
		marks |= row_marks(&layout, row);
	}
	if (history->cut)
		pe_term_line(out, term, PE_DIM, "older commits are not shown");
	return marks;
}
