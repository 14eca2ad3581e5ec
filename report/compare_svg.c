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
#include <string.h>

#define MARGIN 18.0
#define LEAST_HIGHEST                                                                              \
	110.0 /* of the highest box: as high as makes a picture of GOOD_PICTURE, within these */
#define MOST_HIGHEST 300.0
#define GOOD_PICTURE 460.0
#define LOG_WIDTH    9.0
#define LEAST_WIDTH  5.0
#define LEAST_HEIGHT 5.0
#define THIN         1.0
#define THICK        3.0
#define LABEL        190.0 /* of a name beside its box, at most */
#define LABEL_HIGH   30.0  /* two lines */
#define PASSAGE_HIGH 14.0  /* one line: a caller that only hands the difference on */
#define SMALL        0.9   /* times the width of plain text */
#define BOLD         1.08
#define LARGE        1.3
#define HEAD         56.0 /* above a tree */
#define LEVEL_GAP    18.0
#define SIBLING_GAP  18.0
#define LEAST_SAID   0.0005 /* of the old execution: a smaller amount of a caller is not printed */
#define LEAST_PAGE   460.0
#define MOST_TEXT    900.0 /* of a headline */

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
	double left,
		right; /* what it takes with all below it on both sides of the middle of its box */
	double below;  /* width of the block of its callees */
	double first,
		last;  /* middles of the first and the last of them, from the block's right end */
	double middle; /* its own middle, from the block's left end */
	double used;   /* of the block while it is laid out */
	double x;      /* the middle of its box */
};

struct tree {
	const struct pe_compare_pair *pair;
	enum pe_basis basis;
	struct pe_compare_fold fold;
	const char **names;  /* of the shown nodes' methods */
	struct place *place; /* by node */
	double *y;           /* by level: where boxes begin */
	uint32_t deepest;
	double highest; /* the box that is as high as tree->fold.highest */
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
		    tree->fold.highest > 0 ? height / tree->fold.highest * tree->highest : 0);
}

/* Whether a context only hands the difference on to the one callee that is shown, and is the only one of its caller. */
static bool is_passage(const struct tree *tree, uint32_t node)
{
	const struct pe_delta *delta = tree->pair->delta;
	uint32_t parent = delta->nodes[node].parent, last = tree->fold.last[node];

	if (last == PE_CCT_NONE || tree->fold.mark[node] > 0 ||
	    fabs(pe_compare_height(tree->pair, node)) > 0.05 * tree->fold.highest)
		return false;
	for (uint32_t c = node + 1; c < last; c = delta->nodes[c].end)
		if (tree->fold.shown[c])
			return false;
	if (parent == PE_CCT_NONE)
		return true;
	for (uint32_t c = parent + 1; c < delta->nodes[parent].end; c = delta->nodes[c].end)
		if (c != node && tree->fold.shown[c])
			return false;
	return true;
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

static void add_difference(struct pe_text *out, const struct tree *tree, uint32_t node,
			   enum pe_delta_metric metric)
{
	pe_compare_add_signed(
		out, pe_delta_difference(pe_delta_values(tree->pair->delta, node, metric)),
		pe_compare_cost_unit(tree->fold.cost, pe_delta_event(tree->pair->delta)));
}

/* How a context differs: by 'own' itself, and with its callees where that is another value. */
static void say_difference(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	const struct pe_delta *delta = tree->pair->delta;
	enum pe_delta_metric all = pe_cost_total(tree->fold.cost),
			     own = pe_cost_own(tree->fold.cost);
	double height = pe_compare_height(tree->pair, node);
	double total = (double)pe_delta_difference(pe_delta_values(delta, node, all));
	double itself = (double)pe_delta_difference(pe_delta_values(delta, node, own));
	bool both = tree->basis == PE_BASIS_OWN && fabs(total - itself) > 0.01 * fabs(total);

	if (!both || fabs(height) >= LEAST_SAID) {
		add_difference(out, tree, node, tree->basis == PE_BASIS_OWN ? own : all);
		pe_text_add(out, ", ");
		pe_compare_add_height(out, tree->basis, tree->pair, node);
	}
	if (both) {
		pe_text_add(out, fabs(height) >= LEAST_SAID ? "; in all " : "in all ");
		add_difference(out, tree, node, all);
	}
	if (tree->fold.folded[node] > 0)
		pe_text_addf(out, "  ▸%u", tree->fold.folded[node]);
}

/* Both lines of a label, or the one of a passage. */
static double label_width(const struct tree *tree, uint32_t node)
{
	pe_auto_text text = PE_TEXT_INIT;
	double name, rest;

	say_name(&text, tree, node, false);
	name = pe_svg_text_width(pe_text_str(&text)) + 4;
	pe_text_clear(&text);
	say_difference(&text, tree, node);
	rest = pe_svg_text_width(pe_text_str(&text)) * SMALL;
	if (is_passage(tree, node))
		return fmin(name, LABEL) + 10 + rest;
	return fmax(fmax(fmin(name, LABEL), rest), 96);
}

/* Levels are as high as their highest box or label; returns how high all of them are. */
static double stack_levels(struct tree *tree)
{
	const struct pe_delta *delta = tree->pair->delta;
	double y = 0;

	memset(tree->y, 0, ((size_t)tree->deepest + 1) * sizeof(*tree->y));
	for (uint32_t i = 0; i < delta->n; i++) {
		double *high = &tree->y[tree->fold.level[i]];

		if (tree->fold.shown[i])
			*high = fmax(fmax(*high, box_height(tree, i)),
				     is_passage(tree, i) ? PASSAGE_HIGH : LABEL_HIGH);
	}
	for (uint32_t level = 0; level <= tree->deepest; level++) {
		double high = tree->y[level];

		tree->y[level] = y;
		y += high + LEVEL_GAP;
	}
	return y;
}

/* The highest box as high as fills a picture of a good size; a deep tree is larger than that. */
static void find_highest(struct tree *tree)
{
	double low = LEAST_HIGHEST, high = MOST_HIGHEST;

	while (high - low > 1) {
		tree->highest = (low + high) / 2;
		if (stack_levels(tree) < GOOD_PICTURE)
			low = tree->highest;
		else
			high = tree->highest;
	}
	tree->highest = floor(low);
	tree->height = stack_levels(tree);
}

/* From the leaves up: how far a node with all below it reaches to both sides of its box's middle. */
static void find_reach(struct tree *tree)
{
	const struct pe_delta *delta = tree->pair->delta;

	for (uint32_t i = delta->n; i-- > 0;) {
		struct place *place = &tree->place[i], *above;
		double half = box_width(tree, i) / 2;

		if (!tree->fold.shown[i])
			continue;
		place->middle = place->below - (place->first + place->last) / 2;
		place->left = fmax(half, place->middle);
		place->right = fmax(half + 6 + label_width(tree, i), place->below - place->middle);
		if (tree->fold.level[i] > tree->deepest)
			tree->deepest = tree->fold.level[i];
		if (i == 0)
			continue;
		/* Callees come from the last to the first: a block grows to the left. */
		above = &tree->place[delta->nodes[i].parent];
		above->first = above->below + (above->below > 0 ? SIBLING_GAP : 0) + place->right;
		above->last = above->below > 0 ? above->last : place->right;
		above->below = above->first + place->left;
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

/* Then from the root down: each box where the middle of its callees is, levels one below the other. */
static void lay_out(struct tree *tree, struct pe_arena *arena)
{
	const struct pe_delta *delta = tree->pair->delta;

	shorten_names(tree, arena);
	tree->place = pe_arena_new(arena, struct place, delta->n);
	tree->y = pe_arena_new(arena, double, (size_t)delta->n + 1);
	find_reach(tree);
	find_highest(tree);
	tree->place[0].x = tree->place[0].left;
	for (uint32_t i = 1; i < delta->n; i++) {
		struct place *place = &tree->place[i];
		struct place *above = &tree->place[delta->nodes[i].parent];

		if (!tree->fold.shown[i])
			continue;
		place->x = above->x - above->middle + above->used + place->left;
		above->used += place->left + place->right + SIBLING_GAP;
	}
	tree->width = tree->place[0].left + tree->place[0].right;
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
	pe_auto_text text = PE_TEXT_INIT;

	say_values(&text, tree, node);
	pe_text_add(out, "<g class=\"node\">");
	pe_svg_title(out, pe_text_str(&text));
	pe_text_addc(out, '\n');
	pe_text_clear(&text);
	put_shape(out, tree, node, x, y);
	say_name(&text, tree, node, false);
	pe_svg_text(out, beside, y + 11, hot ? "bold" : NULL, pe_text_str(&text), LABEL);
	if (is_passage(tree, node)) {
		beside += fmin(pe_svg_text_width(pe_text_str(&text)), LABEL) + 10;
		y -= 14;
	}
	pe_text_clear(&text);
	say_difference(&text, tree, node);
	pe_svg_text(out, beside, y + 25, "dim small", pe_text_str(&text), 0);
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
static void say_head(struct pe_text *title, struct pe_text *says,
		     const struct pe_compare_pair *pair)
{
	pe_text_add(title, pair->name != NULL ? pair->name : "difference");
	if (pair->with_name != NULL)
		pe_text_addf(title, " (old) and %s (new)", pair->with_name);
	if (pair->n_reports > 0)
		pe_compare_say_whole(says, pair, &pair->reports[0]);
}

static double head_width(const struct pe_compare_pair *pair)
{
	pe_auto_text title = PE_TEXT_INIT, says = PE_TEXT_INIT;
	double width;

	say_head(&title, &says, pair);
	width = fmax(pe_svg_text_width(pe_text_str(&title)) * LARGE,
		     pe_svg_text_width(pe_text_str(&says)));
	return fmin(width, MOST_TEXT);
}

static void put_head(struct pe_text *out, const struct pe_compare_pair *pair, double y)
{
	pe_auto_text title = PE_TEXT_INIT, says = PE_TEXT_INIT;

	say_head(&title, &says, pair);
	pe_svg_text(out, MARGIN, y + 16, "head", pe_text_str(&title), MOST_TEXT / LARGE);
	pe_svg_text(out, MARGIN, y + 36, "dim", pe_text_str(&says), MOST_TEXT);
}

/* Both sides, a line each. @return  how wide they are */
static double put_sides(struct pe_text *out, const struct pe_compare *compare)
{
	const struct pe_compare_side *sides[] = {&compare->old_side, &compare->new_side};
	pe_auto_text line = PE_TEXT_INIT;
	double width = 0;

	for (int side = 0; side < 2; side++) {
		pe_text_clear(&line);
		pe_text_addf(&line, "%s: %s %s", side == 0 ? "old" : "new", sides[side]->name,
			     sides[side]->subject != NULL ? sides[side]->subject : "");
		width = fmax(width, pe_svg_text_width(pe_text_str(&line)) * BOLD);
		pe_svg_text(out, MARGIN, 26 + side * 17, "bold", pe_text_str(&line), MOST_TEXT);
	}
	return fmin(width, MOST_TEXT);
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
		put_head(out, trees[p].pair, y);
		pe_svg_begin_group(out, "", MARGIN + (width - trees[p].width) / 2, y + HEAD);
		pe_text_addc(out, '\n');
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
	double width = fmax(LEAST_PAGE, put_sides(&body, compare)), y;

	for (size_t p = 0; p < compare->n_pairs; p++) {
		trees[p].pair = &compare->pairs[p];
		trees[p].basis = compare->basis;
		if (!is_drawn(trees[p].pair))
			continue;
		pe_compare_fold(&trees[p].fold, compare, p, &arena);
		lay_out(&trees[p], &arena);
		width = fmax(width, fmax(trees[p].width, head_width(trees[p].pair)));
	}
	y = put_legend(&body, compare, width, 70);
	y = put_trees(&body, compare, trees, width, y + 20);
	pe_text_addf(&title, "old: %s, new: %s", compare->old_side.name, compare->new_side.name);
	pe_svg_begin(out, width + 2 * MARGIN, y + MARGIN, pe_text_str(&title));
	pe_text_add(out, style);
	pe_text_add(out, pe_text_str(&body));
	pe_svg_end(out);
}
