/* The commit graph in the page's index, with what is known of commits that are no revisions of the evolution. */
#include "report/page_parts.h"

#include "report/format.h"
#include "report/json_out.h"

#include <math.h>
#include <string.h>

static void put_index(struct pe_text *out, size_t index, bool known)
{
	pe_json_put_comma(out);
	if (known)
		pe_text_addf(out, "%zu", index);
	else
		pe_text_add(out, "null");
}

/* The line of the evolution that is of the same benchmark and metric; n_lines: there is none. */
static size_t line_like(const struct pe_evolution *evolution, const struct pe_line *wanted)
{
	size_t i = 0;

	while (i < evolution->n_lines &&
	       (strcmp(evolution->lines[i].workload, wanted->workload) != 0 ||
		strcmp(evolution->lines[i].metric->name, wanted->metric->name) != 0))
		i++;
	return i;
}

/* What is known of a commit in a line that has it: see page.h. */
static void put_beside_line(struct pe_text *out, const struct pe_history *beside, size_t row,
			    const struct pe_line *line, size_t index)
{
	const struct pe_point *point = pe_line_at(line, beside->commits[row].point), *before;
	struct pe_change change;

	if (point == NULL || point->outcome != PE_MEASURED)
		return;
	before = pe_history_before(beside, row, line);
	change = pe_line_change(line, before, point);
	pe_json_put_comma(out);
	pe_text_addf(out, "[%zu", index);
	pe_page_put_figure(out, before != NULL ? before->median : NAN);
	pe_page_put_figure(out, point->median);
	pe_json_put_comma(out);
	pe_escape_json(out,
		       before != NULL ? beside->evolution->revisions[before->revision].id : NULL);
	pe_text_addf(out, ",%d", change.judged);
	if (change.jump != NULL)
		pe_page_put_jump(out, change.jump, beside->evolution);
	else
		pe_text_add(out, ",null");
	pe_text_addc(out, ']');
}

static void put_beside(struct pe_text *out, const struct pe_page *page, size_t row)
{
	const struct pe_evolution *wide = page->beside->evolution;

	pe_text_add(out, ",[");
	for (size_t i = 0; i < wide->n_lines; i++) {
		size_t index = line_like(page->evolution, &wide->lines[i]);

		if (index < page->evolution->n_lines)
			put_beside_line(out, page->beside, row, &wide->lines[i], index);
	}
	pe_text_addc(out, ']');
}

static bool is_beside(const struct pe_page *page, size_t row)
{
	return page->beside != NULL && page->evolution != NULL &&
	       page->history->commits[row].point == SIZE_MAX &&
	       page->beside->commits[row].point != SIZE_MAX;
}

static void put_commit(struct pe_text *out, const struct pe_page *page, size_t row)
{
	const struct pe_history *history = page->history;
	const struct pe_history_commit *commit = &history->commits[row];
	const struct pe_lane_row *lanes = &history->lanes.rows[row];

	pe_json_put_comma(out);
	pe_text_add(out, "\n[");
	pe_escape_json(out, commit->revision.id);
	pe_json_number(out, (double)commit->revision.time_s);
	pe_json_put_comma(out);
	pe_escape_json(out, commit->revision.author);
	pe_json_put_comma(out);
	pe_escape_json(out, commit->revision.subject);
	pe_text_add(out, ",[");
	for (size_t i = 0; i < commit->n_refs; i++) {
		pe_json_put_comma(out);
		pe_escape_json(out, commit->refs[i]);
	}
	pe_text_addc(out, ']');
	put_index(out, (size_t)commit->mc, commit->mc >= 0);
	put_index(out, commit->point, commit->point != SIZE_MAX);
	pe_text_addf(out, ",%u,%u,[", lanes->lane, lanes->colour);
	for (uint32_t i = 0; i < lanes->n_edges; i++) {
		const struct pe_lane_edge *edge = &history->lanes.edges[lanes->first_edge + i];

		pe_json_put_comma(out);
		pe_text_addf(out, "%u,%u,%u", edge->from, edge->to, edge->colour);
	}
	pe_text_add(out, "],[");
	for (size_t i = 0; i < commit->n_parents; i++)
		put_index(out, commit->parents[i] != UINT32_MAX ? commit->parents[i] - row : 0,
			  true);
	pe_text_addc(out, ']');
	if (is_beside(page, row))
		put_beside(out, page, row);
	pe_text_addc(out, ']');
}

void pe_page_put_history(struct pe_text *out, const struct pe_page *page)
{
	const struct pe_history *history = page->history;

	if (history == NULL) {
		pe_json_put_text(out, "history", NULL);
		return;
	}
	pe_json_open(out, "history", '{');
	pe_json_put_bool(out, "cut", history->cut);
	pe_json_put_number(out, "width", history->lanes.width);
	if (history->steps != NULL) {
		pe_json_open(out, "steps", '[');
		for (size_t i = 0; i < PE_N_SPARK_STEPS; i++)
			pe_json_number(out, history->steps[i]);
		pe_text_addc(out, ']');
	}
	pe_json_open(out, "commits", '[');
	for (size_t i = 0; i < history->n; i++)
		put_commit(out, page, i);
	pe_text_add(out, "]}");
}
