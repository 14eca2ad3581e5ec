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
 *   sector      { value, height, dark, noise } or null: unknown
 *
 * Newest first, every commit before its parents. An edge leads from a lane of its commit's row to one of the
 * next row. The value of methods is how many changed against the first parent, of allocations and time the
 * relative change against the nearest ancestor along first parents that has values: 0.05 is +5 %; at a jump it is
 * that of the jump. noise: it is a difference as measured and no jump; its height is 0 where jumps were searched.
 * Heights are those of the spark circle, 0 to 1; dark: a value that is not noise is above 0. Listed are the benchmarks
 * with one of the two; refs, edges and jumps may be empty. A suspect whose fresh runs gave no answer is undecided,
 * and about `more` further pairs would decide it. layout is true where placement in memory alone differs, false where the
 * executed code does, else null.
 */
#include "report/history.h"

#include "core/json/writer.h"
#include "report/estimate.h"
#include "report/format.h"
#include "report/query.h"

#include <string.h>

static void put_sector(struct pe_json *json, const char *key, const struct pe_spark_sector *sector)
{
	if (!pe_json_begin_maybe(json, key, sector->known))
		return;
	pe_json_computed_members(json, sector, value, height);
	pe_json_members(json, sector, dark, noise);
	pe_json_end(json);
}

static void put_benchmarks(struct pe_json *json, const struct pe_history *history, size_t commit,
			   const struct pe_line *const *benchmarks, size_t n)
{
	struct pe_spark_sector sectors[PE_N_SPARK_METRICS];

	pe_spark_sectors(sectors, history, commit, NULL);
	put_sector(json, "methods", &sectors[PE_SPARK_METHODS]);
	pe_json_begin_array(json, "benchmarks");
	for (size_t i = 0; i < n && history->commits[commit].point != SIZE_MAX; i++) {
		pe_spark_sectors(sectors, history, commit, benchmarks[i]->benchmark);
		if (!sectors[PE_SPARK_ALLOCATIONS].known && !sectors[PE_SPARK_TIME].known)
			continue;
		pe_json_begin_object(json, NULL);
		pe_json_put(json, "name", benchmarks[i]->benchmark);
		put_sector(json, "allocations", &sectors[PE_SPARK_ALLOCATIONS]);
		put_sector(json, "time", &sectors[PE_SPARK_TIME]);
		pe_json_end(json);
	}
	pe_json_end(json);
}

static void put_jump(struct pe_json *json, const struct pe_evolution *evolution,
		     const struct pe_line *line, const struct pe_jump *jump)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", line->benchmark);
	pe_json_put(json, "metric", line->metric->name);
	pe_json_put(json, "before", evolution->revisions[jump->before].id);
	pe_json_put(json, "commits", jump->commits);
	pe_json_computed_members(json, jump, relative, low, high);
	pe_json_put(json, "source", pe_estimate_name(jump->estimate));
	pe_json_bool(json, "regression", jump->regression);
	pe_json_put(json, "state", pe_jump_state_name(jump->state));
	pe_json_members(json, jump, undecided, more, why);
	pe_jump_json_caveats(json, jump);
	pe_json_end(json);
}

static void put_jumps(struct pe_json *json, const struct pe_history *history, size_t revision)
{
	const struct pe_evolution *evolution = history->evolution;

	pe_json_begin_array(json, "jumps");
	for (size_t i = 0; revision != SIZE_MAX && i < evolution->n_lines; i++) {
		const struct pe_jump *jump = pe_line_jump_at(&evolution->lines[i], revision);

		if (jump != NULL)
			put_jump(json, evolution, &evolution->lines[i], jump);
	}
	pe_json_end(json);
}

static void put_lanes(struct pe_json *json, const struct pe_lanes *lanes, size_t row)
{
	const struct pe_lane_row *here = &lanes->rows[row];

	pe_json_members(json, here, lane, colour);
	pe_json_each(
		json, "edges", e, here->n_edges,
		pe_json_row(json, NULL, &lanes->edges[here->first_edge + e], from, to, colour));
}

void pe_history_json_commit(struct pe_json *json, const struct pe_history *history, size_t row)
{
	const struct pe_history_commit *commit = &history->commits[row];

	pe_json_put(json, "id", commit->revision.id);
	pe_json_each(json, "parents", p, commit->revision.n_parents,
		     pe_json_put(json, NULL, commit->revision.parents[p]));
	pe_json_time(json, "time", commit->revision.time_s);
	pe_json_members(json, &commit->revision, author, subject);
	pe_json_texts(json, "refs", commit->refs, commit->n_refs);
	put_lanes(json, &history->lanes, row);
	pe_json_bool(json, "measured", commit->point != SIZE_MAX);
}

static void put_commit(struct pe_json *json, const struct pe_history *history, size_t row,
		       const struct pe_line *const *benchmarks, size_t n)
{
	pe_json_begin_object(json, NULL);
	pe_history_json_commit(json, history, row);
	put_benchmarks(json, history, row, benchmarks, n);
	put_jumps(json, history, history->commits[row].point);
	pe_json_end(json);
}

void pe_history_json(struct pe_text *out, const struct pe_history *history)
{
	struct pe_json json = PE_JSON_INIT(out);
	const struct pe_evolution *evolution = history->evolution;
	const uint32_t *steps = history->steps != NULL ? history->steps : pe_spark_steps;
	const struct pe_line **benchmarks = NULL;
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n = 0;

	if (evolution != NULL)
		benchmarks = pe_evolution_benchmarks(&n, evolution, &arena);
	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_put(&json, "version", evolution != NULL ? evolution->version : NULL);
	pe_json_put(&json, "project", evolution != NULL ? evolution->project : NULL);
	pe_json_each(&json, "steps", i, PE_N_SPARK_STEPS, pe_json_put(&json, NULL, steps[i]));
	pe_json_put(&json, "width", history->lanes.width);
	pe_json_bool(&json, "cut", history->cut);
	pe_json_each_row(&json, "commits", i, history->n,
			 put_commit(&json, history, i, benchmarks, n));
	pe_json_finish(&json);
}
