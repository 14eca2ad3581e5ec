/*
 * The commit graph as one JSON document, a commit a line:
 *
 *   format      1; another number is another schema
 *   version, project    of the evolution, null without one
 *   steps       changed methods from which on the first sector is a step higher
 *   width       lanes
 *   cut         whether a commit has a parent that is not shown
 *   commits     [{ id, parents: [id], time, author, subject, refs: ["HEAD", "main", "tag: v1.0"],
 *                  lane, colour, edges: [[from, to, colour]], measured,
 *                  methods: sector, benchmarks: [{ name, allocations: sector, time: sector }],
 *                  jumps: [{ benchmark, metric, before: id, commits, relative, low, high,
 *                            source: "pairs" | "levels" | "exact", regression,
 *                            state: "suspect" | "confirmed" | "accepted", undecided, more, why,
 *                            layout }] }]
 *   sector      { value, height, dark, noise } or null where it is not known
 *
 * Newest first, every commit before its parents. An edge leads from a lane of its commit's row to one of the
 * next row. The value of methods is how many changed against the first parent, of allocations and time the
 * relative change against the nearest ancestor along first parents that has figures: 0.05 is +5 %; at a jump it is
 * that of the jump. noise says that it is a difference as measured and no jump; its height is 0 where jumps were looked
 * for. Heights are those of the spark circle, 0 to 1; dark says that a value that is not noise is above 0. Of benchmarks those are listed that
 * have one of the two; refs, edges and jumps may be empty. A suspect whose fresh runs gave no answer is undecided,
 * and about so many more pairs of them would decide it. layout is true where only the place of things in memory
 * differs, false where what runs does, else null.
 */
#include "report/history.h"

#include "report/estimate.h"
#include "report/format.h"
#include "report/json_out.h"
#include "report/query.h"

#include <string.h>

static void put_sector(struct pe_text *out, const char *key, const struct pe_spark_sector *sector)
{
	if (!sector->known) {
		pe_json_put_text(out, key, NULL);
		return;
	}
	pe_json_open(out, key, '{');
	pe_json_put_computed(out, "value", sector->value);
	pe_json_put_computed(out, "height", sector->height);
	pe_json_put_bool(out, "dark", sector->dark);
	pe_json_put_bool(out, "noise", sector->noise);
	pe_text_addc(out, '}');
}

static void put_benchmarks(struct pe_text *out, const struct pe_history *history, size_t commit,
			   const struct pe_line *const *workloads, size_t n)
{
	struct pe_spark_sector sectors[PE_N_SPARK_METRICS];

	pe_spark_sectors(sectors, history, commit, NULL);
	put_sector(out, "methods", &sectors[PE_SPARK_METHODS]);
	pe_json_open(out, "benchmarks", '[');
	for (size_t i = 0; i < n && history->commits[commit].point != SIZE_MAX; i++) {
		pe_spark_sectors(sectors, history, commit, workloads[i]->workload);
		if (!sectors[PE_SPARK_ALLOCATIONS].known && !sectors[PE_SPARK_TIME].known)
			continue;
		pe_json_put_comma(out);
		pe_text_addc(out, '{');
		pe_json_put_text(out, "name", workloads[i]->workload);
		put_sector(out, "allocations", &sectors[PE_SPARK_ALLOCATIONS]);
		put_sector(out, "time", &sectors[PE_SPARK_TIME]);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

static void put_jump(struct pe_text *out, const struct pe_evolution *evolution,
		     const struct pe_line *line, const struct pe_jump *jump)
{
	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_text(out, "benchmark", line->workload);
	pe_json_put_text(out, "metric", line->metric->name);
	pe_json_put_text(out, "before", evolution->revisions[jump->before].id);
	pe_json_put_number(out, "commits", (double)jump->commits);
	pe_json_put_computed(out, "relative", jump->relative);
	pe_json_put_computed(out, "low", jump->low);
	pe_json_put_computed(out, "high", jump->high);
	pe_json_put_text(out, "source", pe_estimate_name(jump->estimate));
	pe_json_put_bool(out, "regression", jump->regression);
	pe_json_put_text(out, "state", pe_jump_state_name(jump->state));
	pe_json_put_bool(out, "undecided", jump->undecided);
	pe_json_put_number(out, "more", (double)jump->more);
	pe_json_put_text(out, "why", jump->why);
	pe_json_put_layout(out, jump);
	pe_text_addc(out, '}');
}

static void put_jumps(struct pe_text *out, const struct pe_history *history, size_t revision)
{
	const struct pe_evolution *evolution = history->evolution;

	pe_json_open(out, "jumps", '[');
	for (size_t i = 0; revision != SIZE_MAX && i < evolution->n_lines; i++) {
		const struct pe_jump *jump = pe_line_jump_at(&evolution->lines[i], revision);

		if (jump != NULL)
			put_jump(out, evolution, &evolution->lines[i], jump);
	}
	pe_text_addc(out, ']');
}

static void put_lanes(struct pe_text *out, const struct pe_lanes *lanes, size_t row)
{
	const struct pe_lane_row *here = &lanes->rows[row];

	pe_json_put_number(out, "lane", here->lane);
	pe_json_put_number(out, "colour", here->colour);
	pe_json_open(out, "edges", '[');
	for (size_t e = 0; e < here->n_edges; e++) {
		const struct pe_lane_edge *edge = &lanes->edges[here->first_edge + e];

		pe_json_put_comma(out);
		pe_text_addf(out, "[%u,%u,%u]", edge->from, edge->to, edge->colour);
	}
	pe_text_addc(out, ']');
}

static void put_commit(struct pe_text *out, const struct pe_history *history, size_t row,
		       const struct pe_line *const *workloads, size_t n)
{
	const struct pe_history_commit *commit = &history->commits[row];

	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
	pe_json_put_text(out, "id", commit->revision.id);
	pe_json_open(out, "parents", '[');
	for (size_t p = 0; p < commit->revision.n_parents; p++) {
		pe_json_put_comma(out);
		pe_escape_json(out, commit->revision.parents[p]);
	}
	pe_text_addc(out, ']');
	pe_json_put_time(out, "time", commit->revision.time_s);
	pe_json_put_text(out, "author", commit->revision.author);
	pe_json_put_text(out, "subject", commit->revision.subject);
	pe_json_open(out, "refs", '[');
	for (size_t r = 0; r < commit->n_refs; r++) {
		pe_json_put_comma(out);
		pe_escape_json(out, commit->refs[r]);
	}
	pe_text_addc(out, ']');
	put_lanes(out, &history->lanes, row);
	pe_json_put_bool(out, "measured", commit->point != SIZE_MAX);
	put_benchmarks(out, history, row, workloads, n);
	put_jumps(out, history, commit->point);
	pe_text_addc(out, '}');
}

void pe_history_json(struct pe_text *out, const struct pe_history *history)
{
	const struct pe_evolution *evolution = history->evolution;
	const uint32_t *steps = history->steps != NULL ? history->steps : pe_spark_steps;
	const struct pe_line **workloads = NULL;
	struct pe_arena arena = PE_ARENA_INIT;
	size_t n = 0;

	if (evolution != NULL)
		workloads = pe_evolution_workloads(&n, evolution, &arena);
	pe_text_addc(out, '{');
	pe_json_put_number(out, "format", 1);
	pe_json_put_text(out, "version", evolution != NULL ? evolution->version : NULL);
	pe_json_put_text(out, "project", evolution != NULL ? evolution->project : NULL);
	pe_json_open(out, "steps", '[');
	for (size_t i = 0; i < PE_N_SPARK_STEPS; i++)
		pe_json_number(out, steps[i]);
	pe_text_addc(out, ']');
	pe_json_put_number(out, "width", history->lanes.width);
	pe_json_put_bool(out, "cut", history->cut);
	pe_json_open(out, "commits", '[');
	for (size_t i = 0; i < history->n; i++)
		put_commit(out, history, i, workloads, n);
	pe_text_add(out, "]}\n");
	pe_arena_release(&arena);
}
