#include "report/compare_fold.h"

#include "report/format.h"

#include <math.h>

double pe_compare_height(const struct pe_compare_pair *pair, uint32_t node)
{
	return pair->blueprint->boxes[node].signed_height;
}

void pe_compare_add_height(struct pe_text *out, enum pe_basis basis,
			   const struct pe_compare_pair *pair, uint32_t node)
{
	double height = pe_compare_height(pair, node);

	if (basis == PE_BASIS_OWN)
		pe_format_part(out, height);
	else
		pe_format_change(out, height);
}

/* Whether a node and all below it differ by at least the view's share of the old execution. */
static bool differs(const struct pe_compare_fold *fold, const struct pe_compare_pair *pair,
		    uint32_t node, double least)
{
	const enum pe_delta_metric total = pe_cost_total(fold->cost);
	double whole = (double)pe_delta_values(pair->delta, 0, total).old_value;
	struct pe_delta_values values = pe_delta_values(pair->delta, node, total);

	return fabs((double)pe_delta_difference(values)) >= least * whole;
}

/* Show a node and the way to it. */
static void show(struct pe_compare_fold *fold, const struct pe_delta *delta, uint32_t node)
{
	for (; node != PE_CCT_NONE && !fold->shown[node]; node = delta->nodes[node].parent)
		fold->shown[node] = true;
}

/* The report whose values the tree shows, else the first. */
static size_t report_of(const struct pe_compare_fold *fold, const struct pe_compare_pair *pair)
{
	for (size_t r = 0; r < pair->n_reports; r++)
		if (pair->reports[r].cost == fold->cost)
			return r;
	return 0;
}

/* Causes of every report are shown; those of the tree's own have the numbers that they have in the verdict. */
static void show_causes(struct pe_compare_fold *fold, const struct pe_compare *compare, size_t p)
{
	const struct pe_compare_pair *pair = &compare->pairs[p];
	size_t marked = report_of(fold, pair);
	uint32_t number = 0;

	for (size_t i = 0; i < compare->n_lines; i++) {
		const struct pe_compare_line *line = &compare->lines[i];
		uint32_t node;

		if (line->pair != p)
			continue;
		node = pair->reports[line->report].causes[line->cause].node;
		number += line->report == marked;
		if (node == PE_CCT_NONE)
			continue;
		show(fold, pair->delta, node);
		if (line->report == marked && fold->mark[node] == 0)
			fold->mark[node] = number;
	}
}

static void count(struct pe_compare_fold *fold, const struct pe_compare_pair *pair)
{
	const struct pe_delta *delta = pair->delta;

	for (uint32_t i = 0; i < delta->n; i++) {
		uint32_t parent = delta->nodes[i].parent;

		fold->last[i] = PE_CCT_NONE;
		fold->n_folded += !fold->shown[i];
		if (fold->shown[i])
			fold->highest = fmax(fold->highest, fabs(pe_compare_height(pair, i)));
		if (parent == PE_CCT_NONE)
			continue;
		if (fold->shown[i])
			fold->last[parent] = i;
		else
			fold->folded[parent]++;
	}
}

void pe_compare_fold(struct pe_compare_fold *out, const struct pe_compare *compare, size_t p,
		     struct pe_arena *arena)
{
	const struct pe_compare_pair *pair = &compare->pairs[p];
	const struct pe_compare_view *view = &compare->view;
	const struct pe_delta *delta = pair->delta;

	*out = (struct pe_compare_fold){.cost = pe_blueprint_cost(delta)};
	out->shown = pe_arena_new(arena, bool, delta->n);
	out->level = pe_arena_new(arena, uint32_t, delta->n);
	out->last = pe_arena_new(arena, uint32_t, delta->n);
	out->folded = pe_arena_new(arena, uint32_t, delta->n);
	out->mark = pe_arena_new(arena, uint32_t, delta->n);
	for (uint32_t i = 1; i < delta->n; i++)
		out->level[i] = out->level[delta->nodes[i].parent] + 1;
	show_causes(out, compare, p);
	for (uint32_t i = 0; i < delta->n; i++)
		if (view->all || pair->blueprint->boxes[i].first ||
		    (out->level[i] <= view->depth && view->depth > 0 &&
		     differs(out, pair, i, compare->min_change)))
			show(out, delta, i);
	count(out, pair);
}

uint32_t pe_compare_next_shown(const struct pe_compare_fold *fold,
			       const struct pe_compare_pair *pair, uint32_t node)
{
	const struct pe_delta *delta = pair->delta;

	for (node++; node < delta->n && !fold->shown[node];)
		node = delta->nodes[node].end;
	return node;
}

const char *pe_compare_sign(const struct pe_compare_pair *pair, uint32_t node, bool unicode)
{
	uint32_t frame = pair->delta->nodes[node].frame;

	switch (pe_delta_state(pair->delta, node)) {
	case PE_DELTA_ADDED:
		return "+";
	case PE_DELTA_REMOVED:
		return unicode ? "−" : "-";
	default:
		break;
	}
	switch (pe_changes_source(pair->changes, frame)) {
	case PE_SOURCE_MODIFIED:
		return "~";
	case PE_SOURCE_RENAMED:
		return unicode ? "»" : ">";
	default:
		break;
	}
	return pe_changes_binary(pair->changes, frame) == PE_BINARY_RECOMPILED ? "*" : " ";
}
