/*
 * The evolution as one JSON document, an element a line: report/schema/track.schema.json describes its members. An event is one
 * commit with all of its jumps, the leading one first; its class rests on the confirmed ones, on the suspects where none is
 * confirmed. Levels, and what is computed of them, have twelve significant digits; undefined values are null.
 *
 * Of one revision (`show`) it is an object with format, version, project, machine, and
 *
 *   origin      whose results they are, null: measured on this machine
 *   revision    as there
 *   event       null, or the commit with its jumps and class, as an element of events
 *   values      [{ benchmark, metric, judged, nodes, point, change: null or { against: id, relative, jump: whether it is one,
 *                  else the difference of two values }, jump: null or as there, without an event }]
 *   failures    as there
 *   system_calls  as pe_revision_calls_json() has them (report/system_calls.h)
 *   changes     what the commit changed, as in `changes` (cmd/changes_print.h); null where it is unknown
 */
#include "report/evolution.h"

#include "core/json/writer.h"
#include "report/commit_blocks.h"
#include "report/estimate.h"
#include "report/query.h"

#include <math.h>
#include <string.h>

static void put_revision(struct pe_json *json, const char *key,
			 const struct pe_evolution *evolution, size_t i)
{
	const struct pe_revision *revision = &evolution->revisions[i];

	pe_json_begin_object(json, key);
	pe_json_put(json, "id", revision->id);
	pe_json_each(json, "parents", p, revision->n_parents,
		     pe_json_put(json, NULL, revision->parents[p]));
	pe_json_time(json, "time", revision->time_s);
	pe_json_members(json, revision, author, subject);
	pe_json_put(json, "decoration", pe_decoration(evolution, i));
	pe_json_put(json, "changed_methods",
		    evolution->mc != NULL && evolution->mc[i] >= 0 ? (double)evolution->mc[i]
								   : NAN);
	pe_json_put(json, "build_s", pe_build_s(evolution, i));
	pe_json_end(json);
}

static void put_metric(struct pe_json *json, const struct pe_metric *metric)
{
	static const char *const kinds[] = {
		[PE_METRIC_NOISY] = "noisy",
		[PE_METRIC_DETERMINISTIC] = "deterministic",
		[PE_METRIC_CONTEXT] = "context",
	};

	pe_json_begin_object(json, "metric");
	pe_json_members(json, metric, name, unit, label);
	pe_json_put(json, "better", metric->better == PE_LOWER_IS_BETTER ? "lower" : "higher");
	pe_json_put(json, "kind", kinds[metric->kind]);
	pe_json_end(json);
}

static void put_point(struct pe_json *json, const char *key, const struct pe_evolution *evolution,
		      const struct pe_point *point)
{
	pe_json_begin_object(json, key);
	pe_json_put(json, "revision", evolution->revisions[point->revision].id);
	pe_json_put(json, "outcome", pe_outcome_name(point->outcome));
	if (point->outcome == PE_MEASURED) {
		pe_json_put(json, "reused_from", pe_point_source_id(evolution, point));
		pe_json_members(json, point, skipped);
		pe_json_members(json, point, n);
		pe_json_computed_members(json, point, value, median, q25, q75, min, max, mad,
					 level);
		pe_json_computed(json, "min_detectable_effect", point->least);
	}
	pe_json_end(json);
}

void pe_evolution_json_jump(struct pe_json *json, const char *key,
			    const struct pe_evolution *evolution, const struct pe_jump *jump,
			    const size_t *numbers)
{
	if (!pe_json_begin_maybe(json, key, jump != NULL))
		return;
	pe_json_put(json, "before", evolution->revisions[jump->before].id);
	pe_json_put(json, "after", evolution->revisions[jump->after].id);
	pe_json_put(json, "commits", jump->commits);
	pe_json_computed_members(json, jump, old_level, new_level, relative, low, high);
	pe_json_put(json, "source", pe_estimate_name(jump->estimate));
	pe_json_computed(json, "strength", jump->strength);
	pe_json_bool(json, "regression", jump->regression);
	pe_json_put(json, "state", jump->withdrawn ? "withdrawn" : pe_jump_state_name(jump->state));
	pe_json_put(json, "pairs", jump->pairs);
	pe_json_computed_members(json, jump, p, sure);
	pe_json_members(json, jump, why, undecided, more);
	pe_json_bool(json, "event_confirmed", jump->event_confirmed);
	pe_json_computed(json, "min_detectable_effect", jump->least);
	pe_json_put(json, "first", evolution->revisions[jump->first].id);
	pe_json_put(json, "last", evolution->revisions[jump->last].id);
	pe_json_put(json, "event",
		    numbers != NULL && jump->state != PE_JUMP_REFUTED &&
				    jump->event < evolution->n_events
			    ? (double)numbers[jump->event]
			    : NAN);
	pe_jump_json_caveats(json, jump);
	pe_json_end(json);
}

static void put_line(struct pe_json *json, const struct pe_evolution *evolution,
		     const struct pe_line *line, const size_t *numbers, pe_put_points_fn put_points)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", line->benchmark);
	put_metric(json, line->metric);
	pe_json_bool(json, "judged", line->judged);
	pe_json_put(json, "nodes", line->nodes);
	if (line->kept.broken > 0) {
		pe_json_begin_object(json, "inexact");
		pe_json_put(json, "builds", line->kept.builds);
		pe_json_put(json, "differing", line->kept.broken);
		pe_json_computed(json, "most", line->kept.most);
		pe_json_end(json);
	}
	if (put_points != NULL)
		put_points(json, evolution, line);
	else
		pe_json_each_row(json, "points", i, line->n_points,
				 put_point(json, NULL, evolution, &line->points[i]));
	pe_json_each_row(json, "jumps", i, line->n_jumps,
			 pe_evolution_json_jump(json, NULL, evolution, &line->jumps[i], numbers));
	pe_json_each_row(json, "refuted", i, line->n_refuted,
			 pe_evolution_json_jump(json, NULL, evolution, &line->refuted[i], numbers));
	pe_json_end(json);
}

/* @param most  bytes of its log; SIZE_MAX: all */
static void put_failure(struct pe_json *json, const struct pe_evolution *evolution,
			const struct pe_failure *failure, size_t most)
{
	const size_t n = failure->log != NULL ? strlen(failure->log) : 0;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "revision", evolution->revisions[failure->revision].id);
	pe_json_put(json, "benchmark", failure->benchmark);
	pe_json_put(json, "outcome", pe_outcome_name(failure->outcome));
	pe_json_put(json, "status", failure->status);
	if (n > most)
		pe_json_bool(json, "cut", true);
	pe_json_put(json, "log", n > most ? failure->log + n - most : failure->log);
	pe_json_end(json);
}

static void put_head(struct pe_json *json, const struct pe_evolution *evolution)
{
	pe_json_members(json, evolution, version, project, machine);
	pe_json_time(json, "generated", evolution->generated_s);
	pe_json_put(json, "first", evolution->first);
	pe_json_bool(json, "counts_only", evolution->counts_only);
}

void pe_evolution_json_members(struct pe_json *json, const struct pe_evolution *evolution,
			       pe_put_points_fn put_points, size_t log_most)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const size_t *numbers = pe_commit_blocks_by_event(evolution, &arena);

	put_head(json, evolution);
	pe_json_each_row(json, "revisions", i, evolution->n_revisions,
			 put_revision(json, NULL, evolution, i));
	pe_json_each_row(json, "lines", i, evolution->n_lines,
			 put_line(json, evolution, &evolution->lines[i], numbers, put_points));
	pe_commit_blocks_json(json, evolution);
	pe_json_each_row(json, "failures", i, evolution->n_failures,
			 put_failure(json, evolution, &evolution->failures[i], log_most));
	pe_json_each_row(json, "left_out", i, evolution->n_left_out,
			 pe_json_struct(json, NULL, &evolution->left_out[i], name, reason));
}

void pe_evolution_json(struct pe_text *out, const struct pe_evolution *evolution)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_evolution_json_members(&json, evolution, NULL, SIZE_MAX);
	pe_json_finish(&json);
}

/* --- One revision --- */

/* What was measured there, and how it differs from the revision before. */
static void put_value(struct pe_json *json, const struct pe_evolution *evolution,
		      const struct pe_line *line, const struct pe_point *point)
{
	const struct pe_point *before = pe_line_predecessor(evolution, line, point->revision);
	const struct pe_change change = pe_line_change(line, before, point);

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "benchmark", line->benchmark);
	put_metric(json, line->metric);
	pe_json_bool(json, "judged", line->judged);
	pe_json_put(json, "nodes", line->nodes);
	put_point(json, "point", evolution, point);
	if (pe_json_begin_maybe(json, "change", change.known)) {
		pe_json_put(json, "against", evolution->revisions[before->revision].id);
		pe_json_computed_members(json, &change, relative);
		pe_json_bool(json, "jump", change.jump != NULL);
		pe_json_end(json);
	}
	pe_evolution_json_jump(json, "jump", evolution, pe_line_jump_at(line, point->revision),
			       NULL);
	pe_json_end(json);
}

static void put_event(struct pe_json *json, const struct pe_evolution *evolution, size_t revision)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	size_t n, at = 0;
	const struct pe_commit_block *blocks = pe_commit_blocks(&n, evolution, &arena);

	while (at < n && blocks[at].commit != revision)
		at++;
	if (pe_json_begin_maybe(json, "event", at < n)) {
		pe_commit_block_json(json, evolution, &blocks[at]);
		pe_json_end(json);
	}
}

void pe_evolution_show_json(struct pe_json *json, const struct pe_evolution *evolution,
			    size_t revision)
{
	pe_json_put(json, "format", 1);
	pe_json_members(json, evolution, version, project, machine, origin);
	put_revision(json, "revision", evolution, revision);
	put_event(json, evolution, revision);
	pe_json_begin_rows(json, "values");
	for (size_t i = 0; i < evolution->n_lines; i++) {
		const struct pe_point *point = pe_line_at(&evolution->lines[i], revision);

		if (point != NULL && point->outcome == PE_MEASURED)
			put_value(json, evolution, &evolution->lines[i], point);
	}
	pe_json_end(json);
	pe_json_begin_rows(json, "failures");
	for (size_t i = 0; i < evolution->n_failures; i++)
		if (evolution->failures[i].revision == revision)
			put_failure(json, evolution, &evolution->failures[i], SIZE_MAX);
	pe_json_end(json);
}
