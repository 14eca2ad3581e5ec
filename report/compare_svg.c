/*
 * The blueprint as a picture (Blueprint section III): callers above callees, folded as on the terminal. Heights
 * and widths of boxes are those of the paper, in one scale a tree: the highest box takes BOX_HEIGHT pixels, and a
 * factor e of calls LOG_WIDTH; a box of no width is drawn LEAST_WIDTH wide, and one of no height keeps a line. A
 * thick border says that some callees are not shown. Nodes lie in preorder, so each pass is a loop.
 */
#include "report/compare_fold.h"

#include "report/compare_text.h"
#include "report/format.h"
#include "report/svg.h"

#include <math.h>
#include <string.h>

#define MARGIN       18.0
#define BOX_HEIGHT   110.0
#define LOG_WIDTH    9.0
#define LEAST_WIDTH  5.0
#define LEAST_HEIGHT 2.0
#define LABEL        190.0 /* of a name beside its box, at most */
#define LABEL_HIGH   30.0  /* two lines */
#define LEVEL_GAP    26.0
#define SIBLING_GAP  18.0
#define LEAST_PAGE   760.0

/* Fill and border by enum pe_colour; a removed box's border is dashed: another cue than the hue. */
static const char *const colours[PE_N_COLOURS][2] = {
	[PE_COLOUR_NEUTRAL] = {"#eceff3", "#8a93a2"},
	[PE_COLOUR_RED] = {"#d7301f", "#7f0000"},
	[PE_COLOUR_LIGHT_RED] = {"#f9b8a5", "#b3452f"},
	[PE_COLOUR_GREEN] = {"#1b9e4b", "#00441b"},
	[PE_COLOUR_LIGHT_GREEN] = {"#bfe6c3", "#3a8a4b"},
	[PE_COLOUR_YELLOW] = {"#ffd93b", "#8a6d00"},
	[PE_COLOUR_GRAY] = {"#b4bac4", "#5a626e"},
};

struct tree {
	const struct pe_compare_pair *pair;
	struct pe_compare_fold fold;
	struct pe_arena arena;
	double *slot; /* by node: width of all that stands at or below it */
	double *x;    /* by node: where its slot begins */
	double *y;    /* by level: where boxes begin */
	double width, height;
};

static double box_width(const struct tree *tree, uint32_t node)
{
	return fmax(LEAST_WIDTH, tree->pair->blueprint->boxes[node].width * LOG_WIDTH);
}

static double box_height(const struct tree *tree, uint32_t node)
{
	double height = fabs(pe_compare_height(&tree->fold, tree->pair, node));

	return fmax(LEAST_HEIGHT,
		    tree->fold.highest > 0 ? height / tree->fold.highest * BOX_HEIGHT : 0);
}

static void say_name(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	const char *sign = pe_compare_sign(tree->pair, node, true);

	if (sign[0] != ' ')
		pe_text_addf(out, "%s ", sign);
	pe_compare_add_method(out, tree->pair->delta->frames, tree->pair->delta->nodes[node].frame);
	if (tree->fold.mark[node] > 0)
		pe_text_addf(out, " (%u)", tree->fold.mark[node]);
}

static double label_width(const struct tree *tree, uint32_t node)
{
	struct pe_text text = PE_TEXT_INIT;
	double width;

	say_name(&text, tree, node);
	width = fmax(pe_svg_text_width(pe_text_str(&text)) + 4, 96);
	pe_text_release(&text);
	return fmin(width, LABEL);
}

static double own_width(const struct tree *tree, uint32_t node)
{
	return box_width(tree, node) + 6 + label_width(tree, node);
}

/* Widths from the leaves up, then places from the root down; levels are as high as their highest box. */
static void lay_out(struct tree *tree)
{
	const struct pe_delta *delta = tree->pair->delta;
	double *below = pe_arena_new(&tree->arena, double, delta->n);
	double *used = pe_arena_new(&tree->arena, double, delta->n);
	uint32_t deepest = 0;
	double y = 0;

	tree->slot = pe_arena_new(&tree->arena, double, delta->n);
	tree->x = pe_arena_new(&tree->arena, double, delta->n);
	tree->y = pe_arena_new(&tree->arena, double, (size_t)delta->n + 1);
	for (uint32_t i = delta->n; i-- > 0;) {
		uint32_t parent = delta->nodes[i].parent, level = tree->fold.level[i];

		if (!tree->fold.shown[i])
			continue;
		tree->slot[i] = fmax(own_width(tree, i), below[i]);
		deepest = level > deepest ? level : deepest;
		tree->y[level] = fmax(tree->y[level], fmax(box_height(tree, i), LABEL_HIGH));
		if (parent != PE_CCT_NONE)
			below[parent] += tree->slot[i] + (below[parent] > 0 ? SIBLING_GAP : 0);
	}
	for (uint32_t level = 0; level <= deepest; level++) {
		double high = tree->y[level];

		tree->y[level] = y;
		y += high + LEVEL_GAP;
	}
	for (uint32_t i = 1; i < delta->n; i++) {
		uint32_t parent = delta->nodes[i].parent;

		if (!tree->fold.shown[i])
			continue;
		tree->x[i] =
			tree->x[parent] +
			fmax(0, (tree->slot[parent] - below[parent]) / 2) * (used[parent] == 0) +
			used[parent];
		used[parent] = tree->x[i] - tree->x[parent] + tree->slot[i] + SIBLING_GAP;
	}
	tree->width = tree->slot[0];
	tree->height = y;
}

/* A box stands with its label in the middle of its slot. */
static double box_x(const struct tree *tree, uint32_t node)
{
	return tree->x[node] + (tree->slot[node] - own_width(tree, node)) / 2;
}

/* --- Drawing --- */

static void put_edge(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	uint32_t parent = tree->pair->delta->nodes[node].parent;
	double x0 = box_x(tree, parent) + box_width(tree, parent) / 2;
	double y0 = tree->y[tree->fold.level[parent]] + box_height(tree, parent);
	double x1 = box_x(tree, node) + box_width(tree, node) / 2;
	double y1 = tree->y[tree->fold.level[node]];
	const double points[] = {x0, y0, x0, y1 - LEVEL_GAP / 2, x1, y1 - LEVEL_GAP / 2, x1, y1};

	pe_text_addf(out, "<path class=\"rule\"%s d=\"",
		     tree->pair->blueprint->boxes[node].hot ? " style=\"stroke-width:2.5\"" : "");
	for (size_t i = 0; i < 8; i += 2) {
		pe_text_addc(out, i == 0 ? 'M' : 'L');
		pe_svg_coordinate(out, points[i]);
		pe_text_addc(out, ' ');
		pe_svg_coordinate(out, points[i + 1]);
	}
	pe_text_add(out, "\"/>\n");
}

/* All that is told of a context where the mouse rests. */
static void say_figures(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	static const struct {
		enum pe_delta_figure figure;
		const char *name, *unit;
	} figures[] = {{PE_DELTA_TOTAL_NS, "time", "ns"},
		       {PE_DELTA_SELF_NS, "own time", "ns"},
		       {PE_DELTA_CALLS, "calls", "1"},
		       {PE_DELTA_TOTAL_ALLOCATIONS, "allocations", "1"}};

	say_name(out, tree, node);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		struct pe_delta_values values =
			pe_delta_values(tree->pair->delta, node, figures[i].figure);

		if (!values.known)
			continue;
		pe_text_addf(out, "; %s ", figures[i].name);
		pe_format_value(out, (double)values.old_value, figures[i].unit);
		pe_text_add(out, " → ");
		pe_format_value(out, (double)values.new_value, figures[i].unit);
	}
}

static void put_box(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	const char *const *colour = colours[tree->pair->blueprint->boxes[node].colour];
	double x = box_x(tree, node), y = tree->y[tree->fold.level[node]];
	double width = box_width(tree, node);
	struct pe_text text = PE_TEXT_INIT;
	bool removed = pe_delta_state(tree->pair->delta, node) == PE_DELTA_REMOVED;

	pe_text_addf(out, "<g class=\"node\"><rect fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\"%s",
		     colour[0], colour[1], tree->fold.folded[node] > 0 ? "3" : "1",
		     removed ? " stroke-dasharray=\"4 2\"" : "");
	pe_svg_number(out, "x", x);
	pe_svg_number(out, "y", y);
	pe_svg_number(out, "width", width);
	pe_svg_number(out, "height", box_height(tree, node));
	pe_text_addc(out, '>');
	say_figures(&text, tree, node);
	pe_svg_title(out, pe_text_str(&text));
	pe_text_add(out, "</rect>\n");
	pe_text_clear(&text);
	say_name(&text, tree, node);
	pe_svg_text(out, x + width + 6, y + 11,
		    tree->pair->blueprint->boxes[node].hot ? "bold" : NULL, pe_text_str(&text),
		    LABEL);
	pe_text_clear(&text);
	pe_compare_add_signed(
		&text,
		pe_delta_difference(pe_delta_values(tree->pair->delta, node, tree->fold.figure)),
		tree->fold.figure == PE_DELTA_TOTAL_NS ? "ns" : "1");
	pe_text_add(&text, ", ");
	pe_format_change(&text, pe_compare_height(&tree->fold, tree->pair, node));
	if (tree->fold.folded[node] > 0)
		pe_text_addf(&text, "  ▸%u", tree->fold.folded[node]);
	pe_svg_text(out, x + width + 6, y + 25, "dim small", pe_text_str(&text), LABEL);
	pe_text_add(out, "</g>\n");
	pe_text_release(&text);
}

static uint32_t next_shown(const struct tree *tree, uint32_t node)
{
	const struct pe_delta *delta = tree->pair->delta;

	for (node++; node < delta->n && !tree->fold.shown[node];)
		node = delta->nodes[node].end;
	return node;
}

static void put_tree(struct pe_text *out, const struct tree *tree)
{
	const struct pe_delta *delta = tree->pair->delta;

	for (uint32_t i = next_shown(tree, 0); i < delta->n; i = next_shown(tree, i))
		put_edge(out, tree, i);
	for (uint32_t i = 0; i < delta->n; i = next_shown(tree, i))
		put_box(out, tree, i);
}

/* --- The page --- */

static bool is_drawn(const struct pe_compare_pair *pair)
{
	return pair->delta != NULL && pair->blueprint != NULL && pair->delta->n > 0;
}

static void put_head(struct pe_text *out, const struct pe_compare *compare, size_t p, double y)
{
	const struct pe_compare_pair *pair = &compare->pairs[p];
	struct pe_text text = PE_TEXT_INIT;

	pe_text_add(&text, pair->name != NULL ? pair->name : "difference");
	if (pair->with_name != NULL)
		pe_text_addf(&text, " (old) and %s (new)", pair->with_name);
	pe_svg_text(out, MARGIN, y + 16, "head", pe_text_str(&text), LEAST_PAGE);
	pe_text_clear(&text);
	if (pair->n_reports > 0)
		pe_verdict_say_whole(&text, &pair->reports[0]);
	pe_svg_text(out, MARGIN, y + 36, "dim", pe_text_str(&text), 0);
	pe_text_release(&text);
}

static void put_legend(struct pe_text *out, double y)
{
	static const struct {
		enum pe_colour colour;
		const char *meaning;
	} known[] = {
		{PE_COLOUR_RED, "slower, touched"},   {PE_COLOUR_LIGHT_RED, "slower"},
		{PE_COLOUR_GREEN, "faster, touched"}, {PE_COLOUR_LIGHT_GREEN, "faster"},
		{PE_COLOUR_YELLOW, "only in new"},    {PE_COLOUR_GRAY, "only in old"},
		{PE_COLOUR_NEUTRAL, "within noise"},
	};
	double x = MARGIN;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const char *const *colour = colours[known[i].colour];

		pe_text_addf(out, "<rect fill=\"%s\" stroke=\"%s\" width=\"12\" height=\"12\"%s",
			     colour[0], colour[1],
			     known[i].colour == PE_COLOUR_GRAY ? " stroke-dasharray=\"4 2\"" : "");
		pe_svg_number(out, "x", x);
		pe_svg_number(out, "y", y - 10);
		pe_text_add(out, "/>");
		pe_svg_text(out, x + 17, y, "small", known[i].meaning, 0);
		x += 32 + pe_svg_text_width(known[i].meaning) * 0.9;
	}
}

void pe_compare_svg(struct pe_text *out, const struct pe_compare *compare)
{
	const double head = 56, page_head = 74;
	struct pe_arena arena = PE_ARENA_INIT;
	struct tree *trees = pe_arena_new(&arena, struct tree, compare->n_pairs);
	double width = LEAST_PAGE, height = page_head, y = page_head;
	struct pe_text title = PE_TEXT_INIT;

	for (size_t p = 0; p < compare->n_pairs; p++) {
		trees[p].pair = &compare->pairs[p];
		if (!is_drawn(trees[p].pair))
			continue;
		pe_compare_fold(&trees[p].fold, compare, p, &trees[p].arena);
		lay_out(&trees[p]);
		width = fmax(width, trees[p].width);
		height += head + trees[p].height;
	}
	pe_text_addf(&title, "old: %s %s   new: %s %s", compare->old_side.name,
		     compare->old_side.subject != NULL ? compare->old_side.subject : "",
		     compare->new_side.name,
		     compare->new_side.subject != NULL ? compare->new_side.subject : "");
	pe_svg_begin(out, width + 2 * MARGIN, height + MARGIN, pe_text_str(&title));
	pe_svg_text(out, MARGIN, 26, "bold", pe_text_str(&title), width);
	put_legend(out, 52);
	for (size_t p = 0; p < compare->n_pairs; p++) {
		if (!is_drawn(trees[p].pair))
			continue;
		put_head(out, compare, p, y);
		pe_text_add(out, "<g transform=\"translate(");
		pe_svg_coordinate(out, MARGIN + (width - trees[p].width) / 2);
		pe_text_addc(out, ' ');
		pe_svg_coordinate(out, y + head);
		pe_text_add(out, ")\">\n");
		put_tree(out, &trees[p]);
		pe_text_add(out, "</g>\n");
		y += head + trees[p].height;
		pe_arena_release(&trees[p].arena);
	}
	pe_svg_end(out);
	pe_text_release(&title);
	pe_arena_release(&arena);
}
