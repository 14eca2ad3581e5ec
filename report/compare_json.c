/*
 * One JSON document: report/schema/compare.schema.json describes its members.
 *
 * "tree" has the nodes whose inclusive difference (also of instructions) is at least min_change of the old execution, or that
 * are on the hot path, with all above them; unknown values are left out. "blamed" is the changed method that made
 * the difference, "function" the one where most of it shows, "shows" all that are named; "source" and "code" are of the blamed
 * one. "critical" is ZAM's critical graph as in schema/localize.schema.json; where changes are known, the paths to the causes of time.
 */
#include "report/compare_text.h"

#include "core/json/writer.h"
#include "report/estimate.h"
#include "report/system_calls.h"
#include "report/zam.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const source_names[PE_N_SOURCE_CHANGES] = {
	[PE_SOURCE_UNKNOWN] = "unknown",   [PE_SOURCE_SAME] = "same",
	[PE_SOURCE_MODIFIED] = "modified", [PE_SOURCE_ADDED] = "added",
	[PE_SOURCE_DELETED] = "deleted",   [PE_SOURCE_RENAMED] = "renamed",
};

static const char *const code_names[PE_N_BINARY_CHANGES] = {
	[PE_BINARY_UNKNOWN] = "unknown",
	[PE_BINARY_SAME] = "same",
	[PE_BINARY_RECOMPILED] = "recompiled",
};

void pe_compare_json_change(struct pe_json *json, struct pe_frame_change change)
{
	pe_json_put(json, "source", source_names[change.source]);
	pe_json_put(json, "code", code_names[change.code]);
}

void pe_compare_json_sides(struct pe_json *json, const struct pe_compare *compare)
{
	pe_json_struct(json, "old", &compare->old_side, name, id, subject);
	pe_json_struct(json, "new", &compare->new_side, name, id, subject);
	pe_json_put(json, "origin", compare->origin);
}

void pe_compare_json_method(struct pe_json *json, const char *key, const struct pe_frames *frames,
			    uint32_t frame)
{
	pe_auto_text name = PE_TEXT_INIT;

	if (frame == PE_FRAME_NONE) {
		pe_json_null(json, key);
		return;
	}
	pe_compare_add_method(&name, frames, frame);
	pe_json_take(json, key, &name);
}

void pe_compare_json_metrics(struct pe_json *json, const struct pe_compare_pair *pair)
{
	pe_auto_text basis = PE_TEXT_INIT;

	pe_json_begin_array(json, "metrics");
	for (size_t i = 0; i < pair->n_values; i++) {
		const struct pe_compare_value *value = &pair->values[i];

		pe_json_begin_object(json, NULL);
		pe_json_members(json, value->metric, name, label, unit);
		pe_json_computed(json, "old", value->old_value);
		pe_json_computed(json, "new", value->new_value);
		pe_json_put(json, "old_runs", value->old_n);
		pe_json_put(json, "new_runs", value->new_n);
		pe_json_computed_members(json, value, relative, low, high);
		pe_json_put(json, "source",
			    value->jump != NULL ? pe_estimate_name(value->jump->estimate)
			    : value->exact      ? "exact"
						: "runs");
		pe_json_put(json, "jump", value->jump != NULL ? value->jump_id : NULL);
		if (value->jump != NULL)
			pe_estimate_add_compared(&basis, value->jump, value->jump_id,
						 value->measured);
		if (value->jump != NULL)
			pe_json_take(json, "basis", &basis);
		else
			pe_json_null(json, "basis");
		pe_json_computed(json, "measured", value->measured);
		pe_json_bool(json, "generic", value->generic != NULL);
		pe_json_members(json, value, exact, judged, layout, contradicted);
		pe_json_put(json, "verdict", pe_compare_verdict_word(value));
		pe_json_end(json);
	}
	pe_json_end(json);
}

/* --- The verdict --- */

static void put_part(struct pe_json *json, const struct pe_frames *frames,
		     const struct pe_cause_part *part)
{
	pe_json_begin_object(json, NULL);
	pe_compare_json_method(json, "function", frames, part->frame);
	pe_json_put(json, "kind", pe_cause_kind_name(part->kind));
	pe_compare_json_method(json, "other", frames, part->other);
	pe_json_computed(json, "amount", round(part->amount));
	pe_json_pair(json, "calls", part->calls[0], part->calls[1]);
	pe_json_pair(json, "instructions", part->instructions[0], part->instructions[1]);
	pe_json_put(json, "contexts", part->contexts);
	pe_json_end(json);
}

static void put_line(struct pe_json *json, const struct pe_compare *compare,
		     const struct pe_compare_line *line)
{
	const struct pe_compare_pair *pair = &compare->pairs[line->pair];
	const struct pe_attribution *report = &pair->reports[line->report];
	const struct pe_cause *cause = &report->causes[line->cause];
	const struct pe_frames *frames = pair->delta->frames;
	const uint32_t shows = pe_cause_shows(cause), blamed = cause->frame;

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "text", line->text);
	pe_json_put(json, "benchmark", pair->name);
	pe_json_put(json, "kind", pe_cause_kind_name(cause->kind));
	pe_compare_json_method(json, "function", frames, shows);
	pe_json_put(json, "component", shows != PE_FRAME_NONE ? frames->at[shows].component : NULL);
	pe_json_put(json, "cost", pe_compare_cost_name(report->cost));
	pe_json_put(json, "unit", pe_compare_cost_unit(report->cost, report->event));
	pe_json_put(json, "amount", cause->amount);
	pe_json_put(json, "amount_ns",
		    report->cost == PE_COST_TIME && report->event == NULL ? (double)cause->amount
									  : NAN);
	pe_json_computed_members(json, cause, share, noise);
	pe_json_members(json, cause, contexts, instructions, counted);
	pe_compare_json_change(json, cause->change);
	pe_compare_json_method(json, "blamed", frames, blamed);
	pe_json_put(json, "blamed_component",
		    blamed != PE_FRAME_NONE ? frames->at[blamed].component : NULL);
	pe_json_bool(json, "probably", cause->probably);
	pe_json_each(json, "candidates", i, cause->n_candidates,
		     if (i < PE_CAUSE_CANDIDATES)
			     pe_compare_json_method(json, NULL, frames, cause->candidates[i]));
	pe_json_each(json, "shows", i, cause->n_parts, put_part(json, frames, &cause->parts[i]));
	pe_json_end(json);
}

/* @param pair  SIZE_MAX: of all */
static void put_lines(struct pe_json *json, const struct pe_compare *compare, size_t pair)
{
	pe_json_each(json, "verdict", i, compare->n_lines,
		     if (pair == SIZE_MAX || compare->lines[i].pair == pair)
			     put_line(json, compare, &compare->lines[i]));
}

/* A cause by its numbers, for who has the frames and the trees. */
static void put_cause(struct pe_json *json, const struct pe_compare_pair *pair,
		      const struct pe_attribution *report, uint32_t c)
{
	const struct pe_cause *cause = &report->causes[c];
	pe_auto_text text = PE_TEXT_INIT;

	pe_compare_say_cause(&text, report, cause, pair->delta->frames);
	pe_text_add(&text, cause->n_parts > 0 ? "; " : "");
	pe_compare_say_parts(&text, report, cause, pair->delta->frames);
	pe_json_begin_object(json, NULL);
	pe_json_take(json, "text", &text);
	pe_json_put(json, "kind", pe_cause_kind_name(cause->kind));
	pe_json_index(json, "frame", cause->frame, PE_CCT_NONE);
	pe_json_index(json, "node", cause->node, PE_CCT_NONE);
	pe_json_put(json, "amount", cause->amount);
	pe_json_computed_members(json, cause, share, noise);
	pe_json_end(json);
}

void pe_compare_json_judged(struct pe_json *json, const struct pe_compare_pair *pair, bool causes)
{
	pe_json_begin_array(json, "judged");
	for (size_t i = 0; i < pair->n_reports; i++) {
		const struct pe_attribution *report = &pair->reports[i];
		pe_auto_text text = PE_TEXT_INIT;

		pe_compare_say_whole(&text, pair, report);
		pe_json_begin_object(json, NULL);
		pe_json_put(json, "unit", pe_compare_cost_unit(report->cost, report->event));
		pe_json_take(json, "text", &text);
		pe_json_put(json, "old", report->old_whole);
		pe_json_put(json, "new", report->new_whole);
		pe_json_put(json, "difference", report->whole);
		pe_json_computed(json, "noise", report->noise);
		pe_json_members(json, report, rest, small, within_noise, more);
		if (causes)
			pe_json_each(json, "causes", c, report->n,
				     put_cause(json, pair, report, c));
		pe_json_end(json);
	}
	pe_json_end(json);
}

/* --- The trees --- */

static void put_methods(struct pe_json *json, const struct pe_compare_pair *pair)
{
	const struct pe_frames *frames = pair->delta->frames;

	pe_json_begin_array(json, "methods");
	for (uint32_t i = 0; i < pair->methods->n; i++) {
		const struct pe_delta_method *method = &pair->methods->at[i];
		const struct pe_frame *frame = &frames->at[method->frame];

		pe_json_begin_object(json, NULL);
		pe_json_members(json, frame, name, signature, component);
		pe_json_put(json, "source",
			    source_names[pe_changes_source(pair->changes, method->frame)]);
		pe_json_put(json, "code",
			    code_names[pe_changes_binary(pair->changes, method->frame)]);
		pe_json_members(json, method, contexts_old, contexts_new, calls_old, calls_new,
				self_old_ns, self_new_ns, allocations_old, allocations_new);
		for (int cost = 0; cost < PE_N_JUDGED; cost++)
			pe_json_put(json, pe_compare_cost_name((enum pe_cost)cost),
				    method->difference[cost]);
		if (pe_delta_knows(pair->delta, PE_COST_INSTRUCTIONS)) {
			pe_json_members(json, method, instructions_old, instructions_new);
			pe_json_put(json, "instructions", method->difference[PE_COST_INSTRUCTIONS]);
		}
		pe_json_end(json);
	}
	pe_json_end(json);
}

/* Whether a node differs with all below it by as much as matters. */
static bool is_apart_by(const struct pe_delta *delta, uint32_t node, enum pe_delta_metric metric,
			double min_change)
{
	double whole = (double)pe_delta_values(delta, 0, metric).old_value;
	double difference = (double)pe_delta_difference(pe_delta_values(delta, node, metric));

	return difference != 0 && fabs(difference) >= min_change * whole;
}

/*
 * By node 1 + its index in "tree", else 0: of those that differ with all below them by min_change of the old execution, or of
 * its instructions, that are on the hot path, or above one of these.
 */
static uint32_t *number_nodes(const struct pe_compare_pair *pair, double min_change)
{
	const struct pe_delta *delta = pair->delta;
	const enum pe_delta_metric value = pe_cost_total(pe_blueprint_cost(delta));
	uint32_t *index = pe_realloc(NULL, delta->n, sizeof(*index)), n = 0;

	memset(index, 0, delta->n * sizeof(*index));
	for (uint32_t i = delta->n; i-- > 0;) {
		if (i == 0 || pair->blueprint->boxes[i].hot ||
		    is_apart_by(delta, i, value, min_change) ||
		    is_apart_by(delta, i, PE_DELTA_TOTAL_INSTRUCTIONS, min_change))
			index[i] = 1;
		if (index[i] != 0 && i > 0)
			index[delta->nodes[i].parent] = 1;
	}
	for (uint32_t i = 0; i < delta->n; i++)
		if (index[i] != 0)
			index[i] = ++n;
	return index;
}

static void put_values(struct pe_json *json, const struct pe_delta *delta, uint32_t node)
{
	static const struct {
		enum pe_delta_metric value;
		const char *key;
	} rows[] = {
		{PE_DELTA_CALLS, "calls"},
		{PE_DELTA_SELF_NS, "self_ns"},
		{PE_DELTA_TOTAL_NS, "total_ns"},
		{PE_DELTA_ALLOCATIONS, "allocations"},
		{PE_DELTA_TOTAL_ALLOCATIONS, "total_allocations"},
		{PE_DELTA_BYTES, "bytes"},
		{PE_DELTA_TOTAL_BYTES, "total_bytes"},
		{PE_DELTA_INSTRUCTIONS, "instructions"},
		{PE_DELTA_TOTAL_INSTRUCTIONS, "total_instructions"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pe_delta_values values = pe_delta_values(delta, node, rows[i].value);

		if (values.known)
			pe_json_pair(json, rows[i].key, values.old_value, values.new_value);
	}
}

static void put_node(struct pe_json *json, const struct pe_compare_pair *pair, uint32_t node,
		     const uint32_t *index, const uint32_t *method_at)
{
	static const char *const states[] = {"both", "added", "removed"};
	const struct pe_delta *delta = pair->delta;
	const struct pe_blueprint_box *box = &pair->blueprint->boxes[node];

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "parent", node > 0 ? index[delta->nodes[node].parent] - 1.0 : NAN);
	pe_json_put(json, "method", method_at[delta->nodes[node].frame]);
	pe_json_put(json, "state", states[pe_delta_state(delta, node)]);
	pe_json_put(json, "colour", pe_colour_name((enum pe_box_colour)box->colour));
	pe_json_computed_members(json, box, height, signed_height, width);
	put_values(json, delta, node);
	pe_json_end(json);
}

static void put_tree(struct pe_json *json, const struct pe_compare_pair *pair, double min_change)
{
	const struct pe_delta *delta = pair->delta;
	uint32_t *index = number_nodes(pair, min_change);
	uint32_t *method_at = pe_realloc(NULL, delta->frames->n + 1, sizeof(*method_at));

	for (uint32_t i = 0; i < pair->methods->n; i++)
		method_at[pair->methods->at[i].frame] = i;
	pe_json_each(json, "hot_path", i, pair->blueprint->n_hot,
		     pe_json_put(json, NULL, index[pair->blueprint->hot_path[i]] - 1));
	pe_json_each(json, "tree", i, delta->n,
		     if (index[i] != 0) put_node(json, pair, i, index, method_at));
	free(index);
	free(method_at);
}

static void put_pair(struct pe_json *json, const struct pe_compare *compare, size_t p)
{
	const struct pe_compare_pair *pair = &compare->pairs[p];

	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", pair->name);
	pe_json_put(json, "with", pair->with_name);
	pe_json_members(json, pair, same, problem, untimed, whole);
	pe_json_put(json, "unexplained", pe_compare_unexplained(pair));
	pe_json_computed_members(json, pair, scale_error);
	pe_compare_json_metrics(json, pair);
	pe_compare_json_functions(json, pair);
	pe_system_calls_json(json, "system_calls", pair->calls);
	put_lines(json, compare, p);
	pe_compare_json_judged(json, pair, false);
	if (pair->delta != NULL) {
		pe_json_struct(json, "nodes", pair->delta, both, added, removed);
		put_methods(json, pair);
		put_tree(json, pair, compare->min_change);
	}
	if (pe_json_begin_maybe(json, "critical", pair->critical != NULL)) {
		assert(pair->delta != NULL); /* the graph is of matched trees */
		pe_zam_json_graph(json, pair->critical, pair->delta->frames, 0);
		pe_json_end(json);
	}
	pe_json_end(json);
}

void pe_compare_json(struct pe_text *out, const struct pe_compare *compare)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", "perfevo-compare");
	pe_json_put(&json, "version", 1);
	pe_compare_json_sides(&json, compare);
	pe_json_members(&json, compare, match, call_sites, counts_only);
	pe_json_put(&json, "basis", pe_basis_name(compare->basis));
	pe_json_put(&json, "min_change", compare->min_change);
	put_lines(&json, compare, SIZE_MAX);
	pe_json_each(&json, "benchmarks", p, compare->n_pairs, put_pair(&json, compare, p));
	pe_json_finish(&json);
}
