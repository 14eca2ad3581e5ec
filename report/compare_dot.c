/*
 * The delta tree as a graph for Graphviz: callers above callees, what got slower red, faster green, added yellow,
 * removed gray, and within noise white (Blueprint section III). Nodes under the least change are left out; how
 * many below a node, one dotted box says.
 */
#include "report/compare_text.h"

#include "report/format.h"
#include "report/short_name.h"
#include "core/base/number.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 60 }; /* of a name in a box */

static const char *fill_of(enum pe_box_colour colour)
{
	static const char *const fills[PE_N_COLOURS] = {
		[PE_COLOUR_NEUTRAL] = "#ffffff",     [PE_COLOUR_RED] = "#e05a4f",
		[PE_COLOUR_LIGHT_RED] = "#f4b6b0",   [PE_COLOUR_GREEN] = "#5ba55b",
		[PE_COLOUR_LIGHT_GREEN] = "#b9dcb9", [PE_COLOUR_YELLOW] = "#f6e27a",
		[PE_COLOUR_GRAY] = "#c4c4c4",
	};

	return fills[colour];
}

static void add_values(struct pe_text *label, const char *title, struct pe_delta_values values,
		       const char *unit)
{
	if (!values.known || (values.old_value == 0 && values.new_value == 0))
		return;
	pe_text_addf(label, "\n%s", title);
	pe_format_step(label, (double)values.old_value, (double)values.new_value, unit);
}

static void add_node(struct pe_text *out, const struct pe_compare_pair *pair, uint32_t node)
{
	static const char *const states[] = {"", "\nonly in new", "\nonly in old"};
	const struct pe_delta *delta = pair->delta;
	const struct pe_frame *frame = &delta->frames->at[delta->nodes[node].frame];
	const struct pe_blueprint_box *box = &pair->blueprint->boxes[node];
	struct pe_delta_values total = pe_delta_values(delta, node, PE_DELTA_TOTAL_NS);
	struct pe_text label = PE_TEXT_INIT, name = PE_TEXT_INIT;

	if (node == 0 && pair->name != NULL)
		pe_text_add(&name, pair->name);
	else
		pe_compare_add_method(&name, delta->frames, delta->nodes[node].frame);
	pe_short_name_add(&label, pe_text_str(&name), MOST_COLUMNS);
	pe_compare_add_place(&label, frame);
	pe_text_add(&label, states[pe_delta_state(delta, node)]);
	add_values(&label, "", total, "ns");
	if (total.known && total.old_value != total.new_value) {
		pe_text_addc(&label, '\n');
		pe_compare_add_signed(&label, pe_delta_difference(total), "ns");
	}
	add_values(&label, "calls ", pe_delta_values(delta, node, PE_DELTA_CALLS), "1");
	add_values(&label, "allocations ", pe_delta_values(delta, node, PE_DELTA_ALLOCATIONS), "1");
	add_values(&label, "instructions ", pe_delta_values(delta, node, PE_DELTA_INSTRUCTIONS),
		   "1");
	pe_text_addf(out, "\tn%u [label=", node);
	pe_escape_dot(out, pe_text_str(&label));
	pe_text_addf(out, ", fillcolor=\"%s\"%s];\n", fill_of((enum pe_box_colour)box->colour),
		     box->hot ? ", penwidth=3" : "");
	if (node > 0)
		pe_text_addf(out, "\tn%u -> n%u%s;\n", delta->nodes[node].parent, node,
			     box->hot ? " [penwidth=3]" : "");
	pe_text_release(&label);
	pe_text_release(&name);
}

static void add_rest(struct pe_text *out, uint32_t node, uint32_t n)
{
	pe_text_addf(out, "\tr%u [style=dotted, label=\"%u more\"];\n", node, n);
	pe_text_addf(out, "\tn%u -> r%u [style=dotted];\n", node, node);
}

static void add_tree(struct pe_text *out, const struct pe_compare_pair *pair, double min_change)
{
	const struct pe_delta *delta = pair->delta;
	bool *chosen = pe_compare_choose(pair, min_change);
	uint32_t *left_out = pe_realloc(NULL, delta->n, sizeof(*left_out));

	memset(left_out, 0, delta->n * sizeof(*left_out));
	for (uint32_t i = 0; i < delta->n; i++) {
		if (chosen[i])
			add_node(out, pair, i);
		else
			left_out[delta->nodes[i].parent]++;
	}
	for (uint32_t i = 0; i < delta->n; i++)
		if (chosen[i] && left_out[i] > 0)
			add_rest(out, i, left_out[i]);
	free(chosen);
	free(left_out);
}

void pe_compare_dot(struct pe_text *out, const struct pe_compare *compare)
{
	const struct pe_compare_pair *pair = NULL;
	struct pe_text title = PE_TEXT_INIT;

	for (size_t p = 0; p < compare->n_pairs && pair == NULL; p++)
		if (compare->pairs[p].delta != NULL)
			pair = &compare->pairs[p];
	if (pair != NULL && pair->name != NULL)
		pe_text_addf(&title, "%s, ", pair->name);
	pe_text_addf(&title, "old: %s, new: %s", compare->old_side.name, compare->new_side.name);
	pe_dot_begin(out, "compare", "box", pe_text_str(&title));
	if (pair != NULL)
		add_tree(out, pair, compare->min_change);
	pe_text_add(out, "}\n");
	pe_text_release(&title);
}
