#include "analysis/compare/method_counts.h"

#include <assert.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

/* What divides a method among its contexts; the same on both sides, or each would be divided otherwise for no reason. */
enum weighing { BY_CALLS, BY_TIME, EQUALLY };

/* A method over its contexts, by side. */
struct method {
	uint64_t executes[2], calls[2], ns[2];
	uint64_t left[2];            /* of executes: what rounding left over */
	uint64_t heaviest[2];        /* the greatest weight so far */
	uint32_t contexts[2], at[2]; /* at: the node of the heaviest, which takes what is left */
	bool uncounted;
	enum weighing weighing;
};

/* What is taken for the method of a node: renamed ones have one for both sides. */
static uint32_t method_of(const struct pe_method_counts *counts, uint32_t frame)
{
	if (counts->renamed != NULL && counts->renamed[frame] != PE_FRAME_NONE)
		return counts->renamed[frame];
	return frame;
}

static uint64_t add_held(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void pe_method_counts_find(struct pe_method_counts *out,
			   const struct pe_function_changes *functions, const uint32_t *renamed,
			   struct pe_arena *arena)
{
	*out = (struct pe_method_counts){
		.whole = {functions->old_whole, functions->old_whole + (uint64_t)functions->amount},
		.renamed = renamed,
		.n_frames = functions->n_frames,
	};
	for (int side = 0; side < 2; side++)
		out->by_frame[side] = pe_arena_new(arena, uint64_t, out->n_frames);
	for (uint32_t f = 0; f < out->n_frames; f++) {
		const struct pe_frame_count *count = &functions->by_frame[f];
		uint64_t less = count->amount < 0 ? -(uint64_t)count->amount : 0;
		uint64_t more = count->amount > 0 ? (uint64_t)count->amount : 0;
		uint32_t m = method_of(out, f);

		out->by_frame[0][m] += count->before;
		out->by_frame[1][m] += more + (count->before > less ? count->before - less : 0);
	}
}

/* --- Methods --- */

static void add_contexts(struct method *methods, const struct pe_method_counts *counts,
			 const struct pe_cct *cct, int side)
{
	for (uint32_t i = 0; i < cct->n; i++) {
		struct method *method = &methods[method_of(counts, cct->nodes[i].frame)];

		method->contexts[side]++;
		method->uncounted = method->uncounted || cct->calls == NULL ||
				    (cct->flags[i] & PE_CCT_UNCOUNTED) != 0;
		if (cct->calls != NULL)
			method->calls[side] = add_held(method->calls[side], cct->calls[i]);
		if (cct->self_ns != NULL)
			method->ns[side] = add_held(method->ns[side], cct->self_ns[i]);
	}
}

/* Whether a column of weights tells of each side on which there is something to divide. */
static bool divides(const struct method *method, const uint64_t weights[2])
{
	return (method->executes[0] == 0 || weights[0] > 0) &&
	       (method->executes[1] == 0 || weights[1] > 0);
}

/* @return  whether something of it is to be laid */
static bool take(struct method *method, const struct pe_method_counts *counts, uint32_t m)
{
	method->weighing = EQUALLY; /* nothing: by no column, which a tree may lack */
	for (int side = 0; side < 2; side++)
		if (counts->by_frame[side][m] > 0 && method->contexts[side] == 0)
			return false;
	for (int side = 0; side < 2; side++)
		method->executes[side] = method->left[side] = counts->by_frame[side][m];
	method->weighing = !method->uncounted && divides(method, method->calls) ? BY_CALLS
			   : divides(method, method->ns)                        ? BY_TIME
										: EQUALLY;
	return method->executes[0] > 0 || method->executes[1] > 0;
}

/* --- Shares --- */

static uint64_t share(struct method *method, const struct pe_cct *cct, uint32_t node, int side)
{
	uint64_t weight = 1, all = method->contexts[side], part;

	if (method->weighing == BY_CALLS) {
		weight = cct->calls[node];
		all = method->calls[side];
	} else if (method->weighing == BY_TIME) {
		weight = cct->self_ns != NULL ? cct->self_ns[node] : 0;
		all = method->ns[side];
	}
	if (weight > method->heaviest[side]) {
		method->heaviest[side] = weight;
		method->at[side] = node;
	}
	part = all > 0 ? (uint64_t)((wide)method->executes[side] * weight / all) : 0;
	if (part > method->left[side])
		part = method->left[side]; /* the sum of weights was held */
	method->left[side] -= part;
	return part;
}

static void lay(struct pe_runs *runs, struct method *methods, const struct pe_method_counts *counts,
		int side, struct pe_arena *arena)
{
	const struct pe_cct *cct = runs->cct;
	uint64_t *own = pe_arena_new(arena, uint64_t, cct->n);
	uint64_t *total = pe_arena_new(arena, uint64_t, cct->n);

	for (uint32_t i = 0; i < cct->n; i++)
		own[i] = share(&methods[method_of(counts, cct->nodes[i].frame)], cct, i, side);
	for (uint32_t m = 0; m < counts->n_frames; m++)
		own[methods[m].at[side]] += methods[m].left[side];
	for (uint32_t i = cct->n; i-- > 0;) {
		total[i] = add_held(total[i], own[i]);
		if (i > 0)
			total[cct->nodes[i].parent] =
				add_held(total[cct->nodes[i].parent], total[i]);
	}
	runs->instructions = own;
	runs->total_instructions = total;
	runs->whole_instructions = counts->whole[side];
}

void pe_method_counts_lay(struct pe_runs sides[2], const struct pe_method_counts *counts,
			  struct pe_arena *arena)
{
	struct method *methods = calloc(counts->n_frames, sizeof(*methods));
	bool any = false;

	if (methods == NULL)
		pe_out_of_memory(counts->n_frames * sizeof(*methods));
	assert(sides[0].cct->frames->n == counts->n_frames);
	for (int side = 0; side < 2; side++)
		add_contexts(methods, counts, sides[side].cct, side);
	for (uint32_t m = 0; m < counts->n_frames; m++)
		any = take(&methods[m], counts, m) || any;
	for (int side = 0; any && side < 2; side++)
		lay(&sides[side], methods, counts, side, arena);
	free(methods);
}
