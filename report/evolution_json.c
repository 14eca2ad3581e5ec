/*
 * The evolution as one JSON document, an element a line:
 *
 *   format      1; another number is another schema
 *   version     of perfevo
 *   project, machine                 text or null
 *   generated   time (UTC, ISO 8601)
 *   first       index of the first revision that was asked for
 *   revisions   [{ id, parents: [id], time, author, subject, decoration, mc }], oldest first; mc:
 *               methods changed against the first parent, null where it is not known
 *   lines       [{ benchmark, metric: { name, unit, label, better: "lower" | "higher",
 *                  kind: "noisy" | "deterministic" | "context" }, judged,
 *                  inexact: { builds, differing, most }, only where runs of one build differ by a metric that is
 *                  exact as a rule,
 *                  points: [{ revision: id, outcome, carried_from: id (null: measured here), n,
 *                             median, q25, q75, min, max, mad, level }],
 *                  jumps: [{ before: id, after: id, commits, old_level, new_level,
 *                            relative, low, high, source: "pairs" | "levels" | "exact",
 *                            strength, regression,
 *                            state: "suspect" | "confirmed" | "accepted", pairs, p, sure, why,
 *                            undecided, more, least, first: id, last: id, layout }],
 *                  refuted: [a jump, with the state "refuted"] }]
 *   failures    [{ revision: id, benchmark (null: the build), outcome, status, log }]
 *   left_out    [{ name, reason }]
 *   machine_moved  null, or { metric (null: several), relative, low, high, cells, commits, benchmarks, from,
 *               since }: the machine was slower (relative > 0) or faster in the session that was just made than
 *               before, as cells (commit, benchmark) say that were measured both times, the times before
 *               reaching from `from` to `since`. The figures are without it
 *
 * A point's least is the smallest relative change that would have been found there nine times in ten, a
 * jump's that which as many pairs of fresh runs would have confirmed; more pairs would decide an
 * undecided one; first and last hold its beginning with 95 %. What fresh runs refuted is no jump.
 *
 * Values are in the metric's unit. A point that was not measured has revision and outcome alone.
 * One that was carried over has the figures of the revision that it names, whose build is identical.
 * Figures that are undefined are null. relative, low and high are shares: 0.05 is +5 %; commits
 * counts those that may have caused the jump. The source of relative, low and high is either the fresh pairs of runs,
 * or the levels of the series on both sides, or values that do not vary; old_level and new_level are always of the
 * series. pairs of fresh runs stand behind its state, p is that of the
 * confirmation, sure the probability that it lies between these two revisions, why the reason of one that is
 * accepted. layout is true where the same machine code runs on both sides and only its placement in memory differs,
 * false where that is not so, null where nobody looked or it cannot be told. Levels, and what is computed of
 * them, have twelve significant digits.
 */
#include "report/evolution.h"

#include "report/estimate.h"
#include "report/format.h"
#include "report/json_out.h"
#include "report/query.h"

#include <math.h>

static void open_element(struct pe_text *out)
{
	pe_json_put_comma(out);
	pe_text_add(out, "\n{");
}

static void put_revision(struct pe_text *out, const struct pe_evolution *evolution, size_t i)
{
	const struct pe_revision *revision = &evolution->revisions[i];

	open_element(out);
	pe_json_put_text(out, "id", revision->id);
	pe_json_open(out, "parents", '[');
	for (size_t p = 0; p < revision->n_parents; p++) {
		pe_json_put_comma(out);
		pe_escape_json(out, revision->parents[p]);
	}
	pe_text_addc(out, ']');
	pe_json_put_time(out, "time", revision->time_s);
	pe_json_put_text(out, "author", revision->author);
	pe_json_put_text(out, "subject", revision->subject);
	pe_json_put_text(out, "decoration", pe_decoration(evolution, i));
	pe_json_put_number(out, "mc",
			   evolution->mc != NULL && evolution->mc[i] >= 0 ? (double)evolution->mc[i]
									  : NAN);
	pe_text_addc(out, '}');
}

static void put_metric(struct pe_text *out, const struct pe_metric *metric)
{
	static const char *const kinds[] = {
		[PE_METRIC_NOISY] = "noisy",
		[PE_METRIC_DETERMINISTIC] = "deterministic",
		[PE_METRIC_CONTEXT] = "context",
	};

	pe_json_open(out, "metric", '{');
	pe_json_put_text(out, "name", metric->name);
	pe_json_put_text(out, "unit", metric->unit);
	pe_json_put_text(out, "label", metric->label);
	pe_json_put_text(out, "better", metric->better == PE_LOWER_IS_BETTER ? "lower" : "higher");
	pe_json_put_text(out, "kind", kinds[metric->kind]);
	pe_text_addc(out, '}');
}

static void put_point(struct pe_text *out, const struct pe_evolution *evolution,
		      const struct pe_point *point)
{
	open_element(out);
	pe_json_put_text(out, "revision", evolution->revisions[point->revision].id);
	pe_json_put_text(out, "outcome", pe_outcome_name(point->outcome));
	if (point->outcome == PE_MEASURED) {
		pe_json_put_text(out, "carried_from",
				 point->carried ? evolution->revisions[point->source].id : NULL);
		pe_json_put_number(out, "n", (double)point->n);
		pe_json_put_number(out, "median", point->median);
		pe_json_put_number(out, "q25", point->q25);
		pe_json_put_number(out, "q75", point->q75);
		pe_json_put_number(out, "min", point->min);
		pe_json_put_number(out, "max", point->max);
		pe_json_put_number(out, "mad", point->mad);
		pe_json_put_computed(out, "level", point->level);
		pe_json_put_computed(out, "least", point->least);
	}
	pe_text_addc(out, '}');
}

static void put_jump(struct pe_text *out, const struct pe_evolution *evolution,
		     const struct pe_jump *jump)
{
	open_element(out);
	pe_json_put_text(out, "before", evolution->revisions[jump->before].id);
	pe_json_put_text(out, "after", evolution->revisions[jump->after].id);
	pe_json_put_number(out, "commits", (double)jump->commits);
	pe_json_put_computed(out, "old_level", jump->old_level);
	pe_json_put_computed(out, "new_level", jump->new_level);
	pe_json_put_computed(out, "relative", jump->relative);
	pe_json_put_computed(out, "low", jump->low);
	pe_json_put_computed(out, "high", jump->high);
	pe_json_put_text(out, "source", pe_estimate_name(jump->estimate));
	pe_json_put_computed(out, "strength", jump->strength);
	pe_json_put_bool(out, "regression", jump->regression);
	pe_json_put_text(out, "state", pe_jump_state_name(jump->state));
	pe_json_put_number(out, "pairs", (double)jump->pairs);
	pe_json_put_computed(out, "p", jump->p);
	pe_json_put_computed(out, "sure", jump->sure);
	pe_json_put_text(out, "why", jump->why);
	pe_json_put_bool(out, "undecided", jump->undecided);
	pe_json_put_number(out, "more", (double)jump->more);
	pe_json_put_computed(out, "least", jump->least);
	pe_json_put_text(out, "first", evolution->revisions[jump->first].id);
	pe_json_put_text(out, "last", evolution->revisions[jump->last].id);
	pe_json_put_layout(out, jump);
	pe_text_addc(out, '}');
}

static void put_line(struct pe_text *out, const struct pe_evolution *evolution,
		     const struct pe_line *line)
{
	open_element(out);
	pe_json_put_text(out, "benchmark", line->workload);
	put_metric(out, line->metric);
	pe_json_put_bool(out, "judged", line->judged);
	if (line->kept.broken > 0) {
		pe_json_open(out, "inexact", '{');
		pe_json_put_number(out, "builds", (double)line->kept.builds);
		pe_json_put_number(out, "differing", (double)line->kept.broken);
		pe_json_put_computed(out, "most", line->kept.most);
		pe_text_addc(out, '}');
	}
	pe_json_open(out, "points", '[');
	for (size_t i = 0; i < line->n_points; i++)
		put_point(out, evolution, &line->points[i]);
	pe_text_addc(out, ']');
	pe_json_open(out, "jumps", '[');
	for (size_t i = 0; i < line->n_jumps; i++)
		put_jump(out, evolution, &line->jumps[i]);
	pe_text_addc(out, ']');
	pe_json_open(out, "refuted", '[');
	for (size_t i = 0; i < line->n_refuted; i++)
		put_jump(out, evolution, &line->refuted[i]);
	pe_text_add(out, "]}");
}

static void put_failure(struct pe_text *out, const struct pe_evolution *evolution,
			const struct pe_failure *failure)
{
	open_element(out);
	pe_json_put_text(out, "revision", evolution->revisions[failure->revision].id);
	pe_json_put_text(out, "benchmark", failure->workload);
	pe_json_put_text(out, "outcome", pe_outcome_name(failure->outcome));
	pe_json_put_number(out, "status", failure->status);
	pe_json_put_text(out, "log", failure->log);
	pe_text_addc(out, '}');
}

static void put_head(struct pe_text *out, const struct pe_evolution *evolution)
{
	pe_json_put_number(out, "format", 1);
	pe_json_put_text(out, "version", evolution->version);
	pe_json_put_text(out, "project", evolution->project);
	pe_json_put_text(out, "machine", evolution->machine);
	pe_json_put_time(out, "generated", evolution->generated_s);
	pe_json_put_number(out, "first", (double)evolution->first);
}

void pe_evolution_json(struct pe_text *out, const struct pe_evolution *evolution)
{
	pe_text_addc(out, '{');
	put_head(out, evolution);
	pe_json_open(out, "revisions", '[');
	for (size_t i = 0; i < evolution->n_revisions; i++)
		put_revision(out, evolution, i);
	pe_text_addc(out, ']');
	pe_json_open(out, "lines", '[');
	for (size_t i = 0; i < evolution->n_lines; i++)
		put_line(out, evolution, &evolution->lines[i]);
	pe_text_addc(out, ']');
	pe_json_open(out, "failures", '[');
	for (size_t i = 0; i < evolution->n_failures; i++)
		put_failure(out, evolution, &evolution->failures[i]);
	pe_text_addc(out, ']');
	pe_json_open(out, "left_out", '[');
	for (size_t i = 0; i < evolution->n_left_out; i++) {
		open_element(out);
		pe_json_put_text(out, "name", evolution->left_out[i].name);
		pe_json_put_text(out, "reason", evolution->left_out[i].reason);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
	pe_machine_moved_json(out, evolution->machine_moved);
	pe_text_add(out, "}\n");
}
