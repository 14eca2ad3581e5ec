#include "analysis/compare/functions.h"

#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { OLD, NEW, VARYING, N_LISTS };

/* A function with its ranges; NULL: that side does not execute it, or it is not known to vary. */
struct joined {
	const struct pe_function_range *at[N_LISTS];
};

static const struct pe_function_range *any(const struct joined *one)
{
	return one->at[NEW] != NULL ? one->at[NEW] : one->at[OLD];
}

/* A range in one of the lists. */
struct listed {
	const struct pe_function_range *range;
	int list;
};

static int compare_names(const struct pe_function_range *a, const struct pe_function_range *b)
{
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : strcmp(a->signature, b->signature);
}

PE_SORT_BY(by_identity, struct listed, range->name, range->signature, range->component, list);

/* --- Joining both sides --- */

/* Join the lists by name, signature and file, sorted in this order. Return the number of functions that a side executes. */
static size_t join(struct joined *out, const struct pe_function_ranges *const lists[N_LISTS],
		   struct pe_arena *arena)
{
	struct listed *all = pe_arena_new(arena, struct listed,
					  lists[OLD]->n + lists[NEW]->n + lists[VARYING]->n);
	size_t n_all = 0, n = 0;

	for (int list = 0; list < N_LISTS; list++)
		for (size_t i = 0; i < lists[list]->n; i++)
			all[n_all++] = (struct listed){&lists[list]->at[i], list};
	pe_sort(all, n_all, by_identity);
	for (size_t i = 0; i < n_all; i++) {
		const struct pe_function_range *range = all[i].range;
		const struct pe_function_range *last = n > 0 ? any(&out[n - 1]) : NULL;
		const bool same = last != NULL && compare_names(last, range) == 0 &&
				  strcmp(last->component, range->component) == 0;

		if (all[i].list != VARYING && !same)
			out[n++] = (struct joined){{NULL}};
		if (all[i].list != VARYING || same)
			out[n - 1].at[all[i].list] = range;
	}
	return n;
}

/* Join a function that moved to another file: the only one of its name that is left on either side. */
static void join_moved(struct joined *of_name, size_t n)
{
	struct joined *old_one = NULL, *new_one = NULL;
	size_t n_old = 0, n_new = 0;

	for (size_t i = 0; i < n; i++) {
		if (of_name[i].at[NEW] == NULL) {
			old_one = &of_name[i];
			n_old++;
		} else if (of_name[i].at[OLD] == NULL) {
			new_one = &of_name[i];
			n_new++;
		}
	}
	if (n_old != 1 || n_new != 1)
		return;
	new_one->at[OLD] = old_one->at[OLD];
	old_one->at[OLD] = NULL; /* now on neither side: skipped */
}

static void join_all_moved(struct joined *all, size_t n)
{
	size_t first = 0;

	for (size_t i = 1; i <= n; i++) {
		if (i < n && compare_names(any(&all[first]), any(&all[i])) == 0)
			continue;
		join_moved(&all[first], i - first);
		first = i;
	}
}

/* --- Deciding --- */

static struct pe_function_change decide(const struct joined *one)
{
	static const struct pe_function_range nothing = {.least = 0};
	const struct pe_function_range *named = any(one), *varying = one->at[VARYING];
	const struct pe_function_range *a = one->at[OLD] != NULL ? one->at[OLD] : &nothing;
	const struct pe_function_range *b = one->at[NEW] != NULL ? one->at[NEW] : &nothing;
	const uint64_t known = varying != NULL ? varying->most - varying->least : 0;
	struct pe_function_change out = {
		.name = named->name,
		.signature = named->signature,
		.component = named->component,
		.frame = PE_FRAME_NONE,
		.old_least = a->least,
		.old_most = a->most,
		.new_least = b->least,
		.new_most = b->most,
	};

	out.spread = known;
	if (a->most - a->least > out.spread)
		out.spread = a->most - a->least;
	if (b->most - b->least > out.spread)
		out.spread = b->most - b->least;
	out.exact = out.spread == 0;
	if (b->least > a->most && b->least - a->most > known)
		out.amount = (int64_t)(b->least - a->most);
	else if (a->least > b->most && a->least - b->most > known)
		out.amount = -(int64_t)(a->least - b->most);
	return out;
}

static uint64_t size_of(int64_t amount)
{
	return amount < 0 ? -(uint64_t)amount : (uint64_t)amount;
}

static uint64_t width_of(const struct pe_function_change *change)
{
	uint64_t most = change->old_most > change->new_most ? change->old_most : change->new_most;
	uint64_t least =
		change->old_least < change->new_least ? change->old_least : change->new_least;

	return most - least;
}

/* Order: changed functions, which have an amount; then varying ones; then equal ones. */
static int by_amount(const void *a, const void *b)
{
	const struct pe_function_change *x = a, *y = b;
	uint64_t size_x = size_of(x->amount), size_y = size_of(y->amount);
	int order;

	if (size_x == 0 && size_y == 0 && x->exact != y->exact)
		return x->exact ? 1 : -1;
	if (size_x == 0 && size_y == 0) {
		size_x = width_of(x);
		size_y = width_of(y);
	}
	if (size_x != size_y)
		return size_x < size_y ? 1 : -1;
	order = strcmp(x->name, y->name);
	if (order == 0)
		order = strcmp(x->signature, y->signature);
	return order != 0 ? order : strcmp(x->component, y->component);
}

void pe_functions_compare(struct pe_function_changes *out,
			  const struct pe_function_ranges *old_ranges,
			  const struct pe_function_ranges *new_ranges,
			  const struct pe_function_ranges *varying, struct pe_arena *arena)
{
	pe_auto_arena work = PE_ARENA_INIT;
	size_t most = old_ranges->n + new_ranges->n;
	struct joined *all = pe_arena_new(&work, struct joined, most);
	size_t n = join(all,
			(const struct pe_function_ranges *const[]){old_ranges, new_ranges, varying},
			&work);

	*out = (struct pe_function_changes){
		.at = pe_arena_new(arena, struct pe_function_change, n)};
	join_all_moved(all, n);
	for (size_t i = 0; i < n; i++) {
		struct pe_function_change change;

		if (any(&all[i]) == NULL)
			continue;
		change = decide(&all[i]);
		out->old_whole += change.old_most;
		out->new_whole += change.new_most;
		out->at[out->n + out->n_varying + out->n_same] = change;
		out->n += change.amount != 0;
		out->n_varying += change.amount == 0 && !change.exact;
		out->n_same += change.amount == 0 && change.exact;
	}
	if (n > 0)
		pe_sort(out->at, out->n + out->n_varying + out->n_same, by_amount);
}

uint32_t pe_functions_find_frame(const struct pe_frames *frames, const char *name,
				 const char *signature, const char *component)
{
	const struct pe_frame key = {.name = name, .signature = signature, .component = component};
	uint32_t found = pe_frames_find(frames, &key);

	if (found != PE_FRAME_NONE || component[0] != '\0')
		return found;
	for (uint32_t f = 0; f < frames->n; f++) {
		const struct pe_frame *frame = &frames->at[f];

		if (frame->kind != PE_FRAME_METHOD || strcmp(frame->name, name) != 0 ||
		    strcmp(frame->signature, signature) != 0)
			continue;
		if (found != PE_FRAME_NONE)
			return PE_FRAME_NONE;
		found = f;
	}
	return found;
}

/* --- Joining with trees --- */

static enum pe_executed_change executed(int64_t amount, bool exact)
{
	if (amount != 0)
		return amount > 0 ? PE_EXECUTED_MORE : PE_EXECUTED_FEWER;
	return exact ? PE_EXECUTED_SAME : PE_EXECUTED_UNKNOWN;
}

/* Add a function to its method. A method may have several functions, which are a compiler's copies. */
static void join_function(struct pe_frame_count *count, const struct pe_function_change *one)
{
	bool first = count->old_instructions == 0 && count->executed == PE_EXECUTED_UNKNOWN;
	bool exact = one->exact && (first || count->executed != PE_EXECUTED_UNKNOWN);

	count->amount += one->amount;
	count->with_inlined += one->amount;
	count->old_instructions += one->old_most;
	count->before += one->old_most;
	count->is_function = count->is_function || (one->old_most > 0 && one->new_most > 0);
	count->executed = executed(count->amount, exact);
}

static void join_charge(struct pe_frame_count *count, const struct pe_charge *charge)
{
	const int64_t amount = (int64_t)(charge->new_instructions - charge->old_instructions);
	const bool is_sure = amount == 0 || size_of(amount) > charge->varies;

	count->before = charge->old_instructions;
	/* A charge within variation only replaces a count that differs more from it, because of inlined methods. */
	if (!is_sure && size_of(amount - count->amount) <= charge->varies)
		return;
	count->amount = is_sure ? amount : 0;
	count->old_instructions = charge->old_instructions;
	count->charge = charge;
	count->executed = executed(count->amount, is_sure);
}

/* Mark methods without a function, which were inlined, as equal where functions together execute as much as before. */
static void join_inlined(struct pe_frame_count *by_frame, uint32_t n_frames,
			 const struct pe_function_changes *changes, uint64_t varies)
{
	uint64_t changed = varies;

	for (size_t i = 0; i < changes->n; i++)
		changed += size_of(changes->at[i].amount);
	if ((double)changed >= PE_FUNCTIONS_LEAST * (double)changes->old_whole)
		return;
	for (uint32_t f = 0; f < n_frames; f++)
		if (by_frame[f].old_instructions == 0 && by_frame[f].amount == 0)
			by_frame[f].executed = PE_EXECUTED_SAME;
}

void pe_functions_join(struct pe_function_changes *changes, const struct pe_frames *frames,
		       const struct pe_charges *charges, const uint32_t *renamed,
		       struct pe_arena *arena)
{
	struct pe_frame_count *by_frame = pe_arena_new(arena, struct pe_frame_count, frames->n);
	uint64_t varies = 0;

	changes->amount = 0;
	for (size_t i = 0; i < changes->n + changes->n_varying + changes->n_same; i++) {
		struct pe_function_change *one = &changes->at[i];

		one->frame =
			pe_functions_find_frame(frames, one->name, one->signature, one->component);
		if (one->frame != PE_FRAME_NONE) {
			one->frame = pe_changes_new_frame(renamed, one->frame);
			join_function(&by_frame[one->frame], one);
		}
		changes->amount += one->amount;
		varies += one->spread;
	}
	for (size_t i = 0; charges != NULL && i < charges->n; i++) {
		const struct pe_charge *one = &charges->at[i];
		uint32_t frame =
			pe_functions_find_frame(frames, one->name, one->signature, one->component);

		if (frame != PE_FRAME_NONE)
			join_charge(&by_frame[frame], one);
	}
	if (charges == NULL)
		join_inlined(by_frame, frames->n, changes, varies);
	changes->charged = charges != NULL;
	changes->by_frame = by_frame;
	changes->n_frames = frames->n;
}

const uint64_t *pe_functions_by_frame(const struct pe_function_ranges *ranges,
				      const struct pe_frames *frames, struct pe_arena *arena)
{
	uint64_t *by_frame;

	if (ranges->runs == 0)
		return NULL;
	by_frame = pe_arena_new(arena, uint64_t, frames->n);
	for (size_t i = 0; i < ranges->n; i++) {
		const struct pe_function_range *one = &ranges->at[i];
		uint32_t frame =
			pe_functions_find_frame(frames, one->name, one->signature, one->component);

		if (frame != PE_FRAME_NONE)
			by_frame[frame] += one->most;
	}
	return by_frame;
}
