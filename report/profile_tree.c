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
	PE_VEC(struct row) rows;     /* the next one last */
	PE_VEC(struct row) children; /* of the node at hand */
	bool open[MOST_INDENT + 1];  /* levels on which more siblings follow */
	uint32_t drawn;              /* levels that are drawn */
	bool files;
};

/* Lines take no more than about a third of the terminal. */
static uint32_t levels_drawn(const struct pe_term *term)
{
	return term->width == 0 || term->width / 10 > MOST_INDENT ? MOST_INDENT : term->width / 10;
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

static struct pe_profile_row values_of(const struct tree *tree, const struct row *row)
{
	const struct pe_profile_view_data *view = &tree->view;
	const enum pe_weight weight = view->profile->weight;
	const struct pe_cct *cct = view->cct;
	const uint32_t node = row->node;
	const struct pe_cct_range *range = pe_cct_range_of(cct, node);
	const bool counted = cct->calls != NULL && (cct->flags[node] & PE_CCT_UNCOUNTED) == 0;
	struct pe_profile_row out = PE_PROFILE_ROW_INIT;

	out.frame = pe_cct_frame(cct, node);
	if (view->self != NULL)
		out.other = (double)view->self[node];
	if (counted && weight != PE_WEIGHT_CALLS && out.frame->kind != PE_FRAME_ROOT)
		out.calls = (double)cct->calls[node];
	if (counted && cct->total_ns != NULL && cct->calls[node] > 0)
		out.call_ns = (double)cct->total_ns[node] / (double)cct->calls[node];
	if (cct->total_allocations != NULL && weight != PE_WEIGHT_ALLOCATIONS)
		out.allocations = (double)cct->total_allocations[node];
	out.site = cct->nodes[node].site;
	out.flags = cct->flags[node];
	out.differs = range != NULL ? range->runs : 0;
	/* Without room for both, files are shown where they tell two of one name apart. */
	if (tree->files || has_namesake(cct->frames, out.frame))
		out.place = out.frame->component;
	if ((double)row->weight * 100 >= BOLD_SHARE_PER_CENT * view->whole)
		out.paint = PE_BOLD;
	return out;
}

static void put_row(struct tree *tree, const struct row *row)
{
	struct pe_profile_row out = PE_PROFILE_ROW_INIT;
	pe_auto_text before = PE_TEXT_INIT;

	pe_term_branches(&before, tree->view.table.term, tree->open, row->level, row->last,
			 tree->drawn);
	if (row->node != PE_CCT_NONE) {
		out = values_of(tree, row);
	} else {
		pe_text_add(&before, "\xe2\x80\xa6 ");
		pe_format_value(&before, row->more, "1");
		pe_text_add(&before, " more");
		out.paint = PE_DIM;
	}
	out.before = pe_text_str(&before);
	out.weight = row->weight;
	out.samples = row->samples;
	pe_profile_put_row(&tree->view, &out);
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
		put_row(tree, &row);
		if (row.node != PE_CCT_NONE)
			push_children(tree, &row);
	}
}

void pe_profile_tree(struct pe_text *out, const struct pe_profile *profile,
		     const struct pe_term *term)
{
	struct tree tree = {.drawn = levels_drawn(term),
			    .files = term->width == 0 || term->width >= LEAST_FOR_FILES};

	pe_profile_begin(&tree.view, profile);
	pe_profile_begin_table(out, &tree.view, pe_weights[profile->weight].label, "self", term);
	if (tree.view.total != NULL && tree.view.cct->n > 0)
		put_rows(&tree);
	pe_table_print(out, &tree.view.table, true);
	pe_profile_end_table(out, &tree.view);
	pe_vec_release(&tree.rows);
	pe_vec_release(&tree.children);
	pe_profile_end(&tree.view);
}
