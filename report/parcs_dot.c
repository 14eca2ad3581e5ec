/* The stages for Graphviz, as in PARCS's figure 6: methods that were modified as rectangles, what was cut gray. */
#include "report/parcs_tree.h"

#include "report/format.h"
#include "report/short_name.h"

enum { MOST_COLUMNS = 60 }; /* of a name in a node */

static void add_node(struct pe_text *out, const struct pe_compare_pair *pair,
		     const struct pe_parcs_picture *picture, size_t p, uint32_t i)
{
	const struct pe_parcs_shown *shown = &picture->at[i];
	struct pe_text label = PE_TEXT_INIT, name = PE_TEXT_INIT;

	pe_parcs_picture_name(&name, pair, shown);
	pe_short_name_add(&label, pe_text_str(&name), MOST_COLUMNS);
	if (shown->cut != NULL) {
		pe_text_addc(&label, '\n');
		pe_parcs_picture_why(&label, pair, shown);
	}
	pe_text_addf(out, "\tn%zu_%u [label=", p, i);
	pe_escape_dot(out, pe_text_str(&label));
	pe_text_addf(out, "%s%s];\n", shown->modified ? ", shape=box" : "",
		     shown->cut != NULL ? ", fillcolor=\"#c4c4c4\"" : "");
	if (shown->parent != PE_CCT_NONE)
		pe_text_addf(out, "\tn%zu_%u -> n%zu_%u;\n", p, shown->parent, p, i);
	if (shown->hidden > 0 && shown->cut == NULL)
		pe_text_addf(out,
			     "\tr%zu_%u [shape=plaintext, fillcolor=none, label=\"%u more\"];\n"
			     "\tn%zu_%u -> r%zu_%u [style=dotted];\n",
			     p, i, shown->hidden, p, i, p, i);
	pe_text_release(&label);
	pe_text_release(&name);
}

void pe_parcs_dot(struct pe_text *out, const struct pe_compare *compare)
{
	struct pe_text title = PE_TEXT_INIT;

	pe_text_addf(&title, "old: %s, new: %s", compare->old_side.name, compare->new_side.name);
	pe_dot_begin(out, "stages", "ellipse", pe_text_str(&title));
	for (size_t p = 0; p < compare->n_pairs; p++) {
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_parcs_picture picture;

		if (compare->pairs[p].parcs == NULL)
			continue;
		pe_parcs_picture_make(&picture, &compare->pairs[p], 0, &arena);
		for (uint32_t i = 0; i < picture.n; i++)
			add_node(out, &compare->pairs[p], &picture, p, i);
		pe_arena_release(&arena);
	}
	pe_text_add(out, "}\n");
	pe_text_release(&title);
}
