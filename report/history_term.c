/*
 * `log`: a table with one row a commit. To the left are the lanes of the commit graph and the spark glyph, three cells for
 * changed methods, allocations and time; then changes, the commit, and its names and subject, which are cut to the width,
 * with its class. Without the graph values stand before the changes.
 *
 * A cell of the glyph is a bar as high as the sector. In colours a rise stands on the ground and a fall hangs
 * from the top (a reversed bar); without them a fall is one of two signs at the top, which tell less of its
 * size than the values beside them.
 */
#include "report/history.h"

#include "report/commit_blocks.h"
#include "report/estimate.h"
#include "report/format.h"
#include "report/ink.h"
#include "report/log_marks.h"
#include "report/query.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LEVELS         8
#define LEAST_HEIGHT   0.01 /* of a bar; below it stands a dot */
#define AUTHOR_COLUMNS 14
#define LEAST_GRAPH    12 /* columns of lanes that are shown on any terminal */
/* Widths from which on a column is shown. */
#define FROM_VALUES 68
#define FROM_DATE   84
#define FROM_AUTHOR 110

enum { N_DRAWN = 2, N_PLAIN = 3 }; /* lines that the graph has room for, and the table without it */

struct layout {
	const struct pe_history *history;
	const struct pe_term *term;
	const char *benchmark;
	const struct pe_line *lines[N_PLAIN];
	size_t n_lines; /* 0: the benchmark was not measured */
	/* By revision of the evolution: its block; NULL: it has no jump. */
	const struct pe_commit_block *const *blocks;
	struct pe_table table;
	size_t graph; /* columns */
	size_t class; /* columns that the class of a commit may take */
	bool plain;   /* without the graph */
	bool values, date, author;
};

static bool has_room(const struct pe_term *term, unsigned width)
{
	return term->width == 0 || term->width >= width;
}

static size_t add_line(const struct pe_line **out, size_t n, size_t most,
		       const struct pe_line *line)
{
	for (size_t i = 0; i < n; i++)
		if (out[i] == line)
			return n;
	if (n < most)
		out[n++] = line;
	return n;
}

static bool is_usual(const struct pe_metric *metric, const char *usual)
{
	return usual == NULL || (usual[0] == '\0' ? pe_metric_find(metric->name) == NULL
						  : strcmp(metric->name, usual) == 0);
}

/* Find the lines of a benchmark that have columns: those with jumps, the leading one first; then time and allocations; then others. */
static size_t find_lines(const struct pe_line **out, size_t most,
			 const struct pe_evolution *evolution, const char *benchmark)
{
	/* "": the config's own metrics; NULL: all */
	static const char *const usual[] = {"wall", "", "simulated-instructions", "allocations",
					    NULL};
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n_jumps, n = 0;
	const struct pe_ranked_jump *jumps = pe_evolution_rank(&n_jumps, evolution, &arena);

	for (size_t i = 0; i < n_jumps; i++)
		if (jumps[i].jump->after >= evolution->first &&
		    strcmp(jumps[i].line->benchmark, benchmark) == 0)
			n = add_line(out, n, most, jumps[i].line);
	/* What is usual first, then all. */
	for (size_t u = 0; u < sizeof(usual) / sizeof(*usual); u++)
		for (size_t i = 0; i < evolution->n_lines; i++)
			if (strcmp(evolution->lines[i].benchmark, benchmark) == 0 &&
			    is_usual(evolution->lines[i].metric, usual[u]))
				n = add_line(out, n, most, &evolution->lines[i]);
	return n;
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

static struct layout lay_out(const struct pe_history *history, const char *benchmark, bool plain,
			     const struct pe_term *term, struct pe_arena *arena)
{
	struct layout layout = {
		.history = history,
		.term = term,
		.benchmark = benchmark,
		.blocks = blocks_of(history->evolution, arena),
		.plain = plain,
		.values = plain || has_room(term, FROM_VALUES),
		.date = plain || has_room(term, FROM_DATE),
		.author = !plain && has_room(term, FROM_AUTHOR),
	};
	size_t most = term->width / 4 > LEAST_GRAPH ? term->width / 4 : LEAST_GRAPH, taken;

	if (benchmark != NULL && history->evolution != NULL)
		layout.n_lines = find_lines(layout.lines, plain ? N_PLAIN : N_DRAWN,
					    history->evolution, benchmark);
	layout.graph = history->lanes.width > 0 ? 2 * (size_t)history->lanes.width - 1 : 1;
	if (term->width > 0 && layout.graph > most)
		layout.graph = most;
	/* About what stands before the subject, which has half of the others. */
	taken = layout.graph + 17 +
		(plain           ? 21 * layout.n_lines + 10
		 : layout.values ? 30
				 : 0) +
		(layout.date ? 12 : 0) + (layout.author ? AUTHOR_COLUMNS + 2 : 0);
	layout.class = term->width == 0      ? SIZE_MAX
		       : term->width > taken ? (term->width - taken) / 2
					     : 0;
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

/* The lanes and the glyph. @return  the signs in them, as of all that is put below: some of enum pe_log_mark */
static unsigned put_picture(struct layout *layout, size_t row)
{
	pe_auto_text lanes = PE_TEXT_INIT, glyph = PE_TEXT_INIT;
	struct pe_spark_sector sectors[PE_N_SPARK_METRICS];
	unsigned marks = 0;

	if (layout->plain) {
		pe_table_put(&layout->table, PE_PLAIN, "");
		pe_table_put(&layout->table, PE_PLAIN, "");
		return 0;
	}
	pe_history_graph(&lanes, layout->history, row, layout->graph, layout->term);
	pe_table_put(&layout->table, PE_PLAIN, "");
	pe_table_surround(&layout->table, pe_text_str(&lanes), "");
	pe_spark_sectors(sectors, layout->history, &layout->history->commits[row],
			 layout->benchmark);
	for (size_t i = 0; i < PE_N_SPARK_METRICS; i++) {
		add_cell(&glyph, layout, i, &sectors[i]);
		marks |= sectors[i].known ? PE_LOG_SPARKS : 0;
	}
	pe_table_put(&layout->table, PE_PLAIN, "");
	pe_table_surround(&layout->table, pe_text_str(&glyph), "");
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

/* The value of a line, and its change. @param failure  in its place; NULL: none */
static unsigned put_line(struct layout *layout, const struct pe_line *line, size_t row,
			 const char *failure)
{
	const struct pe_point *point = point_of(layout, line, row);
	struct pe_change change;
	pe_auto_text text = PE_TEXT_INIT;

	if (failure == NULL && point != NULL && point->outcome != PE_MEASURED)
		failure = pe_outcome_say(point->outcome);
	if (!layout->values || point == NULL || failure != NULL) {
		failure = layout->values && failure != NULL ? failure : "";
		pe_table_put(&layout->table, PE_DIM, layout->plain ? failure : "");
		pe_table_put(&layout->table, PE_DIM, layout->plain ? "" : failure);
		return 0;
	}
	if (layout->plain)
		pe_format_value(&text, point->value, line->metric->unit);
	pe_table_take(&layout->table, PE_PLAIN, &text);
	change = pe_history_change(layout->history, &layout->history->commits[row], line);
	if (is_equal(point, &change)) {
		pe_table_put(&layout->table, PE_DIM, "=");
		return PE_LOG_REUSED;
	}
	pe_change_add(&text, &change);
	pe_table_take(&layout->table, pe_change_paint(&change), &text);
	return pe_change_is_noise(&change) ? PE_LOG_NOISE : 0;
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

static unsigned put_values(struct layout *layout, size_t row)
{
	const char *failure = failure_of(layout, row);
	const int64_t mc = layout->history->commits[row].mc;
	pe_auto_text number = PE_TEXT_INIT;
	unsigned marks = 0;

	for (size_t i = 0; i < N_PLAIN; i++)
		marks |= put_line(layout,
				  failure == NULL && i < layout->n_lines ? layout->lines[i] : NULL,
				  row, i == 0 ? failure : NULL);
	if (layout->values && mc >= 0)
		pe_text_addf(&number, "%" PRId64, mc);
	pe_table_take(&layout->table, PE_PLAIN, &number);
	return marks;
}

/* --- The commit --- */

static const struct pe_commit_block *block_of(const struct layout *layout, size_t row)
{
	const size_t revision = layout->history->commits[row].point;

	return revision != SIZE_MAX ? layout->blocks[revision] : NULL;
}

static enum pe_paint paint_of(const struct pe_commit_block *block)
{
	static const enum pe_paint paints[] = {PE_DIM, PE_BAD, PE_GOOD, PE_BOLD};

	return paints[pe_commit_class_direction(&block->class)];
}

/* Its sign and its class with the leading jump, or without it, or not, around what is cut: names and subject. */
static void surround(struct layout *layout, const struct pe_commit_block *block)
{
	static const char *const signs[] = {"", "▲ ", "▼ ", "▲▼ "};
	const char *sign = signs[pe_commit_class_direction(&block->class)];
	pe_auto_text class = PE_TEXT_INIT, before = PE_TEXT_INIT, after = PE_TEXT_INIT;

	pe_commit_block_add_short(&class, block);
	pe_jump_add_range(&class, block->jumps[0].jump);
	if (pe_text_columns(pe_text_str(&class)) > layout->class) {
		pe_text_clear(&class);
		pe_commit_class_add(&class, &block->class);
	}
	if (pe_text_columns(pe_text_str(&class)) > layout->class)
		pe_text_clear(&class);
	pe_term_paint(&before, layout->term, paint_of(block), sign);
	pe_text_add(&after, class.len > 0 ? "  " : "");
	pe_term_paint(&after, layout->term, paint_of(block), pe_text_str(&class));
	pe_table_surround(&layout->table, pe_text_str(&before), pe_text_str(&after));
}

static void put_commit(struct layout *layout, size_t row)
{
	const struct pe_history_commit *commit = &layout->history->commits[row];
	const struct pe_commit_block *block = block_of(layout, row);
	pe_auto_text text = PE_TEXT_INIT;

	pe_table_putf(&layout->table, PE_BOLD, "%.*s", PE_SHORT_ID, commit->revision.id);
	if (layout->date)
		pe_format_date(&text, commit->revision.time_s);
	pe_table_take(&layout->table, PE_DIM, &text);
	if (layout->author)
		pe_term_add(&text, layout->term, commit->revision.author, AUTHOR_COLUMNS);
	pe_table_take(&layout->table, PE_DIM, &text);
	/* The subject comes first: a narrow terminal cuts the end. */
	pe_text_add(&text, commit->revision.subject);
	for (size_t i = 0; i < commit->n_refs; i++)
		pe_text_addf(&text, "%s%s", i == 0 ? " (" : ", ", commit->refs[i]);
	if (commit->n_refs > 0)
		pe_text_addc(&text, ')');
	pe_table_take(&layout->table, PE_PLAIN, &text);
	if (block != NULL)
		surround(layout, block);
	for (size_t i = 0; layout->plain && i < layout->n_lines; i++) {
		const struct pe_jump *jump = pe_line_jump_at(layout->lines[i], commit->point);

		pe_table_note(&layout->table, 3, jump != NULL ? pe_jump_caveat(jump) : NULL);
	}
}

/* --- All of it --- */

/* The benchmark that is shown, where a farm measured it, and how to see another one. */
static void add_benchmark(struct pe_text *out, const struct layout *layout)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;

	if (layout->benchmark == NULL)
		return;
	pe_term_line(out, layout->term, PE_BOLD, layout->benchmark);
	if (layout->n_lines > 0 && layout->lines[0]->nodes != NULL)
		pe_term_linef(out, layout->term, PE_DIM, "%s, measured on %s",
			      layout->history->evolution->machine, layout->lines[0]->nodes);
	pe_evolution_benchmarks(&n, layout->history->evolution, &arena);
	if (n > 1 && !layout->plain)
		pe_term_linef(out, layout->term, PE_DIM,
			      "one of %zu benchmarks: -b NAME shows another", n);
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

/* @param title  of the only metric; NULL: each has its own */
static unsigned put_all(struct pe_text *out, struct layout *layout, const char *title,
			struct pe_arena *arena)
{
	struct pe_column columns[] = {
		{"", false, 0},        {"mat", false, 0},  {"", true, 0},
		{"", true, 0},         {"", true, 0},      {"", true, 0},
		{"", true, 0},         {"", true, 0},      {"Δmethods", true, 0},
		{"commit", false, 0},  {"date", false, 0}, {"author", false, 0},
		{"subject", false, 8},
	};
	unsigned marks = 0;

	for (size_t i = 0; i < layout->n_lines; i++) {
		const char *name = title != NULL ? title : pe_log_title(layout->lines[i]->metric);

		columns[2 + 2 * i].title = name;
		columns[3 + 2 * i].title =
			title != NULL ? "change" : pe_arena_printf(arena, "Δ%s", name);
	}
	add_benchmark(out, layout);
	pe_table_init(&layout->table, columns, sizeof(columns) / sizeof(*columns), layout->term);
	for (size_t row = 0; row < layout->history->n; row++) {
		marks |=
			put_picture(layout, row) | put_values(layout, row) | row_marks(layout, row);
		put_commit(layout, row);
	}
	pe_table_finish(out, &layout->table, true);
	return marks;
}

unsigned pe_history_term(struct pe_text *out, const struct pe_history *history,
			 const char *benchmark, const struct pe_term *term)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct layout layout = lay_out(history, benchmark, false, term, &arena);
	const unsigned marks = put_all(out, &layout, NULL, &arena);

	if (history->cut)
		pe_term_line(out, term, PE_DIM, "older commits are not shown");
	return marks;
}

unsigned pe_evolution_log(struct pe_text *out, const struct pe_evolution *evolution,
			  const char *title, const struct pe_term *term)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_history history = {.evolution = evolution};
	struct layout layout;

	history.commits = pe_arena_new(&arena, struct pe_history_commit, evolution->n_revisions);
	for (size_t i = evolution->n_revisions; i-- > evolution->first;)
		if (title == NULL || pe_line_at(&evolution->lines[0], i) != NULL)
			history.commits[history.n++] = (struct pe_history_commit){
				.revision = evolution->revisions[i],
				.refs = evolution->decorations != NULL ? &evolution->decorations[i]
								       : NULL,
				.n_refs = pe_decoration(evolution, i) != NULL,
				.point = i,
				.mc = evolution->mc != NULL ? evolution->mc[i] : -1,
			};
	layout = lay_out(&history, evolution->n_lines > 0 ? evolution->lines[0].benchmark : NULL,
			 true, term, &arena);
	return put_all(out, &layout, title, &arena);
}
