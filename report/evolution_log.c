/* `log`: a plain table of revisions with what time and allocations did at each. */
#include "report/evolution.h"

#include "report/estimate.h"
#include "report/format.h"
#include "report/log_marks.h"
#include "report/query.h"
#include "report/terminal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CARRIED "=" /* as the build whose result is reused */

/** The line of the first benchmark for a metric, or NULL. */
static const struct pe_line *line_of(const struct pe_evolution *evolution, const char *metric)
{
	for (size_t i = 0; i < evolution->n_lines; i++)
		if (strcmp(evolution->lines[i].metric->name, metric) == 0 &&
		    strcmp(evolution->lines[i].benchmark, evolution->lines[0].benchmark) == 0)
			return &evolution->lines[i];
	return NULL;
}

/** Value and variation against the predecessor: two cells. */
static void put_values(struct pe_table *table, const struct pe_evolution *evolution,
		       const struct pe_line *line, size_t revision)
{
	const struct pe_point *point = line != NULL ? pe_line_at(line, revision) : NULL;
	struct pe_change change;
	struct pe_text text = PE_TEXT_INIT;

	if (point == NULL || point->outcome != PE_MEASURED) {
		pe_table_put(table, PE_DIM, point != NULL ? pe_outcome_say(point->outcome) : "");
		pe_table_put(table, PE_PLAIN, "");
		return;
	}
	pe_table_value(table, PE_PLAIN, point->value, line->metric->unit);
	change = pe_line_change(line, pe_line_predecessor(evolution, line, revision), point);
	pe_change_add(&text, &change);
	pe_table_take(table, pe_change_paint(&change), &text);
	pe_text_release(&text);
}

/** Why a revision has no values at all, or NULL. */
static const char *build_failure(const struct pe_evolution *evolution, size_t revision)
{
	for (size_t i = 0; i < evolution->n_failures; i++)
		if (evolution->failures[i].revision == revision &&
		    evolution->failures[i].benchmark == NULL)
			return pe_outcome_say(evolution->failures[i].outcome);
	return NULL;
}

static bool is_reused_at(const struct pe_line *line, size_t revision)
{
	const struct pe_point *point = line != NULL ? pe_line_at(line, revision) : NULL;

	return point != NULL && pe_point_is_reused(point);
}

static unsigned marks_of(const struct pe_evolution *evolution, const struct pe_line *line)
{
	unsigned marks = 0;

	for (size_t i = 0; line != NULL && i < line->n_points; i++)
		if (line->points[i].revision >= evolution->first) {
			marks |= pe_log_marks_of(evolution, line, &line->points[i]);
			marks |= pe_point_is_reused(&line->points[i]) ? PE_LOG_REUSED : 0;
		}
	return marks;
}

static void put_revision(struct pe_table *table, const struct pe_evolution *evolution,
			 const struct pe_line *time, const struct pe_line *allocations,
			 size_t revision)
{
	const char *decoration = pe_decoration(evolution, revision);
	const char *failure = build_failure(evolution, revision);
	struct pe_text text = PE_TEXT_INIT;

	pe_add_short_id(&text, evolution, revision);
	pe_table_take(table, PE_BOLD, &text);
	pe_format_date(&text, evolution->revisions[revision].time_s);
	pe_table_take(table, PE_DIM, &text);
	pe_table_put(table, PE_DIM,
		     is_reused_at(time, revision) || is_reused_at(allocations, revision) ? CARRIED
											 : "");
	if (failure != NULL) {
		pe_table_put(table, PE_DIM, failure);
		pe_table_put(table, PE_PLAIN, "");
	} else {
		put_values(table, evolution, time, revision);
	}
	put_values(table, evolution, failure != NULL ? NULL : allocations, revision);
	if (evolution->mc != NULL && evolution->mc[revision] >= 0)
		pe_text_addf(&text, "%" PRId64, evolution->mc[revision]);
	pe_table_take(table, PE_PLAIN, &text);
	if (decoration != NULL)
		pe_text_addf(&text, "(%s) ", decoration);
	pe_text_add(&text, evolution->revisions[revision].subject);
	pe_table_take(table, PE_PLAIN, &text);
	if (time != NULL)
		pe_jump_note_layout(table, pe_line_jump_at(time, revision));
	pe_text_release(&text);
}

void pe_evolution_log_title(struct pe_text *out, const struct pe_evolution *evolution,
			    const char *benchmark, const struct pe_term *term)
{
	pe_term_line(out, term, PE_BOLD, benchmark);
	for (size_t i = 0; i < evolution->n_lines; i++)
		if (evolution->lines[i].nodes != NULL &&
		    strcmp(evolution->lines[i].benchmark, benchmark) == 0) {
			pe_term_linef(out, term, PE_DIM, "%s, measured on %s", evolution->machine,
				      evolution->lines[i].nodes);
			return;
		}
}

unsigned pe_evolution_log(struct pe_text *out, const struct pe_evolution *evolution,
			  const struct pe_term *term)
{
	static const struct pe_column columns[] = {
		{"commit", false, 0}, {"date", false, 0},    {"", false, 0}, /* CARRIED */
		{"time", true, 0},    {"Δtime", true, 0},    {"allocs", true, 0},
		{"Δallocs", true, 0}, {"Δmethods", true, 0}, {"subject", false, 8},
	};
	const struct pe_line *time = line_of(evolution, "wall");
	const struct pe_line *allocations = line_of(evolution, "allocations");
	struct pe_table table;

	if (evolution->n_lines > 0)
		pe_evolution_log_title(out, evolution, evolution->lines[0].benchmark, term);
	pe_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]), term);
	for (size_t i = evolution->n_revisions; i-- > evolution->first;)
		put_revision(&table, evolution, time, allocations, i);
	pe_table_finish(out, &table, true);
	return marks_of(evolution, time) | marks_of(evolution, allocations);
}
