/*
 * One JSON document:
 *
 *	{
 *	  "format": "perfevo-localize", "version": 1,
 *	  "old": "profiles/old", "new": "profiles/new", "pairs": 5,
 *	  "min_diff_ns": 50000000, "min_waiting_ns": 50000000, "min_own_ns": 50000000,
 *	  "from_noise": false,
 *	  "nodes_in": 1234, "causes": 2,
 *	  "old_waiting_ns": 0, "new_waiting_ns": 2e6, "old_engine_ns": 3e6, "new_engine_ns": 4e6,
 *	  "nodes": [
 *	    {"parent": null, "name": "highlight", "signature": "", "component": "highlight.js",
 *	     "added": false, "cause": true, "scattered": false, "places": 0, "blamed": 3, "old_ns": 1.5e6,
 *	     "new_ns": 1.9e9, "old_waiting_ns": 0, "new_waiting_ns": 1.8e9}, ...
 *	  ],
 *	  "methods": [
 *	    {"name": "escape", "signature": "", "component": "highlight.js", "old_ns": 1, "new_ns": 2,
 *	     "contexts": 3, "in_graph": false}, ...
 *	  ]
 *	}
 *
 * With --top, "more_methods" says how many are left out, if any. Nodes stand in preorder, "parent" is an index into
 * "nodes", and their times are inclusive, with what they waited for by a timer, a frame, a response; times of methods
 * are their own, in all contexts together. Waiting that no call asked for and the engine's own time are of the whole
 * execution. All times are means over the pairs. A cause's "blamed" is the node of the modified method that hands it more
 * work, or its own; null of other nodes. A "scattered" one stands for a method in so many "places" below its parent.
 */
#include "report/zam.h"

#include "report/json_out.h"

#include <math.h>

static void put_frame(struct pe_text *out, const struct pe_frame *frame)
{
	pe_json_put_text(out, "name", frame->name);
	pe_json_put_text(out, "signature", frame->signature);
	pe_json_put_text(out, "component", frame->component);
}

static void put_node(struct pe_text *out, const struct pe_zam_node *at,
		     const struct pe_frames *frames)
{
	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	pe_json_put_number(out, "parent", at->parent != PE_CCT_NONE ? (double)at->parent : NAN);
	put_frame(out, &frames->at[at->frame]);
	pe_json_put_bool(out, "added", at->added);
	pe_json_put_bool(out, "cause", at->cause);
	pe_json_put_bool(out, "scattered", at->places > 0);
	pe_json_put_number(out, "places", at->places);
	pe_json_put_number(out, "blamed", at->blamed != PE_CCT_NONE ? (double)at->blamed : NAN);
	pe_json_put_computed(out, "old_ns", at->old_ns);
	pe_json_put_computed(out, "new_ns", at->new_ns);
	pe_json_put_computed(out, "old_waiting_ns", at->old_waiting_ns);
	pe_json_put_computed(out, "new_waiting_ns", at->new_waiting_ns);
	pe_text_addc(out, '}');
}

static void put_method(struct pe_text *out, const struct pe_zam_method *method,
		       const struct pe_frames *frames)
{
	pe_json_put_comma(out);
	pe_text_addc(out, '{');
	put_frame(out, &frames->at[method->frame]);
	pe_json_put_computed(out, "old_ns", method->old_ns);
	pe_json_put_computed(out, "new_ns", method->new_ns);
	pe_json_put_number(out, "contexts", method->contexts);
	pe_json_put_bool(out, "in_graph", method->in_graph);
	pe_text_addc(out, '}');
}

void pe_zam_json_graph(struct pe_text *out, const struct pe_zam *zam,
		       const struct pe_frames *frames, size_t top)
{
	pe_json_put_number(out, "pairs", zam->pairs);
	pe_json_put_number(out, "min_diff_ns", (double)zam->min_ns);
	pe_json_put_number(out, "min_waiting_ns", (double)zam->min_waiting_ns);
	pe_json_put_number(out, "min_own_ns", (double)zam->min_own_ns);
	pe_json_put_bool(out, "from_noise", zam->min_from_noise);
	pe_json_put_number(out, "nodes_in", (double)zam->nodes_in);
	pe_json_put_number(out, "causes", zam->causes);
	pe_json_put_computed(out, "old_waiting_ns", zam->old_rest.waiting_ns);
	pe_json_put_computed(out, "new_waiting_ns", zam->new_rest.waiting_ns);
	pe_json_put_computed(out, "old_engine_ns", zam->old_rest.engine_ns);
	pe_json_put_computed(out, "new_engine_ns", zam->new_rest.engine_ns);
	pe_json_open(out, "nodes", '[');
	for (uint32_t i = 0; i < zam->n; i++)
		put_node(out, &zam->nodes[i], frames);
	pe_text_addc(out, ']');
	pe_json_open(out, "methods", '[');
	for (uint32_t i = 0; i < zam->n_methods && (top == 0 || i < top); i++)
		put_method(out, &zam->methods[i], frames);
	pe_text_addc(out, ']');
	if (top > 0 && top < zam->n_methods)
		pe_json_put_number(out, "more_methods", (double)(zam->n_methods - top));
}

void pe_zam_json(struct pe_text *out, const struct pe_zam_page *page)
{
	pe_text_addc(out, '{');
	pe_json_put_text(out, "format", "perfevo-localize");
	pe_json_put_number(out, "version", 1);
	pe_json_put_text(out, "old", page->old_name);
	pe_json_put_text(out, "new", page->new_name);
	pe_zam_json_graph(out, page->zam, page->frames, page->top);
	pe_text_add(out, "}\n");
}
