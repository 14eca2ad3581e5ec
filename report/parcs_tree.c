#include "report/parcs_tree.h"

#include "core/base/sort.h"
#include "report/compare_text.h"
#include "report/format.h"
#include "report/profile_text.h"
#include "report/svg.h"

#include <math.h>

#define GAP   34.0 /* between callers and callees */
#define PAD   26.0 /* of a node's name, on both sides together */
#define SMALL 0.9

static int by_size(const void *x, const void *y)
{
	const struct pe_parcs_cut *a = *(const struct pe_parcs_cut *const *)x;
	const struct pe_parcs_cut *b = *(const struct pe_parcs_cut *const *)y;

	if (a->nodes != b->nodes)
		return a->nodes > b->nodes ? -1 : 1;
	return (a > b) - (a < b);
}

/* By node of the delta tree: the subtree that was cut there. One of old and of new may be one context there. */
static const struct pe_parcs_cut **place_cuts(struct pe_parcs_picture *out,
					      const struct pe_compare_pair *pair, uint32_t most,
					      struct pe_arena *arena)
{
	const struct pe_delta *delta = pair->delta;
	const struct pe_parcs *parcs = pair->parcs;
	const struct pe_parcs_cut **at = pe_arena_new(arena, const struct pe_parcs_cut *, delta->n);
	const struct pe_parcs_cut **order =
		pe_arena_new(arena, const struct pe_parcs_cut *, parcs->n_cuts);
	uint32_t *of[2];

	of[0] = pe_arena_new(arena, uint32_t, pair->old_runs->cct->n);
	of[1] = pe_arena_new(arena, uint32_t, pair->new_runs->cct->n);
	for (uint32_t i = 0; i < delta->n; i++) {
		if (delta->nodes[i].old_node != PE_CCT_NONE)
			of[0][delta->nodes[i].old_node] = i;
		if (delta->nodes[i].new_node != PE_CCT_NONE)
			of[1][delta->nodes[i].new_node] = i;
	}
	for (uint32_t i = 0; i < parcs->n_cuts; i++)
		order[i] = &parcs->cuts[i];
	pe_sort(order, parcs->n_cuts, by_size);
	out->cuts = most > 0 && most < parcs->n_cuts ? most : parcs->n_cuts;
	for (uint32_t i = 0; i < out->cuts; i++)
		at[of[order[i]->in_new][order[i]->node]] = order[i];
	return at;
}

void pe_parcs_picture_make(struct pe_parcs_picture *out, const struct pe_compare_pair *pair,
			   uint32_t most, struct pe_arena *arena)
{
	const struct pe_delta *delta = pair->delta;
	const struct pe_parcs_cut **cut;
	bool *shown = pe_arena_new(arena, bool, delta->n);
	uint32_t *place = pe_arena_new(arena, uint32_t, delta->n);

	*out = (struct pe_parcs_picture){.n = 0};
	cut = place_cuts(out, pair, most, arena);
	for (uint32_t i = delta->n; i-- > 0;) {
		shown[i] = shown[i] || i == 0 || cut[i] != NULL;
		if (shown[i] && i > 0)
			shown[delta->nodes[i].parent] = true;
		out->n += shown[i];
	}
	out->at = pe_arena_new(arena, struct pe_parcs_shown, out->n);
	out->n = 0;
	for (uint32_t i = 0; i < delta->n; i++) {
		uint32_t parent = delta->nodes[i].parent;

		if (!shown[i]) {
			if (shown[parent])
				out->at[place[parent]].hidden++;
			continue;
		}
		place[i] = out->n;
		out->at[out->n++] = (struct pe_parcs_shown){
			.parent = i > 0 ? place[parent] : PE_CCT_NONE,
			.node = i,
			.cut = cut[i],
			.modified = pe_changes_source(pair->changes, delta->nodes[i].frame) ==
				    PE_SOURCE_MODIFIED,
		};
	}
}

void pe_parcs_picture_name(struct pe_text *out, const struct pe_compare_pair *pair,
			   const struct pe_parcs_shown *shown)
{
	if (shown->node == 0 && pair->name != NULL)
		pe_text_add(out, pair->name);
	else
		pe_compare_add_method(out, pair->delta->frames,
				      pair->delta->nodes[shown->node].frame);
}

void pe_parcs_picture_why(struct pe_text *out, const struct pe_compare_pair *pair,
			  const struct pe_parcs_shown *shown)
{
	const struct pe_parcs_cut *cut = shown->cut;
	const struct pe_cct *cct;

	if (cut == NULL)
		return;
	cct = cut->in_new ? pair->new_runs->cct : pair->old_runs->cct;
	pe_text_addf(out, "%s, ", pe_parcs_reason_name(cut->reason));
	/* The rule of --match pairs what the stages cut for its order. */
	if (pe_delta_state(pair->delta, shown->node) == PE_DELTA_BOTH)
		pe_text_add(out, "at another place");
	else
		pe_text_addf(out, "only in %s", cut->in_new ? "new" : "old");
	pe_text_addf(out, ", %u node%s", cut->nodes, cut->nodes == 1 ? "" : "s");
	if (pe_cct_range_of(cct, cut->node) != NULL) {
		pe_text_add(out, "; ");
		pe_profile_add_differs(out, cct, cut->node);
	}
}

static void measure(struct pe_parcs_shown *shown, const struct pe_compare_pair *pair)
{
	pe_auto_text text = PE_TEXT_INIT;

	pe_parcs_picture_name(&text, pair, shown);
	shown->wide = fmin(pe_svg_text_width(pe_text_str(&text)), PE_PARCS_MOST_NAME) + PAD;
	pe_text_clear(&text);
	pe_parcs_picture_why(&text, pair, shown);
	shown->reach = shown->wide;
	if (text.len > 0)
		shown->reach += 8 + pe_svg_text_width(pe_text_str(&text)) * SMALL;
}

/* A node that nothing shown is below takes a row; a caller stands beside the middle of its callees. */
void pe_parcs_picture_lay_out(struct pe_parcs_picture *picture, const struct pe_compare_pair *pair,
			      struct pe_arena *arena)
{
	struct pe_parcs_shown *at = picture->at;
	double *first = pe_arena_new(arena, double, picture->n);
	double *last = pe_arena_new(arena, double, picture->n);
	double y = 0;

	picture->width = 0;
	for (uint32_t i = 0; i < picture->n; i++) {
		uint32_t parent = at[i].parent;

		measure(&at[i], pair);
		first[i] = -1;
		at[i].x = parent != PE_CCT_NONE ? at[parent].x + at[parent].reach + GAP : 0;
		picture->width = fmax(picture->width, at[i].x + at[i].reach);
		if (i + 1 < picture->n && at[i + 1].parent == i)
			continue;
		at[i].y = y;
		y += PE_PARCS_ROW;
	}
	for (uint32_t i = picture->n; i-- > 0;) {
		uint32_t parent = at[i].parent;

		if (first[i] >= 0)
			at[i].y = (first[i] + last[i]) / 2;
		if (parent == PE_CCT_NONE)
			continue;
		if (first[parent] < 0)
			last[parent] = at[i].y;
		first[parent] = at[i].y;
	}
	picture->height = y;
}
