/*
 * The blueprint as an indented tree: a line a context, callers above callees in the order of their first calls.
 *
 *    Δ time   itself                 calls  context
 *  +14.0 ms     -5 %  ▒                       1  main  ▸1
 *  +15.0 ms    +75 %  ████████████        1,000  └─ ~ intern
 *
 * Lines are indented down to a level that the terminal has room for; below it the number of the level stands
 * there. Nodes lie in preorder, so the tree is one loop over them, whatever its depth.
 */
#include "report/compare_text.h"

#include "report/compare_fold.h"
#include "report/format.h"
#include "report/ink.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define ARROW " \xe2\x86\x92 "

enum {
	MOST_INDENT = 20, /* levels that are drawn */
	BAR_COLUMNS = 12,
	NARROW_BAR = 6,
	FROM_CALLS = 96, /* columns of a terminal that shows calls */
	LEAST_NAME = 16,
	EIGHTHS = 8,
};

/* Blueprint section III, by enum pe_box_colour; light ones are told from full ones by their brightness as well. */
static const struct pe_ink inks[PE_N_COLOURS] = {
	[PE_COLOUR_NEUTRAL] = {0x9aa3af, 37},     [PE_COLOUR_RED] = {0xd7301f, 31},
	[PE_COLOUR_LIGHT_RED] = {0xf4a582, 91},   [PE_COLOUR_GREEN] = {0x1b9e4b, 32},
	[PE_COLOUR_LIGHT_GREEN] = {0x9ad7a0, 92}, [PE_COLOUR_YELLOW] = {0xe6b800, 33},
	[PE_COLOUR_GRAY] = {0x7f8794, 90},
};

/* The share that a bar is as long as. */
static const char *const basis_titles[PE_N_BASES] = {
	[PE_BASIS_OWN] = "itself",
	[PE_BASIS_TIME] = "of old",
	[PE_BASIS_SHARE] = "Δ share",
};

struct tree {
	const struct pe_compare *compare;
	const struct pe_compare_pair *pair;
	const struct pe_term *term;
	struct pe_compare_fold fold;
	struct pe_text cell;              /* for what is built up before it is put in its column */
	const char **names;               /* of the shown nodes' methods */
	size_t change, share, calls, bar; /* columns; 0: not shown */
	uint32_t indent;                  /* levels that are drawn */
	bool open[MOST_INDENT + 1];       /* levels on which a sibling follows */
};

/* --- Cells --- */

static const char *unit_of(const struct tree *tree)
{
	return tree->fold.metric == PE_DELTA_TOTAL_NS ? "ns" : "1";
}

static const char *title_of(const struct tree *tree)
{
	return tree->fold.metric == PE_DELTA_TOTAL_NS ? "Δ time"
	       : tree->fold.metric == PE_DELTA_CALLS  ? "Δ calls"
						      : "Δ allocations";
}

static void say_change(struct tree *tree, uint32_t node)
{
	struct pe_delta_values values = pe_delta_values(tree->pair->delta, node, tree->fold.metric);

	pe_text_clear(&tree->cell);
	pe_compare_add_signed(&tree->cell, pe_delta_difference(values), unit_of(tree));
}

static void say_share(struct tree *tree, uint32_t node)
{
	pe_text_clear(&tree->cell);
	pe_compare_add_height(&tree->cell, tree->compare->basis, tree->pair, node);
}

static void say_calls(struct tree *tree, uint32_t node)
{
	struct pe_delta_values calls = pe_delta_values(tree->pair->delta, node, PE_DELTA_CALLS);

	pe_text_clear(&tree->cell);
	if (!calls.known || node == 0)
		return;
	pe_format_value(&tree->cell, (double)calls.old_value, "1");
	if (calls.old_value == calls.new_value)
		return;
	pe_text_add(&tree->cell, ARROW);
	pe_format_value(&tree->cell, (double)calls.new_value, "1");
}

/* Columns of a cell once it is on the terminal. */
static size_t columns_of(const struct tree *tree)
{
	pe_auto_text shown = PE_TEXT_INIT;
	size_t columns;

	pe_term_add(&shown, tree->term, pe_text_str(&tree->cell), SIZE_MAX);
	columns = pe_text_columns(pe_text_str(&shown));
	return columns;
}

/** What a cell holds, to the right of its column. */
static void put_cell(struct pe_text *out, struct tree *tree, size_t width, enum pe_paint paint)
{
	size_t columns = columns_of(tree);

	pe_term_blanks(out, columns < width ? width - columns : 0);
	pe_term_paint(out, tree->term, paint, pe_text_str(&tree->cell));
	pe_term_blanks(out, 2);
}

/* A bar as long as the box is high; what is faster is told from what is slower without colours too. */
static void put_bar(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	double height = pe_compare_height(tree->pair, node);
	double part = tree->fold.highest > 0 ? fabs(height) / tree->fold.highest : 0;
	size_t eighths = (size_t)lround(part * (double)tree->bar * EIGHTHS);
	size_t full = eighths / EIGHTHS, rest = eighths % EIGHTHS;
	const char *sign = !tree->term->unicode ? (height < 0 ? "-" : "#") : height < 0 ? "▒" : "█";

	pe_ink_begin(out, tree->term, &inks[tree->pair->blueprint->boxes[node].colour]);
	if (height < 0 || !tree->term->unicode) {
		full += rest >= EIGHTHS / 2;
		rest = 0;
	}
	for (size_t i = 0; i < full; i++)
		pe_text_add(out, sign);
	if (rest > 0)
		pe_text_addf(out, "\xe2\x96%c", (char)(0x90 - rest));
	/* Whatever differs at all leaves a line: a height of 0 keeps a visible one in the paper, too. */
	if (full + (rest > 0) == 0 && height != 0)
		pe_text_add(out, tree->term->unicode ? "▏" : ".");
	pe_ink_end(out, tree->term);
	pe_term_blanks(out,
		       tree->bar - full - (rest > 0) - (full + (rest > 0) == 0 && height != 0));
	pe_term_blanks(out, 2);
}

/* --- Lines --- */

static void add_mark(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	if (tree->fold.mark[node] > 0)
		pe_text_addf(out, "  (%" PRIu32 ")", tree->fold.mark[node]);
}

static void add_folded(struct pe_text *out, const struct tree *tree, uint32_t node)
{
	if (tree->fold.folded[node] > 0)
		pe_text_addf(out, "  ▸%" PRIu32, tree->fold.folded[node]);
}

/** The lines down to a context, its sign, its method, its line of the verdict, and what is folded below. */
static void add_context(struct pe_text *out, struct tree *tree, uint32_t node, bool last,
			size_t left)
{
	const struct pe_blueprint_box *box = &tree->pair->blueprint->boxes[node];
	const char *sign = pe_compare_sign(tree->pair, node, tree->term->unicode);
	pe_auto_text text = PE_TEXT_INIT;

	pe_term_branches(&text, tree->term, tree->open, tree->fold.level[node], last, tree->indent);
	pe_term_piece(out, tree->term, PE_DIM, pe_text_str(&text), &left);
	pe_text_clear(&text);
	if (sign[0] != ' ') {
		if (left > 0)
			pe_ink_begin(out, tree->term, &inks[box->colour]);
		pe_term_piece(out, tree->term, PE_PLAIN, sign, &left);
		pe_ink_end(out, tree->term);
		pe_term_piece(out, tree->term, PE_PLAIN, " ", &left);
	}
	pe_term_piece(out, tree->term, box->hot ? PE_BOLD : PE_PLAIN, tree->names[node], &left);
	add_mark(&text, tree, node);
	pe_term_piece(out, tree->term, PE_BOLD, pe_text_str(&text), &left);
	pe_text_clear(&text);
	add_folded(&text, tree, node);
	pe_term_piece(out, tree->term, PE_DIM, pe_text_str(&text), &left);
}

static size_t start_of(const struct tree *tree)
{
	return 2 + tree->change + 2 + tree->share + 2 + tree->bar + 2 +
	       (tree->calls > 0 ? tree->calls + 2 : 0);
}

/* Columns of a line behind its values; SIZE_MAX: as many as it takes. */
static size_t room_of(const struct tree *tree)
{
	size_t start = start_of(tree);

	if (tree->term->width == 0)
		return SIZE_MAX;
	return tree->term->width > start ? tree->term->width - start : 0;
}

/* Shorten the names to what the lines of the tree and the marks leave of a line. */
static void shorten_names(struct tree *tree, struct pe_arena *arena)
{
	const uint32_t n = tree->pair->delta->n;
	size_t *columns = pe_arena_new(arena, size_t, n + 1);
	const size_t room = room_of(tree);

	for (uint32_t i = 0; i < n; i++) {
		size_t taken = 2;

		pe_text_clear(&tree->cell);
		pe_term_branches(&tree->cell, tree->term, tree->open, tree->fold.level[i], true,
				 tree->indent);
		add_mark(&tree->cell, tree, i);
		add_folded(&tree->cell, tree, i);
		taken += columns_of(tree);
		columns[i] = room == SIZE_MAX            ? SIZE_MAX
			     : room > taken + LEAST_NAME ? room - taken
							 : LEAST_NAME;
	}
	pe_text_clear(&tree->cell);
	tree->names = pe_compare_short_names(&tree->fold, tree->pair, columns, tree->term->unicode,
					     arena);
}

static void add_row(struct pe_text *out, struct tree *tree, uint32_t node)
{
	uint32_t parent = tree->pair->delta->nodes[node].parent;
	bool last = parent == PE_CCT_NONE || tree->fold.last[parent] == node;
	uint32_t level = tree->fold.level[node];
	const size_t left = room_of(tree);

	if (level <= MOST_INDENT)
		tree->open[level] = !last;
	pe_term_blanks(out, 2);
	say_change(tree, node);
	put_cell(out, tree, tree->change, PE_PLAIN);
	say_share(tree, node);
	put_cell(out, tree, tree->share, PE_DIM);
	put_bar(out, tree, node);
	if (tree->calls > 0) {
		say_calls(tree, node);
		put_cell(out, tree, tree->calls, PE_DIM);
	}
	add_context(out, tree, node, last, left);
	pe_term_end_line(out);
}

/* --- The whole --- */

static void widen(size_t *column, const struct tree *tree)
{
	size_t columns = columns_of(tree);

	if (columns > *column)
		*column = columns;
}

static void lay_out(struct tree *tree)
{
	const struct pe_term *term = tree->term;
	const char *share = basis_titles[tree->compare->basis];
	bool calls = term->width == 0 || term->width >= FROM_CALLS;

	pe_text_add(&tree->cell, title_of(tree));
	widen(&tree->change, tree);
	pe_text_clear(&tree->cell);
	pe_text_add(&tree->cell, share);
	widen(&tree->share, tree);
	for (uint32_t i = 0; i < tree->pair->delta->n;
	     i = pe_compare_next_shown(&tree->fold, tree->pair, i)) {
		say_change(tree, i);
		widen(&tree->change, tree);
		say_share(tree, i);
		widen(&tree->share, tree);
		say_calls(tree, i);
		if (calls)
			widen(&tree->calls, tree);
	}
	tree->bar = term->width == 0 || term->width >= FROM_CALLS ? BAR_COLUMNS : NARROW_BAR;
	tree->indent = MOST_INDENT;
	if (term->width > 0 && term->width < start_of(tree) + 3 * MOST_INDENT + LEAST_NAME)
		tree->indent = term->width > start_of(tree) + LEAST_NAME
				       ? (uint32_t)(term->width - start_of(tree) - LEAST_NAME) / 3
				       : 0;
}

static void add_title(struct pe_text *out, struct tree *tree)
{
	const char *titles[] = {title_of(tree), basis_titles[tree->compare->basis], "calls"};
	const size_t widths[] = {tree->change, tree->share, tree->calls};

	pe_term_blanks(out, 2);
	for (size_t i = 0; i < 3; i++) {
		if (i == 2)
			pe_term_blanks(out, tree->bar + 2);
		if (widths[i] == 0)
			continue;
		pe_text_clear(&tree->cell);
		pe_text_add(&tree->cell, titles[i]);
		put_cell(out, tree, widths[i], PE_DIM);
	}
	pe_term_paint(out, tree->term, PE_DIM, "call path");
	pe_term_end_line(out);
}

/* What the signs mean, of those that stand there, and how to see the rest. */
static void add_legend(struct pe_text *out, struct tree *tree)
{
	static const struct {
		const char *sign, *meaning;
	} known[] = {{"~", "modified"},
		     {"+", "only in new"},
		     {"−", "only in old"},
		     {"»", "renamed or moved"},
		     {"*", "other machine code"}};
	struct pe_text *line = &tree->cell;

	pe_text_clear(line);
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		bool seen = false;

		for (uint32_t i = 0; i < tree->pair->delta->n && !seen;
		     i = pe_compare_next_shown(&tree->fold, tree->pair, i))
			seen = strcmp(pe_compare_sign(tree->pair, i, true), known[k].sign) == 0;
		if (!seen)
			continue;
		pe_text_addf(line, "%s%s %s", line->len > 0 ? ", " : "", known[k].sign,
			     known[k].meaning);
	}
	if (tree->fold.n_folded > 0) {
		pe_text_addf(line,
			     "%s%" PRIu32
			     " call path%s folded, under ▸ (--depth N or --all shows them)",
			     line->len > 0 ? "; " : "", tree->fold.n_folded,
			     tree->fold.n_folded == 1 ? " is" : "s are");
	}
	if (line->len > 0)
		pe_term_wrap(out, tree->term, PE_DIM, "  ", "  ", pe_text_str(line));
}

void pe_compare_tree(struct pe_text *out, const struct pe_compare *compare, size_t p,
		     const struct pe_term *term)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct tree tree = {.compare = compare, .pair = &compare->pairs[p], .term = term};

	if (tree.pair->delta == NULL || tree.pair->blueprint == NULL || tree.pair->delta->n == 0)
		return;
	pe_compare_fold(&tree.fold, compare, p, &arena);
	lay_out(&tree);
	shorten_names(&tree, &arena);
	add_title(out, &tree);
	for (uint32_t i = 0; i < tree.pair->delta->n;
	     i = pe_compare_next_shown(&tree.fold, tree.pair, i))
		add_row(out, &tree, i);
	add_legend(out, &tree);
	pe_text_release(&tree.cell);
}
