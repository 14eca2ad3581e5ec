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

/* The class of a commit with jumps. */
static void put_class(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);

	for (size_t b = 0; b < n; b++) {
		if (blocks[b].commit != revision)
			continue;
		pe_commit_class_add(&text, &blocks[b].class);
		if (pe_commit_class_contradiction(&blocks[b].class) != NULL)
			pe_text_addf(&text, ": %s",
				     pe_commit_class_contradiction(&blocks[b].class));
		pe_doc_gap(doc);
		pe_doc_line(doc, PE_BOLD, &text);
	}
}

static void add_range(struct pe_text *text, double low, double high, const char *unit)
{
	pe_format_value(text, low, unit);
	if (low == high)
		return;
	pe_text_add(text, " .. ");
	pe_format_value(text, high, unit);
}

/* @return  the marks in it, some of enum pe_log_mark */
static unsigned put_line(struct pe_table *table, const struct pe_evolution *evolution,
			 const struct pe_line *line, const struct pe_point *point)
{
	const struct pe_change change =
		pe_line_change(line, pe_line_predecessor(evolution, line, point->revision), point);
	const char *unit = line->metric->unit;
	unsigned width = table->term->width;
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
	pe_change_add(&text, &change);
	pe_table_take(table, pe_change_paint(&change), &text);
	if (change.jump != NULL)
		pe_text_addf(&text, "%s, %s", change.jump->regression ? "worse" : "better",
			     pe_jump_status_name(change.jump));
	pe_table_take(table, pe_change_paint(&change), &text);
	return pe_change_is_noise(&change) ? PE_LOG_NOISE : 0;
}

/* Whether a value is that of the predecessor. */
static bool is_equal(const struct pe_evolution *evolution, const struct pe_line *line,
		     const struct pe_point *point)
{
	const struct pe_change change =
		pe_line_change(line, pe_line_predecessor(evolution, line, point->revision), point);

	return change.known && change.jump == NULL && change.relative == 0;
}

static const struct pe_point *measured_at(const struct pe_line *line, size_t revision)
{
	const struct pe_point *point = pe_line_at(line, revision);

	return point != NULL && point->outcome == PE_MEASURED ? point : NULL;
}

/* "parse: allocations 1,572, peak of live allocations 240 KiB, as before": of each benchmark what is equal, in one line. */
static void put_equal(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];
		const struct pe_point *point = measured_at(line, revision);

		if (point != NULL && is_equal(evolution, line, point)) {
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

/* What moved, the leading jump first; then what else differs; then what is equal, in a line a benchmark. */
static void put_lines(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	/* Metrics begin alike: "allocations" and "allocated memory" need their ends. */
	static const struct pe_column columns[] = {
		{"benchmark", false, 10}, {"metric", false, 16}, {"n", true, 0},
		{"median", true, 0},      {"MAD", true, 0},      {"middle 50 %", true, 0},
		{"range", true, 0},       {"change", true, 0},   {"", false, 0},
	};
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n, measured = 0;
	unsigned marks = 0;
	const struct pe_ranked_jump *jumps = pe_evolution_rank(&n, evolution, &arena);
	struct pe_table table;

	pe_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]), doc->term);
	for (size_t i = 0; i < n; i++)
		if (jumps[i].jump->after == revision &&
		    measured_at(jumps[i].line, revision) != NULL)
			put_line(&table, evolution, jumps[i].line,
				 measured_at(jumps[i].line, revision));
	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];
		const struct pe_point *point = measured_at(line, revision);

		measured += point != NULL;
		if (point != NULL && pe_line_jump_at(line, revision) == NULL &&
		    !is_equal(evolution, line, point))
			marks |= put_line(&table, evolution, line, point);
	}
	pe_text_add(doc->out, measured > 0 ? "\n" : "\nNothing was measured at this commit.\n");
	pe_doc_table(doc, &table, table.cells.n > 0);
	pe_log_add_legend(doc->out, doc->term, marks);
	put_equal(doc, evolution, revision);
}

/* In percent, rounded down: no model of noise justifies 100. */
static double percent_sure(const struct pe_jump *jump)
{
	double most = jump->estimate == PE_ESTIMATE_EXACT ? 100 : 99.9;

	return fmin(floor(1000 * jump->sure) / 10, most);
}

/** "; 97 % sure that it is this commit", or "that it is one of the 3 commits a1b2c3d4..b2c3d4e5". */
static void add_place(struct pe_text *out, const struct pe_evolution *evolution,
		      const struct pe_jump *jump)
{
	pe_text_add(out, "; ");
	pe_number_significant(out, percent_sure(jump), 3);
	if (jump->commits <= 1) {
		pe_text_add(out, " % sure that it is this commit");
		return;
	}
	pe_text_addf(out, " %% sure that it is one of the %zu commits ", jump->commits);
	pe_add_short_id(out, evolution, jump->before);
	pe_text_add(out, "..");
	pe_add_short_id(out, evolution, jump->after);
}

/** "parse, wall time: confirmed by 12 pairs of fresh runs, p = 0.002; 97 % sure that it is this commit". */
static void put_behind(struct pe_doc *doc, const struct pe_evolution *evolution,
		       const struct pe_line *line, const struct pe_jump *jump)
{
	bool undecided = jump->undecided && jump->state == PE_JUMP_SUSPECT;
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_addf(&text, "%s, %s: %s", line->benchmark, line->metric->label,
		     pe_jump_status_name(jump));
	if (jump->pairs > 0)
		pe_text_addf(&text, " %s %zu pair%s of fresh runs",
			     jump->state == PE_JUMP_CONFIRMED ? "by" : "after", jump->pairs,
			     jump->pairs == 1 ? "" : "s");
	if (isfinite(jump->p)) {
		pe_text_add(&text, ", p = ");
		pe_number_significant(&text, jump->p, 2);
	}
	if (undecided)
		pe_jump_add_more(&text, jump);
	if (isfinite(jump->sure))
		add_place(&text, evolution, jump);
	if (jump->state == PE_JUMP_ACCEPTED && jump->why != NULL)
		pe_text_addf(&text, "; %s", jump->why);
	pe_doc_say(doc, jump->state == PE_JUMP_SUSPECT ? PE_DIM : PE_PLAIN, "", "   ", &text);
	pe_jump_add_sizes(&text, line->metric->unit, jump);
	pe_doc_say(doc, PE_PLAIN, "   ", "   ", &text);
	pe_jump_add_functions(&text, jump);
	pe_doc_say(doc, PE_PLAIN, "   ", "   ", &text);
	if (pe_jump_caveat(jump) != NULL)
		pe_term_linef(doc->out, doc->term, PE_PLAIN, "   %s", pe_jump_caveat(jump));
}

/** The evidence behind the jumps at a revision, where there is more than their state. */
static void put_jumps(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	bool any = false;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_line *line = &evolution->lines[i];
		const struct pe_jump *jump = pe_line_jump_at(line, revision);

		if (jump == NULL || (jump->pairs == 0 && jump->why == NULL && !(jump->sure > 0)))
			continue;
		if (!any)
			pe_doc_gap(doc);
		any = true;
		put_behind(doc, evolution, line, jump);
	}
}

/** A benchmark's reused point at a revision: that of its first line with one. */
static const struct pe_point *reused_point(const struct pe_evolution *evolution, size_t line,
					   size_t revision)
{
	const char *benchmark = evolution->lines[line].benchmark;
	const struct pe_point *point = pe_line_at(&evolution->lines[line], revision);

	if (point == NULL || !pe_point_is_reused(point))
		return NULL;
	for (size_t i = 0; i < line; i++) {
		const struct pe_point *before = pe_line_at(&evolution->lines[i], revision);

		if (before != NULL && pe_point_is_reused(before) &&
		    strcmp(evolution->lines[i].benchmark, benchmark) == 0)
			return NULL;
	}
	return point;
}

/** Whether every value at a revision is reused from one and the same other. */
static bool all_from(const struct pe_point **source, const struct pe_evolution *evolution,
		     size_t revision)
{
	bool found = false;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_point *point = pe_line_at(&evolution->lines[i], revision);

		if (point == NULL || point->outcome != PE_MEASURED)
			continue;
		if (!point->reused || (found && (point->source != (*source)->source ||
						 point->skipped != (*source)->skipped)))
			return false;
		*source = point;
		found = true;
	}
	return found;
}

static void put_source(struct pe_doc *doc, const struct pe_evolution *evolution,
		       const char *benchmark, const struct pe_point *point)
{
	pe_auto_text line = PE_TEXT_INIT;

	if (benchmark != NULL)
		pe_text_addf(&line, "%s: ", benchmark);
	pe_text_add(&line, "reused from ");
	pe_add_short_id(&line, evolution, point->source);
	pe_text_add(&line, point->unbuilt ? " (not built: no file that the build reads differs)"
			   : point->skipped
				   ? " (not run: nothing that the benchmark executes differs)"
				   : " (identical build)");
	pe_doc_say(doc, PE_PLAIN, "", "  ", &line);
}

/** Where the values come from that were not measured at this revision. */
static void put_reused(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	const struct pe_point *source;
	size_t said = 0;

	if (all_from(&source, evolution, revision)) {
		pe_doc_gap(doc);
		put_source(doc, evolution, NULL, source);
		return;
	}
	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_point *point = reused_point(evolution, i, revision);

		if (point == NULL)
			continue;
		if (said++ == 0)
			pe_doc_gap(doc);
		put_source(doc, evolution, evolution->lines[i].benchmark, point);
	}
}

static bool is_measured(const struct pe_line *line, size_t revision)
{
	const struct pe_point *point = pe_line_at(line, revision);

	return line->nodes != NULL && point != NULL && point->outcome == PE_MEASURED;
}

/** Whether a line before this one was measured on the same nodes. */
static bool is_told(const struct pe_evolution *evolution, size_t line, size_t revision)
{
	for (size_t i = 0; i < line; i++)
		if (is_measured(&evolution->lines[i], revision) &&
		    strcmp(evolution->lines[i].nodes, evolution->lines[line].nodes) == 0)
			return true;
	return false;
}

/** "measured on n1: parse, print", for each node of a farm. */
static void put_nodes(struct pe_doc *doc, const struct pe_evolution *evolution, size_t revision)
{
	const struct pe_line *lines = evolution->lines;
	pe_auto_text text = PE_TEXT_INIT;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const char *last = NULL;

		if (!is_measured(&lines[i], revision) || is_told(evolution, i, revision))
			continue;
		pe_text_clear(&text);
		pe_text_addf(&text, "measured on %s", lines[i].nodes);
		/* Those of a benchmark follow each other. */
		for (size_t k = i; k < evolution->n_lines; k++) {
			if (!is_measured(&lines[k], revision) ||
			    strcmp(lines[k].nodes, lines[i].nodes) != 0 ||
			    (last != NULL && strcmp(last, lines[k].benchmark) == 0))
				continue;
			pe_text_addf(&text, "%s%s", last == NULL ? ": " : ", ", lines[k].benchmark);
			last = lines[k].benchmark;
		}
		pe_doc_line(doc, PE_DIM, &text);
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
	put_class(&doc, evolution, revision);
	put_reused(&doc, evolution, revision);
	put_lines(&doc, evolution, revision);
	put_nodes(&doc, evolution, revision);
	put_jumps(&doc, evolution, revision);
	put_failures(&doc, evolution, revision);
}
