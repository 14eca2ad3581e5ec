/*
 * The blueprint as an indented tree: a line a context, callers above callees in the order of their first calls.
 *
 *    Δ time   itself                 calls  context
 *  +14.0 ms     -5 %  ▒                       1  main  ▸1
 *  +15.0 ms    +75 %  ████████████        1,000  └─ ~ intern
 *
 * Lines are indented down to a level that the terminal has room for; below it the number of the level is printed
 * instead. Nodes are in preorder, so the tree is one loop over them, whatever its depth.
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

/* Blueprint section III, by enum pe_box_colour; light ones differ from full ones in brightness as well. */
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
	struct pe_table table;
	size_t bar; /* columns */
	bool calls;
	uint32_t indent;            /* levels that are drawn */
	bool open[MOST_INDENT + 1]; /* levels on which a sibling follows */
};

/* --- Cells --- */

static void put_change(struct tree *tree, uint32_t node)
{
	struct pe_delta_values values =
		pe_delta_values(tree->pair->delta, node, pe_cost_total(tree->fold.cost));
	pe_auto_text text = PE_TEXT_INIT;

	pe_text_add(&text, "  ");
	pe_compare_add_signed(
		&text, pe_delta_difference(values),
		pe_compare_cost_unit(tree->fold.cost, pe_delta_event(tree->pair->delta)));
	pe_table_take(&tree->table, PE_PLAIN, &text);
	pe_compare_add_height(&text, tree->compare->basis, tree->pair, node);
	pe_table_take(&tree->table, PE_DIM, &text);
}

static void put_calls(struct tree *tree, uint32_t node)
{
	struct pe_delta_values calls = pe_delta_values(tree->pair->delta, node, PE_DELTA_CALLS);
	pe_auto_text text = PE_TEXT_INIT;

	if (tree->calls && calls.known && node > 0) {
		pe_format_value(&text, (double)calls.old_value, "1");
		if (calls.old_value != calls.new_value) {
			pe_text_add(&text, ARROW);
			pe_format_value(&text, (double)calls.new_value, "1");
		}
	}
	pe_table_take(&tree->table, PE_DIM, &text);
}

/* A bar as long as the box is high; faster and slower have different characters, too. */
static void put_bar(struct tree *tree, uint32_t node)
{
	const bool unicode = tree->term->unicode;
	const double height = pe_compare_height(tree->pair, node);
	const double part = tree->fold.highest > 0 ? fabs(height) / tree->fold.highest : 0;
	const size_t eighths = (size_t)lround(part * (double)tree->bar * EIGHTHS);
	const char *sign = !unicode ? (height < 0 ? "-" : "#") : height < 0 ? "▒" : "█";
	size_t full = eighths / EIGHTHS, rest = eighths % EIGHTHS;
	pe_auto_text bar = PE_TEXT_INIT;

	if (height < 0 || !unicode) {
		full += rest >= EIGHTHS / 2;
		rest = 0;
	}
	pe_ink_begin(&bar, tree->term, &inks[tree->pair->blueprint->boxes[node].colour]);
	for (size_t i = 0; i < full; i++)
		pe_text_add(&bar, sign);
	if (rest > 0)
		pe_text_addf(&bar, "\xe2\x96%c", (char)(0x90 - rest));
	/* Whatever differs at all leaves a line: a height of 0 keeps a visible one in the paper, too. */
	if (full == 0 && rest == 0 && height != 0)
		pe_text_add(&bar, unicode ? "▏" : ".");
	pe_ink_end(&bar, tree->term);
	pe_table_put(&tree->table, PE_PLAIN, "");
	pe_table_surround(&tree->table, pe_text_str(&bar), "");
}

/** The lines down to a context, its sign, its method, its line of the verdict, and what is folded below. */
static void put_context(struct tree *tree, uint32_t node, bool last)
{
	const struct pe_delta *delta = tree->pair->delta;
	const struct pe_blueprint_box *box = &tree->pair->blueprint->boxes[node];
	const char *sign = pe_compare_sign(tree->pair, node, tree->term->unicode);
	pe_auto_text text = PE_TEXT_INIT, before = PE_TEXT_INIT, after = PE_TEXT_INIT;

	pe_compare_add_method(&text, delta->frames, delta->nodes[node].frame);
	pe_table_function(&tree->table, box->hot ? PE_BOLD : PE_PLAIN, "", pe_text_str(&text));
	pe_text_clear(&text);
	pe_term_branches(&text, tree->term, tree->open, tree->fold.level[node], last, tree->indent);
	pe_term_paint(&before, tree->term, PE_DIM, pe_text_str(&text));
	if (sign[0] != ' ') {
		pe_ink_begin(&before, tree->term, &inks[box->colour]);
		pe_term_paint(&before, tree->term, PE_PLAIN, sign);
		pe_ink_end(&before, tree->term);
		pe_text_addc(&before, ' ');
	}
	pe_text_clear(&text);
	if (tree->fold.mark[node] > 0)
		pe_text_addf(&text, "  (%" PRIu32 ")", tree->fold.mark[node]);
	pe_term_paint(&after, tree->term, PE_BOLD, pe_text_str(&text));
	pe_text_clear(&text);
	if (tree->fold.folded[node] > 0)
		pe_text_addf(&text, "  ▸%" PRIu32, tree->fold.folded[node]);
	pe_term_paint(&after, tree->term, PE_DIM, pe_text_str(&text));
	pe_table_surround(&tree->table, pe_text_str(&before), pe_text_str(&after));
}

static void put_row(struct tree *tree, uint32_t node)
{
	const uint32_t parent = tree->pair->delta->nodes[node].parent;
	const bool last = parent == PE_CCT_NONE || tree->fold.last[parent] == node;

	if (tree->fold.level[node] <= MOST_INDENT)
		tree->open[tree->fold.level[node]] = !last;
	put_change(tree, node);
	put_bar(tree, node);
	put_calls(tree, node);
	put_context(tree, node, last);
}

/* --- The whole --- */

static void lay_out(struct tree *tree)
{
	const unsigned width = tree->term->width;
	unsigned values;

	tree->calls = width == 0 || width >= FROM_CALLS;
	tree->bar = tree->calls ? BAR_COLUMNS : NARROW_BAR;
	/* What values and a short name take, about; a level is three columns. */
	values = tree->calls ? 68 : 50;
	tree->indent = MOST_INDENT;
	if (width > 0 && width < values + 3 * MOST_INDENT)
		tree->indent = width > values ? (width - values) / 3 : 0;
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
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		bool seen = false;

		for (uint32_t i = 0; i < tree->pair->delta->n && !seen;
		     i = pe_compare_next_shown(&tree->fold, tree->pair, i))
			seen = strcmp(pe_compare_sign(tree->pair, i, true), known[k].sign) == 0;
		if (!seen)
			continue;
		pe_text_addf(&line, "%s%s %s", line.len > 0 ? ", " : "", known[k].sign,
			     known[k].meaning);
	}
	if (tree->fold.n_folded > 0) {
		pe_text_addf(&line,
			     "%s%" PRIu32
			     " call path%s folded, under ▸ (--depth N or --all shows them)",
			     line.len > 0 ? "; " : "", tree->fold.n_folded,
			     tree->fold.n_folded == 1 ? " is" : "s are");
	}
	if (line.len > 0)
		pe_term_wrap(out, tree->term, PE_DIM, "  ", "  ", pe_text_str(&line));
}

void pe_compare_tree(struct pe_text *out, const struct pe_compare *compare, size_t p,
		     const struct pe_term *term)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct tree tree = {.compare = compare, .pair = &compare->pairs[p], .term = term};
	const char *event;
	struct pe_column columns[] = {
		{"", true, 0},      {basis_titles[compare->basis], true, 0}, {"", false, 0},
		{"calls", true, 0}, {"call path", false, LEAST_NAME},
	};

	if (tree.pair->delta == NULL || tree.pair->blueprint == NULL || tree.pair->delta->n == 0)
		return;
	event = pe_delta_event(tree.pair->delta);
	pe_compare_fold(&tree.fold, compare, p, &arena);
	columns[0].title = pe_arena_printf(
		&arena, "  Δ %s",
		tree.fold.cost != PE_COST_TIME && tree.fold.cost != PE_COST_CALLS ? "allocations"
		: event != NULL && tree.fold.cost == PE_COST_TIME
			? event
			: pe_compare_cost_name(tree.fold.cost));
	lay_out(&tree);
	pe_table_init(&tree.table, columns, sizeof(columns) / sizeof(*columns), term);
	for (uint32_t i = 0; i < tree.pair->delta->n;
	     i = pe_compare_next_shown(&tree.fold, tree.pair, i))
		put_row(&tree, i);
	pe_table_finish(out, &tree.table, true);
	add_legend(out, &tree);
}
