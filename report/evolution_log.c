/* `log`: a plain table of revisions with what the metrics of a benchmark did at each. */
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

enum { MOST_METRICS = 3 };

/** Value and variation against the predecessor: two cells. */
static void put_values(struct pe_table *table, const struct pe_evolution *evolution,
		       const struct pe_line *line, size_t revision)
{
	const struct pe_point *point = line != NULL ? pe_line_at(line, revision) : NULL;
	struct pe_change change;
	pe_auto_text text = PE_TEXT_INIT;

	if (point == NULL || point->outcome != PE_MEASURED) {
		pe_table_put(table, PE_DIM, point != NULL ? pe_outcome_say(point->outcome) : "");
		pe_table_put(table, PE_PLAIN, "");
		return;
	}
	pe_table_value(table, PE_PLAIN, point->value, line->metric->unit);
	change = pe_line_change(line, pe_line_predecessor(evolution, line, revision), point);
	pe_change_add(&text, &change);
	pe_table_take(table, pe_change_paint(&change), &text);
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
			 const struct pe_line *const *lines, size_t n, size_t revision)
{
	const char *decoration = pe_decoration(evolution, revision);
	const char *failure = build_failure(evolution, revision);
	pe_auto_text text = PE_TEXT_INIT;
	bool reused = false;

	for (size_t i = 0; i < n; i++)
		reused = reused || is_reused_at(lines[i], revision);
	pe_add_short_id(&text, evolution, revision);
	pe_table_take(table, PE_BOLD, &text);
	pe_format_date(&text, evolution->revisions[revision].time_s);
	pe_table_take(table, PE_DIM, &text);
	pe_table_put(table, PE_DIM, reused ? CARRIED : "");
	for (size_t i = 0; i < n; i++) {
		if (failure == NULL) {
			put_values(table, evolution, lines[i], revision);
			continue;
		}
		pe_table_put(table, PE_DIM, i == 0 ? failure : "");
		pe_table_put(table, PE_PLAIN, "");
	}
	if (evolution->mc != NULL && evolution->mc[revision] >= 0)
		pe_text_addf(&text, "%" PRId64, evolution->mc[revision]);
	pe_table_take(table, PE_PLAIN, &text);
	pe_text_add(&text, evolution->revisions[revision].subject);
	if (decoration != NULL)
		pe_text_addf(&text, " (%s)", decoration);
	pe_table_take(table, PE_PLAIN, &text);
	for (size_t i = 0; i < n; i++)
		pe_jump_put_notes(table, pe_line_jump_at(lines[i], revision));
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
			  const char *title, const struct pe_term *term)
{
	struct pe_column columns[6 + 2 * MOST_METRICS] = {
		{"commit", false, 0}, {"date", false, 0}, {"", false, 0}, /* CARRIED */
	};
	const struct pe_line *lines[MOST_METRICS];
	const char *benchmark = evolution->n_lines > 0 ? evolution->lines[0].benchmark : "";
	const size_t n = pe_log_lines(lines, MOST_METRICS, evolution, benchmark);
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_table table;
	size_t at = 3;
	unsigned marks = 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = title != NULL ? title : pe_log_title(lines[i]->metric);
		const char *change =
			title != NULL ? "change" : pe_arena_printf(&arena, "Δ%s", name);

		columns[at++] = (struct pe_column){name, true, 0};
		columns[at++] = (struct pe_column){change, true, 0};
	}
	columns[at++] = (struct pe_column){"Δmethods", true, 0};
	columns[at++] = (struct pe_column){"subject", false, 8};
	if (evolution->n_lines > 0)
		pe_evolution_log_title(out, evolution, benchmark, term);
	pe_table_init(&table, columns, at, term);
	for (size_t i = evolution->n_revisions; i-- > evolution->first;)
		if (title == NULL || pe_line_at(lines[0], i) != NULL)
			put_revision(&table, evolution, lines, n, i);
	pe_table_finish(out, &table, true);
	for (size_t i = 0; i < n; i++)
		marks |= marks_of(evolution, lines[i]);
	return marks;
}
