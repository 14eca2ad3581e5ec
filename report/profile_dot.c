/*
 * The tree as a graph for Graphviz: a box a node, wide lines where the weight flows, redder boxes for what weighs
 * more itself. Cut by threshold and depth; what is cut off below a node is one dotted box.
 */
#include "report/profile_text.h"

#include "report/format.h"
#include "report/short_name.h"
#include "core/base/number.h"

#include <math.h>
#include <string.h>

enum { MOST_COLUMNS = 60 }; /* of a name in a box */

/* White to red by the node's own share, as hue 0.05 with saturation in [0, 1]; steep at first. */
static void add_colour(struct pe_text *out, double share)
{
	pe_text_add(out, ", fillcolor=\"0.050 ");
	pe_number_fixed(out, isfinite(share) ? sqrt(share) : 0, 3);
	pe_text_add(out, " 1.000\"");
}

static void add_label(struct pe_text *out, struct pe_profile_view_data *view, uint32_t node)
{
	const struct pe_cct *cct = view->cct;
	const struct pe_frame *frame = pe_cct_frame(cct, node);
	const char *unit = pe_weights[view->profile->weight].unit;
	struct pe_text label = PE_TEXT_INIT, name = PE_TEXT_INIT;

	pe_profile_add_method(&name, view, frame);
	pe_short_name_add(&label, pe_text_str(&name), MOST_COLUMNS);
	if (frame->component[0] != '\0') {
		pe_text_addc(&label, '\n');
		pe_text_add_columns(&label, frame->component, MOST_COLUMNS);
	}
	pe_text_addc(&label, '\n');
	pe_format_value(&label, (double)view->total[node], unit);
	pe_text_add(&label, " (");
	pe_profile_add_share(&label, (double)view->total[node] / view->whole);
	pe_text_add(&label, ")\nself ");
	pe_format_value(&label, (double)view->self[node], unit);
	pe_text_add(&label, " (");
	pe_profile_add_share(&label, (double)view->self[node] / view->whole);
	pe_text_addc(&label, ')');
	if (cct->flags[node] != 0) {
		pe_text_addc(&label, '\n');
		pe_profile_add_node_marks(&label, view, node);
	}
	pe_escape_dot(out, pe_text_str(&label));
	pe_text_release(&label);
	pe_text_release(&name);
}

static void add_node(struct pe_text *out, struct pe_profile_view_data *view, uint32_t node)
{
	pe_text_addf(out, "\tn%u [label=", node);
	add_label(out, view, node);
	add_colour(out, (double)view->self[node] / view->whole);
	pe_text_add(out, "];\n");
}

static void add_edge(struct pe_text *out, const struct pe_profile_view_data *view, uint32_t node)
{
	const struct pe_cct *cct = view->cct;
	const double share = (double)view->total[node] / view->whole;
	struct pe_text label = PE_TEXT_INIT;

	if (cct->calls != NULL && (cct->flags[node] & PE_CCT_UNCOUNTED) == 0) {
		pe_format_value(&label, (double)cct->calls[node], "1");
		pe_text_addf(&label, " call%s", cct->calls[node] == 1 ? "" : "s");
	}
	if (cct->nodes[node].site != 0)
		pe_text_addf(&label, "%sline %u", label.len > 0 ? "\n" : "", cct->nodes[node].site);
	pe_text_addf(out, "\tn%u -> n%u [penwidth=", cct->nodes[node].parent, node);
	pe_number_fixed(out, isfinite(share) ? 0.5 + 5 * share : 0.5, 2);
	if (label.len > 0) {
		pe_text_add(out, ", label=");
		pe_escape_dot(out, pe_text_str(&label));
	}
	pe_text_add(out, "];\n");
	pe_text_release(&label);
}

/* What was cut off below a node, and how much that weighs. */
static void add_rest(struct pe_text *out, const struct pe_profile_view_data *view, uint32_t node,
		     uint32_t n, uint64_t weight)
{
	struct pe_text label = PE_TEXT_INIT;

	pe_text_add(&label, "\xe2\x80\xa6 ");
	pe_format_value(&label, n, "1");
	pe_text_add(&label, " more\n");
	pe_format_value(&label, (double)weight, pe_weights[view->profile->weight].unit);
	pe_text_addf(out, "\tr%u [style=dotted, label=", node);
	pe_escape_dot(out, pe_text_str(&label));
	pe_text_addf(out, "];\n\tn%u -> r%u [style=dotted];\n", node, node);
	pe_text_release(&label);
}

static void add_tree(struct pe_text *out, struct pe_profile_view_data *view)
{
	const struct pe_profile *profile = view->profile;
	const struct pe_cct *cct = view->cct;
	const double least = profile->threshold * view->whole;
	uint32_t *levels = pe_arena_new(&view->arena, uint32_t, cct->n);
	uint32_t *cut = pe_arena_new(&view->arena, uint32_t, cct->n);
	uint64_t *weights = pe_arena_new(&view->arena, uint64_t, cct->n);

	for (uint32_t i = 0; i < cct->n;) {
		const uint32_t parent = cct->nodes[i].parent;

		levels[i] = i > 0 ? levels[parent] + 1 : 1;
		if (i > 0 && ((double)view->total[i] < least ||
			      (profile->depth != 0 && levels[i] > profile->depth + 1))) {
			cut[parent]++;
			weights[parent] += view->total[i];
			levels[i] = 0;
			i = cct->nodes[i].end;
			continue;
		}
		add_node(out, view, i);
		if (i > 0)
			add_edge(out, view, i);
		i++;
	}
	for (uint32_t i = 0; i < cct->n; i++)
		if (levels[i] != 0 && cut[i] > 0)
			add_rest(out, view, i, cut[i], weights[i]);
}

void pe_profile_dot(struct pe_text *out, const struct pe_profile *profile)
{
	struct pe_profile_view_data view;
	struct pe_text title = PE_TEXT_INIT;

	pe_profile_begin(&view, profile);
	if (profile->benchmark != NULL)
		pe_text_add(&title, profile->benchmark);
	if (profile->revision != NULL)
		pe_text_addf(&title, " at %s", profile->revision);
	pe_dot_begin(out, "profile", "box", pe_text_str(&title));
	pe_text_add(out, "\tedge [fontname=\"sans-serif\", fontsize=9];\n");
	if (view.total != NULL && view.self != NULL)
		add_tree(out, &view);
	pe_text_add(out, "}\n");
	pe_profile_end(&view);
	pe_text_release(&title);
}
