/*
 * The evolution in the page's index block. It travels by column, because ten thousand revisions of a
 * dozen metrics as objects would be tens of megabytes:
 *
 *   revisions: [[id, time_s, author, subject, decoration|null, mc|null]]   oldest first
 *   metrics: [{name, unit, label, lower}]                 the distinct ones, as they appear
 *   lines: [{name, metric: index, judged, nodes: text or null, at?: [revision...],
 *            n: number | [...], value, q25?, q75?, min?, max?, mad: [...],
 *            levels: [[point, level]], breaks?: [revision...], misses: [[point, outcome]], reused: [[revision, source, skipped]],
 *            jumps: [[before, after, commits, old_level, new_level, relative|null, low|null, high|null,
 *                     regression 0|1, state, pairs, p|null, sure|null, why|null, layout 0|1,
 *                     undecided 0|1, source, generic|null]]}]
 *   headline: text
 *   events: [[commit, class, standing, words, contradiction|null, [[line, index of its jump, functions|null]]]]
 *                                                         commits with jumps, the worst first
 *   failures: [{revision, benchmark|null, outcome, status, cut, log|null}]
 *   left_out: [{name, reason}]
 *
 * Of more than 200,000 points a line has its values in a block of its own, which holds at, n, the columns, levels
 * and reused; what stays has instead
 *
 *   block: "l0", first: [revision, value]|null, last: [...]|null, low: value|null, high: value|null
 *
 * and its misses are [revision, outcome].
 *
 * `at` says on which revisions the points stand and is left out where they are all of them. A column that
 * equals the values is left out; one value in place of a column stands for all of it; levels are runs from a
 * point on; values from a break on cannot be compared with those before; value is the median; reused lists what has another revision's values. A jump's state is "suspect", "confirmed" or
 * "accepted"; a suspect is undecided where its fresh runs gave no answer; the source of relative, low and high is
 * "pairs", "levels" or "exact". web/model.js reads this.
 */
#include "report/page_parts.h"

#include "core/json/writer.h"
#include "report/format.h"
#include "report/commit_blocks.h"
#include "report/estimate.h"
#include "report/query.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LOG_MOST 16384 /* bytes of a failure's log: its end */
#define DIGITS   7     /* of a value that varies; counts are exact */
/* Points that are unpacked before the page shows anything: a tenth of a second's worth. */
#define MOST_TOGETHER 200000

void pe_page_put_value(struct pe_json *json, const char *key, double value)
{
	pe_json_rounded(json, key, value, DIGITS);
}

void pe_page_put_block_name(struct pe_json *json, char kind, size_t number)
{
	struct pe_text name = PE_TEXT_INIT;

	pe_text_addf(&name, "%c%zu", kind, number);
	pe_json_take(json, "block", &name);
}

static void put_revisions(struct pe_json *json, const struct pe_evolution *evolution)
{
	pe_json_begin_array(json, "revisions");
	for (size_t i = 0; i < evolution->n_revisions; i++) {
		const struct pe_revision *revision = &evolution->revisions[i];

		pe_json_begin_array(json, NULL);
		pe_json_columns(json, revision, id, time_s, author, subject);
		pe_json_put(json, NULL, pe_decoration(evolution, i));
		pe_json_put(json, NULL,
			    evolution->mc != NULL && evolution->mc[i] >= 0
				    ? (double)evolution->mc[i]
				    : NAN);
		pe_json_end(json);
	}
	pe_json_end(json);
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

static void put_metrics(struct pe_json *json, const struct pe_evolution *evolution)
{
	size_t n = 0;

	pe_json_begin_array(json, "metrics");
	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_metric *metric = evolution->lines[i].metric;

		if (metric_index(evolution, &evolution->lines[i]) != n)
			continue;
		n++;
		pe_json_begin_object(json, NULL);
		pe_json_members(json, metric, name, unit, label);
		pe_json_bool(json, "lower", metric->better == PE_LOWER_IS_BETTER);
		pe_json_end(json);
	}
	pe_json_end(json);
}

/* The value of a point that stands so far into it; NaN where it was not measured. */
static double value_of(const struct pe_point *point, size_t offset)
{
	double value;

	memcpy(&value, (const char *)point + offset, sizeof(value));
	return point->outcome == PE_MEASURED ? value : NAN;
}

static bool same_value(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void put_column(struct pe_json *json, const char *key, const struct pe_line *line,
		       size_t offset)
{
	pe_json_each(json, key, i, line->n_points,
		     pe_page_put_value(json, NULL, value_of(&line->points[i], offset)));
}

/* A column that equals the values is left out. */
static void put_if_differs(struct pe_json *json, const char *key, const struct pe_line *line,
			   size_t offset)
{
	for (size_t i = 0; i < line->n_points; i++)
		if (!same_value(value_of(&line->points[i], offset),
				value_of(&line->points[i], offsetof(struct pe_point, median)))) {
			put_column(json, key, line, offset);
			return;
		}
}

/* One number where it is the same for all points. */
static void put_counts(struct pe_json *json, const struct pe_line *line)
{
	bool same = true;

	for (size_t i = 1; i < line->n_points && same; i++)
		same = line->points[i].n == line->points[0].n;
	if (same)
		pe_json_put(json, "n", line->n_points > 0 ? line->points[0].n : 0);
	else
		pe_json_each(json, "n", i, line->n_points,
			     pe_json_put(json, NULL, line->points[i].n));
}

static void put_levels(struct pe_json *json, const struct pe_line *line)
{
	double last = NAN;

	pe_json_begin_array(json, "levels");
	for (size_t i = 0; i < line->n_points; i++) {
		double level = line->points[i].level;

		if (line->points[i].outcome != PE_MEASURED || same_value(level, last))
			continue;
		pe_json_begin_array(json, NULL);
		pe_json_put(json, NULL, i);
		pe_page_put_value(json, NULL, level);
		pe_json_end(json);
		last = level;
	}
	pe_json_end(json);
}

/** Points without values: [index of point, or revision, outcome]. */
static void put_misses(struct pe_json *json, const struct pe_line *line, bool by_revision)
{
	pe_json_begin_array(json, "misses");
	for (size_t i = 0; i < line->n_points; i++) {
		if (line->points[i].outcome == PE_MEASURED)
			continue;
		pe_json_begin_array(json, NULL);
		pe_json_put(json, NULL, by_revision ? line->points[i].revision : i);
		pe_json_put(json, NULL, pe_outcome_name(line->points[i].outcome));
		pe_json_end(json);
	}
	pe_json_end(json);
}

static void put_reused(struct pe_json *json, const struct pe_line *line)
{
	pe_json_each(json, "reused", i, line->n_points,
		     if (pe_point_is_reused(&line->points[i]))
			     pe_json_row(json, NULL, &line->points[i], revision, source, skipped));
}

static void put_revision_of(struct pe_json *json, size_t revision, const struct pe_evolution *named)
{
	if (named != NULL)
		pe_json_put(json, NULL, named->revisions[revision].id);
	else
		pe_json_put(json, NULL, revision);
}

void pe_page_put_jump(struct pe_json *json, const struct pe_jump *jump,
		      const struct pe_evolution *named)
{
	const double values[] = {jump->old_level, jump->new_level, jump->relative, jump->low,
				 jump->high};

	pe_json_begin_array(json, NULL);
	put_revision_of(json, jump->before, named);
	put_revision_of(json, jump->after, named);
	pe_json_put(json, NULL, jump->commits);
	for (size_t f = 0; f < sizeof(values) / sizeof(values[0]); f++)
		pe_page_put_value(json, NULL, values[f]);
	pe_json_put(json, NULL, (int)jump->regression);
	pe_json_put(json, NULL, pe_jump_state_name(jump->state));
	pe_json_put(json, NULL, jump->pairs);
	pe_page_put_value(json, NULL, jump->p);
	pe_page_put_value(json, NULL, jump->sure);
	pe_json_put(json, NULL, jump->why);
	pe_json_put(json, NULL, jump->layout == PE_LAYOUT_ONLY);
	pe_json_put(json, NULL, (int)jump->undecided);
	pe_json_put(json, NULL, pe_estimate_name(jump->estimate));
	pe_json_put(json, NULL, jump->generic);
	pe_json_end(json);
}

/* Where values begin that cannot be compared with those before. */
static void put_breaks(struct pe_json *json, const struct pe_line *line)
{
	const struct pe_point *last = NULL;
	bool any = false;

	for (size_t i = 0; i < line->n_points; i++) {
		const struct pe_point *point = &line->points[i];

		if (point->outcome != PE_MEASURED)
			continue;
		if (last != NULL && last->epoch != point->epoch) {
			if (!any)
				pe_json_begin_array(json, "breaks");
			any = true;
			pe_json_put(json, NULL, point->revision);
		}
		last = point;
	}
	if (any)
		pe_json_end(json);
}

static void put_end(struct pe_json *json, const char *key, const struct pe_point *point)
{
	if (point == NULL) {
		pe_json_null(json, key);
		return;
	}
	pe_json_begin_array(json, key);
	pe_json_put(json, NULL, point->revision);
	pe_page_put_value(json, NULL, point->median);
	pe_json_end(json);
}

/* The first and the last value, or null, each with its revision; the lowest and the highest. */
static void put_ends(struct pe_json *json, const struct pe_line *line)
{
	const struct pe_point *first = NULL, *last = NULL;
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < line->n_points; i++) {
		if (line->points[i].outcome != PE_MEASURED)
			continue;
		first = first != NULL ? first : &line->points[i];
		last = &line->points[i];
		low = fmin(low, last->median);
		high = fmax(high, last->median);
	}
	put_end(json, "first", first);
	put_end(json, "last", last);
	pe_page_put_value(json, "low", low);
	pe_page_put_value(json, "high", high);
}

static void put_columns(struct pe_json *json, const struct pe_evolution *evolution,
			const struct pe_line *line)
{
	/* Which revisions the points stand on: nothing when they are all of them. */
	if (line->n_points != evolution->n_revisions)
		pe_json_each(json, "at", i, line->n_points,
			     pe_json_put(json, NULL, line->points[i].revision));
	put_counts(json, line);
	put_column(json, "value", line, offsetof(struct pe_point, median));
	put_if_differs(json, "q25", line, offsetof(struct pe_point, q25));
	put_if_differs(json, "q75", line, offsetof(struct pe_point, q75));
	put_if_differs(json, "min", line, offsetof(struct pe_point, min));
	put_if_differs(json, "max", line, offsetof(struct pe_point, max));
	put_column(json, "mad", line, offsetof(struct pe_point, mad));
	put_levels(json, line);
	put_breaks(json, line);
	put_reused(json, line);
}

/* [line, jump of it, functions or null] */
static void put_member(struct pe_json *json, const struct pe_evolution *evolution,
		       const struct pe_ranked_jump *ranked)
{
	pe_auto_text functions = PE_TEXT_INIT;

	pe_jump_add_functions(&functions, ranked->jump);
	pe_json_begin_array(json, NULL);
	pe_json_put(json, NULL, (size_t)(ranked->line - evolution->lines));
	pe_json_put(json, NULL, (size_t)(ranked->jump - ranked->line->jumps));
	pe_json_put(json, NULL, functions.len > 0 ? pe_text_str(&functions) : NULL);
	pe_json_end(json);
}

static void put_block(struct pe_json *json, const struct pe_evolution *evolution,
		      const struct pe_commit_block *block)
{
	pe_auto_text words = PE_TEXT_INIT;

	pe_commit_class_add(&words, &block->class);
	pe_json_begin_array(json, NULL);
	pe_json_put(json, NULL, block->commit);
	pe_json_put(json, NULL, pe_class_name(block->class.class));
	pe_json_put(json, NULL, pe_standing_name(block->class.standing));
	pe_json_put(json, NULL, pe_text_str(&words));
	pe_json_put(json, NULL, pe_commit_class_contradiction(&block->class));
	pe_json_each(json, NULL, i, block->n, put_member(json, evolution, &block->jumps[i]));
	pe_json_end(json);
}

/* The headline, and every commit with a jump. */
static void put_blocks(struct pe_json *json, const struct pe_evolution *evolution)
{
	struct pe_arena arena = PE_ARENA_INIT;
	pe_auto_text headline = PE_TEXT_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);

	pe_commit_blocks_add_headline(&headline, evolution, blocks, n);
	pe_json_put(json, "headline", pe_text_str(&headline));
	pe_json_each_row(json, "events", i, n, put_block(json, evolution, &blocks[i]));
	pe_arena_release(&arena);
}

static void put_line(struct pe_json *json, const struct pe_evolution *evolution, size_t index)
{
	const struct pe_line *line = &evolution->lines[index];
	bool apart = pe_page_lines_apart(evolution);

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", line->benchmark);
	pe_json_put(json, "metric", metric_index(evolution, line));
	pe_json_put(json, "judged", line->judged);
	pe_json_put(json, "nodes", line->nodes);
	if (apart) {
		pe_page_put_block_name(json, 'l', index);
		put_ends(json, line);
	} else {
		put_columns(json, evolution, line);
	}
	put_misses(json, line, apart);
	pe_json_each(json, "jumps", i, line->n_jumps,
		     pe_page_put_jump(json, &line->jumps[i], NULL));
	pe_json_end(json);
}

bool pe_page_lines_apart(const struct pe_evolution *evolution)
{
	size_t points = 0;

	for (size_t i = 0; i < evolution->n_lines; i++)
		points += evolution->lines[i].n_points;
	return points > MOST_TOGETHER;
}

void pe_page_put_line(struct pe_json *json, const struct pe_evolution *evolution, size_t line)
{
	pe_json_begin_object(json, NULL);
	put_columns(json, evolution, &evolution->lines[line]);
	pe_json_end(json);
}

static void put_failures(struct pe_json *json, const struct pe_evolution *evolution)
{
	pe_json_begin_rows(json, "failures");
	for (size_t i = 0; i < evolution->n_failures; i++) {
		const struct pe_failure *failure = &evolution->failures[i];
		size_t n = failure->log != NULL ? strlen(failure->log) : 0;

		pe_json_begin_object(json, NULL);
		pe_json_put(json, "revision", failure->revision);
		pe_json_put(json, "benchmark", failure->benchmark);
		pe_json_put(json, "outcome", pe_outcome_name(failure->outcome));
		pe_json_put(json, "status", failure->status);
		pe_json_bool(json, "cut", n > LOG_MOST);
		pe_json_put(json, "log", n > LOG_MOST ? failure->log + n - LOG_MOST : failure->log);
		pe_json_end(json);
	}
	pe_json_end(json);
}

/** How much was reused, in words; null: nothing. */
static void put_reused_sum(struct pe_json *json, const struct pe_evolution *evolution)
{
	struct pe_text words = PE_TEXT_INIT;

	pe_json_put(json, "reused",
		    pe_evolution_add_reused(&words, evolution, false) ? pe_text_str(&words) : NULL);
	pe_text_clear(&words);
	pe_json_put(json, "reused_why",
		    pe_evolution_add_reused(&words, evolution, true) ? pe_text_str(&words) : NULL);
	pe_text_release(&words);
}

void pe_page_put_evolution(struct pe_json *json, const struct pe_evolution *evolution)
{
	static const struct pe_evolution none;

	if (evolution == NULL)
		evolution = &none;
	pe_json_members(json, evolution, version, project, machine);
	pe_json_put(json, "generated", evolution->generated_s);
	put_reused_sum(json, evolution);
	put_revisions(json, evolution);
	put_metrics(json, evolution);
	pe_json_each_row(json, "lines", i, evolution->n_lines, put_line(json, evolution, i));
	put_blocks(json, evolution);
	put_failures(json, evolution);
	pe_evolution_json_left_out(json, evolution);
}
