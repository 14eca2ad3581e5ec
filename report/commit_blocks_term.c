/*
 * Commit blocks on a terminal and in Markdown.
 *
 *   02147f5a Sort in place                                               slower, less memory
 *      sort  wall time  +11.2 %  [+4.2, +16.1]  28.4 → 31.5 ms  18 fresh pairs
 *            peak of live allocations −34.4 %   instructions +18 %   Ap_sort +3.1 M, Ap_cmp +1.2 M
 *
 * What is exact takes a share of one line; what has an interval takes a line. Columns stand below each other in all
 * blocks.
 */
#include "report/commit_blocks.h"

#include "core/base/vec.h"
#include "report/document.h"
#include "report/estimate.h"
#include "report/format.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

enum { INDENT = 3, GAP = 2, LEAST_NAME = 12, MOST_HEAD = 140, MOST_BENCHMARKS = 12 };

enum {
	COLUMN_BENCHMARK,
	COLUMN_METRIC,
	COLUMN_CHANGE,
	COLUMN_INTERVAL,
	COLUMN_LEVELS,
	COLUMN_BASIS,
	N_COLUMNS
};

enum line_kind {
	LINE_HEAD, /**< the commit: cells[0] its id, cells[1] its subject, cells[2] its class */
	LINE_ROW,  /**< cells by column */
	LINE_TEXT, /**< cells[0] a benchmark or "", cells[1] text, cells[2] the functions or "" */
};

struct line {
	enum line_kind kind;
	const char *cells[N_COLUMNS];
	enum pe_paint paint;
};

/* The lines of all blocks, before their columns have widths. */
struct layout {
	const struct pe_evolution *evolution;
	const struct pe_term *term;
	struct pe_arena arena;
	PE_VEC(struct line) lines;
	size_t widths[N_COLUMNS];
	bool below; /**< what a change rests on stands on a line of its own */
};

static const char *keep(struct layout *layout, struct pe_text *text)
{
	const char *kept = pe_arena_strdup(&layout->arena, pe_text_str(text));

	pe_text_clear(text);
	return kept;
}

static const char *label_of(const struct pe_line *line)
{
	return line->metric->label != NULL ? line->metric->label : line->metric->name;
}

/* A change, with its direction where higher is better. */
static void add_change(struct pe_text *out, const struct pe_ranked_jump *ranked)
{
	pe_format_change(out, ranked->jump->relative);
	if (ranked->line->metric->better != PE_LOWER_IS_BETTER)
		pe_text_add(out, ranked->jump->regression ? " (worse)" : " (better)");
}

static void add_basis(struct pe_text *out, const struct layout *layout,
		      const struct pe_commit_block *block, const struct pe_jump *jump)
{
	pe_auto_text remark = PE_TEXT_INIT;

	/* Who reads of a confirmed commit, or of one that the class calls suspected, needs no state beside each jump. */
	if (jump->state == PE_JUMP_CONFIRMED
		    ? jump->estimate != PE_ESTIMATE_LEVELS
		    : jump->state == PE_JUMP_SUSPECT && !jump->undecided &&
			      block->class.standing == PE_STANDING_SUSPECTED)
		pe_jump_add_runs(out, jump);
	else
		pe_jump_add_basis(out, jump);
	pe_commit_block_add_remark(&remark, layout->evolution, block, jump);
	if (remark.len > 0 && jump->state != PE_JUMP_ACCEPTED)
		pe_text_addf(out, ", %s", pe_text_str(&remark));
}

/* --- Lines --- */

static void put_text(struct layout *layout, const char *benchmark, const char *text,
		     const char *functions, enum pe_paint paint)
{
	pe_vec_push(&layout->lines,
		    ((struct line){LINE_TEXT, {benchmark, text, functions}, paint}));
}

static void put_head(struct layout *layout, const struct pe_commit_block *block)
{
	static const enum pe_paint paints[PE_N_CLASSES] = {
		[PE_CLASS_SLOWER] = PE_BAD,  [PE_CLASS_MIXED] = PE_BOLD,
		[PE_CLASS_FASTER] = PE_GOOD, [PE_CLASS_COUNTS] = PE_PLAIN,
		[PE_CLASS_LAYOUT] = PE_DIM,
	};
	const struct pe_jump *leading = block->jumps[0].jump;
	struct line line = {.kind = LINE_HEAD, .paint = paints[block->class.class]};
	pe_auto_text text = PE_TEXT_INIT;

	if (leading->commits > 1) {
		pe_add_short_id(&text, layout->evolution, leading->before);
		pe_text_add(&text, "..");
		pe_add_short_id(&text, layout->evolution, leading->after);
		line.cells[0] = keep(layout, &text);
		pe_text_addf(&text, "(%zu commits)", leading->commits);
		line.cells[1] = keep(layout, &text);
	} else {
		pe_add_short_id(&text, layout->evolution, block->commit);
		line.cells[0] = keep(layout, &text);
		line.cells[1] = layout->evolution->revisions[block->commit].subject;
	}
	pe_commit_class_add(&text, &block->class);
	line.cells[2] = keep(layout, &text);
	pe_vec_push(&layout->lines, line);
}

static bool has_row(const struct pe_ranked_jump *ranked)
{
	return ranked->jump->estimate != PE_ESTIMATE_EXACT ||
	       pe_metric_measures(ranked->line->metric) == PE_MEASURES_TIME;
}

static void put_row(struct layout *layout, const struct pe_commit_block *block, const char *name,
		    const struct pe_ranked_jump *ranked)
{
	const struct pe_jump *jump = ranked->jump;
	struct line line = {.kind = LINE_ROW, .paint = jump->regression ? PE_BAD : PE_GOOD};
	pe_auto_text text = PE_TEXT_INIT;

	line.cells[COLUMN_BENCHMARK] = name;
	line.cells[COLUMN_METRIC] = label_of(ranked->line);
	add_change(&text, ranked);
	line.cells[COLUMN_CHANGE] = keep(layout, &text);
	pe_format_interval_short(&text, jump->low, jump->high);
	line.cells[COLUMN_INTERVAL] = keep(layout, &text);
	pe_format_step(&text, jump->old_level, jump->new_level, ranked->line->metric->unit);
	line.cells[COLUMN_LEVELS] = keep(layout, &text);
	add_basis(&text, layout, block, jump);
	line.cells[COLUMN_BASIS] = keep(layout, &text);
	pe_vec_push(&layout->lines, line);
	for (size_t c = 0; c < N_COLUMNS; c++) {
		size_t columns = pe_text_columns(line.cells[c]);

		if (columns > layout->widths[c])
			layout->widths[c] = columns;
	}
}

static void put_notes(struct layout *layout, const struct pe_jump *jump)
{
	if (pe_jump_caveat(jump) != NULL)
		put_text(layout, "", pe_jump_caveat(jump), "", PE_DIM);
	if (jump->state == PE_JUMP_ACCEPTED && jump->why != NULL)
		put_text(layout, "", pe_arena_printf(&layout->arena, "because: %s", jump->why), "",
			 PE_DIM);
}

/* "instructions +18 %", with levels where there is but one. */
static void add_share(struct pe_text *out, const struct layout *layout,
		      const struct pe_commit_block *block, const struct pe_ranked_jump *ranked,
		      bool levels)
{
	const struct pe_jump *jump = ranked->jump;
	pe_auto_text remark = PE_TEXT_INIT;

	pe_text_addf(out, "%s%s ", out->len > 0 ? "   " : "", label_of(ranked->line));
	add_change(out, ranked);
	if (levels) {
		pe_text_add(out, "  ");
		pe_format_step(out, jump->old_level, jump->new_level, ranked->line->metric->unit);
	}
	pe_commit_block_add_remark(&remark, layout->evolution, block, jump);
	if (jump->state == PE_JUMP_SUSPECT && block->class.standing != PE_STANDING_SUSPECTED)
		pe_text_addf(out, " (%s)", pe_jump_status_name(jump));
	if (remark.len > 0)
		pe_text_addf(out, " (%s)", pe_text_str(&remark));
}

static const char *functions_of(struct layout *layout, const struct pe_ranked_jump *jumps, size_t n)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < n && text.len == 0; i++)
		pe_jump_add_functions(&text, jumps[i].jump);
	return keep(layout, &text);
}

/* The jumps of one benchmark. */
static void put_benchmark(struct layout *layout, const struct pe_commit_block *block,
			  const struct pe_ranked_jump *jumps, size_t n)
{
	const char *functions = functions_of(layout, jumps, n);
	const char *name = jumps[0].line->benchmark;
	pe_auto_text shares = PE_TEXT_INIT;
	size_t n_shares = 0;
	bool worse = false;

	for (size_t i = 0; i < n; i++)
		n_shares += !has_row(&jumps[i]);
	for (size_t i = 0; i < n; i++) {
		if (has_row(&jumps[i])) {
			put_row(layout, block, name, &jumps[i]);
			put_notes(layout, jumps[i].jump);
			name = "";
			continue;
		}
		add_share(&shares, layout, block, &jumps[i], n_shares == 1);
		worse = worse || jumps[i].jump->regression;
	}
	if (n_shares > 0)
		put_text(layout, name, keep(layout, &shares), functions,
			 n_shares < n ? PE_PLAIN
			 : worse      ? PE_BAD
				      : PE_GOOD);
	else if (functions[0] != '\0')
		put_text(layout, "", functions, "", PE_DIM);
	for (size_t i = 0; i < n; i++)
		if (!has_row(&jumps[i]))
			put_notes(layout, jumps[i].jump);
	if (pe_text_columns(jumps[0].line->benchmark) > layout->widths[COLUMN_BENCHMARK])
		layout->widths[COLUMN_BENCHMARK] = pe_text_columns(jumps[0].line->benchmark);
}

static void put_block(struct layout *layout, const struct pe_commit_block *block)
{
	const char *contradiction = pe_commit_class_contradiction(&block->class);
	size_t shown = 0, hidden = 0;

	put_head(layout, block);
	for (size_t i = 0, run; i < block->n; i += run) {
		run = pe_commit_block_run(block, i);
		if (shown < MOST_BENCHMARKS) {
			put_benchmark(layout, block, &block->jumps[i], run);
			shown++;
		} else {
			hidden++;
		}
	}
	if (hidden > 0)
		put_text(layout, "",
			 pe_arena_printf(&layout->arena,
					 "and %zu more benchmarks ('perfevo show %.8s')", hidden,
					 layout->evolution->revisions[block->commit].id),
			 "", PE_DIM);
	if (contradiction != NULL)
		put_text(layout, "", contradiction, "", PE_BOLD);
}

/* --- Columns --- */

static size_t total(const struct layout *layout)
{
	size_t sum = INDENT;

	for (size_t c = 0; c < N_COLUMNS; c++)
		sum += layout->widths[c] > 0 ? layout->widths[c] + GAP : 0;
	return sum - GAP;
}

/* Names give way first; then what a change rests on stands below it, unless the intervals have no room even so. */
static void fit(struct layout *layout)
{
	const size_t width = layout->term->width, basis = layout->widths[COLUMN_BASIS];
	size_t *name = &layout->widths[COLUMN_BENCHMARK];

	if (width == 0)
		return;
	while (total(layout) > width && *name > LEAST_NAME)
		--*name;
	layout->below = total(layout) > width;
	if (layout->below)
		layout->widths[COLUMN_BASIS] = 0;
	if (total(layout) > width) {
		layout->widths[COLUMN_INTERVAL] = 0;
		layout->widths[COLUMN_BASIS] = basis;
		layout->below = total(layout) > width;
	}
	if (layout->below)
		layout->widths[COLUMN_BASIS] = 0;
	while (total(layout) > width && layout->widths[COLUMN_LEVELS] > 8)
		layout->widths[COLUMN_LEVELS]--;
}

/* --- Printing --- */

static void print_head(struct pe_text *out, const struct layout *layout, const struct line *line)
{
	const struct pe_term *term = layout->term;
	const size_t class = pe_text_columns(line->cells[2]);
	/* On a very wide terminal the class stays near its commit. */
	const size_t width = term->width > MOST_HEAD ? MOST_HEAD : term->width;
	size_t left = SIZE_MAX;

	if (width > 0)
		left = width > class + GAP ? width - class - GAP : 0;
	pe_term_piece(out, term, PE_BOLD, line->cells[0], &left);
	pe_term_piece(out, term, PE_PLAIN, " ", &left);
	pe_term_piece(out, term, PE_PLAIN, line->cells[1], &left);
	pe_term_blanks(out, GAP + (left == SIZE_MAX ? 0 : left));
	pe_term_paint(out, term, line->paint, line->cells[2]);
	pe_term_end_line(out);
}

static void print_row(struct pe_text *out, const struct layout *layout, const struct line *line)
{
	pe_auto_text below = PE_TEXT_INIT;

	pe_term_blanks(out, INDENT);
	for (size_t c = 0; c < N_COLUMNS; c++) {
		if (layout->widths[c] == 0)
			continue;
		pe_term_cell(out, layout->term, c == COLUMN_CHANGE ? line->paint : PE_PLAIN,
			     line->cells[c], layout->widths[c], c == COLUMN_CHANGE);
		pe_term_blanks(out, GAP);
	}
	pe_term_end_line(out);
	if (!layout->below)
		return;
	pe_term_blanks(&below, INDENT + layout->widths[COLUMN_BENCHMARK] + GAP);
	pe_term_wrap(out, layout->term, PE_DIM, pe_text_str(&below), pe_text_str(&below),
		     line->cells[COLUMN_BASIS]);
}

static void print_text(struct pe_text *out, const struct layout *layout, const struct line *line)
{
	const struct pe_term *term = layout->term;
	const size_t name = layout->widths[COLUMN_BENCHMARK], indent = INDENT + name + GAP;
	const size_t text = pe_text_columns(line->cells[1]), tail = pe_text_columns(line->cells[2]);
	const bool behind =
		tail > 0 && (term->width == 0 || indent + text + INDENT + tail <= term->width);
	pe_auto_text first = PE_TEXT_INIT, later = PE_TEXT_INIT, plain = PE_TEXT_INIT;

	pe_term_blanks(&later, indent);
	if (line->cells[0][0] == '\0') {
		pe_text_add(&first, pe_text_str(&later));
	} else {
		pe_term_blanks(&first, INDENT);
		pe_term_cell(&first, &(struct pe_term){.unicode = true}, PE_PLAIN, line->cells[0],
			     name, false);
		pe_term_blanks(&first, GAP);
	}
	if (behind)
		pe_text_addf(&plain, "%s   %s", line->cells[1], line->cells[2]);
	pe_term_wrap(out, term, line->paint == PE_DIM ? PE_DIM : PE_PLAIN, pe_text_str(&first),
		     pe_text_str(&later), behind ? pe_text_str(&plain) : line->cells[1]);
	if (tail > 0 && !behind)
		pe_term_wrap(out, term, PE_DIM, pe_text_str(&later), pe_text_str(&later),
			     line->cells[2]);
}

void pe_commit_blocks_term(struct pe_text *out, const struct pe_evolution *evolution,
			   const struct pe_commit_block *blocks, size_t n,
			   const struct pe_term *term)
{
	struct layout layout = {.evolution = evolution, .term = term};

	for (size_t i = 0; i < n; i++)
		put_block(&layout, &blocks[i]);
	fit(&layout);
	for (size_t i = 0; i < layout.lines.n; i++) {
		const struct line *line = &layout.lines.data[i];

		if (line->kind == LINE_HEAD)
			print_head(out, &layout, line);
		else if (line->kind == LINE_ROW)
			print_row(out, &layout, line);
		else
			print_text(out, &layout, line);
	}
	pe_vec_release(&layout.lines);
	pe_arena_release(&layout.arena);
}

/* --- Markdown --- */

static void note(struct pe_table *table, const char *text)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "   %s", text);
	pe_table_note(table, pe_text_str(&line));
}

static void put_cells(struct pe_table *table, struct layout *layout,
		      const struct pe_commit_block *block, size_t i)
{
	const struct pe_ranked_jump *ranked = &block->jumps[i];
	const struct pe_jump *jump = ranked->jump;
	const enum pe_paint paint = jump->regression ? PE_BAD : PE_GOOD;
	pe_auto_text text = PE_TEXT_INIT;

	if (i == 0)
		pe_jump_add_place(&text, layout->evolution, jump);
	pe_table_take(table, PE_PLAIN, &text);
	if (i == 0)
		pe_commit_class_add(&text, &block->class);
	pe_table_take(table, PE_BOLD, &text);
	pe_table_code(table, ranked->line->benchmark);
	pe_table_put(table, PE_PLAIN, label_of(ranked->line));
	add_change(&text, ranked);
	pe_table_take(table, paint, &text);
	pe_format_interval(&text, jump->low, jump->high);
	pe_table_take(table, PE_PLAIN, &text);
	pe_format_step(&text, jump->old_level, jump->new_level, ranked->line->metric->unit);
	pe_table_take(table, PE_PLAIN, &text);
	add_basis(&text, layout, block, jump);
	pe_table_take(table, PE_PLAIN, &text);
	pe_jump_add_functions(&text, jump);
	if (text.len > 0)
		note(table, pe_text_str(&text));
	pe_jump_put_notes(table, jump);
	if (jump->state == PE_JUMP_ACCEPTED && jump->why != NULL)
		note(table, pe_arena_printf(&layout->arena, "because: %s", jump->why));
	if (i + 1 == block->n && pe_commit_class_contradiction(&block->class) != NULL)
		note(table, pe_commit_class_contradiction(&block->class));
}

void pe_commit_blocks_markdown(struct pe_doc *doc, const struct pe_evolution *evolution,
			       const struct pe_commit_block *blocks, size_t n)
{
	static const struct pe_column columns[] = {
		{"commit", false, 0},    {"class", false, 0},
		{"benchmark", false, 0}, {"metric", false, 0},
		{"change", true, 0},     {"95 % interval", false, 0},
		{"levels", false, 0},    {"state, change by", false, 0},
	};
	struct layout layout = {.evolution = evolution};
	struct pe_table table;

	pe_table_init(&table, columns, sizeof(columns) / sizeof(*columns), doc->term);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < blocks[i].n; k++)
			put_cells(&table, &layout, &blocks[i], k);
	pe_doc_table(doc, &table, true);
	pe_arena_release(&layout.arena);
}
