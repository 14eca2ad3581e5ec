/* The critical graph for Graphviz (ZAM section 3.3). */
#include "report/zam.h"

#include "report/format.h"
#include "report/short_name.h"

enum { MOST_COLUMNS = 60 }; /* of a name or a file in a box */

static void add_label(struct pe_text *out, const struct pe_zam_page *page, uint32_t node)
{
	const struct pe_zam_node *at = &page->zam->nodes[node];
	const struct pe_frame *frame = &page->frames->at[at->frame];
	pe_auto_text label = PE_TEXT_INIT;

	pe_short_name_add(&label, node > 0 ? frame->name : "whole execution", MOST_COLUMNS);
	if (node > 0 && frame->component[0] != '\0') {
		pe_text_addc(&label, '\n');
		pe_text_add_columns(&label, frame->component, MOST_COLUMNS);
		if (frame->line > 0)
			pe_text_addf(&label, ":%u", frame->line);
	}
	pe_text_addc(&label, '\n');
	if (at->added)
		pe_text_add(&label, "not called in old");
	else
		pe_format_value(&label, at->old_ns, page->unit != NULL ? page->unit : "ns");
	pe_text_add(&label, " \xe2\x86\x92 ");
	pe_format_value(&label, at->new_ns, page->unit != NULL ? page->unit : "ns");
	pe_text_addc(&label, '\n');
	if (at->new_ns > at->old_ns)
		pe_text_addc(&label, '+');
	pe_format_value(&label, at->new_ns - at->old_ns, page->unit != NULL ? page->unit : "ns");
	if (!at->added && at->old_ns > 0) {
		pe_text_add(&label, ", ");
		pe_format_change(&label, (at->new_ns - at->old_ns) / at->old_ns);
	}
	pe_escape_dot(out, pe_text_str(&label));
}

void pe_zam_dot(struct pe_text *out, const struct pe_zam_page *page)
{
	const struct pe_zam *zam = page->zam;
	pe_auto_text title = PE_TEXT_INIT;

	pe_text_addf(&title, "old: %s, new: %s", page->old_name, page->new_name);
	pe_text_add(out, "digraph critical {\n\tlabel=");
	pe_escape_dot(out, pe_text_str(&title));
	pe_text_add(out, ";\n\tnode [shape=box, style=filled, fillcolor=white, "
			 "fontname=\"sans-serif\", fontsize=10];\n");
	for (uint32_t i = 0; i < zam->n; i++) {
		pe_text_addf(out, "\tn%u [label=", i);
		add_label(out, page, i);
		pe_text_add(out, zam->nodes[i].cause ? ", fillcolor=\"#e05a4f\"];\n" : "];\n");
		if (i > 0)
			pe_text_addf(out, "\tn%u -> n%u;\n", zam->nodes[i].parent, i);
	}
	pe_text_add(out, "}\n");
}
