/* The commit graph in JSON, with the results of commits that are no revisions of the evolution. */
#include "report/page_parts.h"

#include "core/json/writer.h"

#include <math.h>
#include <string.h>

/* The line of the evolution that is of the same benchmark and metric; n_lines: there is none. */
static size_t line_like(const struct pe_evolution *evolution, const struct pe_line *wanted)
{
	size_t i = 0;

	while (i < evolution->n_lines &&
	       (strcmp(evolution->lines[i].benchmark, wanted->benchmark) != 0 ||
		strcmp(evolution->lines[i].metric->name, wanted->metric->name) != 0))
		i++;
	return i;
}

/* The values of a commit in a line that has it: see page.h. */
static void put_beside_line(struct pe_json *json, const struct pe_history *beside,
			    const struct pe_history_commit *commit, const struct pe_line *line,
			    size_t index)
{
	const struct pe_point *point = pe_line_at(line, commit->point), *before;
	struct pe_change change;

	if (point == NULL || point->outcome != PE_MEASURED)
		return;
	before = pe_history_before(beside, commit, line);
	change = pe_line_change(line, before, point);
	pe_json_begin_array(json, NULL);
	pe_json_put(json, NULL, index);
	pe_page_put_value(json, NULL, before != NULL ? before->median : NAN);
	pe_page_put_value(json, NULL, point->median);
	pe_json_put(json, NULL,
		    before != NULL ? beside->evolution->revisions[before->revision].id : NULL);
	pe_json_put(json, NULL, (int)change.judged);
	if (change.jump != NULL)
		pe_evolution_json_jump(json, NULL, beside->evolution, change.jump, NULL);
	else
		pe_json_null(json, NULL);
	pe_json_end(json);
}

static void put_beside(struct pe_json *json, const struct pe_page *page, size_t row)
{
	const struct pe_evolution *wide = page->beside->evolution;

	pe_json_begin_array(json, "beside");
	for (size_t i = 0; i < wide->n_lines; i++) {
		size_t index = line_like(page->evolution, &wide->lines[i]);

		if (index < page->evolution->n_lines)
			put_beside_line(json, page->beside, &page->beside->commits[row],
					&wide->lines[i], index);
	}
	pe_json_end(json);
}

static bool is_beside(const struct pe_page *page, size_t row)
{
	return page->beside != NULL && page->evolution != NULL &&
	       page->history->commits[row].point == SIZE_MAX &&
	       page->beside->commits[row].point != SIZE_MAX;
}

static void put_commit(struct pe_json *json, const struct pe_page *page, size_t row)
{
	const struct pe_history_commit *commit = &page->history->commits[row];
	const struct pe_lanes *lanes = &page->history->lanes;
	const struct pe_lane_row *here = &lanes->rows[row];

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "id", commit->revision.id);
	pe_json_each(json, "parents", p, commit->revision.n_parents,
		     pe_json_put(json, NULL, commit->revision.parents[p]));
	pe_json_time(json, "time", commit->revision.time_s);
	pe_json_members(json, &commit->revision, author, subject);
	pe_json_texts(json, "refs", commit->refs, commit->n_refs);
	pe_json_members(json, here, lane, colour);
	pe_json_each(
		json, "edges", e, here->n_edges,
		pe_json_row(json, NULL, &lanes->edges[here->first_edge + e], from, to, colour));
	pe_json_bool(json, "measured", commit->point != SIZE_MAX);
	pe_json_put(json, "changed_methods", commit->mc >= 0 ? (double)commit->mc : NAN);
	if (is_beside(page, row))
		put_beside(json, page, row);
	pe_json_end(json);
}

void pe_page_put_history(struct pe_json *json, const struct pe_page *page)
{
	const struct pe_history *history = page->history;
	const uint32_t *steps;

	if (!pe_json_begin_maybe(json, "history", history != NULL))
		return;
	pe_json_bool(json, "cut", history->cut);
	pe_json_put(json, "width", history->lanes.width);
	steps = history->steps != NULL ? history->steps : pe_spark_steps;
	pe_json_each(json, "steps", i, PE_N_SPARK_STEPS, pe_json_put(json, NULL, steps[i]));
	pe_json_each_row(json, "commits", i, history->n, put_commit(json, page, i));
	pe_json_end(json);
}

void pe_history_json(struct pe_text *out, const struct pe_history *history)
{
	static const struct pe_evolution none;
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_evolution_json_members(&json, history->evolution != NULL ? history->evolution : &none,
				  NULL, SIZE_MAX);
	pe_page_put_history(&json, &(struct pe_page){.history = history});
	pe_json_finish(&json);
}
