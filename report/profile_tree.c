/*
 * The tree from the root down. Rows come off a stack of nodes still to be shown, so no depth of tree reaches
 * the C stack; indentation stops growing at some level, and the level's number stands there instead.
 */
#include "report/profile_text.h"

#include "core/base/sort.h"
#include "report/format.h"
#include "report/terminal.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_INDENT = 24,        /* levels that are drawn */
	LEAST_FOR_FILES = 140,   /* columns of a terminal that has room for names and their files */
	LEAST_FOR_ALL = 110,     /* columns of a terminal that shows every value */
	BOLD_SHARE_PER_CENT = 10 /* of the whole, from which a row stands out */
};

/* A row still to be shown: a node, or the sum of siblings that are not shown. */
struct row {
	uint32_t node; /* PE_CCT_NONE: the sum, of */
	uint32_t more; /* that many siblings, */
	uint64_t weight, samples;
	uint32_t level;
	bool last; /* of its siblings */
};

struct tree {
	struct pe_profile_view_data view;
	struct pe_table table;
	PE_VEC(struct row) rows;     /* the next one last */
	PE_VEC(struct row) children; /* of the node at hand */
	bool open[MOST_INDENT + 1];  /* levels on which more siblings follow */
	uint32_t drawn;              /* levels that are drawn */
	bool narrow, files;
};

/* Lines take no more than about a third of the terminal. */
static uint32_t levels_drawn(const struct pe_term *term)
{
	return term->width == 0 || term->width / 10 > MOST_INDENT ? MOST_INDENT : term->width / 10;
}

/* Weight, share and its interval: what a row of one node and of several have in common. */
static void put_weight(struct tree *tree, struct pe_text *text, const struct row *row,
		       enum pe_paint paint)
{
	const double share = (double)row->weight / tree->view.whole;

	pe_table_value(&tree->table, paint, (double)row->weight,
		       pe_weights[tree->view.profile->weight].unit);
	pe_profile_add_share(text, share);
	pe_table_take(&tree->table, paint, text);
	if (!tree->narrow)
		pe_profile_add_half(text, &tree->view, row->samples);
	pe_table_take(&tree->table, PE_DIM, text);
}

/* The mean of inclusive time per call. */
static void put_per_call(struct tree *tree, struct pe_text *text, uint32_t node)
{
	const struct pe_cct *cct = tree->view.cct;

	if (cct->total_ns != NULL && cct->calls != NULL && cct->calls[node] > 0 &&
	    (cct->flags[node] & PE_CCT_UNCOUNTED) == 0)
		pe_format_value(text, (double)cct->total_ns[node] / (double)cct->calls[node], "ns");
	pe_table_take(&tree->table, PE_PLAIN, text);
}

static void put_values(struct tree *tree, struct pe_text *text, uint32_t node)
{
	const struct pe_cct *cct = tree->view.cct;
	const enum pe_weight weight = tree->view.profile->weight;
	const bool counted = (cct->flags[node] & PE_CCT_UNCOUNTED) == 0 &&
			     pe_cct_frame(cct, node)->kind != PE_FRAME_ROOT;

	pe_profile_put(&tree->table, !tree->narrow && tree->view.self != NULL,
		       tree->view.self != NULL ? (double)tree->view.self[node] : 0,
		       pe_weights[weight].unit);
	pe_profile_put(&tree->table, cct->calls != NULL && counted && weight != PE_WEIGHT_CALLS,
		       cct->calls != NULL ? (double)cct->calls[node] : 0, "1");
	put_per_call(tree, text, node);
	pe_profile_put(
		&tree->table,
		!tree->narrow && cct->total_allocations != NULL && weight != PE_WEIGHT_ALLOCATIONS,
		cct->total_allocations != NULL ? (double)cct->total_allocations[node] : 0, "1");
	if (!tree->narrow && cct->nodes[node].site != 0)
		pe_text_addf(text, "%u", cct->nodes[node].site);
	pe_table_take(&tree->table, PE_DIM, text);
}

/* Whether a method of another file has the same name. */
static bool has_namesake(const struct pe_frames *frames, const struct pe_frame *frame)
{
	for (uint32_t f = 0; f < frames->n; f++)
		if (strcmp(frames->at[f].name, frame->name) == 0 &&
		    strcmp(frames->at[f].component, frame->component) != 0)
			return true;
	return false;
}

static void put_node(struct tree *tree, const struct row *row)
{
	const struct pe_cct *cct = tree->view.cct;
	const struct pe_frame *frame = pe_cct_frame(cct, row->node);
	const bool stands_out = (double)row->weight * 100 >= BOLD_SHARE_PER_CENT * tree->view.whole;
	const enum pe_paint paint = stands_out ? PE_BOLD : PE_PLAIN;
	pe_auto_text text = PE_TEXT_INIT, name = PE_TEXT_INIT;

	put_weight(tree, &text, row, paint);
	put_values(tree, &text, row->node);
	pe_term_branches(&text, tree->table.term, tree->open, row->level, row->last, tree->drawn);
	pe_profile_add_method(&name, &tree->view, frame);
	pe_table_function(&tree->table, paint, pe_text_str(&text), pe_text_str(&name));
	pe_text_clear(&text);
	/* Without room for both, files are shown where they tell two of one name apart. */
	pe_table_path(&tree->table, PE_DIM,
		      tree->files || has_namesake(cct->frames, frame) ? frame->component : "");
	pe_profile_add_node_marks(&text, &tree->view, row->node);
	pe_table_take(&tree->table, PE_DIM, &text);
}

static void put_more(struct tree *tree, const struct row *row)
{
	pe_auto_text text = PE_TEXT_INIT;

	put_weight(tree, &text, row, PE_DIM);
	for (int i = 0; i < 5; i++)
		pe_table_put(&tree->table, PE_DIM, "");
	pe_term_branches(&text, tree->table.term, tree->open, row->level, row->last, tree->drawn);
	pe_text_add(&text, "\xe2\x80\xa6 ");
	pe_format_value(&text, row->more, "1");
	pe_text_add(&text, " more");
	pe_table_take(&tree->table, PE_DIM, &text);
	pe_table_put(&tree->table, PE_DIM, "");
	pe_table_put(&tree->table, PE_DIM, "");
}

/* Heavier ones first; equal ones as they stand in the tree. */
PE_SORT_DOWN_BY(by_weight, struct row, weight, node);

/* Choose which children of a node are shown, and put them on the stack. */
static void push_children(struct tree *tree, const struct row *row)
{
	const struct pe_profile_view_data *view = &tree->view;
	const double least = view->profile->threshold * view->whole;
	const bool deep = view->profile->depth != 0 && row->level >= view->profile->depth;
	struct row more = {.node = PE_CCT_NONE, .level = row->level + 1};

	tree->children.n = 0;
	for (uint32_t c = pe_cct_first(view->cct, row->node); c != PE_CCT_NONE;
	     c = pe_cct_next(view->cct, c)) {
		struct row child = {.node = c,
				    .weight = view->total[c],
				    .samples = view->samples != NULL ? view->samples[c] : 0,
				    .level = row->level + 1};

		if (!deep && (double)child.weight >= least) {
			pe_vec_push(&tree->children, child);
			continue;
		}
		more.more++;
		more.weight = pe_profile_sum(more.weight, child.weight);
		more.samples = pe_profile_sum(more.samples, child.samples);
	}
	if (tree->children.n > 1)
		qsort(tree->children.data, tree->children.n, sizeof(more), by_weight);
	if (more.more > 0)
		pe_vec_push(&tree->children, more);
	for (size_t i = tree->children.n; i-- > 0;) {
		tree->children.data[i].last = i + 1 == tree->children.n;
		pe_vec_push(&tree->rows, tree->children.data[i]);
	}
}

static void put_rows(struct tree *tree)
{
	struct row root = {.weight = tree->view.total[0],
			   .samples = tree->view.samples != NULL ? tree->view.samples[0] : 0};

	pe_vec_push(&tree->rows, root);
	while (tree->rows.n > 0) {
		const struct row row = tree->rows.data[--tree->rows.n];

		if (row.level <= MOST_INDENT)
			tree->open[row.level] = !row.last;
		if (row.node == PE_CCT_NONE) {
			put_more(tree, &row);
			continue;
		}
		put_node(tree, &row);
		push_children(tree, &row);
	}
}

void pe_profile_tree(struct pe_text *out, const struct pe_profile *profile,
		     const struct pe_term *term)
{
	const struct pe_column columns[] = {
		{pe_weights[profile->weight].label, true, 0},
		{"share", true, 0},
		{"\xc2\xb1", true, 0},
		{"self", true, 0},
		{"calls", true, 0},
		{"a call", true, 0},
		{"allocations", true, 0},
		{"line", true, 0},
		{"method", false, 24},
		{"file", false, 6},
		{"", false, 9},
	};
	struct tree tree = {.drawn = levels_drawn(term),
			    .narrow = term->width > 0 && term->width < LEAST_FOR_ALL,
			    .files = term->width == 0 || term->width >= LEAST_FOR_FILES};

	pe_profile_begin(&tree.view, profile);
	pe_profile_add_head(out, &tree.view, term);
	pe_table_init(&tree.table, columns, sizeof(columns) / sizeof(columns[0]), term);
	if (tree.view.total != NULL && tree.view.cct->n > 0)
		put_rows(&tree);
	pe_table_print(out, &tree.table, true);
	pe_profile_add_facts(out, &tree.view, term);
	pe_table_release(&tree.table);
	pe_vec_release(&tree.rows);
	pe_vec_release(&tree.children);
	pe_profile_end(&tree.view);
}
