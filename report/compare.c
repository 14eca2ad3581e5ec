/* What the writers of comparisons share: the lines of the verdict, ranked, and pieces of text. */
#include "report/compare_text.h"

#include "core/base/sort.h"
#include "core/model/layout.h"
#include "report/estimate.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

const char *pe_compare_verdict_word(const struct pe_compare_value *value)
{
	if (!value->judged)
		return value->verdict == PE_UNCHANGED ? "same" : "different";
	if (value->layout && value->verdict != PE_UNDECIDED)
		return value->verdict == PE_UNCHANGED ? "same" : "layout";
	switch (value->verdict) {
	case PE_IMPROVED:
		return "better";
	case PE_REGRESSED:
		return "worse";
	case PE_UNCHANGED:
		return "same";
	default:
		return "undecided";
	}
}

const char *pe_compare_cost_unit(enum pe_cost cost, const char *event)
{
	if (cost == PE_COST_TIME)
		return event != NULL ? event : "ns";
	return cost == PE_COST_BYTES ? "bytes" : "1";
}

const char *pe_compare_cost_name(enum pe_cost cost)
{
	static const char *const names[] = {
		[PE_COST_TIME] = "time",   [PE_COST_ALLOCATIONS] = "allocations",
		[PE_COST_BYTES] = "bytes", [PE_COST_INSTRUCTIONS] = "instructions",
		[PE_COST_CALLS] = "calls",
	};

	return names[cost];
}

void pe_compare_add_method(struct pe_text *out, const struct pe_frames *frames, uint32_t frame)
{
	if (frame == PE_FRAME_NONE)
		return;
	pe_text_add(out, frames->at[frame].name);
	pe_text_add(out, frames->at[frame].signature);
}

void pe_compare_add_signed(struct pe_text *out, int64_t amount, const char *unit)
{
	if (amount > 0)
		pe_text_addc(out, '+');
	pe_format_value(out, (double)amount, unit);
}

/* --- The table of metrics --- */

static enum pe_paint paint_of(const struct pe_compare_value *value)
{
	if (!value->judged)
		return PE_PLAIN;
	return value->verdict == PE_REGRESSED  ? PE_BAD
	       : value->verdict == PE_IMPROVED ? PE_GOOD
					       : PE_PLAIN;
}

static void put_interval(struct pe_table *table, const struct pe_compare_value *value)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (value->exact)
		pe_text_add(&text, "exact");
	else if (!isfinite(value->low) || !isfinite(value->high))
		pe_text_add(&text, "too few runs");
	else if (value->low == value->high)
		pe_format_change(&text, value->low);
	else
		pe_format_interval(&text, value->low, value->high);
	pe_table_take(table, PE_DIM, &text);
}

static void put_metric(struct pe_table *table, const struct pe_compare_value *value,
		       const char *name)
{
	enum { INDENT = 3 };
	const char *unit = value->metric->unit;
	pe_auto_text text = PE_TEXT_INIT;

	pe_table_code(table, name);
	pe_table_put(table, PE_PLAIN,
		     value->metric->label != NULL ? value->metric->label : value->metric->name);
	pe_table_value(table, PE_PLAIN, value->old_value, unit);
	pe_table_value(table, PE_PLAIN, value->new_value, unit);
	if (value->exact && value->old_value == value->new_value)
		pe_text_add(&text, "0 %");
	else
		pe_format_change(&text, value->relative);
	pe_table_take(table, paint_of(value), &text);
	put_interval(table, value);
	pe_table_put(table, paint_of(value), pe_compare_verdict_word(value));
	if (value->jump != NULL) {
		pe_text_add(&text, "change: of the jump at ");
		pe_estimate_add_compared(&text, value->jump, value->jump_id, value->measured);
	}
	pe_table_note(table, INDENT, pe_text_str(&text));
	pe_table_note(table, INDENT, value->layout ? "layout: " PE_LAYOUT_WHY : NULL);
	pe_table_note(table, INDENT, value->generic);
	if (value->contradicted)
		pe_table_note(
			table, INDENT,
			"processor time or instructions of the same runs say the reverse: the machine's "
			"load changed: measure again when it is quieter");
}

void pe_compare_begin_metrics(struct pe_table *out, const struct pe_term *term)
{
	static const struct pe_column columns[] = {
		{"benchmark", false, 0}, {"metric", false, 6}, {"old", true, 0},
		{"new", true, 0},        {"change", true, 0},  {"95 %", false, 0},
		{"new is", false, 0},
	};

	pe_table_init(out, columns, sizeof(columns) / sizeof(*columns), term);
}

void pe_compare_put_metrics(struct pe_table *table, const struct pe_compare_pair *pair,
			    const char *name)
{
	for (size_t i = 0; i < pair->n_values; i++)
		put_metric(table, &pair->values[i], name);
}

/* What no call explains is all the same known by function, where counts tell. */
static const char *say_unexplained(bool differs, bool undecided, bool counted)
{
	if (differs)
		return counted ? "nothing that differs is in the profiles: instructions by function say "
				 "which execute more or fewer"
			       : "nothing that differs is counted in the profiles: calls explain none "
				 "of it";
	if (undecided)
		return counted ? "undecided: the runs are too few to tell a difference from noise; "
				 "instructions by function are exact"
			       : "undecided: the runs are too few to tell a difference from noise";
	return counted ? "no metric differs beyond noise; instructions by function say which execute "
			 "more or fewer"
		       : "no metric differs beyond noise: nothing to explain";
}

const char *pe_compare_unexplained(const struct pe_compare_pair *pair)
{
	bool differs = false, undecided = false;

	if (pair->n_reports > 0)
		return NULL;
	if (pair->same)
		return "old and new execute the same: nothing to explain";
	if (pair->problem != NULL)
		return pair->problem;
	for (size_t i = 0; i < pair->n_values; i++) {
		const struct pe_compare_value *value = &pair->values[i];

		undecided = undecided || (value->judged && value->verdict == PE_UNDECIDED);
		differs = differs || (value->judged && value->verdict != PE_UNDECIDED &&
				      value->verdict != PE_UNCHANGED);
	}
	return say_unexplained(differs, undecided,
			       pair->functions != NULL && pair->functions->n > 0);
}

/* --- The verdict's lines --- */

PE_SORT_DOWN_BY(compare_lines, struct pe_compare_line, weight, pair, report, cause);

/* A cause of time and one of allocations are compared by what part of the execution they are. */
static double weigh(const struct pe_attribution *report, uint32_t cause)
{
	double whole = fmax((double)report->old_whole, (double)report->new_whole);

	return whole > 0 ? fabs((double)report->causes[cause].amount) / whole : 0;
}

static struct pe_compare_line say(const struct pe_compare_pair *pair, size_t r, uint32_t c,
				  struct pe_arena *arena)
{
	const struct pe_attribution *report = &pair->reports[r];
	const struct pe_frames *frames = pair->delta->frames;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_compare_line line = {.report = r, .cause = c, .weight = weigh(report, c)};

	pe_compare_say_cause(&text, report, &report->causes[c], frames);
	line.head = pe_arena_strdup(arena, pe_text_str(&text));
	pe_text_clear(&text);
	pe_compare_say_parts(&text, report, &report->causes[c], frames);
	line.detail = pe_arena_strdup(arena, pe_text_str(&text));
	line.text = pe_arena_printf(arena, "%s%s%s", line.head, line.detail[0] != '\0' ? "; " : "",
				    line.detail);
	return line;
}

void pe_compare_rank(struct pe_compare *compare, struct pe_arena *arena)
{
	size_t n = 0;

	for (size_t p = 0; p < compare->n_pairs; p++)
		for (size_t r = 0; r < compare->pairs[p].n_reports; r++)
			n += compare->pairs[p].reports[r].n;
	compare->lines = pe_arena_new(arena, struct pe_compare_line, n);
	compare->n_lines = 0;
	for (size_t p = 0; p < compare->n_pairs; p++) {
		const struct pe_compare_pair *pair = &compare->pairs[p];

		for (size_t r = 0; r < pair->n_reports; r++) {
			for (uint32_t c = 0; c < pair->reports[r].n; c++) {
				compare->lines[compare->n_lines] = say(pair, r, c, arena);
				compare->lines[compare->n_lines++].pair = p;
			}
		}
	}
	pe_sort(compare->lines, compare->n_lines, compare_lines);
}

void pe_compare_add_more(struct pe_text *out, size_t more, const char *noun, const char *how)
{
	if (more == 0)
		return;
	pe_text_add(out, "… and ");
	pe_format_value(out, (double)more, "1");
	pe_text_addf(out, " more %s%s (%s)", noun, more == 1 ? "" : "s", how);
}

const struct pe_compare_value *pe_compare_time(const struct pe_compare_pair *pair)
{
	static const enum pe_metric_id times[] = {PE_WALL, PE_CPU};

	for (size_t t = 0; t < sizeof(times) / sizeof(*times); t++)
		for (size_t i = 0; i < pair->n_values; i++) {
			const struct pe_compare_value *value = &pair->values[i];

			if (pe_compare_value_changed(value) &&
			    strcmp(value->metric->name, pe_metrics[times[t]].name) == 0)
				return value;
		}
	return NULL;
}
