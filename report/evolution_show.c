/* `show`: everything about one revision. */
#include "report/evolution.h"

#include "report/document.h"
#include "report/commit_blocks.h"
#include "report/estimate.h"
#include "report/format.h"
#include "report/log_marks.h"
#include "core/base/number.h"
#include "report/query.h"
#include "report/terminal.h"

#include <math.h>
#include <string.h>

/* Columns of a terminal that shows the range of the middle 50 % of the samples, and of all of them. */
#define LEAST_FOR_MAD   100
#define LEAST_FOR_HALF  110
#define LEAST_FOR_RANGE 140

static void put_head(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	const struct pe_revision *rev = &evolution->revisions[revision];
	const char *decoration = pe_decoration(evolution, revision);
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "commit %s", rev->id);
	if (decoration != NULL)
		pe_text_addf(&line, " (%s)", decoration);
	pe_doc_line(doc, PE_BOLD, &line);
	for (size_t i = 0; i < rev->n_parents; i++)
		pe_term_linef(doc->out, doc->term, PE_PLAIN, "parent %s", rev->parents[i]);
	pe_term_linef(doc->out, doc->term, PE_PLAIN, "author %s", rev->author);
	pe_text_add(&line, "date   ");
	pe_format_date(&line, rev->time_s);
	pe_doc_line(doc, PE_PLAIN, &line);
	if (!isnan(pe_build_s(evolution, revision))) {
		pe_text_add(&line, "build  ");
		pe_format_duration(&line, (uint64_t)(pe_build_s(evolution, revision) * 1e9));
		pe_doc_line(doc, PE_PLAIN, &line);
	}
	pe_doc_gap(doc);
	pe_term_linef(doc->out, doc->term, PE_PLAIN, "    %s", rev->subject);
}

static void add_range(struct pe_text *text, double low, double high, const char *unit)
{
	pe_format_value(text, low, unit);
	if (low == high)
		return;
	pe_text_add(text, " .. ");
	pe_format_value(text, high, unit);
}

static const struct pe_point *measured_at(const struct pe_line *line, size_t revision)
{
	const struct pe_point *point = pe_line_at(line, revision);

	return point != NULL && point->outcome == PE_MEASURED ? point : NULL;
}

static struct pe_change change_at(const struct pe_evolution *evolution, const struct pe_line *line,
				  const struct pe_point *point)
{
	const struct pe_point *before =
		point != NULL ? pe_line_predecessor(evolution, line, point->revision) : NULL;

	return pe_line_change(line, before, point);
}

/* Whether a value is that of the predecessor. */
static bool is_equal(const struct pe_change *change)
{
	return change->known && change->jump == NULL && change->relative == 0;
}

static void put_line(struct pe_table *table, const struct pe_line *line,
		     const struct pe_point *point, const struct pe_change *change)
{
	const char *unit = line->metric->unit;
	const unsigned width = table->term->width;
	pe_auto_text text = PE_TEXT_INIT;

	pe_table_put(table, PE_PLAIN, line->benchmark);
	pe_table_put(table, PE_PLAIN, line->metric->label);
	pe_table_putf(table, PE_PLAIN, "%zu", point->n);
	pe_table_value(table, PE_PLAIN, point->median, unit);
	if (width == 0 || width >= LEAST_FOR_MAD)
		pe_format_value(&text, point->mad, unit);
	pe_table_take(table, PE_PLAIN, &text);
	if (width == 0 || width >= LEAST_FOR_HALF)
		add_range(&text, point->q25, point->q75, unit);
	pe_table_take(table, PE_PLAIN, &text);
	if (width == 0 || width >= LEAST_FOR_RANGE)
		add_range(&text, point->min, point->max, unit);
	pe_table_take(table, PE_PLAIN, &text);
	pe_change_add(&text, change);
	pe_table_take(table, pe_change_paint(change), &text);
}

/* "parse: allocations 1,572, peak of live allocations 240 KiB, as before": of each benchmark what is equal, in one line. */
static void put_equal(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];
		const struct pe_point *point = measured_at(line, revision);
		const struct pe_change change = change_at(evolution, line, point);

		if (is_equal(&change)) {
			if (text.len == 0)
				pe_text_addf(&text, "%s: ", line->benchmark);
			else
				pe_text_add(&text, ", ");
			pe_text_addf(&text, "%s ", line->metric->label);
			pe_format_value(&text, point->median, line->metric->unit);
		}
		if (text.len == 0 ||
		    (i + 1 < evolution->n_lines && strcmp(line[1].benchmark, line->benchmark) == 0))
			continue;
		pe_text_add(&text, ", as before");
		pe_doc_say(doc, PE_DIM, "", "  ", &text);
	}
}

/* What differs, and then what is equal, in a line a benchmark. */
static void put_lines(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	/* Metrics begin alike: "allocations" and "allocated memory" need their ends. */
	static const struct pe_column columns[] = {
		{"benchmark", false, 10}, {"metric", false, 16}, {"n", true, 0},
		{"median", true, 0},      {"MAD", true, 0},      {"middle 50 %", true, 0},
		{"range", true, 0},       {"change", true, 0},
	};
	size_t measured = 0;
	unsigned marks = 0;
	struct pe_table table;

	pe_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]), doc->term);
	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];
		const struct pe_point *point = measured_at(line, revision);
		const struct pe_change change = change_at(evolution, line, point);

		measured += point != NULL;
		if (point == NULL || is_equal(&change))
			continue;
		put_line(&table, line, point, &change);
		marks |= pe_change_is_noise(&change) ? PE_LOG_NOISE : 0;
	}
	pe_text_add(doc->out, measured > 0 ? "\n" : "\nNothing was measured at this commit.\n");
	pe_doc_table(doc, &table, table.cells.n > 0);
	pe_log_add_legend(doc->out, doc->term, marks);
	put_equal(doc, evolution, revision);
}

/* --- Jumps --- */

/** "97 % sure that it is this commit", or "that it is one of the 3 commits a1b2c3d4..b2c3d4e5". */
static void put_place(struct pe_doc *doc, const struct pe_evolution *evolution,
		      const struct pe_jump *jump)
{
	/* Rounded down: no model of noise justifies 100 %. */
	const double most = jump->estimate == PE_ESTIMATE_EXACT ? 100 : 99.9;
	pe_auto_text text = PE_TEXT_INIT;

	if (!(jump->sure > 0))
		return;
	pe_number_significant(&text, fmin(floor(1000 * jump->sure) / 10, most), 3);
	if (jump->commits <= 1) {
		pe_text_add(&text, " % sure that it is this commit");
	} else {
		pe_text_addf(&text, " %% sure that it is one of the %zu commits ", jump->commits);
		pe_add_short_id(&text, evolution, jump->before);
		pe_text_add(&text, "..");
		pe_add_short_id(&text, evolution, jump->after);
	}
	pe_doc_line(doc, PE_DIM, &text);
}

/** The jumps of a commit, as `track` lists them. */
static void put_jumps(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);

	for (size_t b = 0; b < n; b++) {
		if (blocks[b].commit != revision)
			continue;
		pe_doc_gap(doc);
		pe_commit_blocks_put(doc, evolution, &blocks[b], 1, true);
		put_place(doc, evolution, blocks[b].jumps[0].jump);
	}
}

/* --- Where values are from --- */

/* Of another revision, or of a farm's machine; NULL: of this machine, or there are none. */
static const char *say_origin(const struct pe_evolution *evolution, const struct pe_line *line,
			      const struct pe_point *point, struct pe_arena *arena)
{
	if (point != NULL && pe_point_is_reused(point))
		return pe_arena_printf(
			arena, "reused from %.*s (%s)", PE_SHORT_ID,
			pe_point_source_id(evolution, point),
			point->unbuilt   ? "not built: no file that the build reads differs"
			: point->skipped ? "not run: nothing that the benchmark executes differs"
					 : "identical build");
	if (point != NULL && line->nodes != NULL)
		return pe_arena_printf(arena, "measured on %s", line->nodes);
	return NULL;
}

/* Sentences, each with the benchmarks that it holds for, unless these are all: "measured on n1: parse, print". */
static void put_origins(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char **said = pe_arena_new(&arena, const char *, evolution->n_lines);
	pe_auto_text text = PE_TEXT_INIT;
	size_t measured = 0;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_point *point = measured_at(&evolution->lines[i], revision);

		measured += point != NULL;
		said[i] = say_origin(evolution, &evolution->lines[i], point, &arena);
	}
	for (size_t i = 0; i < evolution->n_lines; i++) {
		const char *sentence = said[i], *last = NULL;
		size_t n = 0;

		for (size_t k = i; sentence != NULL && k < evolution->n_lines; k++) {
			const char *benchmark = evolution->lines[k].benchmark;

			if (said[k] == NULL || strcmp(said[k], sentence) != 0)
				continue;
			if (last == NULL || strcmp(last, benchmark) != 0)
				pe_text_addf(&text, "%s%s", last == NULL ? ": " : ", ", benchmark);
			last = benchmark;
			said[k] = NULL;
			n++;
		}
		if (n == 0)
			continue;
		sentence = pe_arena_printf(&arena, "%s%s", sentence,
					   n < measured ? pe_text_str(&text) : "");
		pe_text_clear(&text);
		pe_text_add(&text, sentence);
		pe_doc_say(doc, PE_DIM, "", "  ", &text);
	}
}

static void put_failures(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	for (size_t i = 0; i < evolution->n_failures; i++) {
		const struct pe_failure *failure = &evolution->failures[i];
		pe_auto_text line = PE_TEXT_INIT;

		if (failure->revision != revision)
			continue;
		if (failure->benchmark != NULL)
			pe_text_addf(&line, "%s: ", failure->benchmark);
		pe_text_add(&line, pe_outcome_say(failure->outcome));
		if (failure->outcome == PE_CRASHED)
			pe_text_addf(&line, " (signal %d)", failure->status);
		else if (failure->status != 0)
			pe_text_addf(&line, " (status %d)", failure->status);
		pe_doc_gap(doc);
		pe_doc_line(doc, PE_BAD, &line);
		if (failure->log != NULL)
			pe_term_log(doc->out, doc->term, "    ", failure->log);
	}
}

void pe_evolution_show(struct pe_text *out, const struct pe_evolution *evolution, size_t revision,
		       const struct pe_term *term)
{
	struct pe_doc doc = {.out = out, .term = term};

	put_head(&doc, evolution, revision);
	put_jumps(&doc, evolution, revision);
	put_lines(&doc, evolution, revision);
	put_origins(&doc, evolution, revision);
	put_failures(&doc, evolution, revision);
}
