#include "analysis/compare/method_counts.h"

#include <assert.h>

__extension__ typedef unsigned __int128 wide;

/* A method over its contexts, by side. */
struct method {
	uint64_t executes[2], calls[2], ns[2], contexts[2];
	/* the column whose sum divides, the same on both sides, because different ones would make a difference */
	const uint64_t *weights;
	uint64_t left[2];     /* rest of `executes` after rounding */
	uint64_t heaviest[2]; /* the greatest weight so far */
	uint32_t at[2];       /* the heaviest node, which gets the rest */
	bool uncounted;
};

/* The instructions to distribute, by the methods' frames in new. */
struct laying {
	struct method *methods;
	const struct pe_function_changes *functions;
	const uint32_t *renamed;
};

static struct method *method_of(const struct laying *laying, uint32_t frame)
{
	return &laying->methods[pe_changes_new_frame(laying->renamed, frame)];
}

/* --- Methods --- */

/* Add the counts: new is old plus the certain difference, so that variation between runs makes no difference. */
static void add_counts(const struct laying *laying)
{
	for (uint32_t f = 0; f < laying->functions->n_frames; f++) {
		const struct pe_frame_count *count = &laying->functions->by_frame[f];
		const uint64_t less = count->amount < 0 ? -(uint64_t)count->amount : 0;
		const uint64_t more = count->amount > 0 ? (uint64_t)count->amount : 0;
		struct method *method = method_of(laying, f);

		method->executes[0] += count->before;
		method->executes[1] += more + (count->before > less ? count->before - less : 0);
	}
}

static void add_contexts(const struct laying *laying, const struct pe_cct *cct, int side)
{
	for (uint32_t i = 0; i < cct->n; i++) {
		struct method *method = method_of(laying, cct->nodes[i].frame);

		method->contexts[side]++;
		method->uncounted = method->uncounted || cct->calls == NULL ||
				    (cct->flags[i] & PE_CCT_UNCOUNTED) != 0;
		if (cct->calls != NULL)
			pe_cct_add(&method->calls[side], cct->calls[i]);
		if (cct->self_ns != NULL)
			pe_cct_add(&method->ns[side], cct->self_ns[i]);
	}
}

/* Whether a column of weights is positive on each side that has something to distribute. */
static bool divides(const struct method *method, const uint64_t weights[2])
{
	return (method->executes[0] == 0 || weights[0] > 0) &&
	       (method->executes[1] == 0 || weights[1] > 0);
}

/* Take what a side executes outside its tree from both sides, so that the rest differs by as much. */
static void leave_out(struct method *method)
{
	for (int side = 0; side < 2; side++) {
		const uint64_t outside = method->contexts[side] == 0 ? method->executes[side] : 0;

		for (int of = 0; of < 2; of++)
			method->executes[of] -=
				outside < method->executes[of] ? outside : method->executes[of];
	}
}

/* @return  whether the method has instructions to distribute */
static bool choose_weighing(struct method *method)
{
	leave_out(method);
	method->left[0] = method->executes[0];
	method->left[1] = method->executes[1];
	method->weights = method->contexts; /* without columns, which a tree may lack */
	if (method->executes[0] == 0 && method->executes[1] == 0)
		return false;
	if (!method->uncounted && divides(method, method->calls))
		method->weights = method->calls;
	else if (divides(method, method->ns))
		method->weights = method->ns;
	return true;
}

/* --- Shares --- */

static uint64_t share(struct method *method, const struct pe_cct *cct, uint32_t node, int side)
{
	const uint64_t all = method->weights[side];
	uint64_t weight = 1, part;

	if (method->weights == method->calls)
		weight = cct->calls[node];
	else if (method->weights == method->ns)
		weight = cct->self_ns != NULL ? cct->self_ns[node] : 0;
	if (weight > method->heaviest[side]) {
		method->heaviest[side] = weight;
		method->at[side] = node;
	}
	part = all > 0 ? (uint64_t)((wide)method->executes[side] * weight / all) : 0;
	if (part > method->left[side])
		part = method->left[side]; /* the sum of weights was clamped */
	method->left[side] -= part;
	return part;
}

static void lay(struct pe_runs *runs, const struct laying *laying, int side, struct pe_arena *arena)
{
	const struct pe_function_changes *functions = laying->functions;
	const struct pe_cct *cct = runs->cct;
	uint64_t *own = pe_arena_new(arena, uint64_t, cct->n);
	uint64_t *total = pe_arena_new(arena, uint64_t, cct->n);

	for (uint32_t i = 0; i < cct->n; i++)
		own[i] = share(method_of(laying, cct->nodes[i].frame), cct, i, side);
	for (uint32_t m = 0; m < functions->n_frames; m++)
		own[laying->methods[m].at[side]] += laying->methods[m].left[side];
	pe_cct_sum_column(cct, own, total);
	runs->instructions = own;
	runs->total_instructions = total;
	runs->whole_instructions =
		functions->old_whole + (side == 0 ? 0 : (uint64_t)functions->amount);
}

void pe_method_counts_lay(struct pe_runs sides[2], const struct pe_function_changes *functions,
			  const uint32_t *renamed, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	const struct laying laying = {
		.methods = pe_arena_new(&work, struct method, functions->n_frames),
		.functions = functions,
		.renamed = renamed,
	};
	bool any = false;

	assert(sides[0].cct->frames->n == functions->n_frames);
	add_counts(&laying);
	for (int side = 0; side < 2; side++)
		add_contexts(&laying, sides[side].cct, side);
	for (uint32_t m = 0; m < functions->n_frames; m++)
		any = choose_weighing(&laying.methods[m]) || any;
	for (int side = 0; any && side < 2; side++)
		lay(&sides[side], &laying, side, arena);
}
