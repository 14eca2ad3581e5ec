/*
 * The evolution in the page's index block: the public document (evolution_json.c) with the points of a line by column,
 * because ten thousand revisions of a dozen metrics as objects would be tens of megabytes. In place of `points` a line has
 *
 *   at?: [revision...], n: [...], value, q25?, q75?, mad, level, epoch: [...],
 *   misses: [[point, outcome]], reused: [[revision, source, skipped]],
 *   first: [revision, value]|null, last: [...]|null, low: value|null, high: value|null
 *
 * Here a revision is its index. `at` has the revisions of the points and is left out where these are all. A
 * column that equals the values is left out; values of different epochs cannot be compared; value is the median; reused lists
 * points with another revision's values.
 *
 * Of more than 200,000 points a line has its values in a block of its own, `block: "l0"`; what stays are first, last, low,
 * high and misses: [[revision, outcome]].
 *
 * Besides, the index has `reused`, how many results were reused, in words, or null, and by event
 *
 *   event_jumps: [[[line, index of its jump, levels: "23.4 → 31.3 ms", functions|null, generic: text|null]]]
 *
 * A failure whose log is longer than 16 KiB has its end, with cut: true. web/model.js reads this.
 */
#include "report/page_parts.h"

#include "core/json/writer.h"
#include "report/commit_blocks.h"
#include "report/format.h"
#include "report/query.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define LOG_MOST 16384 /* bytes of a failure's log: its end */
#define DIGITS   7     /* of a value that varies; counts are exact */
/* Points that are unpacked before the page shows anything: they take a tenth of a second. */
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

/* Columns of values; those that are often the same as the values are left out where they are. */
static const struct {
	const char *key;
	size_t offset;
	bool often_same;
} columns[] = {
	{"value", offsetof(struct pe_point, median), false},
	{"q25", offsetof(struct pe_point, q25), true},
	{"q75", offsetof(struct pe_point, q75), true},
	{"mad", offsetof(struct pe_point, mad), false},
	{"level", offsetof(struct pe_point, level), false},
};

/* The value of a point in a column; NaN where it was not measured. */
static double value_of(const struct pe_point *point, size_t column)
{
	double value;

	memcpy(&value, (const char *)point + columns[column].offset, sizeof(value));
	return point->outcome == PE_MEASURED ? value : NAN;
}

static bool equals_values(const struct pe_line *line, size_t column)
{
	for (size_t i = 0; i < line->n_points; i++) {
		const double value = value_of(&line->points[i], column);
		const double median = value_of(&line->points[i], 0);

		if (value != median && !(isnan(value) && isnan(median)))
			return false;
	}
	return true;
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
	pe_json_each(json, "n", i, line->n_points, pe_json_put(json, NULL, line->points[i].n));
	for (size_t c = 0; c < sizeof(columns) / sizeof(*columns); c++)
		if (!columns[c].often_same || !equals_values(line, c))
			pe_json_each(json, columns[c].key, i, line->n_points,
				     pe_page_put_value(json, NULL, value_of(&line->points[i], c)));
	pe_json_each(json, "epoch", i, line->n_points,
		     pe_json_put(json, NULL, line->points[i].epoch));
	pe_json_each(json, "reused", i, line->n_points,
		     if (pe_point_is_reused(&line->points[i]))
			     pe_json_row(json, NULL, &line->points[i], revision, source, skipped));
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

/* [line, jump of it, levels, functions or null, generic or null] */
static void put_member(struct pe_json *json, const struct pe_evolution *evolution,
		       const struct pe_ranked_jump *ranked)
{
	const struct pe_jump *jump = ranked->jump;
	pe_auto_text functions = PE_TEXT_INIT, levels = PE_TEXT_INIT;

	pe_jump_add_functions(&functions, jump);
	pe_format_step(&levels, jump->old_level, jump->new_level, ranked->line->metric->unit);
	pe_json_begin_array(json, NULL);
	pe_json_put(json, NULL, (size_t)(ranked->line - evolution->lines));
	pe_json_put(json, NULL, (size_t)(jump - ranked->line->jumps));
	pe_json_take(json, NULL, &levels);
	pe_json_put(json, NULL, functions.len > 0 ? pe_text_str(&functions) : NULL);
	pe_json_put(json, NULL, jump->generic);
	pe_json_end(json);
}

/** How much was reused, in words; null: nothing. */
static void put_reused_sum(struct pe_json *json, const struct pe_evolution *evolution)
{
	pe_auto_text words = PE_TEXT_INIT;

	pe_evolution_add_reused(&words, evolution);
	pe_json_put(json, "reused", words.len > 0 ? pe_text_str(&words) : NULL);
}

static void put_points(struct pe_json *json, const struct pe_evolution *evolution,
		       const struct pe_line *line)
{
	bool apart = pe_page_lines_apart(evolution);

	put_ends(json, line);
	if (apart)
		pe_page_put_block_name(json, 'l', (size_t)(line - evolution->lines));
	else
		put_columns(json, evolution, line);
	put_misses(json, line, apart);
}

static void put_event_jumps(struct pe_json *json, const struct pe_evolution *evolution)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);

	pe_json_begin_array(json, "event_jumps");
	for (size_t i = 0; i < n; i++)
		pe_json_each(json, NULL, j, blocks[i].n,
			     put_member(json, evolution, &blocks[i].jumps[j]));
	pe_json_end(json);
}

void pe_page_put_evolution(struct pe_json *json, const struct pe_evolution *evolution)
{
	static const struct pe_evolution none;

	if (evolution == NULL)
		evolution = &none;
	pe_evolution_json_members(json, evolution, put_points, LOG_MOST);
	put_event_jumps(json, evolution);
	put_reused_sum(json, evolution);
}
