/*
 * The blueprint as a picture (Blueprint section III): callers above callees, folded as on the terminal. Heights
 * and widths of boxes are those of the paper, in one scale a tree: the highest box fills the room there is, and a
 * factor e of calls LOG_WIDTH; a box of no width is drawn LEAST_WIDTH wide, and one of no height as a line. The
 * border is outside of the box, so that the filled area has the size of the values; a thick one marks hidden
 * callees. Nodes are in preorder, so each pass is a loop.
 */
#include "report/compare_fold.h"

#include "report/compare_text.h"
#include "report/format.h"
#include "report/short_name.h"
#include "report/svg.h"

#include <math.h>

#define MARGIN       18.0
#define HIGHEST      160.0 /* of a box */
#define LOG_WIDTH    9.0
#define LEAST_WIDTH  5.0
#define LEAST_HEIGHT 5.0
#define THIN         1.0
#define THICK        3.0
#define LABEL        190.0 /* of a name beside its box, at most */
#define LABEL_HIGH   30.0  /* two lines */
#define SMALL        0.9   /* times the width of plain text */
#define LARGE        1.3
#define HEAD         56.0 /* above a tree */
#define LEVEL_GAP    18.0
#define SIBLING_GAP  18.0
#define LEAST_PAGE   700.0

/* Fills by enum pe_box_colour; a removed box's border is dashed: another cue than the hue. */
static const char *const colours[PE_N_COLOURS] = {
	[PE_COLOUR_NEUTRAL] = "#eceff3",     [PE_COLOUR_RED] = "#d7301f",
	[PE_COLOUR_LIGHT_RED] = "#f9b8a5",   [PE_COLOUR_GREEN] = "#1b9e4b",
	[PE_COLOUR_LIGHT_GREEN] = "#bfe6c3", [PE_COLOUR_YELLOW] = "#ffd93b",
	[PE_COLOUR_GRAY] = "#b4bac4",
};

static const char style[] =
	"<style>.edge{stroke:#8d96a5;fill:none}.border{fill:none;stroke:#1d2330}"
	"@media(prefers-color-scheme:dark){.edge{stroke:#7b8595}"
	".border{stroke:#8e99aa}.neutral{fill:#434b57}}</style>\n";

/* Where a node stands, in pixels. */
struct place {
	double x;     /* the middle of its box */
	double first; /* that of its first callee */
};

struct tree {
	const struct pe_compare_pair *pair;
	enum pe_basis basis;
	struct pe_compare_fold fold;
	const char **names;  /* of the shown nodes' methods */
	struct place *place; /* by node */
	double *y;           /* by level: where boxes begin */
	double width, height;
};

static double box_width(const struct tree *tree, uint32_t node)
{
	return fmax(LEAST_WIDTH, tree->pair->blueprint->boxes[node].width * LOG_WIDTH);
}

static double box_height(const struct tree *tree, uint32_t node)
{
	double height = fabs(pe_compare_height(tree->pair, node));

	return fmax(LEAST_HEIGHT,
		    tree->fold.highest > 0 ? height / tree->fold.highest * HIGHEST : 0);
}

/* A name with its signs: shortened, or whole. */
static void say_name(struct pe_text *out, const struct tree *tree, uint32_t node, bool whole)
{
	const char *sign = pe_compare_sign(tree->pair, node, true);

	if (sign[0] != ' ')
		pe_text_addf(out, "%s ", sign);
	if (whole)
		pe_compare_add_method(out, tree->pair->delta->frames,
				      tree->pair->delta->nodes[node].frame);
	else
		pe_text_add(out, tree->names[node]);
	if (tree->fold.mark[node] > 0)
		pe_text_addf(out, " (%u)", tree->fold.mark[node]);
}

/* How a context differs: by 'own' itself, else with its callees. */
static void say_difference(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	const struct pe_delta *delta = tree->pair->delta;
	const enum pe_delta_metric metric = tree->basis == PE_BASIS_OWN
						    ? pe_cost_own(tree->fold.cost)
						    : pe_cost_total(tree->fold.cost);

	pe_compare_add_signed(out, pe_delta_difference(pe_delta_values(delta, node, metric)),
			      pe_compare_cost_unit(tree->fold.cost, pe_delta_event(delta)));
	pe_text_add(out, ", ");
	pe_compare_add_height(out, tree->basis, tree->pair, node);
	if (tree->fold.folded[node] > 0)
		pe_text_addf(out, "  ▸%u", tree->fold.folded[node]);
}

/* Levels are as high as their highest box or label. */
static void stack_levels(struct tree *tree)
{
	const struct pe_delta *delta = tree->pair->delta;
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < delta->n; i++) {
		const uint32_t level = tree->fold.level[i];

		if (!tree->fold.shown[i])
			continue;
		tree->y[level] = fmax(tree->y[level], fmax(box_height(tree, i), LABEL_HIGH));
		deepest = level > deepest ? level : deepest;
	}
	for (uint32_t level = 0; level <= deepest; level++) {
		const double high = tree->y[level];

		tree->y[level] = tree->height;
		tree->height += high + LEVEL_GAP;
	}
}

/* Shorten the names of the nodes that are shown together, so that they stay different. */
static void shorten_names(struct tree *tree, struct pe_arena *arena)
{
	const struct pe_delta *delta = tree->pair->delta;
	struct pe_short_name *names = pe_arena_new(arena, struct pe_short_name, delta->n + 1);
	pe_auto_text name = PE_TEXT_INIT;
	size_t n = 0;

	for (uint32_t i = 0; i < delta->n; i = pe_compare_next_shown(&tree->fold, tree->pair, i)) {
		pe_text_clear(&name);
		pe_compare_add_method(&name, delta->frames, delta->nodes[i].frame);
		/* A sign and the number of a line of the verdict stand on the same line. */
		names[n++] = (struct pe_short_name){
			.name = pe_arena_strdup(arena, pe_text_str(&name)),
			.columns = pe_svg_columns(LABEL) - 2 - (tree->fold.mark[i] > 0 ? 4 : 0),
		};
	}
	pe_short_names_fit(names, n, "…", arena);
	tree->names = pe_arena_new(arena, const char *, delta->n + 1);
	n = 0;
	for (uint32_t i = 0; i < delta->n; i = pe_compare_next_shown(&tree->fold, tree->pair, i))
		tree->names[i] = names[n++].shown;
}

/* Each leaf has the room of a label, callers stand above the middle of their callees, levels one below the other. */
static void lay_out(struct tree *tree, struct pe_arena *arena)
{
	const struct pe_delta *delta = tree->pair->delta;
	double room = 0;

	shorten_names(tree, arena);
	tree->place = pe_arena_new(arena, struct place, delta->n);
	tree->y = pe_arena_new(arena, double, (size_t)delta->n + 1);
	stack_levels(tree);
	for (uint32_t i = 0; i < delta->n; i++)
		room = fmax(room, tree->fold.shown[i] ? box_width(tree, i) : 0);
	/* From the last leaf to the first, and from callees to callers; then all are moved to the right. */
	for (uint32_t i = delta->n; i-- > 0;) {
		struct place *place = &tree->place[i];

		if (!tree->fold.shown[i])
			continue;
		if (tree->fold.last[i] == PE_CCT_NONE) {
			tree->width += room + LABEL + SIBLING_GAP;
			place->x = -tree->width;
		} else {
			place->x = (place->first + tree->place[tree->fold.last[i]].x) / 2;
		}
		if (i > 0)
			tree->place[delta->nodes[i].parent].first = place->x;
	}
	for (uint32_t i = 0; i < delta->n; i++)
		tree->place[i].x += tree->width + room / 2;
}

static double box_x(const struct tree *tree, uint32_t node)
{
	return tree->place[node].x - box_width(tree, node) / 2;
}

/* --- Drawing --- */

static void put_edge(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	uint32_t parent = tree->pair->delta->nodes[node].parent;
	double x0 = tree->place[parent].x;
	double y0 = tree->y[tree->fold.level[parent]] + box_height(tree, parent);
	double x1 = tree->place[node].x;
	double y1 = tree->y[tree->fold.level[node]];
	const double points[] = {x0, y0, x0, y1 - LEVEL_GAP / 2, x1, y1 - LEVEL_GAP / 2, x1, y1};

	pe_text_addf(out, "<path class=\"edge\"%s d=\"",
		     tree->pair->blueprint->boxes[node].hot ? " style=\"stroke-width:2.5\"" : "");
	for (size_t i = 0; i < 8; i += 2)
		pe_svg_point(out, i == 0 ? 'M' : 'L', points[i], points[i + 1]);
	pe_text_add(out, "\"/>\n");
}

/* All that is shown of a context where the mouse rests, be it on its box or its label: boxes may be small. */
static void say_values(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	const char *event = pe_delta_event(tree->pair->delta);
	const char *unit = pe_compare_cost_unit(PE_COST_TIME, event);
	const struct {
		enum pe_delta_metric metric;
		const char *name, *unit;
	} metrics[] = {{PE_DELTA_TOTAL_NS, event != NULL ? "all" : "time", unit},
		       {PE_DELTA_SELF_NS, event != NULL ? "own" : "own time", unit},
		       {PE_DELTA_CALLS, "calls", "1"},
		       {PE_DELTA_TOTAL_ALLOCATIONS, "allocations", "1"},
		       {PE_DELTA_TOTAL_INSTRUCTIONS, "instructions", "1"}};

	say_name(out, tree, node, true);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
		struct pe_delta_values values =
			pe_delta_values(tree->pair->delta, node, metrics[i].metric);

		if (!values.known)
			continue;
		pe_text_addf(out, "; %s ", metrics[i].name);
		pe_format_step(out, (double)values.old_value, (double)values.new_value,
			       metrics[i].unit);
	}
}

static void begin_box(struct pe_text *out, enum pe_box_colour colour)
{
	pe_text_addf(out, "<rect class=\"box %s\" fill=\"%s\"", pe_colour_name(colour),
		     colours[colour]);
}

/* A box and the border around it. */
static void put_shape(struct pe_text *out, const struct tree *tree, uint32_t node, double x,
		      double y)
{
	double width = box_width(tree, node), height = box_height(tree, node);
	double border = tree->fold.folded[node] > 0 ? THICK : THIN;

	begin_box(out, (enum pe_box_colour)tree->pair->blueprint->boxes[node].colour);
	pe_svg_rect(out, x, y, width, height);
	pe_text_addf(out, "/>\n<rect class=\"border %s\" stroke-width=\"%g\"%s",
		     border > THIN ? "thick" : "thin", border,
		     pe_delta_state(tree->pair->delta, node) == PE_DELTA_REMOVED
			     ? " stroke-dasharray=\"4 2\""
			     : "");
	pe_svg_rect(out, x - border / 2, y - border / 2, width + border, height + border);
	pe_text_add(out, "/>\n");
}

static void put_box(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	double x = box_x(tree, node), y = tree->y[tree->fold.level[node]];
	double beside = x + box_width(tree, node) + 6;
	bool hot = tree->pair->blueprint->boxes[node].hot;
	pe_auto_text name = PE_TEXT_INIT, whole = PE_TEXT_INIT, difference = PE_TEXT_INIT;

	say_name(&name, tree, node, false);
	say_values(&whole, tree, node);
	say_difference(&difference, tree, node);
	pe_text_add(out, "<g class=\"node\">");
	pe_svg_title(out, pe_text_str(&whole));
	pe_text_addc(out, '\n');
	put_shape(out, tree, node, x, y);
	pe_svg_text(out, beside, y + 11, hot ? "bold" : NULL, pe_text_str(&name), LABEL);
	pe_svg_text(out, beside, y + 25, "dim small", pe_text_str(&difference), 0);
	pe_text_add(out, "</g>\n");
}

static void put_tree(struct pe_text *out, const struct tree *tree)
{
	const struct pe_delta *delta = tree->pair->delta;

	for (uint32_t i = pe_compare_next_shown(&tree->fold, tree->pair, 0); i < delta->n;
	     i = pe_compare_next_shown(&tree->fold, tree->pair, i))
		put_edge(out, tree, i);
	for (uint32_t i = 0; i < delta->n; i = pe_compare_next_shown(&tree->fold, tree->pair, i))
		put_box(out, tree, i);
}

/* --- The page --- */

static bool is_drawn(const struct pe_compare_pair *pair)
{
	return pair->delta != NULL && pair->blueprint != NULL && pair->delta->n > 0;
}

/* What stands above a tree: its benchmark, and what the verdict is about. */
static void put_head(struct pe_text *out, const struct pe_compare_pair *pair, double width,
		     double y)
{
	pe_auto_text title = PE_TEXT_INIT, says = PE_TEXT_INIT;

	pe_text_add(&title, pair->name != NULL ? pair->name : "difference");
	if (pair->with_name != NULL)
		pe_text_addf(&title, " (old) and %s (new)", pair->with_name);
	if (pair->n_reports > 0)
		pe_compare_say_whole(&says, pair, &pair->reports[0]);
	pe_svg_text(out, MARGIN, y + 16, "head", pe_text_str(&title), width / LARGE);
	pe_svg_text(out, MARGIN, y + 36, "dim", pe_text_str(&says), width);
}

static void put_side(struct pe_text *out, const char *which, const struct pe_compare_side *side,
		     double width, double y)
{
	pe_auto_text line = PE_TEXT_INIT;

	pe_text_addf(&line, "%s: %s %s", which, side->name,
		     side->subject != NULL ? side->subject : "");
	pe_svg_text(out, MARGIN, y, "bold", pe_text_str(&line), width);
}

/* The meaning of colours, heights and widths; in as many lines as it takes. @return  where it ends */
static double put_legend(struct pe_text *out, const struct pe_compare *compare, double width,
			 double y)
{
	static const char *const known[PE_N_COLOURS] = {
		[PE_COLOUR_RED] = "slower, method changed",   [PE_COLOUR_LIGHT_RED] = "slower",
		[PE_COLOUR_GREEN] = "faster, method changed", [PE_COLOUR_LIGHT_GREEN] = "faster",
		[PE_COLOUR_YELLOW] = "only in new",           [PE_COLOUR_GRAY] = "only in old",
		[PE_COLOUR_NEUTRAL] = "within noise",
	};
	static const char *const heights[PE_N_BASES] = {
		[PE_BASIS_OWN] = "height: what differs without callees; all boxes add up",
		[PE_BASIS_TIME] = "height: what differs with all callees",
		[PE_BASIS_SHARE] = "height: difference in the share of the execution",
	};
	double x = MARGIN;

	for (int i = 1; i <= PE_N_COLOURS; i++) {
		int colour = i % PE_N_COLOURS; /* neutral is the last */
		double wide = 32 + pe_svg_text_width(known[colour]) * SMALL;

		if (x + wide > MARGIN + width) {
			x = MARGIN;
			y += 18;
		}
		begin_box(out, (enum pe_box_colour)colour);
		pe_svg_rect(out, x, y - 10, 12, 12);
		pe_text_addf(out, "/><rect class=\"border\"%s",
			     colour == PE_COLOUR_GRAY ? " stroke-dasharray=\"4 2\"" : "");
		pe_svg_rect(out, x - 0.5, y - 10.5, 13, 13);
		pe_text_add(out, "/>");
		pe_svg_text(out, x + 17, y, "small", known[colour], 0);
		x += wide;
	}
	pe_svg_text(out, MARGIN, y + 18, "dim small", heights[compare->basis], 0);
	pe_svg_text(out, MARGIN, y + 34, "dim small",
		    "width: difference in calls (logarithm); thick border: callees are not shown "
		    "(--all)",
		    0);
	return y + 34;
}

/* Every tree with its head, one below the other. @return  where they end */
static double put_trees(struct pe_text *out, const struct pe_compare *compare,
			const struct tree *trees, double width, double y)
{
	for (size_t p = 0; p < compare->n_pairs; p++) {
		if (!is_drawn(trees[p].pair))
			continue;
		put_head(out, trees[p].pair, width, y);
		pe_text_add(out, "<g transform=\"translate");
		pe_svg_point(out, '(', MARGIN + (width - trees[p].width) / 2, y + HEAD);
		pe_text_add(out, ")\">\n");
		put_tree(out, &trees[p]);
		pe_text_add(out, "</g>\n");
		y += HEAD + trees[p].height;
	}
	return y;
}

void pe_compare_svg(struct pe_text *out, const struct pe_compare *compare)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct tree *trees = pe_arena_new(&arena, struct tree, compare->n_pairs);
	pe_auto_text body = PE_TEXT_INIT, title = PE_TEXT_INIT;
	double width = LEAST_PAGE, y;

	for (size_t p = 0; p < compare->n_pairs; p++) {
		trees[p].pair = &compare->pairs[p];
		trees[p].basis = compare->basis;
		if (!is_drawn(trees[p].pair))
			continue;
		pe_compare_fold(&trees[p].fold, compare, p, &arena);
		lay_out(&trees[p], &arena);
		width = fmax(width, trees[p].width);
	}
	put_side(&body, "old", &compare->old_side, width, 26);
	put_side(&body, "new", &compare->new_side, width, 43);
	y = put_legend(&body, compare, width, 70);
	y = put_trees(&body, compare, trees, width, y + 20);
	pe_text_addf(&title, "old: %s, new: %s", compare->old_side.name, compare->new_side.name);
	pe_svg_begin(out, width + 2 * MARGIN, y + MARGIN, pe_text_str(&title));
	pe_text_add(out, style);
	pe_text_add(out, pe_text_str(&body));
	pe_svg_end(out);
}
