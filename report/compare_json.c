/*
 * One JSON document:
 *
 *	{
 *	  "format": "perfevo-compare", "version": 1,
 *	  "old": {"name": "3f2a91c0", "id": "3f2a...", "subject": "..."},      id and subject may be null
 *	  "new": {...},
 *	  "match": "subsequence", "call_sites": true, "basis": "own", "min_change": 0.005,
 *	  "verdict": [ LINE, ... ],                                            of all benchmarks, ranked
 *	  "benchmarks": [
 *	    {"name": "parse", "with": null,                                    name of new, where it is another
 *	     "same": false,                                                    both execute the same
 *	     "problem": null,                                                  why trees were not compared
 *	     "untimed": null,                                                  why they have no times
 *	     "scale_error": 0.01, "spread": 0.05,                              noise that all times have in common
 *	     "metrics": [
 *	       {"name": "wall", "label": "wall time", "unit": "ns", "old": 18.9e6, "new": 31e6,
 *	        "old_runs": 10, "new_runs": 10, "relative": 0.64, "low": 0.62, "high": 0.66,
 *	        "source": "runs",                           whose size relative is: of the "runs" of both, or of
 *	        "jump": null, "measured": 0.64,             the jump at that commit ("pairs", "levels"); by the runs
 *	        "exact": false, "judged": true, "verdict": "worse"}, ...
 *	     ],
 *	     "verdict": [ LINE, ... ],
 *	     "judged": [
 *	       {"unit": "ns", "text": "new takes 12.1 ms more than old: ...", "old": 18.9e6, "new": 31e6,
 *	        "difference": 12.1e6, "noise": 1e5, "unsaid": 0, "within_noise": 2,
 *	        "more": 0}, ...
 *	     ],
 *	     "nodes": {"both": 120, "added": 3, "removed": 1},
 *	     "decomposition": {
 *	       "time": {"unit": "ns", "difference": 12.1e6, "added": 0, "removed": 0, "calls": 12e6,
 *	                "per_call": 1e5, "unsplit": 0, "rest": 0}, ...         the parts sum to the difference
 *	     },
 *	     "methods": [
 *	       {"name": "hash_probe", "signature": "", "component": "src/hash.c", "source": "modified",
 *	        "code": "recompiled", "contexts_old": 1, "contexts_new": 1, "calls_old": 1000,
 *	        "calls_new": 3000, "self_old_ns": 1, "self_new_ns": 2, "allocations_old": 0,
 *	        "allocations_new": 0, "time": 1, "allocations": 0, "bytes": 0}, ...
 *	     ],
 *	     "hot_path": [0, 4, 5],                                            indices into "tree"
 *	     "tree": [
 *	       {"parent": null, "method": 0, "state": "both", "colour": "light red", "height": 0.02,
 *	        "signed_height": -0.02,                                        by the basis, positive is slower
 *	        "width": 0, "calls": [1, 1], "self_ns": [5, 5], "total_ns": [18.9e6, 31e6],
 *	        "allocations": [0, 0], "total_allocations": [10, 10]}, ...
 *	     ],
 *	     "critical": {"pairs": 2, "min_diff_ns": 2e5, "from_noise": true, "nodes_in": 240, "causes": 1,
 *	                  "nodes": [...], "methods": [...]}}, ...             as of perfevo-localize; or null
 *	  ]
 *	}
 *
 * LINE is {"text": sentence, "benchmark": name, "kind": "more-calls", "function": name, "component": file,
 * "caller": name, "other": name, "unit": "ns", "amount": 1, "amount_ns": 1, "share": 0.78, "noise": 1,
 * "contexts": 1, "elsewhere": 0, "source": "modified", "code": "recompiled", "blamed": name,
 * "blamed_component": file, "probably": false}; names and components may be null, and amount_ns is null where the
 * unit is not ns. "function" is where it happens, "blamed" the method to look at: the modified one that hands on
 * more work, or begins to call, where that is another; with "probably" it is the likely one.
 *
 * "critical" is ZAM's critical graph of the repetitions of both sides.
 *
 * "tree" has the nodes whose inclusive difference is at least min_change of the old execution, or that stand on
 * the hot path, with all above them; "method" is an index into "methods", "parent" one into "tree". A pair of
 * figures is old, then new; figures that are unknown are left out. Later versions may add members.
 */
#include "report/compare_text.h"

#include "report/estimate.h"
#include "report/json_out.h"
#include "report/zam.h"

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

static void put_integer(struct pe_text *out, const char *key, int64_t value)
{
	pe_json_key(out, key);
	pe_text_addf(out, "%lld", (long long)value);
}

static void open_object(struct pe_text *out)
{
	pe_json_put_comma(out);
	pe_text_addc(out, '{');
}

static void put_side(struct pe_text *out, const char *key, const struct pe_compare_side *side)
{
	pe_json_open(out, key, '{');
	pe_json_put_text(out, "name", side->name);
	pe_json_put_text(out, "id", side->id);
	pe_json_put_text(out, "subject", side->subject);
	pe_text_addc(out, '}');
}

static void put_figures(struct pe_text *out, const struct pe_compare_pair *pair)
{
	pe_json_open(out, "metrics", '[');
	for (size_t i = 0; i < pair->n_figures; i++) {
		const struct pe_compare_figure *figure = &pair->figures[i];

		open_object(out);
		pe_json_put_text(out, "name", figure->metric->name);
		pe_json_put_text(out, "label", figure->metric->label);
		pe_json_put_text(out, "unit", figure->metric->unit);
		pe_json_put_computed(out, "old", figure->old_value);
		pe_json_put_computed(out, "new", figure->new_value);
		put_integer(out, "old_runs", (int64_t)figure->old_n);
		put_integer(out, "new_runs", (int64_t)figure->new_n);
		pe_json_put_computed(out, "relative", figure->relative);
		pe_json_put_computed(out, "low", figure->low);
		pe_json_put_computed(out, "high", figure->high);
		pe_json_put_text(out, "source",
				 figure->jump != NULL ? pe_estimate_name(figure->jump->estimate)
				 : figure->exact      ? "exact"
						      : "runs");
		pe_json_put_text(out, "jump", figure->jump != NULL ? figure->jump_id : NULL);
		pe_json_put_computed(out, "measured", figure->measured);
		pe_json_put_bool(out, "exact", figure->exact);
		pe_json_put_bool(out, "judged", figure->judged);
		pe_json_put_text(out, "verdict", pe_compare_verdict_word(figure));
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

/* --- The verdict --- */

static void put_method_name(struct pe_text *out, const char *key, const struct pe_frames *frames,
			    uint32_t frame)
{
	struct pe_text name = PE_TEXT_INIT;

	pe_compare_add_method(&name, frames, frame);
	pe_json_put_text(out, key, frame != PE_FRAME_NONE ? pe_text_str(&name) : NULL);
	pe_text_release(&name);
}

static void put_line(struct pe_text *out, const struct pe_compare *compare,
		     const struct pe_compare_line *line)
{
	const struct pe_compare_pair *pair = &compare->pairs[line->pair];
	const struct pe_verdict_report *report = &pair->reports[line->report];
	const struct pe_cause *cause = &report->causes[line->cause];
	const struct pe_frames *frames = pair->delta->frames;
	uint32_t blamed = pe_cause_blamed(cause);
	bool named = cause->frame != PE_FRAME_NONE;

	open_object(out);
	pe_json_put_text(out, "text", line->text);
	pe_json_put_text(out, "benchmark", pair->name);
	pe_json_put_text(out, "kind", pe_cause_kind_name(cause->kind));
	put_method_name(out, "function", frames, cause->frame);
	pe_json_put_text(out, "component", named ? frames->at[cause->frame].component : NULL);
	put_method_name(out, "caller", frames, cause->caller);
	put_method_name(out, "other", frames, cause->other);
	pe_json_put_text(out, "unit", pe_compare_unit(report->unit));
	put_integer(out, "amount", cause->amount);
	if (report->unit == PE_VERDICT_NS)
		put_integer(out, "amount_ns", cause->amount);
	else
		pe_json_put_number(out, "amount_ns", NAN);
	pe_json_put_computed(out, "share", cause->share);
	pe_json_put_computed(out, "noise", cause->noise);
	put_integer(out, "contexts", cause->contexts);
	put_integer(out, "elsewhere", cause->elsewhere);
	pe_json_put_text(out, "source", source_names[cause->change.source]);
	pe_json_put_text(out, "code", code_names[cause->change.code]);
	put_method_name(out, "blamed", frames, blamed);
	pe_json_put_text(out, "blamed_component",
			 blamed != PE_FRAME_NONE ? frames->at[blamed].component : NULL);
	pe_json_put_bool(out, "probably", cause->probably);
	pe_text_addc(out, '}');
}

/* @param pair  SIZE_MAX: of all */
static void put_lines(struct pe_text *out, const struct pe_compare *compare, size_t pair)
{
	pe_json_open(out, "verdict", '[');
	for (size_t i = 0; i < compare->n_lines; i++)
		if (pair == SIZE_MAX || compare->lines[i].pair == pair)
			put_line(out, compare, &compare->lines[i]);
	pe_text_addc(out, ']');
}

static void put_judged(struct pe_text *out, const struct pe_compare_pair *pair)
{
	pe_json_open(out, "judged", '[');
	for (size_t i = 0; i < pair->n_reports; i++) {
		const struct pe_verdict_report *report = &pair->reports[i];
		struct pe_text text = PE_TEXT_INIT;

		pe_verdict_say_whole(&text, report);
		open_object(out);
		pe_json_put_text(out, "unit", pe_compare_unit(report->unit));
		pe_json_put_text(out, "text", pe_text_str(&text));
		put_integer(out, "old", (int64_t)report->old_whole);
		put_integer(out, "new", (int64_t)report->new_whole);
		put_integer(out, "difference", report->whole);
		pe_json_put_computed(out, "noise", report->noise);
		put_integer(out, "unsaid", report->unsaid);
		put_integer(out, "within_noise", report->within_noise);
		put_integer(out, "more", report->more);
		pe_text_addc(out, '}');
		pe_text_release(&text);
	}
	pe_text_addc(out, ']');
}

/* --- The trees --- */

static void put_decomposition(struct pe_text *out, const struct pe_decomposition *decomposition)
{
	static const char *const parts[PE_N_PARTS] = {
		[PE_PART_ADDED] = "added",     [PE_PART_REMOVED] = "removed",
		[PE_PART_CALLS] = "calls",     [PE_PART_PER_CALL] = "per_call",
		[PE_PART_UNSPLIT] = "unsplit", [PE_PART_REST] = "rest",
	};

	pe_json_open(out, "decomposition", '{');
	for (int cost = 0; cost < PE_N_COSTS; cost++) {
		if (!decomposition->known[cost])
			continue;
		pe_json_open(out, pe_compare_cost_name((enum pe_cost)cost), '{');
		pe_json_put_text(out, "unit", pe_compare_cost_unit((enum pe_cost)cost));
		put_integer(out, "difference", decomposition->whole[cost]);
		for (int part = 0; part < PE_N_PARTS; part++)
			put_integer(out, parts[part], decomposition->parts[cost].part[part]);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, '}');
}

static void put_methods(struct pe_text *out, const struct pe_compare_pair *pair)
{
	const struct pe_frames *frames = pair->delta->frames;

	pe_json_open(out, "methods", '[');
	for (uint32_t i = 0; i < pair->decomposition->n_methods; i++) {
		const struct pe_delta_method *method = &pair->decomposition->methods[i];
		const struct pe_frame *frame = &frames->at[method->frame];

		open_object(out);
		pe_json_put_text(out, "name", frame->name);
		pe_json_put_text(out, "signature", frame->signature);
		pe_json_put_text(out, "component", frame->component);
		pe_json_put_text(out, "source",
				 source_names[pe_changes_source(pair->changes, method->frame)]);
		pe_json_put_text(out, "code",
				 code_names[pe_changes_binary(pair->changes, method->frame)]);
		put_integer(out, "contexts_old", method->contexts_old);
		put_integer(out, "contexts_new", method->contexts_new);
		put_integer(out, "calls_old", (int64_t)method->calls_old);
		put_integer(out, "calls_new", (int64_t)method->calls_new);
		put_integer(out, "self_old_ns", (int64_t)method->self_old_ns);
		put_integer(out, "self_new_ns", (int64_t)method->self_new_ns);
		put_integer(out, "allocations_old", (int64_t)method->allocations_old);
		put_integer(out, "allocations_new", (int64_t)method->allocations_new);
		for (int cost = 0; cost < PE_N_COSTS; cost++)
			put_integer(out, pe_compare_cost_name((enum pe_cost)cost),
				    pe_parts_sum(&method->parts[cost]));
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, ']');
}

/* The nodes that matter, with all above them: by node 1 + its index in "tree", or 0. */
static uint32_t *choose_nodes(const struct pe_compare_pair *pair, double min_change)
{
	const struct pe_delta *delta = pair->delta;
	uint32_t *index = pe_realloc(NULL, delta->n, sizeof(*index));
	enum pe_delta_figure figure = pe_blueprint_figure(delta);
	struct pe_delta_values whole;
	double least;
	uint32_t n = 0;

	whole = pe_delta_values(delta, 0, figure);
	least = min_change * (double)whole.old_value;
	memset(index, 0, delta->n * sizeof(*index));
	for (uint32_t i = 0; i < pair->blueprint->n_hot; i++)
		index[pair->blueprint->hot_path[i]] = 1;
	for (uint32_t i = delta->n; i-- > 0;) {
		double difference = (double)pe_delta_difference(pe_delta_values(delta, i, figure));

		if (i == 0 || (difference != 0 && fabs(difference) >= least))
			index[i] = 1;
		if (index[i] != 0 && i > 0)
			index[delta->nodes[i].parent] = 1;
	}
	for (uint32_t i = 0; i < delta->n; i++)
		if (index[i] != 0)
			index[i] = ++n;
	return index;
}

static void put_values(struct pe_text *out, const struct pe_delta *delta, uint32_t node)
{
	static const struct {
		enum pe_delta_figure figure;
		const char *key;
	} rows[] = {
		{PE_DELTA_CALLS, "calls"},
		{PE_DELTA_SELF_NS, "self_ns"},
		{PE_DELTA_TOTAL_NS, "total_ns"},
		{PE_DELTA_ALLOCATIONS, "allocations"},
		{PE_DELTA_TOTAL_ALLOCATIONS, "total_allocations"},
		{PE_DELTA_BYTES, "bytes"},
		{PE_DELTA_TOTAL_BYTES, "total_bytes"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pe_delta_values values = pe_delta_values(delta, node, rows[i].figure);

		if (!values.known)
			continue;
		pe_json_key(out, rows[i].key);
		pe_text_addf(out, "[%llu,%llu]", (unsigned long long)values.old_value,
			     (unsigned long long)values.new_value);
	}
}

static void put_node(struct pe_text *out, const struct pe_compare_pair *pair, uint32_t node,
		     const uint32_t *index, const uint32_t *method_at)
{
	static const char *const states[] = {"both", "added", "removed"};
	const struct pe_delta *delta = pair->delta;
	const struct pe_blueprint_box *box = &pair->blueprint->boxes[node];

	open_object(out);
	if (node > 0)
		put_integer(out, "parent", index[delta->nodes[node].parent] - 1);
	else
		pe_json_put_text(out, "parent", NULL);
	put_integer(out, "method", method_at[delta->nodes[node].frame]);
	pe_json_put_text(out, "state", states[pe_delta_state(delta, node)]);
	pe_json_put_text(out, "colour", pe_colour_name((enum pe_box_colour)box->colour));
	pe_json_put_computed(out, "height", box->height);
	pe_json_put_computed(out, "signed_height", box->signed_height);
	pe_json_put_computed(out, "width", box->width);
	put_values(out, delta, node);
	pe_text_addc(out, '}');
}

static void put_tree(struct pe_text *out, const struct pe_compare_pair *pair, double min_change)
{
	const struct pe_delta *delta = pair->delta;
	uint32_t *index = choose_nodes(pair, min_change);
	uint32_t *method_at = pe_realloc(NULL, delta->frames->n + 1, sizeof(*method_at));

	for (uint32_t i = 0; i < pair->decomposition->n_methods; i++)
		method_at[pair->decomposition->methods[i].frame] = i;
	pe_json_open(out, "hot_path", '[');
	for (uint32_t i = 0; i < pair->blueprint->n_hot; i++)
		pe_json_number(out, index[pair->blueprint->hot_path[i]] - 1);
	pe_text_addc(out, ']');
	pe_json_open(out, "tree", '[');
	for (uint32_t i = 0; i < delta->n; i++)
		if (index[i] != 0)
			put_node(out, pair, i, index, method_at);
	pe_text_addc(out, ']');
	free(index);
	free(method_at);
}

static void put_pair(struct pe_text *out, const struct pe_compare *compare, size_t p)
{
	const struct pe_compare_pair *pair = &compare->pairs[p];

	open_object(out);
	pe_json_put_text(out, "name", pair->name);
	pe_json_put_text(out, "with", pair->with_name);
	pe_json_put_bool(out, "same", pair->same);
	pe_json_put_text(out, "problem", pair->problem);
	pe_json_put_text(out, "untimed", pair->untimed);
	pe_json_put_computed(out, "scale_error", pair->scale_error);
	pe_json_put_computed(out, "spread", pair->spread);
	put_figures(out, pair);
	put_lines(out, compare, p);
	put_judged(out, pair);
	if (pair->delta != NULL) {
		pe_json_open(out, "nodes", '{');
		put_integer(out, "both", pair->delta->both);
		put_integer(out, "added", pair->delta->added);
		put_integer(out, "removed", pair->delta->removed);
		pe_text_addc(out, '}');
		put_decomposition(out, pair->decomposition);
		put_methods(out, pair);
		put_tree(out, pair, compare->min_change);
	}
	if (pair->critical == NULL) {
		pe_json_put_text(out, "critical", NULL);
	} else {
		pe_json_open(out, "critical", '{');
		pe_zam_json_graph(out, pair->critical, pair->delta->frames, 0);
		pe_text_addc(out, '}');
	}
	pe_text_addc(out, '}');
}

void pe_compare_json(struct pe_text *out, const struct pe_compare *compare)
{
	pe_text_addc(out, '{');
	pe_json_put_text(out, "format", "perfevo-compare");
	put_integer(out, "version", 1);
	put_side(out, "old", &compare->old_side);
	put_side(out, "new", &compare->new_side);
	pe_json_put_text(out, "match", compare->match);
	pe_json_put_bool(out, "call_sites", compare->call_sites);
	pe_json_put_text(out, "basis", pe_basis_name(compare->basis));
	pe_json_put_number(out, "min_change", compare->min_change);
	put_lines(out, compare, SIZE_MAX);
	pe_json_open(out, "benchmarks", '[');
	for (size_t p = 0; p < compare->n_pairs; p++)
		put_pair(out, compare, p);
	pe_text_add(out, "]}\n");
}
