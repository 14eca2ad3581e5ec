/*
 * The evolution in the page's index block. It travels by column, because ten thousand revisions of a
 * dozen metrics as objects would be tens of megabytes:
 *
 *   revisions: [[id, time_s, author, subject, decoration|null, mc|null]]   oldest first
 *   metrics: [{name, unit, label, lower}]                 the distinct ones, as they appear
 *   lines: [{name, metric: index, judged, at?: [revision...],
 *            n: number | [...], median, q25?, q75?, min?, max?, mad: [...],
 *            levels: [[point, level]], misses: [[point, outcome]], carried: [[revision, source]],
 *            jumps: [[before, after, commits, old_level, new_level, relative|null, low|null, high|null,
 *                     regression 0|1, state, pairs, p|null, sure|null, why|null, layout 0|1,
 *                     undecided 0|1, source]]}]
 *   failures: [{revision, benchmark|null, outcome, status, cut, log|null}]
 *   left_out: [{name, reason}]
 *
 * Of more than 200,000 points a line has its figures in a block of its own, which holds at, n, the columns, levels
 * and carried; what stays has instead
 *
 *   block: "l0", first: [revision, median]|null, last: [...]|null, low: median|null, high: median|null
 *
 * and its misses are [revision, outcome].
 *
 * `at` says on which revisions the points stand and is left out where they are all of them. A column that
 * equals the medians is left out; one value in place of a column stands for all of it; levels are runs from a
 * point on; carried lists what has another revision's figures. A jump's state is "suspect", "confirmed" or
 * "accepted"; a suspect is undecided where its fresh runs gave no answer; the source of relative, low and high is
 * "pairs", "levels" or "exact". web/model.js reads this.
 */
#include "report/page_parts.h"

#include "report/format.h"
#include "report/json_out.h"
#include "core/base/number.h"
#include "report/query.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LOG_MOST 16384 /* bytes of a failure's log: its end */
#define DIGITS   7     /* of a figure that varies; counts are exact */
/* Points that are unpacked before the page shows anything: a tenth of a second's worth. */
#define MOST_TOGETHER 200000

void pe_page_put_figure(struct pe_text *out, double value)
{
	pe_json_put_comma(out);
	if (!isfinite(value))
		pe_text_add(out, "null");
	else if (value == floor(value) && fabs(value) < 1e15)
		pe_number_fixed(out, value == 0 ? 0.0 : value, 0);
	else
		pe_number_significant(out, value, DIGITS);
}

static void put_revisions(struct pe_text *out, const struct pe_evolution *evolution)
{
	pe_json_open(out, "revisions", '[');
	for (size_t i = 0; i < evolution->n_revisions; i++) {
		const struct pe_revision *revision = &evolution->revisions[i];

		pe_json_put_comma(out);
		pe_text_addc(out, '[');
		pe_escape_json(out, revision->id);
		pe_json_number(out, (double)revision->time_s);
		pe_json_put_comma(out);
		pe_escape_json(out, revision->author);
		pe_json_put_comma(out);
		pe_escape_json(out, revision->subject);
		pe_json_put_comma(out);
		pe_escape_json(out, pe_decoration(evolution, i));
		pe_page_put_figure(out, evolution->mc != NULL && evolution->mc[i] >= 0
						? (double)evolution->mc[i]
						: NAN);
		pe_text_addc(out, ']');
	}
	pe_text_addc(out, ']');
}

/** Index of a line's metric among the distinct metrics of the lines, in order of appearance. */
static size_t metric_index(const struct pe_evolution *evolution, const struct pe_line *line)
{
	size_t index = 0;

	for (size_t i = 0; i < evolution->n_lines; i++) {
		const char *name = evolution->lines[i].metric->name;
		bool seen = false;

		if (strcmp(name, line->metric->name) == 0)
			return index;
		for (size_t j = 0; j < i && !seen; j++)
			seen = strcmp(evolution->lines[j].metric->name, name) == 0;
		index += !seen;
	}
	return index;
}

static void put_metrics(struct pe_text *out, const struct pe_evolution *evolution)
{
	size_t n = 0;

	pe_json_open(out, "metrics", '[');
	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_metric *metric = evolution->lines[i].metric;

		if (metric_index(evolution, &evolution->lines[i]) != n)
			continue;
		n++;
		pe_json_put_comma(out);
		pe_text_addc(out, '{');
		pe_json_put_text(out, "name", metric->name);
		pe_json_put_text(out, "unit", metric->unit);
		pe_json_put_text(out, "label", metric->label);
		pe_json_put_bool(out, "lower", metric->better == PE_LOWER_IS_BETTER);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

static double figure_of(const struct pe_point *point, size_t offset)
{
	double value;

	memcpy(&value, (const char *)point + offset, sizeof(value));
	return point->outcome == PE_MEASURED ? value : NAN;
}

static void put_column(struct pe_text *out, const char *key, const struct pe_line *line,
		       size_t offset)
{
	size_t median = offsetof(struct pe_point, median);
	bool differs = offset == median;

	for (size_t i = 0; i < line->n_points && !differs; i++)
		differs =
			line->points[i].outcome == PE_MEASURED &&
			figure_of(&line->points[i], offset) != figure_of(&line->points[i], median);
	if (!differs)
		return;
	pe_json_open(out, key, '[');
	for (size_t i = 0; i < line->n_points; i++)
		pe_page_put_figure(out, figure_of(&line->points[i], offset));
	pe_text_addc(out, ']');
}

/** Which revisions the points stand on: nothing when they are all of them. */
static void put_positions(struct pe_text *out, const struct pe_evolution *evolution,
			  const struct pe_line *line)
{
	if (line->n_points == evolution->n_revisions)
		return;
	pe_json_open(out, "at", '[');
	for (size_t i = 0; i < line->n_points; i++)
		pe_json_number(out, (double)line->points[i].revision);
	pe_text_addc(out, ']');
}

static void put_counts(struct pe_text *out, const struct pe_line *line)
{
	bool same = true;

	for (size_t i = 1; i < line->n_points && same; i++)
		same = line->points[i].n == line->points[0].n;
	if (same) {
		pe_json_put_number(out, "n", line->n_points > 0 ? (double)line->points[0].n : 0);
		return;
	}
	pe_json_open(out, "n", '[');
	for (size_t i = 0; i < line->n_points; i++)
		pe_json_number(out, (double)line->points[i].n);
	pe_text_addc(out, ']');
}

static bool same_level(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void put_levels(struct pe_text *out, const struct pe_line *line)
{
	double last = NAN;

	pe_json_open(out, "levels", '[');
	for (size_t i = 0; i < line->n_points; i++) {
		double level = line->points[i].level;

		if (line->points[i].outcome != PE_MEASURED || same_level(level, last))
			continue;
		pe_json_put_comma(out);
		pe_text_addc(out, '[');
		pe_json_number(out, (double)i);
		pe_page_put_figure(out, level);
		pe_text_addc(out, ']');
		last = level;
	}
	pe_text_addc(out, ']');
}

/** Points without figures: [index of point, or revision, outcome]. */
static void put_misses(struct pe_text *out, const struct pe_line *line, bool by_revision)
{
	pe_json_open(out, "misses", '[');
	for (size_t i = 0; i < line->n_points; i++) {
		if (line->points[i].outcome == PE_MEASURED)
			continue;
		pe_json_put_comma(out);
		pe_text_addf(out, "[%zu,\"%s\"]", by_revision ? line->points[i].revision : i,
			     pe_outcome_name(line->points[i].outcome));
	}
	pe_text_addc(out, ']');
}

static void put_carried(struct pe_text *out, const struct pe_line *line)
{
	pe_json_open(out, "carried", '[');
	for (size_t i = 0; i < line->n_points; i++) {
		if (!pe_point_is_carried(&line->points[i]))
			continue;
		pe_json_put_comma(out);
		pe_text_addf(out, "[%zu,%zu]", line->points[i].revision, line->points[i].source);
	}
	pe_text_addc(out, ']');
}

static void put_place(struct pe_text *out, size_t revision, const struct pe_evolution *named)
{
	pe_json_put_comma(out);
	if (named != NULL)
		pe_escape_json(out, named->revisions[revision].id);
	else
		pe_text_addf(out, "%zu", revision);
}

void pe_page_put_jump(struct pe_text *out, const struct pe_jump *jump,
		      const struct pe_evolution *named)
{
	const double figures[] = {jump->old_level, jump->new_level, jump->relative, jump->low,
				  jump->high};

	pe_json_put_comma(out);
	pe_text_addc(out, '[');
	put_place(out, jump->before, named);
	put_place(out, jump->after, named);
	pe_text_addf(out, ",%zu", jump->commits);
	for (size_t f = 0; f < sizeof(figures) / sizeof(figures[0]); f++)
		pe_page_put_figure(out, figures[f]);
	pe_text_addf(out, ",%d,\"%s\",%zu", jump->regression ? 1 : 0,
		     pe_jump_state_name(jump->state), jump->pairs);
	pe_page_put_figure(out, jump->p);
	pe_page_put_figure(out, jump->sure);
	pe_json_put_comma(out);
	pe_escape_json(out, jump->why);
	pe_text_addf(out, ",%d,%d,\"%s\"]", jump->layout == PE_LAYOUT_ONLY, jump->undecided,
		     pe_estimate_name(jump->estimate));
}

static void put_jumps(struct pe_text *out, const struct pe_line *line)
{
	pe_json_open(out, "jumps", '[');
	for (size_t i = 0; i < line->n_jumps; i++)
		pe_page_put_jump(out, &line->jumps[i], NULL);
	pe_text_addc(out, ']');
}

/* The first and the last figure, or null, each with its revision. */
static void put_ends(struct pe_text *out, const struct pe_line *line)
{
	const struct pe_point *first = NULL, *last = NULL;

	for (size_t i = 0; i < line->n_points; i++) {
		if (line->points[i].outcome != PE_MEASURED)
			continue;
		first = first != NULL ? first : &line->points[i];
		last = &line->points[i];
	}
	for (int end = 0; end < 2; end++) {
		const struct pe_point *point = end == 0 ? first : last;

		pe_json_key(out, end == 0 ? "first" : "last");
		if (point == NULL) {
			pe_text_add(out, "null");
			continue;
		}
		pe_text_addf(out, "[%zu", point->revision);
		pe_page_put_figure(out, point->median);
		pe_text_addc(out, ']');
	}
}

static void put_extremes(struct pe_text *out, const struct pe_line *line)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < line->n_points; i++) {
		if (line->points[i].outcome != PE_MEASURED)
			continue;
		low = fmin(low, line->points[i].median);
		high = fmax(high, line->points[i].median);
	}
	pe_json_key(out, "low");
	pe_page_put_figure(out, low);
	pe_json_key(out, "high");
	pe_page_put_figure(out, high);
}

static void put_columns(struct pe_text *out, const struct pe_evolution *evolution,
			const struct pe_line *line)
{
	put_positions(out, evolution, line);
	put_counts(out, line);
	put_column(out, "median", line, offsetof(struct pe_point, median));
	put_column(out, "q25", line, offsetof(struct pe_point, q25));
	put_column(out, "q75", line, offsetof(struct pe_point, q75));
	put_column(out, "min", line, offsetof(struct pe_point, min));
	put_column(out, "max", line, offsetof(struct pe_point, max));
	pe_json_open(out, "mad", '[');
	for (size_t i = 0; i < line->n_points; i++)
		pe_page_put_figure(out,
				   figure_of(&line->points[i], offsetof(struct pe_point, mad)));
	pe_text_addc(out, ']');
	put_levels(out, line);
	put_carried(out, line);
}

static void put_line(struct pe_text *out, const struct pe_evolution *evolution, size_t index)
{
	const struct pe_line *line = &evolution->lines[index];
	bool apart = pe_page_lines_apart(evolution);

	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "name", line->workload);
	pe_json_put_number(out, "metric", (double)metric_index(evolution, line));
	pe_json_put_bool(out, "judged", line->judged);
	if (apart) {
		pe_json_key(out, "block");
		pe_text_addf(out, "\"l%zu\"", index);
		put_ends(out, line);
		put_extremes(out, line);
	} else {
		put_columns(out, evolution, line);
	}
	put_misses(out, line, apart);
	put_jumps(out, line);
	pe_text_addc(out, '}');
}

bool pe_page_lines_apart(const struct pe_evolution *evolution)
{
	size_t points = 0;

	for (size_t i = 0; i < evolution->n_lines; i++)
		points += evolution->lines[i].n_points;
	return points > MOST_TOGETHER;
}

void pe_page_put_line(struct pe_text *out, const struct pe_evolution *evolution, size_t line)
{
	pe_text_addc(out, '{');
	put_columns(out, evolution, &evolution->lines[line]);
	pe_text_addc(out, '}');
}

static void put_failures(struct pe_text *out, const struct pe_evolution *evolution)
{
	pe_json_open(out, "failures", '[');
	for (size_t i = 0; i < evolution->n_failures; i++) {
		const struct pe_failure *failure = &evolution->failures[i];
		size_t n = failure->log != NULL ? strlen(failure->log) : 0;

		pe_json_put_comma(out);
		pe_text_add(out, "\n{");
		pe_json_put_number(out, "revision", (double)failure->revision);
		pe_json_put_text(out, "benchmark", failure->workload);
		pe_json_put_text(out, "outcome", pe_outcome_name(failure->outcome));
		pe_json_put_number(out, "status", failure->status);
		pe_json_put_bool(out, "cut", n > LOG_MOST);
		pe_json_put_text(out, "log",
				 n > LOG_MOST ? failure->log + n - LOG_MOST : failure->log);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

static void put_left_out(struct pe_text *out, const struct pe_evolution *evolution)
{
	pe_json_open(out, "left_out", '[');
	for (size_t i = 0; i < evolution->n_left_out; i++) {
		pe_json_put_comma(out);
		pe_text_addc(out, '{');
		pe_json_put_text(out, "name", evolution->left_out[i].name);
		pe_json_put_text(out, "reason", evolution->left_out[i].reason);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

/** How much was carried over, in words; null: nothing. */
static void put_carried_sum(struct pe_text *out, const struct pe_evolution *evolution)
{
	struct pe_text words = PE_TEXT_INIT;

	pe_json_put_text(out, "carried",
			 pe_evolution_add_carried(&words, evolution) ? pe_text_str(&words) : NULL);
	pe_text_release(&words);
}

void pe_page_put_evolution(struct pe_text *out, const struct pe_evolution *evolution)
{
	static const struct pe_evolution none;

	if (evolution == NULL)
		evolution = &none;
	pe_json_put_text(out, "version", evolution->version);
	pe_json_put_text(out, "project", evolution->project);
	pe_json_put_text(out, "machine", evolution->machine);
	pe_json_put_number(out, "generated", (double)evolution->generated_s);
	put_carried_sum(out, evolution);
	put_revisions(out, evolution);
	put_metrics(out, evolution);
	pe_json_open(out, "lines", '[');
	for (size_t i = 0; i < evolution->n_lines; i++)
		put_line(out, evolution, i);
	pe_text_addc(out, ']');
	put_failures(out, evolution);
	put_left_out(out, evolution);
}
