/*
 * The stages as a picture, after PARCS's figure 6: methods that were modified as rectangles, the others as ellipses,
 * what was cut gray.
 */
#include "report/parcs_tree.h"

#include "report/format.h"
#include "report/svg.h"
#include "report/short_name.h"

#include <math.h>

#define MARGIN 18.0
#define HEAD   34.0 /* above a tree */
#define TOP    70.0 /* both revisions, and what shapes say */
#define LEAST  520.0

static const char style[] =
	"<style>.edge{stroke:#8d96a5;fill:none}.node{fill:#fff;stroke:#1d2330}.cut{fill:#c4c4c4}"
	"@media(prefers-color-scheme:dark){.edge{stroke:#7b8595}.node{fill:#262c36;"
	"stroke:#8e99aa}.cut{fill:#59616e}}</style>\n";

struct tree {
	const struct pe_compare_pair *pair;
	struct pe_parcs_picture picture;
};

static void put_edge(struct pe_text *out, const struct pe_parcs_shown *from,
		     const struct pe_parcs_shown *to)
{
	double x = from->x + from->reach, middle = (x + to->x) / 2;
	const double points[] = {middle, from->y, middle, to->y, to->x, to->y};

	pe_text_add(out, "<path class=\"edge\" d=\"");
	pe_svg_point(out, 'M', x, from->y);
	for (size_t k = 0; k < 6; k += 2)
		pe_svg_point(out, k == 0 ? 'C' : ' ', points[k], points[k + 1]);
	pe_text_add(out, "\"/>");
}

static void put_shape(struct pe_text *out, double x, double y, double wide, bool modified, bool cut)
{
	pe_text_addf(out, "<%s class=\"node%s\"", modified ? "rect" : "ellipse", cut ? " cut" : "");
	if (modified) {
		pe_svg_rect(out, x, y - PE_PARCS_HIGH / 2, wide, PE_PARCS_HIGH);
	} else {
		pe_svg_number(out, "cx", x + wide / 2);
		pe_svg_number(out, "cy", y);
		pe_svg_number(out, "rx", wide / 2);
		pe_svg_number(out, "ry", PE_PARCS_HIGH / 2);
	}
	pe_text_add(out, "/>");
}

static void put_node(struct pe_text *out, const struct tree *tree, uint32_t i)
{
	const struct pe_parcs_shown *shown = &tree->picture.at[i];
	struct pe_text text = PE_TEXT_INIT;
	pe_auto_text name = PE_TEXT_INIT;

	if (shown->parent != PE_CCT_NONE)
		put_edge(out, &tree->picture.at[shown->parent], shown);
	put_shape(out, shown->x, shown->y, shown->wide, shown->modified, shown->cut != NULL);
	pe_parcs_picture_name(&name, tree->pair, shown);
	pe_short_name_add(&text, pe_text_str(&name), pe_svg_columns(PE_PARCS_MOST_NAME));
	pe_svg_text(out, shown->x + shown->wide / 2, shown->y + 4, "mid", pe_text_str(&text), 0);
	pe_text_clear(&text);
	pe_parcs_picture_why(&text, tree->pair, shown);
	if (text.len > 0)
		pe_svg_text(out, shown->x + shown->wide + 8, shown->y + 4, "dim small",
			    pe_text_str(&text), 0);
	pe_text_release(&text);
	pe_text_addc(out, '\n');
}

static void put_tree(struct pe_text *out, const struct tree *tree, double y)
{
	const struct pe_parcs_picture *picture = &tree->picture;
	struct pe_text title = PE_TEXT_INIT;

	pe_text_add(&title, tree->pair->name != NULL ? tree->pair->name : "profile");
	if (picture->cuts_in_all == 0)
		pe_text_add(&title, ": both trees have the same shape");
	else if (picture->cuts < picture->cuts_in_all)
		pe_text_addf(&title, ": the largest %u of %u subtrees that one tree lacks",
			     picture->cuts, picture->cuts_in_all);
	pe_svg_text(out, MARGIN, y + 10, "bold", pe_text_str(&title), 0);
	pe_text_release(&title);
	pe_svg_begin_group(out, "", MARGIN, y + HEAD);
	pe_text_addc(out, '\n');
	for (uint32_t i = 0; i < picture->n; i++)
		put_node(out, tree, i);
	pe_text_add(out, "</g>\n");
}

static void put_legend(struct pe_text *out)
{
	static const struct {
		const char *says;
		bool modified, cut;
	} rows[] = {
		{"modified method", true, false},
		{"other method", false, false},
		{"in one tree only", false, true},
	};
	double x = MARGIN;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		put_shape(out, x, 52, 30, rows[i].modified, rows[i].cut);
		pe_svg_text(out, x + 38, 56, "small", rows[i].says, 0);
		x += 64 + pe_svg_text_width(rows[i].says);
	}
}

void pe_parcs_svg(struct pe_text *out, const struct pe_compare *compare)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_text body = PE_TEXT_INIT, title = PE_TEXT_INIT;
	double width = LEAST, y = TOP + MARGIN;

	for (size_t p = 0; p < compare->n_pairs; p++) {
		struct tree tree = {.pair = &compare->pairs[p]};

		if (tree.pair->parcs == NULL)
			continue;
		pe_parcs_picture_make(&tree.picture, tree.pair, PE_PARCS_MOST_CUTS, &arena);
		pe_parcs_picture_lay_out(&tree.picture, tree.pair, &arena);
		put_tree(&body, &tree, y);
		width = fmax(width, tree.picture.width);
		y += HEAD + tree.picture.height;
	}
	pe_text_addf(&title, "old: %s, new: %s", compare->old_side.name, compare->new_side.name);
	pe_svg_begin(out, width + 2 * MARGIN, y + MARGIN, pe_text_str(&title));
	pe_text_add(out, style);
	pe_svg_text(out, MARGIN, 26, "bold", pe_text_str(&title), width);
	put_legend(out);
	pe_text_addn(out, body.data, body.len);
	pe_svg_end(out);
	pe_text_release(&body);
	pe_text_release(&title);
	pe_arena_release(&arena);
}
